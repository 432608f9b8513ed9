"""Publishing in turn: pages are made ready while those before them are being written; lost pages keep nothing else."""

from dataclasses import asdict

import pytest

from gateway.core.errors import GatewayError, IntentExpired, PageLost, PositionMoved, StoreError
from gateway.core.instance_folder import Instance
from gateway.core.takedown_file import TakedownFile
from gateway.core.takedowns import Kind, Takedown
from gateway.publish.publish import begin, publish_in_turn
from gateway.publish.rebuild import rebuild
from gateway.takedowns.apply import apply_takedowns
from tests.opening import open_inbox
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


LOCAL = "oai:gateway.example.org:laro/1"


@pytest.fixture
def bereft(harness: Harness) -> Harness:
    """Return a harness whose inbox was lost after two items were published, one of them in two formats."""
    harness.sent(
        Sent("1", dc("One", "<dc:identifier>https://doi.org/10.1234/one</dc:identifier>")), Sent("2", dc("Two"))
    )
    harness.sent(Sent("1", mods("One")), prefix="mods")
    last = harness.inbox.last_number()
    harness.inbox.close()
    for file in harness.folder.glob("inbox.sqlite*"):
        file.unlink()
    Instance(harness.folder).accept_losses()
    harness.inbox = open_inbox(harness.folder, create=True)
    harness.inbox.number_behind(last)
    return harness


def test_a_record_that_comes_again_after_its_page_was_lost_is_held_again(bereft: Harness) -> None:
    assert bereft.sent(Sent("2", dc("Two"))).published == 1
    assert bereft.state("2").payloads[0].page == bereft.inbox.last_number()
    assert bereft.sent(Sent("2", dc("Two"))).unchanged == 1
    bereft.now += 1
    assert rebuild(bereft.store, bereft.inbox) == 0  # of the other nothing can be read, so it stays
    assert not bereft.state("1").is_deleted


def test_one_format_can_be_published_when_the_page_of_another_is_lost(bereft: Harness) -> None:
    again = dc("One", "<dc:identifier>https://doi.org/10.1234/one</dc:identifier>")
    assert bereft.sent(Sent("1", again)).published == 1
    assert not bereft.record(prefix="oai_dc").is_deleted
    bereft.sent(Sent("1", mods("One")), prefix="mods")
    assert b"titleInfo" in bereft.record(prefix="mods").content


def test_an_item_whose_page_is_lost_can_be_taken_down(bereft: Harness) -> None:
    file = TakedownFile(bereft.folder)
    file.change(lambda _: [Takedown(Kind.IDENTIFIER, LOCAL)])
    bereft.now += 1
    assert apply_takedowns(bereft.store, bereft.inbox, file).deleted == 1
    assert all(is_deleted for _, _, is_deleted in bereft.state().records)


def test_a_takedown_that_must_read_what_is_lost_fails_instead_of_finding_nothing(bereft: Harness) -> None:
    file = TakedownFile(bereft.folder)
    file.change(lambda _: [Takedown(Kind.DOI, "10.1234/one")])
    with pytest.raises(PageLost, match="--full"):
        apply_takedowns(bereft.store, bereft.inbox, file)
