"""What hubs were asked for is kept, and only what was asked for can be said of it."""

import pytest

from gateway.core.model import Subscription, SubscriptionState
from tests.opening import open_subscriptions
from tests.postgres import only_files

TOPIC = "http://example.com/dataset1/change/"


@pytest.fixture
def kept(tmp_path, server):
    subscriptions = open_subscriptions(tmp_path, server)
    yield subscriptions
    subscriptions.close()


ASKED = Subscription("one", "laro", TOPIC, "http://hub/", "secret", SubscriptionState.ASKED, 100)


def changed(**fields):
    return Subscription(**{name: fields.get(name, getattr(ASKED, name)) for name in ASKED.__slots__})


@only_files
def test_a_subscription_is_asked_for_confirmed_and_told_of(kept, tmp_path):
    assert kept.ask(ASKED) == ASKED
    assert all(path.stat().st_mode & 0o077 == 0 for path in tmp_path.iterdir())
    kept.notify("one", 150)  # nobody can tell of it before it is confirmed
    kept.confirm("one", 2400, 2600)
    kept.notify("one", 200)
    kept.notify("one", 190)
    assert kept.find("one") == changed(
        state=SubscriptionState.ACTIVE, tries=0, lease_seconds=2400, until=2600, notified_at=200
    )


def test_who_asks_again_keeps_the_address_and_the_secret(kept):
    kept.ask(ASKED)
    assert kept.ask(changed(token="two", secret="other", asked_at=200)) == changed(asked_at=200, tries=2)
    kept.confirm("one", 2400, 2600)
    again = kept.ask(changed(token="two", asked_at=300))
    assert (again.state, again.tries, again.until) == (SubscriptionState.ACTIVE, 1, 2600)


@pytest.mark.parametrize("over", ["end", "deny", "hub"])
def test_what_is_over_or_elsewhere_is_asked_for_under_a_new_address(kept, over):
    kept.ask(ASKED)
    if over == "end":
        kept.end("laro", TOPIC, 150)
        kept.ended("one")
    elif over == "deny":
        kept.deny("one", "no")
    hub = "http://other/" if over == "hub" else ASKED.hub
    new = changed(token="two", hub=hub, asked_at=200)
    assert kept.ask(new) == new
    assert kept.find("one") is None


def test_a_call_that_comes_too_late_changes_nothing(kept):
    kept.ask(ASKED)
    kept.end("laro", TOPIC, 150)
    kept.confirm("one", 2400, 2600)
    kept.notify("one", 200)
    kept.deny("one", "no")
    assert kept.find("one") == changed(state=SubscriptionState.ENDING, asked_at=150)
    kept.ended("one")
    kept.end("laro", TOPIC, 160)
    assert kept.find("one").state is SubscriptionState.ENDED
