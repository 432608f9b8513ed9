"""A delivery of a Change List has all changes that its subscriber did not get, whatever happened to the open list."""

import re

import pytest

from gateway.resourcesync import site_resources
from gateway.resourcesync.periods import Periods

pytestmark = pytest.mark.slow

DAY = 86_400
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
