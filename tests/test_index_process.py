"""The child process that writes the search index while its parent publishes much."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest

from gateway import indexing
from gateway.errors import SearchUnavailable
from gateway.index_process import IndexProcess
from gateway.indexing import Following, follow, following
from gateway.model import Publication
from gateway.search.following import NAME
from gateway.search.opening import open_search
from gateway.search.query import Query
from gateway.settings import Settings, load
from gateway.store.base import Store
from tests.clocks import Clocks
from tests.search.desk import change_of, make_store

_PATIENCE_SECONDS = 240.0  # a busy machine is no defect


@pytest.fixture
def settings(tmp_path: Path, ready_made: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Return the settings of an instance whose child process begins with the third item."""
    ready_made(tmp_path, lambda folder: make_store(folder, Clocks()))
    monkeypatch.setattr(indexing, "_MANY", 3)
    monkeypatch.setenv("GATEWAY_CLOCK_MAX_JUMP_SECONDS", "0")
    return load(tmp_path)


def _publish(store: Store, *names: str) -> None:
    store.publish(store.intend(), Publication("laro", tuple(change_of(name, title="Reef") for name in names)))


def _names(settings: Settings) -> list[str]:
    results = open_search(settings.instance).search(Query("", limit=100))
    return sorted(identifier.partition("/")[2] for identifier in results.identifiers)


def _await(settings: Settings, names: list[str]) -> None:
    ends = monotonic() + _PATIENCE_SECONDS
    while not (settings.instance / NAME).exists() or _names(settings) != names:
        assert monotonic() < ends, f"The child process has not written {names}."
        sleep(0.02)


@pytest.mark.slow
def test_child_process_writes_the_index_while_its_parent_publishes(settings):
    with following(settings) as index:
        index._spent_seconds = 1e9  # this process has no time for the index
        _publish(index.store, "a", "b")
        assert index._child is None
        _publish(index.store, "c")
        _await(settings, ["a", "b", "c"])
        _publish(index.store, "d")
        _await(settings, ["a", "b", "c", "d"])
        _publish(index.store, "e")
    assert _names(settings) == ["a", "b", "c", "d", "e"]


@pytest.mark.slow
def test_index_is_complete_although_the_child_process_has_died(settings):
    with following(settings) as index:
        index._spent_seconds = 1e9
        _publish(index.store, "a", "b", "c")
        index._child._process.kill()
        index._child._process.wait()
        _publish(index.store, "d")
    assert _names(settings) == ["a", "b", "c", "d"]


@pytest.mark.slow
def test_child_process_ends_with_an_error_of_its_parent(settings):
    children = []

    def fails() -> None:
        with following(settings) as index:
            _publish(index.store, "a", "b", "c")
            children.append(index._child)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fails()
    assert not children[0].is_working(0.0)


@pytest.mark.slow
def test_child_process_is_not_awaited_after_a_request_to_stop(settings):
    index = Following(settings, has_child=True)
    index.expect(3)
    child = index._child
    index.store = None
    index.complete(lambda: True)
    assert not child.is_working(0.0)
    assert not (settings.instance / NAME).exists()


@pytest.mark.slow
def test_child_process_exits_when_its_parent_is_gone(settings):
    child = IndexProcess(settings.instance)
    child._process.stdin.close()
    ends = monotonic() + _PATIENCE_SECONDS
    while child.is_working(0.1):
        assert monotonic() < ends
    child.kill()


class _Working:
    """A child process that needs so many looks of its parent until it has written everything."""

    def __init__(self, looks: int) -> None:
        self.deeds: list[str] = []
        self._looks = looks

    def finish(self) -> None:
        self.deeds.append("asked to finish")

    def is_working(self, _seconds: float) -> bool:
        self.deeds.append("looked at")
        self._looks -= 1
        return self._looks > 0

    def kill(self) -> None:
        self.deeds.append("ended")


def test_the_progress_is_reported_while_the_parent_waits_for_the_child_process(settings, monkeypatch, caplog):
    monkeypatch.setattr(indexing, "_PROGRESS_SECONDS", -1.0)
    child = _Working(3)
    with caplog.at_level("INFO", "gateway.search"), following(settings) as index:
        _publish(index.store, "a")
        index._child = child  # type: ignore[assignment]  # it has the same methods
    assert child.deeds == ["asked to finish", *3 * ["looked at"], "ended"]
    assert caplog.text.count("The search index is being written: 2 of 2 changes.") >= 2


def test_child_process_that_cannot_be_started_is_reported_once(settings, monkeypatch, caplog):
    def fail(_folder: Path) -> None:
        raise OSError("no memory")

    monkeypatch.setattr(indexing, "IndexProcess", fail)
    with following(settings) as index:
        _publish(index.store, "a", "b", "c")
        _publish(index.store, "d")
    assert caplog.text.count("no memory") == 1
    assert _names(settings) == ["a", "b", "c", "d"]


@pytest.mark.parametrize(("completes", "browse_search"), [(False, "true"), (True, "false")])
def test_no_child_process_for_a_child_or_without_an_index(settings, monkeypatch, completes, browse_search):
    monkeypatch.setenv("GATEWAY_BROWSE_SEARCH", browse_search)
    with following(load(settings.instance), completes=completes) as index:
        _publish(index.store, "a", "b", "c")
        assert index._child is None


# --- the child process itself -------------------------------------------------------------------------------------


@pytest.fixture
def order(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[bytes], None]]:
    """Return a function that writes to the standard input of the child process, and closes it."""
    read, write = os.pipe()

    def say(words: bytes) -> None:
        os.write(write, words)
        os.close(write)

    monkeypatch.setattr(indexing, "leave_with_parent", lambda: None)
    with os.fdopen(read) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        yield say


@pytest.fixture
def published(settings: Settings) -> Settings:
    """Return the settings of an instance whose index is two steps behind."""
    with following(settings, completes=False) as index:
        index._spent_seconds = 1e9
        _publish(index.store, "a", "b")
    return settings


def test_after_the_last_order_everything_is_written(published, order, monkeypatch):
    monkeypatch.setattr(indexing, "_CHILD_LINES", 2)
    order(b"end\n")
    assert follow(str(published.instance)) == 0
    assert _names(published) == ["a", "b"]


def test_without_the_last_order_one_step_is_written(published, order, monkeypatch):
    monkeypatch.setattr(indexing, "_CHILD_LINES", 2)
    order(b"")
    assert follow(str(published.instance)) == 0
    with pytest.raises(SearchUnavailable):
        _names(published)


def test_error_of_the_child_process_is_its_status(tmp_path, order):
    order(b"end\n")
    assert follow(str(tmp_path / "nothing")) == 1
