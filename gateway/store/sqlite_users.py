"""The people who may sign in, on SQLite. The file is made with the first user, and only its owner may read it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unicodedata import normalize

from gateway.model import Account, LogLine, Role, User
from gateway.store.file_on_demand import FileOnDemand
from gateway.store.queries import load
from gateway.store.sqlite_file import Session

SQL = load("users")
IDLE_SECONDS = 12 * 3_600
LONGEST_SECONDS = 7 * 86_400
_NOTED_SECONDS = 60  # a session that was used is written at most once in this time


class SqliteUsers:
    """The users of an instance; `Users` in base_users.py has the promises. Safe for threads and processes."""

    def __init__(self, path: Path) -> None:
        """Take the path of the file, which may be missing."""
        self._file = FileOnDemand(path, "users")

    def close(self) -> None:
        """Close all connections to the database."""
        self._file.close()

    # -- users ---------------------------------------------------------------------------------------------------

    def any(self) -> bool:
        """Return whether there is a user."""
        return bool(self._file.rows(SQL["user_any"]))

    def all(self) -> tuple[Account, ...]:
        """Return all users, sorted by name."""
        return tuple(map(_account, self._file.rows(SQL["users"])))

    def find(self, name: str) -> Account | None:
        """Return the user with this name, or None."""
        rows = self._file.rows(SQL["user_find"], (_key(name),))
        return _account(rows[0]) if rows else None

    def add(self, user: User, password: str, line: LogLine) -> bool:
        """Add a user with the hash of a password; return False, and add nothing, if the name is taken."""
        with self._file.writing(create=True) as session:
            if session.one(SQL["user_find"], (_key(user.name),)):
                return False
            values = (user.name, _key(user.name), user.role, json.dumps(user.sources), password, line.at)
            session.execute(SQL["user_add"], values)
            _write(session, line)
        return True

    def remove(self, name: str, line: LogLine) -> bool:
        """Delete a user and end all sessions; return whether there was one."""
        return self._change(SQL["user_remove"], (_key(name),), line)

    def set_password(self, name: str, password: str, line: LogLine) -> bool:
        """Set the hash of a new password and end all sessions; return whether there is such a user."""
        return self._change(SQL["user_password"], (password, _key(name)), line)

    def _change(self, query: str, parameters: Sequence[object], line: LogLine) -> bool:
        if not self.any():
            return False
        with self._file.writing() as session:
            row = session.one(query, parameters)
            if row is None:
                return False
            session.execute(SQL["sessions_end"], (row[0],))
            session.execute(SQL["networks_forget"], (row[0],))
            _write(session, line)
        return True

    # -- sessions ------------------------------------------------------------------------------------------------

    def begin_session(self, token: str, account: Account, line: LogLine) -> bool:
        """Begin a session; return False if the user was removed or has another password than `account`."""
        values = {"token": token, "user": account.number, "generation": account.generation, "at": line.at}
        with self._file.writing() as session:
            session.execute(SQL["sessions_expire"], _bounds(line.at))
            if not session.one(SQL["session_begin"], values):
                return False
            session.execute(SQL["user_signed_in"], (line.at, account.number))
            _write(session, line)
        return True

    def of_session(self, token: str, now: int) -> User | None:
        """Return the user of a session, and note that it was used; None if there is no such session, or it is over."""
        rows = self._file.rows(SQL["session_find"], {"token": token, **_bounds(now)})
        if not rows:
            return None
        *account, used_at = rows[0]
        if now - used_at >= _NOTED_SECONDS:
            with self._file.writing() as session:
                session.execute(SQL["session_used"], (now, token))
        return _account(account).user

    def end_session(self, token: str, line: LogLine) -> bool:
        """End a session; return whether there was one."""
        with self._file.writing() as session:
            if not session.one(SQL["session_end"], (token,)):
                return False
            _write(session, line)
        return True

    # -- the log -------------------------------------------------------------------------------------------------

    def write(self, *lines: LogLine) -> None:
        """Add lines to the log."""
        with self._file.writing() as session:
            _write(session, *lines)


def _account(row: Sequence[Any]) -> Account:
    number, name, role, sources, *others = row
    return Account(number, User(name, Role(role), tuple(json.loads(sources))), *others)


def _key(name: str) -> str:
    return normalize("NFKC", normalize("NFKC", name).casefold())


def _bounds(now: int) -> dict[str, int]:
    return {"idle_since": now - IDLE_SECONDS, "begun_since": now - LONGEST_SECONDS}


def _write(session: Session, *lines: LogLine) -> None:
    session.executemany(SQL["log_add"], [line[:5] for line in lines])
