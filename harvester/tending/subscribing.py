"""Subscriptions at the hubs of sources (WebSub): asked for, renewed before they end, and ended.

A hub tells the gateway, at an address of its own, that a source has something new; `harvester tend` then harvests it.
"""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus
from secrets import token_urlsafe

from gateway.errors import ConfigurationError, ConnectionFailed, RemoteRefuses
from gateway.model import Subscription, SubscriptionState
from gateway.settings import Settings
from harvester.instance import Instance
from harvester.pipeline import Wishes, options_of
from harvester.sources import Channel, SourceKind
from harvester.sources_file import SourceEntry
from harvester.tending.due import BREATH_SECONDS, wait_after
from harvester.wire.http import Fetch, Request
from harvester.wire.websub import FORM, form, words_of

_TOKEN_BYTES = 32
_LIVING = (SubscriptionState.ASKED, SubscriptionState.ACTIVE)
# A lease is renewed when a quarter of it is left, or two days: enough for what is only away for a while.
_LEFT_SHARE, _LEFT_SECONDS = 0.25, 2 * 86_400


def place_of(settings: Settings) -> str:
    """Return the address below which hubs reach us. Raise ConfigurationError when nobody said what it is."""
    told, base_url = settings.text("websub_url"), settings.text("base_url")
    if told:
        return told.rstrip("/")
    if not base_url.endswith("/oai"):
        raise ConfigurationError(
            "Hubs must know where to reach the gateway: the setting base_url (it ends in /oai) or websub_url says it."
        )
    return base_url.removesuffix("oai") + "websub"


def subscribe(
    instance: Instance, entry: SourceEntry, kind: SourceKind, fetch: Fetch, now: int
) -> tuple[Subscription, ...]:
    """Ask for every channel that a source has, and let those end that it has no more; return what was asked for.

    Raise ConfigurationError when hubs cannot reach us or the kind knows no channels, RemoteRefuses when the source
    names none or every hub refuses, and what `fetch` raises.
    """
    place = place_of(instance.settings)
    known = {each.topic: _counted(instance, each, now) for each in _living(instance, entry.name)}
    found = {each.topic: each for each in _channels(instance, entry, kind, fetch)}
    for topic in known.keys() - found.keys():
        instance.subscriptions.end(entry.name, topic, now)
    asked = [_kept(instance, entry.name, each, known.get(each.topic), now) for each in found.values()]
    refusals = [(each, why) for each in asked if (why := _said(each, "subscribe", place, instance.settings, fetch))]
    for each, why in refusals:
        instance.subscriptions.deny(each.token, why)
    if len(refusals) == len(asked):
        raise RemoteRefuses(refusals[0][1])
    return tuple(asked)


def _counted(instance: Instance, subscription: Subscription, now: int) -> Subscription:
    """Write down that a subscription is asked for again, whatever comes of it."""
    return instance.subscriptions.ask(replace(subscription, asked_at=now))


def _kept(instance: Instance, source: str, channel: Channel, known: Subscription | None, now: int) -> Subscription:
    if known is not None and known.hub == channel.hub:
        return known
    token, secret = token_urlsafe(_TOKEN_BYTES), token_urlsafe(_TOKEN_BYTES)
    new = Subscription(token, source, channel.topic, channel.hub, secret, SubscriptionState.ASKED, now)
    return instance.subscriptions.ask(new)


def _channels(instance: Instance, entry: SourceEntry, kind: SourceKind, fetch: Fetch) -> tuple[Channel, ...]:
    if kind.channels is None:
        raise ConfigurationError(f"A source of the kind {kind.name} tells of no changes by itself.")
    found = kind.channels(options_of(entry, instance.settings, 0, Wishes()), fetch)
    if not found:
        raise RemoteRefuses(f"{entry.url} names no hub that tells of its changes; `every` lets it be asked instead.")
    return found


def _living(instance: Instance, name: str) -> list[Subscription]:
    return [each for each in instance.subscriptions.of_source(name) if each.state in _LIVING]


def unsubscribe(instance: Instance, entry: SourceEntry, fetch: Fetch, now: int) -> tuple[Subscription, ...]:
    """Let every subscription of a source end, and tell its hub; return them. From now on no call of a hub counts.

    Raise ConfigurationError when there is none.
    """
    place = place_of(instance.settings)
    ending = _living(instance, entry.name)
    if not ending:
        raise ConfigurationError(f"{entry.name} has no subscription.")
    for each in ending:
        instance.subscriptions.end(entry.name, each.topic, now)
    problems = [why for each in ending if (why := _said(each, "unsubscribe", place, instance.settings, fetch))]
    if problems:
        raise RemoteRefuses(f"{problems[0]} Whatever it tells is ignored, and its lease is not renewed.")
    return tuple(ending)


def forget(instance: Instance, source: str, now: int) -> None:
    """Let every subscription of a source end without asking: its hub learns of it when it calls the next time."""
    for each in instance.subscriptions.of_source(source):
        instance.subscriptions.end(source, each.topic, now)


def _said(subscription: Subscription, mode: str, place: str, settings: Settings, fetch: Fetch) -> str:
    """Ask a hub; return why it refuses, empty when it does not. Raise ConnectionFailed when it is ill."""
    lease = settings.number("websub_lease_seconds")
    body = form(mode, subscription.topic, f"{place}/{subscription.token}", subscription.secret, lease)
    answer = fetch(Request(subscription.hub, subscription.source, (("Content-Type", FORM),), "POST", body))
    sentence = f"The hub {subscription.hub} answers with HTTP status {answer.status}: {words_of(answer)}"
    if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise ConnectionFailed(sentence)
    return "" if answer.status < HTTPStatus.MULTIPLE_CHOICES else sentence


# --- when something is due ----------------------------------------------------------------------------------------


def renewal_at(subscription: Subscription) -> float | None:
    """Return the second from which on a subscription is to be asked for again; None: never."""
    if subscription.state not in _LIVING:
        return None
    again = subscription.asked_at + wait_after(subscription.tries, 0.0) if subscription.tries else 0.0
    if subscription.state is SubscriptionState.ASKED:
        return again
    left = min(subscription.lease_seconds * _LEFT_SHARE, _LEFT_SECONDS)
    # A hub whose leases are over at once is not asked all the time.
    return max(subscription.until - left, again, subscription.asked_at + BREATH_SECONDS)
