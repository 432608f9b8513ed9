"""The kinds of findings of an audit of a mirror: a closed list."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Finding(StrEnum):
    """The kind of a finding."""

    CORRUPT = "corrupt"  # the bytes were altered
    LOST = "lost"  # a file of the inventory, or an object of the catalogue, is not there
    STRANGE = "strange"  # a file in no inventory, an object that no run received, a link
    DAMAGED = "damaged"  # an inventory is unreadable or was altered
    ALTERED = "altered"  # it is consistent, but the catalogue has another digest
    UNCONFIRMED = "unconfirmed"  # a run was broken off before its receipt
    INCOMPLETE = "incomplete"  # a file could not be fetched
    MISSING = "missing"  # the provider has it, the mirror does not
    EXTRA = "extra"  # the mirror has it, the provider does not
    STALE = "stale"  # the provider has another state of it


MENDABLE = (Finding.CORRUPT, Finding.LOST)  # they are repaired by fetching the bytes again


class AuditFinding(NamedTuple):
    """One finding: its kind, the identifier of the object or the name of the file, and the reason."""

    finding: Finding
    identifier: str
    reason: str
