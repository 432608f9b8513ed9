"""What a hub asks before it believes that a subscription is ours (WebSub, W3C Recommendation 2018, §5.3). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from gateway.model import Subscription, SubscriptionState

_LONGEST_CHALLENGE = 2000  # characters of a text that we send back
_LONGEST_REASON = 500
_LONGEST_LEASE = 10 * 366 * 86_400

_SUBSCRIBED = (SubscriptionState.ASKED, SubscriptionState.ACTIVE)
_OVER = (SubscriptionState.ENDING, SubscriptionState.ENDED)


class Confirmed(NamedTuple):
    """It was meant: `challenge` is what to answer with, `lease_seconds` how long the hub will tell us of changes."""

    challenge: str
    lease_seconds: int


class Ended(NamedTuple):
    """It was meant to end: `challenge` is what to answer with."""

    challenge: str


class Denied(NamedTuple):
    """The hub will tell us nothing."""

    reason: str


Meant: TypeAlias = Confirmed | Ended | Denied


def intent(subscription: Subscription, said: Mapping[str, str], lease_seconds: int) -> Meant | None:
    """Return what the arguments of a hub's call come to; None: it was not meant.

    `lease_seconds` is what was asked for: it holds where the hub names none, or none that can be.
    """
    mode, challenge = said.get("hub.mode", ""), said.get("hub.challenge", "")
    if said.get("hub.topic", "") != subscription.topic:
        return None
    if mode == "denied":
        return Denied(said.get("hub.reason", "")[:_LONGEST_REASON])
    if not 0 < len(challenge) <= _LONGEST_CHALLENGE:
        return None
    if mode == "subscribe" and subscription.state in _SUBSCRIBED:
        return Confirmed(challenge, _lease(said.get("hub.lease_seconds", "")) or lease_seconds)
    if mode == "unsubscribe" and subscription.state in _OVER:
        return Ended(challenge)
    return None


def _lease(text: str) -> int:
    """Return the seconds of a lease; 0 when they are none."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 12 else 0  # noqa: PLR2004 - a millennium
    return min(number, _LONGEST_LEASE)
