"""Copies and verifies SQLite files while other processes write them, and locks them so that they can be replaced."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from gateway.core.errors import StoreBusy, StoreDamaged, StoreError
from gateway.core.working_file import translated
from gateway.store.queries import load

STORE, INBOX = {**load("store"), **load("sqlite/store")}, load("inbox")
HEAD = b"SQLite format 3\0"
_PAGES_AT_ONCE = 2_000  # 32 MB of a store between two calls of `progress`


def is_database(file: Path) -> bool:
    """Return whether a file is a SQLite database that is not empty. Raise OSError."""
    with file.open("rb") as stream:
        return stream.read(len(HEAD)) == HEAD


def copy(source: Path, target: Path, progress: Callable[[int, int], None] = lambda *_: None) -> None:
    """Copy the state of a database at one moment, while others read and write it.

    `progress` is called with the number of copied bytes and that of all. Raise StoreError.
    """
    with (
        translated(source),
        closing(_shared(source)) as reading,
        closing(sqlite3.connect(target, isolation_level=None)) as writing,
    ):
        (size,) = reading.execute("pragma page_size").fetchone()
        writing.execute("pragma synchronous = off")  # the caller makes the file durable
        # One snapshot for all steps: otherwise each commit of another process would restart the copy.
        reading.execute("begin")
        reading.execute(STORE["tables_count"]).fetchone()
        reading.backup(
            writing,
            pages=_PAGES_AT_ONCE,
            progress=lambda _, left, total: progress((total - left) * size, total * size),
            sleep=0,
        )


def last_published(store: Path) -> int:
    """Return the number of the last page that a copy of a store has published. Raise StoreError."""
    return _number(store, STORE["position_last"])


def last_received(inbox: Path) -> int:
    """Return the number of the last page of a copy of an inbox. Raise StoreError."""
    return _number(inbox, INBOX["page_last"])


def first_received(inbox: Path) -> int:
    """Return the number of the first page of a copy of an inbox; 0 if it has no page. Raise StoreError."""
    return _number(inbox, INBOX["page_first"])


def ceiling(store: Path) -> int:
    """Return the highest second that a store, which no process has open, may have answered. Raise StoreError."""
    with translated(store), closing(sqlite3.connect(store, isolation_level=None)) as connection:
        row = connection.execute(STORE["clock"]).fetchone()
    return int(row[3])


def _number(file: Path, query: str) -> int:
    with translated(file), closing(_still(file)) as connection:
        (number,) = connection.execute(query).fetchone()
    return int(number)


def _shared(file: Path) -> sqlite3.Connection:
    """Open a database that others may write; a missing one is not made."""
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None)


def _still(file: Path) -> sqlite3.Connection:
    """Open a copy that nobody writes, without making files beside it."""
    return sqlite3.connect(f"{file.absolute().as_uri()}?immutable=1", uri=True, isolation_level=None)


def damage(file: Path, *, is_whole: bool = False) -> tuple[str, ...]:
    """Return what is damaged in a database that others may use; `is_whole`: its indexes are read too.

    A file that cannot be read counts as damaged.
    """
    pragma = "pragma integrity_check(3)" if is_whole else "pragma quick_check(3)"
    try:
        with translated(file), closing(_shared(file)) as connection:
            return tuple(f"{file} is damaged: {text}." for (text,) in connection.execute(pragma) if text != "ok")
    except StoreError as error:
        return (str(error),)


def verify(file: Path) -> None:
    """Raise StoreDamaged if a copy, which nobody may write, is damaged or incomplete.

    Raise another StoreError if it cannot be read.
    """
    with translated(file), closing(_still(file)) as connection:
        ((finding, *_), *_) = connection.execute("pragma quick_check(3)")
    if finding != "ok":
        raise StoreDamaged(f"{file} is damaged: {finding}.")


@contextmanager
def unused(file: Path) -> Iterator[None]:
    """Lock a database inside the block so that no other process can open it; a damaged file is not locked.

    Raise StoreBusy if another process has it open, such as `gateway serve` or a harvest, and StoreError if the file
    cannot be opened.
    """
    with translated(file):
        connection = sqlite3.connect(file, isolation_level=None, timeout=1)
    with closing(connection):
        try:
            connection.execute("pragma locking_mode = exclusive").close()
            connection.execute("pragma wal_checkpoint(truncate)").close()  # all that was committed is in the one file
            connection.execute("begin exclusive").close()
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise StoreBusy(f"Another program has {file} open. Stop `gateway serve` and harvests first.") from error
        yield


def check_not_served(file: Path) -> None:
    """Raise StoreBusy if a process still has a deleted file of this path open: it would serve the deleted store.

    Only processes whose files this user may see are checked (Linux).
    """
    deleted = f"{file.parent.resolve() / file.name} (deleted)"
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or belongs to another user
            if any(str(_target(link)) == deleted for link in (process / "fd").iterdir()):
                raise StoreBusy(f"Process {process.name} still has the deleted file {file} open. End it first.")


def _target(link: Path) -> Path | None:
    try:
        return link.readlink()
    except OSError:  # it was closed meanwhile
        return None
