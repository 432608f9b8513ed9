"""Sources that nobody looks after are named, and can be removed."""

import json
from contextlib import closing

import pytest

from gateway import create_app
from harvester.runtime.locks import lock
from tests.opening import open_inbox
from tests.rows import each_row

LINE = '{"identifier": "oai:x:1", "datestamp": "2020-01-01", "metadata": "<r><title>T</title></r>"}\n'
PAGES = ("/", "/sources", "/sources/laro", "/sources.json")


@pytest.fixture
def files(tmp_path):
    (tmp_path / "one.jsonl").write_text(LINE)
    return tmp_path / "one.jsonl"


@pytest.fixture
def abandoned(command, files, instance):
    """Return the name of a source whose entry was deleted by hand after its harvest."""
    command("source", "add", "gone", str(files), "--kind", "files", "--every", "1d")
    assert command("run", "gone")[0] == 0
    (instance / "sources.toml").write_text("")
    return "gone"


def test_a_source_without_entry_is_named_by_status(command, abandoned):
    status, out, err = command("status")
    assert (status, out.splitlines()[1].split()[:2]) == (0, [abandoned, "1"])
    sentence = "gone has no entry in sources.toml, so nothing harvests it, but its records are published."
    assert sentence in err
    assert sentence in command("check")[2]
    (row,) = map(json.loads, command("status", "--json")[1].splitlines())
    assert (row["source"], row["items"], row["due"], len(row["problems"])) == ("gone", 1, {}, 1)


def test_a_source_without_entry_can_be_removed(command, abandoned):
    status, out, err = command("source", "remove", abandoned, "--yes", "--json")
    assert (status, json.loads(out)["deleted_items"]) == (0, 1), err
    assert "gone has no entry" not in command("status")[2]
    assert json.loads(command("records", abandoned)[1])["is_deleted"] is True
    status, _, err = command("source", "remove", abandoned, "--yes")
    assert (status, "There is no source 'gone'" in err) == (2, True)


@pytest.mark.parametrize(("every", "is_named"), [((), True), (("--every", "never"), False)])
def test_a_source_that_tend_never_harvests_is_named_where_a_person_looks(command, files, instance, every, is_named):
    (instance / "secret").write_text("the secret of a test")
    sentence = "laro has no `every` in sources.toml"
    assert (sentence in command("source", "add", "laro", str(files), "--kind", "files", *every)[2]) is is_named
    for arguments, says_it in (("status", True), ("check", True), ("tend", False), ("run laro", False)):
        status, _, err = command(*arguments.split())
        expected = 3 if arguments == "status" else 0  # it was never harvested
        assert (status, err.count(sentence)) == (expected, is_named and says_it), arguments
    assert [len(json.loads(line)["problems"]) for line in command("status", "--json")[1].splitlines()] == [is_named]


def test_a_run_whose_process_died_is_interrupted_wherever_a_person_looks(command, files, instance):
    command("source", "add", "laro", str(files), "--kind", "files", "--every", "never")
    command("run", "laro")
    with closing(open_inbox(instance)) as inbox:
        inbox.start_run("laro", 2_000_000_000, "harvest")
    (instance / "secret").write_text("the secret of a test")
    page = create_app(instance).test_client().get
    with lock(instance, "laro"):
        seen = [command(words)[2] for words in ("status", "check")] + [page(place).text for place in PAGES]
        assert not [text for text in seen if "Interrupted" in text]
    seen = [command(words)[2] for words in ("status", "check")] + [page(place).text for place in PAGES]
    assert len([text for text in seen if "Interrupted" in text and "Running" not in text]) == len(seen)
    assert "Interrupted" in command("source", "check", "laro")[1]
    command("run", "laro")
    assert [text.count("Interrupted") for text in (command("log")[1], page("/sources/laro").text)] == [1, 1], "it stays"


@each_row("every", ["at times", "6", "NEVER"])
def test_a_schedule_that_is_none_is_refused(command, files, every):
    assert command("source", "add", "laro", str(files), "--kind", "files", "--every", every)[0] == 2
