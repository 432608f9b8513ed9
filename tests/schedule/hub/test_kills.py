"""A hub that is killed between any two steps loses no delivery, and claims none that was not accepted."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing

import pytest

from gateway.model import Selection
from gateway.store.opening import open_subscribers
from gateway.upkeep import make
from gateway.xmltext import parse_utc_datetime
from tests.conftest import ROOT
from tests.publish.desk import Desk, Sent
from tests.schedule.hub.conftest import KEY, served
from tests.schedule.hub.killed import REQUEST, WRITES, steps
from tests.schedule.hub.subscriber import Subscriber
from tests.schedule.hub.subscriber import served as subscriber_served

_ENTRY = re.compile(rb"<loc>[^<]*/(\w+)</loc><lastmod>([^<]*)</lastmod>")
CALLBACKS = ("a", "b")
ROUNDS = 18  # of processes; the last ones are not killed, because there are no more steps
ROLES = ("accepts", "fails", "gone", "dropped", "removed", "expired", "refused", "away", "leaves")


def accepted(subscriber: Subscriber, path: str) -> list[set[tuple[str, int]]]:
    """Return the entries of all deliveries to a callback: names and datestamps."""
    bodies = [delivered.body for delivered in subscriber.deliveries if delivered.path == f"/{path}"]
    return [
        {(name.decode(), parse_utc_datetime(stamp.decode())[0]) for name, stamp in _ENTRY.findall(body)}
        for body in bodies
    ]


def assert_honest(subscribers, subscriber, changes):
    """Check that everything that counts as delivered was accepted."""
    for known in subscribers.all():
        lists = accepted(subscriber, known.callback.rpartition("/")[2])
        delivered = set().union(*lists)
        assert {change for change in changes if change[1] < known.delivered_until} <= delivered
        sizes = [len(entries) for entries in lists]
        assert sizes == sorted(sizes), "deliveries are in the order of the changes"


class Killed(BaseException):
    """The process ends here."""


def killed() -> None:
    raise Killed


@pytest.mark.slow
def test_what_goes_wrong_is_finished_by_the_next_round_at_whichever_step_it_ends(hub, subscriber):
    """Deliveries that fail, subscriptions that end in all ways, requests that are not confirmed: each step is cut."""
    passed: Counter[str] = Counter()
    ends, number = 0, 0
    while ends < 2:
        names = {role: f"{role}{number}" for role in ROLES}
        _prepare(hub, subscriber, names)
        with pytest.MonkeyPatch.context() as patch:
            steps(patch, number, killed, lambda name: passed.update((name,)))
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
        hub.desk.now += 3_600
        while hub.run():
            pass
        for role in ("accepts", "fails", "away"):
            *_, last = accepted(subscriber, names[role])
            assert f"n{number}" in {name for name, _ in last}, (role, number)
        assert accepted(subscriber, names["expired"]) == []
        for subscription in hub.subscribers.all():
            hub.subscribers.remove(subscription.number)
        number += 1
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
    hub.desk.now += 86_400
    hub.post(subscriber.callback(names["leaves"]), mode="unsubscribe")
    for role in ("refused", "away"):
        hub.post(subscriber.callback(names[role]))
    hub.publish(names["fails"].replace("fails", "n"))


def changes_of(desk, first):

    with desk.store.view() as view:
        return view.resource_changes(Selection("oai_dc", None, first, view.horizon - 1), (0, 0), 1000)


@pytest.mark.share(one_in=2)
@pytest.mark.slow
def test_killed_processes_lose_no_delivery(tmp_path):
    """`harvester tend` is killed (SIGKILL) at each of its steps in turn, while records are published."""
    folder = tmp_path / "instance"
    make(folder, {})
    (folder / "sources.toml").write_text("")
    with subscriber_served(Subscriber()) as subscriber, served(folder, hub_allow="127.0.0.0/8") as (url, app):
        lines = f'base_url = "{url}/oai"\nhub = true\nhub_allow = "127.0.0.0/8"\nsecret = "{KEY}"\n'
        (folder / "config.toml").write_text(lines)
        desk = Desk(folder)
        desk.now = time.time() - 2
        desk.add("laro")
        topic = f"{url}/resourcesync/oai_dc/source/changelist-open.xml"
        client = app.test_client()
        kills = 0
        with closing(desk.store), closing(desk.inbox), closing(open_subscribers(folder)) as subscribers:
            for number in range(ROUNDS):
                for callback in CALLBACKS:
                    form = {"hub.callback": subscriber.callback(callback), "hub.mode": "subscribe", "hub.topic": topic}
                    assert client.post("/hub", data=form).status_code == 202
                desk.now = time.time() - 1
                desk.send(Sent(f"n{number}"))
                desk.publish()
                time.sleep(1.1)  # the horizon passes the second of the change
                kills += tended(folder, 2 * number) == -signal.SIGKILL  # behind one step is before the next
                changes = {(change.identifier.rpartition("/")[2], change.datestamp) for change in changes_of(desk, 0)}
                assert_honest(subscribers, subscriber, changes)
            assert tended(folder, -1) == 0
        assert 12 < kills < ROUNDS, "every step is reached"
        for callback in CALLBACKS:
            assert {name for name, _ in accepted(subscriber, callback)[-1]} == {f"n{place}" for place in range(ROUNDS)}


def tended(folder, number):
    command = [sys.executable, "-m", "tests.schedule.hub.killed", str(folder), str(number)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=240).returncode
