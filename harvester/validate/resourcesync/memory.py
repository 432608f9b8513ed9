"""What an earlier run saw, in a folder: the digests of documents and packages, and the Resource Lists.

The addresses of a list of any length take sixteen bytes for each. An address is stored as a hash of 64 bits: a million
of them have two with the same hash once in 37 million lists.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import chain, pairwise
from pathlib import Path
from sys import byteorder
from typing import NamedTuple

from gateway.core.errors import ConfigurationError
from harvester.validate.resourcesync.model import Document

_BUCKETS = 256
_BYTES = 8
_HEAD = b"resource list 1\n"
_MOST_STORED = 50_000_000  # addresses of a file of an earlier run


def key_of(text: str) -> int:
    """Return the hash of a text, the same in every process."""
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=_BYTES).digest(), "big")


class Inventory:
    """The addresses of one Resource List, with all its parts, and a hash of what is said of each resource."""

    def __init__(self, *, has_states: bool) -> None:
        self.has_states = has_states
        self.count = 0
        self._keys = [array("Q") for _ in range(_BUCKETS)]
        self._values = [array("Q") for _ in range(_BUCKETS)]  # parts, or states
        self._hashes = [array("Q") for _ in range(_BUCKETS)]  # not written
        self._is_sorted = True

    def add(self, address: str, value: int, state: int = 0) -> None:
        """Add an address, with the hash of its state or the number of its part, and its `state_of`."""
        key = key_of(address)
        bucket = key & (_BUCKETS - 1)
        self._keys[bucket].append(key)
        self._values[bucket].append(value)
        self._hashes[bucket].append(state)
        self._is_sorted = False
        self.count += 1

    def _sort(self) -> None:
        if self._is_sorted:
            return
        for number in range(_BUCKETS):
            rows = sorted(zip(self._keys[number], self._values[number], self._hashes[number], strict=True))
            self._keys[number] = array("Q", (key for key, _, _ in rows))
            self._values[number] = array("Q", (value for _, value, _ in rows))
            self._hashes[number] = array("Q", (state for _, _, state in rows))
        self._is_sorted = True

    def repetitions(self) -> Iterator[tuple[int, int]]:
        """Yield the values of two entries with the same address."""
        self._sort()
        for keys, values in zip(self._keys, self._values, strict=True):
            for (one, its), (other, others) in pairwise(zip(keys, values, strict=True)):
                if one == other:
                    yield its, others

    def value(self, key: int) -> int | None:
        """Return the value of an address by its hash; None when it is not listed."""
        return self._of(key, self._values)

    def state(self, key: int) -> int | None:
        """Return the state of an address by its hash; None when it is not listed."""
        return self._of(key, self._hashes)

    def _of(self, key: int, columns: list[array[int]]) -> int | None:
        self._sort()
        bucket = key & (_BUCKETS - 1)
        keys = self._keys[bucket]
        place = bisect_left(keys, key)
        return columns[bucket][place] if place < len(keys) and keys[place] == key else None

    def __contains__(self, address: str) -> bool:
        return self.value(key_of(address)) is not None

    def keys(self) -> Iterator[int]:
        """Yield the hashes of all addresses."""
        return chain.from_iterable(self._keys)

    def write(self, file: Path) -> None:
        """Write the hashes and states for a later run. The file is replaced as a whole. Raise OSError."""
        self._sort()
        beside = file.with_suffix(".new")
        with beside.open("wb") as stream:
            stream.write(_HEAD)
            for column in (self._keys, self._values):
                for numbers in column:
                    stream.write(_ordered(numbers).tobytes())
        beside.replace(file)


def read_inventory(file: Path) -> Inventory | None:
    """Return what an earlier run wrote; None when there is nothing, or it is damaged. Raise OSError."""
    if not file.is_file():
        return None
    count, rest = divmod(file.stat().st_size - len(_HEAD), 2 * _BYTES)
    with file.open("rb") as stream:
        if rest or not 0 <= count <= _MOST_STORED or stream.read(len(_HEAD)) != _HEAD:
            return None
        keys, values = array("Q"), array("Q")
        keys.fromfile(stream, count)
        values.fromfile(stream, count)
    return _of_columns(_ordered(keys), _ordered(values))


def _of_columns(keys: Iterable[int], values: Iterable[int]) -> Inventory:
    inventory = Inventory(has_states=True)
    for key, value in zip(keys, values, strict=True):
        bucket = key & (_BUCKETS - 1)
        inventory._keys[bucket].append(key)  # noqa: SLF001 - of its own class
        inventory._values[bucket].append(value)  # noqa: SLF001
        inventory._hashes[bucket].append(0)  # noqa: SLF001
        inventory.count += 1
    inventory._is_sorted = False  # noqa: SLF001
    return inventory


def _ordered(numbers: array[int]) -> array[int]:
    """Return the numbers with the first byte first; a copy on other machines."""
    if byteorder == "little":
        return numbers
    copied = array("Q", numbers)
    copied.byteswap()
    return copied


# --- the folder -------------------------------------------------------------------------------------------------------

_FILE = "documents.json"
_MOST_BYTES = 100_000_000


class Before(NamedTuple):
    """A document or package as an earlier run saw it. `until` is stated: it was closed."""

    digest: str
    at: str = ""
    until: str = ""


class Memory:
    """The memory of runs. Without a folder, nothing is kept. Call `keep` at the end."""

    def __init__(self, folder: Path | None) -> None:
        """Take the folder, which is made if it is missing. Raise ConfigurationError when it cannot be used."""
        self._folder = folder
        self.before: dict[str, Before] = {}
        self._now: dict[str, Before] = {}
        self.is_kept = folder is not None
        if folder is None:
            return
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.before = _read(folder / _FILE)
        except OSError as error:
            raise ConfigurationError(f"{folder} cannot be used: {error.strerror}.") from error

    def document(self, document: Document) -> None:
        """Note a document that was read to its end."""
        if self.is_kept and document.is_whole and document.digest:
            times = (document.md.get("at", ""), document.md.get("until", ""))
            self._now[document.url] = Before(document.digest, *times)

    def package(self, url: str, digest: str, manifest: Document) -> None:
        """Note a package with the times of its manifest."""
        if self.is_kept:
            self._now[url] = Before(digest, manifest.md.get("at", ""), manifest.md.get("until", ""))

    def now(self, url: str) -> Before | None:
        """Return what this run saw."""
        return self._now.get(url)

    def inventory(self, url: str) -> Inventory | None:
        """Return the Resource List of an earlier run. Raise ConfigurationError when the folder cannot be read."""
        if self._folder is None:
            return None
        try:
            return read_inventory(self._inventory_file(self._folder, url))
        except OSError as error:
            raise ConfigurationError(f"{self._folder} cannot be read: {error.strerror}.") from error

    def keep(self, inventories: dict[str, Inventory]) -> None:
        """Write what this run saw. What it did not see stays. Raise ConfigurationError when it cannot be written."""
        folder = self._folder
        assert folder is not None
        try:
            for url, inventory in inventories.items():
                inventory.write(self._inventory_file(folder, url))
            beside = folder / f"{_FILE}.new"
            beside.write_text(json.dumps(self.before | self._now, indent=0), "utf-8")
            beside.replace(folder / _FILE)
        except OSError as error:
            raise ConfigurationError(f"{folder} cannot be written: {error.strerror}.") from error

    def _inventory_file(self, folder: Path, url: str) -> Path:
        return folder / f"{key_of(url):016x}.resources"


def _read(file: Path) -> dict[str, Before]:
    """Return what a file says; nothing when it is none of ours. Raise OSError."""
    if not file.is_file() or file.stat().st_size > _MOST_BYTES:
        return {}
    try:
        document = json.loads(file.read_bytes())
        return {url: Before(*map(str, values)) for url, values in document.items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        return {}
