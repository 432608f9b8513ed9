"""The connector to PostgreSQL 15 or newer: a schema of one database, which all databases of an instance share.

An advisory lock, taken first in each write transaction, lets one transaction write to a schema at a time. So numbers
are committed in their order, as in SQLite, and what was proved for one writer holds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from hashlib import blake2b
from math import inf
from pathlib import Path
from select import POLLIN, poll
from typing import Any, Final, TypeVar

import psycopg
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper, NumericBinaryLoader, NumericLoader

from gateway.core.errors import StoreDamaged, StoreMissing, StoreTooNew
from gateway.core.waiting import server_seconds
from gateway.core.working_file import COPIED
from gateway.store.connector import Connector, Lent, Parameters, Session, Shrunk
from gateway.store.postgres import dialect
from gateway.store.postgres.server import ServerWaiting, connected, name_of, patiently, translated
from gateway.store.queries import load
from gateway.store.sqlite.file import statements

_OVERRIDES: Final = Path(__file__).parents[1] / "sql" / "postgres"
_PREPARED: Final = 1_000  # more than there are queries
_STORING: Final = ("insert", "update")
_REFUSED: Final = re.compile("[\0\ud800-\udfff]")
_IDLE_OR_LOST: Final = (psycopg.pq.TransactionStatus.IDLE, psycopg.pq.TransactionStatus.UNKNOWN)
_NOWHERE: Final = "\uffff"  # no character, and forbidden in XML
_FEW: Final = 2  # rows; one statement with arrays costs more
_SLICE_SECONDS: Final = 5.0  # of a wait for the lock: who waits again does so behind others
_COLUMNS: Final = """
select table_name, column_name, case data_type when 'text' then 'text' when 'bytea' then 'bytea'
  when 'double precision' then 'float8' else 'int8' end, data_type <> 'text' or collation_name = 'C'
from information_schema.columns where table_schema = %s"""
_SIZE: Final = "select coalesce(sum(pg_total_relation_size(oid)), 0) from pg_class where relnamespace = ?::regnamespace"
_AT_ONCE, _BIG_AT_ONCE = 2_000, 50  # rows; those with blobs may have megabytes each
_LAST: Final = "select case when is_called then last_value else last_value - 1 end from {}"
_SEQUENCES: Final = """
select table_name, column_name, pg_get_serial_sequence(quote_ident(table_schema) || '.' || quote_ident(table_name),
  column_name) from information_schema.columns where is_identity = 'YES' and table_schema = ?"""
_BLOBS: Final = """
select table_name, column_name from information_schema.columns where table_schema = %s and data_type = 'bytea'"""


class _Truth(Int8BinaryDumper):
    """Truths are numbers, as in SQLite."""

    def dump(self, obj: Any) -> Any:  # noqa: ANN401 - the type of psycopg
        return super().dump(int(obj))


class _Sum(NumericBinaryLoader):
    """A sum of whole numbers is one."""

    def load(self, data: Any) -> Any:  # noqa: ANN401 - the type of psycopg
        return int(super().load(data))


class _TextSum(NumericLoader):
    """The same, in the other form of answers."""

    def load(self, data: Any) -> Any:  # noqa: ANN401 - the type of psycopg
        return int(super().load(data))


class PostgresSession:
    """One connection; only one thread may use it at a time."""

    def __init__(self, connection: psycopg.Connection[Any], connector: PostgresConnector) -> None:
        self.connection, self._connector = connection, connector

    def begin(self) -> None:
        """Let all queries until the end of the loan read one snapshot."""
        self.connection.execute("begin isolation level repeatable read read only")

    def execute(self, query: str, parameters: Parameters = (), /) -> psycopg.Cursor[Any]:
        """Run a query."""
        text = self._connector.text_of(query)
        return self.connection.execute(text, _bound(query, _looked_up(query, parameters)), binary=True)

    def executemany(self, query: str, rows: Iterable[Parameters], /) -> psycopg.Cursor[Any]:
        """Run a query once for each row; many rows of one table are one statement with an array for each column."""
        wanted = [_looked_up(query, row) for row in rows]
        if len(wanted) > _FEW and (made := self._connector.by_columns(query)):
            text, kinds = made
            columns = [list(column) for column in zip(*wanted, strict=True)]
            for place, kind in enumerate(kinds):
                if kind == "int8":
                    columns[place] = [None if value is None else int(value) for value in columns[place]]
            return self.connection.execute(text, columns)
        cursor = self.connection.cursor()
        if wanted:
            cursor.executemany(self._connector.text_of(query), [_bound(query, row) for row in wanted])
        return cursor

    def one(self, query: str, parameters: Parameters = ()) -> tuple[Any, ...] | None:
        """Return the first row, or None."""
        row: tuple[Any, ...] | None = self.execute(query, parameters).fetchone()
        return row

    def rollback(self) -> None:
        """Roll back the open transaction, if there is one."""
        if self.connection.info.transaction_status not in _IDLE_OR_LOST:
            self.connection.execute("rollback")

    def is_alive(self) -> bool:
        """Return whether the server has sent nothing to an idle connection, not even that it ends."""
        if not self.connection.closed:
            state = poll()
            state.register(self.connection.fileno(), POLLIN)
            if not state.poll(0):
                return True
        self.connection.close()
        return False


def _looked_up(query: str, parameters: Parameters) -> Parameters:
    """Return the parameters of a query; in one that stores nothing, no text is refused by PostgreSQL.

    It has no text with a NUL or half of a surrogate pair, and we have none with `_NOWHERE`, which takes their place. So
    what was asked for is unknown. A query that may store such a text raises an error.
    """
    if query.startswith(_STORING):
        return parameters
    if isinstance(parameters, Mapping):
        return {name: _possible(value) for name, value in parameters.items()}
    return tuple(map(_possible, parameters))


def _possible(value: object) -> object:
    if not isinstance(value, str):
        return value
    if value.startswith("[") and "\\u" in value:
        with suppress(ValueError, RecursionError):  # no list, but a text that looks like one
            return json.dumps([_possible(word) for word in json.loads(value)])
    return value if value.isascii() and "\0" not in value else _REFUSED.sub(_NOWHERE, value)


def _bound(query: str, parameters: Parameters) -> Parameters:
    """Return the parameters of a query; psycopg has no numbered ones."""
    if "?1" in query or "?2" in query:
        assert not isinstance(parameters, dict)
        return {f"p{place}": value for place, value in enumerate(parameters, 1)}
    return parameters


T = TypeVar("T", bound=Lent)


class PostgresConnector(Connector):
    """The schema `database` of a PostgreSQL database; see `Connector`."""

    def __init__(
        self, url: str, database: str, migrations: Path, *, path: Path, create: bool, busy_seconds: float
    ) -> None:
        """Make (if `create`) or upgrade the schema. The clock keeps a file next to `path`.

        Raise StoreMissing, StoreTooNew, StoreBusy, StoreUnwritable or StoreError.
        """
        super().__init__()
        self.path, self._url, self._schema, self._busy_seconds = path, url, database, busy_seconds
        self.name = f"{name_of(url)} (schema {database})"
        self._key = int.from_bytes(blake2b(database.encode(), digest_size=8).digest(), "big", signed=True)
        self._texts = {load(database).get(name, text): text for name, text in load(f"postgres/{database}").items()}
        self._texts = {known: dialect.parameters(text) for known, text in self._texts.items()}
        self._arrays: dict[str, tuple[str, tuple[str, ...]] | None] = {}
        self._types: dict[str, dict[str, str]] = {}
        try:
            self._upgrade(migrations, create=create)
        except BaseException:
            self.close()
            raise

    def text_of(self, query: str) -> str:
        """Return a query as PostgreSQL reads it."""
        text = self._texts.get(query)
        if text is None:
            text = self._texts[query] = dialect.query(query)
        return text

    def by_columns(self, query: str) -> tuple[str, tuple[str, ...]] | None:
        """Return the statement of many rows in place of a query, and the types of its arrays; None: there is none."""
        if query not in self._arrays:
            self._arrays[query] = dialect.by_columns(self.text_of(query), self._types)
        return self._arrays[query]

    # -- lending -------------------------------------------------------------------------------------------------

    def translated(self) -> AbstractContextManager[None]:
        """Turn every error of PostgreSQL inside the block into a StoreError."""
        return translated(self.name)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Lend a connection; a transaction that is open at the end is rolled back.

        A command waits for a server that does not answer; a web worker raises StoreBusy at once.
        """
        with self._begun(self._readers, server_seconds()) as session, self.translated():
            yield session

    @contextmanager
    def writing(self, at_most_seconds: float = inf, *, is_durable: bool = True) -> Iterator[Session]:
        """Lend a connection inside a write transaction that has the lock of the schema."""
        with self._begun(self._writers, min(at_most_seconds, self._busy_seconds)) as session, self.translated():
            if self.is_unsynced or not is_durable:
                session.connection.execute("set local synchronous_commit = off")
            yield session
            session.connection.execute("commit")

    @contextmanager
    def _begun(self, idle: list[PostgresSession], seconds: float) -> Iterator[PostgresSession]:
        """Lend a connection after at most so many `seconds`; that of a writer has the lock of the schema."""
        waiting = ServerWaiting(self.path, seconds)

        def begin() -> tuple[PostgresSession, ExitStack]:
            with ExitStack() as loan, self.translated():
                session = loan.enter_context(self._lent(idle, self._connect))
                if idle is self._writers:
                    self._lock_schema(session, min(waiting.left_seconds, _SLICE_SECONDS))
                return session, loan.pop_all()

        session, loan = patiently(waiting, begin)
        with loan:
            yield session

    def _lock_schema(self, session: PostgresSession, seconds: float) -> None:
        run = session.connection.execute
        run("begin isolation level read committed")  # each query sees what others committed before the lock
        run(f"set local lock_timeout = {max(1, int(seconds * 1000))}")
        run("select pg_advisory_xact_lock(%s)", (self._key,))

    @contextmanager
    def _lent(self, idle: list[T], connect: Callable[[], T]) -> Iterator[T]:
        self._forget_parent()
        with self._lock:
            idle[:] = [session for session in idle if session.is_alive()]  # type: ignore[attr-defined]
        with super()._lent(idle, connect) as session:
            yield session

    def _connect(self) -> PostgresSession:
        connection = connected(self._url)
        connection.execute(f'set search_path = "{self._schema}"')
        connection.prepare_threshold, connection.prepared_max = 1, _PREPARED
        for kind, loader in (("numeric", _Sum), ("numeric", _TextSum)):
            connection.adapters.register_loader(kind, loader)
        connection.adapters.register_dumper(bool, _Truth)
        connection.adapters.register_dumper(int, Int8Dumper)
        connection.adapters.register_dumper(int, Int8BinaryDumper)  # the last one is that of COPY
        return PostgresSession(connection, self)

    # -- what files need, and a server does by itself --------------------------------------------------------------

    def finish_erasure(self) -> bool:
        """Remove what was deleted from the tables."""
        with self.reading() as session:
            for table in self._types:
                session.execute(f'vacuum "{table}"')
        return True

    def note_written(self, size: int) -> bool:  # noqa: ARG002 - a server needs no notes
        """Return False: a long reader makes writing no slower."""
        return False

    def shrink(self, seconds: float, is_stopped: Callable[[], bool], step: Callable[[str], None]) -> Shrunk:  # noqa: ARG002
        """Do nothing: autovacuum gives free space back."""
        return Shrunk()

    def vacuum(self) -> int:
        """Write all tables anew (`VACUUM FULL`); return by how many bytes they are smaller."""
        with self.reading() as session:
            before = self._size(session)
            for table in self._types:
                session.execute(f'vacuum full "{table}"')
            return before - self._size(session)

    def _size(self, session: Session) -> int:
        return int((session.one(_SIZE, (self._schema,)) or (0,))[0])

    def damages(self, session: Session, *, is_whole: bool) -> Iterator[str]:  # noqa: ARG002 - `pg_amcheck` does it
        """Yield nothing: PostgreSQL reports damage when it reads."""
        yield from ()

    def convert(self, step: Callable[[str], None]) -> None:
        """Do nothing: no earlier release wrote to PostgreSQL."""

    # -- copies --------------------------------------------------------------------------------------------------

    def tables(self, session: Session) -> dict[str, tuple[str, ...]]:  # noqa: ARG002 - they are known
        """Return all tables but the marks of migrations and the clock."""
        names = sorted(name for name in self._types if name not in ("migration", "clock"))
        return {name: tuple(sorted(self._types[name])) for name in names}

    def stream(self, session: Session, table: str, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a table, which the server keeps."""
        kinds = [self._types[table][column] for column in columns]
        with session.connection.cursor("copying") as cursor:  # type: ignore[attr-defined]
            cursor.itersize = _BIG_AT_ONCE if "bytea" in kinds else _AT_ONCE
            named = ", ".join(f'"{column}"' for column in columns)
            cursor.execute(f'select {named} from "{table}"', binary=True)  # noqa: S608 - a table of ours
            yield from cursor

    def add(self, session: Session, table: str, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
        """Store rows, by COPY."""
        named = ", ".join(f'"{column}"' for column in columns)
        query = f'copy "{table}" ({named}) from stdin (format binary)'
        with session.connection.cursor() as cursor, cursor.copy(query) as copied:  # type: ignore[attr-defined]
            copied.set_types([self._types[table][column] for column in columns])
            for row in rows:
                copied.write_row(row)

    @contextmanager
    def triggers_off(self, session: Session) -> Iterator[None]:
        """Disable the triggers of all tables."""
        for deed in ("disable", "enable"):
            for table in self._types:
                session.connection.execute(f'alter table "{table}" {deed} trigger user')  # type: ignore[attr-defined]
            if deed == "disable":
                yield

    def last_numbers(self, session: Session) -> dict[str, int]:
        """Return what the sequences have given."""
        run = session.connection.execute  # type: ignore[attr-defined]
        return {table: run(_LAST.format(sequence)).fetchone()[0] for table, _, sequence in self._sequences(session)}

    def continue_numbers(self, session: Session, last: Mapping[str, int]) -> None:
        """Set the sequences."""
        for table, column, sequence in self._sequences(session):
            session.execute(
                f'select setval(?, greatest((select max("{column}") from "{table}"), ?, 0) + 1, false)',  # noqa: S608
                (sequence, last.get(table, 0)),
            )

    def _sequences(self, session: Session) -> list[Any]:
        return session.execute(_SEQUENCES, (self._schema,)).fetchall()

    def refuse_writers(self, session: Session) -> None:
        """Make triggers that refuse every change."""
        text = f"begin raise exception '{COPIED}' using errcode = '25006'; end"  # a transaction that only reads
        run = session.connection.execute  # type: ignore[attr-defined]
        run(f"create or replace function copied() returns trigger language plpgsql as $$ {text} $$")
        for table in self.tables(session):
            when = f'before insert or update or delete on "{table}"'
            run(f"create or replace trigger copied {when} execute function copied()")

    # -- the schema ----------------------------------------------------------------------------------------------

    def _upgrade(self, migrations: Path, *, create: bool) -> None:
        scripts = {file.stem: file.read_text("utf-8") for file in sorted(migrations.glob("*.sql"))}
        with self._begun(self._readers, server_seconds()) as session, self.translated():
            run = session.connection.execute
            if not create and not run("select 1 from pg_namespace where nspname = %s", (self._schema,)).fetchone():
                raise StoreMissing(f"{self.name} is missing; `gateway init` makes it in a new instance.")
            if not self._applied(session):
                self._apply(session, scripts)
            if newer := sorted(self._applied(session) - {*scripts}):
                raise StoreTooNew(f"{self.name} was written by a newer release ({newer[-1]}). Install that release.")
            if self._applied(session) != {*scripts}:
                self._apply(session, scripts)
            for table, column, kind, is_sorted in run(_COLUMNS, (self._schema,)):
                if not is_sorted:
                    raise StoreDamaged(f"{self.name}: the column {column} of {table} has a collation other than C.")
                self._types.setdefault(table, {})[column] = kind

    def _applied(self, session: PostgresSession) -> set[str]:
        run = session.connection.execute
        if not run("select to_regclass(%s)", (f"{self._schema}.migration",)).fetchone()[0]:  # type: ignore[index]
            return set()
        return {name for (name,) in run("select name from migration")}

    def _apply(self, session: PostgresSession, scripts: dict[str, str]) -> None:
        """Apply what is missing in one transaction; another process may do so meanwhile."""
        run = session.connection.execute
        with session.connection.transaction():
            run("select pg_advisory_xact_lock(%s)", (self._key,))
            run(f'create schema if not exists "{self._schema}"')
            applied = self._applied(session)
            if not applied:
                run(dialect.PRELUDE)
                run('create table migration (name text collate "C" primary key)')
            for name, script in scripts.items():
                if name not in applied:
                    for statement in filter(str.strip, map(dialect.schema, statements(script))):
                        run(statement)
                    run("insert into migration values (%s)", (name,))
            own = _OVERRIDES / f"{self._schema}_schema.sql"
            if own.exists():
                run(own.read_text("utf-8"))
            for table, column in run(_BLOBS, (self._schema,)).fetchall():  # they are compressed already
                run(f'alter table "{table}" alter column "{column}" set storage external')
