"""What an audit of a mirror finds: a closed list."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Finding(StrEnum):
    """What is not as it should be."""

    CORRUPT = "corrupt"  # bytes are not those that arrived
    LOST = "lost"  # a file is not where the inventory says; an object is not where the catalogue says
    STRANGE = "strange"  # a file that no inventory knows, an object that no run received, a link
    DAMAGED = "damaged"  # an inventory cannot be read, or is not the one that was written
    ALTERED = "altered"  # it is sound in itself, and the catalogue names another
    UNCONFIRMED = "unconfirmed"  # a run was broken off before its receipt
    INCOMPLETE = "incomplete"  # a file could not be had when the object was received
    MISSING = "missing"  # the provider has it, the mirror has not
    EXTRA = "extra"  # the mirror has it, the provider has not
    STALE = "stale"  # the provider has another state of it


MENDABLE = (Finding.CORRUPT, Finding.LOST)  # the bytes may be fetched again


class Found(NamedTuple):
    """One thing that is not as it should be."""

    finding: Finding
    identifier: str
    reason: str
