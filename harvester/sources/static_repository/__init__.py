"""OAI Static Repositories: one complete document at an address, fetched again only when it has changed.

It announces no deletions: a stored record that is no longer in the document is deleted when the document is read. If
more than half of the stored records vanished, nothing is deleted until a sweep is confirmed.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from http import HTTPStatus
from typing import Self

from gateway.core.errors import ConnectionFailed, NotStaticRepository, RemoteError
from gateway.core.model import Cursor, RawPage, Slice
from gateway.core.xmltext import utc_datetime
from harvester.http.dates import DAY
from harvester.http.messages import Fetch, Fetched, Request, conditions, settled_date
from harvester.runtime.durable_files import AnonymousFile
from harvester.sources import Description, Listed, ListEnd, Option, Options, Recognised, SourceKind, Step
from harvester.sources.oai_pmh.description import identity_of
from harvester.sources.repeated_requests import fetch_answer, raw_page
from harvester.sources.state import State
from harvester.sources.static_repository.document import (
    Part,
    Records,
    StaticRepository,
    beginning_of,
    cut,
    is_static_repository,
    oddities_in,
    read,
)

MOST_BYTES = 2_000_000_000  # decompressed; the standard means repositories of a few thousand records
_GZIP, _GZIP_WINDOW = b"\x1f\x8b", 31
_STEP = 1 << 16  # bytes decompressed at once
_WINDOW = 256  # bytes read at once in a search for a mark
_TAKEN = (200, 206)
_BEGINNING = 65_536  # bytes with Identify and the formats
_MOST_BEGINNING = 10_000_000  # where a source has more formats than fit
_RECORDS_A_PAGE = 500
_MOST_SHARE_VANISHED = 0.5
_FEW = 10  # so many may vanish, whatever their share


class Spool:
    """A `Sink` for the body of an answer that then returns parts of it. The file is removed after the `with` block.

    It raises AnswerTooLarge for more than `most_bytes` bytes, and StoreUnwritable when the disk is full.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._engine: zlib._Decompress | None = None

    def __enter__(self) -> Self:
        self._file = AnonymousFile("the document", self._most)
        self._begin_anew()
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    @property
    def digest(self) -> str:
        """The SHA-256 of the received bytes, in hexadecimal."""
        return self._hash.hexdigest()

    # -- what comes --

    def headers(self) -> tuple[tuple[str, str], ...]:
        """Return no headers: the whole document is requested."""
        return ()

    def begin(self, answer: Fetched) -> bool:
        """Return True for a 200 or 206 and start again from an empty file; else False: the body stays in the answer."""
        self._begin_anew()
        return answer.status in _TAKEN

    def write(self, part: bytes) -> None:
        """Write the next bytes, decompressed. Raise ConnectionFailed when the compressed form is damaged."""
        if self._file.size == 0 and self._engine is None and part.startswith(_GZIP):
            self._engine = zlib.decompressobj(_GZIP_WINDOW)  # a compressed file that is served without Content-Encoding
        if self._engine is None:
            self._put(part)
            return
        try:
            while part:
                self._put(self._engine.decompress(part, _STEP))
                part = self._engine.unconsumed_tail
        except zlib.error as error:
            raise ConnectionFailed(f"The compressed document is damaged: {error}.") from error

    def _put(self, part: bytes) -> None:
        self._file.put(part)
        self._hash.update(part)

    def _begin_anew(self) -> None:
        self._file.clear()
        self._hash = sha256()
        self._engine = None

    # -- what is here --

    def __len__(self) -> int:
        return self._file.size

    def __getitem__(self, wanted: slice, /) -> bytes:
        start, stop, _ = wanted.indices(self._file.size)
        return os.pread(self._file.file.fileno(), max(0, stop - start), start)

    def index(self, mark: bytes, start: int, /) -> int:
        """Return the first offset of one byte from `start` on. Raise ValueError when there is none."""
        while part := self[start : start + _WINDOW]:
            if (place := part.find(mark)) >= 0:
                return start + place
            start += len(part)
        raise ValueError(mark)


@dataclass(frozen=True, slots=True)
class _State(State):
    """The document that was read last, and how many of its records were yielded; `is_read`: all of them."""

    etag: str = ""
    modified: str = ""
    digest: str = ""
    brought: int = 0
    is_read: bool = False


def _address(url: str) -> str:
    """Return the address of the document; for a local path, that of the file in it."""
    return f"{url}#{url.rpartition('/')[2]}" if url.startswith("file:") else url


# --- what it is ---------------------------------------------------------------------------------------------------


def describe(options: Options, fetch: Fetch) -> Description:
    """Return the description from Identify and the formats; of a long document, only the beginning is fetched.

    Raise NotStaticRepository when these break the rules, and the errors of `asked`.
    """
    whole = ("Accept-Encoding", "identity")  # a part of a compressed document cannot be read
    headers = (("Range", f"bytes=0-{_BEGINNING - 1}"), whole)
    with Spool() as spool:
        fetched = fetch(Request(_address(options.url), options.source, headers, sink=spool))
        is_there = fetched.status < HTTPStatus.MULTIPLE_CHOICES
        beginning = beginning_of((fetched.body or spool)[:_MOST_BEGINNING]) if is_there else None
        if beginning is None:
            fetched, repository = _asked(options, fetch, spool)
            beginning = beginning_of(repository.text[:_MOST_BEGINNING]) or repository.text[:]
    repository = _sound(read(beginning))
    page = raw_page(options, Cursor(options.source), "Identify", replace(fetched, body=beginning))
    identify = repository.identify
    return Description(
        (page, replace(page, verb="ListMetadataFormats", repaired=repository.formats_answer)),
        identify.repository_name,
        identify.base_url,
        DAY,
        identify.earliest_datestamp,
        identify.deleted_record,
        repository.formats,
        (),
        identity=identity_of(identify),
    )


def _asked(options: Options, fetch: Fetch, spool: Spool) -> tuple[Fetched, StaticRepository]:
    def parse(body: bytes, content_type: str) -> StaticRepository:
        return read(body or spool, content_type)  # a body that the spool did not take is in the answer

    return fetch_answer(options, fetch, _address(options.url), parse, sink=spool)


def _digest(fetched: Fetched, spool: Spool) -> str:
    return sha256(fetched.body).hexdigest() if fetched.body else spool.digest


def _sound(repository: StaticRepository) -> StaticRepository:
    """Return a document that follows the rules, apart from its records; raise NotStaticRepository for any other."""
    if repository.faults:
        more = f" ({len(repository.faults)} faults)" if len(repository.faults) > 1 else ""
        raise NotStaticRepository(f"This is not a valid Static Repository: {repository.faults[0]}{more}")
    return repository


def _parts(repository: StaticRepository, records: Records) -> Iterator[tuple[Slice, ...]]:
    """Return all records of a format, some at a time; one empty part when there are none."""
    for first in range(0, max(1, len(records.places)), _RECORDS_A_PAGE):
        yield cut(repository, records, first, first + _RECORDS_A_PAGE).slices


def _records(repository: StaticRepository, metadata_prefix: str) -> Records:
    records = repository.records(metadata_prefix)
    if records is None:
        raise RemoteError((("cannotDisseminateFormat", f"The document has no records in {metadata_prefix}."),))
    return records


# --- its list -----------------------------------------------------------------------------------------------------


def changes(options: Options, cursor: Cursor, fetch: Fetch) -> Iterator[Step]:
    """Yield all records of one format, then the deletions; one empty step when the document has not changed.

    Raise the errors of `describe`, and RemoteError when the document has no list in this format.
    """
    state = _State.read(cursor.state)
    if state.is_read and options.window is None and (step := _unchanged(options, cursor, fetch, state)):
        yield step
        return
    with Spool() as spool:
        fetched, repository = _asked(options, fetch, spool)
        _sound(repository)
        digest = _digest(fetched, spool)
        brought = state.brought if state.digest == digest and not state.is_read else 0
        now = _State(fetched.header("ETag"), settled_date(fetched), digest, brought)
        yield from _Brought(options, cursor, fetched, repository, now).steps()


def _unchanged(options: Options, cursor: Cursor, fetch: Fetch, state: _State) -> Step | None:
    """Return the only step when the document has not changed, else None."""
    headers = conditions(state.etag, state.modified)
    if not headers:
        return None
    with Spool() as spool:
        fetched = fetch(Request(_address(options.url), options.source, headers, sink=spool))
        if fetched.status != HTTPStatus.NOT_MODIFIED and _digest(fetched, spool) != state.digest:
            return None
    page = raw_page(options, cursor, "ListRecords", replace(fetched, body=b""))
    return Step(page, (), cursor, 0, end=ListEnd.PROPER, notes=("The document has not changed.",))


class _Brought:
    """The records of one document, page by page, and then the deletions."""

    def __init__(
        self, options: Options, cursor: Cursor, fetched: Fetched, repository: StaticRepository, state: _State
    ) -> None:
        self.options, self.cursor, self.fetched = options, cursor, fetched
        self.repository, self.state = repository, state
        self.records = _records(repository, cursor.metadata_prefix)
        self.bounds = options.bounds(DAY)

    def steps(self) -> Iterator[Step]:
        count = len(self.records.places)
        names: set[str] = set()
        for first in range(0, count, _RECORDS_A_PAGE):
            part = cut(self.repository, self.records, first, first + _RECORDS_A_PAGE)
            names.update(record.identifier for record in part.slices)
            if first >= self.state.brought:
                yield self._step(part, min(first + _RECORDS_A_PAGE, count))
        yield from self._end(count, names)

    def _is_wanted(self, slice_: Slice) -> bool:
        first, last = self.bounds
        return first <= slice_.datestamp and (not last or slice_.datestamp[: len(last)] <= last)

    def _step(self, part: Part, brought: int) -> Step:
        state = replace(self.state, brought=brought)
        count = len(self.records.places)
        page = self._page("ListRecords", self.repository.text[part.start : part.stop])
        page = replace(page, repaired=part.repaired, repairs=(*page.repairs, *part.repairs))
        wanted = tuple(record for record in part.slices if self._is_wanted(record))
        return Step(page, wanted, self._cursor(state), brought, (count, count), notes=tuple(oddities_in(part.slices)))

    def _page(self, verb: str, body: bytes) -> RawPage:
        page = raw_page(self.options, self.cursor, verb, replace(self.fetched, body=body))
        return replace(page, repairs=self.repository.repairs)

    def _cursor(self, state: _State) -> Cursor:
        if self.options.window is not None:  # a window does not move the harvest
            return self.cursor
        return replace(self.cursor, state=state.text)

    def _end(self, count: int, names: set[str]) -> Iterator[Step]:
        """Yield the deletions of vanished records, unless these are too many."""
        held = vanished = 0
        gone: list[Slice] = []
        now = utc_datetime(self.fetched.received_at)
        if self.options.window is None:
            for held_item in self.options.holdings.items(self.cursor.metadata_prefix):
                if not held_item.is_deleted:
                    held += 1
                    vanished += held_item.identifier not in names
                    gone += [] if held_item.identifier in names else [Slice(held_item.identifier, now, (), True, 0, 0)]
        is_few = vanished <= max(_FEW, _MOST_SHARE_VANISHED * held)
        doubts = [] if is_few else [_DOUBT.format(vanished, held, self.options.source)]
        doubts += [_NAMELESS] if vanished and "" in names else []
        is_believed = not doubts
        done = self._cursor(replace(self.state, brought=count, is_read=is_believed))
        page = self._page("Sweep", b"")
        deleted = tuple(gone) if is_believed else ()
        yield Step(page, deleted, done, count + len(deleted), (count, count), ListEnd.PROPER, tuple(doubts))


_NAMELESS = "A record of the document has no identifier, so records that are not in it are not deleted."
_DOUBT = (
    "The document lacks {} of the {} stored records, which may be an error, so nothing is deleted. "
    "To delete them, run `harvester source sweep {} --yes`."
)


# --- what it still has --------------------------------------------------------------------------------------------


def listed(options: Options, cursor: Cursor, fetch: Fetch) -> Iterator[Listed]:
    """Yield every record of one format, by header. Raise the errors of `changes`."""
    with Spool() as spool:
        repository = _sound(_asked(options, fetch, spool)[1])
        records = _records(repository, cursor.metadata_prefix)
        count = len(records.places)
        for number, slices in enumerate(_parts(repository, records), 1):
            received = min(number * _RECORDS_A_PAGE, count)
            doubts = () if all(record.identifier for record in slices) else (_NAMELESS,)
            yield Listed(slices, received, count, is_last=received == count, doubts=doubts)


def single(options: Options, cursor: Cursor, identifier: str, fetch: Fetch) -> tuple[RawPage, tuple[Slice, ...]]:
    """Return one record; without a slice when it is gone. Raise the errors of `changes`."""
    with Spool() as spool:
        fetched, repository = _asked(options, fetch, spool)
        records = _records(repository, cursor.metadata_prefix)
        names = (record.identifier for slices in _parts(repository, records) for record in slices)
        place = next((place for place, name in enumerate(names) if name == identifier), None)
        part = cut(repository, records, *((0, 0) if place is None else (place, place + 1)))
        body = repository.text[part.start : part.stop]
        return raw_page(options, cursor, "ListRecords", replace(fetched, body=body), part), part.slices


def recognise(fetched: Fetched, fetch: Fetch) -> Recognised | None:
    """Return the source when the answer is a Static Repository, else None.

    Raise the errors of `read`, also NotStaticRepository when it breaks the rules, and those of `fetch`.
    """
    url = fetched.url
    is_part = fetched.status == HTTPStatus.PARTIAL_CONTENT  # the beginning of a long one
    if is_part and not is_static_repository(fetched.body):
        return None
    with Spool() as spool:
        if is_part or (url.endswith(".xml") and url.startswith("file:")):
            fetched = fetch(Request(_address(url), sink=spool))
        text = fetched.body or spool
        if not is_static_repository(text[:_BEGINNING]):
            return None
        repository = _sound(read(text, fetched.header("Content-Type")))
    prefixes = [listed.metadata_prefix for listed in repository.lists]
    count = sum(len(listed.places) for listed in repository.lists)
    wanted = ["oai_dc"] if "oai_dc" in prefixes else prefixes[:1]
    sentence = f"A Static Repository: {repository.identify.repository_name}, {count} records in {', '.join(prefixes)}."
    return Recognised(sentence, {"url": url, "formats": wanted})


SOURCE = SourceKind(
    name="static_repository",
    sentence="An OAI Static Repository: one XML document with all records of a small repository.",
    options=(
        Option("url", "The address of the document, or its path on this machine."),
        Option("formats", "The metadataPrefixes to harvest, each as a list of its own."),
        Option("from", "The date of the oldest records to take."),
        Option("until", "The date of the newest records to take."),
    ),
    describe=describe,
    changes=changes,
    listed=listed,
    single=single,
    recognise=recognise,
)
