"""The values that travel through the house: frozen, slotted, without behaviour beyond what their fields say.

Times are whole seconds since 1970-01-01T00:00:00Z unless a field is a string, which is then as its origin wrote it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

# --- what a record says ---------------------------------------------------------------------------------------


class Statement(NamedTuple):
    """One of the fifteen Dublin Core statements: `element` is the local name (`title`), `language` an xml:lang."""

    element: str
    text: str
    language: str = ""


class FileOrigin(StrEnum):
    """Who says that a link leads to a file."""

    UPSTREAM = "upstream"
    DISCOVERED = "discovered"


class FileLink(NamedTuple):
    """A link that is known to lead to a file. Empty strings and None mean: not known."""

    url: str
    mime_type: str = "application/octet-stream"
    origin: FileOrigin = FileOrigin.UPSTREAM
    found_in: str = ""  # where it was named, in words of the format: `dc:format`, `didl:Resource`
    size: int | None = None  # bytes
    sha256: str = ""
    modified: str = ""
    license: str = ""
    version: str = ""


class Work(NamedTuple):
    """What one item is about, read from the richest of its payloads.

    A work that was read at a glance has only those statements that lead somewhere; `oai_dc` has them all.
    """

    statements: tuple[Statement, ...] = ()
    identifiers: tuple[str, ...] = ()  # DOIs and handles as URIs, best first
    landing_page: str = ""
    files: tuple[FileLink, ...] = ()
    license: str = ""  # a URI
    modified: str = ""  # the source's own UTCdatetime of the last change
    upstream: str = ""  # the identifier in the source's protocol
    oai_dc: bytes = b""  # a valid oai_dc as it arrived, standing alone; empty: one must be made


# --- what arrived ---------------------------------------------------------------------------------------------


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


class Slice(NamedTuple):
    """One record cut from a page: its header, and where its parts lie, in bytes of `repaired or body`.

    `start == stop` means: no metadata. `declarations` are the namespace declarations (prefix, URI) that were in
    scope above the payload and that it needs to stand alone. `problem` is not empty when the record cannot be used.
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


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page in the inbox, with its number and slices."""

    number: int
    page: RawPage
    slices: tuple[Slice, ...]


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


# --- what is published ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Format:
    """A metadata format that is exposed (OAI-PMH 2.0 §4.4). `source` and `upstream_prefix` tell whose, if not ours."""

    metadata_prefix: str
    schema: str
    namespace: str
    version: int = 1
    source: str = ""
    upstream_prefix: str = ""


@dataclass(frozen=True, slots=True)
class SetDescription:
    """A set (OAI-PMH 2.0 §2.6). `description` is ready XML for setDescription, or empty."""

    spec: str
    name: str
    description: bytes = b""


@dataclass(frozen=True, slots=True)
class Source:
    """A source as the store knows it. `friends` lists it in Identify when its protocol is OAI-PMH."""

    name: str
    base_url: str
    kind: str = "oai_pmh"
    is_removed: bool = False


class Payload(NamedTuple):
    """Where the last good payload of an item in one upstream format lies, and what it says of itself."""

    metadata_prefix: str
    page: int
    slice: int  # its place among the slices of the page, from 0
    digest: bytes
    is_deleted: bool


class Record(NamedTuple):
    """One record ready to be published: `content` is the whole `<record>` element, in UTF-8.

    `digest` says what the content means, whatever its datestamp and harvestDate; the same digest is no change.
    """

    metadata_prefix: str
    digest: bytes
    is_deleted: bool
    content: bytes


class ItemChange(NamedTuple):
    """All that is to be written of one item. Records that are not named stay as they are."""

    upstream: str
    identifier: str
    is_deleted: bool
    sets: tuple[str, ...]  # the most specific ones; their ancestors are implied
    payloads: tuple[Payload, ...]
    records: tuple[Record, ...]


class ItemState(NamedTuple):
    """What the store holds of one item."""

    number: int
    upstream: str
    identifier: str
    is_deleted: bool
    payloads: tuple[Payload, ...]
    records: tuple[tuple[str, bytes, bool], ...]  # (metadataPrefix, digest, is_deleted)


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A record that could not be used: where it lies in the inbox, and why, in a sentence."""

    source: str
    metadata_prefix: str
    identifier: str  # upstream's; may be empty when that is the reason
    page: int
    slice: int
    reason: str
    at: int = 0


@dataclass(frozen=True, slots=True)
class Publication:
    """What one publication writes in one transaction.

    `position` is (before, after): the number of the last page of `source` published before and after; None when
    the publication does not come from the inbox.
    """

    source: str
    changes: tuple[ItemChange, ...] = ()
    quarantined: tuple[Quarantined, ...] = ()
    released: tuple[tuple[str, str], ...] = ()  # (metadataPrefix, upstream identifier) that is good again
    position: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Intent:
    """The promise of a publication: its records will carry `datestamp`, which no reader passes meanwhile."""

    number: int
    datestamp: int


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """One line of the append-only log of changes."""

    number: int
    identifier: str
    metadata_prefix: str
    datestamp: int
    kind: str  # created, updated, deleted


# --- what is asked --------------------------------------------------------------------------------------------


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


# --- what a run did -------------------------------------------------------------------------------------------


class RunOutcome(StrEnum):
    """How a run ended: a closed list. `RUNNING` in the past means that its process died."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    SUCCEEDED_WITH_ERRORS = "succeeded_with_errors"
    STOPPED = "stopped"  # by a limit, or by Ctrl-C after the page was committed
    TRY_LATER = "try_later"
    REFUSED = "refused"
    FAILED = "failed"
    MISCONFIGURED = "misconfigured"  # nothing can be done before somebody corrects it


@dataclass(frozen=True, slots=True)
class Run:
    """One run of one source. `is_complete` is True only when it was shown that nothing is missing.

    `stage` is what it did: `harvest`, or another stage that a source goes through.
    """

    number: int
    source: str
    started_at: int
    ended_at: int | None = None
    outcome: RunOutcome = RunOutcome.RUNNING
    is_complete: bool = False
    counts: dict[str, int] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    stage: str = "harvest"


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened in a run: `level` is info, warning or error; `text` a sentence."""

    run: int
    at: int
    level: str
    text: str


# --- where full text is -----------------------------------------------------------------------------------------


class Outcome(StrEnum):
    """How a search for full text, or a step of it, or the fetching of one address ended: a closed list."""

    SUCCESS = "success"
    # what ends an item without a request
    ALREADY_HELD = "already-held"
    NO_DOI = "no-doi"
    NOT_OA = "not-oa"
    EMBARGOED_UNTIL = "embargoed-until"
    POLICY_FORBIDS = "policy-forbids"
    # what keeps us from asking
    ROBOTS_DENIED = "robots-denied"
    SKIP_HOST = "skip-host"
    PRIVATE_ADDRESS = "private-address"
    BAD_SCHEME = "bad-scheme"
    # what the connection brings
    DNS_ERROR = "dns-error"
    TLS_ERROR = "tls-error"
    TIMEOUT = "timeout"
    RATE_LIMITED = "rate-limited"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not-found"
    GONE = "gone"
    BAD_STATUS = "bad-status"
    REDIRECT_LOOP = "redirect-loop"
    TOO_MANY_REDIRECTS = "too-many-redirects"
    BLOCKED_COOKIE = "blocked-cookie"
    BLOCKED_CAPTCHA = "blocked-captcha"
    BLOCKED_WALL = "blocked-wall"
    # what a page leads to
    NO_PDF_LINK = "no-pdf-link"
    LINK_LOOP = "link-loop"
    MAX_HOPS = "max-hops"
    # what the bytes are
    BODY_TOO_LARGE = "body-too-large"
    EMPTY_BODY = "empty-body"
    WRONG_MIMETYPE = "wrong-mimetype"
    NOT_PDF = "not-pdf"
    ENCRYPTED_PDF = "encrypted-pdf"
    BROKEN_PDF = "broken-pdf"
    PARSE_TIMEOUT = "parse-timeout"
    PARSE_MEMORY = "parse-memory"
    # what the text says
    NO_TEXT = "no-text"
    WRONG_DOCUMENT = "wrong-document"
    LOW_SCORE = "low-score"


class Candidate(NamedTuple):
    """One copy of a work that was looked at: where it is, what it is, how it was found, and what came of it.

    `version` is submitted, accepted, published or not told; `license` the name of what was stated for this very copy;
    `evidence` where in the answer of the step `found_by` it stood.
    """

    url: str
    found_by: str
    evidence: str = ""
    outcome: Outcome = Outcome.NO_PDF_LINK
    final_url: str = ""
    hops: tuple[str, ...] = ()
    mime_type: str = ""
    size: int = 0
    sha256: str = ""
    version: str = ""
    license: str = ""
    license_url: str = ""
    host_type: str = ""
    score: float = 0.0
    covered: float = 0.0
    has_doi: bool = False
    has_title: bool = False
    is_auxiliary: bool = False
    at: int = 0


class Trace(NamedTuple):
    """What one step did for one item: how it ended, how many copies it told of, and a sentence where one is needed."""

    step: str
    outcome: Outcome
    copies: int = 0
    note: str = ""
    host: str = ""


class Lease(NamedTuple):
    """An item that was taken for a search, under a number that nobody else has; `tries` counts this one."""

    identifier: str
    source: str
    upstream: str
    number: int
    tries: int


class SearchState(NamedTuple):
    """How the search for one item stands: due, leased, waiting (until `due`) or done. `story` is JSON of the search."""

    identifier: str
    source: str
    upstream: str
    state: str
    due: int
    tries: int
    outcome: str
    searched_at: int
    story: str


class Decision(NamedTuple):
    """What was decided of one copy: `verdict` is accept, reject or review; `decided_by` a rule's or a person's name."""

    identifier: str
    url: str
    sha256: str
    verdict: str
    reason: str
    decided_by: str
    at: int
