"""A delivered package: OAI records and the files they name, as a folder, tar or zip, a bag or not.

Records are read from every XML file that holds some, compressed (`.gz`) or not: answers of OAI-PMH, what
`harvester dump` wrote, single records. A file is found by the location that its document gives: relative to it, or by
the end of its address. Where neither digest nor size will tell, that end must be the end of no other file's address.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import zlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from gateway.errors import AnswerError, ConfigurationError, UnusableRecord
from gateway.model import RawPage, Slice
from gateway.xmltext import OAI_PMH
from harvester.mirror.collected import Collected, looked_at, missing
from harvester.mirror.components import components, files
from harvester.mirror.holding import entry
from harvester.mirror.inventory import Arrived
from harvester.mirror.ocfl import ALWAYS, Incoming, hashed, telling
from harvester.mirror.planning import Want, path_of
from harvester.mirror.running import received_from
from harvester.mirror.verifying import Bytes, Fate, verdict
from harvester.wire.files import DUMP, Cut, cut_answer, cut_dump

_DECLARATION = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*<\?xml[^>]*\?>")
_OPENING = f'<OAI-PMH xmlns="{OAI_PMH}"><ListRecords>'.encode()
_CLOSING = b"</ListRecords></OAI-PMH>"
_HEADERS_ONLY = re.compile(rb"<(?:[\w.-]+:)?ListIdentifiers[\s>]")
_LOOK = 2048  # bytes at either end that are looked at
_START = 4096  # bytes that tell what a file is
_PART = 4_000_000  # bytes of a dump that are read at once
_MOST_SHOWN = 100  # characters of a name
_MOST = 256_000_000  # bytes of any other file that holds records


@dataclass
class Package:
    """What was delivered, unpacked and verified. `date` is the day it was made, where it says so.

    `answered` is the second in which the first of its answers was given, once its records have been read.
    """

    payload: Path
    metadata_prefix: str
    date: str = ""
    answered: int | None = None
    left_out: tuple[str, ...] = ()  # what of its archive could not be unpacked, in sentences
    _unread: set[Path] = field(default_factory=set)  # XML files that hold no records
    _taken: set[Path] = field(default_factory=set)
    _backwards: list[tuple[str, ...]] = field(default_factory=list)  # the paths of all files, each from its end

    def __post_init__(self) -> None:
        self._backwards = sorted(file.relative_to(self.payload).parts[::-1] for file in self._files())

    def records(self) -> Iterator[tuple[Path, RawPage, Slice]]:
        """Return every record, with the file that holds it, but those that are said to be of another format."""
        for file in self._files():
            if file.name.lower().endswith((".xml", ".xml.gz")):
                yield from self._records(file)

    def unread(self) -> Iterator[str]:
        """Return the XML files that hold no records and are no file of one."""
        return (shown(each.relative_to(self.payload).as_posix()) for each in sorted(self._unread - self._taken))

    def find(self, want: Want, document: Path) -> Path | None:
        """Return the file that a document names; None when it is not here, or there are several that could be it."""
        is_told = bool(want.component.digests) or want.component.size is not None
        for location in want.component.locations:
            found = self._at(location, document, is_told=is_told)
            if found is not None:
                self._taken.add(found)
                return found
        return None

    def _files(self) -> Iterable[Path]:
        return sorted(each for each in self.payload.rglob("*") if each.is_file() and not each.is_symlink())

    def _records(self, file: Path) -> Iterator[tuple[Path, RawPage, Slice]]:
        count = 0
        for body, found in _cuts(file):
            page = RawPage("", "ListRecords", file.name, 0, 200, (), body, repaired=found.repaired)
            count += len(found.slices)
            if found.prefix in ("", self.metadata_prefix):
                self.answered = min(filter(None, (self.answered, found.moment)), default=None)
                yield from ((file, page, each) for each in found.slices)
        if not count:
            self._unread.add(file)

    def _at(self, location: str, document: Path, *, is_told: bool) -> Path | None:
        path = PurePosixPath(path_of(location))
        if "://" not in location and not path.is_absolute() and ".." not in path.parts:
            for folder in (document.parent, self.payload):
                if _is_file(folder / path) and self._is_inside(folder / path):
                    return folder / path
        if not (end := self._longest_end(path.parts[::-1])):
            return None
        at = bisect_left(self._backwards, end)
        fitting = [each for each in self._backwards[at : at + 2] if each[: len(end)] == end]
        is_known = len(fitting) == 1 and (is_told or self._ends[end[::-1]] == 1)
        return self.payload.joinpath(*fitting[0][::-1]) if is_known else None

    def _longest_end(self, parts: tuple[str, ...]) -> tuple[str, ...]:
        """Return the most that a file has in common with a path, from its end: one of its neighbours has it."""
        at = bisect_left(self._backwards, parts)
        return max((_shared(each, parts) for each in self._backwards[max(0, at - 1) : at + 1]), key=len, default=())

    @cached_property
    def _ends(self) -> Counter[tuple[str, ...]]:
        """How many files of all documents have an address that ends so."""
        named: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()
        for _, page, found in self.records():
            with suppress(AnswerError, UnusableRecord):
                for each in files(components(received_from(page, found).document)):
                    paths = [PurePosixPath(path_of(place)).parts for place in each.locations]
                    named |= {(each.locations, path[-count:]) for path in paths for count in range(1, len(path) + 1)}
        return Counter(end for _, end in named)

    def _is_inside(self, file: Path) -> bool:
        """Tell whether a file lies in the package itself: a link may lead anywhere on this machine."""
        return file.resolve().is_relative_to(self.payload.resolve())


def shown(name: str) -> str:
    """Return the name of a file as it may stand in a message: short, and every byte of it text."""
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    text = "".join(each if each.isprintable() else "_" for each in text)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def _is_file(file: Path) -> bool:
    """Tell whether there is such a file; what no file can be called is none."""
    try:
        return file.is_file()
    except (OSError, ValueError):
        return False


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """Return what two paths have in common, each from its end."""
    pairs = zip(one, other, strict=False)
    return tuple(mine for mine, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _cuts(file: Path) -> Iterator[tuple[bytes, Cut]]:
    """Return the records that an XML file holds: those of a dump part by part, else of an answer, or one alone."""
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
    """Return the content of a file, decompressed. Raise ConfigurationError when that cannot be."""
    try:
        with gzip.open(file) if file.suffix.lower() == ".gz" else file.open("rb") as stream:
            yield cast("BinaryIO", stream)
    except (OSError, EOFError, zlib.error) as error:
        raise ConfigurationError(f"{file.name} cannot be read: {error}.") from error


def dumped(stream: BinaryIO, size: int = _PART, most: int = _MOST) -> Iterator[tuple[bytes, Cut]]:
    """Read a dump of any length, part by part: a record that does not fit into a part makes the part longer.

    Raise ConfigurationError when there is no end of it.
    """
    left, prefix = b"", ""
    while part := left + (more := stream.read(size)):
        if len(part) > most:
            raise ConfigurationError(f"A dump has a record of more than {most} bytes.")
        found, rest = cut_dump(part, prefix, is_last=not more)
        yield part[:rest], found
        left, prefix = part[rest:], found.prefix
        if not more and not rest:
            return


def delivered(want: Want, file: Path | None, aside: Path) -> Collected:
    """Take a file out of a package, when it is there and good."""
    if file is None:
        return missing(want, Fate.NOT_FOUND, "It is not in the package.")
    with telling(aside):
        shutil.copyfile(file, aside)
    digests = hashed(aside, {*ALWAYS, *(algorithm for algorithm, _ in want.component.digests)})
    size = aside.stat().st_size
    with aside.open("rb") as stream:
        first = stream.read(_LOOK)
        stream.seek(max(0, size - _LOOK))
        judged = verdict(want.component, Bytes(size, digests, first, stream.read()))
    if judged.fate is not Fate.FETCHED and not judged.is_by_looks:
        aside.unlink()
        return missing(want, judged.fate, judged.reason)
    arrived = Arrived(digests["sha512"], digests["sha256"])
    held = entry(want.component)._replace(
        path=want.path,
        size=size,
        sha512=arrived.sha512,
        sha256=arrived.sha256,
        verified=judged.verified,
        fate=Fate.DELIVERED,
    )
    return looked_at(Collected(want, held, Incoming(aside, arrived)), judged)
