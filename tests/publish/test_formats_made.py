"""The optional formats of `formats_made`: they come and go by a rebuild, and change no other record."""

from __future__ import annotations

import pytest

from gateway.core.errors import ConfigurationError, StoreError
from gateway.core.model import Format
from gateway.core.takedowns import Kind, Takedown, place_of
from gateway.formats import named
from gateway.publish import batch, items, rebuild
from gateway.publish.rebuild import outdated, remove_source
from gateway.publish.source_facts import adopt, made
from tests.publish.desk import START, Desk, Sent, dc, pdf
from tests.publish.test_takedowns import PDF, applied

KERNEL = "http://datacite.org/schema/kernel-4"
NEW = "oai_datacite"


def datacite(title: str = "Theirs") -> bytes:
    return f'<resource xmlns="{KERNEL}"><titles><title>{title}</title></titles></resource>'.encode()


def make(desk: Desk, *wanted: str) -> int:
    """Rebuild, ten seconds later, after `formats_made` was set to these formats."""
    desk.now += 10
    adopt(desk.store, desk.inbox, wanted)
    return rebuild.rebuild(desk.store, desk.inbox)


def stamps(desk: Desk) -> list[int]:
    return [desk.record("1", prefix).datestamp for prefix in ("oai_dc", "oai_didl")]


def test_a_format_is_made_for_every_item_and_changes_no_other_record(desk: Desk) -> None:
    desk.sent(Sent("1"), Sent("2", dc("Second")), Sent("gone"))
    desk.sent(Sent("gone", None))
    before = stamps(desk)
    assert NEW not in desk.formats()
    assert make(desk, NEW) == 2
    assert NEW in desk.formats("1")
    assert b"<title>Second</title>" in desk.record("2", NEW).content
    assert (desk.record("2", NEW).datestamp, stamps(desk), outdated(desk.store)) == (desk.now, before, ())
    assert desk.record("gone", NEW) is None
    assert make(desk, NEW) == 0
    desk.sent(Sent("3"), Sent("2", None))
    assert not desk.record("3", NEW).is_deleted
    assert desk.record("2", NEW).is_deleted


def test_a_format_that_is_no_longer_made_leaves_tombstones(desk: Desk) -> None:
    desk.sent(Sent("1"), Sent("2"), Sent("3"))
    make(desk, NEW)
    before = stamps(desk)
    adopt(desk.store, desk.inbox, ())
    assert outdated(desk.store) == (NEW,)
    desk.sent(Sent("2", dc("Changed")), Sent("3", None))
    assert [desk.record(name, NEW).is_deleted for name in "123"] == [False, True, True]
    assert make(desk) == 1
    assert desk.record("1", NEW).is_deleted
    assert (NEW in desk.formats(), outdated(desk.store), stamps(desk)) == (True, (), before)
    desk.sent(Sent("4"))
    assert desk.record("4", NEW) is None
    assert make(desk, NEW) == 3
    assert not desk.record("1", NEW).is_deleted


def test_a_payload_of_the_same_namespace_stands_under_the_prefix(desk: Desk) -> None:
    """It keeps its datestamp, and its other prefix, when ours comes and goes."""
    desk.sent(Sent("1"), Sent("2"), Sent("3"))
    desk.sent(Sent("1", datacite()), Sent("3", datacite()), prefix=NEW)
    desk.sent(Sent("2", datacite()), prefix="datacite")
    make(desk, NEW)
    assert desk.record("1", NEW).datestamp == START + 2
    assert b">Theirs<" in desk.record("1", NEW).content
    assert b">Theirs<" in desk.record("2", NEW).content
    assert desk.altered(NEW, "2") == "false"
    desk.sent(Sent("1", None), prefix=NEW)
    assert b">A title<" in desk.record("1", NEW).content
    assert make(desk) == 2
    assert [desk.record(name, NEW).is_deleted for name in "123"] == [True, True, False]
    assert not desk.record("2", "datacite").is_deleted


def test_a_payload_without_a_title_does_not_stand_for_ours(desk: Desk) -> None:
    desk.sent(Sent("1"))
    make(desk, NEW)
    desk.sent(Sent("1", f'<resource xmlns="{KERNEL}"/>'.encode()), prefix="datacite")
    assert b">A title<" in desk.record("1", NEW).content


def test_a_prefix_with_another_namespace_is_not_taken(desk: Desk) -> None:
    desk.sent(Sent("1"))
    desk.store.add_format(Format(NEW, "urn:x", "urn:x", 1, "laro", NEW))
    with pytest.raises(StoreError, match="the prefix is taken by one of the source 'laro'"):
        adopt(desk.store, desk.inbox, (NEW,))
    assert NEW not in made(desk.store).prefixes


def test_a_removed_source_leaves_tombstones_in_an_optional_format(desk: Desk) -> None:
    desk.sent(Sent("1"))
    make(desk, NEW)
    remove_source(desk.store, desk.inbox, "laro", START)
    assert desk.record("1", NEW).is_deleted


def test_a_takedown_reaches_an_optional_format(desk: Desk) -> None:
    desk.sent(Sent("1", dc("T", pdf(), pdf("2"))), Sent("2", dc("T")))
    affiliation = f"<creatorName>A, B</creatorName><affiliation>{PDF}</affiliation>"  # which Dublin Core cannot say
    payload = datacite().replace(
        b"</titles>", f"</titles><creators><creator>{affiliation}</creator></creators>".encode()
    )
    desk.sent(Sent("1", payload), prefix="datacite")
    make(desk, NEW)
    assert PDF.encode() in desk.record("1", NEW).content
    applied(desk, Takedown(Kind.URL, place_of(PDF)), Takedown(Kind.UPSTREAM, "2", "laro"))
    assert PDF.encode() not in desk.record("1", NEW).content
    assert b"http://laro.example.org/2.pdf" in desk.record("1", NEW).content
    assert desk.record("2", NEW).is_deleted


def test_a_publication_that_has_begun_is_repeated_with_the_new_format(desk: Desk, monkeypatch) -> None:
    """Otherwise the rebuild could pass its items before it writes them without the format."""
    desk.send(Sent("1"))
    write, waiting = items.write, [True]

    def late(*arguments):
        if waiting:
            waiting.clear()
            make(desk, NEW)
        return write(*arguments)

    monkeypatch.setattr(batch, "write", late)
    desk.publish()
    assert not waiting
    assert not desk.record("1", NEW).is_deleted


def test_an_unknown_format_is_refused() -> None:
    assert named(" oai_datacite  oai_datacite ") == (NEW,)
    with pytest.raises(ConfigurationError, match=r"formats_made names oai_dc, x\. Choose among: "):
        named("x oai_dc")
