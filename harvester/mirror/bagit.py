"""Verify bags of BagIt 1.0 (RFC 8493) and of earlier versions: completeness, and the digest of each file.

The tests of the library of the Library of Congress decide what is valid; where they decide nothing, the RFC does.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from gateway.core.errors import ConfigurationError
from harvester.runtime.durable_files import digests_by_algorithm

_ALGORITHMS = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512")
_MANIFEST = re.compile(r"(tag)?manifest-([a-z0-9]+)\.txt")
_LINE = re.compile(r"([0-9A-Fa-f]+)[ \t]+\*?(\S.*)")
_FETCHED = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://?\S+)[ \t]+(?:\d+|-)[ \t]+(\S.*)")
_DECLARATION = re.compile(r"BagIt-Version: (\d{1,9})\.(\d{1,9})\r?\nTag-File-Character-Encoding: (\S+)(?:\r?\n)?")
_ENDS = re.compile(r"\r\n|\r|\n")  # only these: a path may contain other characters at which str.splitlines splits
_ESCAPED = re.compile(r"(?i)%(0A|0D|25)")
_NEWEST = (1, 0)


class Bag(NamedTuple):
    """A valid bag: the folder of its payload, and the first value of each tag of bag-info.txt, by lower-case label."""

    payload: Path
    info: dict[str, str]


class _Bad(Exception):
    """A bag is invalid; the message is the reason."""


def is_bag(folder: Path) -> bool:
    """Return whether a folder has bagit.txt, or has a payload and a manifest without it."""
    manifests = (path for path in folder.glob("manifest-*.txt") if _MANIFEST.fullmatch(path.name))
    return (folder / "bagit.txt").exists() or ((folder / "data").is_dir() and any(manifests))


def checked(folder: Path) -> Bag:
    """Return a valid bag (RFC 8493 §3). Raise ConfigurationError when a file is missing, unlisted or altered."""
    try:
        return _Checking(folder).bag()
    except (_Bad, OSError, ValueError, LookupError, RuntimeError) as error:
        raise ConfigurationError(f"{folder} is not a valid bag: {error}.") from error


class _Checking:
    """The verification of one bag."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        declared = _DECLARATION.fullmatch((folder / "bagit.txt").read_bytes().decode("utf-8"))
        if declared is None:
            raise _Bad("its bagit.txt is malformed")
        self._version, self._encoding = (int(declared[1]), int(declared[2])), declared[3]
        if self._version > _NEWEST:
            raise _Bad(f"its version {declared[1]}.{declared[2]} is newer than 1.0")
        if not (folder / "data").is_dir():
            raise _Bad("it has no folder data")
        # Names in Unicode form NFC: file systems and archives may change the form.
        files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
        self._files = {normalize("NFC", file): file for file in files}
        self._payload = {name for name in self._files if name.startswith("data/")}

    def bag(self) -> Bag:
        manifests = [match for path in sorted(self._folder.iterdir()) if (match := _MANIFEST.fullmatch(path.name))]
        by_algorithm = {match[0]: dict(self._stated(match[0])) for match in manifests}
        self._check_complete({name: set(stated) for name, stated in by_algorithm.items() if not name.startswith("tag")})
        for match in manifests:
            self._check_digests(match[0], match[2], by_algorithm[match[0]])
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
        """Return the path and the digest of each line."""
        for line in self._lines(manifest):
            match = _LINE.fullmatch(line)
            if match is None:
                raise _Bad(f"{manifest} has a malformed line: {line[:80]!r}")
            yield self._name(match[2], manifest), match[1].lower()

    def _name(self, path: str, manifest: str) -> str:
        """Return the name of a file from a path in a manifest. It must not lead out of the bag, not even by a link."""
        path = path.removeprefix("./")
        if path.startswith(("/", "~")) or ".." in path.split("/") or not self._is_inside(path):
            raise _Bad(f"{manifest} names {path}, which is not in the bag")
        name = normalize("NFC", path)
        # The writer may have escaped line ends, with or without per cent signs (RFC 8493 §2.1.3).
        return name if name in self._files else _ESCAPED.sub(lambda match: chr(int(match[1], 16)), name)

    def _is_inside(self, path: str) -> bool:
        return (self._folder / path).resolve().is_relative_to(self._folder.resolve())

    def _check_complete(self, named: dict[str, set[str]]) -> None:
        """Check that each manifest lists the whole payload; before 1.0, that all manifests together do."""
        if not named:
            raise _Bad("it has no manifest of its payload")
        if self._version < _NEWEST:
            named = {" and ".join(named): set.union(*named.values())}
        for manifest, paths in named.items():
            if unknown := self._payload - paths:
                raise _Bad(f"{min(unknown)} is not in {manifest}")

    def _check_digests(self, manifest: str, algorithm: str, stated: dict[str, str]) -> None:
        if algorithm not in _ALGORITHMS:
            raise _Bad(f"{manifest} has an unknown algorithm")
        for name, digest in stated.items():
            if name not in self._files:
                raise _Bad(f"{name} is in {manifest}, and not in the bag")
            if digests_by_algorithm(self._folder / self._files[name], (algorithm,))[algorithm] != digest:
                raise _Bad(f"{name} does not have the digest in {manifest}")

    def _check_fetched(self) -> None:
        """Check the lines of fetch.txt. Nothing is fetched, but a malformed line makes a bag invalid."""
        if "fetch.txt" in self._files:
            for line in self._lines("fetch.txt"):
                match = _FETCHED.fullmatch(line)
                if match is None:
                    raise _Bad(f"fetch.txt has a malformed line: {line[:80]!r}")
                self._name(match[2], "fetch.txt")

    def _info(self, file: str) -> Iterator[tuple[str, str]]:
        if file in self._files:
            text = "\n".join(self._lines(file))
            for line in re.sub(r"\n[ \t]+", " ", text).split("\n"):
                name, _, value = line.partition(":")
                yield name.strip().lower(), value.strip()

    def _check_oxum(self, oxum: str) -> None:
        sizes = [(self._folder / self._files[name]).stat().st_size for name in self._payload]
        if oxum and oxum != (summary := f"{sum(sizes)}.{len(sizes)}"):
            raise _Bad(f"its payload is {summary} (bytes, files), but Payload-Oxum is {oxum}")
