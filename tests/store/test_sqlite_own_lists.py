"""Sparse sets that are harvested get blocks of their own; their lists are the same with and without these."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from gateway.core.model import Publication, Selection
from gateway.core.pieces import identity
from gateway.store import own_lists as store_lists
from gateway.store.own_lists import own_lists
from gateway.store.store import Store
from tests.clocks import Clocks
from tests.store.conftest import change, furnished

RARE = "source:laro:rare"
LIST = Selection("oai_dc", RARE)


class Killed(BaseException):
    """What a step raises in a process that dies there."""


def publish(store, clocks, changes):
    clocks.pass_seconds(1)
    return store.publish(store.intend(), Publication("laro", tuple(changes)))


def changes_of(make_change, numbers, version=1, *, rare=50):
    """Return changes; one item of `rare` is in the rare set."""
    return [
        make_change(f"{number}", version, (RARE,) if number % rare == 0 else ("source:laro",)) for number in numbers
    ]


def texts_of(store, limit=200, after=None):
    """Return the list of the rare set, read page by page."""
    texts = b""
    while True:
        with store.view() as view:
            page = view.parts(LIST, after, limit, only_headers=False, is_exact=False)
            texts += identity(page.parts)
        after = page.next
        if after is None:
            return texts.splitlines()


def lists_of(store):
    with store._file.reading() as session:
        return own_lists(session)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, Clocks]:
    """Return the bytes of a store whose rare set has one record of each fifty, and its clocks."""
    path, clocks = tmp_path_factory.mktemp("made") / "store.sqlite", Clocks()
    with closing(furnished(Store(path, create=True, clock=clocks.host()))) as store:
        for first in range(0, 1500, 500):
            publish(store, clocks, [*changes_of(change, range(first, first + 500))][::-1])
        publish(store, clocks, changes_of(change, range(0, 1500, 50), 2))
        for number in range(0, 1500, 50):  # spread: each in a block with others
            publish(store, clocks, changes_of(change, range(number, number + 20), 3))
        clocks.pass_seconds(100)
        store.compact()
        assert store.finish_erasure()
    return path.read_bytes(), clocks


@pytest.fixture
def clocks(made: tuple[bytes, Clocks]) -> Clocks:
    return replace(made[1])


@pytest.fixture
def sparse(made: tuple[bytes, Clocks], path: Path, clocks: Clocks) -> Iterator[Store]:
    """Return a store of its own with the same content."""
    path.write_bytes(made[0])
    with closing(Store(path, clock=clocks.host())) as store:
        yield store


def test_a_slow_page_asks_for_a_list_of_its_own_and_compaction_makes_it(sparse):
    assert lists_of(sparse) == []
    before = texts_of(sparse)
    (wanted,) = lists_of(sparse)
    assert not wanted.is_ready
    assert sparse.compact().blocks > 0
    (made,) = lists_of(sparse)
    assert made.is_ready
    assert texts_of(sparse) == before
    with sparse.view() as view:
        page = view.parts(LIST, None, 500, only_headers=False, is_exact=False)
        assert not view.wanted - {(made.collection, made.prefix)}
    assert len(page.parts) == 1, "one block as it lies, not a part of each of many"
    assert sparse.check() == ()


def test_a_list_that_nobody_asks_for_is_dropped_even_before_it_is_made(sparse):
    texts_of(sparse)
    with sparse._file.writing() as session:
        session.execute("update own_list set wanted_on = 1")
    sparse.compact()
    assert lists_of(sparse) == []
    texts_of(sparse)
    sparse.compact()
    with sparse._file.writing() as session:
        session.execute("update own_list set wanted_on = wanted_on - 31")
    sparse.compact()
    assert lists_of(sparse) == []
    assert sparse.check() == ()
    with sparse._file.reading() as session:
        (orphans,) = session.one("select count(*) from body where id not in (select body from block)")
    assert orphans == 0


def test_what_is_published_while_a_list_is_made_is_in_it(sparse, clocks, make_change, monkeypatch):
    """The list is made in parts of three blocks, and something is published after each of them."""
    texts_of(sparse)
    monkeypatch.setattr(store_lists, "_BLOCKS_AT_ONCE", 3)
    versions = iter(range(20, 200))

    def step(name):
        if name == "growth committed":
            publish(sparse, clocks, changes_of(make_change, range(0, 1600, 25), next(versions)))

    store_lists.make(sparse._file, sparse._horizon, lambda: True, step)
    _check_ready(sparse)


def _at_reads(sparse, work, *, times):
    """Make the list; do some work so many times after the next part was read, and before it is written."""
    left = iter(range(times))

    def step(name):
        if name == "own list read" and next(left, None) is not None:
            work()

    store_lists.make(sparse._file, sparse._horizon, lambda: True, step)
    assert next(left, None) is None, "it was read again each time"


def _check_ready(sparse):
    """Check that the list is complete, and the same as the set."""
    (own,) = lists_of(sparse)
    assert own.is_ready
    assert sparse.check() == ()
    listed = texts_of(sparse)
    with sparse._file.writing() as session:
        session.execute("update own_list set is_ready = 0")
    assert texts_of(sparse) == listed
    return listed


def test_what_was_superseded_and_erased_while_a_part_was_made_does_not_come_back(sparse, clocks, make_change):
    """A takedown does so: the part that was read before has the record, and must not get into the file."""
    texts_of(sparse)

    def take_down():
        publish(sparse, clocks, changes_of(make_change, [700], 99))
        assert sparse.erase_superseded() == 0

    with sparse.view() as view:
        former = view.record("oai:laro/700", "oai_dc").content
    _at_reads(sparse, take_down, times=1)
    with sparse._file.reading() as session:
        assert session.one("select count(*) from block where holes is not null") == (0,)
    assert former not in _check_ready(sparse)


@pytest.mark.parametrize("is_emptied", [False, True])
def test_a_list_that_is_dropped_or_emptied_while_a_part_is_made_gets_no_part_of_it(sparse, monkeypatch, is_emptied):
    texts_of(sparse)
    monkeypatch.setattr(store_lists, "_BLOCKS_AT_ONCE", 3)
    reads = iter(range(100))

    def step(name):
        if name == "own list read" and next(reads) == 1:
            with sparse._file.writing() as session:
                (own,) = own_lists(session)
                (store_lists.empty if is_emptied else store_lists.drop)(session, own)

    store_lists.make(sparse._file, sparse._horizon, lambda: True, step)
    if is_emptied:
        _check_ready(sparse)
    else:
        assert lists_of(sparse) == []
    assert sparse.check() == ()


@pytest.mark.parametrize("where", ["own list read", "own list grown", "growth committed"])
def test_a_list_that_is_killed_while_it_is_made_goes_on(sparse, monkeypatch, where):
    before = texts_of(sparse)
    monkeypatch.setattr(store_lists, "_BLOCKS_AT_ONCE", 3)

    def die(name):
        if name == where:
            raise Killed

    for _ in range(3):
        with pytest.raises(Killed):
            store_lists.make(sparse._file, sparse._horizon, lambda: True, die)
        assert texts_of(sparse) == before
    sparse.compact()
    assert texts_of(sparse) == before
    assert sparse.check() == ()


def test_a_record_that_joins_a_set_as_it_is_empties_the_list_until_it_is_made_again(sparse, clocks, make_change):
    """It has an old key, and blocks are never changed. A publication that changes no record does so."""
    texts_of(sparse)
    sparse.compact()
    before = texts_of(sparse)
    (change,) = changes_of(make_change, [1], 3)
    clocks.pass_seconds(1)
    sparse.publish(sparse.intend(), Publication("laro", (change._replace(sets=(RARE,)),)))
    (emptied,) = lists_of(sparse)
    assert not emptied.is_ready
    assert sparse.check() == ()
    listed = texts_of(sparse)
    assert set(listed) - set(before) == {change.records[0].content}
    assert sparse.compact().blocks > 0
    assert lists_of(sparse)[0].is_ready
    assert texts_of(sparse) == listed
    assert sparse.check() == ()


def test_nobody_wants_a_list_of_its_own_for_pages_with_departed_records(sparse, clocks, make_change):
    """It lacks them, so it would be made, and kept up, and never read."""
    publish(sparse, clocks, changes_of(make_change, [750], 30, rare=10**6))
    sparse._show_departed = True
    listed = texts_of(sparse, limit=500)
    assert len(listed) == 30
    assert b'status="deleted"' in listed[-1]
    assert lists_of(sparse) == []


@pytest.mark.parametrize("damage", ["records = x'ff'", "crc = crc + 1"])
def test_a_list_that_needs_a_damaged_block_is_dropped_and_stops_nothing(sparse, damage):
    """Which block is the last one depends on how far the compactions came in their time, so all are damaged."""
    texts_of(sparse)
    with sparse._file.writing() as session:
        session.execute(f"update body set {damage}")
    assert sparse.compact().is_complete
    assert lists_of(sparse) == []


def test_pages_without_departed_records_come_from_the_own_list_while_these_are_shown(sparse, clocks, make_change):
    """They are the same as those from the blocks of all records, wherever a page begins and ends."""
    texts_of(sparse)
    sparse.compact()
    (own,) = lists_of(sparse)
    sparse._show_departed = True
    with sparse.view() as view:
        assert len(view.parts(LIST, None, 500, only_headers=False, is_exact=False).parts) == 1
        assert view.wanted == {(own.collection, own.prefix)}
    publish(sparse, clocks, changes_of(make_change, [750], 30, rare=10**6))
    with sparse.view() as view:
        first = view.parts(LIST, None, 10, only_headers=False, is_exact=True)
        assert view.wanted == {(own.collection, own.prefix)}, "no departed record is on this page"
    with sparse.view() as view:
        assert len(view.parts(LIST, first.next, 500, only_headers=False, is_exact=False).parts) > 1
        assert view.wanted == set()
