"""Verification and delivery, with subscribers and networks that misbehave, and those who missed something."""

import re

import pytest

from gateway.core.errors import StoreBusy
from gateway.core.model import HubMode, HubRequest
from gateway.resourcesync import site_resources
from gateway.resourcesync.periods import Periods
from harvester.harvest.clock import is_past  # noqa: F401 - loaded here, and not in a measured time
from harvester.runtime.locks import lock
from harvester.schedule.hub import rounds
from tests.rows import each_row
from tests.schedule.hub.subscriber import Subscriber, served

pytestmark = pytest.mark.slow

DAY = 86_400


def subscribe(hub, subscriber, name="a", **fields):
    assert hub.post(subscriber.callback(name), **fields) == 202
    assert hub.run()["subscribed"] == 1


@pytest.fixture
def subscribed(hub, subscriber):
    subscribe(hub, subscriber)
    return subscriber


# --- verification ---------------------------------------------------------------------------------------


def test_the_query_of_a_callback_is_kept(hub, subscriber):
    assert hub.post(subscriber.callback(query="?id=1&x=%26")) == 202
    hub.run()
    arguments = subscriber.verifications[0]
    assert (arguments["id"], arguments["x"], arguments["hub.mode"]) == ("1", "&", "subscribe")
    hub.publish("1")
    hub.run()
    assert subscriber.deliveries[0].path == "/a?id=1&x=%26"


@each_row(
    "echo, status",
    [
        ("X{challenge}", 200),
        ("{challenge}", 404),
        ("{challenge}", 302),
    ],
)
def test_who_does_not_echo_the_challenge_has_no_subscription(hub, subscriber, echo, status):
    subscriber.echo, subscriber.verifies = echo, status
    hub.post(subscriber.callback())
    before = len(subscriber.verifications)
    assert hub.run() == {"refused": 1}
    assert hub.subscribers.all() == ()
    assert len(subscriber.verifications) == before + 1


def test_a_subscription_stays_until_its_end_is_confirmed(hub, subscribed):
    subscribed.echo = ""
    hub.post(subscribed.callback(), mode="unsubscribe")
    assert hub.run() == {"refused": 1}
    assert len(hub.subscribers.all()) == 1


def test_a_new_secret_counts_only_after_it_is_verified(hub, subscriber):
    subscribe(hub, subscriber, secret="first")
    subscriber.echo = ""
    hub.post(subscriber.callback(), secret="of somebody else")
    hub.run()
    assert hub.subscribers.all()[0].secret == "first"


def test_a_subscriber_that_is_away_is_verified_later_and_given_up_after_some_tries(hub, subscriber):
    subscriber.verifies = 503
    hub.post(subscriber.callback())
    for _ in range(rounds._MOST_TRIES - 1):
        assert hub.run() == {"postponed": 1}
        assert hub.run() == {}
        hub.harness.now += 3_600
    assert hub.run() == {"refused": 1}
    assert hub.subscribers.requests(10**11, 9) == ()


def test_a_subscriber_is_informed_when_its_subscription_is_removed(hub, subscribed):
    """WebSub §5.2: the hub must inform whom it denies a subscription, also later."""
    assert hub.subscribers.remove(1, "Because.")
    hub.stop.ask()
    assert hub.run() == {}
    hub.stop.is_asked = False
    assert hub.run() == {"denied": 1}
    assert subscribed.verifications[-1] == {"hub.mode": "denied", "hub.topic": hub.topic, "hub.reason": "Because."}
    assert hub.run() == {}


# --- where callbacks may be -----------------------------------------------------------------------------


def stored(hub, callback):
    """Store a request that the gateway would refuse at once, or whose name leads elsewhere."""
    hub.subscribers.store_request(
        HubRequest(callback, hub.topic, HubMode.SUBSCRIBE, "", 3600, "", int(hub.now), int(hub.now)), 99, 99
    )


@each_row("host", ["127.1", "localhost", "[::ffff:127.0.0.1]", "169.254.169.254"])
def test_a_callback_in_a_private_network_is_never_called(hub, subscriber, host):
    stored(hub, subscriber.url.replace("127.0.0.1", host))
    assert hub.run(hub_allow="") == {"refused": 1}
    assert subscriber.verifications == []


def test_a_name_that_leads_into_a_private_network_is_never_called(hub, subscriber, monkeypatch):
    places = [(2, 1, 6, "", ("127.0.0.1", int(subscriber.url.rstrip("/").rpartition(":")[2])))]
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: places)
    stored(hub, subscriber.url.replace("127.0.0.1", "evil.example.net"))
    assert hub.run(hub_allow="") == {"refused": 1}
    assert subscriber.verifications == []
    assert "evil.example.net" in hub.reports.sentences[0]


def test_a_redirect_is_not_followed(hub, subscribed):
    subscribed.statuses = [307]
    hub.publish("1")
    assert hub.run() == {"failed": 1}
    assert [delivered.path for delivered in subscribed.deliveries] == ["/a"]


# --- delivery -------------------------------------------------------------------------------------------


def test_a_delivery_is_repeated_until_it_is_accepted(hub, subscribed):
    subscribed.statuses = [500, 404]
    hub.publish("1")
    assert hub.run() == {"failed": 1}
    assert hub.subscribers.all()[0].problem == "It answers with HTTP status 500."
    assert hub.run() == {}, "it is not called again at once"
    hub.harness.now += 60
    assert hub.run() == {"failed": 1}
    hub.harness.now += 60
    assert hub.run() == {}, "the pause is doubled"
    hub.harness.now += 60
    hub.publish("2")
    assert hub.run() == {"delivered": 1}
    assert b"laro/2</loc>" in subscribed.deliveries[-1].body, "the newest content is delivered"
    assert b"laro/1</loc>" in subscribed.deliveries[-1].body
    assert (hub.subscribers.all()[0].tries, hub.run()) == (0, {})


def test_who_accepts_nothing_for_days_is_dropped(hub, subscriber):
    with served(Subscriber()) as away:
        subscribe(hub, away, lease_seconds=str(30 * DAY))
    hub.publish("1")
    assert hub.run(hub_give_up_after=2) == {"failed": 1}
    for _ in range(3):
        hub.harness.now += DAY / 2
        assert hub.run(hub_give_up_after=2) == {"failed": 1}
    hub.harness.now += DAY / 2
    assert hub.run(hub_give_up_after=2) == {"dropped": 1, "denied": 1}
    assert hub.subscribers.all() == ()
    assert "accepted nothing for days" in hub.reports.sentences[-2]
    assert hub.run() == {}, "it is informed once"


def test_no_message_has_more_of_a_callback_than_its_host(hub, subscriber):
    """A callback is an address that nobody can guess."""
    with served(Subscriber()) as away:
        subscribe(hub, away, "unguessable")
    hub.publish("1")
    assert hub.run() == {"failed": 1}
    stored(hub, away.callback("unguessable2"))
    for _ in range(rounds._MOST_TRIES):
        hub.run()
        hub.harness.now += 3_600
    messages = "".join([*hub.reports.sentences, *(known.problem for known in hub.subscribers.all())])
    assert "not confirmed by 127.0.0.1: " in messages
    assert "unguessable" not in messages
    assert "challenge" not in messages


def test_only_the_topics_that_have_changed_are_delivered(hub, subscriber):
    topics = {
        "dc": hub.topic,
        "didl": hub.topic.replace("oai_dc", "oai_didl"),
        "set": f"{hub.records}&set=source:laro:x",
        "records": hub.records,
    }
    for name, topic in topics.items():
        subscribe(hub, subscriber, name, topic=topic)
    hub.publish("1")
    assert hub.run() == {"delivered": 3}
    assert sorted(delivered.path for delivered in subscriber.deliveries) == ["/dc", "/didl", "/records"]
    assert hub.run() == {}
    hub.publish("2", sets=("x",))
    hub.run()
    assert max(delivered.path for delivered in subscriber.deliveries) == "/set"
    assert hub.run() == {}


def test_without_the_gateway_the_news_of_records_is_delivered_without_a_body(hub, subscriber):
    subscribe(hub, subscriber, topic=hub.records)
    subscribe(hub, subscriber, "b")
    hub.app.before_request_funcs[None] = [lambda: ("No.", 503)]
    hub.publish("1")
    assert hub.run() == {"delivered": 2}
    bodies = {delivered.path: delivered.body for delivered in subscriber.deliveries}
    assert bodies["/a"] == b""
    assert b"laro/1</loc>" in bodies["/b"], "a Change List is made without the gateway"


# --- rounds ---------------------------------------------------------------------------------------------


def test_one_process_at_a_time_calls_subscribers(hub, subscribed):
    hub.publish("1")
    with lock(hub.folder, "hub.round"):
        assert hub.run() == {}
    assert hub.run() == {"delivered": 1}


def test_what_is_stopped_is_done_by_the_next_round(hub, subscribed):
    hub.publish("1")
    hub.post(subscribed.callback("b"))
    hub.stop.ask()
    assert hub.run() == {"stopped": 1}
    hub.stop.is_asked = False
    assert hub.run() == {"subscribed": 1, "delivered": 1}


def test_a_failure_is_reported_once_and_ends_nothing(hub, subscribed, monkeypatch):
    def busy(*_):
        raise StoreBusy("somebody else writes")

    work = hub.rounds()
    with monkeypatch.context() as patch:
        patch.setattr(type(hub.subscribers), "expire", busy)
        assert (work.run(), work.run()) == ({}, {})
        patch.setattr(type(hub.subscribers), "expire", lambda *_: 1 / 0)
        work.run()
    assert hub.reports.sentences[-2] == "hub: somebody else writes"
    assert "ZeroDivisionError" in hub.reports.sentences[-1]
    hub.publish("1")
    assert work.run() == {"delivered": 1}


_NAMES = re.compile(rb"/([\w-]+)</loc><lastmod>")


@pytest.fixture
def small_lists(monkeypatch):
    """Three changes fill a Change List."""
    monkeypatch.setattr(site_resources, "Periods", lambda _: Periods(3))


@pytest.fixture
def missed(hub, subscriber):
    """Return the function that lets one delivery fail, and returns the names in the next one."""
    assert hub.post(subscriber.callback()) == 202
    assert hub.run() == {"subscribed": 1}

    def missed(*names, later, then):
        subscriber.statuses = [500]
        hub.publish(*names)
        assert hub.run() == {"failed": 1}
        hub.harness.now += later
        hub.publish(*then)
        assert hub.run() == {"delivered": 1}
        return names_in(subscriber.deliveries[-1].body)

    return missed


def names_in(body):
    return [name.decode() for name in _NAMES.findall(body)]


def test_a_repeated_delivery_has_all_that_was_missed_after_midnight(hub, subscriber, missed):
    assert missed("1", later=DAY, then=("2",)) == ["1", "2"]
    body = subscriber.deliveries[-1].body.decode()
    folder = hub.topic.removesuffix("changelist-open.xml")
    assert f'<rs:ln rel="up" href="{folder}capabilitylist.xml"/>' in body
    assert f'<rs:ln rel="index" href="{folder}changelist.xml"/>' in body
    assert f'<rs:ln rel="hub" href="{hub.url}/hub"/><rs:ln rel="self" href="{hub.topic}"/>' in body
    assert subscriber.deliveries[-1].headers["Content-Type"] == "application/xml; charset=UTF-8"
    hub.publish("3")
    assert hub.run() == {"delivered": 1}
    assert names_in(subscriber.deliveries[-1].body) == ["2", "3"], "the open Change List is enough again"


@pytest.mark.usefixtures("small_lists")
def test_a_repeated_delivery_has_all_that_was_missed_when_one_publication_fills_lists(missed):
    assert missed("1", later=60, then=tuple("23456789")) == list("123456789")


@pytest.mark.usefixtures("small_lists")
def test_a_delivery_has_all_changes_of_a_publication_that_fills_lists(hub, subscriber, missed):
    """No delivery has failed, and yet the open list has only the last changes."""
    missed("a", later=60, then=("b",))
    hub.publish(*"12345678")
    assert hub.run() == {"delivered": 1}
    assert names_in(subscriber.deliveries[-1].body) == list("12345678")


def test_subscribers_who_missed_more_or_less_get_what_they_lack(hub, subscriber):
    for name in ("more", "less"):
        hub.post(subscriber.callback(name))
        hub.run()
        subscriber.fixed[name] = 500
        hub.publish(f"since-{name}")
        assert hub.run()["failed"] >= 1
        hub.harness.now += DAY
    subscriber.fixed = {"more": 200, "less": 200}
    hub.publish("last")
    assert hub.run() == {"delivered": 2}
    lists = {path: names_in(body) for path, _, body in subscriber.deliveries}
    assert lists == {"/more": ["since-more", "since-less", "last"], "/less": ["since-less", "last"]}
