"""Subscribers of one network who answer slowly, or never, do not delay those of other networks."""

from collections.abc import Iterator

import pytest

from harvester.schedule.hub import calls
from harvester.schedule.hub.calls import networks_of
from tests.rows import each_row
from tests.schedule.hub.subscriber import Subscriber, served

SLOW = 12
# Of its seconds a network has had enough as soon as its first call has begun.
ONE_CALL = 1e-9


@pytest.fixture
def other() -> Iterator[Subscriber]:
    """Serve a subscriber in another network, as far as the hub can see."""
    with served(Subscriber()) as other:
        other.url = other.url.replace("127.0.0.1", "localhost")
        yield other


def asked(hub, subscriber, count):
    for number in range(count):
        assert hub.post(subscriber.callback(str(number))) == 202


def subscribed(hub, subscriber, count):
    asked(hub, subscriber, count)
    while hub.run()["left"]:
        pass


@pytest.fixture
def is_patient(monkeypatch):
    """Let calls of a network begin during a whole test."""
    monkeypatch.setattr(calls, "_CALL_SECONDS", 240.0)


# --- rounds ---------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.unmeasured
@pytest.mark.usefixtures("is_patient")
def test_others_get_their_delivery_while_slow_subscribers_make_the_hub_wait(hub, subscriber, other):
    """The slow ones subscribed first, and answer only after the delivery to the other one."""
    subscribed(hub, subscriber, SLOW)
    subscribed(hub, other, 1)
    hub.publish("1")
    subscriber.waits_for = other.has_delivered
    assert hub.run() == {"delivered": SLOW + 1}


@pytest.mark.slow
@pytest.mark.unmeasured
def test_a_network_that_has_had_its_time_is_called_again_in_the_next_round(hub, subscriber, other, monkeypatch):
    subscribed(hub, subscriber, SLOW)
    subscribed(hub, other, 1)
    hub.publish("1")
    with monkeypatch.context() as patch:
        patch.setattr(calls, "_CALL_SECONDS", ONE_CALL)
        assert hub.run() == {"delivered": 2, "left": SLOW - 1}
    assert len(other.deliveries) == 1
    assert all(known.tries == 0 for known in hub.subscribers.all()), "nothing has failed"
    while hub.run()["left"]:
        pass
    assert len({delivered.path for delivered in subscriber.deliveries}) == len(subscriber.deliveries) == SLOW
    assert hub.run() == {}


# --- networks -------------------------------------------------------------------------------------------


@each_row(
    "callback, asked_from, expected",
    [
        ("https://8.8.8.8/a", "", ("8.8.8.0/24",)),
        ("https://[2600::1:2]:8080/", "", ("2600::/48",)),
        ("https://a.b.example.net/secret", "", ("example.net",)),
        ("https://EXAMPLE.net./", "", ("example.net",)),
        ("https://www.lib.cam.ac.uk/", "", ("cam.ac.uk",)),
        ("https://subscriber/", "", ("subscriber",)),
        ("https://example.net/", "8.8.8.0/24", ("8.8.8.0/24", "example.net")),
        ("https://8.8.8.8/", "8.8.8.0/24", ("8.8.8.0/24",)),
        ("https://example.net/", "127.0.0.0/24", ("example.net",)),
    ],
)
def test_a_subscription_has_the_network_of_its_callback_and_the_one_it_came_from(callback, asked_from, expected):
    assert networks_of(callback, asked_from) == expected
