"""The routes that hubs call: what it answers, and what it marks."""

import hmac
from hashlib import sha256

import pytest
from flask import Flask

from gateway.core.errors import StoreBusy
from gateway.core.model import Subscription, SubscriptionState
from gateway.hub import websub_routes
from tests.rows import each_row

TOPIC = "http://example.com/dataset1/change/"
SAID = {"hub.mode": "subscribe", "hub.topic": TOPIC, "hub.challenge": "<c0cc>", "hub.lease_seconds": "2400"}
NOW = 1000


class Memory:
    """The promises of Subscriptions that the routes need, for one subscription."""

    def __init__(self):
        self.known = Subscription("token", "laro", TOPIC, "http://hub/", "secret", SubscriptionState.ASKED, 1)
        self.written = []
        self.failure = None

    def find(self, token):
        if self.failure:
            raise self.failure
        return self.known if token == self.known.token else None

    def __getattr__(self, name):
        return lambda *given: self.written.append((name, *given))


@pytest.fixture
def memory():
    return Memory()


@pytest.fixture
def hub(memory):
    app = Flask("gateway")
    app.register_blueprint(websub_routes.blueprint(memory, 864_000, lambda: NOW + 0.5))
    return app.test_client()


def active(memory, state="active"):
    object.__setattr__(memory.known, "state", SubscriptionState(state))


def bring(hub, body=b"<urlset/>", secret=b"secret", token="token"):
    header = {"X-Hub-Signature": f"sha256={hmac.new(secret, body, sha256).hexdigest()}"}
    return hub.post(f"/websub/{token}", data=body, headers=header)


def test_a_hub_that_verifies_gets_its_challenge_back_as_plain_text(hub, memory):
    answer = hub.get("/websub/token", query_string=SAID)
    assert (answer.status_code, answer.text, answer.mimetype) == (200, "<c0cc>", "text/plain")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert memory.written == [("confirm", "token", 2400, NOW + 2400)]


@pytest.mark.parametrize(("token", "topic"), [("guess", TOPIC), ("token", "http://example.com/other")])
def test_what_nobody_asked_for_is_not_found(hub, memory, token, topic):
    assert hub.get(f"/websub/{token}", query_string=SAID | {"hub.topic": topic}).status_code == 404
    assert bring(hub, token="guess").status_code == 404
    assert memory.written == []


def test_an_end_and_a_denial_are_marked(hub, memory):
    denied = {"hub.mode": "denied", "hub.topic": TOPIC}
    assert hub.get("/websub/token", query_string=denied).status_code == 200
    active(memory, "ending")
    assert hub.get("/websub/token", query_string=SAID | {"hub.mode": "unsubscribe"}).text == "<c0cc>"
    assert memory.written == [("deny", "token", "The hub gives no reason."), ("ended", "token")]


def test_what_is_signed_marks_the_source_and_nothing_else_does(hub, memory):
    active(memory)
    assert bring(hub).status_code == 202
    assert bring(hub, secret=b"guess").status_code == 202
    assert hub.post("/websub/token", data=b"<urlset/>").status_code == 202
    assert memory.written == [("notify", "token", NOW)]


@each_row("state", ["asked", "ending", "ended", "denied"])
def test_a_hub_that_brings_what_was_not_subscribed_to_is_told_that_it_is_gone(hub, memory, state):
    active(memory, state)
    assert (bring(hub).status_code, memory.written) == (410, [])


def test_what_is_too_long_is_not_read_to_its_end(hub, memory, monkeypatch):
    monkeypatch.setattr(websub_routes, "_MOST_BYTES", 8)
    active(memory)
    assert bring(hub).status_code == 413
    assert memory.written == []


def test_a_hub_is_asked_to_come_back_when_nothing_can_be_written(hub, memory, caplog):
    memory.failure = StoreBusy("somebody else writes")
    answer = hub.get("/websub/token", query_string=SAID)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "60")
    assert "somebody else writes" in caplog.text
