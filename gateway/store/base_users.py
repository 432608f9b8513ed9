"""The protocol of the people who may sign in: users, their sessions, and the log of what they did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from gateway.core.model import Account, LogLine, User


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


class Users(Protocol):
    """The database of users. It is made with the first user; without it, there is no user.

    Names are compared without regard to case and to forms of the same characters. Times are seconds since 1970. Each
    change of a user and its line of the log are one transaction. Every method may raise StoreError.
    """

    def any(self) -> bool:
        """Return whether there is a user."""
        ...

    def all(self) -> tuple[Account, ...]:
        """Return all users, sorted by name."""
        ...

    def find(self, name: str) -> Account | None:
        """Return the user with this name, or None."""
        ...

    def add(self, user: User, password: str, line: LogLine) -> bool:
        """Add a user with the hash of a password; return False, and add nothing, if the name is taken."""
        ...

    def remove(self, name: str, line: LogLine) -> bool:
        """Delete a user and end all sessions; return whether there was one."""
        ...

    def set_password(self, name: str, password: str, line: LogLine) -> bool:
        """Set the hash of a new password and end all sessions; return whether there is such a user."""
        ...

    def begin_session(self, token: str, account: Account, line: LogLine) -> bool:
        """Begin a session under the digest of a token.

        The network of the line becomes a known one of the user. Return False, and begin nothing, if the user was
        removed or has another password than `account`.
        """
        ...

    def of_session(self, token: str, now: int) -> User | None:
        """Return the user of a session, and note that it was used; None if there is no such session, or it is over."""
        ...

    def attempt(self, keys: Sequence[str], now: int, slowing: Slowing) -> Attempt:
        """Count an attempt to sign in as a failure of each key, unless one of them must wait; then count nothing.

        It is counted before the password is checked, so that many attempts at once are as many failures.
        """
        ...

    def forgive(self, keys: Sequence[str]) -> None:
        """Take the failure of an attempt back that was none."""
        ...

    def forget_failures(self, key: str) -> None:
        """Forget all failures of a key."""
        ...

    def knows_network(self, number: int, network: str, now: int) -> bool:
        """Return whether the user of a number has signed in from a network in the last 90 days."""
        ...

    def write_refusal(self, line: LogLine) -> None:
        """Add the line of a failure to the log, unless there are 1,000 of them in the last hour already."""
        ...

    def log_begins(self) -> int | None:
        """Return the second of the first line of the log, which is that of the first user; None: it has no line."""
        ...

    def log(self, before: int, limit: int) -> tuple[LogLine, ...]:
        """Return at most `limit` lines of the log whose number is smaller than `before`, the newest first."""
        ...

    def end_session(self, token: str, line: LogLine) -> bool:
        """End a session; return whether there was one."""
        ...

    def end_sessions(self) -> None:
        """End all sessions of all users."""
        ...

    def write(self, *lines: LogLine) -> None:
        """Add lines to the log."""
        ...

    def write_missing(self, lines: Sequence[LogLine]) -> int:
        """Add those lines to the log that it does not have; return their number.

        It has a line if it has one with the same second, person, deed and subject, from whichever network.
        """
        ...

    def close(self) -> None:
        """Close all connections to the database."""
        ...
