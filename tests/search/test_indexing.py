"""Publication and the index: the index follows each publication, and never blocks or fails one."""

import logging
import sqlite3
from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from time import monotonic

import pytest

from gateway.core.children import Child, program
from gateway.core.errors import ConfigurationError, SearchUnavailable, StoreUnwritable
from gateway.core.model import Publication, Resource, Selection
from gateway.core.settings import Settings, load
from gateway.publish.descriptions import metadata_of
from gateway.search import indexing
from gateway.search.base import Query
from gateway.search.following import LINES, NAME, IndexKeeper
from gateway.search.indexing import Following, FollowingLater, describe, following, make
from gateway.search.sqlite_reader import open_search
from gateway.store.base import Store
from tests.clocks import Clocks
from tests.opening import open_store
from tests.search.harness import change_of, make_store
from tests.waiting import wait_for_horizon, wait_until


@pytest.fixture
def settings(tmp_path: Path, ready_made: Callable[..., None]) -> Settings:
    ready_made(tmp_path, lambda folder: make_store(folder, Clocks()))
    return load(tmp_path, options={"clock_max_jump_seconds": 0})


def _publish(store: Store, *changes) -> None:
    store.publish(store.intend(), Publication("laro", changes))


def _names(settings: Settings, text: str = "") -> list[str]:
    results = open_search(settings.instance).search(Query(text, limit=100))
    return sorted(identifier.partition("/")[2] for identifier in results.identifiers)


def _items(*names: str):
    return [change_of(name, title="Reef") for name in names]


def test_withdrawn_item_is_gone_at_once_although_the_index_is_behind(settings):
    with following(settings) as index:
        _publish(index.store, *_items("a", "b"))
    with following(settings, completes=False) as index:
        index._spent_seconds = 1e9  # there is no time for more
        _publish(index.store, *_items("c"))
        _publish(index.store, change_of("a", is_deleted=True))
        assert _names(settings) == ["b"]
    with following(settings):
        pass
    assert _names(settings) == ["b", "c"]


def test_publication_of_many_items_is_followed_when_that_keeps_the_share(settings):
    names = [f"{number:03}" for number in range(60)]
    with following(settings) as index:
        pass
    with following(settings) as index:
        index._begun_at = monotonic() + 3600
        _publish(index.store, *_items(*names[:-2]))
        assert _names(settings) == []
        index._begun_at = monotonic() - 3600
        _publish(index.store, *_items(names[-2]))
        assert _names(settings) == names[:-1]
        index._begun_at = monotonic() + 3600
        _publish(index.store, *_items(names[-1]))
        assert _names(settings) == names[:-1]
    assert _names(settings) == names


class _Failing(IndexKeeper):
    def advance(self, _store: Store) -> bool:
        raise RuntimeError("something unforeseen")

    def remove(self, _identifiers: Collection[str]) -> None:
        raise StoreUnwritable("the disk is full")


def test_index_that_fails_is_reported_and_fails_nothing(settings, caplog: pytest.LogCaptureFixture):
    index = Following(settings, _Failing(settings.instance, describe))
    index.store = None
    index.note(Publication("laro", tuple(_items("a"))))
    index.note(Publication("laro", tuple(_items("a"))))
    index.note(Publication("laro", (change_of("a", is_deleted=True),)))
    index.complete()
    assert [record.levelname for record in caplog.records] == ["ERROR"] * 3
    assert "something unforeseen" in caplog.text
    assert "the disk is full. Publication" in caplog.text
    assert "gateway index --anew" in caplog.text


def test_index_that_cannot_be_written_fails_no_publication(settings, caplog: pytest.LogCaptureFixture):
    (settings.instance / f"{NAME}.new").mkdir()  # nothing can be made there
    with following(settings) as index:
        _publish(index.store, *_items("a"))
        with index.store.view() as view:
            assert view.record("oai:gateway.example.org:laro/a", "oai_dc") is not None
    assert "was not written" in caplog.text
    assert ".." not in caplog.text


def test_index_is_not_completed_after_an_error(settings):
    def fails() -> None:
        with following(settings) as index:
            index._spent_seconds = 1e9
            _publish(index.store, *_items("a"))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fails()
    with pytest.raises(SearchUnavailable):
        _names(settings)


@pytest.mark.parametrize("seconds", [-1.0, 1_000.0])
def test_records_of_an_earlier_release_get_their_hashes_with_the_next_command(settings, caplog, monkeypatch, seconds):
    monkeypatch.setattr("gateway.search.indexing._PROGRESS_SECONDS", seconds)
    monkeypatch.setattr("gateway.search.indexing._FILLED", 2)
    caplog.set_level(logging.INFO)
    items = _items("a", "b", "c")  # without hashes
    with following(settings) as index:
        _publish(index.store, *items)
        index.store.remember("resources_lack_until", "3")
        index.complete(lambda: True)
        assert not any(resource.sha256 for resource in _resources(index.store))
    assert ("1 items are left" in caplog.text) == (seconds < 0)
    with following(settings, only_reads=True) as index:
        hashes = [resource.sha256 for resource in _resources(index.store)]
    assert hashes == [sha256(metadata_of(item.records[0].content)).digest() for item in items]


def _resources(store: Store) -> tuple[Resource, ...]:
    with store.view() as view:
        return view.resources(Selection("oai_dc"), 0, 9, 9)


def test_switched_off_there_is_no_file_and_no_work(settings):
    with following(settings) as index:
        _publish(index.store, *_items("a"))
    assert (settings.instance / NAME).exists()
    off = load(settings.instance, options={"clock_max_jump_seconds": 0, "browse_search": False})
    with following(off) as index:
        _publish(index.store, *_items("b"))
    assert not list(settings.instance.glob(f"{NAME}*"))
    with following(off):
        pass
    with pytest.raises(ConfigurationError, match="browse_search"):
        make(off, is_anew=False)


def test_index_is_made_by_the_command_with_progress(settings):
    names = [str(number) for number in range(LINES)]  # of each, two lines of the log
    with following(settings, completes=False) as index:
        index._spent_seconds = 1e9
        _publish(index.store, *_items(*names))
    calls = []
    state = make(settings, is_anew=False, progress=lambda done, total: calls.append((done, total)))
    assert state.items == len(names)
    assert calls == [(LINES, 2 * LINES), (2 * LINES, 2 * LINES)]
    assert make(settings, is_anew=True).items == len(names)


# --- the child process that writes the index while its parent publishes much ----------------------------------------


@pytest.fixture
def many(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Return the settings of an instance whose child process begins with the third item."""
    monkeypatch.setattr(indexing, "_MANY", 3)
    monkeypatch.setenv("GATEWAY_CLOCK_MAX_JUMP_SECONDS", "0")
    return settings


@pytest.mark.slow
def test_child_process_writes_the_index_while_its_parent_publishes(many):
    with following(many) as index:
        index._spent_seconds = 1e9  # this process has no time for the index
        _publish(index.store, *_items("a", "b"))
        assert index._child is None
        _publish(index.store, *_items("c"))
        wait_until(lambda: (many.instance / NAME).exists() and _names(many) == ["a", "b", "c"])
        _publish(index.store, *_items("d"))
    assert _names(many) == ["a", "b", "c", "d"]


@pytest.mark.slow
def test_index_is_complete_although_the_child_process_has_died(many):
    with following(many) as index:
        index._spent_seconds = 1e9
        _publish(index.store, *_items("a", "b", "c"))
        index._child.process.kill()
        index._child.process.wait()
        _publish(index.store, *_items("d"))
    assert _names(many) == ["a", "b", "c", "d"]


@pytest.mark.slow
def test_child_process_exits_when_its_parent_is_gone(many):
    child = Child(program("gateway.search.indexing", "follow", str(many.instance)))
    child.dismiss()
    wait_until(lambda: child.hear(0.1) is None)
    child.kill()


def test_child_process_that_cannot_be_started_is_reported_once(many, monkeypatch, caplog):
    def fail(_command: list[str]) -> None:
        raise OSError("no memory")

    monkeypatch.setattr(indexing, "Child", fail)
    with following(many) as index:
        _publish(index.store, *_items("a", "b", "c"))
        _publish(index.store, *_items("d"))
    assert caplog.text.count("no memory") == 1
    assert _names(many) == ["a", "b", "c", "d"]


# --- the index of a server ------------------------------------------------------------------------------------------


@pytest.fixture
def later(settings) -> Iterator[FollowingLater]:
    """Return the index of a server, and its open store."""
    index = FollowingLater(settings)
    index.store = open_store(settings.instance, max_jump_seconds=0, published=index.note)
    yield index
    index.wait()
    index.store.close()


def test_the_index_of_a_server_follows_its_publications(settings, later):
    _publish(later.store, *_items("a", "b"))
    later.wait()
    assert _names(settings) == ["a", "b"]
    _publish(later.store, change_of("a", is_deleted=True))
    _publish(later.store, *_items("c"))
    later.wait()
    assert _names(settings) == ["b", "c"]


def test_no_publication_of_a_server_waits_for_the_index(settings, later, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("gateway.search.indexing._PATIENCE_SECONDS", 240.0)
    with IndexKeeper(settings.instance, describe)._alone(0.0) as is_alone:
        assert is_alone
        for name in "abc":
            _publish(later.store, *_items(name))
        assert later._thread.is_alive(), "it still waits for the other process, and no publication did"
    later.wait()
    assert _names(settings) == ["a", "b", "c"], "it follows when the other process has ended"


def test_a_server_leaves_a_large_index_to_a_command(settings, later, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("gateway.search.indexing._MOST_LINES", 1)
    _publish(later.store, *_items("a", "b"))
    later.wait()
    with pytest.raises(SearchUnavailable):
        _names(settings)
    later.note(Publication("laro"))
    with following(settings):
        pass
    assert _names(settings) == ["a", "b"]


@pytest.mark.slow
def test_blocks_have_no_holes_when_the_store_is_closed(settings, monkeypatch):
    with following(settings, completes=False) as index:
        _publish(index.store, *_items(*(f"{number:03}" for number in range(300))))
    wait_for_horizon(settings.instance)  # what is at the horizon is not touched
    with following(settings) as index:
        monkeypatch.setattr("gateway.store.store._COMPACTION_SECONDS", 0.0)
        _publish(index.store, *(change_of(f"{number:03}", title="Atoll") for number in range(0, 300, 10)))
        assert _holes(settings)
    assert not _holes(settings)


def _holes(settings: Settings) -> int:
    with closing(sqlite3.connect(settings.instance / "store.sqlite")) as connection:
        return connection.execute("select count(*) from block where holes is not null").fetchone()[0]
