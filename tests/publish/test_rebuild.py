"""Records made again from the inbox when a mapping grew, and a source that is removed and comes back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gateway import formats, items, mapping, provenance, rebuild
from gateway.errors import IntentExpired, PositionMoved, StoreError
from gateway.formats import written
from gateway.model import ItemChange, Payload, Publication, Selection
from gateway.rebuild import outdated, remove_source
from gateway.xmltext import NO_NAMESPACE
from tests.publish.desk import START, Desk, Sent, dc, mods, pdf


@pytest.fixture
def grown(monkeypatch) -> None:
    """Let the mapping of oai_dc be a newer one, which writes more than before."""
    old = written()["oai_dc"]
    new = replace(old, version=old.version + 1, write=lambda work: old.write(work) + b"<!-- newer -->")
    known = {**written(), "oai_dc": new}
    for module in (formats, items, mapping, rebuild):
        monkeypatch.setattr(module, "written", lambda: known)


def test_nothing_is_outdated_when_it_was_just_published(desk: Desk) -> None:
    assert outdated(desk.store) == ()
    desk.sent(Sent("1"))
    assert outdated(desk.store) == ()
    assert rebuild.rebuild(desk.store, desk.inbox) == 0


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


@pytest.mark.parametrize(("prefix", "changed"), [("oai_dc", 1), ("oai_didl", 0)])
def test_one_format_can_be_made_again(desk: Desk, request, prefix: str, changed: int) -> None:
    desk.sent(Sent("1"))
    request.getfixturevalue("grown")
    assert rebuild.rebuild(desk.store, desk.inbox, prefix) == changed
    assert outdated(desk.store) == (() if changed else ("oai_dc",))


def test_records_with_an_empty_namespace_and_without_their_abouts_become_right(desk: Desk, monkeypatch) -> None:
    """Such were published before mapping version 2."""
    about = b'<q:quality xmlns:q="urn:q"/>'
    with monkeypatch.context() as before:
        before.setattr(mapping, "_namespace", lambda _facts, read: read.namespace)
        before.setattr(provenance, "_is_carried", lambda _root: False)
        desk.sent(Sent("1", b"<record/>", about=about), prefix="x")
    assert b"<metadataNamespace></metadataNamespace>" in desk.record("1").content
    assert rebuild.rebuild(desk.store, desk.inbox) == 3
    for prefix in ("oai_dc", "oai_didl", "x"):
        content = desk.record("1", prefix).content
        assert f"<metadataNamespace>{NO_NAMESPACE}</metadataNamespace>".encode() in content
        assert b"<about>%b</about></record>" % about in content


def test_when_sets_change_every_header_is_written(desk: Desk, monkeypatch) -> None:
    desk.send(Sent("1", dc("T", pdf())))
    desk.sent(Sent("1", mods()), prefix="mods")
    monkeypatch.setattr(mapping, "FULLTEXT", "other")
    assert rebuild.rebuild(desk.store, desk.inbox, "oai_dc") == 3
    assert desk.sets(prefix="mods") == ["other", "source:laro"]


def test_several_sources_are_made_again_in_batches(desk: Desk, request, monkeypatch) -> None:
    monkeypatch.setattr(rebuild, "BATCH", 1)
    desk.add("other")
    desk.sent(Sent("1"), Sent("2"))
    desk.sent(Sent("1"), source="other")
    request.getfixturevalue("grown")
    assert rebuild.rebuild(desk.store, desk.inbox) == 3


def test_a_format_that_is_new_is_outdated_when_there_are_records(desk: Desk) -> None:
    desk.sent(Sent("1"))
    desk.store.remember("mapping oai_didl", "none yet")
    assert outdated(desk.store) == ("oai_didl",)


def test_a_format_that_was_added_exists_for_every_item_after_a_rebuild(desk: Desk, monkeypatch) -> None:
    """A rebuild before the next harvest failed: the store did not know the format."""
    desk.sent(Sent("1"), Sent("2"))
    new = replace(written()["oai_dc"], metadata_prefix="new", version=7)
    known = {**written(), "new": new}
    for module in (formats, items, mapping, rebuild):
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


def test_what_cannot_be_read_any_more_stays_as_it_was(desk: Desk, request, monkeypatch) -> None:
    desk.sent(Sent("1"))
    request.getfixturevalue("grown")
    monkeypatch.setattr(mapping, "_read", _unreadable)
    assert rebuild.rebuild(desk.store, desk.inbox) == 0
    assert not desk.record().is_deleted


def _unreadable(*_given: object) -> None:
    raise mapping.UnusableRecord("Nothing.")  # type: ignore[attr-defined]


def test_what_did_not_come_from_an_inbox_is_left_alone(desk: Desk) -> None:
    desk.add("made")
    change = ItemChange(
        "x", "oai:gateway.example.org:made/x", False, ("source:made",), (Payload("m", 1, 0, b"", False),), ()
    )
    desk.store.publish(desk.store.intend(), Publication("made", (change,)))
    assert rebuild.rebuild(desk.store, desk.inbox) == 0


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


def test_to_remove_a_source_twice_or_none_is_no_error(desk: Desk) -> None:
    desk.sent(Sent("1"))
    assert [remove_source(desk.store, desk.inbox, name, START) for name in ("laro", "laro", "stranger")] == [1, 0, 0]


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
    with desk.store._file.writing() as session:  # type: ignore[attr-defined]
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
