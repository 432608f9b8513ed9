"""The table of quirks: every function of a file in `quirks/` that is marked as one, with what a harvest of it promises.

A quirk is `distort(asked, serve, stage) -> said`: it may change what is asked, ask `serve` once or more, change what
was said, or say something of its own. It stands for one kind of endpoint, which its docstring names.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from gateway.core.model import RunOutcome
from tests.faults import quirks
from tests.faults.site import Distort
from tests.faults.source import Source


class Promise(Enum):
    """What a harvest of a quirk promises. In any case: what says that it is complete is complete."""

    WHOLE = "all records stored, and shown to be all"
    STORED = "all records stored, whether or not it can be shown"
    HONEST = "the run says what is wrong"


def _as_it_is(_source: Source) -> None:
    """Leave the source as it is."""


@dataclass(frozen=True)
class Quirk:
    """One quirk. `numbers` are those of the list of quirks that were found in the wild.

    `outcome` and `says` are how an honest run ends, and words of its reasons. `lost` records cannot be had at all.
    `entry` are fields of the source in `sources.toml`, `settings` settings, both as an administrator would give them.
    `is_trap`: it refuses a request that ours are not to be like.
    """

    distort: Distort
    promise: Promise
    numbers: tuple[int, ...]
    outcome: RunOutcome | None = None
    says: str = ""
    lost: int = 0
    is_again: bool = False  # shows only, or also, in the second harvest, after the source has changed
    prepare: Callable[[Source], None] = _as_it_is
    query: str = ""  # what stands behind the base URL in `sources.toml`
    entry: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, str | float] = field(default_factory=dict)
    hides: frozenset[str] = frozenset()  # evidence that this quirk takes away
    needs: frozenset[str] = frozenset()  # evidence without which nobody could notice it
    is_trap: bool = False

    @property
    def name(self) -> str:
        """Its symptom."""
        return self.distort.__name__

    @property
    def is_prepared(self) -> bool:
        """Whether it lies in what the source holds or in its address, and no answer is distorted."""
        return self.prepare is not _as_it_is or bool(self.query or self.is_trap)


_MARKED: list[Quirk] = []


def quirk(promise: Promise, *numbers: int, **fields: Any) -> Callable[[Distort], Distort]:
    """Mark a function as a quirk. `hides` and `needs` are words with spaces between: `"names completeListSize"`."""

    def marked(distort: Distort) -> Distort:
        evidence = {name: frozenset(str(fields.pop(name)).split()) for name in ("hides", "needs") if name in fields}
        _MARKED.append(Quirk(distort, promise, numbers, **fields, **evidence))  # type: ignore[arg-type]
        return distort

    return marked


def _marked() -> Iterator[Quirk]:
    for module in pkgutil.iter_modules(quirks.__path__):
        importlib.import_module(f"{quirks.__name__}.{module.name}")
    yield from sorted(_MARKED, key=lambda entry: entry.name)


def all_quirks() -> dict[str, Quirk]:
    """Return every quirk by its name."""
    by_name = {entry.name: entry for entry in _marked()}
    assert len(by_name) == len(_MARKED), "two quirks have one name"
    return by_name
