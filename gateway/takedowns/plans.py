"""What a takedown would touch, and what carries it out: values and a protocol, which the application fills in. Pure."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from gateway.core.states import State, of_takedown
from gateway.core.takedowns import Takedown


class Plan(NamedTuple):
    """What an entry would touch, as far as it is known before all records are read.

    `items` are the items that become tombstones, or that have the file. `has_more`: there are more of them, or not all
    records could be read in time. Of an address, `hidden` are those of them that become tombstones. `files` are the
    SHA-256 of the files that are withdrawn. `before` is the same entry if it is in force already; `is_done`: what that
    one hits is withdrawn.
    """

    entry: Takedown
    items: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    has_more: bool = False
    before: Takedown | None = None
    is_done: bool = False
    hidden: tuple[str, ...] = ()


class Listed(NamedTuple):
    """An entry. `number` is its place in the file; `is_done`: everything that it hits is withdrawn.

    Of one that was removed, `is_done`: everything that it has withheld is published again.
    """

    entry: Takedown
    number: int
    is_done: bool

    @property
    def state(self) -> State:
        """How the takedown stands."""
        hits = len(self.entry.items) + len(self.entry.files) + len(self.entry.addresses)
        return of_takedown(is_removed=bool(self.entry.removed_at), is_done=self.is_done, hits=hits)

    @property
    def place(self) -> tuple[str, int]:
        """The place in the list, which begins with the highest one."""
        return self.entry.at, self.number


class Withdrawals(Protocol):
    """The list of takedowns of an instance. Every method may raise StoreError."""

    def plan(self, entry: Takedown, item: str = "") -> Plan:
        """Return what an entry would touch; nothing is changed.

        If it names an address, records are read for some seconds, and that of `item` in any case.
        """
        ...

    def add(self, entry: Takedown) -> bool:
        """Put an entry on the list, and carry the list out; return whether that was done within some seconds.

        The entry counts at once: nothing that is published later has what it names. The rest goes on in this process;
        after a kill, the next `harvester tend` does it.
        """
        ...

    def listed(self, *, with_removed: bool = False) -> tuple[Listed, ...]:
        """Return the entries in force, and the removed ones if they are wanted, the newest first."""
        ...

    def has_open_erasure(self) -> bool:
        """Return whether the files of the store still have what was taken down, because somebody reads an old state."""
        ...

    def damaged(self) -> int:
        """Return how many damaged blocks of the store may still have what the entries in force have withdrawn."""
        ...
