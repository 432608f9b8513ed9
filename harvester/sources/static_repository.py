"""OAI Static Repositories: a document at an address, whole each time, and asked for again only when it has changed.

It tells of no deletions: what was held and does not stand in it any more is deleted when it is read. A document that
has lost more than half of what is held is not believed; a sweep is asked then whether it may be.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from http import HTTPStatus

from gateway.errors import ConfigurationError, NotStaticRepository, RemoteError
from gateway.model import Cursor, RawPage, Slice
from gateway.xmltext import utc_datetime
from harvester.sources import Description, Listed, ListEnd, Option, Options, Recognised, SourceKind, Step
from harvester.sources._asking import asked, raw
from harvester.wire.dates import DAY, bound
from harvester.wire.http import Fetch, Fetched, Request
from harvester.wire.static_repository import (
    Records,
    StaticRepository,
    beginning_of,
    cut,
    faults_in,
    looks_like_one,
    oddities_in,
    read,
)

_BEGINNING = 65_536  # bytes: Identify and the formats stand there
_RECORDS_A_PAGE = 500
_MOST_SHARE_VANISHED = 0.5
_FEW = 10  # so many may vanish whatever share they are
_VERSION = 1


@dataclass(frozen=True, slots=True)
class _State:
    """Which document was read last, and how many of its records were brought; `is_read`: all of them."""

    etag: str = ""
    modified: str = ""
    digest: str = ""
    brought: int = 0
    is_read: bool = False
    version: int = _VERSION


def _state_of(text: str) -> _State:
    """Read a state; one that cannot be read means from the start."""
    try:
        state = _State(**json.loads(text))
    except (ValueError, TypeError):
        return _State()
    pairs = zip(asdict(state).values(), asdict(_State()).values(), strict=True)
    is_one = state.version == _VERSION and all(type(value) is type(plain) for value, plain in pairs)
    return state if is_one else _State()


def _address(url: str) -> str:
    """Return where the document is; of a path on this machine, the file itself."""
    return f"{url}#{url.rpartition('/')[2]}" if url.startswith("file:") else url


# --- what it is ---------------------------------------------------------------------------------------------------


def describe(options: Options, fetch: Fetch) -> Description:
    """Read Identify and the formats; of a long document, only its beginning is asked for.

    Raise NotStaticRepository, saying what is wrong with them.
    """
    whole = ("Accept-Encoding", "identity")  # a part of something compressed could not be read
    fetched = fetch(
        Request(_address(options.url), options.source, headers=(("Range", f"bytes=0-{_BEGINNING - 1}"), whole))
    )
    beginning = beginning_of(fetched.body) if fetched.status < HTTPStatus.MULTIPLE_CHOICES else None
    if beginning is None:
        fetched, found = _asked(options, fetch)
        beginning = beginning_of(found.text) or found.text
    found = _sound(read(beginning))
    page = raw(options, Cursor(options.source), "Identify", replace(fetched, body=beginning))
    identify = found.identify
    return Description(
        (page, replace(page, verb="ListMetadataFormats", repaired=found.formats_answer)),
        identify.repository_name,
        identify.base_url,
        DAY,
        identify.earliest_datestamp,
        identify.deleted_record,
        found.formats,
        (),
    )


def _asked(options: Options, fetch: Fetch) -> tuple[Fetched, StaticRepository]:
    return asked(options, fetch, _address(options.url), read)


def _sound(found: StaticRepository) -> StaticRepository:
    """Return a document that keeps to the rules; raise NotStaticRepository for any other."""
    faults = list(found.faults)
    for records in found.lists:
        faults += faults_in(_slices(found, records))
    if faults:
        more = f" ({len(faults)} faults)" if len(faults) > 1 else ""
        raise NotStaticRepository(f"This is no valid Static Repository: {faults[0]}{more}")
    return found


def _slices(found: StaticRepository, records: Records) -> tuple[Slice, ...]:
    return cut(found, records, 0, len(records.places))[2]


def _records(found: StaticRepository, metadata_prefix: str) -> Records:
    records = found.records(metadata_prefix)
    if records is None:
        raise RemoteError((("cannotDisseminateFormat", f"The document has no records in {metadata_prefix}."),))
    return records


# --- its list -----------------------------------------------------------------------------------------------------


def changes(options: Options, cursor: Cursor, fetch: Fetch) -> Iterator[Step]:
    """Bring all records of one format, unless the document is the one that was read last; then what vanished."""
    state = _state_of(cursor.state)
    if state.is_read and options.window is None and (step := _unchanged(options, cursor, fetch, state)):
        yield step
        return
    fetched, found = _asked(options, fetch)
    _sound(found)
    digest = sha256(fetched.body).hexdigest()
    brought = state.brought if state.digest == digest and not state.is_read else 0
    now = _State(fetched.header("ETag"), fetched.header("Last-Modified"), digest, brought)
    yield from _Brought(options, cursor, fetched, found, now).steps()


def _unchanged(options: Options, cursor: Cursor, fetch: Fetch, state: _State) -> Step | None:
    """Ask whether the document has changed; return the only step when it has not."""
    known = (("If-None-Match", state.etag), ("If-Modified-Since", state.modified))
    headers = tuple(pair for pair in known if pair[1])
    if not headers:
        return None
    fetched = fetch(Request(_address(options.url), options.source, headers=headers))
    if fetched.status != HTTPStatus.NOT_MODIFIED and sha256(fetched.body).hexdigest() != state.digest:
        return None
    page = raw(options, cursor, "ListRecords", replace(fetched, body=b""))
    return Step(page, (), cursor, 0, end=ListEnd.PROPER, notes=("The document has not changed.",))


class _Brought:
    """The records of one document, page by page, and the deletions behind them."""

    def __init__(
        self, options: Options, cursor: Cursor, fetched: Fetched, found: StaticRepository, state: _State
    ) -> None:
        self.options, self.cursor, self.fetched, self.found, self.state = options, cursor, fetched, found, state
        self.records = _records(found, cursor.metadata_prefix)
        self.bounds = _bounds(options)

    def steps(self) -> Iterator[Step]:
        count = len(self.records.places)
        names: set[str] = set()
        for first in range(0, count, _RECORDS_A_PAGE):
            start, stop, slices = cut(self.found, self.records, first, first + _RECORDS_A_PAGE)
            names.update(each.identifier for each in slices)
            if first >= self.state.brought:
                wanted = tuple(each for each in slices if self._is_wanted(each))
                oddities = tuple(oddities_in(slices))
                yield self._step(self.found.text[start:stop], wanted, min(first + _RECORDS_A_PAGE, count), oddities)
        yield from self._end(count, names)

    def _is_wanted(self, found: Slice) -> bool:
        first, last = self.bounds
        return first <= found.datestamp and (not last or found.datestamp[: len(last)] <= last)

    def _step(self, body: bytes, slices: tuple[Slice, ...], brought: int, notes: tuple[str, ...]) -> Step:
        state = replace(self.state, brought=brought)
        count = len(self.records.places)
        page = self._page("ListRecords", body)
        return Step(page, slices, self._cursor(state), brought, (count, count), notes=notes)

    def _page(self, verb: str, body: bytes) -> RawPage:
        page = raw(self.options, self.cursor, verb, replace(self.fetched, body=body))
        return replace(page, repairs=self.found.repairs)

    def _cursor(self, state: _State) -> Cursor:
        if self.options.window is not None:  # a window leaves the harvest where it was
            return self.cursor
        return replace(self.cursor, state=json.dumps(asdict(state)))

    def _end(self, count: int, names: set[str]) -> Iterator[Step]:
        """Delete what vanished, unless that is too much to be believed."""
        held = vanished = 0
        gone: list[Slice] = []
        now = utc_datetime(self.fetched.received_at)
        if self.options.window is None:
            for each in self.options.holdings.items(self.cursor.metadata_prefix):
                if not each.is_deleted:
                    held += 1
                    vanished += each.identifier not in names
                    gone += [] if each.identifier in names else [Slice(each.identifier, now, (), True, 0, 0)]
        is_believed = vanished <= max(_FEW, _MOST_SHARE_VANISHED * held)
        doubts = () if is_believed else (_DOUBT.format(vanished, held, self.options.source),)
        done = self._cursor(replace(self.state, brought=count, is_read=is_believed))
        page = self._page("Sweep", b"")
        deleted = tuple(gone) if is_believed else ()
        yield Step(page, deleted, done, count + len(deleted), (count, count), ListEnd.PROPER, doubts)


_DOUBT = (
    "The document has lost {} of the {} records held, too many to be believed; "
    "`harvester source sweep {} --yes` deletes them."
)


def _bounds(options: Options) -> tuple[str, str]:
    first, last = options.window or ("", "")
    try:
        return bound(first or options.from_, DAY), bound(last or options.until, DAY, is_until=True)
    except ValueError as error:
        raise ConfigurationError(f"The dates to harvest are wrong: {error}.") from error


# --- what it still has --------------------------------------------------------------------------------------------


def listed(options: Options, cursor: Cursor, fetch: Fetch) -> Iterator[Listed]:
    """Name every record of one format."""
    found = _sound(_asked(options, fetch)[1])
    slices = _slices(found, _records(found, cursor.metadata_prefix))
    yield Listed(slices, len(slices), len(slices), is_last=True)


def single(options: Options, cursor: Cursor, identifier: str, fetch: Fetch) -> tuple[RawPage, tuple[Slice, ...]]:
    """Bring one record; without a slice when it is gone."""
    fetched, found = _asked(options, fetch)
    records = _records(found, cursor.metadata_prefix)
    place = next((place for place, each in enumerate(_slices(found, records)) if each.identifier == identifier), None)
    start, stop, slices = cut(found, records, *((0, 0) if place is None else (place, place + 1)))
    return raw(options, cursor, "ListRecords", replace(fetched, body=found.text[start:stop])), slices


def recognise(fetched: Fetched, fetch: Fetch) -> Recognised | None:
    """Look at the document itself."""
    url = fetched.url
    if url.endswith(".xml") and url.startswith("file:"):
        fetched = fetch(Request(_address(url)))
    if not looks_like_one(fetched.body):
        return None
    found = _sound(read(fetched.body, fetched.header("Content-Type")))
    prefixes = [each.metadata_prefix for each in found.lists]
    count = sum(len(each.places) for each in found.lists)
    wanted = ["oai_dc"] if "oai_dc" in prefixes else prefixes[:1]
    sentence = f"A Static Repository: {found.identify.repository_name}, {count} records in {', '.join(prefixes)}."
    return Recognised(sentence, {"url": url, "formats": wanted})


SOURCE = SourceKind(
    name="static_repository",
    sentence="A Static Repository of OAI: one XML document with all that a small repository has.",
    options=(
        Option("url", "The address of the document, or its path on this machine."),
        Option("formats", "The metadataPrefixes to harvest, each as a list of its own."),
        Option("from", "Nothing older is taken."),
        Option("until", "Nothing newer is taken."),
    ),
    describe=describe,
    changes=changes,
    listed=listed,
    single=single,
    recognise=recognise,
)
