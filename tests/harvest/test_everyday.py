"""What a harvester does every day, seen by its user: a short proof of each promise that slow tests prove at length."""

import json

import pytest

from harvester.harvest.instance import opened


@pytest.fixture
def added(command, repository):
    """Add and harvest a source of thirty records."""
    repository.fill(30)
    repository.now = "2024-05-05T12:00:00Z"
    assert command("source", "add", "fake", repository.url, "--overlap", "0", "--delay", "0")[0] == 0
    assert _run(command)["counts"]["published"] == 30
    return repository


def _run(command, *options, status=0):
    code, out, words = command("run", "fake", "--json", *options)
    assert code == status, words
    return json.loads(out)


def _held(command):
    return json.loads(command("source", "show", "fake", "--json")[1])["held"]


def test_what_a_source_lists_no_more_is_deleted_and_what_was_never_held_is_fetched_by_a_sweep(command, added):
    del added.items["oai:fake:00003"]
    added.fill(1, start=30)
    status, out, words = command("source", "sweep", "fake", "--json")
    counts = json.loads(out)["counts"]
    assert (status, counts["deleted"], counts["fetched"]) == (0, 1, 1), words
    assert (_held(command)["items"], _held(command)["deleted"]) == (31, 1)


def test_many_deletions_wait_for_a_person(command, added):
    for item in added.items.values():
        item.deleted, item.datestamp = True, "2025-01-01T00:00:00Z"
    added.now = "2025-01-01T01:00:00Z"
    assert _run(command, status=3)["counts"]["waiting"] == 25
    assert _run(command, "--yes")["is_complete"]
    assert _held(command)["deleted"] == 30


def test_another_repository_is_not_published_as_the_one_that_it_was(command, added):
    added.domain = "one.example.org"
    _run(command)
    added.domain = "other.example.org"
    assert command("run", "fake")[0] == 4
    assert command("source", "accept-identity", "fake")[0] == 0
    _run(command)


def test_a_first_harvest_in_windows_is_whole(command, repository, instance):
    repository.fill(3, datestamp="2024-02-01T00:00:00Z")
    repository.fill(3, start=3, datestamp="2024-08-01T00:00:00Z")
    repository.now = "2024-09-15T12:00:00Z"
    assert command("source", "add", "fake", repository.url, "--slice", "year", "--delay", "0")[0] == 0
    ran = _run(command)
    assert (ran["counts"]["published"], ran["is_complete"]) == (6, True)
    assert ran["counts"]["windows_done"] > 1
    assert set(json.loads(command("status", "--json")[1])["windows"]) == {"done"}
    assert command("source", "remove", "fake", "--yes")[0] == 0
    with opened(str(instance)) as house:
        assert house.inbox.windows("fake") == (), "what is added again is harvested anew"


def test_a_record_that_could_not_be_fetched_is_missing_until_it_comes(command, added):
    added.items["oai:fake:00030"] = added.items["oai:fake:00029"].__class__("oai:fake:00030", "New")
    added.statuses["GetRecord"] = (404, b"", {})
    assert command("source", "sweep", "fake")[0] != 0
    del added.statuses["GetRecord"]
    assert command("run", "fake", "--retry-failed")[0] == 0
    assert _held(command)["items"] == 31
