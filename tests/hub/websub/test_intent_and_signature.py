"""What a hub asks and signs, as the Recommendation of WebSub has it: sections 5.3 and 7.1."""

import hashlib
import hmac
from dataclasses import replace

import pytest

from gateway.core.model import Subscription, SubscriptionState
from gateway.hub.websub_routes import Confirmed, Denied, Ended, Signature, intent
from tests.rows import each_row

TOPIC = "http://example.com/dataset1/change/"
ASKED = Subscription("t" * 43, "laro", TOPIC, "http://hub.example.org/", "secret", SubscriptionState.ASKED, 100)
SAID = {"hub.mode": "subscribe", "hub.topic": TOPIC, "hub.challenge": "c0cc", "hub.lease_seconds": "2400"}


def at(state):
    return replace(ASKED, state=state)


@pytest.mark.parametrize("state", ["asked", "active"])
def test_what_was_asked_for_is_confirmed_with_the_lease_of_the_hub(state):
    assert intent(at(SubscriptionState(state)), SAID, 864_000) == Confirmed("c0cc", 2400)


@each_row("lease", ["", "0", "soon", "-1", "9" * 12])
def test_a_lease_that_is_none_is_the_one_that_was_asked_for(lease):
    assert intent(ASKED, SAID | {"hub.lease_seconds": lease}, 864_000) == Confirmed("c0cc", 864_000)


@each_row(
    "changes",
    [
        {"hub.topic": "http://example.com/other/"},
        {"hub.topic": ""},
        {"hub.challenge": ""},
        {"hub.challenge": "x" * 2001},
        {"hub.mode": "publish"},
        {"hub.mode": "unsubscribe"},
    ],
)
def test_what_was_not_asked_for_is_not_confirmed(changes):
    assert intent(ASKED, SAID | changes, 1) is None


@pytest.mark.parametrize("state", ["ending", "ended"])
def test_an_end_that_was_asked_for_is_confirmed(state):
    assert intent(at(SubscriptionState(state)), SAID | {"hub.mode": "unsubscribe"}, 1) == Ended("c0cc")


def test_a_denial_needs_no_challenge_and_its_reason_has_an_end():
    denial = {"hub.mode": "denied", "hub.topic": TOPIC, "hub.reason": "no" * 400}
    assert intent(ASKED, denial, 1) == Denied("no" * 250)


def signed(header, body=b"payload", secret="secret"):
    signature = Signature(header, secret)
    for part in (body[:3], body[3:]):
        signature.update(part)
    return signature.is_valid


@each_row("method", ["sha1", "sha256", "sha384", "sha512", "SHA256"])
def test_every_method_of_the_recommendation_is_known(method):
    given = hmac.new(b"secret", b"payload", getattr(hashlib, method.lower())).hexdigest()
    assert signed(f"{method}={given}")
    assert not signed(f"{method}={given}", b"Payload")
    assert not signed(f"{method}={given}", secret="Secret")


@each_row("header", ["", "sha256=", "sha256", "md5=0123", "sha256=häh", "=", "none="])
def test_what_is_no_signature_signs_nothing(header):
    assert not signed(header)
