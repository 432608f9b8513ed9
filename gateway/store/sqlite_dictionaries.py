"""Chooses the dictionary for the records of a publication, and trains another one when a format has grown enough.

All of it happens outside of the publishing transaction, so the lock is free during the compression.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gateway.model import ItemChange, Record
from gateway.store.compression import GROWTH, SAMPLES, Packed, make_dictionary
from gateway.store.queries import load
from gateway.store.sqlite_file import Session, SqliteFile

SQL = load("sqlite")

_MOMENTS = 250  # seconds that samples are taken from, spread over all publications


class Newest(NamedTuple):
    """The newest dictionary of a format (0: none), the number of records when it was made, and that of now."""

    number: int
    then: int
    now: int


class Dictionaries:
    """The dictionaries of one store file."""

    def __init__(self, file: SqliteFile) -> None:
        """Take the file."""
        self._file = file

    def pack(self, changes: Sequence[ItemChange]) -> list[list[Packed]]:
        """Return the compressed records, change by change. Raise StoreError."""
        with self._file.packing() as session:
            numbers = {prefix: self._number(session, prefix, changes) for prefix in _prefixes(changes)}
            pack = {prefix: session.codec.packer(prefix, number) for prefix, number in numbers.items()}
            # Format by format: the tables of two dictionaries do not fit into the processor's cache together.
            packed = {
                name: iter([(number, pack[name](record.content)) for record in _records(changes, name)])
                for name, number in numbers.items()
            }
            return [[next(packed[record.metadata_prefix]) for record in change.records] for change in changes]

    def learn(self, changes: Sequence[ItemChange]) -> None:
        """Train another dictionary for each format of `changes` that has grown enough since the last one.

        Raise StoreError.
        """
        for prefix in _prefixes(changes):
            with self._file.packing() as session:
                newest = _newest(session, prefix)
                samples = _samples(session, prefix) if newest.now >= GROWTH * newest.then else []
            if samples:
                self._keep(prefix, newest.now, samples)

    def _number(self, session: Session, prefix: str, changes: Sequence[ItemChange]) -> int:
        newest = _newest(session, prefix)
        if newest.number:
            return newest.number
        contents = [
            record.content for change in changes for record in change.records if record.metadata_prefix == prefix
        ]
        return self._keep(prefix, len(contents), contents[:SAMPLES])

    def _keep(self, prefix: str, records: int, samples: list[bytes]) -> int:
        content = make_dictionary(samples)
        if not content:
            return 0
        with self._file.writing() as session:
            session.execute(SQL["dictionary_add"], {"prefix": prefix, "records": records, "content": content})
            return _newest(session, prefix).number


def _records(changes: Sequence[ItemChange], prefix: str) -> Iterator[Record]:
    return (record for change in changes for record in change.records if record.metadata_prefix == prefix)


def _prefixes(changes: Sequence[ItemChange]) -> list[str]:
    return sorted({record.metadata_prefix for change in changes for record in change.records})


def _newest(session: Session, prefix: str) -> Newest:
    return Newest(*(number or 0 for number in session.one(SQL["dictionary_last"], (prefix,)) or (0, 0, 0)))


def _samples(session: Session, prefix: str) -> list[bytes]:
    """Return records of the format, taken evenly from all publications: neighbours are too similar.

    No record is taken twice: it would count like a second record in the training.
    """
    moments = [row[0] for row in session.execute(SQL["moments"], (prefix,))]
    chosen = moments[:: -(-len(moments) // _MOMENTS)]
    share = -(-SAMPLES // len(chosen))
    samples: list[bytes] = []
    for moment in chosen:
        first, last = session.one(SQL["moment_bounds"], (prefix, moment)) or (0, 0)
        for item in sorted({first + (last + 1 - first) * part // share for part in range(share)}):
            place = {"prefix": prefix, "moment": moment, "item": item}
            dictionary, content = session.one(SQL["sample"], place) or (0, b"")
            samples.append(session.codec.unpack(dictionary, content))
    return samples
