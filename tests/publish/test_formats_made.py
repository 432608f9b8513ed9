"""The optional formats of `formats_made`: they come and go by a rebuild, and change no other record."""

import pytest

from gateway.core.errors import ConfigurationError, StoreError
from gateway.core.model import Format
from gateway.core.takedowns import Kind, Takedown, place_of
from gateway.formats import named
from gateway.publish import batch, items, rebuild
from gateway.publish.rebuild import outdated, remove_source
from gateway.publish.source_facts import adopt, made
from tests.publish.harness import START, Harness, Sent, dc, pdf
from tests.publish.test_takedowns import PDF, applied

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
