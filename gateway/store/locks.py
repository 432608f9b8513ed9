"""The locks that the machines of one repository share, by name: of a source, and of what one process does at a time.

On files there is one machine, whose processes have the locks in `locks/` of the instance folder (`waiting`). On
PostgreSQL, a process holds both, the one in its folder first.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol


class Locks(Protocol):
    """What machines hold in turn. Every method may raise StoreError."""

    def held(self, name: str, seconds: float = 0.0) -> AbstractContextManager[None]:
        """Hold a lock inside the block. Raise StoreBusy if another machine holds it for so many `seconds`."""

    def is_held(self, name: str) -> bool:
        """Return whether some machine holds a lock now."""


class OneMachine:
    """The locks of a repository on files: no other machine has it."""

    @contextmanager
    def held(self, name: str, seconds: float = 0.0) -> Iterator[None]:  # noqa: ARG002 - there is nobody to wait for
        """Hold nothing."""
        yield

    def is_held(self, name: str) -> bool:  # noqa: ARG002 - as above
        """Return False."""
        return False
