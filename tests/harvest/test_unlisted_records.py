"""Stored records that a full harvest does not list: if they are many, the run says so, and asks nothing more for it."""

import json

import pytest

from harvester.runtime.exit_status import Status

pytestmark = pytest.mark.slow  # it asks servers

NEWER = "2025-01-01T00:00:00Z"


@pytest.fixture
def write(instance, repository):
    """Return a function that writes the entry of the source."""

    def write(text=""):
        entry = f'[fake]\nurl = "{repository.url}"\noverlap_seconds = 0\n{text}'
        (instance / "sources.toml").write_text(entry)

    return write


@pytest.fixture
def run(repository, command, write):
    """Return a function that runs the source, and returns the exit status and the run as data. It has 60 records."""
    repository.fill(60)
    for number, item in enumerate(repository.items.values()):
        item.sets = ("a",) if number % 2 else ("b",)
    repository.sets = (("a", "A"), ("b", "B"))
    repository.now = "2024-06-01T00:00:00Z"
    write()

    def run(*options):
        status, out, _ = command("run", "fake", "--json", *options)
        return status, json.loads(out)

    return run


def _remove(repository, count):
    for name in list(repository.items)[:count]:
        del repository.items[name]


def _sentence(unlisted, stored, prefix="oai_dc"):
    return (
        f"{prefix}: {unlisted} of {stored} stored records were not listed in this full harvest, and stay as they are. "
        "If the source has deleted them, `harvester source sweep fake` deletes them."
    )


def test_full_harvest_of_a_source_that_lists_nothing_is_not_complete(run, repository, command):
    assert run()[0] == 0
    _remove(repository, 60)
    status, ran = run("--full")
    assert (status, ran["is_complete"], ran["counts"]["unlisted"]) == (Status.WITH_ERRORS, False, 60)
    assert ran["reasons"] == [_sentence(60, 60)]
    _, out, _ = command("log", str(ran["run"]))
    assert "It is not shown that the stored records still exist." in out


@pytest.mark.parametrize(("count", "status"), [(6, 0), (7, Status.WITH_ERRORS)])
def test_share_of_records_that_may_be_unlisted_is_that_of_deletions(run, repository, count, status):
    """The share is a tenth."""
    assert run()[0] == 0
    _remove(repository, count)
    assert run("--full")[0] == status


def test_records_that_a_source_lists_as_deleted_are_listed(run, repository):
    """A repository that has emptied, and keeps its deletions (OAI-PMH 2.0 §2.5.1: persistent)."""
    assert run()[0] == 0
    for item in repository.items.values():
        item.deleted, item.datestamp = True, NEWER
    repository.now = "2025-01-02T00:00:00Z"
    status, ran = run("--full")
    assert (status, ran["counts"]["waiting"]) == (Status.WITH_ERRORS, 54)  # beyond the share, they wait for a person
    assert "unlisted" not in ran["counts"]
    assert run("--full", "--yes")[0] == 0
    assert run("--full")[0] == 0


def test_later_incremental_harvest_does_not_report_it_again(run, repository):
    assert run()[0] == 0
    _remove(repository, 60)
    assert run("--full")[0] == Status.WITH_ERRORS
    assert run()[0] == 0


@pytest.mark.parametrize("options", [("--from", "2024-01-01"), ("--set", "a")])
def test_harvest_of_a_part_counts_nothing(run, repository, options):
    assert run()[0] == 0
    _remove(repository, 60)
    run("--full", *options)
    status, ran = run()
    assert (status, ran["reasons"]) == (0, [])


@pytest.mark.parametrize("count", [0, 20])
def test_parts_of_a_full_harvest_that_was_stopped_are_counted_together(run, write, repository, count):
    write('sets = ["a", "b"]\n')
    assert run()[0] == 0
    _remove(repository, count)
    _, stopped = run("--full", "--max-records", "15")
    _, ran = run()
    assert (stopped["is_complete"], stopped["reasons"]) == (False, [])
    assert ran["reasons"] == ([_sentence(20, 60)] if count else [])
