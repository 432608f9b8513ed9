"""OAI Static Repositories: a document at an address, whole each time, and asked for again only when it has changed.

It tells of no deletions: what was held and does not stand in it any more is deleted when it is read. A document that
has lost more than half of what is held is not believed; a sweep is asked then whether it may be.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from http import HTTPStatus

from gateway.errors import ConfigurationError, NotStaticRepository, RemoteError
from gateway.model import Cursor, RawPage, Slice
from gateway.xmltext import utc_datetime
from harvester.sources import Description, Listed, ListEnd, Option, Options, Recognised, SourceKind, Step
from harvester.sources._asking import asked, raw
from harvester.sources._spool import Spool
from harvester.sources._state import State
from harvester.wire.dates import DAY, bound
from harvester.wire.http import Fetch, Fetched, Request, settled_date
from harvester.wire.identity import identity_of
from harvester.wire.static_repository import (
    Part,
    Records,
    StaticRepository,
    beginning_of,
    cut,
    looks_like_one,
    oddities_in,
    read,
)

_BEGINNING = 65_536  # bytes: Identify and the formats stand there
_MOST_BEGINNING = 10_000_000  # where a source has more formats than that has room for
_RECORDS_A_PAGE = 500
_MOST_SHARE_VANISHED = 0.5
_FEW = 10  # so many may vanish whatever share they are


@dataclass(frozen=True, slots=True)
class _State(State):
    """Which document was read last, and how many of its records were brought; `is_read`: all of them."""

    etag: str = ""
    modified: str = ""
    digest: str = ""
    brought: int = 0
    is_read: bool = False


def _address(url: str) -> str:
    """Return where the document is; of a path on this machine, the file itself."""
    return f"{url}#{url.rpartition('/')[2]}" if url.startswith("file:") else url


# --- what it is ---------------------------------------------------------------------------------------------------


def describe(options: Options, fetch: Fetch) -> Description:
    """Read Identify and the formats; of a long document, only its beginning is asked for.

    Raise NotStaticRepository, saying what is wrong with them.
    """
    whole = ("Accept-Encoding", "identity")  # a part of something compressed could not be read
    headers = (("Range", f"bytes=0-{_BEGINNING - 1}"), whole)
    with Spool() as spool:
        fetched = fetch(Request(_address(options.url), options.source, headers, sink=spool))
        is_there = fetched.status < HTTPStatus.MULTIPLE_CHOICES
        beginning = beginning_of((fetched.body or spool)[:_MOST_BEGINNING]) if is_there else None
        if beginning is None:
            fetched, found = _asked(options, fetch, spool)
            beginning = beginning_of(found.text[:_MOST_BEGINNING]) or found.text[:]
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
        identity=identity_of(identify),
    )


def _asked(options: Options, fetch: Fetch, spool: Spool) -> tuple[Fetched, StaticRepository]:
    def parse(body: bytes, content_type: str) -> StaticRepository:
        return read(body or spool, content_type)  # what the spool has not taken is in the answer

    return asked(options, fetch, _address(options.url), parse, sink=spool)


def _digest(fetched: Fetched, spool: Spool) -> str:
    return sha256(fetched.body).hexdigest() if fetched.body else spool.digest


def _sound(found: StaticRepository) -> StaticRepository:
    """Return a document that keeps to the rules, whatever its records do; raise NotStaticRepository for any other."""
    if found.faults:
        more = f" ({len(found.faults)} faults)" if len(found.faults) > 1 else ""
        raise NotStaticRepository(f"This is no valid Static Repository: {found.faults[0]}{more}")
    return found


def _parts(found: StaticRepository, records: Records) -> Iterator[tuple[Slice, ...]]:
    """Return all records of a format, some at a time; once none when there are none."""
    for first in range(0, max(1, len(records.places)), _RECORDS_A_PAGE):
        yield cut(found, records, first, first + _RECORDS_A_PAGE).slices


def _records(found: StaticRepository, metadata_prefix: str) -> Records:
    records = found.records(metadata_prefix)
    if records is None:
        raise RemoteError((("cannotDisseminateFormat", f"The document has no records in {metadata_prefix}."),))
    return records


# --- its list -----------------------------------------------------------------------------------------------------


def changes(options: Options, cursor: Cursor, fetch: Fetch) -> Iterator[Step]:
    """Bring all records of one format, unless the document is the one that was read last; then what vanished."""
    state = _State.read(cursor.state)
    if state.is_read and options.window is None and (step := _unchanged(options, cursor, fetch, state)):
        yield step
        return
    with Spool() as spool:
        fetched, found = _asked(options, fetch, spool)
        _sound(found)
        digest = _digest(fetched, spool)
        brought = state.brought if state.digest == digest and not state.is_read else 0
        now = _State(fetched.header("ETag"), settled_date(fetched), digest, brought)
        yield from _Brought(options, cursor, fetched, found, now).steps()


def _unchanged(options: Options, cursor: Cursor, fetch: Fetch, state: _State) -> Step | None:
    """Ask whether the document has changed; return the only step when it has not."""
    known = (("If-None-Match", state.etag), ("If-Modified-Since", state.modified))
    headers = tuple(pair for pair in known if pair[1])
    if not headers:
        return None
    with Spool() as spool:
        fetched = fetch(Request(_address(options.url), options.source, headers, sink=spool))
        if fetched.status != HTTPStatus.NOT_MODIFIED and _digest(fetched, spool) != state.digest:
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
            part = cut(self.found, self.records, first, first + _RECORDS_A_PAGE)
            names.update(each.identifier for each in part.slices)
            if first >= self.state.brought:
                yield self._step(part, min(first + _RECORDS_A_PAGE, count))
        yield from self._end(count, names)

    def _is_wanted(self, found: Slice) -> bool:
        first, last = self.bounds
        return first <= found.datestamp and (not last or found.datestamp[: len(last)] <= last)

    def _step(self, part: Part, brought: int) -> Step:
        state = replace(self.state, brought=brought)
        count = len(self.records.places)
        page = self._page("ListRecords", self.found.text[part.start : part.stop])
        page = replace(page, repaired=part.repaired, repairs=(*page.repairs, *part.repairs))
        wanted = tuple(each for each in part.slices if self._is_wanted(each))
        return Step(page, wanted, self._cursor(state), brought, (count, count), notes=tuple(oddities_in(part.slices)))

    def _page(self, verb: str, body: bytes) -> RawPage:
        page = raw(self.options, self.cursor, verb, replace(self.fetched, body=body))
        return replace(page, repairs=self.found.repairs)

    def _cursor(self, state: _State) -> Cursor:
        if self.options.window is not None:  # a window leaves the harvest where it was
            return self.cursor
        return replace(self.cursor, state=state.text)

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
        is_few = vanished <= max(_FEW, _MOST_SHARE_VANISHED * held)
        doubts = [] if is_few else [_DOUBT.format(vanished, held, self.options.source)]
        doubts += [_NAMELESS] if vanished and "" in names else []
        is_believed = not doubts
        done = self._cursor(replace(self.state, brought=count, is_read=is_believed))
        page = self._page("Sweep", b"")
        deleted = tuple(gone) if is_believed else ()
        yield Step(page, deleted, done, count + len(deleted), (count, count), ListEnd.PROPER, tuple(doubts))


_NAMELESS = "A record of the document does not say which one it is, so what is not named there is not deleted."
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
    with Spool() as spool:
        found = _sound(_asked(options, fetch, spool)[1])
        records = _records(found, cursor.metadata_prefix)
        count = len(records.places)
        for number, slices in enumerate(_parts(found, records), 1):
            received = min(number * _RECORDS_A_PAGE, count)
            doubts = () if all(each.identifier for each in slices) else (_NAMELESS,)
            yield Listed(slices, received, count, is_last=received == count, doubts=doubts)


def single(options: Options, cursor: Cursor, identifier: str, fetch: Fetch) -> tuple[RawPage, tuple[Slice, ...]]:
    """Bring one record; without a slice when it is gone."""
    with Spool() as spool:
        fetched, found = _asked(options, fetch, spool)
        records = _records(found, cursor.metadata_prefix)
        names = (each.identifier for slices in _parts(found, records) for each in slices)
        place = next((place for place, each in enumerate(names) if each == identifier), None)
        part = cut(found, records, *((0, 0) if place is None else (place, place + 1)))
        body = found.text[part.start : part.stop]
        return raw(options, cursor, "ListRecords", replace(fetched, body=body), part), part.slices


def recognise(fetched: Fetched, fetch: Fetch) -> Recognised | None:
    """Look at the document itself."""
    url = fetched.url
    is_part = fetched.status == HTTPStatus.PARTIAL_CONTENT  # the beginning of a long one
    if is_part and not looks_like_one(fetched.body):
        return None
    with Spool() as spool:
        if is_part or (url.endswith(".xml") and url.startswith("file:")):
            fetched = fetch(Request(_address(url), sink=spool))
        text = fetched.body or spool
        if not looks_like_one(text[:_BEGINNING]):
            return None
        found = _sound(read(text, fetched.header("Content-Type")))
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
