"""A set of received identifiers with sixteen bytes for each: a million of them take about 20 MB. Pure."""

from hashlib import blake2b

_BUCKET = 2  # bytes of a digest that choose the bucket
_REST = 14  # bytes of it that are stored


class Seen:
    """A set of identifiers that can be tested for membership but not listed."""

    def __init__(self) -> None:
        self._buckets: dict[bytes, bytearray] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, identifier: str) -> bool:
        start, rest = _digest(identifier)
        return _holds(self._buckets.get(start, b""), rest)

    def add(self, identifier: str) -> bool:
        """Add an identifier, and return whether it is new."""
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
    while at > 0 and at % _REST:  # a match across the border of two entries
        at = bucket.find(rest, at + 1)
    return at >= 0
