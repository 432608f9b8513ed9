"""Publishing in turn: pages are made ready while those before them are being written, and nothing is other for it."""

from dataclasses import asdict

import pytest

from gateway.core.errors import GatewayError, IntentExpired, PositionMoved, StoreError
from gateway.publish.publish import begin, publish_in_turn
from tests.publish.harness import Harness, Sent, dc, mods, pdf


def nothing() -> None:
    """Wait for nothing: it is this one's turn already."""


def in_turn(harness: Harness, *pages: int, turn=nothing, before: int | None = None):
    begin(harness.store, harness.inbox, harness.facts())
    position = harness.store.position("laro") if before is None else before
    return publish_in_turn(harness.store, harness.inbox, harness.facts(), position, pages, turn)


def test_pages_are_published_and_counted(harness: Harness) -> None:
    pages = [harness.send(*(Sent(f"{page}/{number}", dc("T", pdf())) for number in range(3))) for page in range(4)]
    counts = asdict(in_turn(harness, *pages))
    assert (counts["pages"], counts["received"], counts["published"], counts["stamped"]) == (4, 12, 12, 24)
    assert harness.store.position("laro") == pages[-1]


def test_a_large_page_is_published_in_parts_when_it_is_its_turn(harness: Harness, monkeypatch) -> None:
    monkeypatch.setattr("gateway.publish.batch._MOST_AT_ONCE", 2)
    page = harness.send(*(Sent(str(number)) for number in range(5)))
    seen = []
    counts = in_turn(harness, page, turn=lambda: seen.append(harness.record("1")))
    assert (counts.pages, counts.received, counts.published) == (1, 5, 5)
    assert seen == [None]
    assert harness.store.position("laro") == page


def test_an_item_that_the_pages_before_change_too_is_mapped_from_what_they_wrote(harness: Harness) -> None:
    """Its second format was made ready while the first was on its way; the oai_dc that came is carried all the same."""
    first = harness.send(Sent("1", dc("As it came")), Sent("2"))
    second = harness.send(Sent("1", mods("Richer")), prefix="mods")
    third = harness.send(Sent("2", None))
    received = []

    def take(*pages: int, after: int = 0) -> None:
        """Make pages ready, and publish those before them when it should be their own turn."""
        before, *rest = pages
        turn = (lambda: take(*rest, after=after)) if rest else nothing
        received.append(in_turn(harness, before, before=rest[0] if rest else after, turn=turn).published)

    take(third, second, first)
    assert received == [2, 1, 1]
    assert b"As it came" in harness.record("1").content
    assert harness.formats("1") == ["mods", "oai_dc", "oai_didl"]
    assert harness.record("2").is_deleted


def test_what_came_back_to_what_it_was_is_noticed_too(harness: Harness) -> None:
    """Looked at too early the third page has nothing new; behind the second it has."""
    harness.sent(Sent("1", dc("One")))
    second = harness.send(Sent("1", dc("Two")))
    third = harness.send(Sent("1", dc("One")))
    position = harness.store.position("laro")
    counts = in_turn(harness, third, before=second, turn=lambda: in_turn(harness, second, before=position))
    assert (counts.published, counts.unchanged) == (1, 0)
    assert b"One" in harness.record("1").content


def test_an_intent_that_expired_while_it_waited_is_renewed(harness: Harness) -> None:
    page = harness.send(Sent("1"))

    def late() -> None:
        harness.now += 3600
        with harness.store.view():
            pass  # whoever looks removes the intent

    assert in_turn(harness, page, turn=late).published == 1
    assert harness.record("1") is not None


def test_pages_out_of_order_are_refused(harness: Harness) -> None:
    first, second = harness.send(Sent("1")), harness.send(Sent("2"))
    with pytest.raises(PositionMoved):
        in_turn(harness, second, before=first)
    assert harness.record("2") is None


def test_a_turn_that_never_comes_leaves_no_intent(harness: Harness) -> None:
    def gone() -> None:
        raise GatewayError("The one who gives the turns is gone.")

    with pytest.raises(GatewayError, match="is gone"):
        in_turn(harness, harness.send(Sent("1")), turn=gone)
    harness.now += 5
    with harness.store.view() as view:
        assert view.horizon == harness.now


def test_whoever_is_always_too_late_is_reported(harness: Harness, monkeypatch) -> None:
    def expired(intent, *_rest):
        harness.store.abandon(intent)
        raise IntentExpired("once more")

    monkeypatch.setattr(harness.store, "publish", expired)
    with pytest.raises(StoreError, match="other processes were faster 5 times"):
        in_turn(harness, harness.send(Sent("1")))
