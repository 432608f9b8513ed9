"""What every backend promises of reading the store, through its public methods alone (gateway/store/base.py)."""

from contextlib import closing

from gateway.core.model import Lack, Lacking, Page, Payload, Selection, SetDescription, Source
from tests.clocks import START
from tests.contract.conftest import Harness
from tests.rows import each_row

DC = Selection("oai_dc")


# --- lists --------------------------------------------------------------------------------------------------------


def test_list_is_ordered_by_datestamp_then_the_order_of_the_publication(harness, make_change, record_content):
    harness.publish(make_change("b"), make_change("a"))
    harness.publish(make_change("c"))
    harness.publish(make_change("b", version=2))
    expected = tuple(
        record_content(*which, False) for which in [("a", "oai_dc", 1), ("c", "oai_dc", 1), ("b", "oai_dc", 2)]
    )
    assert harness.page(DC) == Page(expected, None)


def test_bounds_are_inclusive_also_within_a_set(harness, make_change):
    for name in "abcde":
        harness.publish(make_change(name))
    for spec in (None, "source:laro"):
        selection = Selection("oai_dc", spec, START + 2, START + 4)
        assert len(harness.page(selection).records) == harness.count(selection) == 3


@each_row(
    "selection",
    [
        Selection("marc21"),
        Selection("oai_dc", "nothing"),
        Selection("oai_dc", "\ud800"),
        Selection("\ud800"),
        Selection("oai_dc", None, 5, 4),
        Selection("oai_dc", None, None, 0),
    ],
)
def test_an_unknown_prefix_or_set_and_bounds_that_enclose_nothing_are_empty(harness, make_change, selection):
    harness.publish(make_change("a"))
    assert harness.page(selection) == Page((), None)
    assert harness.count(selection) == 0


def test_a_view_is_of_one_moment(harness, make_change):
    harness.publish(make_change("a"))
    with harness.view() as view:
        harness.publish(make_change("b"))
        assert view.count(DC) == len(view.page(DC, None, 10).records) == 1
        assert not view.has_item("oai:gateway.example.org:laro/b")
        with harness.view() as later:
            assert later.count(DC) == 2
    assert harness.count(DC) == 2


# --- sets ---------------------------------------------------------------------------------------------------------


def test_a_record_in_a_set_is_in_the_sets_above_it(harness, make_change):
    harness.publish(make_change("a", sets=("source:laro:x:y", "fulltext")), make_change("b", sets=("source:laro:x",)))
    specs = ("source", "source:laro", "source:laro:x", "source:laro:x:y", "fulltext", "source:laro:z")
    assert [harness.count(Selection("oai_dc", spec)) for spec in specs] == [2, 2, 2, 1, 1, 0]
    assert [len(harness.page(Selection("oai_dc", spec)).records) for spec in specs] == [2, 2, 2, 1, 1, 0]


def test_lists_agree_with_the_item_even_when_its_records_were_not_given(harness, make_change):
    """The caller owes the store all records of an item whose sets change; the store still never contradicts itself."""
    harness.publish(make_change("a", sets=("source:laro:x",)))
    harness.publish(make_change("a", sets=("source:laro:y",), prefixes=("oai_dc",)))
    didl = Selection("oai_didl", "source:laro:y")
    assert harness.count(didl) == len(harness.page(didl).records) == 1
    assert harness.count(Selection("oai_didl", "source:laro:x")) == 0
    assert harness.store.check() == ()


def test_departed_records_are_shown_as_deleted_when_the_setting_says_so(opened, clocks, make_change):
    def counted(spec):
        return harness.count(Selection("oai_dc", spec)), len(harness.page(Selection("oai_dc", spec)).records)

    with closing(opened(show_departed=True)) as store:
        harness = Harness(store, clocks)
        harness.publish(make_change("a", sets=("source:laro:x",)), make_change("b", sets=("source:laro:x",)))
        harness.publish(make_change("a", 2, sets=("source:laro",)))
        tombstone = b'<record><header status="deleted"><identifier>a</identifier></header></record>'
        assert harness.page(Selection("oai_dc", "source:laro:x")).records[1] == tombstone
        assert counted("source:laro:x") == (2, 2)
        harness.publish(make_change("a", is_deleted=True, sets=("source:laro",)))
        assert harness.page(Selection("oai_dc", "source:laro:x")).records[1] == tombstone
        harness.publish(make_change("a", 3, sets=("source:laro:x",)))
        assert tombstone not in harness.page(Selection("oai_dc", "source:laro:x")).records
        assert counted("source:laro:x") == (2, 2)
    with closing(opened()) as store:
        harness.store = store
        harness.publish(make_change("b", 2, sets=("source:laro",)))
        assert counted("source:laro:x") == (1, 1)
        assert store.check() == ()


def test_sets_are_listed_by_spec_in_parts(harness):
    harness.store.add_sets([SetDescription("b:c:d", "D", b"<about/>"), SetDescription("a", "A")])
    with harness.view() as view:
        everything = view.sets(None, 10)
        assert [description.spec for description in everything] == ["a", "b", "b:c", "b:c:d", "source"]
        assert everything[3] == SetDescription("b:c:d", "D", b"<about/>")
        assert everything[1].name == "b"
        assert view.sets(None, 2) + view.sets("b", 2) + view.sets("b:c:d", 2) == everything
        assert view.has_set("b:c")
        assert not view.has_set("c")


def test_a_set_can_be_renamed(harness, make_change):
    harness.publish(make_change("a", sets=("source:laro:x",)))
    harness.store.add_sets([SetDescription("source:laro:x", "Ex")])
    harness.store.add_sets([SetDescription("source", "All of it")])
    with harness.view() as view:
        assert {set_.spec: set_.name for set_ in view.sets(None, 9)} == {
            "source": "All of it",
            "source:laro": "source:laro",
            "source:laro:x": "Ex",
        }
        assert view.count(Selection("oai_dc", "source:laro:x")) == 1


# --- single records and items -------------------------------------------------------------------------------------


def test_one_record_is_found_by_identifier_and_prefix(harness, make_change, record_content):
    item = make_change("a")
    harness.publish(item)
    with harness.view() as view:
        record = view.record(item.identifier, "oai_didl")
        assert record == (record_content("a", "oai_didl", 1, False), START + 1, item.records[1].digest, False)
        assert view.record(item.identifier, "marc21") is None
        assert view.record("oai:gateway.example.org:laro/b", "oai_dc") is None
        assert view.record("oai:gateway.example.org:laro/\ud800", "oai_dc") is None


def test_many_records_are_found_at_once_by_key(harness, make_change, record_content):
    items = [make_change(name) for name in "abcd"]
    harness.publish(*items)
    harness.publish(make_change("b", 2), make_change("e x", identifier="urn:e"))
    harness.publish(make_change("c", is_deleted=True))
    strangers = ("oai:gateway.example.org:laro/z", "oai:gateway.example.org:laro/\ud800", "a\0b", "", "laro")
    wanted = [items[1].identifier, items[0].identifier, items[2].identifier, "urn:e", *strangers]
    with harness.view() as view:
        records = list(view.records(wanted, "oai_didl"))
        assert [name for name, _ in records] == [wanted[1], wanted[0], "urn:e", wanted[2]]
        assert records == [(name, view.record(name, "oai_didl")) for name, _ in records]
        assert records[0][1].content == record_content("a", "oai_didl", 1, False)
        assert [record.is_deleted for _, record in records] == [False, False, False, True]
        assert list(view.records(wanted, "marc21")) == list(view.records((), "oai_dc")) == []


def test_an_identifier_need_not_end_with_the_upstream_one(harness, make_change):
    escaped = "oai:gateway.example.org:laro/a%20b"
    harness.publish(make_change("a b", identifier=escaped), make_change("c"), make_change("d e", identifier="urn:x"))
    harness.publish(make_change("a b", 2, identifier=escaped))
    with harness.view() as view:
        assert view.record(escaped, "oai_dc").datestamp == START + 2
        assert view.has_item("oai:gateway.example.org:laro/c")
        assert view.has_item("urn:x")
        assert not view.has_item("oai:gateway.example.org:laro/a b")
        assert not view.has_item("oai:gateway.example.org:laro/")
    assert [state.identifier for _, state in harness.store.items(None, 0, 9)] == [
        escaped,
        "oai:gateway.example.org:laro/c",
        "urn:x",
    ]


def test_an_item_has_the_formats_of_its_records_that_are_not_deleted(harness, make_change):
    item = make_change("a", deleted=("oai_didl",))
    harness.publish(item)
    with harness.view() as view:
        assert [format_.metadata_prefix for format_ in view.formats(item.identifier)] == ["oai_dc"]
        assert [format_.metadata_prefix for format_ in view.formats()] == ["oai_dc", "oai_didl"]
        assert view.formats("oai:unknown") == ()


def test_states_tell_what_is_held(harness, make_change):
    item = make_change("a", deleted=("oai_didl",), page=7)
    harness.publish(item, make_change("b"))
    states = harness.store.states("laro", ["a", "z", "a"])
    (state,) = states.values()
    assert list(states) == ["a"]
    assert state == (
        1,
        "a",
        item.identifier,
        False,
        (Payload("oai_dc", 7, 0, (1).to_bytes(16, "big"), False),),
        (("oai_dc", item.records[0].digest, False), ("oai_didl", item.records[1].digest, True)),
        (),
        False,
        None,
    )
    assert harness.store.states("nobody", ["a"]) == {}


def test_living_records_of_a_format_are_walked_by_identifier(harness, make_change):
    harness.store.add_source(Source("other", "https://other.example.org/oai"))
    harness.publish(make_change("b"), make_change("\u00e9"), make_change("a"), make_change("gone", is_deleted=True))
    harness.publish(make_change("c", source="other"), source="other")
    half = make_change("d")
    harness.publish(half._replace(payloads=(half.payloads[0]._replace(is_deleted=True),)))
    assert harness.store.living("laro", "oai_dc", "", 9) == ("a", "b", "\u00e9")
    assert harness.store.living("laro", "oai_dc", "a", 1) == ("b",)
    assert harness.store.living("laro", "oai_dc", "\u00e9", 9) == ()
    assert harness.store.living("laro", "mods", "", 9) == harness.store.living("nobody", "oai_dc", "", 9) == ()


def test_items_are_walked_by_number(harness, make_change):
    harness.store.add_source(Source("other", "https://other.example.org/oai"))
    harness.publish(make_change("a"), make_change("b"))
    harness.publish(make_change("c", source="other"), source="other")
    harness.publish(make_change("d"))
    everything = harness.store.items(None, 0, 10)
    assert [(source, state.upstream) for source, state in everything] == [
        ("laro", "a"),
        ("laro", "b"),
        ("other", "c"),
        ("laro", "d"),
    ]
    assert harness.store.items(None, 0, 2) + harness.store.items(None, 2, 2) == everything
    assert [state.upstream for _, state in harness.store.items("laro", 1, 2)] == ["b", "d"]
    assert harness.store.items("laro", 4, 2) == ()
    assert everything[0][1] == harness.store.states("laro", ["a"])["a"]


def test_what_records_lack_is_counted_by_format_until_they_have_it(harness, make_change):
    def lacking(name, prefix, lacks, version=1):
        return make_change(name, version)._replace(lacking=Lacking(prefix, lacks))

    harness.publish(lacking("a", "oai_dc", Lack.TITLE | Lack.DATE), lacking("b", "oai_dc", Lack.DATE), make_change("c"))
    assert harness.store.lack_counts(["laro"])["laro"] == (
        ("oai_dc", Lack.TITLE, 1, "oai:gateway.example.org:laro/a"),
        ("oai_dc", Lack.DATE, 2, "oai:gateway.example.org:laro/a"),
    )
    assert harness.store.states("laro", ("a",))["a"].lacking == Lacking("oai_dc", Lack.TITLE | Lack.DATE)
    harness.publish(make_change("a", 2), make_change("b", is_deleted=True), lacking("c", "oai_didl", Lack.READER, 2))
    assert harness.store.lack_counts(["laro", "other"]) == {
        "laro": (("oai_didl", Lack.READER, 1, "oai:gateway.example.org:laro/c"),)
    }
