"""What lies in the inbox becomes published records, and what did not change keeps its datestamp."""

from __future__ import annotations

import pytest

from gateway.core.errors import IntentExpired, PositionMoved, StoreError
from gateway.publish import mapping
from gateway.publish.publish import publish_pending
from tests.publish.desk import MODS, OAI, PROVENANCE, START, Desk, Sent, dc, mods, pdf
from tests.rows import each_row


def test_a_new_record_is_published_in_every_format_of_ours(desk: Desk) -> None:
    assert desk.publish().pages == 0
    counts = desk.sent(Sent("1"))
    assert (counts.pages, counts.received, counts.published, counts.stamped) == (1, 1, 1, 2)
    assert desk.formats("1") == ["oai_dc", "oai_didl"]
    header = [(element.tag.removeprefix(OAI), element.text) for element in desk.tree()[0]]
    assert header == [
        ("identifier", "oai:gateway.example.org:laro/1"),
        ("datestamp", "2023-11-14T22:13:22Z"),
        ("setSpec", "source:laro"),
    ]
    assert [element.tag for element in desk.tree()] == [f"{OAI}header", f"{OAI}metadata", f"{OAI}about"]


def test_what_comes_again_as_it_was_keeps_its_datestamp(desk: Desk) -> None:
    desk.sent(Sent("1"))
    desk.received_at += 86_400  # its harvestDate is another, which is nothing new
    counts = desk.sent(Sent("1"))
    assert (counts.unchanged, counts.published, counts.stamped) == (1, 0, 0)
    assert desk.record().datestamp == START + 1


def test_an_update_gets_a_new_datestamp(desk: Desk) -> None:
    desk.sent(Sent("1"), Sent("2"))
    counts = desk.sent(Sent("1", dc("Another title")), Sent("2"))
    assert (counts.published, counts.unchanged) == (1, 1)
    assert (desk.record("1").datestamp, desk.record("2").datestamp) == (START + 2, START + 1)
    assert b"Another title" in desk.record(prefix="oai_didl").content


def test_a_new_upstream_datestamp_alone_is_reported(desk: Desk) -> None:
    desk.sent(Sent("1"))
    desk.sent(Sent("1", datestamp="2021-01-01"))
    assert b"<datestamp>2021-01-01</datestamp>" in desk.record().content
    assert b"2021-01-01</dcterms:modified>" in desk.record(prefix="oai_didl").content


def test_a_deletion_is_a_tombstone_in_its_sets(desk: Desk) -> None:
    desk.sent(Sent("1", dc("T", pdf()), sets=("a:b",)))
    counts = desk.sent(Sent("1", None))
    assert (counts.published, counts.stamped) == (1, 2)
    assert desk.record().is_deleted
    assert desk.tree()[0].get("status") == "deleted"
    assert len(desk.tree()) == 1
    assert desk.sets() == ["fulltext", "source:laro:a:b"]
    assert desk.listed("fulltext") == 1


def test_a_deletion_that_names_a_set_adds_it_and_what_was_deleted_can_come_back(desk: Desk) -> None:
    desk.sent(Sent("1", sets=("a",)))
    desk.sent(Sent("1", None, sets=("b",)))
    assert desk.sets() == ["source:laro:a", "source:laro:b"]
    desk.sent(Sent("1"))
    assert not desk.record().is_deleted
    assert desk.record().datestamp == START + 3


def test_a_deletion_of_what_was_never_held_is_ignored(desk: Desk) -> None:
    counts = desk.sent(Sent("1", None))
    assert (counts.received, counts.ignored, counts.published) == (1, 1, 0)
    assert desk.record() is None
    assert desk.store.position("laro") == 1


def test_what_comes_and_goes_within_one_batch_was_never_held(desk: Desk) -> None:
    counts = desk.sent(Sent("1"), Sent("1", None))
    assert (counts.unchanged, counts.ignored) == (1, 1)
    assert desk.record() is None


def test_of_a_record_that_comes_twice_in_a_batch_the_last_counts(desk: Desk) -> None:
    counts = desk.sent(Sent("1", dc("First")), Sent("1", dc("Last")))
    assert (counts.received, counts.unchanged, counts.published) == (2, 1, 1)
    assert b"Last" in desk.record().content
    counts = desk.sent(Sent("1", dc("Passing")), Sent("1", dc("Last")))
    assert (counts.unchanged, counts.stamped) == (2, 0), "it changes back"


# --- quarantine ---------------------------------------------------------------------------------------------------


def test_a_bad_update_leaves_the_last_good_version(desk: Desk) -> None:
    desk.sent(Sent("1"))
    counts = desk.sent(Sent("1", b"<broken"))
    assert (counts.quarantined, counts.stamped) == (1, 0)
    assert desk.record().datestamp == START + 1
    (bad,) = desk.store.quarantined()
    assert (bad.identifier, bad.metadata_prefix, bad.page, bad.slice) == ("1", "oai_dc", 2, 0)
    assert bad.reason.startswith("The metadata cannot be used. It is not well-formed XML")


@each_row("good", [dc(), dc("Better")])
def test_what_is_good_again_leaves_quarantine(desk: Desk, good: bytes) -> None:
    desk.sent(Sent("1"))
    desk.sent(Sent("1", b"<broken"))
    desk.sent(Sent("1", good))
    assert list(desk.store.quarantined()) == []


def test_what_is_good_and_then_bad_in_one_batch_is_in_quarantine(desk: Desk) -> None:
    desk.sent(Sent("1"), Sent("1", problem="It is torn."))
    assert [bad.reason for bad in desk.store.quarantined()] == ["It is torn."]
    assert desk.record() is not None


def test_a_record_without_a_usable_identifier_is_in_quarantine(desk: Desk) -> None:
    counts = desk.sent(*map(Sent, ("", "  ", "a\x01b", "a\ud800b", "a\ufffe", "2")))
    assert (counts.quarantined, counts.published) == (5, 1)
    assert [bad.reason for bad in desk.store.quarantined()] == ["The record has no usable identifier."] * 5


def test_the_good_half_of_an_item_is_published(desk: Desk) -> None:
    desk.send(Sent("1"))
    desk.send(Sent("1", b"<broken"), prefix="mods")
    counts = desk.publish()
    assert (counts.published, counts.quarantined) == (1, 1)
    assert desk.formats("1") == ["oai_dc", "oai_didl"]


# --- several formats ----------------------------------------------------------------------------------------------


def test_a_richer_format_is_passed_through_and_tells_the_didl(desk: Desk) -> None:
    desk.send(Sent("1"))
    desk.send(Sent("1", mods()), prefix="mods")
    desk.publish()
    assert desk.formats("1") == ["mods", "oai_dc", "oai_didl"]
    assert mods() in desk.record(prefix="mods").content
    assert dc() in desk.record(prefix="oai_didl").content
    assert [desk.altered(prefix) for prefix in ("oai_dc", "oai_didl", "mods")] == ["false", "true", "false"]


def test_an_item_without_dublin_core_gets_one(desk: Desk) -> None:
    desk.sent(Sent("1", mods()), prefix="mods")
    assert b"<dc:title>A richer title</dc:title>" in desk.record().content
    assert desk.altered("oai_dc") == "true"
    assert next(desk.tree().iter(f"{PROVENANCE}metadataNamespace")).text == MODS


def test_a_deletion_in_one_format_deletes_that_record_only(desk: Desk) -> None:
    desk.send(Sent("1"))
    desk.sent(Sent("1", mods()), prefix="mods")
    desk.sent(Sent("1", None), prefix="mods")
    assert desk.record(prefix="mods").is_deleted
    assert not desk.record().is_deleted
    desk.sent(Sent("1", None))
    assert desk.record().is_deleted
    assert desk.state().is_deleted


def test_two_sources_with_one_prefix_and_different_namespaces_are_kept_apart(desk: Desk) -> None:
    desk.add("other")
    desk.sent(Sent("1", mods()), prefix="mods")
    desk.sent(Sent("1", b'<mods xmlns="urn:other"/>'), prefix="mods", source="other")
    assert desk.formats() == ["mods", "mods.other", "oai_dc", "oai_didl"]
    assert desk.record(prefix="mods.other", source="other") is not None


def test_an_upstream_didl_has_a_name_of_its_own(desk: Desk) -> None:
    didl = b'<DIDL xmlns="urn:mpeg:mpeg21:2002:02-DIDL-NS"><Item/></DIDL>'
    desk.sent(Sent("1", didl), prefix="oai_didl")
    assert didl in desk.record(prefix="oai_didl.laro").content
    assert didl not in desk.record(prefix="oai_didl").content


def test_two_formats_of_one_source_never_share_a_name(desk: Desk) -> None:
    """What a gateway calls `oai_didl` and `oai_didl.laro` is the same to us, who call that gateway `laro`."""
    newer, older = (
        b'<DIDL xmlns="urn:mpeg:mpeg21:2002:02-DIDL-NS"><Item id="%b"/></DIDL>' % name for name in (b"n", b"o")
    )
    desk.send(Sent("1", newer), prefix="oai_didl")
    desk.sent(Sent("1", older), prefix="oai_didl.laro")
    assert newer in desk.record(prefix="oai_didl.laro").content
    assert older in desk.record(prefix="oai_didl.laro.laro").content
    assert desk.sent(Sent("1", older), prefix="oai_didl.laro").published == 0


def test_a_prefix_that_nobody_could_ask_for_is_escaped(desk: Desk) -> None:
    desk.sent(Sent("1", b'<w xmlns="urn:w"/>'), prefix="marc+xml")
    assert desk.formats("1") == ["marc~2Bxml", "oai_dc", "oai_didl"]


def test_what_the_source_announces_of_a_format_is_announced(desk: Desk) -> None:
    facts = desk.facts(formats={"mods": ("http://laro.example.org/mods.xsd", MODS)})
    desk.sent(Sent("1", mods()), prefix="mods", facts=facts)
    with desk.store.view() as view:
        known = {format_.metadata_prefix: (format_.schema, format_.namespace) for format_ in view.formats()}
    assert known["mods"] == ("http://laro.example.org/mods.xsd", MODS)


def test_a_preferred_format_tells_the_work(desk: Desk) -> None:
    desk.send(Sent("1", b'<m xmlns="urn:m"><title>Preferred</title></m>'), prefix="m")
    desk.sent(Sent("1", mods()), prefix="mods", facts=desk.facts(prefer=("m",)))
    assert b"<dc:title>Preferred</dc:title>" in desk.record().content
    assert next(desk.tree().iter(f"{PROVENANCE}metadataNamespace")).text == "urn:m"


# --- sets ---------------------------------------------------------------------------------------------------------


def test_the_header_names_the_most_specific_sets(desk: Desk) -> None:
    desk.sent(Sent("1", sets=("a", "a:b", "c", "")))
    assert desk.sets() == ["source:laro:a:b", "source:laro:c"]
    assert [desk.listed(spec) for spec in ("source", "source:laro", "source:laro:a", "source:laro:c")] == [1] * 4


def test_fulltext_holds_the_items_with_a_file(desk: Desk) -> None:
    desk.sent(Sent("1", dc("T", pdf())), Sent("2"))
    assert desk.sets("1") == ["fulltext", "source:laro"]
    assert desk.listed("fulltext", "oai_didl") == 1
    desk.sent(Sent("1"))
    assert (desk.sets("1"), desk.listed("fulltext")) == (["source:laro"], 0)


# --- provenance and rights ----------------------------------------------------------------------------------------


def test_what_an_upstream_says_of_its_own_sources_is_nested(desk: Desk) -> None:
    hop = (
        '<originDescription harvestDate="2019-01-01T00:00:00Z" altered="{}"><baseURL>http://{}/oai</baseURL>'
        "<identifier>oai:{}:1</identifier><datestamp>2018-01-01</datestamp>"
        "<metadataNamespace>urn:x</metadataNamespace>{}</originDescription>"
    )
    hops = hop.format("true", "b", "b", hop.format("false", "c", "c", ""))
    about = f'<provenance xmlns="{PROVENANCE[1:-1]}">{hops}</provenance>'.encode()
    desk.sent(Sent("1", about=about))
    descriptions = list(desk.tree().iter(f"{PROVENANCE}originDescription"))
    assert [description[0].text for description in descriptions] == [
        "http://laro.example.org/oai",
        "http://b/oai",
        "http://c/oai",
    ]
    assert [description.get("altered") for description in descriptions] == ["false", "true", "false"]
    assert [description.getparent() for description in descriptions[1:]] == descriptions[:2]


@pytest.mark.parametrize(
    ("payload", "repairs", "altered"),
    [
        (dc(), (), "false"),
        (dc(), ("A character was removed.",), "true"),
        (dc("T", "<dc:author>No such element</dc:author>"), (), "true"),
    ],
)
def test_altered_is_told_truly(desk: Desk, payload: bytes, repairs: tuple[str, ...], altered: str) -> None:
    desk.sent(Sent("1", payload), repairs=repairs)
    assert (desk.altered("oai_dc"), desk.altered("oai_didl")) == (altered, "true")


RIGHTS = "http://www.openarchives.org/OAI/2.0/rights/"


@each_row(
    "about, rights, expected",
    [
        (b"", "", []),
        (b"", "https://creativecommons.org/publicdomain/zero/1.0/", ["https://creativecommons.org/publicdomain/zero/1.0/"]),
        (f'<rights xmlns="{RIGHTS}"><rightsReference ref="urn:own"/></rights>'.encode(), "urn:source", ["urn:own"]),
        (f'<rights xmlns="{RIGHTS}"><rightsReference/></rights>'.encode(), "urn:source", ["urn:source"]),
        (b"<broken", "urn:source", ["urn:source"]),
    ],
)  # fmt: skip
def test_rights_are_the_records_own_or_else_its_sources(desk: Desk, about: bytes, rights: str, expected) -> None:
    upstream = str(desk.inbox.last_number())
    desk.sent(Sent(upstream, about=about), facts=desk.facts(rights=rights))
    assert [element.get("ref") for element in desk.tree(upstream).iter(f"{{{RIGHTS}}}rightsReference")] == expected


# --- several processes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [IntentExpired, PositionMoved])
def test_a_publication_that_was_overtaken_is_repeated(desk: Desk, monkeypatch, error) -> None:
    publish, failures = desk.store.publish, [error("once")]

    def overtaken(intent, publication, *_ready):
        if failures:
            desk.store.abandon(intent)
            raise failures.pop()
        return publish(intent, publication)

    monkeypatch.setattr(desk.store, "publish", overtaken)
    assert desk.sent(Sent("1")).published == 1


@each_row("records, error", [(1, PositionMoved), (3, IntentExpired)])
def test_a_publication_that_is_always_overtaken_says_so(desk: Desk, in_twos, monkeypatch, records, error) -> None:
    """Also when the page is large, and published in parts."""

    def overtaken(intent, publication, *_ready):
        desk.store.abandon(intent)
        raise error("again")

    desk.send(*(Sent(str(number)) for number in range(records)))
    with monkeypatch.context() as patched:
        patched.setattr(desk.store, "publish", overtaken)
        with pytest.raises(StoreError, match="other processes were faster 5 times"):
            desk.publish()
    desk.publish()


def test_a_source_that_is_not_known_is_one_clear_sentence(desk: Desk) -> None:
    desk.send(Sent("1"), source="stranger")
    with pytest.raises(StoreError, match="The source 'stranger' is not in the store"):
        desk.publish("stranger")


def test_pages_are_taken_up_to_a_limit(desk: Desk) -> None:
    desk.send(Sent("1"))
    desk.send(Sent("2"))
    assert publish_pending(desk.store, desk.inbox, "laro", desk.facts(), limit_pages=1).received == 1
    assert publish_pending(desk.store, desk.inbox, "laro", desk.facts(), limit_pages=1).received == 1
    assert publish_pending(desk.store, desk.inbox, "laro", desk.facts(), limit_pages=1).pages == 0


# --- pages that hold a whole repository ---------------------------------------------------------------------------


@pytest.fixture
def in_twos(monkeypatch) -> None:
    """Let two records be published at once."""
    monkeypatch.setattr("gateway.publish.batch._MOST_AT_ONCE", 2)


def test_a_large_page_is_published_in_parts_and_counted_as_one(desk: Desk, in_twos) -> None:
    desk.send(*(Sent(str(number)) for number in range(5)), Sent("", problem="It has no name."), Sent("9", None))
    counts = publish_pending(desk.store, desk.inbox, "laro", desk.facts())
    assert (counts.pages, counts.received, counts.published, counts.quarantined, counts.ignored) == (1, 7, 5, 1, 1)
    assert counts.stamped == 10
    assert desk.store.position("laro") == 1
    assert publish_pending(desk.store, desk.inbox, "laro", desk.facts()).pages == 0


def test_of_a_record_that_comes_twice_in_a_large_page_the_last_counts(desk: Desk, in_twos) -> None:
    desk.sent(Sent("1", b"<broken"), Sent("2"), Sent("1", dc("At last")), Sent("2", dc("Again")))
    assert b"At last" in desk.record("1").content
    assert b"Again" in desk.record("2").content
    assert desk.store.counts("laro")["quarantined"] == 0


def test_a_large_page_whose_publication_was_killed_is_published_again(desk: Desk, in_twos, monkeypatch) -> None:
    desk.send(*(Sent(str(number)) for number in range(5)))
    publish, left = desk.store.publish, [True]

    def dying(intent, publication, *ready):
        if not left:
            raise KeyboardInterrupt
        left.pop()
        return publish(intent, publication, *ready)

    with monkeypatch.context() as patched:
        patched.setattr(desk.store, "publish", dying)
        with pytest.raises(KeyboardInterrupt):
            desk.publish()
    assert (desk.record("1").datestamp, desk.record("2"), desk.store.position("laro")) == (START + 1, None, 0)
    counts = desk.publish()
    assert (counts.pages, counts.received, counts.unchanged, counts.published) == (1, 5, 2, 3)
    assert desk.record("1").datestamp == START + 1


def test_record_that_the_mapping_has_a_fault_in_goes_to_quarantine(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """One record stopped every later run of its source, when reading it raised an error that nobody expected."""
    reader = mapping._work

    def faulty(task: mapping.Task, read: list) -> object:
        return reader(task, read) if task.upstream != "1" else int("²")

    monkeypatch.setattr(mapping, "_work", faulty)
    counts = desk.sent(Sent("1"), Sent("2"))
    assert (counts.published, counts.quarantined) == (1, 1)
    (bad,) = desk.store.quarantined()
    assert bad.reason.startswith("This program has a fault: ValueError at test_publish.py:")
    monkeypatch.undo()  # the next version has no such fault; `--full` brings the same record again
    assert desk.sent(Sent("1"), Sent("2")).published == 1
    assert list(desk.store.quarantined()) == []


def test_what_is_bad_and_then_good_in_one_batch_is_not_in_quarantine(desk: Desk) -> None:
    counts = desk.sent(Sent("1", problem="It is torn."), Sent("1"))
    assert (counts.quarantined, counts.published) == (1, 1)
    assert list(desk.store.quarantined()) == []


def test_when_what_is_held_cannot_be_read_any_more_the_published_version_stays(desk: Desk, monkeypatch) -> None:
    desk.sent(Sent("1"))
    desk.send(Sent("1", mods()), prefix="mods")
    page = desk.inbox.page

    def damaged(number: int):
        stored = page(number)
        if number != 1:
            return stored
        return type(stored)(stored.number, stored.page, (stored.slices[0]._replace(stop=3),))

    monkeypatch.setattr(desk.inbox, "page", damaged)
    counts = desk.publish()
    assert (counts.quarantined, counts.published) == (1, 0)
    assert desk.record().datestamp == START + 1
