"""What our hub keeps: requests until they are verified, and subscriptions until they end."""

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from gateway.core.model import HubMode, HubRequest
from tests.opening import open_subscribers
from tests.postgres import only_files

TOPIC = "https://gateway.example.org/resourcesync/oai_dc/source/changelist-open.xml"
CALLBACK = "https://subscriber.example.net/callback?id=1"
ASKED = HubRequest(CALLBACK, TOPIC, HubMode.SUBSCRIBE, "secret", 864_000, "192.0.2.0/24", 100, 90)


@pytest.fixture
def subscribers(tmp_path, server):
    with closing(open_subscribers(tmp_path, server)) as subscribers:
        yield subscribers


def ask(subscribers, most=10, most_of_network=10, **fields):
    return subscribers.store_request(replace(ASKED, **fields), most, most_of_network)


def admitted(subscribers, until=1000, **fields):
    assert ask(subscribers, **fields)
    subscribers.confirm_request(subscribers.requests(0, 100)[-1].number, until)


@only_files
def test_a_request_waits_until_it_is_verified_and_only_its_owner_may_read_it(subscribers, tmp_path):
    assert ask(subscribers)
    assert subscribers.requests(0, 9) == (replace(ASKED, number=1),)
    assert all(path.stat().st_mode & 0o077 == 0 for path in tmp_path.iterdir())
    assert "secret'" not in repr(subscribers.requests(0, 9))
    assert subscribers.all() == ()


def test_a_confirmed_request_is_a_subscription_to_all_changes_since_its_arrival(subscribers):
    admitted(subscribers)
    assert subscribers.requests(0, 9) == ()
    (subscriber,) = subscribers.all()
    assert (subscriber.callback, subscriber.topic, subscriber.secret) == (CALLBACK, TOPIC, "secret")
    assert (subscriber.until, subscriber.delivered_until, subscriber.tries) == (1000, 90, 0)


def test_a_renewed_subscription_keeps_its_place_and_gets_the_new_secret(subscribers):
    admitted(subscribers)
    subscribers.delivered([1], 200)
    subscribers.failed(1, 300, 400, "no answer")
    admitted(subscribers, 5000, secret="new", since=300)
    (subscriber,) = subscribers.all()
    assert (subscriber.number, subscriber.secret, subscriber.until) == (1, "new", 5000)
    assert (subscriber.delivered_until, subscriber.tries, subscriber.problem) == (200, 0, "")


def test_a_delivery_never_goes_back(subscribers):
    admitted(subscribers)
    subscribers.delivered([1], 300)
    subscribers.delivered([1], 200)
    assert subscribers.all()[0].delivered_until == 300


@only_files
def test_a_number_is_never_used_again(subscribers, tmp_path):
    """A verification that ends late must not confirm another request."""
    ask(subscribers)
    subscribers.drop_request(1)
    ask(subscribers)
    assert subscribers.requests(0, 9)[0].number == 2
    with closing(sqlite3.connect(tmp_path / "subscriptions.sqlite")) as connection:
        assert connection.execute("select count(*) from hub_request").fetchone() == (1,)
