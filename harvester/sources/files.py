"""Files: one file, a folder or an archive of answers, dumps, bare records, DIDL documents or JSON lines.

They lie on this machine, or at an address, from which whoever is handed in as `fetch` brings them. Folders that metha
made are read as they lie: `_metha`.

Files are read one by one in the order of their names, those of metha from the newest window on, long ones part by part;
what is kept is what they hold. When nothing in the folder has changed since it was read, nothing is read again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from http import HTTPStatus
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import quote, unquote, urlsplit

from gateway.errors import AnswerError, AnswerTooLarge, ConnectionFailed, RemoteRefuses
from gateway.model import Cursor, RawPage, Slice
from harvester.sources import Description, Listed, ListEnd, Option, Options, Recognised, SourceKind, Step
from harvester.sources._asking import raw
from harvester.sources._list_parts import ListParts
from harvester.sources._metha import Newer, fields_of, harvest_at, has_next, missing, newest_first, refuse_cache
from harvester.sources._state import State
from harvester.wire.archives import names_in, unpacked_beginning
from harvester.wire.dates import SECONDS, moment_of
from harvester.wire.files import DUMP, Cut, cut_document, cut_dump, cut_lines, records_in
from harvester.wire.http import Fetch, Fetched, Request
from harvester.wire.oai_pmh import ListAnswer
from harvester.wire.static_repository import looks_like_one

_PART = 4_000_000  # bytes of a long file that are read at once
_MOST = 256_000_000  # bytes of one record: beyond, the file is given up
_SUFFIXES = (".xml", ".didl", ".mods", ".mets", ".jsonl", ".ndjson")
_LINES = (".jsonl", ".ndjson")
OF_ONE_FILE = (AnswerError, AnswerTooLarge, ConnectionFailed, RemoteRefuses)  # what may be wrong with it
_COMPRESSED = (".gz", ".zst")  # each file by itself
_PACKED = (".zip", ".tar", ".tgz", ".tbz", ".tbz2", ".txz", ".gz", ".bz2", ".xz", ".zst", ".7z")


@dataclass(frozen=True, slots=True)
class _State(State):
    """How far the files were read: the file, the place in it, its list; `listing`: what there was to read, when done.

    `begun`: what there was to read when the reading began. What is added meanwhile is read with the next one.

    `as_of` is the second from which on anything that changed is not in the files: when the first answer in them was
    given, or else the newest datestamp.
    """

    name: str = ""
    place: int = 0
    prefix: str = ""
    received: int = 0
    answered: int = 0
    newest: int = 0
    listing: str = ""
    begun: str = ""
    parts: str = ""  # of the lists whose answers were read, as JSON

    @property
    def as_of(self) -> int:
        return self.answered or self.newest


def as_of(state: str) -> int:
    """Return the second from which on a source must be asked for what is not in its files; 0 when it is not known."""
    return _State.read(state).as_of


def is_reading(state: str) -> bool:
    """Tell whether a state is one of files that are being read, or were."""
    return _State.read(state) != _State()


class _Named(NamedTuple):
    """What there is: the files that are read as (name, bytes, second of the last change), and names of the others.

    `packed` are archives beside or in what is read, which may hold records and are not opened.
    """

    fetched: Fetched
    files: list[tuple[str, int, int]]
    packed: list[str]
    others: list[str]

    @property
    def doubts(self) -> tuple[str, ...]:
        told = "Archives in what is read are not opened, and may hold records: {}, such as {}; unpack them."
        packed = (told.format(len(self.packed), self.packed[0]),) if self.packed else ()
        lost = missing(name for name, _, _ in self.files)
        told = "Files of metha are missing: {}, such as {}; harvest that window again."
        return (*packed, *((told.format(len(lost), lost[0]),) if lost else ()))

    @property
    def notes(self) -> tuple[str, ...]:
        told = "Files that are neither {} are not read: {}, such as {}."
        return (told.format(" nor ".join(_SUFFIXES), len(self.others), self.others[0]),) if self.others else ()


def _named(options: Options, fetch: Fetch) -> _Named:
    fetched = fetch(Request(options.url, options.source))
    found = _Named(fetched, [], [], [])
    for name, size, second in json.loads(fetched.body):
        if _is_read(str(name)):
            found.files.append((str(name), int(size), int(second)))
        else:
            (found.packed if str(name).lower().endswith(_PACKED) else found.others).append(str(name))
    return found


def _is_read(name: str) -> bool:
    return _plain(name).endswith(_SUFFIXES)


def _plain(name: str) -> str:
    """Return a name as its kind is told by it: without that of the compression."""
    plain = name.lower()
    return next((plain.removesuffix(each) for each in _COMPRESSED if plain.endswith(each)), plain)


def describe(options: Options, fetch: Fetch) -> Description:
    """Look what there is. Raise RemoteRefuses when there is nothing to read."""
    found = _named(options, fetch)
    refuse_cache(options.url, (name for name, _, _ in found.files))
    if not found.files:
        raise RemoteRefuses(
            f"There is nothing to read in {options.url}: {', '.join(_SUFFIXES)} are, and with .gz or .zst."
        )
    page = raw(options, Cursor(options.source), "list", found.fetched)
    name = f"{options.url.rpartition('/')[2]}: {len(found.files)} files"
    return Description((page,), name, options.url, SECONDS, "", "no", (), (), (*found.doubts, *found.notes))


# --- its list -----------------------------------------------------------------------------------------------------


def changes(options: Options, cursor: Cursor, fetch: Fetch) -> Iterator[Step]:
    """Read every file, from where the cursor stands; nothing when it was read as it is."""
    return _changes(options, cursor, fetch, newest_first)


def _changes(options: Options, cursor: Cursor, fetch: Fetch, turn: Callable[[str], Any]) -> Iterator[Step]:
    """Read every file, in the order that `turn` sorts their names in."""
    found = _named(options, fetch)
    fetched = found.fetched
    listing = sha256(fetched.body).hexdigest()
    state = _State.read(cursor.state)
    if state.listing == listing and options.window is None:
        page = raw(options, cursor, "list", replace(fetched, body=b""))
        yield Step(page, (), cursor, 0, end=ListEnd.PROPER, doubts=found.doubts, notes=("Nothing has changed.",))
        return
    begun = state if state.begun and not state.listing else _State(begun=listing)
    reading = _Reading(options, cursor, fetch, begun, {name for name, _, _ in found.files})
    reading.newer = Newer() if turn is newest_first else None
    failures = 0
    for name, _, second in sorted(found.files, key=lambda file: turn(file[0])):
        if reading.state.name and turn(name) < turn(reading.state.name):
            continue
        try:
            yield from reading.steps(name, second)
        except OF_ONE_FILE as error:  # says nothing of the others
            failures += 1
            if failures == len(found.files):
                raise
            reading.doubts.append(f"{name} cannot be read: {error}")
    # What is in doubt is read again as a whole the next time.
    reading.doubts += reading.parts.doubts
    done = _State() if reading.doubts else replace(reading.state, listing=reading.state.begun)
    page = raw(options, cursor, "list", fetched)
    received = reading.state.received
    doubts = (*found.doubts, *reading.doubts)
    yield Step(page, (), reading.at(done), received, (received, received), ListEnd.PROPER, doubts)


# What cuts a part of a long file, told whether it is the last: the records, and where the rest begins.
_CutPart: TypeAlias = Callable[[bytes, bool], tuple[Cut, int]]


class _Reading:
    """All files, one after the other; `state` is where it has come to."""

    def __init__(self, options: Options, cursor: Cursor, fetch: Fetch, state: _State, names: Collection[str]) -> None:
        self.options, self.cursor, self.fetch, self.state = options, cursor, fetch, state
        self.names = names
        harvest = harvest_at(options.url)
        # Whoever asked for a set has its records, whether or not their headers say so.
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
            found = cut_document(fetched.body, name, second)
            if found.answer is not None:
                self._add_part(name, fetched.body, found.answer)
            yield self._step(fetched, found, len(fetched.body) or 1)

    @property
    def parts(self) -> ListParts:
        return ListParts.read(self.state.parts)

    def _add_part(self, name: str, body: bytes, answer: ListAnswer) -> None:
        self.doubts += [
            f"{name} holds no records but an error: {code}: {words}"[:300]
            for code, words in answer.errors
            if code != "noRecordsMatch"
        ]
        if answer.verb != "ListRecords":
            if answer.token and answer.token.text and not has_next(name, self.names):
                self.doubts.append(f"{name} ends with a resumptionToken, and no file holds what follows.")
            return
        self.state = replace(self.state, parts=self.parts.after(name, body, answer).text)

    def _url(self, name: str) -> str:
        return f"{self.options.url}#{quote(name)}"

    def _part(self, name: str, first: int, size: int) -> Fetched:
        wanted = (("Range", f"bytes={first}-{first + size - 1}"),)
        return self.fetch(Request(self._url(name), self.options.source, wanted))

    def _parts(self, name: str, cut: _CutPart) -> Iterator[Step]:
        """Read a long file part by part; a record that does not fit into a part makes the part longer.

        What a part leaves stays here: a step back in a compressed file would unpack it from its beginning.
        """
        size, left = _PART, b""
        while True:
            fetched = self._part(name, self.state.place + len(left), size)
            body, is_last = left + fetched.body, len(fetched.body) < size
            found, rest = cut(body, is_last)
            left = body[rest:]
            if rest == 0 and not is_last:
                size *= 2
                if size > _MOST:
                    raise RemoteRefuses(f"{name} has a record of more than {_MOST} bytes.")
                continue
            self.state = replace(self.state, prefix=found.prefix)
            yield self._step(replace(fetched, body=body[:rest]), found, self.state.place + rest)
            if is_last and not left:
                if cut == self._dump and body and not body.rstrip().endswith(b"</harvest>"):
                    self.doubts.append(f"{name} breaks off: it is no whole dump.")
                return
            size = _PART

    def _dump(self, part: bytes, is_last: bool) -> tuple[Cut, int]:
        return cut_dump(part, self.state.prefix, is_last=is_last)

    def _lines(self, part: bytes, is_last: bool) -> tuple[Cut, int]:
        found, text, rest = cut_lines(part, is_last=is_last)
        wanted = (each for prefix, each in found if prefix in ("", self.cursor.metadata_prefix))
        return Cut(tuple(wanted), "", text), rest

    def _step(self, fetched: Fetched, found: Cut, place: int) -> Step:
        is_wanted = found.prefix in ("", self.cursor.metadata_prefix)
        slices = found.slices if is_wanted else ()
        slices = tuple(each for each in slices if self._is_in_set(each))
        if self.newer is not None:
            slices = self.newer.without(self.state.name, slices)
        self.state = replace(
            self.state,
            place=place,
            received=self.state.received + len(slices),
            answered=min(filter(None, (self.state.answered, found.moment)), default=0),
            newest=max([self.state.newest, *(moment_of(each.datestamp) or 0 for each in slices)]),
        )
        page = raw(self.options, self.cursor, "file", fetched, found)
        passed = (
            () if is_wanted or not found.slices else (f"{len(found.slices)} records in {found.prefix} stay unread.",)
        )
        losses = found.answer.losses if found.answer else ()
        return Step(page, slices, self.at(self.state), self.state.received, notes=passed, losses=losses)

    def _is_in_set(self, found: Slice) -> bool:
        spec = self.cursor.set_spec
        return not spec or self.is_all_in_set or any(f"{each}:".startswith(f"{spec}:") for each in found.sets)


# --- what there is ------------------------------------------------------------------------------------------------


def listed(options: Options, cursor: Cursor, fetch: Fetch) -> Iterator[Listed]:
    """Name every record in the files."""
    received = 0
    for step in _changes(options, replace(cursor, state=""), fetch, str):
        received += len(step.slices)
        yield Listed(step.slices, received, None, step.is_last, (*step.doubts, *_unnamed(step)))


def _unnamed(step: Step) -> Iterator[str]:
    """Return why it is not known which records a file holds: it cannot be read, or records do not say who they are."""
    _, _, name = step.page.url.partition("#")
    for each in step.slices:
        if each.problem and quote(each.identifier) in ("", name):
            yield f"What {unquote(name)} holds cannot be told. {each.problem}"


def single(options: Options, cursor: Cursor, identifier: str, fetch: Fetch) -> tuple[RawPage, tuple[Slice, ...]]:
    """Bring the last record of an identifier; without a slice when there is none."""
    found: tuple[RawPage, tuple[Slice, ...]] | None = None
    for step in _changes(options, replace(cursor, state=""), fetch, str):
        slices = tuple(each for each in step.slices if each.identifier == identifier)
        if slices or found is None:
            found = step.page, slices[-1:]
    assert found is not None  # there is a last step at least
    return found


def recognise(fetched: Fetched, fetch: Fetch) -> Recognised | None:
    """Take what is a path on this machine and holds files that can be read, or an archive or a file at an address."""
    if not fetched.url.startswith("file:"):
        found = list(filter(_is_read, names_in(fetched.body)))
        sentence = f"An archive of files such as {found[0]}." if found else _file_told(fetched)
        return Recognised(sentence, {"url": fetched.url}) if sentence else None
    files = _named(Options("", fetched.url), fetch).files
    refuse_cache(fetched.url, (name for name, _, _ in files))
    if not files or (len(files) == 1 and _is_static_repository(fetched.url, files[0][0], fetch)):
        return None
    of_metha = " of metha" if harvest_at(fetched.url) else ""
    sentence = f"{len(files)} files{of_metha}, from {files[0][0]} to {files[-1][0]}."
    return Recognised(sentence, {"url": fetched.url, **fields_of(fetched.url)})


def _file_told(fetched: Fetched) -> str:
    """Return what a file at an address is in a sentence; nothing when no records are seen in it."""
    address = urlsplit(fetched.url)
    name = _plain(address.path)
    if address.query or not _is_read(name) or fetched.status >= HTTPStatus.MULTIPLE_CHOICES:
        return ""
    body = fetched.body if name == address.path.lower() else unpacked_beginning(fetched.body, _PART)
    if name.endswith(_LINES):
        lines, _, _ = cut_lines(body, is_last=b"\n" not in body)
        return "A file of JSON lines." if any(not each.problem for _, each in lines) else ""
    if DUMP.match(body):
        return "A dump of a repository."
    count = 0 if looks_like_one(body) else records_in(body)
    return f"A file of answers or records: {count}." if count else ""


def _is_static_repository(url: str, name: str, fetch: Fetch) -> bool:
    beginning = (("Range", "bytes=0-3999"),)
    return looks_like_one(fetch(Request(f"{url}#{quote(name)}", headers=beginning)).body)


SOURCE = SourceKind(
    name="files",
    sentence="Files, on this machine or at an address: answers of OAI-PMH, dumps, records, DIDL, JSON lines.",
    options=(
        Option("url", "The path of a file, a folder or an archive (ZIP, tar), or the address of a file or an archive."),
        Option("formats", "The metadataPrefix of what is to be read; records that name none have it."),
        Option("sets", "The setSpecs to read; none: everything."),
        Option("base_url", "The address that provenance names instead of the path: the repository's.", "text"),
    ),
    describe=describe,
    changes=changes,
    listed=listed,
    single=single,
    recognise=recognise,
    is_repository=False,
    fields_of=fields_of,
)
