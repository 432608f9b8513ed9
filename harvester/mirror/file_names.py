"""File names for any file system: they keep their accents, and never differ by case alone. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import count
from unicodedata import category, combining, normalize

_MOST_CHARACTERS, _MOST_BYTES = 100, 200  # a name has at most 255 bytes on most file systems; a number may be added
_PLAIN = "._-"
_RUNS = re.compile(r"_{2,}")
_KEPT = ("L", "M", "N")  # letters, marks and numbers, by their general category in Unicode
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")  # names of devices on Windows, whatever follows


class UsedPaths:
    """The used paths of an object. Paths that differ only in case or Unicode form count as the same."""

    def __init__(self, paths: Iterable[str] = ()) -> None:
        """Take the existing paths. Old ones may differ by case alone."""
        self._keys = {_key(path) for path in paths}

    def add(self, path: str) -> None:
        """Add a used path."""
        self._keys.add(_key(path))

    def free(self, folder: str, name: str, extension: str = "") -> str:
        """Return an unused path in a folder; `extension` is added where the name has none."""
        stem, dot, last = name.rpartition(".")
        if not dot:
            stem, dot, last = name, extension[:1], extension[1:]
        paths = (f"{folder}/{stem}{number}{dot}{last}" for number in _numbers())
        return next(path for path in paths if _key(path) not in self._keys)


def _numbers() -> Iterable[str]:
    yield ""
    yield from (f"-{number}" for number in count(2))


def _key(path: str) -> str:
    return normalize("NFKC", normalize("NFKC", path).casefold())


def safe(name: str) -> str:
    """Return a name that is legal on any file system: the last 100 characters or fewer, the others replaced by `_`."""
    composed = normalize("NFC", name)
    plain = "".join(letter if letter in _PLAIN or category(letter)[0] in _KEPT else "_" for letter in composed)
    short = _RUNS.sub("_", plain).strip("._")[-_MOST_CHARACTERS:]
    while len(short.encode()) > _MOST_BYTES or (short and combining(short[0])):
        short = short[1:]
    short = short.lstrip("._") or "file"
    return f"_{short}" if _RESERVED.fullmatch(short) else short
