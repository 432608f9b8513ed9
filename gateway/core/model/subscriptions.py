"""Subscriptions to hubs (WebSub), and those of others at our own hub."""

from dataclasses import dataclass, field
from enum import StrEnum


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
