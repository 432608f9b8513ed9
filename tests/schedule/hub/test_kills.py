"""A hub that is killed between any two steps loses no delivery, and claims none that was not accepted."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from itertools import chain, count
from types import SimpleNamespace
from typing import Any

import pytest

from gateway.core.xmltext import parse_utc_datetime
from gateway.store.connecting import FileOnDemand
from gateway.store.subscriptions import Subscribers
from harvester.http.fetching import Web
from tests.schedule.hub.subscriber import Subscriber
from tests.seeds import drawn

_ENTRY = re.compile(rb"<loc>[^<]*/(\w+)</loc><lastmod>([^<]*)</lastmod>")
REQUEST = "__call__"
WRITES = ("confirm_request", "delivered", "denied", "drop_request", "expire", "failed", "postpone_request", "remove")
ROLES = ("accepts", "fails", "gone", "dropped", "removed", "expired", "refused", "away", "leaves")


def accepted(subscriber: Subscriber, path: str) -> list[set[tuple[str, int]]]:
    """Return the entries of all deliveries to a callback: names and datestamps."""
    bodies = [delivered.body for delivered in subscriber.deliveries if delivered.path == f"/{path}"]
    return [
        {(name.decode(), parse_utc_datetime(stamp.decode())[0]) for name, stamp in _ENTRY.findall(body)}
        for body in bodies
    ]


class Killed(BaseException):
    """The process ends here."""


def steps(patch: pytest.MonkeyPatch, at: int, passed: Counter[str]) -> None:
    """End at the step number `at`: each request, write and statement of one has a step before and behind it.

    `passed` counts the requests and writes that were made.
    """
    numbers = count()

    def step() -> None:
        if next(numbers) == at:
            raise Killed

    def stepped(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*given: Any) -> Any:
            step()
            made = function(*given)
            passed[function.__name__] += 1
            step()
            return made

        return call

    writing = FileOnDemand._writing

    @contextmanager
    def stepped_writing(file: FileOnDemand, **options: bool) -> Iterator[Any]:
        with writing(file, **options) as session:
            yield SimpleNamespace(
                one=session.one, execute=stepped(session.execute), executemany=stepped(session.executemany)
            )

    for place, name in ((Web, REQUEST), *((Subscribers, name) for name in WRITES)):
        patch.setattr(place, name, stepped(getattr(place, name)))
    patch.setattr(FileOnDemand, "_writing", stepped_writing)


@pytest.mark.unmeasured
@pytest.mark.slow
def test_what_goes_wrong_is_finished_by_the_next_round_at_whichever_step_it_ends(hub, subscriber):
    """Deliveries that fail, subscriptions that end in all ways, requests that are not confirmed: each step is cut."""
    passed: Counter[str] = Counter()
    ends = 0
    for number in chain(drawn(range(60), 4), count(60)):
        if ends == 2:
            break
        names = {role: f"{role}{number}" for role in ROLES}
        _prepare(hub, subscriber, names)
        with pytest.MonkeyPatch.context() as patch:
            steps(patch, number, passed)
            try:
                hub.run(hub_give_up_after=1)
            except Killed:
                ends = 0
            else:
                ends += 1
        while hub.run(hub_give_up_after=1):
            pass
        known = {subscription.callback.rpartition("/")[2] for subscription in hub.subscribers.all()}
        assert known & set(names.values()) == {names["accepts"], names["fails"]}, f"step {number}"
        for role in ("dropped", "removed"):
            assert subscriber.denials().count(names[role]) in (1, 2), "it is informed, and at most repeated"
        assert not {names["gone"], names["expired"]} & set(subscriber.denials())
        assert [request.callback.rpartition("/")[2] for request in hub.subscribers.requests(10**11, 9)] == [
            names["away"]
        ]
        subscriber.fixed.clear()
        hub.harness.now += 3_600
        while hub.run():
            pass
        for role in ("accepts", "fails", "away"):
            *_, last = accepted(subscriber, names[role])
            assert f"n{number}" in {name for name, _ in last}, (role, number)
        assert accepted(subscriber, names["expired"]) == []
        for subscription in hub.subscribers.all():
            hub.subscribers.remove(subscription.number)
    assert {REQUEST, *WRITES} <= passed.keys()


def _prepare(hub, subscriber, names):
    """Make subscriptions and requests that end in all ways, and publish a record."""
    for role in ("accepts", "fails", "gone", "dropped", "removed", "leaves"):
        hub.post(subscriber.callback(names[role]))
    hub.post(subscriber.callback(names["expired"]), lease_seconds="300")
    hub.run()
    subscriber.fixed |= {names["fails"]: 500, names["gone"]: 410, names["dropped"]: 500, names["refused"]: 404}
    subscriber.fixed[names["away"]] = 503
    numbers = {known.callback.rpartition("/")[2]: known.number for known in hub.subscribers.all()}
    hub.subscribers.failed(numbers[names["dropped"]], int(hub.now), int(hub.now), "It answers with HTTP status 500.")
    hub.subscribers.remove(numbers[names["removed"]], "Because.")
    hub.harness.now += 86_400
    hub.post(subscriber.callback(names["leaves"]), mode="unsubscribe")
    for role in ("refused", "away"):
        hub.post(subscriber.callback(names[role]))
    hub.publish(names["fails"].replace("fails", "n"))
