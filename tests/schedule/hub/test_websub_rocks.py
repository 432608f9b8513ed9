"""The cases of websub.rocks for hubs, 100 to 106, by their names: a subscriber on loopback, and our whole site.

Our topics are XML. So the cases of plain text and JSON are told by a topic whose answer has another type.
"""

import hmac
from hashlib import sha256
from urllib.request import urlopen

import pytest

from tests.schedule.hub.conftest import Hub
from tests.schedule.hub.subscriber import Subscriber


def fetched(url: str) -> tuple[str, bytes, str]:
    with urlopen(url, timeout=240) as answer:
        return answer.headers["Content-Type"], answer.read(), answer.headers["Link"]


def subscribed(hub: Hub, subscriber: Subscriber, **fields: str) -> None:
    assert hub.post(subscriber.callback(), **fields) == 202
    assert hub.run()["subscribed"] == 1


def assert_delivered(hub: Hub, subscriber: Subscriber, topic: str, count: int = 1) -> None:
    """Publish, and check that the topic was delivered as it is."""
    hub.publish("1", "2")
    assert hub.run() == {"delivered": 1}
    assert len(subscriber.deliveries) == count
    delivered = subscriber.deliveries[-1]
    content_type, body, link = fetched(topic)
    assert (delivered.headers["Content-Type"], delivered.body) == (content_type, body)
    assert delivered.headers["Link"] == link == f'<{hub.url}/hub>; rel="hub", <{topic}>; rel="self"'
    assert hub.run() == {}


def test_100_typical_subscriber_request(hub, subscriber):
    subscribed(hub, subscriber)
    (verification,) = subscriber.verifications
    challenge = verification.pop("hub.challenge")
    assert len(challenge) >= 43
    assert verification == {"hub.mode": "subscribe", "hub.topic": hub.topic, "hub.lease_seconds": "864000"}
    assert subscriber.deliveries == [], "nothing has changed since the request"
    assert_delivered(hub, subscriber, hub.topic)
    assert "X-Hub-Signature" not in subscriber.deliveries[0].headers


@pytest.mark.slow
def test_101_subscription_with_secret(hub, subscriber):
    subscribed(hub, subscriber, secret="a secret")
    assert_delivered(hub, subscriber, hub.topic)
    digest = hmac.new(b"a secret", subscriber.deliveries[0].body, sha256).hexdigest()
    assert subscriber.deliveries[0].headers["X-Hub-Signature"] == f"sha256={digest}"


@pytest.mark.slow
def test_102_subscriber_sends_additional_parameters(hub, subscriber):
    subscribed(hub, subscriber, foo="hub.bar", foo2="é")
    assert_delivered(hub, subscriber, hub.topic)


@pytest.mark.slow
def test_103_re_subscribes_before_expiration(hub, subscriber):
    subscribed(hub, subscriber, lease_seconds="600")
    before = hub.subscribers.all()[0]
    hub.harness.now += 300
    subscribed(hub, subscriber, lease_seconds="600")
    (after,) = hub.subscribers.all()
    assert (after.number, after.until) == (before.number, before.until + 300)
    assert subscriber.verifications[0]["hub.challenge"] != subscriber.verifications[1]["hub.challenge"]
    assert_delivered(hub, subscriber, hub.topic)


@pytest.mark.slow
def test_104_unsubscription(hub, subscriber):
    subscribed(hub, subscriber)
    assert hub.post(subscriber.callback(), mode="unsubscribe") == 202
    assert hub.run() == {"unsubscribed": 1}
    assert "hub.lease_seconds" not in subscriber.verifications[1]
    hub.publish("1")
    assert hub.run() == {}
    assert subscriber.deliveries == []


@pytest.mark.slow
def test_105_and_106_plaintext_and_json_topic(hub, subscriber):
    content_type = "application/json"

    @hub.app.after_request
    def other(response):
        if response.mimetype == "text/xml":
            response.content_type = content_type
        return response

    subscribed(hub, subscriber, topic=hub.records)
    assert hub.run() == {}
    hub.publish("1")
    assert hub.run() == {"delivered": 1}
    assert subscriber.deliveries[0].headers["Content-Type"] == content_type
    assert b"<ListRecords>" in subscriber.deliveries[0].body
