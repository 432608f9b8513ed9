"""Which steps there are, in the order in which they are taken."""

from __future__ import annotations

from functools import cache

from gateway.errors import ConfigurationError
from gateway.registry import members
from harvester import discovery
from harvester.discovery import Step


@cache
def steps() -> tuple[Step, ...]:
    """Return every step, the one of least cost first."""
    found = members(discovery, "STEP", Step, lambda each: each.name)
    return tuple(sorted(found, key=lambda step: (step.cost, step.name)))


def step_of(name: str) -> Step:
    """Return one step. Raise ConfigurationError when there is none of that name."""
    found = next((each for each in steps() if each.name == name), None)
    if found is None:
        raise ConfigurationError(f"There is no step {name!r}; there are: {', '.join(each.name for each in steps())}.")
    return found
