"""Records made again from the inbox when a mapping grew, and a source that is removed and comes back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gateway import formats
from gateway.core.errors import IntentExpired, PositionMoved, StoreError
from gateway.core.model import Lack, Selection
from gateway.formats import written
from gateway.publish import batch, items, mapping, rebuild, source_facts
from gateway.publish.rebuild import outdated, remove_source
from tests.publish.desk import START, Desk, Sent, dc, mods, pdf


@pytest.fixture
def grown(monkeypatch) -> None:
    """Let the mapping of oai_dc be a newer one, which writes more than before."""
    old = written()["oai_dc"]
    new = replace(old, version=old.version + 1, write=lambda work: old.write(work) + b"<!-- newer -->")
    known = {**written(), "oai_dc": new}
    for module in (formats, batch, mapping, rebuild, source_facts):
        monkeypatch.setattr(module, "written", lambda: known)


def test_a_mapping_that_grew_is_outdated_until_records_are_made_again(desk: Desk, request) -> None:
    desk.send(Sent("1"), Sent("2", dc("T", pdf()), sets=("a",)), Sent("3"), Sent("gone"))
    desk.publish()
    desk.sent(Sent("gone", None))
    request.getfixturevalue("grown")
    assert outdated(desk.store) == ("oai_dc",)
    seen: list[int] = []
    desk.now += 10
    assert rebuild.rebuild(desk.store, desk.inbox, progress=seen.append) == 3
    assert seen == [4]
    assert outdated(desk.store) == ()
    assert desk.record("2").datestamp == START + 12
    assert b"<!-- newer -->" in desk.record("2").content
    assert desk.record("2", "oai_didl").datestamp == START + 1
    assert desk.record("gone").datestamp == START + 2
    assert rebuild.rebuild(desk.store, desk.inbox) == 0


def test_a_format_that_was_added_exists_for_every_item_after_a_rebuild(desk: Desk, monkeypatch) -> None:
    """A rebuild before the next harvest failed: the store did not know the format."""
    desk.sent(Sent("1"), Sent("2"))
    new = replace(written()["oai_dc"], metadata_prefix="new", version=7)
    known = {**written(), "new": new}
    for module in (formats, batch, mapping, rebuild, source_facts):
        monkeypatch.setattr(module, "written", lambda: known)
    desk.now += 10
    assert rebuild.rebuild(desk.store, desk.inbox, "oai_dc") == 0  # another format is not in its way
    assert outdated(desk.store) == ("new",)
    assert rebuild.rebuild(desk.store, desk.inbox) == 2
    assert (outdated(desk.store), desk.record("2", "new").datestamp) == ((), desk.now)


@pytest.mark.parametrize(
    ("place", "error"), [("_item_change", StoreError), ("replace", ZeroDivisionError), ("replace", KeyboardInterrupt)]
)
def test_a_rebuild_that_fails_leaves_no_intent_open(desk: Desk, request, monkeypatch, error, place) -> None:
    """For a minute after it nobody was told of anything new."""
    desk.sent(Sent("1"))
    request.getfixturevalue("grown")

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(items, place, fail)
    with pytest.raises(error):
        rebuild.rebuild(desk.store, desk.inbox)
    desk.now += 10
    with desk.store.view() as view:
        assert view.horizon == desk.now


def test_a_publication_that_comes_in_between_is_not_overwritten(desk: Desk, request, monkeypatch) -> None:
    desk.sent(Sent("1"))
    desk.send(Sent("1", dc("Newer metadata")))
    request.getfixturevalue("grown")
    intend, waiting = desk.store.intend, [True]

    def overtaken():
        if waiting:
            waiting.clear()
            desk.publish()
        return intend()

    monkeypatch.setattr(desk.store, "intend", overtaken)
    rebuild.rebuild(desk.store, desk.inbox)
    assert b"Newer metadata" in desk.record().content


@pytest.mark.parametrize("error", [IntentExpired, PositionMoved])
def test_what_is_always_overtaken_says_so(desk: Desk, request, monkeypatch, error) -> None:
    desk.sent(Sent("1"))
    request.getfixturevalue("grown")

    def overtaken(intent, *_rest):
        desk.store.abandon(intent)
        raise error("again")

    monkeypatch.setattr(desk.store, "publish", overtaken)
    with pytest.raises(StoreError, match="were not made again: other processes were faster 5 times"):
        rebuild.rebuild(desk.store, desk.inbox)
    with pytest.raises(StoreError, match="were not deleted: other processes were faster 5 times"):
        remove_source(desk.store, desk.inbox, "laro", START)


# --- removal ------------------------------------------------------------------------------------------------------


def test_a_removed_source_leaves_tombstones_in_their_sets(desk: Desk) -> None:
    desk.send(Sent("1", dc("T", pdf()), sets=("a",)), Sent("2"))
    desk.sent(Sent("1", mods()), prefix="mods")
    desk.sent(Sent("2", None))
    seen: list[int] = []
    assert remove_source(desk.store, desk.inbox, "laro", START, seen.append) == 1
    assert seen == [1]
    assert [desk.record("1", prefix).is_deleted for prefix in ("oai_dc", "oai_didl", "mods")] == [True] * 3
    assert desk.sets() == ["fulltext", "source:laro:a"]
    with desk.store.view() as view:
        assert [source.is_removed for source in view.sources()] == [True]


def test_a_source_that_is_added_again_brings_back_what_it_still_has(desk: Desk) -> None:
    desk.send(Sent("1"), Sent("2"))
    desk.sent(Sent("1", mods()), prefix="mods")
    remove_source(desk.store, desk.inbox, "laro", START)
    desk.add("laro")
    assert desk.sent(Sent("1")).published == 1
    assert not desk.record("1").is_deleted
    assert desk.record("2").is_deleted
    assert desk.record("1", "mods").is_deleted
    assert desk.sent(Sent("1", mods()), prefix="mods").published == 1
    assert not desk.record("1", "mods").is_deleted


@pytest.mark.parametrize("wanted", [None, "oai_dc"])
def test_records_of_damaged_blocks_are_made_again_and_tombstones_too(desk: Desk, wanted: str | None) -> None:
    desk.send(*(Sent(f"oai:{number}") for number in range(20)))
    desk.publish()
    desk.now += 60
    desk.send(*(Sent(f"oai:{number}", None) for number in range(3)))
    desk.publish()
    desk.now += 60
    with desk.store._file.writing() as session:
        session.execute("update body set records = x'00'")
    assert desk.store.check()
    changed = rebuild.rebuild(desk.store, desk.inbox, wanted)
    assert changed == (20 if wanted else 40)
    assert (desk.store.check() == ()) == (wanted is None)
    with desk.store.view() as view:
        page = view.page(Selection("oai_dc"), None, 100)
    assert len(page.records) == 20
    assert sum(b'status="deleted"' in record for record in page.records) == 3
    assert rebuild.rebuild(desk.store, desk.inbox, wanted) == 0


def test_published_items_that_describe_no_work_become_tombstones_only_when_it_is_asked_for(
    desk: Desk, monkeypatch
) -> None:
    """A release that published persons: the reader learns that they are none."""
    person = b'<Person xmlns="https://www.openaire.eu/cerif-profile/1.2/" id="1"/>'
    with monkeypatch.context() as former:
        former.setattr(mapping, "refuse_other_things", lambda _: None)
        desk.sent(Sent("1", person), Sent("2"))
    desk.now += 10
    assert rebuild.rebuild(desk.store, desk.inbox) == 0
    assert Lack.WORK in {count.lack for count in desk.store.lack_counts(("laro",))["laro"]}
    assert not desk.record("1").is_deleted
    assert desk.record("1").datestamp == START + 1
    assert rebuild.withdraw_non_works(desk.store) == 1
    assert desk.record("1").is_deleted
    assert desk.record("1").datestamp == desk.now
    assert not desk.record("2").is_deleted
    assert rebuild.withdraw_non_works(desk.store) == 0
