"""Copies the databases of a repository to another place: from files to a PostgreSQL database, back, or between two.

Nobody can write to the origin meanwhile, nor afterwards; it can be read. Numbers, datestamps, cursors and positions
stay, so tokens stay valid. A database is copied in one transaction and compared, the store last; after a kill, the copy
begins again. The clock is not copied: an intent that never ends holds the horizon of the origin, and the clock of the
copy continues above it, and above each second that this machine has answered.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from hashlib import blake2b
from marshal import dumps
from math import inf
from typing import Any, Final, NamedTuple

from gateway.core.ceiling import Ceiling
from gateway.core.errors import ConfigurationError, StoreDamaged
from gateway.core.instance_folder import DISCOVERY, INBOX, STORE, SUBSCRIPTIONS, USERS, Instance
from gateway.core.settings import Settings
from gateway.store.connecting import checked, connect, connect_clock, schema_exists
from gateway.store.connector import Connector, Session
from gateway.store.opening import COPYING_FACT
from gateway.store.queries import load

SQL = load("store")
_ORDER: Final = (USERS, DISCOVERY, SUBSCRIPTIONS, INBOX, STORE)
_NEVER: Final = 2**62
_MOST_ROWS: Final = 2_000  # of one statement
_MOST_BYTES: Final = 4_194_304
_PLAIN: Final = 2  # the version of marshal that writes each value by itself
_IN_USE: Final = "There is a repository at the target already. Choose another database, or move its files away."
_DIFFERS: Final = "The copy of the table {} of {} differs. Nothing was changed at the origin; repeat the command."


class CopiedTable(NamedTuple):
    """A table that was copied: its database, its name, how many rows it has, and a sum over their bytes."""

    database: str
    table: str
    rows: int
    digest: str


def copy(origin: Settings, target: Settings, *, is_rehearsal: bool) -> Iterator[CopiedTable]:
    """Copy all databases, and yield each table; with `is_rehearsal`, nothing is written.

    Raise ConfigurationError if the target has a repository or cannot be used, StoreMissing if the origin has no store,
    and StoreDamaged if the copy differs.
    """
    with ExitStack() as stack:
        _check_free(target)
        if not target.text("store") and not is_rehearsal:
            Instance(target.instance).accept_losses(STORE, *(name for name in _ORDER if not _exists(target, name)))
        held: list[tuple[Connector, Session]] = []
        for name in _ORDER:
            if name == STORE or _exists(origin, name):
                source = stack.enter_context(closing(_connected(origin, name, create=False)))
                session = stack.enter_context(source.writing())  # until the end; readers go on
                held.append((source, session))
                if is_rehearsal:
                    yield from _rows(source, session, name)
                    continue
                there = stack.enter_context(closing(_connected(target, name, create=True)))
                if name == STORE:
                    connect_clock(there, None, inf, lambda _: None, url=target.text("store")).make()
                    there.change(SQL["remember"], (COPYING_FACT, "1"))
                yield from _copied(source, session, there, name)
        if is_rehearsal:
            return
        source, session = held[-1]
        if not session.one("select 1 from intent where expires = ?", (_NEVER,)):  # else it was copied before
            second = connect_clock(source, None, inf, lambda _: None, url=origin.text("store")).tidy(session)
            session.execute(SQL["intent_add"], (second, _NEVER))
            Ceiling(target.instance / STORE).lift(second)
        for source, session in held:
            source.refuse_writers(session)
    _complete(target)


def _complete(target: Settings) -> None:
    """Let the copy be used, after the origin refuses writers."""
    with closing(_connected(target, STORE, create=False)) as store:
        store.change("delete from fact where name = ?", (COPYING_FACT,))


def _check_free(target: Settings) -> None:
    if _exists(target, STORE):
        with closing(_connected(target, STORE, create=False)) as store:
            facts = {name for (name,) in store.rows("select name from fact")}
        if "made_at" in facts and COPYING_FACT not in facts:
            raise ConfigurationError(_IN_USE)


def _exists(settings: Settings, name: str) -> bool:
    if url := checked(settings.text("store")):
        return schema_exists(url, name.partition(".")[0])
    return Instance(settings.instance).is_there(name)


def _connected(settings: Settings, name: str, *, create: bool) -> Connector:
    url = checked(settings.text("store"))
    return connect(settings.instance / name, name.partition(".")[0], create=create, url=url)


def _rows(source: Connector, session: Session, name: str) -> Iterator[CopiedTable]:
    for table in source.tables(session):
        ((count,),) = session.execute(f"select count(*) from {table}")  # noqa: S608 - a table of ours
        yield CopiedTable(name.partition(".")[0], table, count, "")


def _copied(source: Connector, session: Session, there: Connector, name: str) -> Iterator[CopiedTable]:
    """Copy one database in one transaction, and compare it."""
    with there.writing() as copy_:
        done = []
        present, tables = source.tables(session), there.tables(copy_)
        if missing := [table for table in present if table not in tables]:
            raise StoreDamaged(f"{there.name} lacks the table {missing[0]}. Choose another place.")
        with there.triggers_off(copy_):
            for table, columns in tables.items():
                if table not in present:  # of an earlier release, and empty
                    continue
                copy_.execute(f"delete from {table}")  # noqa: S608 - a table of ours
                add = partial(there.add, copy_, table, columns)
                count, digest = _summed(source.stream(session, table, columns), add)
                if _summed(there.stream(copy_, table, columns)) != (count, digest):
                    raise StoreDamaged(_DIFFERS.format(table, there.name))
                done.append(CopiedTable(name.partition(".")[0], table, count, digest))
            if name == STORE:
                copy_.execute("delete from intent where expires = ?", (_NEVER,))
                copy_.execute(SQL["remember"], (COPYING_FACT, "1"))
        there.continue_numbers(copy_, source.last_numbers(session))
    yield from done


def _summed(
    rows: Iterable[tuple[Any, ...]], add: Callable[[list[tuple[Any, ...]]], None] = lambda _: None
) -> tuple[int, str]:
    """Return the number of rows and a sum over their bytes, which their order does not change; `add` gets them."""
    count = total = size = 0
    waiting: list[tuple[Any, ...]] = []
    for row in rows:
        plain = dumps(row, _PLAIN)
        total += int.from_bytes(blake2b(plain, digest_size=16).digest())
        count, size = count + 1, size + len(plain)
        waiting.append(row)
        if len(waiting) == _MOST_ROWS or size >= _MOST_BYTES:
            add(waiting)
            waiting, size = [], 0
    if waiting:
        add(waiting)
    return count, f"{total % (1 << 128):032x}"
