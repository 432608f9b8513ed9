"""The digests that documents state of files: how their algorithms are spelled, and how they are computed. Pure.

PREMIS (messageDigestAlgorithm) and METS (CHECKSUMTYPE) have the same names; of those of METS, HAVAL, MNP, TIGER and
WHIRLPOOL are not known here, and prove nothing.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol, TypeAlias

Digest: TypeAlias = tuple[str, str]  # (algorithm as hashlib names it, lower-case hexadecimal)
Digests: TypeAlias = tuple[Digest, ...]

# By our name: how the vocabularies spell it, and the hexadecimal digits of its digests; the strongest first.
_ALGORITHMS: Mapping[str, tuple[str, int]] = {
    "sha512": ("SHA-512", 128),
    "sha384": ("SHA-384", 96),
    "sha256": ("SHA-256", 64),
    "sha1": ("SHA-1", 40),
    "md5": ("MD5", 32),
    "crc32": ("CRC32", 8),
    "adler32": ("Adler-32", 8),
}
WEAK = frozenset(("crc32", "adler32"))  # 32 bits: a difference proves another file, sameness proves nothing
UPSTREAM, GATEWAY = "upstream", "gateway"  # messageDigestOriginator: who states a digest in a DIDL of ours
_ORDER = {name: place for place, name in enumerate(_ALGORITHMS)}
_HEXADECIMAL = re.compile(r"[0-9a-f]+")
_NOT_IN_A_NAME = re.compile(r"[^a-z0-9]")
_VOCABULARY = re.compile(r"^https?://id\.loc\.gov/vocabulary/(?:preservation/)?cryptographicHashFunctions/")


def digest(algorithm: str, value: str) -> Digests:
    """Return a stated digest; nothing when its algorithm is not known or the value does not fit it."""
    name = _NOT_IN_A_NAME.sub("", _VOCABULARY.sub("", algorithm.strip()).lower())
    text = value.strip().lower()
    if name not in _ALGORITHMS or len(text) != _ALGORITHMS[name][1] or not _HEXADECIMAL.fullmatch(text):
        return ()
    return ((name, text),)


def spelled(algorithm: str) -> str:
    """Return an algorithm as the vocabularies spell it."""
    return _ALGORITHMS[algorithm][0]


def in_order(digests: Iterable[Digest]) -> Digests:
    """Return digests, each once, the strongest first."""
    return tuple(sorted(set(digests), key=lambda each: (_ORDER[each[0]], each[1])))


def is_strong(digests: Iterable[Digest]) -> bool:
    """Tell whether one of these digests suffices to know a file by."""
    return any(name not in WEAK for name, _ in digests)


class Hash(Protocol):
    """What computes a digest, as hashlib does."""

    def update(self, data: bytes, /) -> None:
        """Take the next bytes."""

    def hexdigest(self) -> str:
        """Return the digest of all bytes so far."""
        ...


class _Checksum:
    def __init__(self, function: Callable[[bytes, int], int], value: int) -> None:
        self._function, self._value = function, value

    def update(self, data: bytes, /) -> None:
        self._value = self._function(data, self._value)

    def hexdigest(self) -> str:
        return f"{self._value:08x}"


def begun(algorithm: str) -> Hash:
    """Return what computes digests of this algorithm."""
    if algorithm == "crc32":
        return _Checksum(zlib.crc32, 0)
    if algorithm == "adler32":
        return _Checksum(zlib.adler32, 1)
    return hashlib.new(algorithm, usedforsecurity=False)  # it guards against accidents
