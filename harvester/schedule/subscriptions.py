"""Subscriptions at the hubs of sources (WebSub): subscribe, renew before the lease ends, unsubscribe.

A hub notifies the gateway, at an address of each subscription, that a source has changed. `harvester tend` then
harvests the source.
"""

from dataclasses import replace
from http import HTTPStatus
from secrets import token_urlsafe
from urllib.parse import urlencode

from gateway.core.errors import ConfigurationError, ConnectionFailed, RemoteRefuses
from gateway.core.model import Subscription, SubscriptionState
from gateway.core.settings import Settings
from harvester.harvest.instance import Instance
from harvester.harvest.run_lifecycle import RunOptions, lists_of, source_options
from harvester.harvest.sources_toml import SourceEntry
from harvester.http.messages import Fetch, Fetched, Request
from harvester.schedule.due import BREATH_SECONDS, wait_after
from harvester.sources import Channel, SourceKind

_FORM = "application/x-www-form-urlencoded"
_LONGEST_TEXT = 300  # characters of a text from a hub
_TOKEN_BYTES = 32
_LIVING = (SubscriptionState.ASKED, SubscriptionState.ACTIVE)
# A lease is renewed when a quarter of it, or two days, are left: enough time for a hub that is away.
_LEFT_SHARE, _LEFT_SECONDS = 0.25, 2 * 86_400


def place_of(settings: Settings) -> str:
    """Return the URL below which hubs reach the gateway. Raise ConfigurationError when no setting gives it."""
    callback, base_url = settings.text("websub_url"), settings.text("base_url")
    if callback:
        return callback.rstrip("/")
    if not base_url.endswith("/oai"):
        raise ConfigurationError("Hubs need an address of the gateway. Set base_url (it ends in /oai) or websub_url.")
    return base_url.removesuffix("oai") + "websub"


def subscribe(
    instance: Instance, entry: SourceEntry, kind: SourceKind, fetch: Fetch, now: int
) -> tuple[Subscription, ...]:
    """Subscribe to all channels of a source, and end subscriptions of channels that it has no more.

    Return the subscriptions; `now` is the second since 1970. Raise ConfigurationError when hubs cannot reach the
    gateway or the kind has no channels, RemoteRefuses when the source names none or all hubs refuse. Raise
    ConnectionFailed when a hub fails, and the errors of `fetch`.
    """
    place = place_of(instance.settings)
    known = {
        subscription.topic: instance.subscriptions.ask(replace(subscription, asked_at=now))
        for subscription in _living(instance, entry.name)
    }
    channels = {channel.topic: channel for channel in _channels(instance, entry, kind, fetch)}
    for topic in known.keys() - channels.keys():
        instance.subscriptions.end(entry.name, topic, now)
    asked = [_kept(instance, entry.name, channel, known.get(channel.topic), now) for channel in channels.values()]
    refusals = [
        (subscription, why)
        for subscription in asked
        if (why := _refusal(subscription, "subscribe", place, instance.settings, fetch))
    ]
    for subscription, why in refusals:
        instance.subscriptions.deny(subscription.token, why)
    if len(refusals) == len(asked):
        raise RemoteRefuses(refusals[0][1])
    return tuple(asked)


def _kept(instance: Instance, source: str, channel: Channel, known: Subscription | None, now: int) -> Subscription:
    if known is not None and known.hub == channel.hub:
        return known
    token, secret = token_urlsafe(_TOKEN_BYTES), token_urlsafe(_TOKEN_BYTES)
    new = Subscription(token, source, channel.topic, channel.hub, secret, SubscriptionState.ASKED, now)
    return instance.subscriptions.ask(new)


def _channels(instance: Instance, entry: SourceEntry, kind: SourceKind, fetch: Fetch) -> tuple[Channel, ...]:
    if kind.channels is None:
        raise ConfigurationError(f"A {kind.name} source announces no changes. Set `every` in its entry instead.")
    options, lists = source_options(entry, instance.settings, 0, RunOptions()), lists_of(entry, RunOptions())
    channels = kind.channels(options, lists, fetch)
    if not channels:
        raise RemoteRefuses(f"{entry.url} names no hub for its changes. Set `every` in its entry instead.")
    return channels


def _living(instance: Instance, name: str) -> list[Subscription]:
    return [subscription for subscription in instance.subscriptions.of_source(name) if subscription.state in _LIVING]


def unsubscribe(instance: Instance, entry: SourceEntry, fetch: Fetch, now: int) -> tuple[Subscription, ...]:
    """End all subscriptions of a source, and unsubscribe at the hubs; return them. Later notifications are ignored.

    Raise ConfigurationError when there is none, RemoteRefuses when a hub refuses, ConnectionFailed when it fails, and
    the errors of `fetch`.
    """
    place = place_of(instance.settings)
    ending = _living(instance, entry.name)
    if not ending:
        raise ConfigurationError(f"{entry.name} has no subscription.")
    for subscription in ending:
        instance.subscriptions.end(entry.name, subscription.topic, now)
    problems = [
        why
        for subscription in ending
        if (why := _refusal(subscription, "unsubscribe", place, instance.settings, fetch))
    ]
    if problems:
        raise RemoteRefuses(f"{problems[0]} Its notifications are ignored, and its lease is not renewed.")
    return tuple(ending)


def forget(instance: Instance, source: str, now: int) -> None:
    """End all subscriptions of a source without a request. The hub gets an error with its next notification."""
    for subscription in instance.subscriptions.of_source(source):
        instance.subscriptions.end(source, subscription.topic, now)


def _refusal(subscription: Subscription, mode: str, place: str, settings: Settings, fetch: Fetch) -> str:
    """Send a request to a hub; return why it refuses, else an empty string. Raise ConnectionFailed when it fails."""
    lease = settings.number("websub_lease_seconds")
    body = form(mode, subscription.topic, f"{place}/{subscription.token}", subscription.secret, lease)
    answer = fetch(Request(subscription.hub, subscription.source, (("Content-Type", _FORM),), "POST", body))
    sentence = f"The hub {subscription.hub} answers with HTTP status {answer.status}: {words_of(answer)}"
    if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise ConnectionFailed(sentence)
    return "" if answer.status < HTTPStatus.MULTIPLE_CHOICES else sentence


def form(mode: str, topic: str, callback: str, secret: str, lease_seconds: int) -> bytes:
    """Return the body of a request to subscribe or unsubscribe (WebSub §5.1); `lease_seconds` is in seconds."""
    form = {"hub.mode": mode, "hub.topic": topic, "hub.callback": callback}
    if mode == "subscribe":
        form |= {"hub.lease_seconds": str(lease_seconds), "hub.secret": secret}
    return urlencode(form).encode()


def words_of(answer: Fetched) -> str:
    """Return the text of a hub's answer as one printable line of at most 300 characters."""
    text = answer.body[: 4 * _LONGEST_TEXT].decode("utf-8", "replace")
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())[:_LONGEST_TEXT]


# --- when something is due ----------------------------------------------------------------------------------------


def renewal_at(subscription: Subscription) -> float | None:
    """Return the second since 1970 at which a subscription must be renewed; None: never."""
    if subscription.state not in _LIVING:
        return None
    again = subscription.asked_at + wait_after(subscription.tries, 0.0) if subscription.tries else 0.0
    if subscription.state is SubscriptionState.ASKED:
        return again
    left = min(subscription.lease_seconds * _LEFT_SHARE, _LEFT_SECONDS)
    # Limits the requests to a hub with very short leases.
    return max(subscription.until - left, again, subscription.asked_at + BREATH_SECONDS)
