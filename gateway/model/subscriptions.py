"""What hubs are asked for: the subscriptions, and where each of them stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class SubscriptionState(StrEnum):
    """How a subscription stands: a closed list."""

    ASKED = "asked"  # the hub was asked, and has not confirmed it
    ACTIVE = "active"
    DENIED = "denied"
    ENDING = "ending"  # the hub was asked to end it
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Subscription:
    """What a hub of WebSub was asked for. Whoever knows `token` can call us, who knows `secret` can sign for the hub.

    `tries` counts how often it was asked for since it was last confirmed, `until` is the end of the lease.
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
