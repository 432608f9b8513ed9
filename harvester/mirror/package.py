"""A delivered package of OAI-PMH records and their files, and the run that makes it the first state of a mirror.

A package is a folder, a tar or a ZIP archive, or a bag (RFC 8493). Records are read from each XML file that has some,
also compressed (`.gz`): OAI-PMH answers, dumps of `harvester dump`, single records. A file is found by its location in
the document: a relative path, or the end of its address. Without a stated digest or size, no other address may have the
same end.
"""

import gzip
import os
import re
import shutil
import zlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from gateway.core.errors import AnswerError, ConfigurationError, UnusableRecord
from gateway.core.model import RawPage, Slice
from gateway.core.xmltext import OAI_PMH
from harvester.dump.dump import as_received
from harvester.http.dates import moment_of
from harvester.http.local_files import Unread, files_in
from harvester.mirror.file_plan import PlannedFile, path_of
from harvester.mirror.judge_file import Collected, bytes_in, classified, missing, received
from harvester.mirror.object_versions import PendingVersion
from harvester.mirror.provider_guard import Guard
from harvester.mirror.read_components import components, files
from harvester.mirror.receipt import Change
from harvester.mirror.run import Run, received_from
from harvester.mirror.verify import Fate, verdict
from harvester.runtime.durable_files import reporting_unwritable
from harvester.sources.files.records import DUMP, Cut, cut_answer, cut_dump
from harvester.sources.oai_pmh.list_state import ListState, Position, text_of

_DECLARATION = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*<\?xml[^>]*\?>")
_OPENING = f'<OAI-PMH xmlns="{OAI_PMH}"><ListRecords>'.encode()
_CLOSING = b"</ListRecords></OAI-PMH>"
_HEADERS_ONLY = re.compile(rb"<(?:[\w.-]+:)?ListIdentifiers[\s>]")
_START = 4096  # bytes that show the kind of a file
_PART = 4_000_000  # bytes of a dump that are read at once
_MOST_SHOWN = 100  # characters of a name
_MOST = 256_000_000  # bytes of any other file that holds records
_DAY_SECONDS = 86_400


@dataclass
class Package:
    """A package, unpacked and verified. `date` is its stated date, else empty.

    `answered` is the second since 1970 of its first answer, known after its records have been read.
    """

    payload: Path
    metadata_prefix: str
    date: str = ""
    answered: int | None = None
    left_out: tuple[str, ...] = ()  # sentences about files that could not be unpacked
    _entries: list[Path] = field(default_factory=list)  # all files
    _passed_over: list[Unread] = field(default_factory=list)
    _unread: set[Path] = field(default_factory=set)  # XML files that hold no records
    _taken: set[Path] = field(default_factory=set)
    _backwards: list[tuple[str, ...]] = field(default_factory=list)  # the paths of all files, each from its end

    def __post_init__(self) -> None:
        files, self._passed_over = files_in(self.payload, reads_hidden=True)
        self._entries = sorted(files)
        self._backwards = sorted(file.relative_to(self.payload).parts[::-1] for file in files)

    def records(self) -> Iterator[tuple[Path, RawPage, Slice]]:
        """Return each record with its file and page, without records of another stated format.

        Raise ConfigurationError when a file cannot be read.
        """
        for file in self._entries:
            if _may_have_records(file.name):
                yield from self._records(file)

    def unread(self) -> Iterator[str]:
        """Return the names of the XML files that have no records and belong to no record."""
        return (shown(path.relative_to(self.payload).as_posix()) for path in sorted(self._unread - self._taken))

    def passed_over(self) -> Iterator[str]:
        """Return sentences about links, devices and folders that may have records and are not read.

        A link to a file of the package is not one of them: that file is read.
        """
        for name, why, target in self._passed_over:
            if _may_have_records(name) and not _may_have_records(target):
                yield f"{shown(name)} of the package is not read: {why}."

    def find(self, planned: PlannedFile, document: Path) -> Path | None:
        """Return the file that a document names; None when it is missing or ambiguous."""
        is_stated = bool(planned.component.digests) or planned.component.size is not None
        for location in planned.component.locations:
            file = self._at(location, document, is_stated=is_stated)
            if file is not None:
                self._taken.add(file)
                return file
        return None

    def _records(self, file: Path) -> Iterator[tuple[Path, RawPage, Slice]]:
        count = 0
        for body, slice_ in _cuts(file):
            page = RawPage("", "ListRecords", file.name, 0, 200, (), body, repaired=slice_.repaired)
            count += len(slice_.slices)
            if slice_.prefix in ("", self.metadata_prefix):
                self.answered = min(filter(None, (self.answered, slice_.moment)), default=None)
                yield from ((file, page, record) for record in slice_.slices)
        if not count:
            self._unread.add(file)

    def _at(self, location: str, document: Path, *, is_stated: bool) -> Path | None:
        path = PurePosixPath(path_of(location))
        if "://" not in location and not path.is_absolute() and ".." not in path.parts:
            for folder in (document.parent, self.payload):
                if _is_file(folder / path) and (folder / path).resolve().is_relative_to(self.payload.resolve()):
                    return folder / path
        if not (end := self._longest_end(path.parts[::-1])):
            return None
        at = bisect_left(self._backwards, end)
        fitting = [path for path in self._backwards[at : at + 2] if path[: len(end)] == end]
        is_known = len(fitting) == 1 and (is_stated or self._ends[end[::-1]] == 1)
        return self.payload.joinpath(*fitting[0][::-1]) if is_known else None

    def _longest_end(self, parts: tuple[str, ...]) -> tuple[str, ...]:
        """Return the longest end that a path shares with any file. Sorting puts that file next to the path."""
        at = bisect_left(self._backwards, parts)
        return max((_shared(path, parts) for path in self._backwards[max(0, at - 1) : at + 1]), key=len, default=())

    @cached_property
    def _ends(self) -> Counter[tuple[str, ...]]:
        """The number of files of all documents by the end of their address."""
        named: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()
        for _, page, slice_ in self.records():
            with suppress(AnswerError, UnusableRecord):
                for file in files(components(received_from(page, slice_).document)):
                    paths = [PurePosixPath(path_of(place)).parts for place in file.locations]
                    named |= {(file.locations, path[-count:]) for path in paths for count in range(1, len(path) + 1)}
        return Counter(end for _, end in named)


def shown(name: str) -> str:
    """Return a file name for a message: short, and with printable characters only."""
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    text = "".join(letter if letter.isprintable() else "_" for letter in text)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def _may_have_records(name: str) -> bool:
    return name.lower().endswith(("/", ".xml", ".xml.gz"))


def _is_file(file: Path) -> bool:
    """Return whether there is such a file; False for an illegal name."""
    try:
        return file.is_file()
    except (OSError, ValueError):
        return False


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """Return the common end of two reversed paths."""
    pairs = zip(one, other, strict=False)
    return tuple(mine for mine, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _cuts(file: Path) -> Iterator[tuple[bytes, Cut]]:
    """Return the records of an XML file: of a dump part by part, of an answer, or a single record."""
    with _opened(file) as stream:
        start = stream.read(_START)
        stream.seek(0)
        if DUMP.match(start):
            yield from dumped(stream)
        elif len(body := stream.read(_MOST + 1)) <= _MOST and not _HEADERS_ONLY.search(start):
            body = body if b"OAI-PMH" in start else _OPENING + _DECLARATION.sub(b"", body) + _CLOSING
            with suppress(AnswerError):
                yield body, cut_answer(body)


@contextmanager
def _opened(file: Path) -> Iterator[BinaryIO]:
    """Return the decompressed content of a file. Raise ConfigurationError when it cannot be read."""
    try:
        with gzip.open(file) if file.suffix.lower() == ".gz" else file.open("rb") as stream:
            yield cast("BinaryIO", stream)
    except (OSError, EOFError, zlib.error) as error:
        raise ConfigurationError(f"{file.name} cannot be read: {error}.") from error


def dumped(stream: BinaryIO, size: int = _PART, most: int = _MOST) -> Iterator[tuple[bytes, Cut]]:
    """Return the records of a dump in parts of about `size` bytes. A long record makes a part longer.

    Raise ConfigurationError for a record of more than `most` bytes, AnswerError for records that cannot be read.
    """
    left, prefix = b"", ""
    while part := left + (more := stream.read(size)):
        if len(part) > most:
            raise ConfigurationError(f"A dump has a record of more than {most} bytes.")
        cut_, rest = cut_dump(part, prefix, is_last=not more)
        yield part[:rest], cut_
        left, prefix = part[rest:], cut_.prefix
        if not more and not rest:
            return


def delivered(planned: PlannedFile, file: Path | None, aside: Path) -> Collected:
    """Copy a file of a package to the temporary file `aside`, and judge it. Raise StoreUnwritable."""
    if file is None:
        return missing(planned, Fate.NOT_FOUND, "It is not in the package.")
    with reporting_unwritable(aside):
        shutil.copyfile(file, aside)
    bytes_ = bytes_in(aside, planned.component)
    judged = verdict(planned.component, bytes_)
    if judged.fate is not Fate.FETCHED and not judged.is_by_bytes:
        aside.unlink()
        return missing(planned, judged.fate, judged.reason)
    return classified(received(planned, aside, bytes_, judged, Fate.DELIVERED), judged)


@dataclass(slots=True)
class ImportRun(Run):
    """A run that reads a package."""

    package: Package
    guard: Guard

    def whole(self, date: str = "") -> None:
        """Import each object of the package, unless a newer state is stored. Missing files are reported.

        The next run harvests from `date`. Without it, it harvests from the date of the package or of its first answer,
        the earlier of them, or from its newest record. Raise the errors of `recorded`.
        """
        newest = ""
        with self.recorded():
            for count, (document, page, slice_) in enumerate(self.package.records(), 1):
                if self.stop.is_asked:
                    return
                newest = max(newest, slice_.datestamp)
                if slice_.problem:
                    self.unusable(slice_)
                    continue
                self._take(document, page, slice_)
                self.progress.show("imported", count, None)
            passed_over = [*self.package.left_out, *self.package.passed_over()]
            self.receipt.doubts.extend(passed_over)
            self.receipt.doubts.extend(f"{name} holds no records." for name in self.package.unread())
            if not newest:
                self.receipt.doubts.append(f"No records of {self.place.order.metadata_prefix} are in the package.")
            made = (moment_of(self.package.date), self.package.answered)
            if not (self.has_damage or passed_over):  # else the next run harvests everything
                self._go_on_from(moment_of(date) or min(filter(None, made), default=moment_of(newest)))

    def _take(self, document: Path, page: RawPage, slice_: Slice) -> None:
        """Import one record with its files."""
        received = received_from(page, slice_)
        received = replace(received, document=as_received(received.document))
        pending = self.sound(slice_.identifier, partial(self.object, received))
        if pending is None:
            self.place.failed.mark(slice_.identifier, is_whole=False)
            return
        if (is_known := _is_known_better(pending)) or self.is_settled(pending):
            self.receipt.objects[Change.UNCHANGED] += is_known
            return
        if not self.guard.allows(pending):
            return
        for planned in pending.to_fetch(self.now()):
            file = self.package.find(planned, document)
            pending.note(delivered(planned, file, pending.aside(planned)))
        self.commit(pending)
        if slice_.is_deleted:  # a person has confirmed a waiting deletion
            self.place.waiting.discard(slice_.identifier)

    def _go_on_from(self, moment: int | None) -> None:
        """Set the cursors without a value to the day of the package, so that the next run harvests later changes."""
        if moment is None:
            return
        moment = min(moment, self.now())  # a wrong clock may have dated it
        for set_spec in self.place.order.sets or ("",):
            self.place.states.setdefault(
                set_spec, text_of(ListState(Position(complete=moment - moment % _DAY_SECONDS)))
            )
        self.place.save()


def _is_known_better(pending: PendingVersion) -> bool:
    """Return whether a newer state is stored, or the same state in a readable document where this one is unreadable."""
    before, now = pending.before, pending.now
    if before is None:
        return False
    is_other_format = before.datestamp == now.datestamp and bool(now.problem) and not before.problem
    return before.datestamp > now.datestamp or is_other_format
