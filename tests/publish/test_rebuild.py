"""Records made again when a mapping grew or a format is made, and a source that is removed and comes back."""

from dataclasses import replace

import pytest

from gateway import formats
from gateway.core.errors import ConfigurationError, IntentExpired, PositionMoved, StoreError
from gateway.core.model import Format, Lack, Selection
from gateway.core.takedowns import Kind, Takedown, place_of
from gateway.formats import named, written
from gateway.publish import batch, items, mapping, payloads, rebuild, source_facts
from gateway.publish.rebuild import outdated, remove_source
from gateway.publish.source_facts import adopt, made
from tests.publish.harness import START, Harness, Sent, dc, mods, pdf
from tests.publish.test_takedowns import PDF, applied


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


KERNEL = "http://datacite.org/schema/kernel-4"
NEW = "oai_datacite"


def datacite(title: str = "Theirs") -> bytes:
    return f'<resource xmlns="{KERNEL}"><titles><title>{title}</title></titles></resource>'.encode()


def make(harness: Harness, *wanted: str) -> int:
    """Rebuild, ten seconds later, after `formats_made` was set to these formats."""
    harness.now += 10
    adopt(harness.store, harness.inbox, wanted)
    return rebuild.rebuild(harness.store, harness.inbox)


def stamps(harness: Harness) -> list[int]:
    return [harness.record("1", prefix).datestamp for prefix in ("oai_dc", "oai_didl")]


def test_a_format_is_made_for_every_item_and_changes_no_other_record(harness: Harness) -> None:
    harness.sent(Sent("1"), Sent("2", dc("Second")), Sent("gone"))
    harness.sent(Sent("gone", None))
    before = stamps(harness)
    assert NEW not in harness.formats()
    assert make(harness, NEW) == 2
    assert NEW in harness.formats("1")
    assert b"<title>Second</title>" in harness.record("2", NEW).content
    assert (harness.record("2", NEW).datestamp, stamps(harness), outdated(harness.store)) == (harness.now, before, ())
    assert harness.record("gone", NEW) is None
    assert make(harness, NEW) == 0
    harness.sent(Sent("3"), Sent("2", None))
    assert not harness.record("3", NEW).is_deleted
    assert harness.record("2", NEW).is_deleted


def test_a_format_that_is_no_longer_made_leaves_tombstones(harness: Harness) -> None:
    harness.sent(Sent("1"), Sent("2"), Sent("3"))
    make(harness, NEW)
    before = stamps(harness)
    adopt(harness.store, harness.inbox, ())
    assert outdated(harness.store) == (NEW,)
    harness.sent(Sent("2", dc("Changed")), Sent("3", None))
    assert [harness.record(name, NEW).is_deleted for name in "123"] == [False, True, True]
    assert make(harness) == 1
    assert harness.record("1", NEW).is_deleted
    assert (NEW in harness.formats(), outdated(harness.store), stamps(harness)) == (True, (), before)
    harness.sent(Sent("4"))
    assert harness.record("4", NEW) is None
    assert make(harness, NEW) == 3
    assert not harness.record("1", NEW).is_deleted


def test_a_payload_of_the_same_namespace_stands_under_the_prefix(harness: Harness) -> None:
    """It keeps its datestamp, and its other prefix, when ours comes and goes."""
    harness.sent(Sent("1"), Sent("2"), Sent("3"))
    harness.sent(Sent("1", datacite()), Sent("3", datacite()), prefix=NEW)
    harness.sent(Sent("2", datacite()), prefix="datacite")
    make(harness, NEW)
    assert harness.record("1", NEW).datestamp == START + 2
    assert b">Theirs<" in harness.record("1", NEW).content
    assert b">Theirs<" in harness.record("2", NEW).content
    assert harness.altered(NEW, "2") == "false"
    harness.sent(Sent("1", None), prefix=NEW)
    assert b">A title<" in harness.record("1", NEW).content
    assert make(harness) == 2
    assert [harness.record(name, NEW).is_deleted for name in "123"] == [True, True, False]
    assert not harness.record("2", "datacite").is_deleted


def test_a_payload_of_a_source_that_is_kept_apart_has_a_prefix_of_its_own(harness: Harness) -> None:
    make(harness, NEW)
    harness.send(Sent("1"))
    formats = {NEW: ("", KERNEL), "datacite": ("", KERNEL)}
    harness.sent(Sent("1", datacite()), prefix=NEW, facts=harness.facts(apart=True, formats=formats))
    assert b"<publicationYear>0000<" in harness.record("1", NEW).content
    assert datacite() in harness.record("1", f"{NEW}.laro").content
    assert make(harness, NEW) == 0


def test_a_payload_without_a_title_does_not_stand_for_ours(harness: Harness) -> None:
    harness.sent(Sent("1"))
    make(harness, NEW)
    harness.sent(Sent("1", f'<resource xmlns="{KERNEL}"/>'.encode()), prefix="datacite")
    assert b">A title<" in harness.record("1", NEW).content


def test_a_prefix_with_another_namespace_is_not_taken(harness: Harness) -> None:
    harness.sent(Sent("1"))
    harness.store.add_format(Format(NEW, "urn:x", "urn:x", 1, "laro", NEW))
    with pytest.raises(StoreError, match="the prefix is taken by one of the source 'laro'"):
        adopt(harness.store, harness.inbox, (NEW,))
    assert NEW not in made(harness.store).prefixes


def test_a_removed_source_leaves_tombstones_in_an_optional_format(harness: Harness) -> None:
    harness.sent(Sent("1"))
    make(harness, NEW)
    remove_source(harness.store, harness.inbox, "laro", START)
    assert harness.record("1", NEW).is_deleted


def test_a_takedown_reaches_an_optional_format(harness: Harness) -> None:
    harness.sent(Sent("1", dc("T", pdf(), pdf("2"))), Sent("2", dc("T")))
    affiliation = f"<creatorName>A, B</creatorName><affiliation>{PDF}</affiliation>"  # which Dublin Core cannot say
    payload = datacite().replace(
        b"</titles>", f"</titles><creators><creator>{affiliation}</creator></creators>".encode()
    )
    harness.sent(Sent("1", payload), prefix="datacite")
    make(harness, NEW)
    assert PDF.encode() in harness.record("1", NEW).content
    applied(harness, Takedown(Kind.URL, place_of(PDF)), Takedown(Kind.UPSTREAM, "2", "laro"))
    assert PDF.encode() not in harness.record("1", NEW).content
    assert b"http://laro.example.org/2.pdf" in harness.record("1", NEW).content
    assert harness.record("2", NEW).is_deleted


def test_a_publication_that_has_begun_is_repeated_with_the_new_format(harness: Harness, monkeypatch) -> None:
    """Otherwise the rebuild could pass its items before it writes them without the format."""
    harness.send(Sent("1"))
    write, waiting = items.write, [True]

    def late(*arguments):
        if waiting:
            waiting.clear()
            make(harness, NEW)
        return write(*arguments)

    monkeypatch.setattr(batch, "write", late)
    harness.publish()
    assert not waiting
    assert not harness.record("1", NEW).is_deleted


def test_an_unknown_format_is_refused() -> None:
    assert named(" oai_datacite  oai_datacite ") == (NEW,)
    with pytest.raises(ConfigurationError, match=r"formats_made names oai_dc, x\. Choose among: "):
        named("x oai_dc")
