"""Files: one file, a folder or an archive of answers, dumps, bare records, DIDL documents or JSON lines.

They are on this machine or at an address; `fetch` returns them. Folders of metha are read too: `metha_folder`.

Files are read one by one in the order of their names, those of metha from the newest window on, long ones part by part.
Their content is stored. If nothing in the folder has changed since the last run, nothing is read.
"""

import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from http import HTTPStatus
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import quote, unquote, urlsplit

from gateway.core.errors import AnswerError, AnswerTooLarge, ConnectionFailed, RemoteRefuses
from gateway.core.model import Cursor, Format, RawPage, Slice
from harvester.http.archives import names_in, unpacked_beginning
from harvester.http.dates import SECONDS, moment_of
from harvester.http.messages import Fetch, Fetched, Request
from harvester.sources import Description, Listed, ListEnd, Option, Options, Recognised, SourceKind, Step
from harvester.sources.files.metha_folder import (
    Newer,
    fields_of,
    harvest_at,
    has_next,
    missing,
    newest_first,
    refuse_cache,
)
from harvester.sources.files.records import DUMP, Cut, cut_document, cut_dump, cut_lines, records_in, requested_prefix
from harvester.sources.oai_pmh.answers import ListAnswer
from harvester.sources.repeated_requests import raw_page
from harvester.sources.state import ListParts, State
from harvester.sources.static_repository.document import is_static_repository

_PART = 4_000_000  # bytes of a long file that are read at once
_MOST = 256_000_000  # bytes of one record; a file with a longer one is abandoned
_SUFFIXES = (".xml", ".didl", ".mods", ".mets", ".jsonl", ".ndjson")
_LINES = (".jsonl", ".ndjson")
OF_ONE_FILE = (AnswerError, AnswerTooLarge, ConnectionFailed, RemoteRefuses)  # errors of one file
_MOST_NAMES = 20  # in a message
_SAMPLED = 20  # files whose requests are read before a harvest, spread over all
_BEGINNING = 10_000  # bytes of each
_COMPRESSED = (".gz", ".zst")  # each file alone
_PACKED = (".zip", ".tar", ".tgz", ".tbz", ".tbz2", ".txz", ".gz", ".bz2", ".xz", ".zst", ".7z")


@dataclass(frozen=True, slots=True)
class _State(State):
    """The progress: the file, the offset in it, its list. `listing`: the files of the last complete reading.

    `begun`: the files at the start of this reading. Files added later are read next time.

    `as_of` is the second since which changes are not in the files: that of their first answer, or else the newest
    datestamp.
    """

    name: str = ""
    place: int = 0
    prefix: str = ""
    received: int = 0
    answered: int = 0
    newest: int = 0
    listing: str = ""
    begun: str = ""
    parts: str = ""  # `ListParts` as JSON

    @property
    def as_of(self) -> int:
        return self.answered or self.newest


def as_of(state: str) -> int:
    """Return the second since which a source must be harvested beside its files; 0 when unknown."""
    return _State.read(state).as_of


def is_reading(state: str) -> bool:
    """Return whether a state shows that reading of files has begun."""
    return _State.read(state) != _State()


class _Named(NamedTuple):
    """The files to read as (name, bytes, second of the last change), and the names of the others.

    `packed` are archives among them, which may contain records and are not opened. `unread` are names that may be those
    of records, with the reason.
    """

    fetched: Fetched
    files: list[tuple[str, int, int]]
    packed: list[str]
    others: list[str]
    unread: list[str]

    @property
    def doubts(self) -> tuple[str, ...]:
        archives_note = "Archives among the files are not opened, and may contain records: {}, such as {}. Unpack them."
        packed = (archives_note.format(len(self.packed), self.packed[0]),) if self.packed else ()
        lost = missing(name for name, _, _ in self.files)
        archives_note = "Files of metha are missing: {}, such as {}. Harvest that window again."
        return (*packed, *((archives_note.format(len(lost), lost[0]),) if lost else ()), *self._passed_over)

    @property
    def _passed_over(self) -> tuple[str, ...]:
        if not self.unread:
            return ()
        further = f", and {len(self.unread) - _MOST_NAMES} more" if len(self.unread) > _MOST_NAMES else ""
        return (f"Files that may contain records are not read: {', '.join(self.unread[:_MOST_NAMES])}{further}.",)

    @property
    def notes(self) -> tuple[str, ...]:
        others_note = "Files that are not {} are not read: {}, such as {}."
        return (others_note.format(" or ".join(_SUFFIXES), len(self.others), self.others[0]),) if self.others else ()


def _named(options: Options, fetch: Fetch) -> _Named:
    fetched = fetch(Request(options.url, options.source))
    named_files = _Named(fetched, [], [], [], [])
    for entry in json.loads(fetched.body):
        if isinstance(entry, dict):
            _add_unread(named_files, **entry)
            continue
        name, size, second = entry
        if _is_read(str(name)):
            named_files.files.append((str(name), int(size), int(second)))
        else:
            (named_files.packed if str(name).lower().endswith(_PACKED) else named_files.others).append(str(name))
    return named_files


def _add_unread(named_files: _Named, name: str, why: str, target: str) -> None:
    """Add a name that is not read, unless the file to which it links is. Hidden files of the system are ignored."""
    if _may_have_records(name):
        if not _may_have_records(target):
            named_files.unread.append(f"{name} ({why})")
    elif not name.rpartition("/")[2].startswith("."):
        named_files.others.append(name)


def _may_have_records(name: str) -> bool:
    return name.endswith("/") or _is_read(name) or name.lower().endswith(_PACKED)


def _is_read(name: str) -> bool:
    return _plain(name).endswith(_SUFFIXES)


def _plain(name: str) -> str:
    """Return a name in lower case without the suffix of its compression."""
    plain = name.lower()
    return next((plain.removesuffix(suffix) for suffix in _COMPRESSED if plain.endswith(suffix)), plain)


def describe(options: Options, fetch: Fetch) -> Description:
    """Return the description from the list of files. Raise RemoteRefuses when there is none to read.

    Raise ConfigurationError as `refuse_cache` does.
    """
    named_files = _named(options, fetch)
    refuse_cache(options.url, (name for name, _, _ in named_files.files))
    if not named_files.files:
        raise RemoteRefuses(
            f"{options.url} has no file to read. Files need a suffix: {', '.join(_SUFFIXES)}, also with .gz or .zst."
            f"{''.join(f' {doubt}' for doubt in named_files.doubts)}"
        )
    page = raw_page(options, Cursor(options.source), "list", named_files.fetched)
    formats, note = _formats(options, fetch, named_files)
    name = f"{options.url.rpartition('/')[2]}: {len(named_files.files)} files"
    return Description(
        (page,), name, options.url, SECONDS, "", "no", formats, (), (*named_files.doubts, *named_files.notes, *note)
    )


def _formats(options: Options, fetch: Fetch, named_files: _Named) -> tuple[tuple[Format, ...], tuple[str, ...]]:
    """Return the metadataPrefixes in the requests of some answers, and a note where only some files state one.

    Then there are no formats: records that state none have any format that is asked for.
    """
    names = sorted(name for name, _, _ in named_files.files)
    wanted = (("Range", f"bytes=0-{_BEGINNING - 1}"),)
    prefixes = []
    for name in names[:: -(-len(names) // _SAMPLED)]:
        body = fetch(Request(f"{options.url}#{quote(name)}", options.source, wanted)).body
        prefixes.append(requested_prefix(body))
    stated = [prefix for prefix in dict.fromkeys(prefixes) if prefix]
    if all(prefixes):
        return tuple(Format(prefix, "", "") for prefix in stated), ()
    note = f"Some files state a metadataPrefix, and are read only if `formats` names it: {', '.join(stated)}."
    return (), (note,) if stated else ()


# --- its list -----------------------------------------------------------------------------------------------------


def changes(options: Options, cursor: Cursor, fetch: Fetch) -> Iterator[Step]:
    """Yield the records of every file, from the cursor on; one empty step when nothing has changed.

    An unreadable file is a doubt. Raise ConfigurationError for a cache of metha, and the errors of `fetch`.
    """
    return _changes(options, cursor, fetch, newest_first)


def _changes(options: Options, cursor: Cursor, fetch: Fetch, turn: Callable[[str], Any]) -> Iterator[Step]:
    """Yield the records of every file, sorted by the key `turn` of their names."""
    named_files = _named(options, fetch)
    fetched = named_files.fetched
    listing = sha256(fetched.body).hexdigest()
    state = _State.read(cursor.state)
    if state.listing == listing and options.window is None:
        page = raw_page(options, cursor, "list", replace(fetched, body=b""))
        yield Step(page, (), cursor, 0, end=ListEnd.PROPER, doubts=named_files.doubts, notes=("Nothing has changed.",))
        return
    begun = state if state.begun and not state.listing else _State(begun=listing)
    reading = _Reading(options, cursor, fetch, begun, {name for name, _, _ in named_files.files})
    reading.newer = Newer() if turn is newest_first else None
    failures = 0
    for name, _, second in sorted(named_files.files, key=lambda file: turn(file[0])):
        if reading.state.name and turn(name) < turn(reading.state.name):
            continue
        try:
            yield from reading.steps(name, second)
        except OF_ONE_FILE as error:  # other files may be readable
            failures += 1
            if failures == len(named_files.files):
                raise
            reading.doubts.append(f"{name} cannot be read: {error}")
    # With doubts, everything is read again the next time.
    reading.doubts += reading.parts.doubts
    done = _State() if reading.doubts else replace(reading.state, listing=reading.state.begun)
    page = raw_page(options, cursor, "list", fetched)
    received = reading.state.received
    doubts = (*named_files.doubts, *reading.doubts)
    yield Step(page, (), reading.at(done), received, (received, received), ListEnd.PROPER, doubts)


# Takes a part of a long file and whether it is the last; returns the records, and the start of the rest.
_CutPart: TypeAlias = Callable[[bytes, bool], tuple[Cut, int]]


class _Reading:
    """The reading of all files in order; `state` is its progress."""

    def __init__(self, options: Options, cursor: Cursor, fetch: Fetch, state: _State, names: Collection[str]) -> None:
        self.options, self.cursor, self.fetch, self.state = options, cursor, fetch, state
        self.names = names
        harvest = harvest_at(options.url)
        # A harvest of one set contains its records, even where their headers do not name it.
        self.is_all_in_set = harvest is not None and cursor.set_spec == harvest.set_spec
        self.doubts: list[str] = []
        self.newer: Newer | None = None  # when the newest files are read first

    def at(self, state: _State) -> Cursor:
        if self.options.window is not None:
            return self.cursor
        return replace(self.cursor, state=state.text)

    def steps(self, name: str, second: int) -> Iterator[Step]:
        if name != self.state.name:
            self.state = replace(self.state, name=name, place=0, prefix="")
        if _plain(name).endswith(_LINES):
            yield from self._parts(name, self._lines)
        elif DUMP.match(self._part(name, 0, 4000).body):
            yield from self._parts(name, self._dump)
        elif self.state.place == 0:
            fetched = self.fetch(Request(self._url(name), self.options.source))
            cut_ = cut_document(fetched.body, name, second)
            self.doubts += [f"{name}: {cut_.doubt}"] if cut_.doubt else []
            if cut_.answer is not None:
                self._add_part(name, fetched.body, cut_.answer)
            yield self._step(fetched, cut_, len(fetched.body) or 1)

    @property
    def parts(self) -> ListParts:
        return ListParts.read(self.state.parts)

    def _add_part(self, name: str, body: bytes, answer: ListAnswer) -> None:
        self.doubts += [
            f"{name} has no records but an error: {code}: {words}"[:300]
            for code, words in answer.errors
            if code != "noRecordsMatch"
        ]
        if answer.verb != "ListRecords":
            if answer.token and answer.token.text and not has_next(name, self.names):
                self.doubts.append(f"{name} ends with a resumptionToken, and no file has the next answer.")
            return
        self.state = replace(self.state, parts=self.parts.after(name, body, answer).text)

    def _url(self, name: str) -> str:
        return f"{self.options.url}#{quote(name)}"

    def _part(self, name: str, first: int, size: int) -> Fetched:
        wanted = (("Range", f"bytes={first}-{first + size - 1}"),)
        return self.fetch(Request(self._url(name), self.options.source, wanted))

    def _parts(self, name: str, cut: _CutPart) -> Iterator[Step]:
        """Yield the records of a long file part by part; a longer record makes the part longer.

        The rest of a part is kept here: a step back in a compressed file would unpack it from its beginning.
        """
        size, left = _PART, b""
        while True:
            fetched = self._part(name, self.state.place + len(left), size)
            body, is_last = left + fetched.body, len(fetched.body) < size
            slices, rest = cut(body, is_last)
            left = body[rest:]
            if rest == 0 and not is_last:
                size *= 2
                if size > _MOST:
                    raise RemoteRefuses(f"{name} has a record of more than {_MOST} bytes.")
                continue
            self.state = replace(self.state, prefix=slices.prefix)
            yield self._step(replace(fetched, body=body[:rest]), slices, self.state.place + rest)
            if is_last and not left:
                if cut == self._dump and body and not body.rstrip().endswith(b"</harvest>"):
                    self.doubts.append(f"{name} is truncated: the dump is not complete.")
                return
            size = _PART

    def _dump(self, part: bytes, is_last: bool) -> tuple[Cut, int]:
        return cut_dump(part, self.state.prefix, is_last=is_last)

    def _lines(self, part: bytes, is_last: bool) -> tuple[Cut, int]:
        slices, text, rest = cut_lines(part, is_last=is_last)
        wanted = (slice_ for prefix, slice_ in slices if prefix in ("", self.cursor.metadata_prefix))
        return Cut(tuple(wanted), "", text), rest

    def _step(self, fetched: Fetched, cut_: Cut, place: int) -> Step:
        is_wanted = cut_.prefix in ("", self.cursor.metadata_prefix)
        slices = cut_.slices if is_wanted else ()
        slices = tuple(record for record in slices if self._is_in_set(record))
        if self.newer is not None:
            slices = self.newer.without(self.state.name, slices)
        self.state = replace(
            self.state,
            place=place,
            received=self.state.received + len(slices),
            answered=min(filter(None, (self.state.answered, cut_.moment)), default=0),
            newest=max([self.state.newest, *(moment_of(record.datestamp) or 0 for record in slices)]),
        )
        page = raw_page(self.options, self.cursor, "file", fetched, cut_)
        passed = () if is_wanted or not cut_.slices else (f"{len(cut_.slices)} records in {cut_.prefix} are not read.",)
        losses = cut_.answer.losses if cut_.answer else ()
        return Step(page, slices, self.at(self.state), self.state.received, notes=passed, losses=losses)

    def _is_in_set(self, slice_: Slice) -> bool:
        spec = self.cursor.set_spec
        return not spec or self.is_all_in_set or any(f"{set_spec}:".startswith(f"{spec}:") for set_spec in slice_.sets)


# --- what there is ------------------------------------------------------------------------------------------------


def listed(options: Options, cursor: Cursor, fetch: Fetch) -> Iterator[Listed]:
    """Yield every record in the files, by header. Raise the errors of `changes`."""
    received = 0
    for step in _changes(options, replace(cursor, state=""), fetch, str):
        received += len(step.slices)
        yield Listed(step.slices, received, None, step.is_last, (*step.doubts, *_unnamed(step)))


def _unnamed(step: Step) -> Iterator[str]:
    """Return why the records of a file are not all known: it is unreadable, or records have no identifier."""
    _, _, name = step.page.url.partition("#")
    for record in step.slices:
        if record.problem and quote(record.identifier) in ("", name):
            yield f"The records of {unquote(name)} are not all known. {record.problem}"


def single(options: Options, cursor: Cursor, identifier: str, fetch: Fetch) -> tuple[RawPage, tuple[Slice, ...]]:
    """Return the last record of an identifier; without a slice when there is none. Raise the errors of `changes`."""
    bundle: tuple[RawPage, tuple[Slice, ...]] | None = None
    for step in _changes(options, replace(cursor, state=""), fetch, str):
        slices = tuple(record for record in step.slices if record.identifier == identifier)
        if slices or bundle is None:
            bundle = step.page, slices[-1:]
    assert bundle is not None  # there is a last step at least
    return bundle


def recognise(fetched: Fetched, fetch: Fetch) -> Recognised | None:
    """Return the source for a local path with readable files, or for an archive or a file at an address; else None.

    Raise ConfigurationError as `refuse_cache` does.
    """
    if not fetched.url.startswith("file:"):
        names = list(filter(_is_read, names_in(fetched.body)))
        sentence = f"An archive of files such as {names[0]}." if names else _sentence_about(fetched)
        return Recognised(sentence, {"url": fetched.url}) if sentence else None
    files = _named(Options("", fetched.url), fetch).files
    refuse_cache(fetched.url, (name for name, _, _ in files))
    if not files or (len(files) == 1 and _is_static_repository(fetched.url, files[0][0], fetch)):
        return None
    of_metha = " of metha" if harvest_at(fetched.url) else ""
    sentence = f"{len(files)} files{of_metha}, from {files[0][0]} to {files[-1][0]}."
    return Recognised(sentence, {"url": fetched.url, **fields_of(fetched.url)})


def _sentence_about(fetched: Fetched) -> str:
    """Return a sentence about a file at an address; empty when it has no records."""
    address = urlsplit(fetched.url)
    name = _plain(address.path)
    if address.query or not _is_read(name) or fetched.status >= HTTPStatus.MULTIPLE_CHOICES:
        return ""
    body = fetched.body if name == address.path.lower() else unpacked_beginning(fetched.body, _PART)
    if name.endswith(_LINES):
        lines, _, _ = cut_lines(body, is_last=b"\n" not in body)
        return "A file of JSON lines." if any(not slice_.problem for _, slice_ in lines) else ""
    if DUMP.match(body):
        return "A dump of a repository."
    count = 0 if is_static_repository(body) else records_in(body)
    return f"A file of answers or records: {count}." if count else ""


def _is_static_repository(url: str, name: str, fetch: Fetch) -> bool:
    beginning = (("Range", "bytes=0-3999"),)
    return is_static_repository(fetch(Request(f"{url}#{quote(name)}", headers=beginning)).body)


SOURCE = SourceKind(
    name="files",
    sentence="Files on this machine or at an address: answers of OAI-PMH, dumps, records, DIDL, JSON lines.",
    options=(
        Option("url", "The path of a file, a folder or an archive (ZIP, tar), or the address of a file or an archive."),
        Option("formats", "The metadataPrefix of the records to read; records that state none have it."),
        Option("sets", "The setSpecs to read; none: everything."),
        Option("base_url", "The base URL of the repository, for provenance instead of the path.", "text"),
    ),
    describe=describe,
    changes=changes,
    listed=listed,
    single=single,
    recognise=recognise,
    is_repository=False,
    fields_of=fields_of,
)
