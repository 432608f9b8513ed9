"""Makes a store as the release before blocks wrote it: its schema, and rows that its publications left."""

import json
import random
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import zstandard

from gateway.store.sqlite import file as sqlite_file
from gateway.store.sqlite.connector import SqliteConnector

MIGRATIONS = Path(sqlite_file.__file__).parents[1] / "migrations" / "store"
FORMER = 12  # the number of the last migration of that release
PREFIXES = {1: "oai_dc", 2: "oai_didl"}
SETS = {1: "source:laro", 2: "source:laro:a", 3: "source:laro:b", 4: "source:laro:empty"}
DICTIONARIES = {1: b"<record><header></header><metadata>" * 40, 2: b"another dictionary </metadata></record>" * 40}
FIRST = 1_600_000_000


class Former(NamedTuple):
    """A record of the store: `sets` and `departed` are those of its item."""

    prefix: int
    datestamp: int
    item: int
    is_deleted: bool
    digest: bytes
    content: bytes
    sets: tuple[int, ...]
    departed: tuple[int, ...]

    @property
    def identifier(self) -> str:
        return f"oai:laro/u{self.item}"


def make_former(path: Path, items: int = 250) -> list[Former]:
    """Make the store, and return its records."""
    content, records = _made(items)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return list(records)


@cache
def _made(items: int) -> tuple[bytes, list[Former]]:
    with TemporaryDirectory() as name:
        folder, path = Path(name) / "store", Path(name) / "former.sqlite"
        folder.mkdir()
        for file in sorted(MIGRATIONS.glob("*.sql"))[:FORMER]:
            shutil.copy(file, folder)
        SqliteConnector(path, folder, create=True).close()
        records = list(_records(items, random.Random(1)))
        with closing(sqlite3.connect(path)) as connection:
            _fill(connection, items, records)
            connection.commit()
            connection.execute("pragma wal_checkpoint(truncate)")
        return path.read_bytes(), records


def without_former_tables(path: Path) -> bool:
    """Return whether a store has no table of the former release."""
    with closing(sqlite3.connect(path)) as connection:
        names = {name for (name,) in connection.execute("select name from sqlite_schema where type = 'table'")}
    return names.isdisjoint({"record", "former_record", "membership", "dictionary"})


def _records(items: int, choice: random.Random) -> Iterator[Former]:
    for item in range(1, items + 1):
        sets = (1, *sorted(choice.sample((2, 3), choice.randint(0, 2))))
        departed = tuple(number for number in (2, 3) if number not in sets and choice.random() < 0.5)
        is_deleted = choice.random() < 0.1
        for prefix in PREFIXES:
            if prefix == 1 or item % 3:
                datestamp = FIRST + choice.choice((0, 1, 2, 3600, 90_000)) + choice.choice((0, 0, item))
                metadata = b"<metadata>%s</metadata>" % choice.randbytes(choice.randint(0, 150)).hex().encode()
                status = b' status="deleted"' if is_deleted else b""
                head = b"<header%s><identifier>oai:laro/u%d</identifier></header>" % (status, item)
                content = b"<record>" + head + (b"" if is_deleted else metadata) + b"</record>"
                yield Former(prefix, datestamp, item, is_deleted, b"%d" % item, content, sets, departed)


def _fill(connection: sqlite3.Connection, items: int, records: list[Former]) -> None:
    by_item = {record.item: record for record in records}
    deleted = sum(by_item[item].is_deleted for item in by_item)
    source = (1, "laro", "https://laro.example.org/oai", "oai_pmh", 0, "oai:laro/", items, deleted)
    names = "id, name, base_url, kind, is_removed, stem, items, deleted"
    connection.execute(f"insert into source ({names}) values (?, ?, ?, ?, ?, ?, ?, ?)", source)
    for number, name in PREFIXES.items():
        connection.execute("insert into prefix values (?, ?)", (number, name))
        connection.execute("insert into format values (?, ?, ?, 1, '', '')", (number, f"{name}.xsd", f"urn:{name}"))
    collections = [(number, spec, spec) for number, spec in SETS.items()]
    connection.executemany("insert into collection values (?, ?, ?, x'')", collections)
    connection.executemany("insert into dictionary values (?, 1, 1, ?)", list(DICTIONARIES.items()))
    for item, record in by_item.items():
        departed = json.dumps(record.departed) if record.departed else None
        columns = (item, record.is_deleted, f"u{item}", json.dumps(record.sets).replace(" ", ""), departed)
        connection.execute(
            "insert into item (id, source, is_deleted, upstream, sets, departed) values (?, 1, ?, ?, ?, ?)", columns
        )
        if item % 50 == 0:
            connection.execute("insert into withheld values (?)", (item,))
    connection.executemany("insert into record values (?, ?, ?, ?, ?, ?, ?)", map(_row, records))
    _fill_lists(connection, records)


def _row(record: Former) -> tuple[object, ...]:
    number = record.item % 3
    known = zstandard.ZstdCompressionDict(DICTIONARIES[number]) if number else None
    packed = zstandard.ZstdCompressor(dict_data=known, level=3, write_dict_id=False).compress(record.content)
    return record.prefix, record.datestamp, record.item, record.is_deleted, number, record.digest, packed


def _fill_lists(connection: sqlite3.Connection, records: list[Former]) -> None:
    tallies: Counter[tuple[int, ...]] = Counter()
    for record in records:
        key = record.prefix, record.datestamp, record.item
        places = [(number, False) for number in record.sets] + [(number, True) for number in record.departed]
        rows = [(number, *key, gone) for number, gone in places]
        connection.executemany("insert into membership values (?, ?, ?, ?, ?)", rows)
        for number, gone in ((0, False), *places):
            for span in (86_400, 3_600, 1):
                tallies[number, record.prefix, span, record.datestamp // span * span, gone] += 1
        if not record.is_deleted:
            metadata = record.content.partition(b"</header>")[2].removesuffix(b"</record>")
            facts = (record.item << 20 | record.prefix, len(metadata), sha256(metadata).digest())
            connection.execute("insert into resource values (?, ?, ?)", facts)
    for (*place, is_gone), count in tallies.items():
        connection.execute(
            "insert into tally values (?, ?, ?, ?, ?, ?) on conflict do update set "
            "records = records + excluded.records, departed = departed + excluded.departed",
            (*place, 0 if is_gone else count, count if is_gone else 0),
        )
