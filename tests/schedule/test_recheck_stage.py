"""The recheck as a command and as a stage of scheduled runs: what is due is looked at, and told."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from time import time

import pytest
from click.testing import CliRunner

from gateway.core.model import Ending, RunOutcome
from gateway.core.xmltext import utc_datetime
from harvester.cli import main
from harvester.fulltext.politeness import PoliteFetch
from harvester.harvest.facts import Facts
from harvester.harvest.instance import opened
from harvester.runtime.interrupts import Stop
from harvester.runtime.progress import Progress
from harvester.schedule import full_text_stage
from harvester.schedule.stages import STAGES
from tests.fulltext.test_releasing import COPY, DAY, FILE, IDENTIFIER, component, dcterms_text, pdf, unpaywall
from tests.fulltext.web import RecordedWeb, answer

pytestmark = pytest.mark.slow


@pytest.fixture
def web(monkeypatch) -> RecordedWeb:
    """Return a web of the tests' own in the place of the real one, for searches and for rechecks."""
    web = RecordedWeb(has_recordings=False)
    monkeypatch.setattr(full_text_stage, "polite", lambda *_: web)
    monkeypatch.setattr(full_text_stage, "polite_anew", lambda *_: PoliteFetch(web, 0.0))
    return web


@pytest.fixture
def instance(folder, web, searching):
    """Return a folder in which one file was found, and one that a record names was fetched; both are published."""
    search = searching(web)
    web.own = {**unpaywall(), COPY: answer(pdf(search)), FILE: answer(b"%PDF-1.4 x")}
    file = folder / "sources.toml"
    file.write_text(f'{file.read_text()}\nrecheck_every = "90d"\n')
    assert called(folder, "discover")[0] == 0
    return folder


def called(folder, *arguments: str) -> tuple[int, str, str]:
    environ = {"GATEWAY_DISCOVER_EMAIL": "librarian@library.test"}
    result = CliRunner(env=environ).invoke(main, ["--instance", str(folder), *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def stage(folder, at: float, stop: Stop | None = None):
    with opened(str(folder)) as opened_instance:
        entry = opened_instance.sources.entry("laro")
        return full_text_stage.recheck(opened_instance, entry, Progress(), stop or Stop(), lambda: at)


def test_every_file_is_looked_at_when_asked_for_and_only_then(instance) -> None:
    assert called(instance, "recheck") == (0, "", "Looked at 0 files: nothing is due.\n")
    status, output, error = called(instance, "recheck", "--all", "--json")
    rechecks = [json.loads(line) for line in output.splitlines()]
    assert {recheck["url"] for recheck in rechecks} >= {COPY, FILE}
    assert {
        (recheck["effect"], recheck["outcome"], recheck["is_named"])
        for recheck in rechecks
        if recheck["url"] in (COPY, FILE)
    } == {
        ("unchanged", "success", False),
        ("unchanged", "success", True),
    }
    assert (status, error) == (0, f"Looked at {len(rechecks)} files: {len(rechecks)} unchanged.\n")


def test_people_are_told_what_is_not_as_it_was(instance, web, searching) -> None:
    web.own = {COPY: answer(status=410), FILE: answer(b"%PDF-1.4 y")}
    status, output, error = called(instance, "recheck", "--all", "laro")
    lines = output.splitlines()
    assert f"{IDENTIFIER}  lost gone reject  {COPY}" in lines
    assert any(line.endswith(f"changed success  {FILE}") for line in lines)
    assert status == 0
    assert component(searching()) is None
    web.own = {FILE: answer(status=410)}
    with closing(sqlite3.connect(instance / "discovery.sqlite")) as connection, connection:
        connection.execute("update look set looked_at = looked_at - 60")  # a second look in the same second is none
    status, _, error = called(instance, "recheck", "--all")
    assert status == 3
    assert f"Error: Files that records name are not there any more: 1, such as {FILE}." in error
    assert "missing" in dcterms_text(searching(), "provenance", url=FILE, item="LR-14-00101")


def test_status_and_explain_say_when_files_are_looked_at(instance, web) -> None:
    def files() -> dict[str, object]:
        (source,) = (json.loads(line) for line in called(instance, "status", "--json")[1].splitlines())
        return source["files"]

    assert files() == {}
    web.own = {**web.own, COPY: answer(status=404)}
    called(instance, "recheck", "--all")
    known = files()
    assert (known["known"], known["due"], known["missing"]) == (2, 0, 1)
    assert str(known["next"]) > utc_datetime(int(time()))
    lines = called(instance, "explain", IDENTIFIER)[1].splitlines()
    assert any(
        line.startswith(f"  {COPY}: checked 2") and ": not-found, not there since" in line and "the next" in line
        for line in lines
    )
    (recheck,) = json.loads(called(instance, "explain", IDENTIFIER, "--json")[1])["looks"]
    assert (recheck["url"], recheck["outcome"], recheck["rounds"], recheck["is_named"]) == (COPY, "not-found", 1, False)


def test_a_turn_looks_at_each_file_once_in_a_period_and_is_told_in_the_log(instance, web) -> None:
    now = time()
    looked = []
    for day in range(0, 91, 3):
        ran = stage(instance, now + day * DAY)
        assert ran.run.outcome is RunOutcome.SUCCEEDED
        looked.append(ran.run.counts.get("looked", 0))
    assert sorted(looked)[-3:] == [0, 1, 1]


def test_a_turn_is_due_when_the_next_file_is(instance) -> None:
    (of_recheck,) = (one for one in STAGES if one.name == "recheck")
    with opened(str(instance)) as opened_instance:
        entry = opened_instance.sources.entry("laro")
        assert of_recheck.due(Facts(opened_instance, "laro"), entry) == 0
        assert of_recheck.due(Facts(opened_instance, "laro"), replace(entry, recheck_every="")) is None
    for wanted in (["recheck"], []):
        _, output, _ = called(instance, "tend", "--json")
        stages = [json.loads(line)["stage"] for line in output.splitlines()]
        assert [name for name in stages if name != "compaction"] == wanted


def test_a_host_whose_files_vanish_is_an_alarm(instance, web) -> None:
    day = int(time()) // DAY
    with opened(str(instance)) as opened_instance:
        host = "repository.example.net"
        before = [Ending("laro", "recheck", host, "success", "2026-01", "copy", day - 20)] * 200
        after = [Ending("laro", "recheck", host, "not-found", "2026-01", "copy", day)] * 60
        opened_instance.discovery().rechecks.write((), (*before, *after))
    web.own = {**web.own, COPY: answer(status=404)}
    assert called(instance, "recheck", "--all")[0] == 0
    status, output, _ = called(instance, "alarms", "--json")
    (alarm,) = (json.loads(line) for line in output.splitlines())
    assert (status, alarm["step"], alarm["host"]) == (3, "recheck", host)
    assert alarm["examples"] == [IDENTIFIER]
