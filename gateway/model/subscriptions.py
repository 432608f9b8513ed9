"""Subscriptions to hubs (WebSub), and their states."""

from __future__ import annotations

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
