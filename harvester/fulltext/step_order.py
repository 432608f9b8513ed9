"""All steps, in the order in which they run."""

from functools import cache

from gateway.core.errors import ConfigurationError
from gateway.core.registry import members
from harvester.fulltext import steps as package
from harvester.fulltext.steps import Step


@cache
def steps() -> tuple[Step, ...]:
    """Return all steps in the order of their cost, the least first."""
    steps_ = members(package, "STEP", Step, lambda step: step.name)
    return tuple(sorted(steps_, key=lambda step: (step.cost, step.name)))


def step_of(name: str) -> Step:
    """Return the step with this name. Raise ConfigurationError when there is none."""
    known_step = next((step for step in steps() if step.name == name), None)
    if known_step is None:
        names = ", ".join(step.name for step in steps())
        raise ConfigurationError(f"There is no step {name!r}. Write one of: {names}.")
    return known_step
