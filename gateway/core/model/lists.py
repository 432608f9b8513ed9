"""Lists of the store: the selection, the key from which a list continues, and a page of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Key(NamedTuple):
    """The position in a list: datestamp and number of its last record. All lists are sorted by it."""

    datestamp: int
    number: int


@dataclass(frozen=True, slots=True)
class Selection:
    """The arguments of a list (OAI-PMH 2.0 §2.7.1). `from_` and `until` are inclusive seconds; None: no limit."""

    metadata_prefix: str
    set_spec: str | None = None
    from_: int | None = None
    until: int | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list: whole `<record>` elements in UTF-8, and the key of the last one if more follow, else None."""

    records: tuple[bytes, ...]
    next: Key | None


class Compacted(NamedTuple):
    """What compaction has done: how many blocks were made anew, and how many bytes that has freed in the database.

    `damaged` blocks could not be made anew. `is_complete`: nothing is left to do. `smaller_by`: by how many bytes the
    file has become smaller. `kept_free`: how many bytes are free in a file that cannot become smaller.
    """

    blocks: int
    bytes: int
    damaged: int
    is_complete: bool
    smaller_by: int = 0
    kept_free: int = 0


class StoredRecord(NamedTuple):
    """One published record, as GetRecord answers it."""

    content: bytes
    datestamp: int
    digest: bytes
    is_deleted: bool
