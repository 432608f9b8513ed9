"""What is asked of the store: which list, from which key on, and the page that answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Key(NamedTuple):
    """Where a list has come to: the last record's datestamp and item number. Every list is walked by it."""

    datestamp: int
    item: int


@dataclass(frozen=True, slots=True)
class Selection:
    """What a list is asked for (OAI-PMH 2.0 §2.7). `from_` and `until` are inclusive seconds; None: no limit."""

    metadata_prefix: str
    set_spec: str | None = None
    from_: int | None = None
    until: int | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list: whole `<record>` elements, and the key of the last when more follow, else None."""

    records: tuple[bytes, ...]
    next: Key | None


class StoredRecord(NamedTuple):
    """One published record, as GetRecord answers it."""

    content: bytes
    datestamp: int
    digest: bytes
    is_deleted: bool
