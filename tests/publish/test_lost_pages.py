"""Pages that the inbox has lost stop nothing: what comes again is held again, and what is withdrawn is withdrawn."""

import pytest

from gateway.core.errors import PageLost
from gateway.core.takedowns import Kind, Takedown
from gateway.publish.rebuild import rebuild
from gateway.store.instance import Instance
from gateway.store.opening import open_inbox
from gateway.store.takedown_file import TakedownFile
from gateway.takedowns.apply import apply_takedowns
from tests.publish.harness import Harness, Sent, dc, mods

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
