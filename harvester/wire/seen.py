"""Which identifiers have come, in sixteen bytes each: a million of them take some twenty megabytes. Pure."""

from __future__ import annotations

from hashlib import blake2b

_BUCKET = 2  # bytes of a digest that choose the bucket
_REST = 14  # bytes of it that stand there


class Seen:
    """A set of identifiers that cannot be read again, only asked."""

    def __init__(self) -> None:
        """Begin empty."""
        self._buckets: dict[bytes, bytearray] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, identifier: str) -> bool:
        start, rest = _digest(identifier)
        return _holds(self._buckets.get(start, b""), rest)

    def add(self, identifier: str) -> bool:
        """Add one, and tell whether it is new."""
        start, rest = _digest(identifier)
        bucket = self._buckets.get(start)
        if bucket is None:
            self._buckets[start] = bytearray(rest)
        elif _holds(bucket, rest):
            return False
        else:
            bucket += rest
        self._count += 1
        return True


def _digest(identifier: str) -> tuple[bytes, bytes]:
    digest = blake2b(identifier.encode("utf-8", "surrogatepass"), digest_size=_BUCKET + _REST).digest()
    return digest[:_BUCKET], digest[_BUCKET:]


def _holds(bucket: bytes | bytearray, rest: bytes) -> bool:
    at = bucket.find(rest)
    while at > 0 and at % _REST:  # across the border of two
        at = bucket.find(rest, at + 1)
    return at >= 0
