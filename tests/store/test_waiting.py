"""Whoever waits for another writer says so, and waits no longer than is sensible."""

import os
import sqlite3
from contextlib import closing

import pytest

from gateway.core import waiting
from gateway.core.waiting import Waiting, holder, leave_with_parent
from gateway.store import store as sqlite
from gateway.store.store import Store


@pytest.fixture(autouse=True)
def _without_parent(monkeypatch):
    monkeypatch.setattr(waiting, "_parents", [])


def test_a_wait_ends_with_its_time_and_is_reported_once(tmp_path, caplog):
    now = [100.0]
    wait = Waiting(tmp_path / "store.sqlite", 20, lambda: now[0])
    answers = []
    for second in range(22):
        now[0] = 100.0 + second
        answers.append((wait.goes_on(), round(wait.slice_seconds, 1), len(caplog.records)))
    assert [answer for answer in answers if answer[0]] == answers[:20]
    assert answers[4] == (True, 1.0, 0)
    assert answers[5] == (True, 1.0, 1)
    assert answers[20] == (False, 0.0, 1)
    assert "is being written by another process. Waiting until it has finished." in caplog.text


def test_a_process_waits_no_longer_than_the_one_that_started_it_lives(tmp_path, monkeypatch):
    leave_with_parent()
    wait = Waiting(tmp_path / "store.sqlite", 20)
    assert wait.goes_on()
    monkeypatch.setattr(os, "getppid", lambda: 1_000_000)
    assert not wait.goes_on()


def test_who_writes_is_named(tmp_path, caplog, monkeypatch):
    """Another process of this machine, found by its lock, and told as stopped when it is."""
    shared_memory = (tmp_path / "store.sqlite-shm").open("w")
    place = os.fstat(shared_memory.fileno())
    where = f"{os.major(place.st_dev):02x}:{os.minor(place.st_dev):02x}:{place.st_ino}"
    (tmp_path / "locks").write_text(f"1: POSIX  ADVISORY  WRITE {os.getpid()} {where} 120 120\n")
    shared_memory.close()
    monkeypatch.setattr(waiting, "holder", lambda path: holder(path, tmp_path / "locks"))
    wait = Waiting(tmp_path / "store.sqlite", 20, iter([0.0, 6.0, 6.0]).__next__)
    assert wait.goes_on()
    assert f"is being written by process {os.getpid()}. Waiting" in caplog.text


def test_an_intent_that_is_abandoned_while_another_process_writes_expires(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite, "_ABANDON_SECONDS", 0.05)
    with closing(Store(tmp_path / "store.sqlite", create=True)) as store:
        intent = store.intend()
        with closing(sqlite3.connect(tmp_path / "store.sqlite", isolation_level=None)) as other:
            other.execute("begin immediate")
            store.abandon(intent)
            other.execute("rollback")
        store.abandon(intent)  # raises nothing, once and once more
        assert store.check() == ()
