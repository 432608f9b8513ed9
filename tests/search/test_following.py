"""The index follows the store, whatever happens: kills, lost and damaged files, other stores, several writers."""

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from gateway.core.errors import SearchUnavailable
from gateway.core.model import Publication
from gateway.search import following, sqlite_index
from gateway.search.following import NAME, IndexKeeper
from gateway.search.indexing import describe
from gateway.search.sqlite_reader import open_search
from tests.clocks import Clocks
from tests.opening import open_store
from tests.rows import each_row
from tests.search.harness import Harness, change_of, make_store

SUBJECT = "oai:gateway.example.org:laro/"


def identifiers(harness: Harness) -> set[str]:
    return {*harness.names("", limit=1000)}


# --- items that come, change and go -------------------------------------------------------------------------------


def test_deleted_and_withheld_items_are_not_found(harness: Harness) -> None:
    harness.add(change_of("1", title="Reef"), change_of("2", title="Reef"), change_of("3", title="Reef"))
    harness.add(change_of("1", is_deleted=True), change_of("2", is_deleted=True, is_withheld=True))
    assert harness.names("reef") == ["3"]
    assert harness.search("reef").facets["source"] == (("laro", 1),)
    assert harness.names(f"{SUBJECT}1") == []


def test_changed_item_has_its_new_words_only(harness: Harness) -> None:
    harness.add(change_of("1", title="Reef", date="2001"))
    harness.add(change_of("1", title="Coral", date="2002", specs=("source:laro:b",)))
    assert harness.names("reef") == []
    assert harness.names("coral", year_from=2002, sets=("source:laro:b",)) == ["1"]
    assert harness.names("coral", year_until=2001) == []


def test_item_whose_words_are_the_same_is_not_written_again(harness: Harness) -> None:
    harness.add(change_of("1", title="Reef", description="a"))
    harness.add(change_of("1", title="Reef", description="b"))
    assert open_search(harness.folder).state().stale == 0
    harness.add(change_of("1", title="Coral"))
    assert open_search(harness.folder).state().stale == 1


def test_removal_does_not_wait_for_the_log(harness: Harness) -> None:
    harness.add(change_of("1", title="Reef"), change_of("2", title="Reef"))
    harness.keeper.remove([f"{SUBJECT}1", f"{SUBJECT}9"])
    assert harness.names("reef") == ["2"]
    harness.publish(change_of("1", title="Reef again"))
    harness.follow()
    assert {*harness.names("reef")} == {"1", "2"}


def test_long_log_is_followed_step_by_step(harness: Harness) -> None:
    keeper = IndexKeeper(harness.folder, describe, lines=10)
    for begin in range(0, 40, 20):
        harness.publish(*(change_of(str(n), title="Reef") for n in range(begin, begin + 20)))
    harness.publish(*(change_of(str(n), is_deleted=True) for n in range(5)))
    steps = 1
    while not keeper.advance(harness.store):
        steps += 1
        assert not (harness.folder / NAME).exists()  # nobody gets a part of it
        with pytest.raises(SearchUnavailable, match="is being made"):
            harness.search()
    assert steps > 5
    assert identifiers(harness) == {str(n) for n in range(5, 40)}


# --- kills --------------------------------------------------------------------------------------------------------


class _Killed(BaseException):
    """What a test raises where it kills the writer."""


def _killed_at(harness: Harness, number: int) -> bool:
    """Follow the store until the step of this number, and stop there; return whether that many steps were taken."""
    left = number

    def step(_name: str) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise _Killed

    try:
        harness.follow(IndexKeeper(harness.folder, describe, lines=4, step=step))
    except _Killed:
        return True
    return False


def _steps_of_a_life(harness: Harness) -> list[Callable[[], None]]:
    return [
        lambda: harness.publish(*(change_of(str(n), title="Reef") for n in range(5))),
        lambda: harness.publish(change_of("1", is_deleted=True), change_of("7", title="Reef")),
        lambda: (harness.folder / NAME).unlink(missing_ok=True),
        lambda: harness.publish(change_of("1", title="Reef"), change_of("2", is_deleted=True)),
    ]


def test_kill_between_any_two_steps_loses_nothing(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "_FEWEST_STALE", 2)  # so that it is also made anew because it is worn
    for act in _steps_of_a_life(harness):
        act()
        number = 0
        while _killed_at(harness, number):
            number += 1
        assert number >= 3
        with harness.store.view() as view:
            names = {line.identifier for line in view.changes(0, 1000)}
            living = {name for name in names if not view.record(name, "oai_dc").is_deleted}
        assert {*harness.search("reef", limit=100).identifiers} == living
        assert open_search(harness.folder).state().position == _last(harness)
    assert not (harness.folder / f"{NAME}.new").exists()


def _last(harness: Harness) -> int:
    with harness.store.view() as view:
        return view.last_change()


# --- files that are useless ---------------------------------------------------------------------------------------


def _search_says(harness: Harness, words: str) -> None:
    with pytest.raises(SearchUnavailable, match=words):
        harness.search("reef")
    with pytest.raises(SearchUnavailable, match=words):
        open_search(harness.folder).state()


def _executed(*statements: str) -> Callable[[Path], None]:
    """Return what executes statements on an index."""

    def execute(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.executescript("; ".join(("pragma ignore_check_constraints = on", *statements)))

    return execute


def _replaced_by_another(path: Path) -> None:
    path.unlink()
    _executed(f"pragma user_version = {sqlite_index.VERSION}", "create table x (y)")(path)


@each_row(
    "damage, words",
    [
        (lambda path: path.write_bytes(b""), "damaged|another release|cannot be read"),
        (lambda path: path.write_bytes(b"no database at all"), "damaged|another release|cannot be read"),
        (lambda path: path.write_bytes(b"SQLite format 3\0" + b"x" * 5000), "damaged|another release|cannot be read"),
        (Path.unlink, "missing"),
        (_executed("pragma user_version = 99"), "another release"),
        (_replaced_by_another, "cannot be read"),
        (_executed("delete from state"), "damaged"),
        (_executed("update state set mark = 5"), None),
        (_executed("update state set reached = 'x'"), None),
    ],
)
def test_file_that_is_no_index_of_ours_says_so_and_is_made_anew(harness: Harness, damage, words: str | None) -> None:
    harness.add(change_of("1", title="Reef"))
    damage(harness.folder / NAME)
    if words is not None:
        _search_says(harness, words)
    harness.follow()
    assert harness.names("reef") == ["1"]
    assert harness.search().reached > 0


@pytest.mark.slow
def test_damage_at_any_place_is_survived(harness: Harness) -> None:
    """Bytes anywhere in the file are overwritten: a search answers or is unavailable, and the writer repairs it."""
    random = Random(16)
    harness.add(*(change_of(str(n), title=f"Reef {n}", creator=f"Name {n}") for n in range(60)))
    whole = (harness.folder / NAME).read_bytes()
    outcomes = set()
    for _ in range(60):
        damaged = bytearray(whole)
        begin = random.randrange(len(damaged))
        damaged[begin : begin + 400] = random.randbytes(len(damaged[begin : begin + 400]))
        (harness.folder / NAME).write_bytes(damaged)
        try:
            outcomes.add(harness.search("reef name", limit=50).total > 0)
        except SearchUnavailable:
            outcomes.add(None)
        harness.publish(change_of("1", title=f"Reef {begin}"))
        harness.follow()
        (harness.folder / NAME).unlink(missing_ok=True)
        (harness.folder / NAME).write_bytes(whole)
    assert True in outcomes


def test_index_of_another_store_is_made_anew(harness: Harness, tmp_path_factory: pytest.TempPathFactory) -> None:
    harness.add(change_of("1", title="Reef"))
    other = tmp_path_factory.mktemp("other")
    make_store(other, Clocks())
    clocks = Clocks()
    with closing(open_store(other, clock=clocks.host())) as store:
        another = Harness(other, clocks, store)
        another.add(change_of("2", title="Coral"), change_of("3", title="Coral"))
        (other / NAME).replace(harness.folder / NAME)
    harness.follow()
    assert identifiers(harness) == {"1"}


def test_index_that_is_ahead_of_a_restored_store_is_made_anew(harness: Harness) -> None:
    harness.add(change_of("1", title="Reef"))
    with (
        closing(sqlite3.connect(harness.folder / "store.sqlite")) as connection,
        closing(sqlite3.connect(harness.folder / "copy")) as copy,
    ):
        connection.backup(copy)
    harness.add(change_of("2", title="Reef"))
    harness.store.close()
    for tail in ("-wal", "-shm"):
        (harness.folder / f"store.sqlite{tail}").unlink(missing_ok=True)
    (harness.folder / "copy").replace(harness.folder / "store.sqlite")
    with closing(open_store(harness.folder, clock=harness.clocks.host())) as store:
        restored = Harness(harness.folder, harness.clocks, store)
        restored.add(change_of("3", title="Reef"))
        assert identifiers(restored) == {"1", "3"}


def test_worn_index_is_made_anew_while_the_old_one_answers(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "_FEWEST_STALE", 3)
    harness.add(change_of("1", title="Reef"), change_of("2", title="Reef"))
    for number in range(4):
        harness.add(change_of("1", title=f"Reef {number}"))
    harness.publish(change_of("2", title="Coral"))
    keeper = IndexKeeper(harness.folder, describe, lines=2)
    while not keeper.advance(harness.store):
        assert harness.search("reef").total >= 1
    assert open_search(harness.folder).state().stale < 3
    assert harness.names("coral") == ["2"]


# --- several processes --------------------------------------------------------------------------------------------


def test_several_writers_at_once_write_one_index(harness: Harness) -> None:
    def work(part: int) -> None:
        keeper = IndexKeeper(harness.folder, describe, lines=7)
        for number in range(8):
            harness.store.publish(
                harness.store.intend(),
                Publication("laro", (change_of(f"{part}-{number}", title="Reef"),)),
            )
            keeper.advance(harness.store)
            if number % 3 == 0:
                keeper.remove([f"{SUBJECT}{part}-{number}"])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    harness.follow()
    wanted = {f"{part}-{number}" for part in range(4) for number in range(8)}
    removed = {f"{part}-{number}" for part in range(4) for number in range(0, 8, 3)}
    assert wanted - removed <= identifiers(harness) <= wanted
    assert open_search(harness.folder).state().position == _last(harness)


def test_index_without_a_file_beside_it_is_read_as_it_is(harness: Harness) -> None:
    harness.add(change_of("1", title="Reef"))
    for tail in ("-wal", "-shm"):
        (harness.folder / f"{NAME}{tail}").unlink(missing_ok=True)
    # SQLite follows no link there, so that it can make no file.
    (harness.folder / f"{NAME}-shm").symlink_to("nowhere")
    assert harness.names("reef") == ["1"]


def test_index_that_another_process_holds_is_unavailable(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway.search.sqlite_reader._BUSY_SECONDS", 0.0)
    harness.add(change_of("1", title="Reef"))
    with closing(sqlite3.connect(harness.folder / NAME, isolation_level=None)) as other:
        other.execute("pragma locking_mode = exclusive").close()
        other.execute("begin exclusive").close()
        with pytest.raises(SearchUnavailable, match="locked"):
            harness.search("reef")
