"""Records as resources: length and SHA-256 of their metadata, and the changes of a list, in the order of time."""

from dataclasses import replace
from hashlib import sha256

from gateway.core.model import Content, Selection
from tests.clocks import START

EVERYTHING = Selection("oai_dc")
NAME = "oai:gateway.example.org:laro/"
FIRST = (0, 0)
MOST = 2**62


def digest(name: str, version: int = 1) -> bytes:
    return sha256(f"oai_dc of {name}, version {version}".encode()).digest()


def resources(harness, selection=EVERYTHING, after=0, until=MOST, limit=1000):
    with harness.view() as view:
        return view.resources(selection, after, until, limit)


def changes(harness, selection=EVERYTHING, after=FIRST, limit=1000):
    with harness.view() as view:
        return view.resource_changes(selection, after, limit)


def seen(lines):
    return [(line.identifier.removeprefix(NAME), line.kind) for line in lines]


def test_resources_are_the_living_records_by_item_with_length_and_hash(harness, make_change):
    harness.publish(*map(make_change, "abc"))
    harness.publish(make_change("a", 22), make_change("b", is_deleted=True))
    a, c = resources(harness)
    assert a == (1, f"{NAME}a", START + 2, len("oai_dc of a, version 22"), digest("a", 22))
    assert c == (3, f"{NAME}c", START + 1, len("oai_dc of c, version 1"), digest("c"))
    assert resources(harness, after=1) == (c,)
    assert resources(harness, until=1) == resources(harness, limit=1) == (a,)
    assert resources(harness, Selection("nothing")) == resources(harness, Selection("oai_dc", "nothing")) == ()
    with harness.view() as view:
        assert view.last_item() == 3


def test_resources_of_a_set_are_those_in_it(harness, make_change):
    harness.publish(make_change("a", sets=("source:laro:x",)), make_change("b", sets=("source:laro",)))
    harness.publish(make_change("c", sets=("source:laro:x",)), make_change("d", sets=("source:laro:x",)))
    harness.publish(
        make_change("a", 2, sets=("source:laro",)), make_change("d", sets=("source:laro:x",), is_deleted=True)
    )
    listed = resources(harness, Selection("oai_dc", "source:laro:x"))
    assert [resource.identifier for resource in listed] == [f"{NAME}c"]
    assert len(resources(harness, Selection("oai_dc", "source:laro"))) == 3
    assert len(resources(harness, Selection("oai_dc", "source:laro"), after=1, until=2)) == 1
    for spec in ("source:laro", "source:laro:x"):  # a short range is read in another way than the whole
        within = Selection("oai_dc", spec)
        assert resources(harness, within, until=9) == resources(harness, within)
    with harness.view() as view:
        assert view.resource_ranges(EVERYTHING, 1) == (0, 1, 2)
        assert view.resource_ranges(EVERYTHING, 2) == (0, 1)
        assert view.resource_ranges(Selection("oai_dc", "source:laro:x"), 1) == (2,)
        assert view.resource_ranges(Selection("nothing"), 1) == ()


def test_changes_have_the_length_and_the_hash_of_their_version(harness, make_change):
    harness.publish(make_change("a"))
    harness.publish(make_change("a", 22))
    harness.publish(make_change("a", is_deleted=True))
    created, updated, deleted = changes(harness)
    assert created == (1, f"{NAME}a", START + 1, "created", len("oai_dc of a, version 1"), digest("a"), 1)
    assert (updated.datestamp, updated.kind, updated.sha256) == (START + 2, "updated", digest("a", 22))
    assert (deleted.datestamp, deleted.kind, deleted.length, deleted.sha256) == (START + 3, "deleted", 0, b"")


def test_changes_are_in_the_order_of_time_although_publications_are_not(harness, make_change):
    """The first intent is published last: its datestamp is below that of the other, its lines are behind."""
    early = harness.store.intend()
    harness.clocks.pass_seconds(5)
    harness.publish(make_change("late"))
    harness.store.publish(early, harness.publication(make_change("early")))
    assert seen(changes(harness)) == [("early", "created"), ("late", "created")]
    first, second = changes(harness)
    assert first.number > second.number
    assert changes(harness, after=(first.datestamp, first.number)) == (second,)
    assert changes(harness, after=(second.datestamp, second.number)) == ()


def test_bounds_of_changes_are_inclusive(harness, make_change):
    for version in range(1, 5):
        harness.publish(make_change("a", version))
    assert len(changes(harness, Selection("oai_dc", None, START + 2, START + 3))) == 2
    assert changes(harness, Selection("oai_dc", None, START + 9, START + 99)) == ()
    assert changes(harness, Selection("nothing")) == changes(harness, Selection("oai_dc", "nothing")) == ()


def test_what_left_a_set_is_deleted_there_and_its_later_versions_are_no_changes_of_it(harness, make_change):
    inside, outside = ("source:laro:x",), ("source:laro:y",)
    harness.publish(make_change("a", 1, sets=inside))
    harness.publish(make_change("a", 2, sets=outside))
    harness.publish(make_change("a", 3, sets=outside))
    harness.publish(make_change("a", 4, sets=inside))
    of_x = changes(harness, Selection("oai_dc", "source:laro:x"))
    assert [(line.kind, line.sha256) for line in of_x] == [
        ("created", digest("a")),
        ("deleted", b""),
        ("updated", digest("a", 4)),
    ]
    assert [line.kind for line in changes(harness, Selection("oai_dc", "source:laro:y"))] == [
        "updated", "updated", "deleted",
    ]  # fmt: skip
    assert len(changes(harness, Selection("oai_dc", "source:laro"))) == 4


def test_what_is_taken_down_is_empty_in_all_its_changes(harness, make_change):
    """Its identifier stays, so that copies can be deleted; what its versions were is told no more."""
    harness.publish(make_change("a"), make_change("b"))
    harness.publish(make_change("a", 2))
    before = changes(harness)
    harness.publish(make_change("a", 2, is_deleted=True)._replace(is_withheld=True))
    of_a = [line for line in changes(harness) if line.identifier == f"{NAME}a"]
    assert [(line.kind, line.length, line.sha256) for line in of_a] == [
        ("created", 0, b""),
        ("updated", 0, b""),
        ("deleted", 0, b""),
    ]
    harness.publish(make_change("a", 2))
    assert [line for line in changes(harness) if line in before] == list(before)


def test_the_version_that_is_served_of_what_is_taken_down_is_known(harness, make_change):
    harness.publish(*map(make_change, "abcd"))
    harness.publish(make_change("a", 2)._replace(is_withheld=True))
    harness.publish(make_change("b", 2, is_deleted=True)._replace(is_withheld=True))
    harness.publish(make_change("c", 2, prefixes=("oai_didl",))._replace(is_withheld=True))
    with harness.view() as view:
        assert view.withheld_versions("oai_dc") == ((1, START + 2), (2, 0), (3, START + 1))
        assert view.withheld_versions("nothing") == ((1, 0), (2, 0), (3, 0))
    assert [line.sha256 for line in changes(harness) if line.item == 1] == [b"", digest("a", 2)], (
        "the former one is empty"
    )


def test_ranges_that_changed_after_a_line_are_known(harness, make_change):
    harness.publish(*map(make_change, "abcde"))
    with harness.view() as view:
        assert view.changed_ranges(0, 2) == {0, 1, 2}
        last = view.last_change()
        assert view.changed_ranges(last, 2) == frozenset()
    harness.publish(make_change("b", 2))
    harness.publish(make_change("e", 2, is_deleted=True))
    with harness.view() as view:
        assert view.changed_ranges(last, 2) == {0, 2}


def test_changes_are_counted_by_day(harness, make_change):
    day, inside = START // 86_400 * 86_400, ("source:laro:x",)
    harness.publish(make_change("a", sets=inside), make_change("b"))
    harness.clocks.pass_seconds(2 * 86_400)
    harness.publish(make_change("a", 2))
    harness.publish(make_change("b", 2, prefixes=("oai_didl",)))
    later = day + 2 * 86_400
    with harness.view() as view:
        assert view.change_days(EVERYTHING) == ((day, 2), (later, 1))
        assert view.change_days(Selection("oai_dc", None, later, None)) == ((later, 1),)
        assert view.change_days(Selection("oai_dc", "source:laro:x")) == ((day, 1), (later, 1))
        assert view.change_days(Selection("oai_dc", "source:laro:x", None, later - 1)) == ((day, 1),)
        assert view.change_days(Selection("nothing")) == ()


def test_a_change_is_found_by_its_place(harness, make_change):
    for version in range(1, 4):
        harness.publish(make_change("a", version), make_change("b", version, sets=("source:laro:x",)))
    for selection in (EVERYTHING, Selection("oai_dc", "source:laro:x"), Selection("oai_dc", None, START + 2, None)):
        lines = changes(harness, selection)
        with harness.view() as view:
            keys = [view.change_key(selection, place) for place in range(len(lines) + 1)]
        assert keys == [(line.datestamp, line.number) for line in lines] + [None]
    with harness.view() as view:
        assert view.change_key(Selection("nothing"), 0) is None


def test_the_second_after_the_last_change_is_known(harness, make_change):
    with harness.view() as view:
        assert view.changed_until("oai_dc", MOST) == view.changes_from() == START
        assert view.last_item() == 0
    harness.publish(make_change("a"))
    harness.publish(make_change("a", 2, prefixes=("oai_didl",)))
    with harness.view() as view:
        assert view.changed_until("oai_dc", MOST) == START + 2
        assert view.changed_until("oai_didl", MOST) == START + 3
        assert view.changed_until("oai_didl", START + 1) == START + 2
        assert view.changed_until("nothing", MOST) == START


def test_files_of_items_are_listed_by_item_as_their_records_name_them(harness, make_change):
    a, b = (f"https://laro.example.org/{name}.pdf" for name in "ab")
    first = Content(
        a, "application/pdf", 1234, "ab" * 32, "2020-01-01", f"https://gateway.example.org/files/{'ab' * 32}"
    )
    second = Content(b, "text/html")
    harness.publish(make_change("1")._replace(contents=(first, second)), make_change("2")._replace(contents=(second,)))
    with harness.view() as view:
        assert tuple(view.contents(0, MOST)) == ((1, first), (1, second), (2, second))
        assert tuple(view.contents(1, 2)) == ((2, second),)
        assert view.identifiers_of([1, 2, 3]) == {1: f"{NAME}1", 2: f"{NAME}2"}
        assert view.identifiers_of([]) == {}
    harness.publish(make_change("1", 2)._replace(contents=(second,)), make_change("2", 2))
    with harness.view() as view:
        assert tuple(view.contents(0, MOST)) == ((1, second), (2, second))
    harness.publish(make_change("2", is_deleted=True)._replace(contents=()))
    with harness.view() as view:
        assert tuple(view.contents(0, MOST)) == ((1, second),)


def test_a_file_is_listed_at_its_first_item_with_all_others_and_counts_once(harness, make_change):
    a, b, c = (Content(f"https://laro.example.org/{name}.pdf", "application/pdf") for name in "abc")
    harness.publish(
        make_change("1")._replace(contents=(a, b)),
        make_change("2")._replace(contents=(b, a)),
        make_change("3")._replace(contents=(c, c, b)),
    )
    with harness.view() as view:
        first_two = ((1, a), (2, a), (1, b), (2, b), (3, b))
        assert tuple(view.files(0, 1, 10, 0)) == first_two
        assert tuple(view.files(1, 2, 10, 0)) == ()
        assert tuple(view.files(0, MOST, 10, 0)) == (*first_two, (3, c), (3, c))
        assert tuple(view.files(0, MOST, 1, 1)) == ((1, b), (2, b), (3, b))
        assert tuple(view.files(0, MOST, 10, 3)) == ()
        assert view.file_counts(1) == ((0, 2), (2, 1))
        assert view.file_counts(10) == ((0, 3),)
    harness.publish(make_change("1", is_deleted=True)._replace(contents=()))
    with harness.view() as view:
        assert tuple(view.files(0, 2, 10, 0)) == ((2, b), (3, b), (2, a))
        assert view.file_counts(1) == ((1, 2), (2, 1))


def test_the_former_addresses_of_a_source_are_known_with_the_second_until_which_they_held(harness):
    with harness.view() as view:
        source = next(source for source in view.sources() if source.name == "laro")
        begun = view.horizon
    harness.store.add_source(replace(source, is_friend=False))  # no other address
    with harness.view() as view:
        assert view.former_sources() == ()
    harness.store.add_source(replace(source, base_url="https://new.example.org/oai"))
    harness.store.add_source(replace(source, base_url="https://newest.example.org/oai"))  # in the same second
    with harness.view() as view:
        ((former, until),) = view.former_sources()
        assert (former.name, former.base_url, former.kind) == ("laro", source.base_url, "oai_pmh")
        assert begun <= until <= view.horizon
