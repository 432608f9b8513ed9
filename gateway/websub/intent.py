"""Verification of intent: decides on the call by which a hub verifies a subscription (WebSub, 2018, §5.3). Pure."""

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
    """The subscription is ours: answer with `challenge`; the hub announces changes for `lease_seconds`."""

    challenge: str
    lease_seconds: int


class Ended(NamedTuple):
    """The end of the subscription is intended: answer with `challenge`."""

    challenge: str


class Denied(NamedTuple):
    """The hub denies the subscription (WebSub §5.2)."""

    reason: str


Meant: TypeAlias = Confirmed | Ended | Denied


def intent(subscription: Subscription, arguments: Mapping[str, str], lease_seconds: int) -> Meant | None:
    """Return the meaning of a hub's call by its arguments; None if it does not fit the subscription.

    `lease_seconds` is the requested lease; it is used if the hub names none or an impossible one.
    """
    mode, challenge = arguments.get("hub.mode", ""), arguments.get("hub.challenge", "")
    if arguments.get("hub.topic", "") != subscription.topic:
        return None
    if mode == "denied":
        return Denied(arguments.get("hub.reason", "")[:_LONGEST_REASON])
    if not 0 < len(challenge) <= _LONGEST_CHALLENGE:
        return None
    if mode == "subscribe" and subscription.state in _SUBSCRIBED:
        return Confirmed(challenge, _lease(arguments.get("hub.lease_seconds", "")) or lease_seconds)
    if mode == "unsubscribe" and subscription.state in _OVER:
        return Ended(challenge)
    return None


def _lease(text: str) -> int:
    """Return the seconds of a lease; 0 if the text is no number."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 12 else 0  # noqa: PLR2004 - a millennium
    return min(number, _LONGEST_LEASE)
