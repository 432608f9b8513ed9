"""The child process that writes the search index while its parent publishes much."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

import pytest

from gateway import indexing
from gateway.index_process import IndexProcess
from gateway.indexing import following
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
def test_child_process_exits_when_its_parent_is_gone(settings):
    child = IndexProcess(settings.instance)
    child._process.stdin.close()
    ends = monotonic() + _PATIENCE_SECONDS
    while child.is_working(0.1):
        assert monotonic() < ends
    child.kill()


def test_child_process_that_cannot_be_started_is_reported_once(settings, monkeypatch, caplog):
    def fail(_folder: Path) -> None:
        raise OSError("no memory")

    monkeypatch.setattr(indexing, "IndexProcess", fail)
    with following(settings) as index:
        _publish(index.store, "a", "b", "c")
        _publish(index.store, "d")
    assert caplog.text.count("no memory") == 1
    assert _names(settings) == ["a", "b", "c", "d"]


# --- the child process itself -------------------------------------------------------------------------------------
