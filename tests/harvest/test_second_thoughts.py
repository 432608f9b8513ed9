"""What comes after a change of mind: a source that is added again, and runs that were only tried."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from harvester.cli import main


@pytest.fixture
def harvester(instance, monkeypatch):
    """Return a function that runs `harvester` in this process, and returns (exit status, stdout, stderr)."""
    monkeypatch.setenv("GATEWAY_FETCH_RETRIES", "0")

    def harvester(*arguments):
        result = CliRunner().invoke(main, ["--instance", str(instance), *arguments])
        return result.exit_code, result.stdout, result.stderr

    return harvester


def test_a_source_that_is_added_again_comes_back_whole(harvester, repository):
    repository.fill(3)
    for _ in range(2):
        harvester("source", "add", "fake", repository.url, "--no-check")
        assert harvester("run", "fake")[0] == 0
        items = [json.loads(line) for line in harvester("records", "fake")[1].splitlines()]
        assert [item["is_deleted"] for item in items] == [False] * 3
        assert harvester("source", "remove", "fake", "--yes")[0] == 0


def test_a_dry_run_goes_on_after_a_source_that_cannot_be_reached(harvester, repository):
    repository.fill(3)
    harvester("source", "add", "dead", "http://127.0.0.1:1/oai", "--no-check")
    harvester("source", "add", "fake", repository.url, "--no-check")
    status, out, err = harvester("run", "--all", "--dry-run", "--json")
    assert (status, json.loads(out)["counts"]["received"]) == (5, 3)
    assert "dead: " in err


def test_a_dry_run_goes_on_after_a_list_that_fails(harvester, repository):
    repository.fill(3)
    harvester("source", "add", "fake", repository.url, "--no-check")
    status, out, err = harvester("run", "fake", "--dry-run", "--json", "--format", "nonsense", "--format", "oai_dc")
    assert (status, json.loads(out)["counts"]["received"]) == (3, 3)
    assert "cannotDisseminateFormat" in err
    assert harvester("run", "fake", "--dry-run", "--format", "nonsense")[0] == 1


def test_a_dry_run_tells_that_a_list_is_not_shown_to_be_whole(harvester, repository):
    repository.fill(12)
    repository.announces = 2
    harvester("source", "add", "fake", repository.url, "--no-check")
    status, _, err = harvester("run", "fake", "--dry-run")
    assert status == 3
    assert "announced 14 records and sent 12" in err
