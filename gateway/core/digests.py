"""Digests of files in documents: reads their spellings and those of their algorithms, and computes digests. Pure.

PREMIS (messageDigestAlgorithm) and METS (CHECKSUMTYPE) have the same names; of those of METS, HAVAL, MNP, TIGER and
WHIRLPOOL are not known here, and prove nothing. A digest is read in hexadecimal, in base64 (RFC 4648, as `Content-MD5`
has it) and in base32 (`urn:sha1:`). Hexadecimal digits may have `0x` before them, and colons, spaces or hyphens between
bytes.
"""

import base64
import binascii
import hashlib
import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Protocol, TypeAlias

Digest: TypeAlias = tuple[str, str]  # (algorithm as hashlib names it, lower-case hexadecimal)
Digests: TypeAlias = tuple[Digest, ...]

# By our name: the spelling in the vocabularies, and the number of hexadecimal digits; the strongest first.
_ALGORITHMS: Mapping[str, tuple[str, int]] = {
    "sha512": ("SHA-512", 128),
    "sha384": ("SHA-384", 96),
    "sha256": ("SHA-256", 64),
    "sha1": ("SHA-1", 40),
    "md5": ("MD5", 32),
    "crc32": ("CRC32", 8),
    "adler32": ("Adler-32", 8),
}
WEAK = frozenset(("crc32", "adler32"))  # 32 bits: a difference proves another file, but equality proves nothing
UPSTREAM, GATEWAY = "upstream", "gateway"  # messageDigestOriginator: who states a digest in a DIDL of ours
_ORDER = {name: place for place, name in enumerate(_ALGORITHMS)}
_HEXADECIMAL = re.compile(r"[0-9a-f]+")
_BETWEEN = re.compile(r"[\s:_-]")  # separators of bytes
_NOT_IN_A_NAME = re.compile(r"[^a-z0-9]")
# Names that are URIs: of the Library of Congress, and of XML Signature and XML Encryption.
_VOCABULARY = re.compile(r"^https?://(?:id\.loc\.gov/vocabulary/[^#]*/|www\.w3\.org/[^#]*#)")
_OTHER_NAMES = {"sha": "sha1", "sha2256": "sha256", "sha2384": "sha384", "sha2512": "sha512", "crc": "crc32"}
_MOST_CHARACTERS = 1000  # of a value that is looked at


def digest(algorithm: str, value: str) -> Digests:
    """Return a stated digest, or nothing if its algorithm is unknown or the value has another length or spelling.

    If `algorithm` is empty, the value may name it: `md5:…`, `urn:sha1:…`, `{SHA}…`.
    """
    before, text = _split(value.strip().strip("\"'")[:_MOST_CHARACTERS])
    name = _name(algorithm) or before
    if name not in _ALGORITHMS or before not in ("", name):
        return ()
    hexadecimal = _hexadecimal(text, _ALGORITHMS[name][1])
    return ((name, hexadecimal),) if hexadecimal else ()


def unread(algorithm: str, value: str) -> str:
    """Return algorithm and value of a digest that cannot be read; an empty string if it can, or if there is none."""
    if not value.strip() or digest(algorithm, value):
        return ""
    return f"{algorithm.strip()[:_MOST_SHOWN] or 'no algorithm'} {value.strip()[:_MOST_SHOWN]}"


_MOST_SHOWN = 150  # characters: a SHA-512 has 128


def _name(algorithm: str) -> str:
    name = _NOT_IN_A_NAME.sub("", _VOCABULARY.sub("", algorithm.strip()[:_MOST_CHARACTERS]).lower())
    return _OTHER_NAMES.get(name, name)


def _split(value: str) -> tuple[str, str]:
    """Return the algorithm before a value, or an empty string, and the value."""
    text = value[4:] if value[:4].lower() == "urn:" else value
    for opening, closing in (("{", "}"), ("", ":"), ("", "=")):
        before, end, rest = text.removeprefix(opening).partition(closing)
        if text.startswith(opening) and end and (name := _name(before)) in _ALGORITHMS:
            return name, rest
    return "", value


def _hexadecimal(text: str, digits: int) -> str:
    """Return a value as so many lower-case hexadecimal digits; an empty string if it is not such a value."""
    plain = _BETWEEN.sub("", text).lower().removeprefix("0x")
    if len(plain) == digits and _HEXADECIMAL.fullmatch(plain):
        return plain
    compact = "".join(text.split())
    for decode, character in ((_base64, 4 / 3), (_base32, 8 / 5)):
        if 0 <= len(compact) - digits / 2 * character < _MOST_PADDING and len(decoded := decode(compact)) * 2 == digits:
            return decoded.hex()
    return ""


_MOST_PADDING = 8  # characters of padding and of unused bits at the end of both codes


def _base64(text: str) -> bytes:
    plain = text.rstrip("=").translate(str.maketrans("-_", "+/"))
    return _decoded(partial(base64.b64decode, validate=True), plain + "=" * (-len(plain) % 4))


def _base32(text: str) -> bytes:
    plain = text.rstrip("=").upper()
    return _decoded(base64.b32decode, plain + "=" * (-len(plain) % 8))


def _decoded(decode: Callable[[bytes], bytes], text: str) -> bytes:
    try:
        decoded = decode(text.encode("ascii"))
    except (binascii.Error, ValueError):
        return b""
    return decoded


def spelled(algorithm: str) -> str:
    """Return the spelling of an algorithm in the vocabularies, such as `SHA-256` for `sha256`."""
    return _ALGORITHMS[algorithm][0]


def in_order(digests: Iterable[Digest]) -> Digests:
    """Return digests without repetitions, the strongest first."""
    return tuple(sorted(set(digests), key=lambda pair: (_ORDER[pair[0]], pair[1])))


def is_strong(digests: Iterable[Digest]) -> bool:
    """Return whether one of these digests is strong enough to identify a file."""
    return any(name not in WEAK for name, _ in digests)


class Hash(Protocol):
    """An object that computes a digest, like those of hashlib."""

    def update(self, data: bytes, /) -> None:
        """Add the next bytes."""

    def hexdigest(self) -> str:
        """Return the digest of all bytes so far."""


class _Checksum:
    def __init__(self, function: Callable[[bytes, int], int], value: int) -> None:
        self._function, self._value = function, value

    def update(self, data: bytes, /) -> None:
        self._value = self._function(data, self._value)

    def hexdigest(self) -> str:
        return f"{self._value:08x}"


def begun(algorithm: str) -> Hash:
    """Return a new object that computes digests of this algorithm."""
    if algorithm == "crc32":
        return _Checksum(zlib.crc32, 0)
    if algorithm == "adler32":
        return _Checksum(zlib.adler32, 1)
    return hashlib.new(algorithm, usedforsecurity=False)  # it guards against accidents
