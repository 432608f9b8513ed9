"""Before a name is used again it is said which records come to life again under it, and they come back whole."""

import json

import pytest

LINE = '{"identifier": "oai:x:1", "datestamp": "2020-01-01", "metadata": "<r><title>T</title></r>"}\n'
SAME = "The name laro was used before for the same address: 1 deleted records are stored under it."
OTHER = "The name laro was used before for ANOTHER address, file://"


@pytest.fixture
def files(tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.jsonl").write_text(LINE)
    return tmp_path


@pytest.fixture
def removed(command, files):
    """Return the options under which a source was added, harvested and removed."""
    added = (str(files / "one.jsonl"), "--kind", "files")
    command("source", "add", "laro", *added)
    assert command("run", "laro")[0] == 0
    assert command("source", "remove", "laro", "--yes")[0] == 0
    return added


def is_deleted(command) -> bool:
    return json.loads(command("records", "laro")[1])["is_deleted"]


def test_a_source_that_is_added_again_says_what_comes_back(command, removed):
    status, _, err = command("source", "add", "laro", *removed)
    assert (status, SAME in err) == (0, True)
    assert is_deleted(command)
    command("run", "laro")
    assert not is_deleted(command)


@pytest.mark.parametrize("arguments", [("add", "laro", "{}", "--kind", "files"), ("check", "{}", "--add", "laro")])
def test_another_address_under_an_old_name_needs_a_confirmation(command, removed, files, instance, arguments):
    """Deleted records came back to life without a word."""
    words = [argument.format(files / "two.jsonl") for argument in arguments]
    status, _, err = command("source", *words)
    assert (status, OTHER in err, "confirm it with --yes" in err) == (2, True, True)
    assert "laro" not in (instance / "sources.toml").read_text()
    status, _, err = command("source", *words, "--yes")
    assert (status, OTHER in err) == (0, True)


def test_an_entry_that_is_written_by_hand_again_is_told_by_its_run(command, removed, files, instance):
    (instance / "sources.toml").write_text(f'[laro]\nkind = "files"\nurl = "{files / "one.jsonl"}"\n')
    status, _, err = command("run", "laro")
    assert (status, SAME in err) == (0, True)
    assert SAME not in command("run", "laro")[2]


def test_files_that_are_loaded_say_what_comes_back(command, files):
    url = "http://127.0.0.1:9/oai"
    command("source", "add", "laro", url, "--no-check")
    assert "was used before" not in command("source", "load", "laro", str(files / "one.jsonl"))[2]
    command("source", "remove", "laro", "--yes")
    command("source", "add", "laro", url, "--no-check")
    status, _, err = command("source", "load", "laro", str(files / "one.jsonl"))
    assert (status, SAME in err) == (0, True)


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
