"""What arrived: pages as they came, the records cut from them, and how far the lists are read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class RawPage:
    """One answer of a source, as received: status, headers and bytes, and the request that brought it."""

    source: str
    verb: str  # what was asked: ListRecords, GetRecord, Identify …
    url: str
    received_at: int
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes  # after Content-Encoding, before anything else
    metadata_prefix: str = ""
    set_spec: str = ""
    repaired: bytes = b""  # UTF-8 text the slices refer to when `body` itself could not be read; else empty
    repairs: tuple[str, ...] = ()  # what was repaired, in words
    list_begun: int | None = None  # the number of the last page before its list began; None: it belongs to no list


class Slice(NamedTuple):
    """One record cut from a page: its header, and where its parts lie, in bytes of `repaired or body`.

    `start == stop` means: no metadata. `declarations` are the namespace declarations (prefix, URI) that were in
    scope above the payload and that it needs to stand alone. `problem` is not empty when the record cannot be used.
    `waits`: it is a deletion, and a person is to decide on it.
    """

    identifier: str
    datestamp: str
    sets: tuple[str, ...]
    is_deleted: bool
    start: int
    stop: int
    abouts: tuple[tuple[int, int], ...] = ()
    declarations: tuple[tuple[str, str], ...] = ()
    problem: str = ""
    waits: bool = False


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page in the inbox, with its number and slices."""

    number: int
    page: RawPage
    slices: tuple[Slice, ...]


class Removal(NamedTuple):
    """All records of a source were removed: the number of the entry, and the last page that was published before."""

    number: int
    position: int


class Restoration(NamedTuple):
    """The inbox was restored from a backup: the number of the entry, and since which second its pages were lost."""

    number: int
    since: int


class WindowOutcome(StrEnum):
    """What became of a window of a list: a closed list. `SPLIT`: it was divided into smaller ones."""

    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"
    SPLIT = "split"


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far the harvest of one list (source, metadataPrefix, set) has come.

    `state` belongs to the kind of source: JSON text, opaque to everyone else. An empty state means: from the start.
    `window` is a part of the list that is walked by itself (its dates, `2024-01-01/2024-01-31`), and `outcome` its.
    """

    source: str
    metadata_prefix: str = ""
    set_spec: str = ""
    state: str = ""
    window: str = ""
    outcome: WindowOutcome = WindowOutcome.WAITING
