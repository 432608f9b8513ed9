"""What our hub keeps: requests until they are verified, and subscriptions until they end."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from gateway.errors import StoreMissing
from gateway.model import HubMode, HubRequest
from gateway.store.opening import open_subscribers

TOPIC = "https://gateway.example.org/resourcesync/oai_dc/source/changelist-open.xml"
CALLBACK = "https://subscriber.example.net/callback?id=1"
ASKED = HubRequest(CALLBACK, TOPIC, HubMode.SUBSCRIBE, "secret", 864_000, "192.0.2.0/24", 100, 90)


@pytest.fixture
def subscribers(tmp_path):
    with closing(open_subscribers(tmp_path)) as subscribers:
        yield subscribers


def ask(subscribers, most=10, most_of_network=10, **fields):
    return subscribers.store_request(replace(ASKED, **fields), most, most_of_network)


def admitted(subscribers, until=1000, **fields):
    assert ask(subscribers, **fields)
    subscribers.confirm_request(subscribers.requests(0, 100)[-1].number, until)


def test_without_a_file_there_is_nothing(subscribers, tmp_path):
    assert (subscribers.all(), subscribers.requests(0, 9), subscribers.due(0, 0, 9)) == ((), (), ())
    assert subscribers.expire(10**10) == 0
    with pytest.raises(StoreMissing):
        subscribers.remove(1)
    assert list(tmp_path.iterdir()) == []


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


def test_a_repeated_request_replaces_the_first_and_loses_no_change(subscribers):
    ask(subscribers)
    ask(subscribers, secret="other", since=95)
    (request,) = subscribers.requests(0, 9)
    assert (request.number, request.secret, request.since) == (2, "other", 90)
    subscribers.confirm_request(1, 1000)
    assert subscribers.all() == ()


def test_a_renewed_subscription_keeps_its_place_and_gets_the_new_secret(subscribers):
    admitted(subscribers)
    subscribers.delivered([1], 200)
    subscribers.failed(1, 300, 400, "no answer")
    admitted(subscribers, 5000, secret="new", since=300)
    (subscriber,) = subscribers.all()
    assert (subscriber.number, subscriber.secret, subscriber.until) == (1, "new", 5000)
    assert (subscriber.delivered_until, subscriber.tries, subscriber.problem) == (200, 0, "")


def test_until_it_is_verified_a_request_changes_no_subscription(subscribers):
    admitted(subscribers)
    before = subscribers.all()
    ask(subscribers, secret="new")
    ask(subscribers, mode=HubMode.UNSUBSCRIBE)
    assert subscribers.all() == before
    (request,) = subscribers.requests(0, 9)
    subscribers.confirm_request(request.number, 0)
    assert (subscribers.all(), subscribers.requests(0, 9)) == ((), ())


def test_a_request_is_tried_again_later_and_dropped(subscribers):
    ask(subscribers)
    subscribers.postpone_request(1, 50)
    assert subscribers.requests(49, 9) == ()
    assert subscribers.requests(50, 9)[0].tries == 1
    subscribers.drop_request(1)
    assert subscribers.requests(50, 9) == ()


def test_one_network_cannot_take_all_places(subscribers):
    assert [ask(subscribers, 10, 2, callback=f"{CALLBACK}{number}") for number in range(3)] == [True, True, False]
    assert ask(subscribers, 10, 2, callback=f"{CALLBACK}3", network="198.51.100.0/24")
    assert not ask(subscribers, 3, 2, callback=f"{CALLBACK}4", network="203.0.113.0/24")
    assert ask(subscribers, 3, 2, callback=f"{CALLBACK}1"), "what is known is never too much"


def test_a_delivery_never_goes_back(subscribers):
    admitted(subscribers)
    subscribers.delivered([1], 300)
    subscribers.delivered([1], 200)
    assert subscribers.all()[0].delivered_until == 300


def test_a_failure_is_counted_from_the_first_and_delays_the_next_try(subscribers):
    admitted(subscribers)
    subscribers.failed(1, 100, 160, "HTTP status 500")
    subscribers.failed(1, 160, 280, "HTTP status 503")
    (subscriber,) = subscribers.all()
    assert (subscriber.tries, subscriber.failing_since, subscriber.problem) == (2, 100, "HTTP status 503")
    assert subscribers.due(279, 0, 9) == ()
    assert subscribers.due(280, 0, 9) == (subscriber,)
    assert subscribers.due(280, 1, 9) == ()


def test_a_lease_ends(subscribers):
    admitted(subscribers, 1000)
    assert subscribers.due(1000, 0, 9) == ()
    assert (subscribers.expire(999), subscribers.expire(1000), subscribers.all()) == (0, 1, ())


def test_a_subscriber_is_informed_of_a_removal_for_a_reason(subscribers):
    admitted(subscribers)
    assert subscribers.denials(9) == ()
    assert subscribers.remove(1, "Because.")
    (denial,) = subscribers.denials(9)
    assert (denial.callback, denial.topic, denial.reason) == (CALLBACK, TOPIC, "Because.")
    subscribers.denied(denial.number)
    assert subscribers.denials(9) == ()
    assert not subscribers.remove(1, "Because.")
    assert subscribers.denials(9) == ()


def test_a_number_is_never_used_again(subscribers, tmp_path):
    """A verification that ends late must not confirm another request."""
    ask(subscribers)
    subscribers.drop_request(1)
    ask(subscribers)
    assert subscribers.requests(0, 9)[0].number == 2
    with closing(sqlite3.connect(tmp_path / "subscriptions.sqlite")) as connection:
        assert connection.execute("select count(*) from hub_request").fetchone() == (1,)


def test_deliveries_are_counted_for_ever(subscribers):
    assert subscribers.totals() == {"delivered": 0, "failed": 0}
    admitted(subscribers)
    subscribers.delivered([1], 300)
    subscribers.delivered([1, 2], 400)
    subscribers.failed(1, 100, 160, "HTTP status 500")
    subscribers.remove(1)
    assert subscribers.totals() == {"delivered": 3, "failed": 1}
