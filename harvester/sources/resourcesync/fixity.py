"""Verification of bytes by stated length and digests. Pure.

ResourceSync writes digests in hexadecimal; its older library, and two examples of the standard, in base64. Both are
read. The standard names MD5 and SHA-256 (Z39.99 §7); SHA-1 is known too. An unreadable digest is ignored.
"""

from collections.abc import Mapping

from gateway.core.digests import Digests, begun, digest

# The algorithms, and their names in a hash attribute; the strongest first.
_NAMES: Mapping[str, str] = {"sha256": "sha-256", "sha1": "sha-1", "md5": "md5"}


def digests_of(text: str) -> Digests:
    """Return (algorithm, hexadecimal) pairs of a hash attribute, the strongest first; unreadable ones are left out."""
    pairs = (part.partition(":") for part in text.split())
    stated = dict(known for name, _, value in pairs for known in digest(name, value))
    return tuple((name, stated[algorithm]) for algorithm, name in _NAMES.items() if algorithm in stated)


class Fixity:
    """A comparison of bytes, fed in parts, with their stated length and digests, if known (None, ()).

    Only the strongest digest is computed.
    """

    def __init__(self, length: int | None, digests: Digests) -> None:
        self._length, self._expected = length, digests[:1]
        self._size = 0
        self._hashes = [begun(name.replace("-", "")) for name, _ in self._expected]

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
