"""Who shows how far the conversion of a store is: a command draws a bar, and `gateway serve` answers with it.

Any command may be the first one that opens the store after an upgrade, so nobody hands this down to what opens it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

Progress: TypeAlias = Callable[[int, int], None]  # gets how many records are in blocks, and of how many

_shown: ContextVar[tuple[Progress, ...]] = ContextVar("shown", default=())
_is_logged: ContextVar[bool] = ContextVar("is_logged", default=True)
_damage: ContextVar[list[int] | None] = ContextVar("damage", default=None)


@contextmanager
def shown_by(progress: Progress, *, is_beside: bool = False) -> Iterator[None]:
    """Let `progress` show the conversions inside the block, instead of lines of the log, or beside what shows them."""
    shown = _shown.set((*_shown.get(), progress))
    logged = _is_logged.set(_is_logged.get() and is_beside)
    try:
        yield
    finally:
        _shown.reset(shown)
        _is_logged.reset(logged)


def show(done: int, total: int) -> bool:
    """Show how many records are in blocks, and of how many; return whether the log should say it too."""
    for progress in _shown.get():
        progress(done, total)
    return _is_logged.get()


@contextmanager
def damage_noted() -> Iterator[list[int]]:
    """Yield a list that gets how many records were damaged, if a conversion inside the block ends with such records."""
    counts: list[int] = []
    noted = _damage.set(counts)
    try:
        yield counts
    finally:
        _damage.reset(noted)


def note_damaged(count: int) -> None:
    """Note that a conversion has ended with so many damaged records."""
    counts = _damage.get()
    if counts is not None:
        counts.append(count)
