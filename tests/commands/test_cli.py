"""The commands as people and scripts see them: data on stdout, words on stderr, a status at the end."""

import json
import signal
import threading
import time
import tomllib

import click
import pytest
from click.testing import CliRunner

from gateway.cli import main as gateway_cli
from gateway.core.instance_folder import Instance
from gateway.core.xmltext import parse_utc_datetime
from harvester import cli as harvester_cli
from harvester.cli import COMMANDS, main
from harvester.harvest import admission
from harvester.runtime.locks import lock
from tests.conftest import loaded_by
from tests.opening import open_inbox
from tests.rows import each_row

# What `harvester --help` must not load: each of them costs tens of milliseconds.
SLOW = ("lxml", "requests", "rich", "sqlite3", "tomlkit", "zstandard", "sqlite_utils", "multiprocessing")


@pytest.fixture
def command(instance):
    """Return a function that runs `harvester` in this process, and returns (exit status, stdout, stderr)."""

    def command(*arguments, **options):
        result = CliRunner().invoke(main, ["--instance", str(instance), *arguments], **options)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.stdout, result.stderr

    return command


@pytest.fixture
def added(command, repository):
    """Add the source `fake`, with five records, and return the command."""
    repository.fill(5)
    assert command("source", "add", "fake", repository.url)[0] == 0
    return command


def test_help_lists_every_command_and_loads_nothing_slow():
    modules, shown = loaded_by("from harvester.cli import main; main(['--help'])")
    for name, row in COMMANDS.items():
        assert any(line.startswith(f"  {name} ") for line in shown), name
        assert any(row.sentence.split()[0] in line for line in shown)
    assert modules.isdisjoint(SLOW)


def test_without_an_instance_one_sentence_says_what_to_do(tmp_path):
    result = CliRunner().invoke(main, ["--instance", str(tmp_path), "status"])
    assert (result.exit_code, result.stdout) == (1, "")
    assert "gateway init" in result.stderr
    assert result.stderr.count("\n") == 1


def test_adding_a_source_asks_it_and_shows_what_it_offers(command, repository, instance):
    repository.sets = (("a", "The As"),)
    status, out, err = command("source", "add", "fake", f"{repository.url}?verb=Identify", "--json")
    assert status == 0
    facts = json.loads(out)
    assert facts["formats"] == ["oai_dc"]
    assert facts["formats_offered"] == ["oai_dc", "mods"]
    assert (facts["repository_name"], facts["sets_offered"], facts["deleted_record"]) == ("Fake", 1, "persistent")
    assert "harvester run fake" in err
    entry = tomllib.loads((instance / "sources.toml").read_text())["fake"]
    assert entry == {"url": repository.url, "formats": ["oai_dc"], "address": "loopback"}


@each_row(
    "arguments, sentence",
    [
        (("Fake", "http://h/oai"), "name"),
        (("fake", "http://h/oai", "--user", "me"), "--auth"),
        (("fake", "http://h/oai", "--auth", "basic", "--user", "me"), "password_env or password_file"),
        (("fake", "http://h/oai", "--from", "yesterday"), "YYYY-MM-DD"),
    ],
)
def test_wrong_use_is_told_and_nothing_is_added(command, instance, arguments, sentence):
    status, out, err = command("source", "add", *arguments, "--no-check")
    assert (status, out) == (2, "")
    assert sentence in err
    assert not (instance / "sources.toml").exists()


def test_sources_are_listed_and_shown(added, repository):
    assert added("source", "list")[1].splitlines()[1].split() == ["fake", repository.url, "oai_dc"]
    assert json.loads(added("source", "list", "--json")[1])["name"] == "fake"
    added("run", "fake")
    facts = json.loads(added("source", "show", "fake", "--json")[1])
    assert facts["held"]["items"] == 5
    assert facts["lists"][0]["format"] == "oai_dc"
    assert facts["profile"]["tokens"] == "encoded"
    assert repository.url in added("source", "show", "fake")[1]


def test_a_source_that_can_be_harvested_checks_well(added):
    status, out, _ = added("source", "check", "fake", "--json")
    facts = json.loads(out)
    assert status == 0
    assert (facts["reached"], facts["problems"], facts["last_run"]) == (True, [], None)
    assert facts["granularity"] == "YYYY-MM-DDThh:mm:ssZ"
    added("run", "fake")
    assert json.loads(added("source", "check", "fake", "--json")[1])["last_run"]["outcome"] == "succeeded"


@each_row("answer, status", [((403, b"", {}), 4), ((503, b"", {"Retry-After": "99999"}), 5)])
def test_a_source_that_does_not_let_us_in_is_reported(added, repository, answer, status):
    repository.statuses["Identify"] = answer
    exit_status, out, _ = added("source", "check", "fake", "--json")
    assert exit_status == status
    assert json.loads(out)["reached"] is False


def test_an_inbox_that_was_lost_hides_nothing_that_arrives_later(added, repository, instance, caplog):
    assert added("run", "fake")[0] == 0
    (instance / "inbox.sqlite").unlink()
    repository.fill(9)
    assert "restore it with `gateway restore --missing DIR`" in added("run", "fake")[2]
    assert not (instance / "inbox.sqlite").exists()  # a restore finds that it is missing
    Instance(instance).accept_losses()  # as `gateway init` does
    open_inbox(instance, create=True).close()
    status, _, words = added("run", "fake")
    assert status == 0
    assert "9 published" in words
    assert added("run", "fake")[0] == 0
    assert [record.getMessage()[:21] for record in caplog.records] == ["The inbox lacks pages"]


@each_row("arguments", [(), ("fake", "--all"), ("unknown",)])
def test_a_run_must_know_what_to_run(added, arguments):
    assert added("run", *arguments)[0] == 2


def test_one_failing_source_does_not_keep_the_others(added, repository):
    added("source", "add", "broken", "http://127.0.0.1:9/oai", "--no-check")
    status, out, _ = added("run", "broken", "fake", "--json")
    assert status == 5
    assert [json.loads(line)["outcome"] for line in out.splitlines()] == ["try_later", "succeeded"]


def test_sources_at_several_hosts_are_harvested_at_once(added, repository):
    meeting = threading.Barrier(2, timeout=240)
    added("source", "add", "other", repository.url.replace("127.0.0.1", "localhost"))
    repository.before = lambda arguments: meeting.wait() if arguments["verb"] == "ListRecords" else None
    status, out, err = added("run", "--all", "--json")
    facts = {fact["source"]: fact for fact in map(json.loads, out.splitlines())}
    assert (status, meeting.broken) == (0, False)
    assert {name: fact["counts"]["published"] for name, fact in facts.items()} == {"fake": 5, "other": 5}
    assert "fake: The run ended: No gap found (" in err


def test_a_fault_of_this_program_stops_its_own_source_only(added, repository, monkeypatch):
    added("source", "add", "other", repository.url)
    whole = admission.keep_description

    def faulty(instance, source, description):
        if source == "fake":
            raise ZeroDivisionError
        whole(instance, source, description)

    monkeypatch.setattr(admission, "keep_description", faulty)
    status, out, err = added("run", "--all", "--json")
    assert (status, [json.loads(line)["source"] for line in out.splitlines()]) == (1, ["other"])
    assert "fake: a fault of this program" in err
    assert "ZeroDivisionError" in err


def test_status_shows_how_every_source_stands(added):
    assert json.loads(added("status", "--json")[1])["outcome"] == "never run"
    added("run", "fake")
    facts = json.loads(added("status", "--json")[1])
    assert (facts["items"], facts["outcome"], facts["is_complete"], facts["unpublished"]) == (
        5,
        "succeeded",
        True,
        False,
    )
    head, row = added("status")[1].splitlines()
    assert head.split()[:2] == ["source", "items"]
    assert row.split()[:2] == ["fake", "5"]
    assert facts["state"]["headline"] in row


def test_status_shows_how_far_a_run_has_come_and_when_it_will_be_over(added, instance, monkeypatch):
    now = time.time()
    monkeypatch.setattr("harvester.commands.status.time", lambda: now)
    inbox = open_inbox(instance)
    number = inbox.start_run("fake", int(now) - 100)
    inbox.store_progress(number, {"received": 1000})
    with lock(instance, "fake"):
        facts = json.loads(added("status", "--json")[1])
        assert facts["progress"] == {"received": 1000, "a_second": pytest.approx(10, abs=0.1)}
        inbox.store_progress(number, {"received": 1000, "left": 600})
        facts = json.loads(added("status", "--json")[1])
        assert facts["progress"]["left"] == 600
        assert parse_utc_datetime(facts["progress"]["ends_at"])[0] - now == pytest.approx(60, abs=2)
        assert "left 600" in added("status")[1]
    inbox.close()
    assert json.loads(added("status", "--json")[1])["progress"] == {"received": 1000, "left": 600}, "it died"


def test_the_log_shows_runs_and_the_story_of_one(added):
    added("run", "fake")
    added("run", "fake")
    runs = [json.loads(line) for line in added("log", "fake", "--json")[1].splitlines()]
    assert [run["outcome"] for run in runs] == ["succeeded", "succeeded"]
    assert runs[0]["run"] > runs[1]["run"]
    table = added("log")[1].splitlines()[1:]
    assert all(run["state"]["headline"] in row for run, row in zip(runs, table, strict=True))
    assert len(added("log", "--last", "1", "--json")[1].splitlines()) == 1
    story = [json.loads(line)["text"] for line in added("log", str(runs[1]["run"]), "--json")[1].splitlines()]
    assert any("the list ended (proper) with 5 records" in text for text in story)
    assert "5 records" in added("log", str(runs[1]["run"]))[1]


def test_records_are_lines_of_json(added):
    added("run", "fake")
    status, out, _ = added("records", "fake")
    items = [json.loads(line) for line in out.splitlines()]
    assert status == 0
    assert [item["upstream"] for item in items] == [f"oai:fake:{number:05}" for number in range(5)]
    assert items[0]["records"] == {"oai_dc": "published", "oai_didl": "published"}
    assert items[0]["identifier"].startswith("oai:gateway.example.org:fake/")
    assert "source:fake" in items[0]["sets"]


def test_what_lies_in_quarantine_is_shown_with_its_reason(added, repository):
    repository.items["oai:fake:00002"].identifier = ""
    assert added("run", "fake")[0] == 3
    (row,) = [json.loads(line) for line in added("quarantine", "fake", "--json")[1].splitlines()]
    assert (row["source"], row["format"], row["slice"], row["identifier"]) == ("fake", "oai_dc", 2, "")
    assert "identifier" in row["reason"]
    assert row["reason"] in added("quarantine")[1]


def test_removing_asks_first_and_makes_tombstones(added, instance):
    added("run", "fake")
    status, _, err = added("source", "remove", "fake", input="n\n")
    assert status == 1
    assert "5 items" in err
    status, _, _ = added("source", "remove", "fake", input="y\n")
    assert status == 0
    assert "fake" not in (instance / "sources.toml").read_text()
    items = [json.loads(line) for line in added("records", "fake")[1].splitlines()]
    assert len(items) == 5
    assert all(item["is_deleted"] for item in items)


def test_credentials_are_used_and_never_shown(command, repository, instance, monkeypatch):
    repository.fill(5)
    repository.password = "Basic bWU6Z2VoZWlt"  # me:geheim
    monkeypatch.setenv("FAKE_PASSWORD", "geheim")
    options = ("--auth", "basic", "--user", "me", "--secret-env", "FAKE_PASSWORD")
    spoken = [command("source", "add", "fake", repository.url, *options)]
    spoken += [
        command(*words) for words in (("run", "fake"), ("source", "show", "fake"), ("log", "1"), ("source", "list"))
    ]
    monkeypatch.setenv("FAKE_PASSWORD", "wrong-geheim")
    spoken.append(command("run", "fake"))
    assert [status for status, _, _ in spoken] == [0, 0, 0, 0, 0, 4]
    held = b"".join(file.read_bytes() for file in instance.rglob("*") if file.is_file())
    for secret in ("geheim", "bWU6Z2VoZWlt"):
        assert secret.encode() not in held
        assert not any(secret in out + err for _, out, err in spoken)


def test_a_secret_that_is_not_there_is_a_wrong_configuration(command, repository, monkeypatch):
    """Nobody is asked anything; the other sources go on."""
    monkeypatch.setenv("FAKE_PASSWORD", " ")
    repository.fill(5)
    options = ("--no-check", "--auth", "basic", "--user", "me", "--secret-env", "FAKE_PASSWORD")
    assert command("source", "add", "fake", repository.url, *options)[0] == 0
    assert command("source", "add", "other", repository.url)[0] == 0
    repository.asked.clear()
    status, out, err = command("run", "fake", "--json")
    assert (status, repository.asked) == (2, [])
    assert "The environment variable FAKE_PASSWORD has no secret" in err
    assert json.loads(out)["outcome"] == "misconfigured"
    status, out, _ = command("run", "--all", "--json")
    assert status == 2
    assert {(facts["source"], facts["outcome"]) for facts in map(json.loads, out.splitlines())} == {
        ("fake", "misconfigured"),
        ("other", "succeeded"),
    }


def test_a_dump_needs_no_instance(repository, tmp_path):
    repository.fill(25)
    file = tmp_path / "dump.xml"
    result = CliRunner().invoke(
        main, ["--instance", str(tmp_path / "none"), "dump", repository.url, str(file), "--json"]
    )
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {"records": 25, "is_finished": True, "problems": []}
    assert file.read_bytes().count(b"<record ") == 25
    result = CliRunner().invoke(main, ["--instance", str(tmp_path / "none"), "dump", repository.url, "-"])
    assert result.stdout_bytes == file.read_bytes()


def test_ctrl_c_hides_no_refusal_of_another_source(added, repository, send_signal):
    """The stop of one source gave 130 for the command, which the unit in deploy/systemd calls a success."""
    added("source", "add", "other", repository.url)
    asked = list[str]()
    repository.asked.clear()

    def refuse_the_first_and_stop_the_second(arguments: dict[str, str]) -> None:
        asked.append(arguments["verb"])
        if asked == ["Identify"]:
            repository.statuses["Identify"] = (403, b"", {})
            return
        repository.statuses.clear()
        if asked.count("ListRecords") == 1 and arguments["verb"] == "ListRecords":
            send_signal(signal.SIGINT)

    repository.before = refuse_the_first_and_stop_the_second
    status, out, _ = added("run", "other", "fake", "--json")
    outcomes = {fact["source"]: fact["outcome"] for fact in map(json.loads, out.splitlines())}
    assert (status, outcomes) == (4, {"other": "refused", "fake": "stopped"})


def _options(command, context):
    yield from (
        pytest.param(option, id=f"{command.name} {option.name}")
        for option in command.params
        if isinstance(option.type, (click.FloatRange, click.types.FloatParamType))
    )
    for name in command.list_commands(context) if isinstance(command, click.Group) else ():
        below = command.get_command(context, name)
        yield from _options(below, click.Context(below, parent=context))


@each_row(
    "option", [option for cli in (harvester_cli, gateway_cli) for option in _options(cli.main, click.Context(cli.main))]
)
def test_an_option_refuses_what_is_no_finite_number(option):
    for text in ("nan", "inf", "1e999"):
        with pytest.raises(click.BadParameter):
            option.type.convert(text, option, None)
