"""Deletions beyond the share wait for a person; the rest of the run goes on, and says so until somebody decides."""

import json
import sqlite3
from contextlib import closing

import pytest

from gateway.core.model import Selection
from gateway.ops.recovery import make_again
from tests.opening import open_inbox, open_store

pytestmark = pytest.mark.slow  # it asks servers

NEWER, NEWEST = "2025-01-01T00:00:00Z", "2025-02-02T00:00:00Z"


@pytest.fixture
def run(instance, repository, command):
    """Return a function that runs the source, and returns the exit status and the run as data."""
    repository.fill(60)
    repository.now = "2024-06-01T00:00:00Z"
    (instance / "sources.toml").write_text(f'[fake]\nurl = "{repository.url}"\noverlap_seconds = 0\n')

    def run(*options):
        status, out, _ = command("run", "fake", "--json", *options)
        return status, json.loads(out)

    assert run()[0] == 0
    return run


def _delete(repository, numbers, at=NEWER):
    for number in numbers:
        item = repository.items[f"oai:fake:{number:05}"]
        item.deleted, item.datestamp = True, at
    repository.now = at.replace("00:00:00", "01:00:00")


def living(instance):
    store = open_store(instance)
    with store.view() as view:
        records = [record.decode() for record in view.page(Selection("oai_dc"), None, 10_000).records]
    store.close()
    return {
        record.partition("<identifier>")[2].partition("</identifier>")[0].partition("/")[2]
        for record in records
        if 'status="deleted"' not in record
    }


def waits(instance):
    """Return the identifiers of the records whose deletions wait."""
    store = open_store(instance)
    identifiers = {deletion.identifier for deletion in store.waiting("fake", ("", ""), 1000)}
    store.close()
    return identifiers


def assert_same_again(instance, tmp_path):
    """Make the store again from the inbox, and compare what lives and what waits."""
    before, store, inbox = living(instance), open_store(tmp_path, create=True), open_inbox(instance)
    make_again(store, inbox, "gateway.example.org")
    store.close()
    inbox.close()
    assert (living(tmp_path), waits(tmp_path)) == (before, waits(instance))


def test_of_a_source_that_deletes_everything_most_deletions_wait(run, repository, instance, tmp_path):
    _delete(repository, range(60))
    repository.fill(1, start=60, datestamp=NEWER)
    status, ran = run()
    assert (status, ran["outcome"], ran["is_complete"]) == (3, "succeeded_with_errors", False)
    assert {name: ran["counts"][name] for name in ("received", "published", "held_back", "waiting")} == {
        "received": 61, "published": 7, "held_back": 54, "waiting": 54,
    }  # fmt: skip
    assert any("`harvester run fake --yes` deletes them" in reason for reason in ran["reasons"])
    assert len(living(instance)) == 55
    assert_same_again(instance, tmp_path)


@pytest.mark.parametrize(("deleted", "passed"), [(6, 6), (7, 6)])
def test_the_share_of_what_was_held_passes(run, repository, instance, deleted, passed):
    _delete(repository, range(deleted))
    assert run()[0] == (0 if deleted == passed else 3)
    assert len(living(instance)) == 60 - passed


def test_five_deletions_always_pass(run, repository, instance, command):
    (instance / "config.toml").write_text("publish_processes = 0\nsweep_most_share = 0\n")
    _delete(repository, range(5))
    assert run()[0] == 0
    assert len(living(instance)) == 55


def test_what_waits_is_deleted_when_a_person_says_so(run, repository, instance, tmp_path):
    _delete(repository, range(60))
    run()
    status, ran = run("--yes")
    assert (status, ran["is_complete"], ran["counts"].get("waiting")) == (0, True, None)
    assert (living(instance), len(waits(instance))) == (set(), 0)
    assert_same_again(instance, tmp_path)


def test_what_waits_is_deleted_though_the_source_does_not_answer(run, repository, instance):
    _delete(repository, range(60))
    run()
    repository.statuses["Identify"] = (503, b"", {})
    status, _ = run("--yes")
    assert status == 5
    assert (living(instance), len(waits(instance))) == (set(), 0)


def test_while_deletions_wait_further_ones_wait_too(run, repository, instance):
    _delete(repository, range(20))
    run()
    assert len(living(instance)) == 54
    _delete(repository, range(20, 24), NEWEST)
    status, ran = run()
    assert (status, ran["counts"]["held_back"], ran["counts"]["waiting"]) == (3, 4, 18)
    assert len(living(instance)) == 54


def test_a_run_that_brings_nothing_says_that_deletions_wait(run, repository, command):
    _delete(repository, range(20))
    run()
    status, ran = run()
    assert (status, ran["is_complete"], ran["counts"]["waiting"]) == (3, False, 14)
    _, out, _ = command("status", "--json")
    assert json.loads(out)["waiting"] == 14
    assert "14" in command("status")[1]


def test_a_record_that_lives_again_waits_no_more(run, repository, instance, tmp_path):
    _delete(repository, range(20))
    run()
    for number in range(20):
        item = repository.items[f"oai:fake:{number:05}"]
        item.deleted, item.datestamp = False, NEWEST
    repository.now = "2025-03-03T00:00:00Z"
    status, ran = run()
    assert (status, ran["is_complete"], len(waits(instance))) == (0, True, 0)
    assert len(living(instance)) == 60
    assert_same_again(instance, tmp_path)


def test_a_harvest_that_was_stopped_goes_on_with_the_same_share(run, repository, instance):
    repository.page_size = 10
    _delete(repository, range(60))
    for _ in range(7):
        run("--max-records", "10")
    assert len(living(instance)) == 54


def test_what_is_scheduled_never_says_yes(run, repository, instance, command):
    (instance / "sources.toml").write_text(f'[fake]\nurl = "{repository.url}"\noverlap_seconds = 0\nevery = "1s"\n')
    _delete(repository, range(60))
    with closing(sqlite3.connect(instance / "inbox.sqlite")) as connection, connection:
        connection.execute("update run set started_at = started_at - 10, ended_at = ended_at - 10")  # so it is due
    assert command("tend", "--json")[0] == 3
    assert len(living(instance)) == 54


def test_a_rehearsal_says_how_many_would_wait(run, repository, instance, command):
    _delete(repository, range(60))
    status, out, err = command("run", "fake", "--dry-run", "--json")
    assert (status, json.loads(out)["counts"]["held_back"]) == (3, 54)
    assert "54" in err
    assert (len(living(instance)), len(waits(instance))) == (60, 0)
    assert command("run", "fake", "--dry-run", "--yes")[0] == 0


def test_a_sweep_deletes_nothing_by_itself_while_deletions_wait(run, repository, instance, command):
    """Two that wait are fewer than a sweep may delete at once, and are deleted by a person nevertheless."""
    _delete(repository, range(8))
    run()
    status, out, err = command("source", "sweep", "fake", "--json")
    swept = json.loads(out)
    assert (status, swept["is_complete"], swept["counts"]["waiting"]) == (3, False, 2)
    assert "2 waiting" in err
    assert "`harvester run fake --yes` deletes them" in err
    assert (len(living(instance)), len(waits(instance))) == (54, 2)
    assert command("source", "sweep", "fake", "--yes")[0] == 0
    assert (len(living(instance)), waits(instance)) == (52, set())
