"""What lies in the inbox becomes published records, and what did not change keeps its datestamp."""

import pytest

from gateway.core.errors import IntentExpired, PositionMoved, StoreError
from gateway.publish import mapping, payloads
from gateway.publish.publish import publish_pending
from tests.publish.harness import MODS, OAI, PROVENANCE, START, Harness, Sent, dc, mods, pdf
from tests.rows import each_row


def test_a_new_record_is_published_in_every_format_of_ours(harness: Harness) -> None:
    assert harness.publish().pages == 0
    counts = harness.sent(Sent("1"))
    assert (counts.pages, counts.received, counts.published, counts.stamped) == (1, 1, 1, 2)
    assert harness.formats("1") == ["oai_dc", "oai_didl"]
    header = [(element.tag.removeprefix(OAI), element.text) for element in harness.tree()[0]]
    assert header == [
        ("identifier", "oai:gateway.example.org:laro/1"),
        ("datestamp", "2023-11-14T22:13:22Z"),
        ("setSpec", "source:laro"),
    ]
    assert [element.tag for element in harness.tree()] == [f"{OAI}header", f"{OAI}metadata", f"{OAI}about"]


def test_what_comes_again_as_it_was_keeps_its_datestamp(harness: Harness) -> None:
    harness.sent(Sent("1"))
    harness.received_at += 86_400  # its harvestDate is another, which is nothing new
    counts = harness.sent(Sent("1"))
    assert (counts.unchanged, counts.published, counts.stamped) == (1, 0, 0)
    assert harness.record().datestamp == START + 1


def test_an_update_gets_a_new_datestamp(harness: Harness) -> None:
    harness.sent(Sent("1"), Sent("2"))
    counts = harness.sent(Sent("1", dc("Another title")), Sent("2"))
    assert (counts.published, counts.unchanged) == (1, 1)
    assert (harness.record("1").datestamp, harness.record("2").datestamp) == (START + 2, START + 1)
    assert b"Another title" in harness.record(prefix="oai_didl").content


def test_a_new_upstream_datestamp_alone_is_reported(harness: Harness) -> None:
    harness.sent(Sent("1"))
    harness.sent(Sent("1", datestamp="2021-01-01"))
    assert b"<datestamp>2021-01-01</datestamp>" in harness.record().content
    assert b"2021-01-01</dcterms:modified>" in harness.record(prefix="oai_didl").content


def test_a_deletion_is_a_tombstone_in_its_sets(harness: Harness) -> None:
    harness.sent(Sent("1", dc("T", pdf()), sets=("a:b",)))
    counts = harness.sent(Sent("1", None))
    assert (counts.published, counts.stamped) == (1, 2)
    assert harness.record().is_deleted
    assert harness.tree()[0].get("status") == "deleted"
    assert len(harness.tree()) == 1
    assert harness.sets() == ["fulltext", "source:laro:a:b"]
    assert harness.listed("fulltext") == 1


def test_a_deletion_that_names_a_set_adds_it_and_what_was_deleted_can_come_back(harness: Harness) -> None:
    harness.sent(Sent("1", sets=("a",)))
    harness.sent(Sent("1", None, sets=("b",)))
    assert harness.sets() == ["source:laro:a", "source:laro:b"]
    harness.sent(Sent("1"))
    assert not harness.record().is_deleted
    assert harness.record().datestamp == START + 3


def test_a_deletion_of_what_was_never_held_is_ignored(harness: Harness) -> None:
    counts = harness.sent(Sent("1", None))
    assert (counts.received, counts.ignored, counts.published) == (1, 1, 0)
    assert harness.record() is None
    assert harness.store.position("laro") == 1


def test_what_comes_and_goes_within_one_batch_was_never_held(harness: Harness) -> None:
    counts = harness.sent(Sent("1"), Sent("1", None))
    assert (counts.unchanged, counts.ignored) == (1, 1)
    assert harness.record() is None


def test_of_a_record_that_comes_twice_in_a_batch_the_last_counts(harness: Harness) -> None:
    counts = harness.sent(Sent("1", dc("First")), Sent("1", dc("Last")))
    assert (counts.received, counts.unchanged, counts.published) == (2, 1, 1)
    assert b"Last" in harness.record().content
    counts = harness.sent(Sent("1", dc("Passing")), Sent("1", dc("Last")))
    assert (counts.unchanged, counts.stamped) == (2, 0), "it changes back"


# --- quarantine ---------------------------------------------------------------------------------------------------


def test_a_bad_update_leaves_the_last_good_version(harness: Harness) -> None:
    harness.sent(Sent("1"))
    counts = harness.sent(Sent("1", b"<broken"))
    assert (counts.quarantined, counts.stamped) == (1, 0)
    assert harness.record().datestamp == START + 1
    (bad,) = harness.store.quarantined()
    assert (bad.identifier, bad.metadata_prefix, bad.page, bad.slice) == ("1", "oai_dc", 2, 0)
    assert bad.reason.startswith("The metadata cannot be used. It is not well-formed XML")


@each_row("good", [dc(), dc("Better")])
def test_what_is_good_again_leaves_quarantine(harness: Harness, good: bytes) -> None:
    harness.sent(Sent("1"))
    harness.sent(Sent("1", b"<broken"))
    harness.sent(Sent("1", good))
    assert list(harness.store.quarantined()) == []


def test_what_is_good_and_then_bad_in_one_batch_is_in_quarantine(harness: Harness) -> None:
    harness.sent(Sent("1"), Sent("1", problem="It is torn."))
    assert [bad.reason for bad in harness.store.quarantined()] == ["It is torn."]
    assert harness.record() is not None


def test_a_record_without_a_usable_identifier_is_in_quarantine(harness: Harness) -> None:
    counts = harness.sent(*map(Sent, ("", "  ", "a\x01b", "a\ud800b", "a\ufffe", "2")))
    assert (counts.quarantined, counts.published) == (5, 1)
    assert [bad.reason for bad in harness.store.quarantined()] == ["The record has no usable identifier."] * 5


def test_the_good_half_of_an_item_is_published(harness: Harness) -> None:
    harness.send(Sent("1"))
    harness.send(Sent("1", b"<broken"), prefix="mods")
    counts = harness.publish()
    assert (counts.published, counts.quarantined) == (1, 1)
    assert harness.formats("1") == ["oai_dc", "oai_didl"]


# --- several formats ----------------------------------------------------------------------------------------------


def test_a_richer_format_is_passed_through_and_tells_the_didl(harness: Harness) -> None:
    harness.send(Sent("1"))
    harness.send(Sent("1", mods()), prefix="mods")
    harness.publish()
    assert harness.formats("1") == ["mods", "oai_dc", "oai_didl"]
    assert mods() in harness.record(prefix="mods").content
    assert dc() in harness.record(prefix="oai_didl").content
    assert [harness.altered(prefix) for prefix in ("oai_dc", "oai_didl", "mods")] == ["false", "true", "false"]


def test_an_item_without_dublin_core_gets_one(harness: Harness) -> None:
    harness.sent(Sent("1", mods()), prefix="mods")
    assert b"<dc:title>A richer title</dc:title>" in harness.record().content
    assert harness.altered("oai_dc") == "true"
    assert next(harness.tree().iter(f"{PROVENANCE}metadataNamespace")).text == MODS


def test_a_deletion_in_one_format_deletes_that_record_only(harness: Harness) -> None:
    harness.send(Sent("1"))
    harness.sent(Sent("1", mods()), prefix="mods")
    harness.sent(Sent("1", None), prefix="mods")
    assert harness.record(prefix="mods").is_deleted
    assert not harness.record().is_deleted
    harness.sent(Sent("1", None))
    assert harness.record().is_deleted
    assert harness.state().is_deleted


def test_two_sources_with_one_prefix_and_different_namespaces_are_kept_apart(harness: Harness) -> None:
    harness.add("other")
    harness.sent(Sent("1", mods()), prefix="mods")
    harness.sent(Sent("1", b'<mods xmlns="urn:other"/>'), prefix="mods", source="other")
    assert harness.formats() == ["mods", "mods.other", "oai_dc", "oai_didl"]
    assert harness.record(prefix="mods.other", source="other") is not None


def test_an_upstream_didl_has_a_name_of_its_own(harness: Harness) -> None:
    didl = b'<DIDL xmlns="urn:mpeg:mpeg21:2002:02-DIDL-NS"><Item/></DIDL>'
    harness.sent(Sent("1", didl), prefix="oai_didl")
    assert didl in harness.record(prefix="oai_didl.laro").content
    assert didl not in harness.record(prefix="oai_didl").content


def test_two_formats_of_one_source_never_share_a_name(harness: Harness) -> None:
    """What a gateway calls `oai_didl` and `oai_didl.laro` is the same to us, who call that gateway `laro`."""
    newer, older = (
        b'<DIDL xmlns="urn:mpeg:mpeg21:2002:02-DIDL-NS"><Item id="%b"/></DIDL>' % name for name in (b"n", b"o")
    )
    harness.send(Sent("1", newer), prefix="oai_didl")
    harness.sent(Sent("1", older), prefix="oai_didl.laro")
    assert newer in harness.record(prefix="oai_didl.laro").content
    assert older in harness.record(prefix="oai_didl.laro.laro").content
    assert harness.sent(Sent("1", older), prefix="oai_didl.laro").published == 0


def test_a_prefix_that_nobody_could_ask_for_is_escaped(harness: Harness) -> None:
    harness.sent(Sent("1", b'<w xmlns="urn:w"/>'), prefix="marc+xml")
    assert harness.formats("1") == ["marc~2Bxml", "oai_dc", "oai_didl"]


def test_what_the_source_announces_of_a_format_is_announced(harness: Harness) -> None:
    facts = harness.facts(formats={"mods": ("http://laro.example.org/mods.xsd", MODS)})
    harness.sent(Sent("1", mods()), prefix="mods", facts=facts)
    with harness.store.view() as view:
        known = {format_.metadata_prefix: (format_.schema, format_.namespace) for format_ in view.formats()}
    assert known["mods"] == ("http://laro.example.org/mods.xsd", MODS)


def test_a_preferred_format_tells_the_work(harness: Harness) -> None:
    harness.send(Sent("1", b'<m xmlns="urn:m"><title>Preferred</title></m>'), prefix="m")
    harness.sent(Sent("1", mods()), prefix="mods", facts=harness.facts(prefer=("m",)))
    assert b"<dc:title>Preferred</dc:title>" in harness.record().content
    assert next(harness.tree().iter(f"{PROVENANCE}metadataNamespace")).text == "urn:m"


# --- sets ---------------------------------------------------------------------------------------------------------


def test_the_header_names_the_most_specific_sets(harness: Harness) -> None:
    harness.sent(Sent("1", sets=("a", "a:b", "c", "")))
    assert harness.sets() == ["source:laro:a:b", "source:laro:c"]
    assert [harness.listed(spec) for spec in ("source", "source:laro", "source:laro:a", "source:laro:c")] == [1] * 4


def test_fulltext_holds_the_items_with_a_file(harness: Harness) -> None:
    harness.sent(Sent("1", dc("T", pdf())), Sent("2"))
    assert harness.sets("1") == ["fulltext", "source:laro"]
    assert harness.listed("fulltext", "oai_didl") == 1
    harness.sent(Sent("1"))
    assert (harness.sets("1"), harness.listed("fulltext")) == (["source:laro"], 0)


# --- provenance and rights ----------------------------------------------------------------------------------------


def test_what_an_upstream_says_of_its_own_sources_is_nested(harness: Harness) -> None:
    hop = (
        '<originDescription harvestDate="2019-01-01T00:00:00Z" altered="{}"><baseURL>http://{}/oai</baseURL>'
        "<identifier>oai:{}:1</identifier><datestamp>2018-01-01</datestamp>"
        "<metadataNamespace>urn:x</metadataNamespace>{}</originDescription>"
    )
    hops = hop.format("true", "b", "b", hop.format("false", "c", "c", ""))
    about = f'<provenance xmlns="{PROVENANCE[1:-1]}">{hops}</provenance>'.encode()
    harness.sent(Sent("1", about=about))
    descriptions = list(harness.tree().iter(f"{PROVENANCE}originDescription"))
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
def test_altered_is_told_truly(harness: Harness, payload: bytes, repairs: tuple[str, ...], altered: str) -> None:
    harness.sent(Sent("1", payload), repairs=repairs)
    assert (harness.altered("oai_dc"), harness.altered("oai_didl")) == (altered, "true")


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
def test_rights_are_the_records_own_or_else_its_sources(harness: Harness, about: bytes, rights: str, expected) -> None:
    upstream = str(harness.inbox.last_number())
    harness.sent(Sent(upstream, about=about), facts=harness.facts(rights=rights))
    assert [element.get("ref") for element in harness.tree(upstream).iter(f"{{{RIGHTS}}}rightsReference")] == expected


# --- several processes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [IntentExpired, PositionMoved])
def test_a_publication_that_was_overtaken_is_repeated(harness: Harness, monkeypatch, error) -> None:
    publish, failures = harness.store.publish, [error("once")]

    def overtaken(intent, publication, *_ready):
        if failures:
            harness.store.abandon(intent)
            raise failures.pop()
        return publish(intent, publication)

    monkeypatch.setattr(harness.store, "publish", overtaken)
    assert harness.sent(Sent("1")).published == 1


@each_row("records, error", [(1, PositionMoved), (3, IntentExpired)])
def test_a_publication_that_is_always_overtaken_says_so(harness: Harness, in_twos, monkeypatch, records, error) -> None:
    """Also when the page is large, and published in parts."""

    def overtaken(intent, publication, *_ready):
        harness.store.abandon(intent)
        raise error("again")

    harness.send(*(Sent(str(number)) for number in range(records)))
    with monkeypatch.context() as patched:
        patched.setattr(harness.store, "publish", overtaken)
        with pytest.raises(StoreError, match="other processes were faster 5 times"):
            harness.publish()
    harness.publish()


def test_a_source_that_is_not_known_is_one_clear_sentence(harness: Harness) -> None:
    harness.send(Sent("1"), source="stranger")
    with pytest.raises(StoreError, match="The source 'stranger' is not in the store"):
        harness.publish("stranger")


def test_pages_are_taken_up_to_a_limit(harness: Harness) -> None:
    harness.send(Sent("1"))
    harness.send(Sent("2"))
    assert publish_pending(harness.store, harness.inbox, "laro", harness.facts(), limit_pages=1).received == 1
    assert publish_pending(harness.store, harness.inbox, "laro", harness.facts(), limit_pages=1).received == 1
    assert publish_pending(harness.store, harness.inbox, "laro", harness.facts(), limit_pages=1).pages == 0


# --- pages that hold a whole repository ---------------------------------------------------------------------------


@pytest.fixture
def in_twos(monkeypatch) -> None:
    """Let two records be published at once."""
    monkeypatch.setattr("gateway.publish.batch._MOST_AT_ONCE", 2)


def test_a_large_page_is_published_in_parts_and_counted_as_one(harness: Harness, in_twos) -> None:
    harness.send(*(Sent(str(number)) for number in range(5)), Sent("", problem="It has no name."), Sent("9", None))
    counts = publish_pending(harness.store, harness.inbox, "laro", harness.facts())
    assert (counts.pages, counts.received, counts.published, counts.quarantined, counts.ignored) == (1, 7, 5, 1, 1)
    assert counts.stamped == 10
    assert harness.store.position("laro") == 1
    assert publish_pending(harness.store, harness.inbox, "laro", harness.facts()).pages == 0


def test_of_a_record_that_comes_twice_in_a_large_page_the_last_counts(harness: Harness, in_twos) -> None:
    harness.sent(Sent("1", b"<broken"), Sent("2"), Sent("1", dc("At last")), Sent("2", dc("Again")))
    assert b"At last" in harness.record("1").content
    assert b"Again" in harness.record("2").content
    assert harness.store.counts("laro")["quarantined"] == 0


def test_a_large_page_whose_publication_was_killed_is_published_again(harness: Harness, in_twos, monkeypatch) -> None:
    harness.send(*(Sent(str(number)) for number in range(5)))
    publish, left = harness.store.publish, [True]

    def dying(intent, publication, *ready):
        if not left:
            raise KeyboardInterrupt
        left.pop()
        return publish(intent, publication, *ready)

    with monkeypatch.context() as patched:
        patched.setattr(harness.store, "publish", dying)
        with pytest.raises(KeyboardInterrupt):
            harness.publish()
    assert (harness.record("1").datestamp, harness.record("2"), harness.store.position("laro")) == (START + 1, None, 0)
    counts = harness.publish()
    assert (counts.pages, counts.received, counts.unchanged, counts.published) == (1, 5, 2, 3)
    assert harness.record("1").datestamp == START + 1


def test_record_that_the_mapping_has_a_fault_in_goes_to_quarantine(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One record stopped every later run of its source, when reading it raised an error that nobody expected."""
    reader = payloads.work_of

    def faulty(upstream: str, read: list) -> object:
        return reader(upstream, read) if upstream != "1" else int("²")

    monkeypatch.setattr(mapping, "work_of", faulty)
    counts = harness.sent(Sent("1"), Sent("2"))
    assert (counts.published, counts.quarantined) == (1, 1)
    (bad,) = harness.store.quarantined()
    assert bad.reason.startswith("This program has a fault: ValueError at test_publish.py:")
    monkeypatch.undo()  # the next version has no such fault; `--full` brings the same record again
    assert harness.sent(Sent("1"), Sent("2")).published == 1
    assert list(harness.store.quarantined()) == []


def test_what_is_bad_and_then_good_in_one_batch_is_not_in_quarantine(harness: Harness) -> None:
    counts = harness.sent(Sent("1", problem="It is torn."), Sent("1"))
    assert (counts.quarantined, counts.published) == (1, 1)
    assert list(harness.store.quarantined()) == []


def test_when_what_is_held_cannot_be_read_any_more_the_published_version_stays(harness: Harness, monkeypatch) -> None:
    harness.sent(Sent("1"))
    harness.send(Sent("1", mods()), prefix="mods")
    page = harness.inbox.page

    def damaged(number: int):
        stored = page(number)
        if number != 1:
            return stored
        return type(stored)(stored.number, stored.page, (stored.slices[0]._replace(stop=3),))

    monkeypatch.setattr(harness.inbox, "page", damaged)
    counts = harness.publish()
    assert (counts.quarantined, counts.published) == (1, 0)
    assert harness.record().datestamp == START + 1
