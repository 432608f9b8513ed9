"""What a mirror holds, for the walk of a list that goes on where an earlier run stopped: it has no other memory."""

from __future__ import annotations

from collections.abc import Sequence

from harvester.mirror.place import Place
from harvester.sources import NothingHeld


class HeldInMirror(NothingHeld):
    """The names of objects that are held, and of those whose record came and cannot be read."""

    def __init__(self, place: Place) -> None:
        """Take the place of the mirror."""
        self._place = place

    def names(self, identifiers: Sequence[str], _metadata_prefix: str) -> frozenset[str]:
        """Return which of these came."""
        unread = {identifier for identifier, _ in self._place.unread()}
        return frozenset(each for each in identifiers if each in unread or self._place.root.place(each).exists())
