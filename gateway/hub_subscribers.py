"""The subscriptions at our hub, for the commands `gateway hub list` and `gateway hub remove`."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from gateway.errors import ConfigurationError, StoreMissing
from gateway.model import Subscriber
from gateway.settings import Value
from gateway.store.opening import open_subscribers
from gateway.xmltext import utc_datetime

_EVER = 10**12
_MANY = 10**9


def known(folder: Path) -> tuple[list[dict[str, Value | None]], int]:
    """Return the facts of all subscriptions, and how many requests are not verified yet. Raise StoreError."""
    with closing(open_subscribers(folder)) as subscribers:
        return [_facts(subscriber) for subscriber in subscribers.all()], len(subscribers.requests(_EVER, _MANY))


def remove(folder: Path, number: int) -> None:
    """Remove a subscription. Raise ConfigurationError if there is none with this number, and StoreError."""
    with closing(open_subscribers(folder)) as subscribers:
        try:
            is_removed = subscribers.remove(number)
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
