"""The protocol of the people who may sign in: users, their sessions, and the log of what they did."""

from __future__ import annotations

from typing import Protocol

from gateway.model import Account, LogLine, User


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

        Return False, and begin nothing, if the user was removed or has another password than `account`.
        """
        ...

    def of_session(self, token: str, now: int) -> User | None:
        """Return the user of a session, and note that it was used; None if there is no such session, or it is over."""
        ...

    def end_session(self, token: str, line: LogLine) -> bool:
        """End a session; return whether there was one."""
        ...

    def write(self, *lines: LogLine) -> None:
        """Add lines to the log."""
        ...

    def close(self) -> None:
        """Close all connections to the database."""
        ...
