"""The people who may sign in: their roles, what each role allows, and the log of what they did."""

from enum import StrEnum
from typing import Final, NamedTuple
from unicodedata import normalize

_COMPARED: Final = 1_000  # characters of a name


class Role(StrEnum):
    """What a user may do: see `User`."""

    REVIEWER = "reviewer"
    MANAGER = "manager"
    ADMINISTRATOR = "administrator"


def name_key(name: str) -> str:
    """Return a name as names are compared: case, and forms of the same characters, make no difference.

    No user has a longer name than what is compared. A stranger could send one that takes minutes to compare, because
    the time grows with the square of the number of combining characters.
    """
    return normalize("NFKC", normalize("NFKC", name[:_COMPARED]).casefold())


class User(NamedTuple):
    """A person who may sign in. `sources` are those of a manager; the other roles have none of their own."""

    name: str
    role: Role
    sources: tuple[str, ...] = ()

    def may_decide(self, source: str) -> bool:
        """Return whether the user may decide on files of a source: a manager on those of the own sources only."""
        return self.role is not Role.MANAGER or source in self.sources

    def may_take_down(self, source: str) -> bool:
        """Return whether the user may take down items and files of a source; a reviewer may not."""
        return self.role is Role.ADMINISTRATOR or (self.role is Role.MANAGER and source in self.sources)


class Account(NamedTuple):
    """A user as the store has it: with the password as a hash, and the seconds of two moments.

    `signed_in_at` is 0 if the user has never signed in. `number` is never used again, and `generation` grows with each
    new password.
    """

    number: int
    user: User
    password: str
    generation: int
    added_at: int
    signed_in_at: int = 0


class Deed(StrEnum):
    """What a line of the log says that somebody did."""

    SIGNED_IN = "signed in"
    SIGNED_OUT = "signed out"
    REFUSED = "sign-in refused"
    SLOWED = "sign-ins slowed down"
    ADDED = "user added"
    REMOVED = "user removed"
    PASSWORD = "password set"  # noqa: S105 - the name of a deed
    DECIDED = "decided"
    TAKEN_DOWN = "taken down"
    RESTORED = "takedown removed"


class LogLine(NamedTuple):
    """One line of the log: who did what to what, and from which network; an empty field is unknown or none.

    `at` is in seconds since 1970. `number` grows, and is 0 until the line is stored.
    """

    at: int
    by: str
    deed: Deed
    about: str = ""
    network: str = ""
    number: int = 0
