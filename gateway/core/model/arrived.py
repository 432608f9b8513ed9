"""What comes from a source: pages, their records, cursors, its identity, and the log of runs."""

from dataclasses import dataclass, field
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


class Identity(NamedTuple):
    """The identity that a repository states in Identify; a field is empty if it states none.

    `repository_identifier` is that of the oai-identifier guideline; several have spaces between them.
    """

    repository_identifier: str = ""
    repository_name: str = ""
    base_url: str = ""


class KnownIdentity(NamedTuple):
    """The known identity of a source: the one that was accepted, and the one that it stated last (`latest`).

    `strange` says why its records seem to be those of another repository; empty: they do not, or that was accepted.
    `is_strange_accepted`: the next whole list may begin with unknown records.
    """

    accepted: Identity
    latest: Identity
    strange: str = ""
    is_strange_accepted: bool = False


class SourceClock(NamedTuple):
    """The time that a source stated (`second`, since 1970), its host, and the clocks of this machine at that moment.

    `is_sure`: its responseDate and its HTTP Date agree. `monotonic` and `suspended` are seconds since the boot with
    the identifier `boot`.
    """

    host: str
    second: float
    is_sure: bool
    monotonic: float
    boot: str
    suspended: float


class RunOutcome(StrEnum):
    """The outcome of a run. `RUNNING` in an old run means that its process was killed."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    SUCCEEDED_WITH_ERRORS = "succeeded_with_errors"
    STOPPED = "stopped"  # by a limit, or by Ctrl-C after the page was committed
    TRY_LATER = "try_later"
    REFUSED = "refused"
    FAILED = "failed"
    MISCONFIGURED = "misconfigured"  # a person must correct the configuration first


@dataclass(frozen=True, slots=True)
class Run:
    """One run of one source.

    `is_complete` is True only if it was shown that every record of its lists has arrived, usable or not. No list of an
    earlier run may be missing either. `stage` is `harvest`, or another stage, such as that of a search.
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
class RunTotal:
    """The number of runs of one source and stage with one outcome; `last_at` is when the last one ended, or began."""

    source: str
    stage: str
    outcome: RunOutcome
    count: int
    last_at: int


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a run: `level` is info, warning or error; `text` is a sentence; `at` is the second."""

    run: int
    at: int
    level: str
    text: str
