"""Verification of bytes by stated length and digests. Pure.

ResourceSync writes digests in hexadecimal; its older library, and two examples of the standard, in base64. Both are
read. The standard names MD5 and SHA-256 (Z39.99 §7); SHA-1 is known too. An unreadable digest is ignored.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64decode
from binascii import Error
from collections.abc import Mapping

# Their names in a hash attribute and in hashlib; the strongest first.
_ALGORITHMS: Mapping[str, str] = {"sha-256": "sha256", "sha-1": "sha1", "md5": "md5"}
_SPELLINGS: Mapping[str, str] = {"sha256": "sha-256", "sha1": "sha-1", "md-5": "md5"}
_HEXADECIMAL = re.compile(r"[0-9a-fA-F]+")

Digests = tuple[tuple[str, str], ...]


def digests_of(text: str) -> Digests:
    """Return (algorithm, hexadecimal) pairs of a hash attribute, the strongest first; unreadable ones are left out."""
    pairs = (part.partition(":") for part in text.split())
    digests_ = {_named(name): _hexadecimals(_named(name), value) for name, _, value in pairs}
    return tuple((name, digests_[name]) for name in _ALGORITHMS if digests_.get(name))


def _named(name: str) -> str:
    lower = name.lower()
    return _SPELLINGS.get(lower, lower)


def _new(algorithm: str) -> hashlib._Hash:
    return hashlib.new(_ALGORITHMS[algorithm], usedforsecurity=False)  # against accidents, not attacks


def _hexadecimals(algorithm: str, value: str) -> str:
    if algorithm not in _ALGORITHMS:
        return ""
    size = _new(algorithm).digest_size
    if len(value) == 2 * size and _HEXADECIMAL.fullmatch(value):
        return value.lower()
    text = value.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        plain = b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (Error, ValueError):
        return ""
    return plain.hex() if len(plain) == size else ""


class Fixity:
    """A comparison of bytes, fed in parts, with their stated length and digests."""

    def __init__(self, length: int | None, digests: Digests) -> None:
        """Take the stated values; None and (): not known. Only the strongest digest is computed."""
        self._length, self._expected = length, digests[:1]
        self._size = 0
        self._hashes = [_new(name) for name, _ in self._expected]

    def feed(self, part: bytes) -> None:
        """Take the next bytes."""
        self._size += len(part)
        for hash_ in self._hashes:
            hash_.update(part)

    def fault(self) -> str:
        """Return a sentence about how the bytes differ from the statement; empty when they agree.

        If the digest agrees, a wrong length belongs to another encoding and is no fault.
        """
        for (name, value), hash_ in zip(self._expected, self._hashes, strict=True):
            if hash_.hexdigest() != value:
                return f"Its {name} is {hash_.hexdigest()}, not {value} as the source says."
        if not self._hashes and self._length is not None and self._size != self._length:
            return f"It has {self._size} bytes, not {self._length} as the source says."
        return ""


def fault_of(body: bytes, length: int | None, digests: Digests) -> str:
    """Return in a sentence how a body differs from what is said of it; empty when it does not."""
    fixity = Fixity(length, digests)
    fixity.feed(body)
    return fixity.fault()
