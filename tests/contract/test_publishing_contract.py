"""What every backend promises of publishing: records, positions, horizons (gateway/store/base.py)."""

import re
from contextlib import closing

import pytest

from gateway.core.errors import FilesChanged, IntentExpired, PositionMoved, StoreError
from gateway.core.model import (
    ChangeLine,
    Deletion,
    FileLink,
    FileOrigin,
    Intent,
    ItemFiles,
    Publication,
    Selection,
    SetDescription,
    Source,
)
from tests.clocks import START
from tests.rows import each_row

DC = Selection("oai_dc")


# --- publishing ---------------------------------------------------------------------------------------------------


def test_an_unchanged_record_is_left_alone_but_for_the_page_that_it_was_last_on(harness, make_change):
    assert harness.publish(make_change("a")) == 2
    assert harness.publish(make_change("a", page=5)) == 0
    with harness.view() as view:
        assert view.record("oai:gateway.example.org:laro/a", "oai_dc").datestamp == START + 1
        assert len(view.changes(0, 10)) == 2
    assert harness.store.states("laro", ["a"])["a"].payloads[0].page == 5


def test_records_that_are_not_named_stay_as_they_are_and_the_deleted_flag_alone_is_a_change(harness, make_change):
    harness.publish(make_change("a"))
    item = make_change("a", 2, prefixes=("oai_dc",))
    assert harness.publish(item) == 1
    with harness.view() as view:
        assert view.record("oai:gateway.example.org:laro/a", "oai_dc").datestamp == START + 2
        assert view.record("oai:gateway.example.org:laro/a", "oai_didl").datestamp == START + 1
    gone = item._replace(records=tuple(record._replace(is_deleted=True) for record in item.records))
    assert harness.publish(gone) == 1


def test_changes_are_logged_with_their_kind(harness, make_change):
    with harness.view() as view:
        assert view.last_change() == 0
    harness.publish(make_change("a", prefixes=("oai_dc",)))
    harness.publish(make_change("a", 2, prefixes=("oai_dc",)))
    harness.publish(make_change("a", prefixes=("oai_dc",), is_deleted=True))
    harness.publish(make_change("a", 3, prefixes=("oai_dc",)))
    with harness.view() as view:
        lines = view.changes(0, 10)
        assert view.last_change() == lines[-1].number
        assert view.changes(0, 1) + view.changes(1, 10) == lines
    identifier = "oai:gateway.example.org:laro/a"
    assert lines == tuple(
        ChangeLine(number, identifier, "oai_dc", START + number, kind)
        for number, kind in enumerate(("created", "updated", "deleted", "created"), start=1)
    )


def test_committed_publication_is_announced_after_it_can_be_read(opened, harness, make_change):
    announced = []

    def read(publication):
        with store.view() as view:
            announced.append((publication.source, view.last_change()))

    with closing(opened(published=read)) as store:
        store.publish(store.intend(), Publication("laro", (make_change("a", prefixes=("oai_dc",)),)))
        store.abandon(store.intend())
        with pytest.raises(PositionMoved):
            store.publish(store.intend(), Publication("laro", position=(7, 8)))
    assert announced == [("laro", 1)]


@each_row("source, prefix", [("nobody", "oai_dc"), ("laro", "marc21")])
def test_what_was_not_added_cannot_be_published(harness, make_change, source, prefix):
    with pytest.raises(StoreError, match="is not in the store"):
        harness.publish(make_change("a", prefixes=(prefix,)), source=source)
    assert harness.store.items(None, 0, 1) == ()


def test_an_item_cannot_be_named_twice_in_one_publication(harness, make_change):
    with pytest.raises(StoreError, match="twice"):
        harness.publish(make_change("a"), make_change("a", 2))


def test_counts_follow_the_items(harness, make_change):
    harness.publish(make_change("a", sets=("fulltext",)), make_change("b"), make_change("c", sets=("fulltext",)))
    assert harness.store.counts("laro") == {"items": 3, "deleted": 0, "fulltext": 2, "quarantined": 0, "waiting": 0}
    harness.publish(make_change("a", is_deleted=True, sets=("fulltext",)), make_change("b", 2, sets=("fulltext",)))
    harness.publish(make_change("c", 2))
    assert harness.store.counts("laro") == {"items": 3, "deleted": 1, "fulltext": 1, "quarantined": 0, "waiting": 0}
    harness.publish(make_change("a", 3, sets=("fulltext",)))
    assert harness.store.counts("laro") == {"items": 3, "deleted": 0, "fulltext": 2, "quarantined": 0, "waiting": 0}
    assert set(harness.store.counts("nobody").values()) == {0}
    assert harness.store.check() == ()


# --- positions ----------------------------------------------------------------------------------------------------


def test_the_position_moves_with_the_publication(harness, make_change):
    assert harness.store.position("laro") == 0
    harness.publish(make_change("a"), position=(0, 3))
    harness.store.advance("laro", 3, 5)
    assert harness.store.position("laro") == 5
    assert harness.publish(position=(5, 6)) == 0, "an empty publication"
    assert (harness.store.position("laro"), harness.store.position("nobody")) == (6, 0)


def test_a_publication_from_a_position_that_moved_writes_nothing(harness, make_change):
    harness.publish(make_change("a"), position=(0, 3))
    with pytest.raises(PositionMoved):
        harness.publish(make_change("b"), position=(0, 3))
    assert harness.count(DC) == 1
    assert harness.store.position("laro") == 3
    harness.clocks.pass_seconds(5)
    with harness.view() as view:
        assert view.horizon == START + 7, "its intent is gone"


# --- the horizon --------------------------------------------------------------------------------------------------


def test_the_horizon_is_the_clock_unless_an_open_intent_holds_it(harness, make_change):
    harness.clocks.pass_seconds(7)
    with harness.view() as view:
        assert view.horizon == START + 7
    intent = harness.store.intend()
    harness.clocks.pass_seconds(10)
    with harness.view() as view:
        assert view.horizon == intent.datestamp == START + 7
    harness.store.publish(intent, Publication("laro", (make_change("a"),)))
    with harness.view() as view:
        assert view.horizon == START + 17
        assert view.record("oai:gateway.example.org:laro/a", "oai_dc").datestamp == START + 7


def test_the_oldest_of_several_intents_holds_the_horizon(harness):
    first = harness.store.intend()
    harness.clocks.pass_seconds(3)
    second = harness.store.intend()
    harness.clocks.pass_seconds(3)
    harness.store.abandon(first)
    with harness.view() as view:
        assert view.horizon == second.datestamp == START + 3
    harness.store.abandon(second)
    with harness.view() as view:
        assert view.horizon == START + 6


def test_an_intent_lives_a_minute(harness, make_change):
    intent = harness.store.intend()
    harness.clocks.pass_seconds(59)
    with harness.view() as view:
        assert view.horizon == START
    harness.clocks.pass_seconds(1)
    with harness.view() as view:
        assert view.horizon == START + 60
    with pytest.raises(IntentExpired):
        harness.store.publish(intent, Publication("laro", (make_change("a"),)))
    assert harness.count(DC) == 0


def test_an_intent_cannot_be_used_twice(harness, make_change):
    intent = harness.store.intend()
    harness.store.publish(intent, Publication("laro", (make_change("a"),)))
    harness.store.intend()
    with pytest.raises(IntentExpired):
        harness.store.publish(intent, Publication("laro", (make_change("b"),)))
    with pytest.raises(IntentExpired):
        harness.store.publish(Intent(99, START), Publication("laro", (make_change("b"),)))


def test_a_datestamp_never_goes_back(harness, make_change):
    """A slow publication that another one has overtaken is to be repeated, with a new intent."""
    slow = harness.store.intend()
    harness.publish(make_change("a", 2))
    with pytest.raises(IntentExpired, match="later publication of a"):
        harness.store.publish(slow, Publication("laro", (make_change("b"), make_change("a", 1)), position=(0, 5)))
    assert (harness.count(DC), harness.store.position("laro")) == (1, 0)
    with harness.view() as view:
        assert view.horizon == START + 1, "the intent is gone"
        assert view.record("oai:gateway.example.org:laro/a", "oai_dc").datestamp == START + 1
    assert harness.publish(make_change("b"), make_change("a", 1), position=(0, 5)) == 4


def test_the_earliest_datestamp_is_the_first_or_that_of_the_making(harness, make_change):
    harness.clocks.pass_seconds(50)
    with harness.view() as view:
        assert view.earliest_datestamp() == START
    harness.publish(make_change("a"))
    harness.publish(make_change("b"))
    with harness.view() as view:
        assert view.earliest_datestamp() == START + 51
    harness.publish(make_change("a", 2))
    with harness.view() as view:
        assert view.earliest_datestamp() == START + 52


# --- what is known of files ---------------------------------------------------------------------------------------

FOUND = FileLink(
    "https://x.example.org/1.pdf", "application/pdf", FileOrigin.DISCOVERED, "unpaywall", 12, "0" * 64,
    "2020-01-01T00:00:00Z", "cc-by", "accepted", "2026-01-01T00:00:00Z", True, "https://g.example.org/files/0", b"%PDF",
)  # fmt: skip
LEARNED = FileLink("https://a.example.org/2.pdf", size=3)


def test_what_is_known_of_files_comes_back_as_it_was_and_in_its_order(harness, make_change):
    harness.publish(make_change("a"), make_change("b"), files=(ItemFiles("a", (FOUND, LEARNED)), ItemFiles("gone", ())))
    states = harness.store.states("laro", ["a", "b"])
    assert (states["a"].files, states["b"].files) == ((FOUND, LEARNED), ())
    assert [state.files for _, state in harness.store.items("laro", 0, 10)] == [(FOUND, LEARNED), ()]
    harness.publish(make_change("a", 2))
    assert harness.store.states("laro", ["a"])["a"].files == (FOUND, LEARNED)
    harness.publish(files=(ItemFiles("a", (LEARNED,)),))
    assert harness.store.states("laro", ["a"])["a"].files == (LEARNED,)


def test_who_looked_at_an_earlier_edition_of_the_files_writes_nothing(harness, make_change):
    harness.publish(make_change("a"))
    harness.publish(files=(ItemFiles("a", (FOUND,)),))
    with pytest.raises(FilesChanged):
        harness.publish(make_change("a", 2), edition=0)
    with harness.view() as view:
        assert len(view.changes(0, 10)) == 2
    harness.clocks.pass_seconds(5)
    with harness.view() as view:
        assert view.horizon == harness.clocks.wall  # the intent is gone


def test_a_copy_is_known_while_an_item_names_it(harness, make_change):
    harness.publish(make_change("a"), files=(ItemFiles("a", (FOUND, LEARNED._replace(sha256="1"))),))
    harness.publish(make_change("b"), files=(ItemFiles("b", (FOUND,)),))
    with harness.view() as view:
        first, second = "oai:gateway.example.org:laro/a", "oai:gateway.example.org:laro/b"
        assert view.served_copy("0" * 64, 5) == ("application/pdf", (first, second))
        assert view.served_copy("0" * 64, 1) == ("application/pdf", (first,))
        assert (view.served_copy("1", 5), view.served_copy("2", 5)) == (None, None)
    harness.publish(make_change("a", is_deleted=True))
    with harness.view() as view:
        assert view.served_copy("0" * 64, 5) == ("application/pdf", (second,))
    harness.publish(make_change("b", is_deleted=True))
    with harness.view() as view:
        assert view.served_copy("0" * 64, 5) is None


def test_deletions_that_are_not_carried_out_are_remembered_until_they_are_settled(harness):
    waiting, other = Deletion("oai_dc", "1", 7, 0, waits=True), Deletion("mods", "2", 8, 3, waits=True)
    unheld = Deletion("oai_dc", "3", 9, 1, waits=False)
    harness.publish(deletions=(waiting, other, unheld))
    assert harness.store.counts("laro")["waiting"] == 2
    assert harness.store.waiting("laro", ("", ""), 10) == (other, waiting)
    assert harness.store.waiting("laro", ("mods", "2"), 10) == (waiting,)
    assert harness.store.deletions_of("laro", {"1", "3", "4"}) == {waiting, unheld}
    harness.publish(settled=(("mods", "2"), ("oai_dc", "4")), deletions=(waiting._replace(page=10),))
    assert harness.store.waiting("laro", ("", ""), 10) == (waiting._replace(page=10),)
    assert harness.store.counts("laro")["waiting"] == 1


# --- what pages need ----------------------------------------------------------------------------------------------


def test_items_are_counted_for_each_source(harness, make_change):
    harness.store.add_source(Source("empty", "https://empty.example.org/oai"))
    harness.publish(make_change("a", sets=("source:laro", "fulltext")), make_change("b"), make_change("c"))
    harness.publish(make_change("b", is_deleted=True))
    with harness.view() as view:
        assert [(source.name, counts) for source, counts in view.listed_sources("", 9)] == [
            ("empty", (0, 0, 0)),
            ("laro", (3, 1, 1)),
        ]
        assert view.source_counts("laro").living == 2


def test_lists_of_sources_are_read_in_their_order_and_no_further(harness, make_change):
    for source in (
        Source("a", "https://a.example.org/oai", is_removed=True),
        Source("b", "https://b.example.org/map", kind="sitemap"),
        Source("c", "https://c.example.org/oai", is_friend=False),
        Source("z", "https://z.example.org/oai"),
    ):
        harness.store.add_source(source)
    harness.publish(make_change("1"), make_change("2"))
    with harness.view() as view:
        names = [source.name for source, _ in view.listed_sources("a", 3)]
        assert (names, view.sources_before("c", 2)) == (["b", "c", "laro"], ("c", "b"))
        assert [source.name for source, _ in view.biggest_sources(3)] == ["laro", "b", "c"]
        assert (view.removed_sources(), view.source_totals()) == (("a",), (4, 2, 0))
        assert view.friends(9) == (view.source("laro").base_url, "https://z.example.org/oai")
        assert view.friends(1) == (view.source("laro").base_url,)
        assert view.sets_of("laro") == tuple(view.sets("source", 1))


def test_neighbours_are_the_living_items_beside_an_item_in_its_source(harness, make_change):
    harness.store.add_source(Source("other", "https://other.example.org/oai"))
    items = {name: make_change(name) for name in "ace"}
    harness.publish(*items.values())
    harness.publish(make_change("b", source="other"), make_change("d", source="other"), source="other")
    a, c, e = (items[name].identifier for name in "ace")
    with harness.view() as view:
        assert [view.neighbours(name) for name in (a, c, e)] == [("", c), (a, e), (c, "")]
        assert view.neighbours("oai:gateway.example.org:laro/zzz") == ("", "")
    harness.publish(make_change("c", is_deleted=True))
    with harness.view() as view:
        assert view.neighbours(a) == ("", e)
        assert view.neighbours(c) == (a, e)


def test_an_item_is_found_when_a_proxy_has_merged_its_slashes(harness, make_change):
    items = {name: make_change(name) for name in ("http://x.org/a", "a//b", "/a", "//d", "a///b//", "é//\\", "a//%2F")}
    harness.publish(*items.values(), make_change("a/c"))
    with harness.view() as view:
        for upstream, item in items.items():
            merged = re.sub("/+", "/", f"/{upstream}")
            for name in (merged, merged.removeprefix("/"), upstream):
                assert view.merged("laro", name, 2) == (item.identifier,), name
            assert view.merged("other", merged, 2) == ()
        assert view.merged("laro", "a/c", 2) == ()  # it has no row of slashes
        assert view.merged("laro", "\ud800", 2) == ()
    alike = [items["a//b"], make_change("a///b")]  # they differ only in slashes
    harness.publish(alike[1], make_change("a/b"))
    with harness.view() as view:
        assert sorted(view.merged("laro", "a/b", 9)) == sorted(item.identifier for item in alike)
        assert len(view.merged("laro", "a/b", 1)) == 1


def test_a_list_is_counted_by_days_hours_and_seconds(harness, make_change):
    for name in "abc":
        harness.publish(make_change(name))
    first = START // 3600 * 3600
    span = Selection("oai_dc", None, first, first + 3600)
    with harness.view() as view:
        assert view.tallies(span, 1) == tuple((START + 1 + place, 1) for place in range(3))
        assert sum(records for _, records in view.tallies(span, 3600)) == 3
        day = START // 86_400 * 86_400
        assert view.tallies(Selection("oai_dc", "source:laro", day, day), 86_400) == ((day, 3),)
        assert view.tallies(Selection("nothing", None, first, first), 1) == ()


def test_living_records_are_listed_with_their_datestamps(harness, make_change):
    items = [make_change(name) for name in "abc"]
    harness.publish(*items, files=(ItemFiles("a", (FOUND,)), ItemFiles("b", (LEARNED,))))
    harness.publish(make_change("c", is_deleted=True))
    everything = Selection("oai_dc", None, 0, START + 100)
    with harness.view() as view:
        a, b = ((item.identifier, START + 1) for item in items[:2])
        assert view.entries(everything, 10) == (a, b)
        assert view.entries(everything, 1, 1) == (b,)
        assert view.entries(everything, 10, only_held=True) == (a,)
        assert view.entries(Selection("oai_dc", None, START + 2, START + 9), 10) == ()
        assert view.entries(Selection("nothing"), 10) == ()


def test_items_are_found_by_what_they_are_called_elsewhere_and_by_their_files(harness, make_change):
    harness.store.add_source(Source("other", "https://other.example.org/oai"))
    harness.publish(make_change("a"), files=(ItemFiles("a", (FOUND,)),))
    harness.publish(make_change("a", source="other"), source="other")
    names = {f"oai:gateway.example.org:{source}/a" for source in ("laro", "other")}
    with harness.view() as view:
        assert set(view.items_of("a", 9)) == names
        assert len(view.items_of("a", 1)) == 1
        assert view.items_of("b", 9) == view.items_of("\ud800", 9) == ()
        assert view.items_with(FOUND.sha256, 9) == ("oai:gateway.example.org:laro/a",)
        assert view.items_with("x", 9) == ()
    harness.publish(make_change("a", is_deleted=True))
    with harness.view() as view:
        assert view.items_with(FOUND.sha256, 9) == ()


def test_one_set_is_found_by_its_spec(harness, make_change):
    harness.publish(make_change("a", sets=("source:laro:x",)))
    harness.store.add_sets([SetDescription("source:laro:x", "The set x", b"<d/>")])
    with harness.view() as view:
        assert view.set_named("source:laro:x") == SetDescription("source:laro:x", "The set x", b"<d/>")
        assert view.set_named("source:laro:y") is None
