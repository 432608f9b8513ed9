"""A database for one run has the tables of its schema, and a transaction in it is whole or not there."""

from pathlib import Path
from sqlite3 import Connection

import pytest

from gateway.core.errors import StoreError
from gateway.store.sqlite.working_file import made_with, transaction

_SCHEMA = "create table one (text text unique)"


def test_an_error_undoes_a_transaction_and_the_next_one_is_written(tmp_path: Path) -> None:
    path = tmp_path / "one.sqlite"
    connection = made_with(_SCHEMA, path)
    for text, error in (("a", ZeroDivisionError), ("b", StoreError)):
        with pytest.raises(error):
            _write_and_fail(connection, path, text)
    with transaction(connection, path):
        connection.execute("insert into one values ('c')")
    assert made_with("", path).execute("select text from one").fetchall() == [("c",)]


def _write_and_fail(connection: Connection, path: Path, text: str) -> None:
    with transaction(connection, path):
        connection.execute("insert into one values (?)", (text,))
        if text == "a":
            raise ZeroDivisionError
        connection.execute("insert into one values (?)", (text,))
