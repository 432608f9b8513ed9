"""The recheck as a command and as a stage of scheduled runs: what is due is looked at, and told."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from time import time

import pytest
from click.testing import CliRunner

from gateway.errors import StoreBusy
from gateway.fulltext.release import Releaser
from gateway.model import Ending, RunOutcome
from gateway.xmltext import utc_datetime
from harvester.cli import main
from harvester.fulltext.politeness import PoliteFetch
from harvester.harvest.instance import opened
from harvester.runtime.exit_status import SourceLocked
from harvester.runtime.interrupts import Stop
from harvester.runtime.progress import Silence
from harvester.schedule import full_text_stage, recheck_stage
from harvester.schedule.due import GATHERED_SECONDS, look_due_at
from harvester.schedule.stages import STAGES
from tests.fulltext.test_releasing import COPY, DAY, FILE, IDENTIFIER, component, dcterms_text, pdf, unpaywall
from tests.fulltext.web import RecordedWeb, answer
from tests.rows import each_row

pytestmark = pytest.mark.slow


@pytest.fixture
def web(monkeypatch) -> RecordedWeb:
    """Return a web of the tests' own in the place of the real one, for searches and for rechecks."""
    web = RecordedWeb(has_recordings=False)
    monkeypatch.setattr(full_text_stage, "polite", lambda *_: web)
    monkeypatch.setattr(recheck_stage, "polite_anew", lambda *_: PoliteFetch(web, 0.0))
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
        return recheck_stage.recheck(opened_instance, entry, Silence(), stop or Stop(), lambda: at)


def test_every_file_is_looked_at_when_asked_for_and_only_then(instance) -> None:
    assert called(instance, "recheck") == (0, "", "Looked at 0 files: nothing is due.\n")
    status, output, error = called(instance, "recheck", "--all", "--json")
    looks = [json.loads(line) for line in output.splitlines()]
    assert {look["url"] for look in looks} >= {COPY, FILE}
    assert {(look["effect"], look["outcome"], look["is_named"]) for look in looks if look["url"] in (COPY, FILE)} == {
        ("unchanged", "success", False),
        ("unchanged", "success", True),
    }
    assert (status, error) == (0, f"Looked at {len(looks)} files: {len(looks)} unchanged.\n")


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


def test_one_item_and_a_rehearsal(instance, web) -> None:
    web.own = {COPY: answer(status=410)}
    status, output, _ = called(instance, "recheck", "--item", IDENTIFIER, "--dry-run")
    assert (status, output) == (0, f"{IDENTIFIER}  lost gone  {COPY}\n")
    status, _, error = called(instance, "recheck", "--item", "oai:g.example.org:laro/unknown")
    assert status != 0
    assert "No published file of oai:g.example.org:laro/unknown is known." in error
    assert called(instance, "recheck", "unknown")[0] != 0
    assert called(instance, "recheck", "--item", IDENTIFIER)[1] == f"{IDENTIFIER}  lost gone reject  {COPY}\n"


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
        line.startswith(f"  {COPY}: looked at 2") and ": not-found, not there since" in line and "the next" in line
        for line in lines
    )
    (look,) = json.loads(called(instance, "explain", IDENTIFIER, "--json")[1])["looks"]
    assert (look["url"], look["outcome"], look["rounds"], look["is_named"]) == (COPY, "not-found", 1, False)


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
        assert of_recheck.due(opened_instance, entry) == 0
        assert of_recheck.due(opened_instance, replace(entry, recheck_every="")) is None
    for wanted in (["recheck"], []):
        _, output, _ = called(instance, "tend", "--json")
        stages = [json.loads(line)["stage"] for line in output.splitlines()]
        assert [name for name in stages if name != "compaction"] == wanted


@each_row(
    "next_at, listed_at, due",
    [
        (None, None, 0),
        (None, 1000, 1000 + DAY),
        (5000, 1000, 5000 + GATHERED_SECONDS),
        (0, 1000, 0),
        (1 << 62, 1000, 1000 + DAY),
    ],
)
def test_due_files_are_gathered_for_an_hour_and_new_ones_are_listed_daily(next_at, listed_at, due) -> None:
    assert look_due_at(90 * DAY, next_at, listed_at) == due


def test_a_turn_ends_after_some_minutes_and_the_rest_is_due_at_once(instance, monkeypatch) -> None:
    monkeypatch.setattr(recheck_stage, "_LONGEST_SECONDS", -1.0)
    ran = stage(instance, time() + 91 * DAY)
    assert ran.run.counts.get("looked", 0) == 0


def test_one_source_is_looked_at_at_a_time(instance) -> None:
    with full_text_stage.ONE_SOURCE, pytest.raises(SourceLocked, match="another source"):
        stage(instance, time())


def test_who_asks_to_stop_ends_a_turn(instance, web) -> None:
    web.asked.clear()
    stop = Stop()
    stop.ask()
    assert stage(instance, time() + 91 * DAY, stop).run.outcome is RunOutcome.STOPPED
    assert web.asked == []


def test_an_error_of_the_store_ends_the_command_with_its_status(instance, monkeypatch) -> None:
    def busy(*_: object) -> None:
        raise StoreBusy("The store is busy.")

    monkeypatch.setattr(Releaser, "release", busy)
    status, _, error = called(instance, "recheck", "--all")
    assert status == 5
    assert "Error: The store is busy." in error


def test_a_renewed_search_requests_no_file_that_was_looked_at_lately(instance, web) -> None:
    assert called(instance, "recheck", "--all")[0] == 0
    web.asked.clear()
    with opened(str(instance)) as opened_instance:
        desk = opened_instance.desk()
        searched_at = desk.search(IDENTIFIER).searched_at
    with closing(sqlite3.connect(instance / "discovery.sqlite")) as connection, connection:
        connection.execute("update search set searched_at = searched_at - ?", (100 * DAY,))
    assert called(instance, "discover", "--recheck-older-than", "90d")[0] == 0
    assert not {COPY, FILE} & set(web.asked)
    with opened(str(instance)) as opened_instance:
        state = opened_instance.desk().search(IDENTIFIER)
        assert state.searched_at >= searched_at - 1, utc_datetime(state.searched_at)
        assert opened_instance.desk().decisions(IDENTIFIER)[-1].verdict == "accept"


def test_a_host_whose_files_vanish_is_an_alarm(instance, web) -> None:
    day = int(time()) // DAY
    with opened(str(instance)) as opened_instance:
        host = "repository.example.net"
        before = [Ending("laro", "recheck", host, "success", "2026-01", "copy", day - 20)] * 200
        after = [Ending("laro", "recheck", host, "not-found", "2026-01", "copy", day)] * 60
        opened_instance.desk().looks.write((), (*before, *after))
    web.own = {**web.own, COPY: answer(status=404)}
    assert called(instance, "recheck", "--all")[0] == 0
    status, output, _ = called(instance, "alarms", "--json")
    (alarm,) = (json.loads(line) for line in output.splitlines())
    assert (status, alarm["step"], alarm["host"]) == (3, "recheck", host)
    assert alarm["examples"] == [IDENTIFIER]
