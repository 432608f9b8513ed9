"""The subscriptions to the hubs of sources, which contain secrets, and the subscribers of our hub."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple
from typing import Any

from gateway.core.model import HubDenial, HubMode, HubRequest, Subscriber, Subscription, SubscriptionState
from gateway.store.connecting import FileOnDemand
from gateway.store.queries import load

SQL = load("subscriptions")


class Subscriptions(FileOnDemand):
    """The database of subscriptions to hubs (WebSub). The harvester subscribes; the gateway answers the hubs.

    A call of a hub is written only if it fits the state of the subscription: a late call changes nothing. It is safe
    for threads and processes. Every method may raise StoreError. Without a file there are no subscriptions: `of_source`
    and `find` return none, `ask` makes the file, and the other methods that write raise StoreMissing.
    """

    _database = "subscriptions"

    def of_source(self, source: str) -> tuple[Subscription, ...]:
        """Return the subscriptions of a source, including ended ones, sorted by topic."""
        return tuple(_subscription(row) for row in self._rows(SQL["of_source"], (source,)))

    def all(self) -> tuple[Subscription, ...]:
        """Return all subscriptions, sorted by source and topic."""
        return tuple(map(_subscription, self._rows(SQL["of_all"])))

    def find(self, token: str) -> Subscription | None:
        """Return the subscription with this token, or None."""
        return next((_subscription(row) for row in self._rows(SQL["find"], (token,))), None)

    def ask(self, subscription: Subscription) -> Subscription:
        """Store a subscription before the hub is called, and return the one to request.

        If there is one to this topic at this hub that has not ended, that one is returned.

        Raise StoreUnwritable when the file cannot be made.
        """
        with self._writing(create=True) as session:
            (row,) = session.execute(SQL["ask"], astuple(subscription)).fetchall()
        return _subscription(row)

    def confirm(self, token: str, lease_seconds: int, until: int) -> None:
        """Write that the hub has confirmed the subscription, with this lease, until the second `until`."""
        self._change(SQL["confirm"], (lease_seconds, until, token))

    def deny(self, token: str, reason: str) -> None:
        """Write that the hub has denied the subscription, and why (WebSub §5.2)."""
        self._change(SQL["deny"], (reason, token))

    def end(self, source: str, topic: str, at: int) -> None:
        """Write that a subscription is to end; later calls of the hub are ignored."""
        self._change(SQL["end"], (at, source, topic))

    def ended(self, token: str) -> None:
        """Write that the hub has confirmed the end of the subscription."""
        self._change(SQL["ended"], (token,))

    def notify(self, token: str, at: int) -> None:
        """Write that the hub of an active subscription has announced a change, at the second `at`."""
        self._change(SQL["notify"], (at, token))


def _subscription(row: Sequence[Any]) -> Subscription:
    token, source, topic, hub, secret, state, *others = row
    return Subscription(token, source, topic, hub, secret, SubscriptionState(state), *others)


# --- The subscribers of our hub --------------------------------------------------------------------------------------


class Subscribers(FileOnDemand):
    """The database of our own hub (WebSub). The gateway stores requests; the harvester verifies them and delivers.

    Numbers of requests and subscriptions are never used again. A method with a number that is gone changes nothing. It
    is safe for threads and processes. Every method may raise StoreError. `store_request` makes a missing file. The
    other methods that write raise StoreMissing then, and those that read return nothing.
    """

    _database = "subscriptions"

    def store_request(self, request: HubRequest, most: int, most_of_network: int) -> bool:
        """Store a request before it is answered; it replaces an earlier one of the same callback and topic.

        Return False, and store nothing, if there would be more than `most` subscriptions and requests, or more than
        `most_of_network` of one network. What is known already is never too much. A request to end an unknown
        subscription is not stored, and counts as done.
        """
        values = asdict(request)
        with self._writing(create=True) as session:
            if not session.one(SQL["hub_knows"], values):
                if request.mode is HubMode.UNSUBSCRIBE:
                    return True
                count, of_network = session.one(SQL["hub_counts"], values) or (0, 0)
                if count >= most or of_network >= most_of_network:
                    return False
            session.execute(SQL["hub_request_add"], values)
        return True

    def requests(self, now: int, limit: int, after: int = 0) -> tuple[HubRequest, ...]:
        """Return at most `limit` requests that may be verified at the second `now`, the oldest first.

        Their numbers are larger than `after`.
        """
        return tuple(
            HubRequest(callback, topic, HubMode(mode), secret, lease, network, asked_at, since, number, tries)
            for (number, callback, topic, mode, secret, lease, network, asked_at, since, tries, _) in self._rows(
                SQL["hub_requests"], {"now": now, "after": after, "limit": limit}
            )
        )

    def postpone_request(self, number: int, until: int) -> None:
        """Count a try of a request, and let the next one be at the second `until`."""
        self._change(SQL["hub_request_postpone"], (until, number))

    def drop_request(self, number: int) -> None:
        """Delete a request that was not confirmed."""
        self._change(SQL["hub_request_drop"], (number,))

    def confirm_request(self, number: int, until: int) -> None:
        """Do what a request asks for, and delete it, in one transaction: begin, renew or end a subscription.

        `until` is the end of the lease. A subscription begins with the changes since the arrival of the request; one
        that is renewed keeps its place.
        """
        with self._writing() as session:
            session.execute(SQL["subscriber_admit"], (until, number))
            session.execute(SQL["subscriber_release"], (number,))
            session.execute(SQL["hub_request_drop"], (number,))

    def all(self) -> tuple[Subscriber, ...]:
        """Return all subscriptions, the oldest first."""
        return tuple(Subscriber(*row) for row in self._rows(SQL["subscribers"]))

    def due(self, now: int, after: int, limit: int) -> tuple[Subscriber, ...]:
        """Return at most `limit` valid subscriptions that may be called at the second `now`, by number, after one."""
        rows = self._rows(SQL["subscribers_due"], {"now": now, "after": after, "limit": limit})
        return tuple(Subscriber(*row) for row in rows)

    def delivered(self, numbers: Sequence[int], until: int) -> None:
        """Write that these subscribers have accepted everything before the second `until`. It never goes back."""
        with self._writing() as session:
            session.executemany(SQL["subscriber_delivered"], [(until, number) for number in numbers])
            session.execute(SQL["hub_count"], ("delivered", len(numbers)))

    def failed(self, number: int, at: int, next_at: int, problem: str) -> None:
        """Write that a delivery failed at the second `at`, why, and when the next one may be."""
        with self._writing() as session:
            session.execute(SQL["subscriber_failed"], (next_at, problem, at, number))
            session.execute(SQL["hub_count"], ("failed", 1))

    def totals(self) -> Mapping[str, int]:
        """Return how many deliveries were `delivered`, and how many `failed`, since the file was made."""
        counts = dict(map(tuple, self._rows(SQL["hub_totals"])))
        return {outcome: counts.get(outcome, 0) for outcome in ("delivered", "failed")}

    def remove(self, number: int, reason: str = "") -> bool:
        """Delete a subscription; return whether there was one. With a reason, the subscriber is to be informed."""
        with self._writing() as session:
            if reason:
                session.execute(SQL["subscriber_deny"], (reason, number))
            return bool(session.execute(SQL["subscriber_remove"], (number,)).fetchall())

    def denials(self, limit: int) -> tuple[HubDenial, ...]:
        """Return at most `limit` removed subscriptions whose subscriber was not informed, the oldest first."""
        return tuple(HubDenial(*row) for row in self._rows(SQL["hub_denials"], (limit,)))

    def denied(self, number: int) -> None:
        """Write that a subscriber was informed of the end of its subscription, as far as that was possible."""
        self._change(SQL["hub_denial_drop"], (number,))

    def expire(self, now: int) -> int:
        """Delete the subscriptions whose lease is over at the second `now`; return how many."""
        if not any(subscriber.until <= now for subscriber in self.all()):
            return 0
        with self._writing() as session:
            return len(session.execute(SQL["subscriber_expire"], (now,)).fetchall())
