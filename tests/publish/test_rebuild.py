"""Records made again from the inbox when a mapping grew, and a source that is removed and comes back."""

from dataclasses import replace

import pytest

from gateway import formats
from gateway.core.errors import IntentExpired, PositionMoved, StoreError
from gateway.core.model import Lack, Selection
from gateway.formats import written
from gateway.publish import batch, items, mapping, payloads, rebuild, source_facts
from gateway.publish.rebuild import outdated, remove_source
from tests.publish.harness import START, Harness, Sent, dc, mods, pdf


@pytest.fixture
def grown(monkeypatch) -> None:
    """Let the mapping of oai_dc be a newer one, which writes more than before."""
    old = written()["oai_dc"]
    new = replace(old, version=old.version + 1, write=lambda work: old.write(work) + b"<!-- newer -->")
    known = {**written(), "oai_dc": new}
    for module in (formats, batch, mapping, rebuild, source_facts):
        monkeypatch.setattr(module, "written", lambda: known)


def test_a_mapping_that_grew_is_outdated_until_records_are_made_again(harness: Harness, request) -> None:
    harness.send(Sent("1"), Sent("2", dc("T", pdf()), sets=("a",)), Sent("3"), Sent("gone"))
    harness.publish()
    harness.sent(Sent("gone", None))
    request.getfixturevalue("grown")
    assert outdated(harness.store) == ("oai_dc",)
    seen: list[int] = []
    harness.now += 10
    assert rebuild.rebuild(harness.store, harness.inbox, progress=seen.append) == 3
    assert seen == [4]
    assert outdated(harness.store) == ()
    assert harness.record("2").datestamp == START + 12
    assert b"<!-- newer -->" in harness.record("2").content
    assert harness.record("2", "oai_didl").datestamp == START + 1
    assert harness.record("gone").datestamp == START + 2
    assert rebuild.rebuild(harness.store, harness.inbox) == 0


def test_a_format_that_was_added_exists_for_every_item_after_a_rebuild(harness: Harness, monkeypatch) -> None:
    """A rebuild before the next harvest failed: the store did not know the format."""
    harness.sent(Sent("1"), Sent("2"))
    new = replace(written()["oai_dc"], metadata_prefix="new", version=7)
    known = {**written(), "new": new}
    for module in (formats, batch, mapping, rebuild, source_facts):
        monkeypatch.setattr(module, "written", lambda: known)
    harness.now += 10
    assert rebuild.rebuild(harness.store, harness.inbox, "oai_dc") == 0  # another format is not in its way
    assert outdated(harness.store) == ("new",)
    assert rebuild.rebuild(harness.store, harness.inbox) == 2
    assert (outdated(harness.store), harness.record("2", "new").datestamp) == ((), harness.now)


@pytest.mark.parametrize(
    ("place", "error"), [("_item_change", StoreError), ("replace", ZeroDivisionError), ("replace", KeyboardInterrupt)]
)
def test_a_rebuild_that_fails_leaves_no_intent_open(harness: Harness, request, monkeypatch, error, place) -> None:
    """For a minute after it nobody was told of anything new."""
    harness.sent(Sent("1"))
    request.getfixturevalue("grown")

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(items, place, fail)
    with pytest.raises(error):
        rebuild.rebuild(harness.store, harness.inbox)
    harness.now += 10
    with harness.store.view() as view:
        assert view.horizon == harness.now


def test_a_publication_that_comes_in_between_is_not_overwritten(harness: Harness, request, monkeypatch) -> None:
    harness.sent(Sent("1"))
    harness.send(Sent("1", dc("Newer metadata")))
    request.getfixturevalue("grown")
    intend, waiting = harness.store.intend, [True]

    def overtaken():
        if waiting:
            waiting.clear()
            harness.publish()
        return intend()

    monkeypatch.setattr(harness.store, "intend", overtaken)
    rebuild.rebuild(harness.store, harness.inbox)
    assert b"Newer metadata" in harness.record().content


@pytest.mark.parametrize("error", [IntentExpired, PositionMoved])
def test_what_is_always_overtaken_says_so(harness: Harness, request, monkeypatch, error) -> None:
    harness.sent(Sent("1"))
    request.getfixturevalue("grown")

    def overtaken(intent, *_rest):
        harness.store.abandon(intent)
        raise error("again")

    monkeypatch.setattr(harness.store, "publish", overtaken)
    with pytest.raises(StoreError, match="were not made again: other processes were faster 5 times"):
        rebuild.rebuild(harness.store, harness.inbox)
    with pytest.raises(StoreError, match="were not deleted: other processes were faster 5 times"):
        remove_source(harness.store, harness.inbox, "laro", START)


# --- removal ------------------------------------------------------------------------------------------------------


def test_a_removed_source_leaves_tombstones_in_their_sets(harness: Harness) -> None:
    harness.send(Sent("1", dc("T", pdf()), sets=("a",)), Sent("2"))
    harness.sent(Sent("1", mods()), prefix="mods")
    harness.sent(Sent("2", None))
    seen: list[int] = []
    assert remove_source(harness.store, harness.inbox, "laro", START, seen.append) == 1
    assert seen == [1]
    assert [harness.record("1", prefix).is_deleted for prefix in ("oai_dc", "oai_didl", "mods")] == [True] * 3
    assert harness.sets() == ["fulltext", "source:laro:a"]
    with harness.store.view() as view:
        assert [source.is_removed for source in view.sources()] == [True]


def test_a_source_that_is_added_again_brings_back_what_it_still_has(harness: Harness) -> None:
    harness.send(Sent("1"), Sent("2"))
    harness.sent(Sent("1", mods()), prefix="mods")
    remove_source(harness.store, harness.inbox, "laro", START)
    harness.add("laro")
    assert harness.sent(Sent("1")).published == 1
    assert not harness.record("1").is_deleted
    assert harness.record("2").is_deleted
    assert harness.record("1", "mods").is_deleted
    assert harness.sent(Sent("1", mods()), prefix="mods").published == 1
    assert not harness.record("1", "mods").is_deleted


@pytest.mark.parametrize("wanted", [None, "oai_dc"])
def test_records_of_damaged_blocks_are_made_again_and_tombstones_too(harness: Harness, wanted: str | None) -> None:
    harness.send(*(Sent(f"oai:{number}") for number in range(20)))
    harness.publish()
    harness.now += 60
    harness.send(*(Sent(f"oai:{number}", None) for number in range(3)))
    harness.publish()
    harness.now += 60
    with harness.store._file.writing() as session:
        session.execute("update body set records = x'00'")
    assert harness.store.check()
    changed = rebuild.rebuild(harness.store, harness.inbox, wanted)
    assert changed == (20 if wanted else 40)
    assert (harness.store.check() == ()) == (wanted is None)
    with harness.store.view() as view:
        page = view.page(Selection("oai_dc"), None, 100)
    assert len(page.records) == 20
    assert sum(b'status="deleted"' in record for record in page.records) == 3
    assert rebuild.rebuild(harness.store, harness.inbox, wanted) == 0


def test_published_items_that_describe_no_work_become_tombstones_only_when_it_is_asked_for(
    harness: Harness, monkeypatch
) -> None:
    """A release that published persons: the reader learns that they are none."""
    person = b'<Person xmlns="https://www.openaire.eu/cerif-profile/1.2/" id="1"/>'
    with monkeypatch.context() as former:
        former.setattr(payloads, "refuse_other_things", lambda _: None)
        harness.sent(Sent("1", person), Sent("2"))
    harness.now += 10
    assert rebuild.rebuild(harness.store, harness.inbox) == 0
    assert Lack.WORK in {count.lack for count in harness.store.lack_counts(("laro",))["laro"]}
    assert not harness.record("1").is_deleted
    assert harness.record("1").datestamp == START + 1
    assert rebuild.withdraw_non_works(harness.store) == 1
    assert harness.record("1").is_deleted
    assert harness.record("1").datestamp == harness.now
    assert not harness.record("2").is_deleted
    assert rebuild.withdraw_non_works(harness.store) == 0
