"""Sparse sets that are harvested get blocks of their own; their lists are the same with and without these."""

from __future__ import annotations

from random import Random

import pytest

from gateway.model import Publication, Selection
from gateway.pieces import identity
from gateway.store import sqlite_own_lists
from gateway.store.sqlite_own_lists import own_lists

pytestmark = pytest.mark.slow  # each test publishes some thousand records

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


@pytest.fixture
def sparse(store, clocks, make_change):
    """Return a store whose rare set has one record of each fifty."""
    for first in range(0, 1500, 500):
        publish(store, clocks, [*changes_of(make_change, range(first, first + 500))][::-1])
    publish(store, clocks, changes_of(make_change, range(0, 1500, 50), 2))
    for number in range(0, 1500, 50):  # spread: each in a block with others
        publish(store, clocks, changes_of(make_change, range(number, number + 20), 3))
    clocks.pass_seconds(100)
    store.compact()
    return store


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


def test_a_list_of_its_own_follows_every_publication(sparse, clocks, make_change):
    texts_of(sparse)
    sparse.compact()
    dice = Random(7)
    for version in range(4, 16):
        numbers = sorted(dice.sample(range(1600), 90))
        publish(sparse, clocks, changes_of(make_change, numbers, version, rare=dice.choice((7, 50))))
        with sparse._file.reading() as session:
            (own,) = own_lists(session)
        listed = texts_of(sparse)
        with sparse._file.writing() as session:
            session.execute("update own_list set is_ready = 0")
        assert texts_of(sparse) == listed
        with sparse._file.writing() as session:
            session.execute("update own_list set is_ready = 1")
        assert own.is_ready
        assert sparse.check() == ()
    clocks.pass_seconds(100)
    sparse.compact()
    assert sparse.check() == ()
    assert texts_of(sparse) == listed


def test_tokens_go_on_when_a_list_comes_and_goes(sparse):
    whole = texts_of(sparse)
    with sparse.view() as view:
        page = view.parts(LIST, None, 10, only_headers=False, is_exact=True)
    sparse.compact()
    assert identity(page.parts).splitlines() + texts_of(sparse, after=page.next) == whole
    with sparse._file.writing() as session:
        sqlite_own_lists.drop(session, own_lists(session)[0])
    assert identity(page.parts).splitlines() + texts_of(sparse, after=page.next) == whole


def test_a_list_that_nobody_asks_for_is_dropped(sparse):
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


def test_a_list_that_nobody_has_asked_for_again_is_dropped_before_it_is_made(sparse):
    texts_of(sparse)
    with sparse._file.writing() as session:
        session.execute("update own_list set wanted_on = 1")
    sparse.compact()
    assert lists_of(sparse) == []


def test_a_list_of_its_own_that_lacks_a_record_is_reported(sparse):
    texts_of(sparse)
    sparse.compact()
    assert sparse.check() == ()
    with sparse._file.writing() as session:
        session.execute("update block set holes = x'01' where prefix < 0")
    assert f"records in the list of the set {RARE} in oai_dc, but the set has" in sparse.check()[0]


def test_what_is_published_while_a_list_is_made_is_in_it(sparse, clocks, make_change, monkeypatch):
    """The list is made in parts of three blocks, and something is published after each of them."""
    texts_of(sparse)
    monkeypatch.setattr(sqlite_own_lists, "_BLOCKS_AT_ONCE", 3)
    versions = iter(range(20, 200))

    def step(name):
        if name == "growth committed":
            publish(sparse, clocks, changes_of(make_change, range(0, 1600, 25), next(versions)))

    sqlite_own_lists.make(sparse._file, sparse._horizon(), lambda: True, step)
    (own,) = lists_of(sparse)
    assert own.is_ready
    assert sparse.check() == ()
    listed = texts_of(sparse)
    with sparse._file.writing() as session:
        session.execute("update own_list set is_ready = 0")
    assert texts_of(sparse) == listed


@pytest.mark.parametrize("where", ["own list grown", "growth committed"])
def test_a_list_that_is_killed_while_it_is_made_goes_on(sparse, monkeypatch, where):
    before = texts_of(sparse)
    monkeypatch.setattr(sqlite_own_lists, "_BLOCKS_AT_ONCE", 3)

    def die(name):
        if name == where:
            raise Killed

    for _ in range(3):
        with pytest.raises(Killed):
            sqlite_own_lists.make(sparse._file, sparse._horizon(), lambda: True, die)
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


def test_a_list_that_could_not_be_noted_is_noted_by_the_next_page(sparse):
    with sparse._file.writing():
        texts_of(sparse, limit=500)
        assert lists_of(sparse) == []
    texts_of(sparse, limit=500)
    assert len(lists_of(sparse)) == 1


def test_nobody_wants_a_list_of_its_own_while_departed_records_are_shown(sparse):
    """It lacks them, so it would be made, and kept up, and never read."""
    sparse._show_departed = True
    assert len(texts_of(sparse, limit=500)) == 30
    assert lists_of(sparse) == []


@pytest.mark.parametrize("damage", ["records = x'ff'", "crc = crc + 1", "items = x'ff'", "records = 7"])
def test_a_list_that_needs_a_damaged_block_is_dropped_and_stops_nothing(sparse, damage):
    texts_of(sparse)
    with sparse._file.writing() as session:
        session.execute(f"update body set {damage} where id = (select max(body) from block)")
    assert sparse.compact().is_complete
    assert lists_of(sparse) == []
