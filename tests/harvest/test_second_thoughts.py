"""What comes after a change of mind: a source that is added again, and runs that were only tried."""

import json


def test_a_source_that_is_added_again_comes_back_whole(command, repository):
    repository.fill(3)
    for _ in range(2):
        command("source", "add", "fake", repository.url, "--no-check")
        assert command("run", "fake")[0] == 0
        items = [json.loads(line) for line in command("records", "fake")[1].splitlines()]
        assert [item["is_deleted"] for item in items] == [False] * 3
        assert command("source", "remove", "fake", "--yes")[0] == 0


def test_a_dry_run_goes_on_after_a_source_that_cannot_be_reached(command, repository):
    repository.fill(3)
    command("source", "add", "dead", "http://127.0.0.1:1/oai", "--no-check")
    command("source", "add", "fake", repository.url, "--no-check")
    status, out, err = command("run", "--all", "--dry-run", "--json")
    assert (status, json.loads(out)["counts"]["received"]) == (5, 3)
    assert "dead: " in err
