"""Every named query is prepared by every backend, with all its parameters."""

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gateway.store.connecting import connect
from gateway.store.sqlite.file import SqliteFile
from tests.queries import texts
from tests.rows import each_row

DATABASES = ("store", "inbox", "discovery", "users", "subscriptions")
_PARAMETER = re.compile(r"%(?:\((\w+)\))?s")


def _refused(prepare: Callable[[str, str], object], queries: Iterator[tuple[str, str]]) -> dict[str, str]:
    """Return what the backend says of the queries that it cannot prepare."""
    refused = {}
    for name, text in queries:
        try:
            prepare(name, text)
        except Exception as error:  # noqa: BLE001 - of whichever driver
            refused[name] = str(error)
    return refused


@each_row("database", DATABASES)
def test_sqlite_prepares_every_query(tmp_path: Path, database: str) -> None:
    with closing(connect(tmp_path / f"{database}.sqlite", database, create=True)) as connector:
        assert isinstance(connector, SqliteFile)
        with connector.reading() as session:
            run = session.connection.execute

            def prepare(_name: str, text: str) -> None:
                names = re.findall(r"(?<![:\w]):([a-z_]\w*)", text)
                places = max(map(int, re.findall(r"\?(\d)", text)), default=text.count("?"))
                run(f"explain {text}", dict.fromkeys(names) if names else (None,) * places).fetchall()

            assert _refused(prepare, texts(database)) == {}


@pytest.fixture(scope="module")
def empty_database(postgres: Any) -> str:
    url: str = postgres(lambda _url: None)
    return url


@each_row("database", DATABASES)
def test_postgresql_prepares_every_query(tmp_path: Path, empty_database: str, database: str) -> None:
    from gateway.store.postgres.connector import PostgresConnector, PostgresSession  # noqa: PLC0415 - psycopg is an extra

    path = tmp_path / f"{database}.sqlite"
    with closing(connect(path, database, create=True, url=empty_database)) as connector:
        assert isinstance(connector, PostgresConnector)
        with connector.reading() as session:
            assert isinstance(session, PostgresSession)

            def prepare(name: str, text: str) -> None:
                session.connection.execute(f'prepare "{name}" as {_numbered(connector.text_of(text))}')
                session.connection.execute(f'deallocate "{name}"')

            assert _refused(prepare, texts(database)) == {}


def _numbered(text: str) -> str:
    """Return a text with the parameters of `prepare`."""
    numbers: dict[str, int] = {}

    def numbered(match: re.Match[str]) -> str:
        return f"${numbers.setdefault(match[1] or str(match.start()), len(numbers) + 1)}"

    return _PARAMETER.sub(numbered, text).replace("%%", "%")
