"""The people who may sign in. The database is made with the first user, and only its owner may read it."""

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from gateway.core.errors import StoreBusy, StoreUnwritable
from gateway.core.model import Account, Deed, LogLine, Role, User, name_key
from gateway.store.connecting import FileOnDemand
from gateway.store.connector import Session
from gateway.store.queries import load

SQL = load("users")
IDLE_SECONDS = 12 * 3_600
LONGEST_SECONDS = 7 * 86_400
_NETWORK_SECONDS = 90 * 86_400
_MOST_NETWORKS = 20  # of a user
_MOST_FAILURES = 10_000  # names and networks whose failures are counted
_MOST_REFUSALS = 1_000  # lines of the log in an hour: attackers must not fill the disk
_DOUBLINGS = 20
_AHEAD_SECONDS = 120  # what is later than now by more is of a clock that was ahead, and has been corrected
_NOTE_SECONDS = 1.0  # the wait for another process to note that a session was used
_NOTED_SECONDS = 60  # a session that was used is written at most once in this time


class Slowing(NamedTuple):
    """How failures slow sign-ins down: `free` of them do not; then the wait doubles from `least` to `most` seconds.

    Failures are forgotten `memory` seconds after the last one.
    """

    free: int = 5
    least: int = 30
    most: int = 900
    memory: int = 3_600


class Attempt(NamedTuple):
    """What became of an attempt to sign in: `wait` seconds to wait, 0: the password may be checked.

    `is_slowed`: with this attempt, failures begin to slow sign-ins down.
    """

    wait: int = 0
    is_slowed: bool = False


class Users(FileOnDemand):
    """The database of users. It is made with the first user; without it, there is no user.

    Names are compared without regard to case and to forms of the same characters. Times are seconds since 1970. Each
    change of a user and its line of the log are one transaction. Every method may raise StoreError. It is safe for
    threads and processes.
    """

    _database = "users"

    # -- users ---------------------------------------------------------------------------------------------------

    def any(self) -> bool:
        """Return whether there is a user."""
        return bool(self._rows(SQL["user_any"]))

    def all(self) -> tuple[Account, ...]:
        """Return all users, sorted by name."""
        return tuple(map(_account, self._rows(SQL["users"])))

    def find(self, name: str) -> Account | None:
        """Return the user with this name, or None."""
        rows = self._rows(SQL["user_find"], (name_key(name),))
        return _account(rows[0]) if rows else None

    def add(self, user: User, password: str, line: LogLine) -> bool:
        """Add a user with the hash of a password; return False, and add nothing, if the name is taken."""
        with self._writing(create=True) as session:
            if session.one(SQL["user_find"], (name_key(user.name),)):
                return False
            values = (user.name, name_key(user.name), user.role, json.dumps(user.sources), password, line.at)
            session.execute(SQL["user_add"], values)
            _write(session, line)
        return True

    def remove(self, name: str, line: LogLine) -> bool:
        """Delete a user and end all sessions; return whether there was one."""
        return self._change_user(SQL["user_remove"], (name_key(name),), line)

    def set_password(self, name: str, password: str, line: LogLine) -> bool:
        """Set the hash of a new password and end all sessions; return whether there is such a user."""
        return self._change_user(SQL["user_password"], (password, name_key(name)), line)

    def _change_user(self, query: str, parameters: Sequence[object], line: LogLine) -> bool:
        if not self.any():
            return False
        with self._writing() as session:
            row = session.one(query, parameters)
            if row is None:
                return False
            session.execute(SQL["sessions_end"], (row[0],))
            session.execute(SQL["networks_forget"], (row[0],))
            _write(session, line)
        return True

    # -- sessions ------------------------------------------------------------------------------------------------

    def begin_session(self, token: str, account: Account, line: LogLine) -> bool:
        """Begin a session under the digest of a token.

        The network of the line becomes a known one of the user. Return False, and begin nothing, if the user was
        removed or has another password than `account`.
        """
        values = {"token": token, "user": account.number, "generation": account.generation, "at": line.at}
        with self._writing() as session:
            session.execute(SQL["sessions_expire"], _bounds(line.at))
            if not session.one(SQL["session_begin"], values):
                return False
            session.execute(SQL["user_signed_in"], (line.at, account.number))
            session.execute(SQL["network_note"], (account.number, line.network, line.at))
            session.execute(SQL["networks_trim"], {"user": account.number, "most": _MOST_NETWORKS})
            _write(session, line)
        return True

    def of_session(self, token: str, now: int) -> User | None:
        """Return the user of a session, and note that it was used; None if there is no such session, or it is over."""
        rows = self._rows(SQL["session_find"], {"token": token, **_bounds(now)})
        if not rows:
            return None
        *account, used_at = rows[0]
        if now - used_at >= _NOTED_SECONDS:
            # Not to note it ends the session earlier, and never later.
            with suppress(StoreBusy, StoreUnwritable), self._writing(at_most_seconds=_NOTE_SECONDS) as session:
                session.execute(SQL["session_used"], (now, token))
        return _account(account).user

    def end_session(self, token: str, line: LogLine) -> bool:
        """End a session; return whether there was one."""
        with self._writing() as session:
            if not session.one(SQL["session_end"], (token,)):
                return False
            _write(session, line)
        return True

    def end_sessions(self) -> None:
        """End all sessions of all users."""
        self._change(SQL["sessions_end_all"])

    # -- failures ------------------------------------------------------------------------------------------------

    def attempt(self, keys: Sequence[str], now: int, slowing: Slowing) -> Attempt:
        """Count an attempt to sign in as a failure of each key, unless one of them must wait; then count nothing.

        It is counted before the password is checked, so that many attempts at once are as many failures.
        """
        times, is_slowed = {"since": now - slowing.memory, "now": now, "latest": now + _AHEAD_SECONDS}, False
        with self._writing() as session:
            session.execute(SQL["failures_expire"], times)
            known = {key: session.one(SQL["failure_find"], {"key": key, **times}) or (0, 0) for key in keys}
            wait = max(free_at for _, free_at in known.values()) - now
            if wait > 0:
                return Attempt(wait)
            for key, (count, _) in known.items():
                more = count + 1 - slowing.free
                seconds = min(slowing.least << min(more, _DOUBLINGS), slowing.most) if more >= 0 else 0
                session.execute(SQL["failure_count"], (key, count + 1, now, now + seconds))
                is_slowed |= more == 0
            session.execute(SQL["failures_trim"], (_MOST_FAILURES,))
        return Attempt(0, is_slowed)

    def forgive(self, keys: Sequence[str]) -> None:
        """Take the failure of an attempt back that was none."""
        with self._writing() as session:
            session.executemany(SQL["failure_forgive"], [(key,) for key in keys])

    def forget_failures(self, key: str) -> None:
        """Forget all failures of a key."""
        self._change(SQL["failure_forget"], (key,))

    def knows_network(self, number: int, network: str, now: int) -> bool:
        """Return whether the user of a number has signed in from a network in the last 90 days."""
        return bool(self._rows(SQL["network_knows"], (number, network, now - _NETWORK_SECONDS)))

    # -- the log -------------------------------------------------------------------------------------------------

    def write(self, *lines: LogLine) -> None:
        """Add lines to the log."""
        with self._writing() as session:
            _write(session, *lines)

    def write_missing(self, lines: Sequence[LogLine]) -> int:
        """Add those lines to the log that it does not have; return their number.

        It has a line if it has one with the same second, person, deed and subject, from whichever network.
        """
        with self._reading() as session:
            if not _missing(session, lines):
                return 0
        with self._writing() as session:
            missing = _missing(session, lines)
            _write(session, *missing)
        return len(missing)

    def write_refusal(self, line: LogLine) -> None:
        """Add the line of a failure to the log, unless there are 1,000 of them in the last hour already."""
        with self._writing() as session:
            asked = (line.deed, line.at - 3_600, line.at + _AHEAD_SECONDS, _MOST_REFUSALS)
            (count,) = session.one(SQL["log_recent"], asked) or (0,)
            if count < _MOST_REFUSALS:
                _write(session, line)

    def log_begins(self) -> int | None:
        """Return the second of the first line of the log, which is that of the first user; None: it has no line."""
        rows = self._rows(SQL["log_first"])
        return int(rows[0][0]) if rows else None

    def log(self, before: int, limit: int) -> tuple[LogLine, ...]:
        """Return at most `limit` lines of the log whose number is smaller than `before`, the newest first."""
        rows = self._rows(SQL["log_before"], (before, limit))
        return tuple(LogLine(at, by, Deed(deed), *others) for at, by, deed, *others in rows)


def _account(row: Sequence[Any]) -> Account:
    number, name, role, sources, *others = row
    return Account(number, User(name, Role(role), tuple(json.loads(sources))), *others)


def _bounds(now: int) -> dict[str, int]:
    return {"idle_since": now - IDLE_SECONDS, "begun_since": now - LONGEST_SECONDS, "latest": now + _AHEAD_SECONDS}


def _missing(session: Session, lines: Sequence[LogLine]) -> list[LogLine]:
    """Return the lines that the log does not have, each once."""
    missing = {line[:4]: line for line in reversed(lines)}
    for deed in {line.deed for line in lines}:
        moments = [line.at for line in lines if line.deed is deed]
        for row in session.execute(SQL["log_between"], (deed, min(moments), max(moments))):
            missing.pop(row, None)
    return [line for line in lines if missing.pop(line[:4], None)]


def _write(session: Session, *lines: LogLine) -> None:
    session.executemany(SQL["log_add"], [line[:5] for line in lines])
