"""The people who may sign in: their roles, what each role allows, and the log of what they did; and subscriptions."""

from dataclasses import dataclass, field
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


# --- Subscriptions of WebSub: ours at the hubs of sources, and those at our hub --------------------------------------


class SubscriptionState(StrEnum):
    """The state of a subscription."""

    ASKED = "asked"  # it was requested, and the hub has not confirmed it
    ACTIVE = "active"
    DENIED = "denied"
    ENDING = "ending"  # its end was requested
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Subscription:
    """A subscription to a topic at a hub (WebSub). Only the hub may know `token`, a part of our address, and `secret`.

    `secret` is the key of its signatures. `tries` counts the requests since the last confirmation; `until` is the end
    of the lease. `asked_at`, `until` and `notified_at` are seconds since 1970.
    """

    token: str = field(repr=False)
    source: str
    topic: str
    hub: str
    secret: str = field(repr=False)
    state: SubscriptionState
    asked_at: int
    tries: int = 1
    lease_seconds: int = 0
    until: int = 0
    notified_at: int = 0
    reason: str = ""  # why the hub denies it


class HubMode(StrEnum):
    """What a subscriber asks a hub for (WebSub §5.1)."""

    SUBSCRIBE = "subscribe"
    UNSUBSCRIBE = "unsubscribe"


@dataclass(frozen=True, slots=True)
class HubRequest:
    """A request to our hub that is not verified yet. `secret` is empty if the subscriber wants no signatures.

    `network` is the network that it came from. `asked_at` is the second since 1970 of its arrival, `since` the horizon
    of the store then. `number` and `tries` are those of the store.
    """

    callback: str
    topic: str
    mode: HubMode
    secret: str = field(repr=False)
    lease_seconds: int
    network: str
    asked_at: int
    since: int
    number: int = 0
    tries: int = 0


@dataclass(frozen=True, slots=True)
class HubDenial:
    """The end of a subscription that our hub has decided on, and of which the subscriber is to be informed."""

    number: int
    callback: str
    topic: str
    reason: str


@dataclass(frozen=True, slots=True)
class Subscriber:
    """A subscription of somebody at our hub, which is verified. Its times are seconds since 1970.

    It ends at `until`. Every change of the topic before `delivered_until` was delivered. `tries` counts the deliveries
    that failed since the last good one; the first of them was at `failing_since`, and `problem` is the last failure.
    """

    number: int
    callback: str
    topic: str
    secret: str = field(repr=False)
    network: str
    until: int
    delivered_until: int
    tries: int
    next_at: int
    failing_since: int
    problem: str
