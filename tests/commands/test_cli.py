"""The commands as people and scripts see them: data on stdout, words on stderr, a status at the end."""

from __future__ import annotations

import json
import signal
import threading
import time
import tomllib
from itertools import pairwise

import pytest
from click.testing import CliRunner

from gateway.store.opening import open_inbox
from gateway.xmltext import parse_utc_datetime
from harvester.cli import COMMANDS, main
from harvester.harvest import admission
from harvester.harvest.run_log import LEFT
from harvester.http.pacing import Pace
from harvester.runtime.interrupts import Stop
from harvester.runtime.locks import lock
from tests.commands.site import serving
from tests.conftest import loaded_by
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


@each_row("name", COMMANDS)
def test_the_table_says_what_the_command_says(name):
    command = main.get_command(None, name)
    assert command.name == name
    assert COMMANDS[name].sentence == command.help.partition("\n\n")[0].replace("\n", " ")


def test_an_unknown_command_is_wrong_use(command):
    assert command("sing")[0] == 2


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


def test_adding_without_asking_needs_no_network(command, instance):
    status, out, _ = command("source", "add", "fake", "https://example.org/oai", "--no-check", "--overlap", "60")
    assert status == 0
    assert "https://example.org/oai" in out
    assert tomllib.loads((instance / "sources.toml").read_text())["fake"]["overlap_seconds"] == 60


@each_row(
    "arguments, sentence",
    [
        (("Fake", "http://h/oai"), "name"),
        (("fake", "h/oai"), "address"),
        (("fake", "http://h/oai", "--kind", "gopher"), "gopher"),
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


def test_adding_a_resource_list_as_a_repository_says_how_it_can_be_harvested(command, instance):
    with serving() as site:
        url = f"{site.url}/rs/list.xml"
        status, out, err = command("source", "add", "rs", url)
        assert (status, out) == (1, "")
        assert "--kind resourcesync" in err
        assert f"`harvester source check {url}`" in err
        assert not (instance / "sources.toml").exists()
        assert command("source", "add", "rs", url, "--kind", "resourcesync")[0] == 0


def test_a_name_is_taken_once(added, repository):
    status, _, err = added("source", "add", "fake", repository.url)
    assert (status, "already" in err) == (2, True)


def test_a_format_that_is_not_offered_is_refused(command, repository):
    status, _, err = command("source", "add", "fake", repository.url, "--format", "marcxml")
    assert status == 2
    assert "oai_dc, mods" in err


def test_a_set_that_is_not_listed_is_asked_for_nevertheless(command, repository):
    repository.sets = (("a", "A"),)
    status, _, err = command("source", "add", "fake", repository.url, "--set", "b")
    assert (status, "set b" in err) == (0, True)


def test_a_source_that_does_not_answer_is_not_added(command, instance):
    status, _, _ = command("source", "add", "fake", "http://127.0.0.1:9/oai")
    assert status == 5
    assert not (instance / "sources.toml").exists()


def test_sources_are_listed_and_shown(added, repository):
    assert added("source", "list")[1].splitlines()[1].split() == ["fake", repository.url, "oai_dc"]
    assert json.loads(added("source", "list", "--json")[1])["name"] == "fake"
    added("run", "fake")
    facts = json.loads(added("source", "show", "fake", "--json")[1])
    assert facts["held"]["items"] == 5
    assert facts["lists"][0]["format"] == "oai_dc"
    assert facts["profile"]["tokens"] == "encoded"
    shown = added("source", "show", "fake")[1]
    assert repository.url in shown
    assert "tokens encoded, prefix alone, arguments own first, dates optional, granularity as announced" in shown


def test_nothing_to_list_is_nothing(command):
    assert command("source", "list") == (0, "", "")


def test_a_source_that_can_be_harvested_checks_well(added):
    status, out, _ = added("source", "check", "fake", "--json")
    facts = json.loads(out)
    assert status == 0
    assert (facts["reached"], facts["problems"], facts["last_run"]) == (True, [], None)
    assert facts["granularity"] == "YYYY-MM-DDThh:mm:ssZ"
    added("run", "fake")
    assert json.loads(added("source", "check", "fake", "--json")[1])["last_run"]["outcome"] == "succeeded"


def test_what_is_odd_with_a_source_is_reported(added, instance):
    file = instance / "sources.toml"
    file.write_text(file.read_text().replace("oai_dc", "marcxml"))
    status, out, _ = added("source", "check", "fake", "--json")
    assert status == 3
    assert "marcxml" in json.loads(out)["problems"][0]


@each_row("answer, status", [((403, b"", {}), 4), ((503, b"", {"Retry-After": "99999"}), 5)])
def test_a_source_that_does_not_let_us_in_is_reported(added, repository, answer, status):
    repository.statuses["Identify"] = answer
    exit_status, out, _ = added("source", "check", "fake", "--json")
    assert exit_status == status
    assert json.loads(out)["reached"] is False


def test_a_source_that_speaks_something_else_is_reported(added, repository):
    repository.statuses["Identify"] = (200, b"<html>Hello</html>", {})
    assert added("source", "check", "fake")[0] == 1


def test_a_run_progress_puts_its_end_on_stderr_and_as_json(added):
    status, out, err = added("run", "fake", "--json")
    facts = json.loads(out)
    assert (status, facts["outcome"], facts["is_complete"], facts["counts"]["published"]) == (0, "succeeded", True, 5)
    assert "Nothing is missing" in err
    assert added("run", "fake")[1] == ""


def test_an_inbox_that_was_lost_hides_nothing_that_arrives_later(added, repository, instance, caplog):
    assert added("run", "fake")[0] == 0
    (instance / "inbox.sqlite").unlink()
    repository.fill(9)
    assert "Restore it with `gateway restore --missing`" in added("run", "fake")[2]
    assert not (instance / "inbox.sqlite").exists()  # a restore finds that it is missing
    open_inbox(instance, create=True).close()  # as `gateway init` does
    status, _, words = added("run", "fake")
    assert status == 0
    assert "9 published" in words
    assert added("run", "fake")[0] == 0
    assert [record.getMessage()[:21] for record in caplog.records] == ["The inbox lacks pages"]


def test_all_runs_every_source(added, repository):
    assert added("source", "add", "other", repository.url)[0] == 0
    status, out, _ = added("run", "--all", "--json")
    assert (status, [json.loads(line)["source"] for line in out.splitlines()]) == (0, ["fake", "other"])


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
    assert "fake: The run ended: succeeded" in err


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_what_has_not_begun_when_the_time_is_over_does_not_begin(added, repository, options, monkeypatch):
    now = [100.0]
    monkeypatch.setattr("harvester.commands.run.Stop", lambda seconds: Stop(seconds, lambda: now[0]))
    added("source", "add", "other", repository.url)
    repository.statuses["Identify"] = (503, b"", {"Retry-After": "60"})
    status, _, err = added("run", "--all", "--max-seconds", "1", *options)
    assert status == 0
    assert "the time is over" in err or "reached its limit" in err
    repository.statuses.clear()
    repository.before = lambda _: now.append(now.pop() + 1.1) if len(repository.lists()) == 1 else None
    status, _, err = added("run", "--all", "--max-seconds", "1", *options)
    assert (status, "other: the time is over." in err) == (0, True)
    assert len(repository.lists()) == 1


@pytest.mark.slow
def test_sources_at_one_host_keep_the_pause_between_them(added, repository, monkeypatch):
    added("source", "add", "other", repository.url)
    monkeypatch.setenv("GATEWAY_FETCH_DELAY_SECONDS", "0.05")
    turn, turns = Pace.turn, []

    def noted(pace, host, delay, now):
        waits = turn(pace, host, delay, now)
        turns.append(now + waits)
        return waits

    monkeypatch.setattr(Pace, "turn", noted)
    repository.asked.clear()
    assert added("run", "--all")[0] == 0
    assert time.monotonic() >= turns[-1]
    assert len(turns) == len(repository.asked) == 10
    assert min(later - earlier for earlier, later in pairwise(turns)) > 0.049


def test_a_fault_of_this_program_stops_its_own_source_only(added, repository, monkeypatch):
    added("source", "add", "other", repository.url)
    whole = admission.keep_description  # type: ignore[attr-defined]

    def faulty(instance, source, description):
        if source == "fake":
            raise ZeroDivisionError
        whole(instance, source, description)

    monkeypatch.setattr(admission, "keep_description", faulty)
    status, out, err = added("run", "--all", "--json")
    assert (status, [json.loads(line)["source"] for line in out.splitlines()]) == (1, ["other"])
    assert "fake: a fault of this program" in err
    assert "ZeroDivisionError" in err


def test_a_locked_source_is_reported(added, instance):
    with lock(instance, "fake"):
        status, _, err = added("run", "fake")
    assert (status, "Another process" in err) == (6, True)


def test_a_dry_run_keeps_nothing(added):
    status, out, err = added("run", "fake", "--dry-run", "--json")
    assert (status, json.loads(out)["counts"]["received"]) == (0, 5)
    assert "nothing was stored" in err
    assert added("records", "fake")[1] == ""


def test_publishing_alone_finds_nothing_after_a_run(added):
    added("run", "fake")
    status, out, err = added("publish", "--json")
    assert (status, json.loads(out)) == (0, {"source": "fake", "counts": {}})
    assert "already" in err


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


def test_a_run_whose_process_died_is_shown_as_dead(added, instance):
    inbox = open_inbox(instance)
    inbox.store_progress(inbox.start_run("fake", 1), {"received": 4100, LEFT: 900})
    inbox.close()
    standing = json.loads(added("status", "--json")[1])
    assert (standing["outcome"], standing["progress"]) == ("died", {"received": 4100, "left": 900})
    assert json.loads(added("log", "--json")[1])["outcome"] == "died"
    with lock(instance, "fake"):
        assert json.loads(added("status", "--json")[1])["outcome"] == "running"


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


def test_status_shows_what_is_due(added, instance):
    assert json.loads(added("status", "--json")[1])["due"] == {}
    file = instance / "sources.toml"
    file.write_text(file.read_text() + 'every = "6h"\n')
    assert json.loads(added("status", "--json")[1])["due"] == {"harvest": "now"}
    added("run", "fake")
    due = parse_utc_datetime(json.loads(added("status", "--json")[1])["due"]["harvest"])[0] - time.time()
    assert 5.9 * 3600 < due < 6.7 * 3600


def test_the_log_shows_runs_and_the_story_of_one(added):
    added("run", "fake")
    added("run", "fake")
    runs = [json.loads(line) for line in added("log", "fake", "--json")[1].splitlines()]
    assert [run["outcome"] for run in runs] == ["succeeded", "succeeded"]
    assert runs[0]["run"] > runs[1]["run"]
    assert len(added("log", "--last", "1", "--json")[1].splitlines()) == 1
    story = [json.loads(line)["text"] for line in added("log", str(runs[1]["run"]), "--json")[1].splitlines()]
    assert any("the list ended (proper) with 5 records" in text for text in story)
    assert "5 records" in added("log", str(runs[1]["run"]))[1]


@each_row("which", ["999", "unknown"])
def test_a_log_that_is_not_there_is_reported(added, which):
    assert added("log", which)[0] == 2


def test_no_runs_is_an_empty_log(added):
    assert added("log", "fake")[:2] == (0, "")


def test_records_are_lines_of_json(added):
    added("run", "fake")
    status, out, _ = added("records", "fake")
    items = [json.loads(line) for line in out.splitlines()]
    assert status == 0
    assert [item["upstream"] for item in items] == [f"oai:fake:{number:05}" for number in range(5)]
    assert items[0]["records"] == {"oai_dc": "published", "oai_didl": "published"}
    assert items[0]["identifier"].startswith("oai:gateway.example.org:fake/")
    assert "source:fake" in items[0]["sets"]


def test_what_is_asked_of_an_unknown_source_is_reported(command):
    for arguments in (("records", "x"), ("quarantine", "x"), ("source", "show", "x"), ("source", "check", "x")):
        assert command(*arguments)[0] == 2


@each_row("url", ["http://[", "ftp://[", "http://h:x/", "nonsense/", "http:///x"])
def test_an_address_that_is_none_is_a_sentence(command, url):
    status, _, words = command("source", "check", url)
    assert status == 2
    assert f"{url!r} is no address" in words


def test_an_empty_quarantine_is_nothing(added):
    assert added("quarantine")[:2] == (0, "")
    assert added("quarantine", "fake", "--json")[:2] == (0, "")


def test_what_lies_in_quarantine_is_shown_with_its_reason(added, repository):
    repository.items["oai:fake:00002"].identifier = ""
    assert added("run", "fake")[0] == 3
    (row,) = [json.loads(line) for line in added("quarantine", "fake", "--json")[1].splitlines()]
    assert (row["source"], row["format"], row["slice"], row["identifier"]) == ("fake", "oai_dc", 2, "")
    assert "identifier" in row["reason"]
    assert row["reason"] in added("quarantine")[1]


def test_a_second_ctrl_c_ends_any_command_with_its_status(command, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("harvester.commands.status._standing", interrupted)
    monkeypatch.setattr("harvester.harvest.instance.SourcesFile.entries", lambda _: {"fake": None})
    assert command("status")[::2] == (130, "Stopped.\n")


def test_a_dump_that_is_stopped_says_so(repository, tmp_path, send_signal):
    repository.fill(25)
    repository.before = lambda _: send_signal(signal.SIGINT) if len(repository.lists()) == 2 else None
    result = CliRunner().invoke(main, ["dump", repository.url, str(tmp_path / "dump.xml"), "--delay", "0"])
    assert result.exit_code == 130
    assert "stopped, not whole yet" in result.stderr
    assert (tmp_path / "dump.xml.part").exists()


@pytest.mark.slow
@each_row("verb", ["Identify", "ListRecords"])
def test_a_wait_ends_soon_when_it_is_asked_to_stop(added, repository, verb, send_signal):
    repository.statuses = {verb: (503, b"", {"Retry-After": "600"})}
    repository.before = lambda asked: send_signal(signal.SIGINT) if asked["verb"] == verb else None
    began = time.monotonic()
    status, out, err = added("run", "fake", "--json")
    assert status == 130
    assert time.monotonic() - began < 240
    assert json.loads(out)["outcome"] == "stopped"
    assert err.count("It was asked to stop.") == 1
    assert "at once" not in err.replace("once more to stop at once", "")


@pytest.mark.slow
def test_a_dump_that_waits_ends_soon_when_it_is_asked_to_stop(repository, tmp_path, send_signal):
    def wait(_arguments):
        if len(repository.lists()) == 2:
            repository.statuses["ListRecords"] = (503, b"", {"Retry-After": "600"})
            send_signal(signal.SIGINT)

    repository.fill(25)
    repository.before = wait
    result = CliRunner().invoke(main, ["dump", repository.url, str(tmp_path / "dump.xml"), "--json"])
    assert result.exit_code == 130
    assert json.loads(result.stdout) == {"records": 10, "is_finished": False, "problems": []}


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


def test_removing_what_holds_nothing_needs_no_question(added):
    assert json.loads(added("source", "remove", "fake", "--json")[1])["name"] == "fake"
    assert added("source", "list")[1] == ""


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


@pytest.mark.parametrize("value", [None, "", " "])
def test_a_secret_that_is_not_there_is_a_wrong_configuration(command, repository, monkeypatch, value):
    """Nobody is asked anything; the other sources go on."""
    monkeypatch.setenv("FAKE_PASSWORD", value) if value is not None else monkeypatch.delenv("FAKE_PASSWORD", False)
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


def test_a_query_key_never_reaches_inbox_or_log(command, repository, instance, tmp_path):
    repository.fill(15)
    (tmp_path / "key").write_text("geheim\n")
    options = ("--auth", "query", "--auth-name", "apikey", "--secret-file", str(tmp_path / "key"))
    assert command("source", "add", "fake", repository.url, *options)[0] == 0
    assert command("run", "fake")[0] == 0
    assert all(request["apikey"] == "geheim" for request in repository.asked)
    assert not any(b"geheim" in file.read_bytes() for file in instance.rglob("*") if file.is_file())


def test_a_dump_that_is_shorter_than_announced_is_not_called_whole(repository, tmp_path):
    repository.fill(25)
    repository.announces = 5
    result = CliRunner().invoke(main, ["dump", repository.url, str(tmp_path / "dump.xml"), "--json"])
    assert result.exit_code == 3
    assert "oai_dc: The source announced 30 records and sent 25." in result.stderr
    assert "25 records; finished, and not shown to be whole." in result.stderr
    assert json.loads(result.stdout)["problems"][0] in result.stderr


def test_a_dry_run_progress_puts_of_a_set_that_the_source_does_not_list(added, repository):
    repository.sets = (("a", "A"),)
    status, _, err = added("run", "fake", "--dry-run", "--set", "b")
    assert status == 3
    assert "fake oai_dc b: Nothing came, and the set b is not among the 1 that the source lists." in err


def test_a_dump_of_a_set_that_the_source_does_not_list_is_not_called_whole(repository, tmp_path):
    repository.fill(5)
    repository.sets = (("a", "A"),)
    result = CliRunner().invoke(main, ["dump", repository.url, str(tmp_path / "dump.xml"), "--set", "b"])
    assert result.exit_code == 3
    assert "oai_dc b: Nothing came, and the set b is not among the 1 that the source lists." in result.stderr


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


def test_a_dump_goes_on_where_the_connection_broke(repository, tmp_path):
    repository.fill(25)
    repository.before = lambda _: repository.statuses.update(
        {"ListRecords": (403, b"", {})} if len(repository.lists()) == 2 else {}
    )
    file = tmp_path / "dump.xml"
    assert CliRunner().invoke(main, ["dump", repository.url, str(file)]).exit_code == 4
    assert not file.exists()
    repository.before = lambda _: None
    repository.statuses.clear()
    repository.asked.clear()
    assert CliRunner().invoke(main, ["dump", repository.url, str(file)]).exit_code == 0
    assert "resumptionToken" in repository.lists()[0]
    assert file.read_bytes().count(b"<record ") == 25


def test_validate_asks_the_provider(repository, monkeypatch):
    monkeypatch.setenv("GATEWAY_FETCH_RETRIES", "0")
    repository.fill(3)
    result = CliRunner().invoke(main, ["validate", repository.url, "--json", "--max-requests", "5"])
    report = json.loads(result.stdout)
    assert (report["base_url"], report["requests"]) == (repository.url, 5)
    assert result.exit_code in (1, 3)
    text = CliRunner().invoke(main, ["validate", repository.url, "--max-requests", "5"])
    assert "5 requests in" in text.stdout


def test_ctrl_c_leaves_the_sources_that_have_not_begun(added, repository, send_signal):
    added("source", "add", "other", repository.url)
    pressed = list[int]()

    def press_ctrl_c_once(_: object) -> None:
        if len(repository.lists()) == 1 and not pressed:
            pressed.append(1)
            send_signal(signal.SIGINT)

    repository.before = press_ctrl_c_once
    status, out, _ = added("run", "--all", "--json")
    assert (status, [json.loads(line)["source"] for line in out.splitlines()]) == (130, ["fake"])
    repository.asked.clear()
    pressed.clear()
    assert added("run", "--all", "--dry-run")[0] == 130
    assert len(repository.lists()) == 1


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


def test_fields_of_a_kind_are_read_as_toml_or_as_text(command, instance):
    fields = ("--option", "formats=['mods']", "--option", "rights=https://example.org/r?a=b")
    assert command("source", "add", "fake", "https://example.org/oai", "--no-check", *fields)[0] == 0
    entry = tomllib.loads((instance / "sources.toml").read_text())["fake"]
    assert (entry["formats"], entry["rights"]) == (["mods"], "https://example.org/r?a=b")


@each_row("option, sentence", [("rows", "FIELD=VALUE"), ("rows=5", "no field 'rows'")])
def test_a_field_that_the_kind_does_not_have_is_wrong_use(command, option, sentence):
    status, _, err = command("source", "add", "fake", "https://example.org/oai", "--no-check", "--option", option)
    assert (status, sentence in err) == (2, True)
