"""Received things: pages as received, the records cut from them, and the cursors of lists."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class RawPage:
    """One answer of a source, as received: status, headers and bytes, and the request for it."""

    source: str
    verb: str  # of the request: ListRecords, GetRecord, Identify …
    url: str
    received_at: int
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes  # after Content-Encoding, before anything else
    metadata_prefix: str = ""
    set_spec: str = ""
    repaired: bytes = b""  # the UTF-8 text that the slices refer to, if `body` itself could not be read; else empty
    repairs: tuple[str, ...] = ()  # a sentence for each repair
    list_begun: int | None = None  # the number of the last page before its list began; None: it belongs to no list


class Slice(NamedTuple):
    """One record cut from a page: its header, and the places of its parts, as bytes of `repaired or body`.

    `start == stop` means: no metadata. `declarations` are the namespace declarations (prefix, URI) of outer elements
    that the payload needs to stand alone. `problem` is a sentence if the record cannot be used, else empty.
    `waits`: it is a deletion that a person must confirm.
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
    """The removal of all records of a source: the number of the entry, and the last page that was published before."""

    number: int
    position: int


class Restoration(NamedTuple):
    """A restoration of the inbox: the number of the entry, and the second since which pages were lost."""

    number: int
    since: int


class WindowOutcome(StrEnum):
    """The state of a window of a list. `SPLIT`: it was divided into smaller windows."""

    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"
    SPLIT = "split"


@dataclass(frozen=True, slots=True)
class Cursor:
    """The position of a harvest in one list (source, metadataPrefix, set).

    `state` is JSON text that only the kind of source reads; empty: from the start. `window` has the dates of a part of
    the list that is harvested by itself (`2024-01-01/2024-01-31`), or is empty. `outcome` is the state of the window.
    """

    source: str
    metadata_prefix: str = ""
    set_spec: str = ""
    state: str = ""
    window: str = ""
    outcome: WindowOutcome = WindowOutcome.WAITING
