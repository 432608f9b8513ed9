"""What every backend promises of the store, through the protocol alone (gateway/store/base.py)."""

from __future__ import annotations

from contextlib import closing
from threading import Thread

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gateway.errors import IntentExpired, PositionMoved, StoreError, StoreMissing
from gateway.model import (
    ChangeLine,
    Format,
    Intent,
    Key,
    Page,
    Payload,
    Publication,
    Quarantined,
    Selection,
    SetDescription,
    Source,
)

DC = Selection("oai_dc")
START = 1_700_000_000


# --- lists --------------------------------------------------------------------------------------------------------


def test_list_is_ordered_by_datestamp_then_item(desk, make_change, record_content):
    desk.publish(make_change("b"), make_change("a"))
    desk.publish(make_change("c"))
    desk.publish(make_change("b", version=2))
    expected = tuple(
        record_content(*which, False) for which in [("a", "oai_dc", 1), ("c", "oai_dc", 1), ("b", "oai_dc", 2)]
    )
    assert desk.page(DC) == Page(expected, None)


def test_walking_by_small_pages_gives_every_record_once(desk, make_change):
    for first in range(0, 30, 10):
        desk.publish(*(make_change(f"{number}") for number in range(first, first + 10)))
    whole, walked, after = desk.page(DC).records, [], None
    while True:
        page = desk.page(DC, after, 7)
        walked += page.records
        if page.next is None:
            break
        after = page.next
    assert tuple(walked) == whole
    assert len(whole) == 30


def test_a_page_that_ends_with_the_list_has_no_next(desk, make_change):
    desk.publish(*(make_change(name) for name in "abcd"))
    assert desk.page(DC, None, 4).next is None
    assert desk.page(DC, None, 3).next == Key(START + 1, 3)


def test_bounds_are_inclusive(desk, make_change):
    for name in "abcde":
        desk.publish(make_change(name))
    selection = Selection("oai_dc", None, START + 2, START + 4)
    assert len(desk.page(selection).records) == desk.count(selection) == 3


def test_bounds_hold_within_a_set(desk, make_change):
    for name in "abcde":
        desk.publish(make_change(name))
    selection = Selection("oai_dc", "source:laro", START + 2, START + 4)
    assert len(desk.page(selection).records) == desk.count(selection) == 3


@pytest.mark.parametrize(
    "selection",
    [Selection("marc21"), Selection("oai_dc", "nothing"), Selection("oai_dc", "\ud800"), Selection("\ud800")],
)
def test_an_unknown_prefix_or_set_is_empty(desk, make_change, selection):
    desk.publish(make_change("a"))
    assert desk.page(selection) == Page((), None)
    assert desk.count(selection) == 0


@pytest.mark.parametrize("selection", [Selection("oai_dc", None, 5, 4), Selection("oai_dc", None, None, 0)])
def test_bounds_that_enclose_nothing_are_empty(desk, make_change, selection):
    desk.publish(make_change("a"))
    assert desk.page(selection) == Page((), None)
    assert desk.count(selection) == 0


def test_each_format_has_its_own_list(desk, make_change):
    desk.publish(make_change("a"), make_change("b", prefixes=("oai_dc",)))
    assert (desk.count(DC), desk.count(Selection("oai_didl"))) == (2, 1)


def test_deleted_records_are_listed_as_tombstones(desk, make_change, record_content):
    desk.publish(make_change("a"))
    desk.publish(make_change("a", is_deleted=True))
    assert desk.page(DC).records == (record_content("a", "oai_dc", 1, True),)


def test_a_view_is_of_one_moment(desk, make_change):
    desk.publish(make_change("a"))
    with desk.view() as view:
        desk.publish(make_change("b"))
        assert view.count(DC) == len(view.page(DC, None, 10).records) == 1
        assert not view.has_item("oai:gateway.example.org:laro/b")
        with desk.view() as later:
            assert later.count(DC) == 2
    assert desk.count(DC) == 2


# --- sets ---------------------------------------------------------------------------------------------------------


def test_a_record_in_a_set_is_in_the_sets_above_it(desk, make_change):
    desk.publish(make_change("a", sets=("source:laro:x:y", "fulltext")), make_change("b", sets=("source:laro:x",)))
    specs = ("source", "source:laro", "source:laro:x", "source:laro:x:y", "fulltext", "source:laro:z")
    assert [desk.count(Selection("oai_dc", spec)) for spec in specs] == [2, 2, 2, 1, 1, 0]
    assert [len(desk.page(Selection("oai_dc", spec)).records) for spec in specs] == [2, 2, 2, 1, 1, 0]


def test_every_record_is_in_the_set_source(desk, make_change):
    desk.publish(make_change("a", sets=()), make_change("b", sets=("source",)))
    assert desk.count(Selection("oai_dc", "source")) == 2
    assert desk.store.item_sets(1) == ("source",)
    assert desk.store.item_sets(2) == ("source",)


def test_a_record_that_leaves_a_set_leaves_its_list_and_gets_a_new_datestamp(desk, make_change):
    desk.publish(make_change("a", sets=("source:laro:x",)))
    desk.publish(make_change("a", sets=("source:laro:y",)))
    assert desk.count(Selection("oai_dc", "source:laro:x")) == 0
    assert desk.page(Selection("oai_dc", "source:laro:x")) == Page((), None)
    assert desk.count(Selection("oai_dc", "source:laro:y")) == 1
    assert desk.count(Selection("oai_dc", None, START + 2, START + 2)) == 1
    assert desk.store.item_sets(1) == ("source", "source:laro", "source:laro:y")


def test_lists_agree_with_the_item_even_when_its_records_were_not_given(desk, make_change):
    """The caller owes the store all records of an item whose sets change; the store still never contradicts itself."""
    desk.publish(make_change("a", sets=("source:laro:x",)))
    desk.publish(make_change("a", sets=("source:laro:y",), prefixes=("oai_dc",)))
    didl = Selection("oai_didl", "source:laro:y")
    assert desk.count(didl) == len(desk.page(didl).records) == 1
    assert desk.count(Selection("oai_didl", "source:laro:x")) == 0
    assert desk.store.check() == ()


def test_departed_records_are_shown_as_deleted_when_the_setting_says_so(
    backend, tmp_path, clocks, furnish, make_change
):
    def counted(spec):
        return desk.count(Selection("oai_dc", spec)), len(desk.page(Selection("oai_dc", spec)).records)

    with closing(backend.store(tmp_path, create=True, clock=clocks.host(), show_departed=True)) as store:
        desk = furnish(store, clocks)
        desk.publish(make_change("a", sets=("source:laro:x",)), make_change("b", sets=("source:laro:x",)))
        desk.publish(make_change("a", 2, sets=("source:laro",)))
        tombstone = b'<record><header status="deleted"><identifier>a</identifier></header></record>'
        assert desk.page(Selection("oai_dc", "source:laro:x")).records[1] == tombstone
        assert counted("source:laro:x") == (2, 2)
        desk.publish(make_change("a", is_deleted=True, sets=("source:laro",)))
        assert desk.page(Selection("oai_dc", "source:laro:x")).records[1] == tombstone
        desk.publish(make_change("a", 3, sets=("source:laro:x",)))
        assert tombstone not in desk.page(Selection("oai_dc", "source:laro:x")).records
        assert counted("source:laro:x") == (2, 2)
    with closing(backend.store(tmp_path, clock=clocks.host())) as store:
        desk.store = store
        desk.publish(make_change("b", 2, sets=("source:laro",)))
        assert counted("source:laro:x") == (1, 1)
        assert store.check() == ()


def test_sets_are_listed_by_spec_in_parts(desk):
    desk.store.add_sets([SetDescription("b:c:d", "D", b"<about/>"), SetDescription("a", "A")])
    with desk.view() as view:
        everything = view.sets(None, 10)
        assert [each.spec for each in everything] == ["a", "b", "b:c", "b:c:d", "source"]
        assert everything[3] == SetDescription("b:c:d", "D", b"<about/>")
        assert everything[1].name == "b"
        assert view.sets(None, 2) + view.sets("b", 2) + view.sets("b:c:d", 2) == everything
        assert view.has_set("b:c")
        assert not view.has_set("c")


def test_a_set_can_be_renamed(desk, make_change):
    desk.publish(make_change("a", sets=("source:laro:x",)))
    desk.store.add_sets([SetDescription("source:laro:x", "Ex")])
    desk.store.add_sets([SetDescription("source", "All of it")])
    with desk.view() as view:
        assert {each.spec: each.name for each in view.sets(None, 9)} == {
            "source": "All of it",
            "source:laro": "source:laro",
            "source:laro:x": "Ex",
        }
        assert view.count(Selection("oai_dc", "source:laro:x")) == 1


# --- single records and items -------------------------------------------------------------------------------------


def test_one_record_is_found_by_identifier_and_prefix(desk, make_change, record_content):
    item = make_change("a")
    desk.publish(item)
    with desk.view() as view:
        record = view.record(item.identifier, "oai_didl")
        assert record == (record_content("a", "oai_didl", 1, False), START + 1, item.records[1].digest, False)
        assert view.record(item.identifier, "marc21") is None
        assert view.record("oai:gateway.example.org:laro/b", "oai_dc") is None
        assert view.record("oai:gateway.example.org:laro/\ud800", "oai_dc") is None


def test_an_identifier_need_not_end_with_the_upstream_one(desk, make_change):
    escaped = "oai:gateway.example.org:laro/a%20b"
    desk.publish(make_change("a b", identifier=escaped), make_change("c"), make_change("d e", identifier="urn:x"))
    desk.publish(make_change("a b", 2, identifier=escaped))
    with desk.view() as view:
        assert view.record(escaped, "oai_dc").datestamp == START + 2
        assert view.has_item("oai:gateway.example.org:laro/c")
        assert view.has_item("urn:x")
        assert not view.has_item("oai:gateway.example.org:laro/a b")
        assert not view.has_item("oai:gateway.example.org:laro/")
    assert [state.identifier for _, state in desk.store.items(None, 0, 9)] == [
        escaped,
        "oai:gateway.example.org:laro/c",
        "urn:x",
    ]


def test_sources_with_equal_upstream_identifiers_do_not_meet(desk, make_change):
    desk.store.add_source(Source("other", "https://other.example.org/oai"))
    desk.publish(make_change("a"))
    desk.publish(make_change("a", 2, source="other", sets=("source:other",)), source="other")
    with desk.view() as view:
        assert view.record("oai:gateway.example.org:laro/a", "oai_dc").datestamp == START + 1
        assert view.record("oai:gateway.example.org:other/a", "oai_dc").datestamp == START + 2
    assert desk.store.states("other", ["a"])["a"].number == 2


def test_an_item_has_the_formats_of_its_records_that_are_not_deleted(desk, make_change):
    item = make_change("a", deleted=("oai_didl",))
    desk.publish(item)
    with desk.view() as view:
        assert [each.metadata_prefix for each in view.formats(item.identifier)] == ["oai_dc"]
        assert [each.metadata_prefix for each in view.formats()] == ["oai_dc", "oai_didl"]
        assert view.formats("oai:unknown") == ()


def test_states_tell_what_is_held(desk, make_change):
    item = make_change("a", deleted=("oai_didl",), page=7)
    desk.publish(item, make_change("b"))
    states = desk.store.states("laro", ["a", "z", "a"])
    (state,) = states.values()
    assert list(states) == ["a"]
    assert state == (
        1,
        "a",
        item.identifier,
        False,
        (Payload("oai_dc", 7, 0, (1).to_bytes(16, "big"), False),),
        (("oai_dc", item.records[0].digest, False), ("oai_didl", item.records[1].digest, True)),
    )
    assert desk.store.states("nobody", ["a"]) == {}


def test_items_are_walked_by_number(desk, make_change):
    desk.store.add_source(Source("other", "https://other.example.org/oai"))
    desk.publish(make_change("a"), make_change("b"))
    desk.publish(make_change("c", source="other"), source="other")
    desk.publish(make_change("d"))
    everything = desk.store.items(None, 0, 10)
    assert [(source, state.upstream) for source, state in everything] == [
        ("laro", "a"),
        ("laro", "b"),
        ("other", "c"),
        ("laro", "d"),
    ]
    assert desk.store.items(None, 0, 2) + desk.store.items(None, 2, 2) == everything
    assert [state.upstream for _, state in desk.store.items("laro", 1, 2)] == ["b", "d"]
    assert desk.store.items("laro", 4, 2) == ()
    assert everything[0][1] == desk.store.states("laro", ["a"])["a"]


def test_text_of_any_kind_comes_back_as_it_was(desk, make_change):
    name = "10.1000/é'\"\\𝄞 %20"
    desk.publish(make_change(name, sets=("source:laro:~C3~A9",)))
    assert desk.store.states("laro", [name])[name].upstream == name
    with desk.view() as view:
        assert view.has_item(f"oai:gateway.example.org:laro/{name}")


# --- publishing ---------------------------------------------------------------------------------------------------


def test_an_unchanged_record_is_left_alone(desk, make_change):
    assert desk.publish(make_change("a")) == 2
    assert desk.publish(make_change("a")) == 0
    with desk.view() as view:
        assert view.record("oai:gateway.example.org:laro/a", "oai_dc").datestamp == START + 1
        assert len(view.changes(0, 10)) == 2


def test_payload_pointers_move_even_when_no_record_changes(desk, make_change):
    desk.publish(make_change("a", page=1))
    assert desk.publish(make_change("a", page=5)) == 0
    assert desk.store.states("laro", ["a"])["a"].payloads[0].page == 5


def test_records_that_are_not_named_stay_as_they_are(desk, make_change):
    desk.publish(make_change("a"))
    assert desk.publish(make_change("a", 2, prefixes=("oai_dc",))) == 1
    with desk.view() as view:
        assert view.record("oai:gateway.example.org:laro/a", "oai_dc").datestamp == START + 2
        assert view.record("oai:gateway.example.org:laro/a", "oai_didl").datestamp == START + 1


def test_the_deleted_flag_alone_is_a_change(desk, make_change):
    item = make_change("a")
    desk.publish(item)
    gone = item._replace(records=tuple(record._replace(is_deleted=True) for record in item.records))
    assert desk.publish(gone) == 2


def test_changes_are_logged_with_their_kind(desk, make_change):
    desk.publish(make_change("a", prefixes=("oai_dc",)))
    desk.publish(make_change("a", 2, prefixes=("oai_dc",)))
    desk.publish(make_change("a", prefixes=("oai_dc",), is_deleted=True))
    desk.publish(make_change("a", 3, prefixes=("oai_dc",)))
    with desk.view() as view:
        lines = view.changes(0, 10)
        assert view.changes(0, 1) + view.changes(1, 10) == lines
    identifier = "oai:gateway.example.org:laro/a"
    assert lines == tuple(
        ChangeLine(number, identifier, "oai_dc", START + number, kind)
        for number, kind in enumerate(("created", "updated", "deleted", "created"), start=1)
    )


def test_many_small_and_large_records_come_back_as_they_were(desk, make_change):
    """Enough of them that dictionaries are made, trained and replaced on the way."""
    written = {}
    for first in range(0, 6000, 1500):
        changes = [make_change(f"item {number}", prefixes=("oai_dc",)) for number in range(first, first + 1500)]
        large = changes[0].records[0]._replace(content=b"<record>" + b"x" * 100_000 + b"</record>")
        changes[0] = changes[0]._replace(records=(large,))
        desk.publish(*changes)
        written.update((change.identifier, change.records[0].content) for change in changes)
    assert desk.page(DC, None, 10_000).records == tuple(written.values())
    with desk.view() as view:
        assert all(
            view.record(identifier, "oai_dc").content == written[identifier] for identifier in list(written)[::97]
        )
    assert desk.store.check() == ()


@pytest.mark.parametrize(
    ("source", "prefix"),
    [("nobody", "oai_dc"), ("laro", "marc21")],
)
def test_what_was_not_added_cannot_be_published(desk, make_change, source, prefix):
    with pytest.raises(StoreError, match="must be added"):
        desk.publish(make_change("a", prefixes=(prefix,)), source=source)
    assert desk.store.items(None, 0, 1) == ()


def test_an_item_cannot_be_named_twice_in_one_publication(desk, make_change):
    with pytest.raises(StoreError, match="twice"):
        desk.publish(make_change("a"), make_change("a", 2))


def test_an_empty_publication_moves_the_position(desk):
    assert desk.publish(position=(0, 4)) == 0
    assert desk.store.position("laro") == 4


def test_counts_follow_the_items(desk, make_change):
    desk.publish(make_change("a", sets=("fulltext",)), make_change("b"), make_change("c", sets=("fulltext",)))
    assert desk.store.counts("laro") == {"items": 3, "deleted": 0, "fulltext": 2, "quarantined": 0}
    desk.publish(make_change("a", is_deleted=True, sets=("fulltext",)), make_change("b", 2, sets=("fulltext",)))
    desk.publish(make_change("c", 2))
    assert desk.store.counts("laro") == {"items": 3, "deleted": 1, "fulltext": 1, "quarantined": 0}
    desk.publish(make_change("a", 3, sets=("fulltext",)))
    assert desk.store.counts("laro") == {"items": 3, "deleted": 0, "fulltext": 2, "quarantined": 0}
    assert set(desk.store.counts("nobody").values()) == {0}
    assert desk.store.check() == ()


def test_threads_may_publish_at_once(desk, make_change):
    def work(name):
        for number in range(10):
            desk.store.publish(desk.store.intend(), Publication("laro", (make_change(f"{name}{number}"),)))

    threads = [Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert desk.count(DC) == len(desk.page(DC).records) == 40
    assert desk.store.check() == ()


# --- positions ----------------------------------------------------------------------------------------------------


def test_the_position_moves_with_the_publication(desk, make_change):
    assert desk.store.position("laro") == 0
    desk.publish(make_change("a"), position=(0, 3))
    desk.store.advance("laro", 3, 5)
    assert desk.store.position("laro") == 5
    assert desk.store.position("nobody") == 0


def test_a_publication_from_a_position_that_moved_writes_nothing(desk, make_change):
    desk.publish(make_change("a"), position=(0, 3))
    with pytest.raises(PositionMoved):
        desk.publish(make_change("b"), position=(0, 3))
    assert desk.count(DC) == 1
    assert desk.store.position("laro") == 3
    desk.clocks.pass_seconds(5)
    with desk.view() as view:
        assert view.horizon == START + 7, "its intent is gone"


def test_the_position_cannot_be_advanced_from_where_it_is_not(desk):
    desk.store.advance("laro", 0, 3)
    with pytest.raises(PositionMoved):
        desk.store.advance("laro", 0, 3)
    with pytest.raises(PositionMoved):
        desk.store.advance("nobody", 0, 3)


# --- the horizon --------------------------------------------------------------------------------------------------


def test_the_horizon_is_the_clock(desk):
    desk.clocks.pass_seconds(7)
    with desk.view() as view:
        assert view.horizon == START + 7


def test_an_open_intent_holds_the_horizon_until_it_is_published(desk, make_change):
    intent = desk.store.intend()
    desk.clocks.pass_seconds(10)
    with desk.view() as view:
        assert view.horizon == intent.datestamp == START
    desk.store.publish(intent, Publication("laro", (make_change("a"),)))
    with desk.view() as view:
        assert view.horizon == START + 10
        assert view.record("oai:gateway.example.org:laro/a", "oai_dc").datestamp == START


def test_the_oldest_of_several_intents_holds_the_horizon(desk):
    first = desk.store.intend()
    desk.clocks.pass_seconds(3)
    second = desk.store.intend()
    desk.clocks.pass_seconds(3)
    desk.store.abandon(first)
    with desk.view() as view:
        assert view.horizon == second.datestamp == START + 3
    desk.store.abandon(second)
    with desk.view() as view:
        assert view.horizon == START + 6


def test_an_intent_lives_a_minute(desk, make_change):
    intent = desk.store.intend()
    desk.clocks.pass_seconds(59)
    with desk.view() as view:
        assert view.horizon == START
    desk.clocks.pass_seconds(1)
    with desk.view() as view:
        assert view.horizon == START + 60
    with pytest.raises(IntentExpired):
        desk.store.publish(intent, Publication("laro", (make_change("a"),)))
    assert desk.count(DC) == 0


def test_an_intent_cannot_be_used_twice(desk, make_change):
    intent = desk.store.intend()
    desk.store.publish(intent, Publication("laro", (make_change("a"),)))
    desk.store.intend()
    with pytest.raises(IntentExpired):
        desk.store.publish(intent, Publication("laro", (make_change("b"),)))
    with pytest.raises(IntentExpired):
        desk.store.publish(Intent(99, START), Publication("laro", (make_change("b"),)))


def test_a_datestamp_never_goes_back(desk, make_change):
    """A slow publication that another one has overtaken is to be repeated, with a new intent."""
    slow = desk.store.intend()
    desk.publish(make_change("a", 2))
    with pytest.raises(IntentExpired, match="later publication of a"):
        desk.store.publish(slow, Publication("laro", (make_change("b"), make_change("a", 1)), position=(0, 5)))
    assert (desk.count(DC), desk.store.position("laro")) == (1, 0)
    with desk.view() as view:
        assert view.horizon == START + 1, "the intent is gone"
        assert view.record("oai:gateway.example.org:laro/a", "oai_dc").datestamp == START + 1
    assert desk.publish(make_change("b"), make_change("a", 1), position=(0, 5)) == 4


def test_a_clock_that_goes_back_is_not_followed(desk, make_change):
    desk.clocks.pass_seconds(100)
    with desk.view() as view:
        told = view.horizon
    desk.clocks.wall -= 5000
    assert desk.store.intend().datestamp == told
    desk.clocks.pass_seconds(2)
    with desk.view() as view:
        assert view.horizon == told, "an intent is open"


def test_a_reboot_with_a_clock_that_went_back_goes_on_above_all_that_was_told(backend, tmp_path, clocks, make_change):
    with closing(backend.store(tmp_path, create=True, clock=clocks.host())) as store:
        clocks.pass_seconds(1000)
        with store.view() as view:
            told = view.horizon
    clocks.wall, clocks.monotonic, clocks.boot = START - 10_000.0, 5.0, "second"
    with closing(backend.store(tmp_path, clock=clocks.host())) as store:
        assert told <= store.intend().datestamp <= told + 60
        with store.view() as view:
            assert told <= view.horizon <= told + 60


def test_the_earliest_datestamp_is_the_first_or_that_of_the_making(desk, make_change):
    desk.clocks.pass_seconds(50)
    with desk.view() as view:
        assert view.earliest_datestamp() == START
    desk.publish(make_change("a"))
    desk.publish(make_change("b"))
    with desk.view() as view:
        assert view.earliest_datestamp() == START + 51
    desk.publish(make_change("a", 2))
    with desk.view() as view:
        assert view.earliest_datestamp() == START + 52


# --- quarantine ---------------------------------------------------------------------------------------------------


def bad(identifier="a", page=1, slice_=0, reason="It is no XML.", source="laro", at=5):
    return Quarantined(source, "oai_dc", identifier, page, slice_, reason, at)


def test_quarantine_is_told_oldest_first(desk):
    desk.store.add_source(Source("other", "https://other.example.org/oai"))
    desk.publish(quarantined=(bad("b"), bad("a"), bad("", 1, 2)))
    desk.publish(quarantined=(bad("c", source="other"),), source="other")
    assert list(desk.store.quarantined()) == [bad("b"), bad("a"), bad("", 1, 2), bad("c", source="other")]
    assert list(desk.store.quarantined("other")) == [bad("c", source="other")]
    assert desk.store.counts("laro")["quarantined"] == 3


def test_a_record_that_is_good_again_leaves_quarantine(desk):
    desk.publish(quarantined=(bad("a"), bad("b")))
    desk.publish(released=(("oai_dc", "a"), ("oai_dc", "never there"), ("oai_dc", "")))
    assert list(desk.store.quarantined("laro")) == [bad("b")]
    desk.publish(quarantined=(bad("a", page=9),))
    assert list(desk.store.quarantined("laro")) == [bad("b"), bad("a", page=9)]


def test_a_record_lies_in_quarantine_once(desk):
    desk.publish(quarantined=(bad("a"), bad("", 1, 2)))
    desk.publish(quarantined=(bad("a", 4, 1, "It is worse."), bad("", 1, 2), bad("", 4, 2)))
    assert list(desk.store.quarantined()) == [bad("a", 4, 1, "It is worse."), bad("", 1, 2), bad("", 4, 2)]


def test_quarantine_without_a_time_takes_that_of_the_publication(desk):
    desk.publish(quarantined=(bad("a", at=0),))
    assert next(desk.store.quarantined()).at == START + 1


def test_a_long_quarantine_is_told_whole(desk):
    desk.publish(quarantined=tuple(bad(str(number)) for number in range(1100)))
    assert [each.identifier for each in desk.store.quarantined()] == [str(number) for number in range(1100)]


# --- formats, sources, facts --------------------------------------------------------------------------------------


def upstream(prefix, namespace, source, schema="s", upstream_prefix=""):
    return Format(prefix, schema, namespace, 1, source, upstream_prefix or prefix)


def test_a_format_keeps_its_name_when_that_is_free_or_means_the_same(desk):
    first = upstream("mods", "urn:mods", "laro")
    assert desk.store.add_format(first) == first
    assert desk.store.add_format(first) == first
    second = upstream("mods", "urn:mods", "other", schema="another")
    assert desk.store.add_format(second).metadata_prefix == "mods"
    with desk.view() as view:
        assert [each for each in view.formats() if each.metadata_prefix.startswith("mods")] == [first]


def test_a_format_of_another_namespace_is_named_after_its_source(desk):
    desk.store.add_format(upstream("mods", "urn:mods", "laro"))
    added = desk.store.add_format(upstream("mods", "urn:other", "other"))
    assert added == Format("mods.other", "s", "urn:other", 1, "other", "mods")
    assert desk.store.add_format(upstream("mods", "urn:other", "other")) == added
    assert desk.store.add_format(upstream("mods", "urn:third", "other")).metadata_prefix == "mods.other.2"


def test_an_upstreams_format_may_share_ours(desk):
    added = desk.store.add_format(upstream("oai_dc", "urn:dc", "laro"))
    assert added == Format("oai_dc", "dc.xsd", "urn:dc", 1, "laro", "oai_dc")
    assert desk.store.add_format(upstream("dc", "urn:dc", "laro")).metadata_prefix == "dc"
    renamed = desk.store.add_format(Format("oai_didl.laro", "s", "urn:didl", 1, "laro", "oai_didl"))
    assert renamed.metadata_prefix == "oai_didl.laro"


def test_a_format_of_ours_is_replaced_when_its_version_grows(desk):
    desk.store.add_format(Format("oai_dc", "newer.xsd", "urn:dc", 2))
    assert desk.store.add_format(Format("oai_dc", "older.xsd", "urn:dc", 1)) == Format(
        "oai_dc", "newer.xsd", "urn:dc", 2
    )
    with desk.view() as view:
        assert view.formats()[0] == Format("oai_dc", "newer.xsd", "urn:dc", 2)


def test_a_format_of_ours_takes_over_a_name_that_means_the_same(desk):
    desk.store.add_format(upstream("mods", "urn:mods", "laro"))
    ours = Format("mods", "ours.xsd", "urn:mods")
    assert desk.store.add_format(ours) == ours
    with desk.view() as view:
        assert ours in view.formats()


def test_a_format_of_ours_does_not_take_a_name_that_means_something_else(desk):
    desk.store.add_format(upstream("mods", "urn:other", "laro"))
    with pytest.raises(StoreError, match=r"'mods'.*'laro'"):
        desk.store.add_format(Format("mods", "ours.xsd", "urn:mods"))


def test_sources_are_told_by_name_removed_ones_too(desk):
    desk.store.add_source(Source("a", "https://a.example.org", "static", is_removed=True))
    with desk.view() as view:
        assert view.sources() == (
            Source("a", "https://a.example.org", "static", is_removed=True),
            Source("laro", "https://laro.example.org/oai"),
        )


def test_a_source_can_be_changed_and_keeps_its_position(desk):
    desk.store.advance("laro", 0, 3)
    desk.store.add_source(Source("laro", "https://new.example.org", is_removed=True))
    assert desk.store.position("laro") == 3
    with desk.view() as view:
        assert view.sources() == (Source("laro", "https://new.example.org", is_removed=True),)


def test_facts_are_remembered(desk):
    assert desk.store.fact("domain") == ""
    desk.store.remember("domain", "a.example.org")
    desk.store.remember("domain", "b.example.org")
    assert desk.store.fact("domain") == "b.example.org"


def test_a_store_is_made_only_when_asked(backend, tmp_path):
    with pytest.raises(StoreMissing):
        backend.store(tmp_path)
    with pytest.raises(StoreMissing):
        backend.inbox(tmp_path)


def test_everything_is_there_after_opening_again(backend, tmp_path, clocks, furnish, make_change):
    with closing(backend.store(tmp_path / "new" / "folder", create=True, clock=clocks.host())) as store:
        furnish(store, clocks).publish(make_change("a"))
    with closing(backend.store(tmp_path / "new" / "folder", create=True, clock=clocks.host())) as store:
        with store.view() as view:
            assert view.count(DC) == 1
        assert store.check() == ()


# --- against a model ----------------------------------------------------------------------------------------------

names = st.sampled_from("abcdef")
specs = st.sets(st.sampled_from(["source:laro", "source:laro:x", "source:laro:x:y", "source:laro:z", "fulltext"]))
steps = st.lists(
    st.tuples(
        st.dictionaries(names, st.tuples(st.integers(1, 3), specs, st.booleans()), max_size=4), st.integers(0, 90_000)
    ),
    max_size=8,
)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=steps, bounds=st.tuples(st.integers(-5, 300_000), st.integers(-5, 300_000)))
def test_lists_and_counts_are_those_of_a_simple_model(
    backend, tmp_path_factory, clocks, furnish, make_change, steps, bounds
):
    """Any publications at any times: page and count are what a dictionary of the last versions says."""
    clocks = type(clocks)()
    with closing(backend.store(tmp_path_factory.mktemp("model"), create=True, clock=clocks.host())) as store:
        desk, model, order = furnish(store, clocks), {}, {}
        for items, seconds in steps:
            changes = []
            for name, (version, sets, is_deleted) in sorted(items.items()):
                order.setdefault(name, len(order))
                item = make_change(name, version, sets=tuple(sorted(sets)), prefixes=("oai_dc",), is_deleted=is_deleted)
                if model.get(name, (None,))[0] != item:
                    model[name] = (item, int(clocks.wall) + 1)
                changes.append(item)
            desk.publish(*changes)
            clocks.pass_seconds(seconds)
        first, last = START + bounds[0], START + bounds[1]
        for spec in (None, "source:laro", "source:laro:x", "fulltext"):
            selection = Selection("oai_dc", spec, first, last)
            expected = [
                item.records[0].content
                for name, (item, stamp) in sorted(model.items(), key=lambda pair: (pair[1][1], order[pair[0]]))
                if first <= stamp <= last
                and (spec is None or any(f"{each}:".startswith(f"{spec}:") for each in item.sets))
            ]
            assert list(desk.page(selection).records) == expected
            assert desk.count(selection) == len(expected)
        assert store.check() == ()
