"""Reads what the store has of items: their states, and the files that are known besides their records."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from gateway.model import FileLink, FileOrigin, ItemState, Payload
from gateway.store.queries import load
from gateway.store.sqlite_file import Session

SQL = load("sqlite")


def states_of(session: Session, rows: Sequence[tuple[int, str, str, int]]) -> Iterator[ItemState]:
    """Yield the states of items whose rows are (number, upstream, identifier, is_deleted, ...)."""
    numbers = json.dumps([row[0] for row in rows])
    payloads: dict[int, list[Payload]] = {row[0]: [] for row in rows}
    records: dict[int, list[tuple[str, bytes, bool]]] = {row[0]: [] for row in rows}
    for item, prefix, page, place, digest, is_deleted in session.execute(SQL["payloads"], (numbers,)):
        payloads[item].append(Payload(prefix, page, place, digest, bool(is_deleted)))
    for item, prefix, digest, is_deleted in session.execute(SQL["records"], (numbers,)):
        records[item].append((prefix, digest, bool(is_deleted)))
    files = _files(session, numbers) if rows else {}
    withheld = {row[0] for row in session.execute(SQL["withheld_of"], (numbers,))}
    for number, upstream, identifier, is_deleted, *_ in rows:
        parts = tuple(payloads[number]), tuple(records[number]), tuple(files.get(number, ()))
        yield ItemState(number, upstream, identifier, bool(is_deleted), *parts, number in withheld)


def _files(session: Session, numbers: str) -> dict[int, list[FileLink]]:
    """Return the known files of these items (a JSON list of numbers). Most stores have none."""
    files: dict[int, list[FileLink]] = {}
    if session.one(SQL["files_any"]) == (1,):
        for item, *row in session.execute(SQL["files"], (numbers,)):
            link = FileLink(*row)
            link = link._replace(origin=FileOrigin(link.origin), is_named=bool(link.is_named))
            files.setdefault(item, []).append(link)
    return files
