"""The subscriptions at our hub, for `gateway hub list`, `gateway hub remove` and `gateway check`."""

from collections.abc import Sequence
from contextlib import closing
from urllib.parse import urlsplit

from gateway.core.addresses import site_url
from gateway.core.errors import ConfigurationError, StoreMissing
from gateway.core.model import Subscriber
from gateway.core.settings import Settings, Value
from gateway.core.xmltext import utc_datetime
from gateway.hub.topics import Topics
from gateway.resourcesync.addresses import resource_sets
from gateway.store.base import Databases

_EVER = 10**12
_MANY = 10**9
_MOST_NAMED = 5
_LATE_SECONDS = 3_600
_REASON = "The administrator of the repository has ended the subscription."


def topics_of(settings: Settings) -> Topics | None:
    """Return the topics of our hub; None if there is no hub, or its address is not known."""
    base_url = settings.text("base_url")
    if not settings.is_on("hub") or not base_url:
        return None
    url = site_url(base_url, settings.text("pages_url"))
    return Topics(url, base_url, resource_sets(settings.text("resourcesync_lists")))


def failing(subscribers: Sequence[Subscriber]) -> tuple[str, ...]:
    """Return a sentence for each subscriber that accepts no deliveries now, the first ones by name.

    It has the host of the callback alone: the rest of the address may be a secret.
    """
    names = [_failing(subscriber) for subscriber in subscribers if subscriber.failing_since]
    if len(names) <= _MOST_NAMED:
        return tuple(names)
    rest = f"{len(names) - _MOST_NAMED} more subscribers of our hub accept no deliveries: see `gateway hub list`."
    return (*names[:_MOST_NAMED], rest)


def _failing(subscriber: Subscriber) -> str:
    return (
        f"Subscription {subscriber.number} of our hub, at {urlsplit(subscriber.callback).hostname}, has accepted no "
        f"delivery since {utc_datetime(subscriber.failing_since)}: {subscriber.problem}"
    )


def known(settings: Settings) -> tuple[list[dict[str, Value | None]], int]:
    """Return the facts of all subscriptions, and how many requests are not verified yet. Raise StoreError."""
    with closing(Databases(settings).subscribers()) as subscribers:
        return [_facts(subscriber) for subscriber in subscribers.all()], len(subscribers.requests(_EVER, _MANY))


def state(settings: Settings, now: int) -> tuple[str, tuple[str, ...]]:
    """Return a sentence about the subscriptions, empty if there are none, and warnings.

    Raise StoreError.
    """
    with closing(Databases(settings).subscribers()) as subscribers:
        everybody = subscribers.all()
        asked = [request.asked_at for request in subscribers.requests(_EVER, _MANY) if not request.tries]
    count = sum(subscriber.failing_since > 0 for subscriber in everybody)
    sentence = f"Our hub has {len(everybody)} subscriptions; {count} of them do not accept deliveries now."
    late = [second for second in asked if second < now - _LATE_SECONDS]
    waiting = (
        f"{len(late)} requests to our hub wait since {utc_datetime(min(late))} or later. `harvester tend` verifies "
        "them; it must run every few minutes."
        if late
        else ""
    )
    return sentence if everybody else "", (*failing(everybody), *filter(None, (waiting,)))


def remove(settings: Settings, number: int) -> None:
    """Remove a subscription. Raise ConfigurationError if there is none with this number, and StoreError."""
    with closing(Databases(settings).subscribers()) as subscribers:
        try:
            is_removed = subscribers.remove(number, _REASON)
        except StoreMissing:
            is_removed = False
    if not is_removed:
        raise ConfigurationError(f"There is no subscription {number}; `gateway hub list` shows all.")


def line(facts: dict[str, Value | None]) -> str:
    """Return the facts of a subscription as a line for people."""
    problem = f"  {facts['failures']} failures: {facts['problem']}" if facts["failures"] else ""
    return f"{facts['number']:>6}  until {facts['until']}  {facts['callback']}  {facts['topic']}{problem}"


def _facts(subscriber: Subscriber) -> dict[str, Value | None]:
    return {
        "number": subscriber.number,
        "callback": subscriber.callback,
        "topic": subscriber.topic,
        "is_signed": bool(subscriber.secret),
        "network": subscriber.network,
        "until": utc_datetime(subscriber.until),
        "delivered_until": utc_datetime(subscriber.delivered_until),
        "failures": subscriber.tries,
        "failing_since": utc_datetime(subscriber.failing_since) if subscriber.failing_since else None,
        "problem": subscriber.problem,
    }
