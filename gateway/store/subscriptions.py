"""The subscriptions to the hubs of sources. They contain secrets."""

from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

from gateway.core.model import Subscription, SubscriptionState
from gateway.store.file_on_demand import FileOnDemand
from gateway.store.queries import load

SQL = load("subscriptions")


class Subscriptions:
    """The database of subscriptions to hubs (WebSub). The harvester subscribes; the gateway answers the hubs.

    A call of a hub is written only if it fits the state of the subscription: a late call changes nothing. It is safe
    for threads and processes. Every method may raise StoreError. Without a file there are no subscriptions: `of_source`
    and `find` return none, `ask` makes the file, and the other methods that write raise StoreMissing.
    """

    def __init__(self, path: Path, url: str = "") -> None:
        self._file = FileOnDemand(path, "subscriptions", url)

    def close(self) -> None:
        """Close all connections to the database."""
        self._file.close()

    def of_source(self, source: str) -> tuple[Subscription, ...]:
        """Return the subscriptions of a source, including ended ones, sorted by topic."""
        return tuple(_subscription(row) for row in self._file.rows(SQL["of_source"], (source,)))

    def all(self) -> tuple[Subscription, ...]:
        """Return all subscriptions, sorted by source and topic."""
        return tuple(map(_subscription, self._file.rows(SQL["of_all"])))

    def find(self, token: str) -> Subscription | None:
        """Return the subscription with this token, or None."""
        return next((_subscription(row) for row in self._file.rows(SQL["find"], (token,))), None)

    def ask(self, subscription: Subscription) -> Subscription:
        """Store a subscription before the hub is called, and return the one to request.

        If there is one to this topic at this hub that has not ended, that one is returned.

        Raise StoreUnwritable when the file cannot be made.
        """
        with self._file.writing(create=True) as session:
            (row,) = session.execute(SQL["ask"], astuple(subscription)).fetchall()
        return _subscription(row)

    def confirm(self, token: str, lease_seconds: int, until: int) -> None:
        """Write that the hub has confirmed the subscription, with this lease, until the second `until`."""
        self._file.change(SQL["confirm"], (lease_seconds, until, token))

    def deny(self, token: str, reason: str) -> None:
        """Write that the hub has denied the subscription, and why (WebSub §5.2)."""
        self._file.change(SQL["deny"], (reason, token))

    def end(self, source: str, topic: str, at: int) -> None:
        """Write that a subscription is to end; later calls of the hub are ignored."""
        self._file.change(SQL["end"], (at, source, topic))

    def ended(self, token: str) -> None:
        """Write that the hub has confirmed the end of the subscription."""
        self._file.change(SQL["ended"], (token,))

    def notify(self, token: str, at: int) -> None:
        """Write that the hub of an active subscription has announced a change, at the second `at`."""
        self._file.change(SQL["notify"], (at, token))


def _subscription(row: Sequence[Any]) -> Subscription:
    token, source, topic, hub, secret, state, *others = row
    return Subscription(token, source, topic, hub, secret, SubscriptionState(state), *others)
