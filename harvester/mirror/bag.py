"""BagIt 1.0 (RFC 8493), and the versions before it: whether a bag is whole and every file in it what it was.

What is good and bad is what the tests of the Library of Congress's own library say; where they leave it open, the RFC.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from gateway.errors import ConfigurationError
from harvester.mirror.ocfl import hashed

_ALGORITHMS = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512")
_MANIFEST = re.compile(r"(tag)?manifest-([a-z0-9]+)\.txt")
_LINE = re.compile(r"([0-9A-Fa-f]+)[ \t]+\*?(\S.*)")
_FETCHED = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://?\S+)[ \t]+(?:\d+|-)[ \t]+(\S.*)")
_DECLARATION = re.compile(r"BagIt-Version: (\d{1,9})\.(\d{1,9})\r?\nTag-File-Character-Encoding: (\S+)(?:\r?\n)?")
_ENDS = re.compile(r"\r\n|\r|\n")  # no others: a path may have what else str.splitlines takes for one
_ESCAPED = re.compile(r"(?i)%(0A|0D|25)")
_NEWEST = (1, 0)


class Bag(NamedTuple):
    """A bag that is good: where its payload lies, and what bag-info.txt says, of each tag the first."""

    payload: Path
    info: dict[str, str]


class _Bad(Exception):
    """A bag is not good, and why."""


def is_bag(folder: Path) -> bool:
    """Tell whether a folder claims to be a bag, or is one that has lost its declaration."""
    manifests = (each for each in folder.glob("manifest-*.txt") if _MANIFEST.fullmatch(each.name))
    return (folder / "bagit.txt").exists() or ((folder / "data").is_dir() and any(manifests))


def checked(folder: Path) -> Bag:
    """Return a bag in which every file is there, is in its manifests, and has its digests. Else ConfigurationError."""
    try:
        return _Checking(folder).bag()
    except (_Bad, OSError, ValueError, LookupError, RuntimeError) as error:
        raise ConfigurationError(f"{folder} is no valid bag: {error}.") from error


class _Checking:
    """One bag on its way to being good."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        declared = _DECLARATION.fullmatch((folder / "bagit.txt").read_bytes().decode("utf-8"))
        if declared is None:
            raise _Bad("its bagit.txt is not as it should be")
        self._version, self._encoding = (int(declared[1]), int(declared[2])), declared[3]
        if self._version > _NEWEST:
            raise _Bad(f"its version {declared[1]}.{declared[2]} is newer than what is known")
        if not (folder / "data").is_dir():
            raise _Bad("it has no folder data")
        # By names in one form of Unicode: file systems and archives change it on the way.
        files = sorted(each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file())
        self._files = {normalize("NFC", each): each for each in files}
        self._payload = {name for name in self._files if name.startswith("data/")}

    def bag(self) -> Bag:
        manifests = [match for each in sorted(self._folder.iterdir()) if (match := _MANIFEST.fullmatch(each.name))]
        told = {match[0]: dict(self._stated(match[0])) for match in manifests}
        self._check_complete({name: set(stated) for name, stated in told.items() if not name.startswith("tag")})
        for match in manifests:
            self._check_digests(match[0], match[2], told[match[0]])
        self._check_fetched()
        info: dict[str, str] = {}
        for name, value in (*self._info("bag-info.txt"), *self._info("package-info.txt")):
            info.setdefault(name, value)
        self._check_oxum(info.get("payload-oxum", ""))
        return Bag(self._folder / "data", info)

    def _lines(self, name: str) -> Iterator[str]:
        text = (self._folder / name).read_bytes().decode(self._encoding)
        return (line for line in _ENDS.split(text) if line.strip())

    def _stated(self, manifest: str) -> Iterator[tuple[str, str]]:
        """Return path and digest of each line."""
        for line in self._lines(manifest):
            match = _LINE.fullmatch(line)
            if match is None:
                raise _Bad(f"{manifest} has a line that is none: {line[:80]!r}")
            yield self._name(match[2], manifest), match[1].lower()

    def _name(self, path: str, manifest: str) -> str:
        """Return a path as the files are known by. It may not lead out of the bag, not by a link either."""
        path = path.removeprefix("./")
        if path.startswith(("/", "~")) or ".." in path.split("/") or not self._is_inside(path):
            raise _Bad(f"{manifest} names {path}, which is not in the bag")
        name = normalize("NFC", path)
        # What wrote it may have escaped its line ends, and per cents or not.
        return name if name in self._files else _ESCAPED.sub(lambda each: chr(int(each[1], 16)), name)

    def _is_inside(self, path: str) -> bool:
        return (self._folder / path).resolve().is_relative_to(self._folder.resolve())

    def _check_complete(self, named: dict[str, set[str]]) -> None:
        """Check that manifests name all of the payload: each of them, before 1.0 all of them together."""
        if not named:
            raise _Bad("it has no manifest of its payload")
        if self._version < _NEWEST:
            named = {" and ".join(named): set.union(*named.values())}
        for manifest, paths in named.items():
            if unknown := self._payload - paths:
                raise _Bad(f"{min(unknown)} is not in {manifest}")

    def _check_digests(self, manifest: str, algorithm: str, stated: dict[str, str]) -> None:
        if algorithm not in _ALGORITHMS:
            raise _Bad(f"{manifest} is of an algorithm that is not known")
        for name, digest in stated.items():
            if name not in self._files:
                raise _Bad(f"{name} is in {manifest}, and not in the bag")
            if hashed(self._folder / self._files[name], (algorithm,))[algorithm] != digest:
                raise _Bad(f"{name} has not the digest that {manifest} states")

    def _check_fetched(self) -> None:
        """Check what is to be fetched: nothing is, but what could not be is a sign of a bag that is not good."""
        if "fetch.txt" in self._files:
            for line in self._lines("fetch.txt"):
                match = _FETCHED.fullmatch(line)
                if match is None:
                    raise _Bad(f"fetch.txt has a line that is none: {line[:80]!r}")
                self._name(match[2], "fetch.txt")

    def _info(self, file: str) -> Iterator[tuple[str, str]]:
        if file in self._files:
            text = "\n".join(self._lines(file))
            for line in re.sub(r"\n[ \t]+", " ", text).split("\n"):
                name, _, value = line.partition(":")
                yield name.strip().lower(), value.strip()

    def _check_oxum(self, oxum: str) -> None:
        sizes = [(self._folder / self._files[name]).stat().st_size for name in self._payload]
        if oxum and oxum != (found := f"{sum(sizes)}.{len(sizes)}"):
            raise _Bad(f"its payload is {found} (bytes, files), and should be {oxum}")
