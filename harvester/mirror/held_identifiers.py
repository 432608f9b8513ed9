"""The identifiers in a mirror, for a harvest of a list that continues an earlier run."""

from __future__ import annotations

from collections.abc import Sequence

from harvester.mirror.folder import MirrorFolder
from harvester.sources import NothingHeld


class HeldInMirror(NothingHeld):
    """The identifiers of stored objects, and of records that cannot be read."""

    def __init__(self, place: MirrorFolder) -> None:
        """Take the folder of the mirror."""
        self._place = place

    def names(self, identifiers: Sequence[str], _metadata_prefix: str) -> frozenset[str]:
        """Return which of these identifiers were received already."""
        unread = {identifier for identifier, _ in self._place.failed.unread()}
        return frozenset(
            identifier
            for identifier in identifiers
            if identifier in unread or self._place.root.place(identifier).exists()
        )
