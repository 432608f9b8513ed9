"""The search as a stage of scheduled runs: in turns, told in the log, with what a kill had left."""

import json
import sqlite3
from contextlib import closing
from time import time

import pytest
from click.testing import CliRunner

from gateway.core.model import Decision
from gateway.core.xmltext import utc_datetime
from gateway.takedowns.apply import pending
from harvester.cli import main
from harvester.harvest.instance import opened
from harvester.http.retrying import Pace
from harvester.runtime.exit_status import Status
from harvester.runtime.interrupts import Stop
from harvester.runtime.progress import Progress
from harvester.runtime.worker_pool import WorkerPool
from harvester.schedule import full_text_stage
from harvester.schedule.source_work import SourceWork
from harvester.schedule.stages import Scheduler, StageResult
from tests.clocks import Clocks
from tests.fulltext.test_releasing import COPY, DAY, IDENTIFIER, component, pdf, title_of, unpaywall
from tests.fulltext.web import RecordedWeb, answer

pytestmark = pytest.mark.slow

DOI = "10.5555/laro.2015.0007"


@pytest.fixture
def web(monkeypatch) -> RecordedWeb:
    """Return a web that knows nothing, in the place of the real one."""
    web = RecordedWeb(has_recordings=False)
    monkeypatch.setattr(full_text_stage, "polite", lambda *_: web)
    return web


@pytest.fixture
def tend(folder, web):
    """Return a function that runs `harvester tend`, where the source is to be searched for every hour."""
    file = folder / "sources.toml"
    file.write_text(f'{file.read_text()}\ndiscover_every = "1h"\nrecheck_every = "90d"\n')

    def run(**settings: str) -> tuple[int, list[dict]]:
        environ = {f"GATEWAY_{name.upper()}": value for name, value in settings.items()}
        result = CliRunner(env=environ).invoke(main, ["--instance", str(folder), "tend", "--json"])
        assert result.exception is None or isinstance(result.exception, SystemExit)
        facts = map(json.loads, result.stdout.splitlines())
        return result.exit_code, [fact for fact in facts if fact["stage"] not in ("recheck", "compaction")]

    return run


def later(folder, seconds: int) -> None:
    with closing(sqlite3.connect(folder / "inbox.sqlite")) as connection, connection:
        connection.execute("update run set started_at = started_at - ?, ended_at = ended_at - ?", (seconds, seconds))


def test_a_turn_takes_some_items_and_the_next_one_the_others(tend, folder, web, monkeypatch) -> None:
    monkeypatch.setattr(full_text_stage, "BATCH", 5)
    status, (fact,) = tend(discover_items="5")
    assert (status, fact["stage"], fact["outcome"], fact["counts"]["searched"]) == (0, "discovery", "succeeded", 5)
    assert tend() == (0, [])
    later(folder, 3600 * 2)
    _, (fact,) = tend()
    assert fact["counts"]["searched"] == 17
    asked = len(web.asked)
    later(folder, 3600 * 2)
    _, (fact,) = tend()
    assert (fact["counts"].get("searched", 0), len(web.asked)) == (0, asked)


def test_a_search_carries_out_what_was_taken_down_while_it_read_a_file(folder, searching, web) -> None:
    """No further command is needed: the copy is gone, and the check finds nothing that is left to do."""
    search = searching()
    web.own = {**unpaywall(), COPY: answer(pdf(search))}

    def take_down(request) -> None:
        if request.url == COPY:
            done = CliRunner().invoke(main, ["--instance", str(folder), "takedown", "add", IDENTIFIER])
            assert done.exit_code == 0, done.output

    web.before = take_down
    environ = {"GATEWAY_DISCOVER_EMAIL": "librarian@library.test"}
    done = CliRunner(env=environ).invoke(main, ["--instance", str(folder), "discover", "laro"])
    assert (done.exit_code, COPY in web.asked) == (0, True)
    assert [path for path in (folder / "files").rglob("*") if path.is_file()] == []
    assert not any(pending(search.store))
    assert search.store.takedowns().digests != frozenset()


def test_a_fault_of_ours_in_one_item_is_told_and_the_others_have_their_turn(tend, web) -> None:
    def before(request) -> None:
        if "laro.2015.0007" in request.url:
            raise RuntimeError

    web.before = before
    status, (fact,) = tend()
    assert (status, fact["outcome"], fact["counts"]["searched"]) == (3, "succeeded_with_errors", 22)
    assert fact["reasons"] == ["Faults of this program: 1, each in one item."]


def test_what_was_searched_long_ago_has_its_turn_again(tend, folder) -> None:
    tend()
    with closing(sqlite3.connect(folder / "discovery.sqlite")) as connection, connection:
        connection.execute("update search set searched_at = searched_at - ?", (91 * 86_400,))
    later(folder, 3600 * 2)
    _, (fact,) = tend()
    assert fact["counts"]["searched"] == 22


def test_what_a_kill_had_left_is_published(tend, folder) -> None:
    tend()
    with opened(str(folder)) as instance:
        ((_, item),) = instance.store.items("laro", 0, 1)
        instance.discovery().decide(
            Decision(item.identifier, "https://x.example.org/", "0" * 64, "reject", "", "anna", 1)
        )
    assert [fact["stage"] for fact in tend()[1]] == ["files"]
    assert tend()[1] == []


def test_tending_searches_again_by_itself_on_the_day_on_which_an_embargo_ends_and_accepts_the_file(
    folder, web, searching
) -> None:
    """Nobody asks for the item: day after day what is due is done, and its file is in the DIDL when it may be."""
    file = folder / "sources.toml"
    file.write_text(f'{file.read_text()}\ndiscover_every = "12h"\n')
    copy, began = "https://r.example.org/1.pdf", int(time()) - 20 * DAY  # no run may be dated in the future
    opens = utc_datetime(began + 3 * DAY)[:10]
    known = {
        "doi": DOI,
        "titles": [{"title": title_of(searching())}],
        "contentUrl": [copy],
        "rightsList": [
            {"rightsUri": "info:eu-repo/semantics/embargoedAccess"},
            {"rightsUri": "https://creativecommons.org/licenses/by/4.0/"},
        ],
        "dates": [{"dateType": "Available", "date": opens}],
    }
    web.own = {
        f"https://api.datacite.org/dois/{DOI}": answer(json.dumps({"data": {"attributes": known}})),
        copy: answer(pdf(searching())),
    }
    clock, stop, fetched, searched = Clocks(wall=float(began)), Stop(), [], []
    with opened(str(folder)) as instance:
        source_work = SourceWork(instance, Progress(), stop, Pace(), clock=lambda: clock.wall)

        def failed(name: str, error: BaseException) -> tuple[StageResult, ...]:
            return (StageResult("", source_work.failed(name, error)),)

        for _ in range(7):
            with WorkerPool[None, tuple[StageResult, ...]](1, stop, failed=failed) as pool:
                done = [result for _, result in Scheduler(source_work, pool, clock=lambda: clock.wall).once()]
            assert {result.done.status for result in done} == {Status.SUCCEEDED}
            searched.append(
                [result.done.run.counts.get("searched", 0) for result in done if result.done.run is not None]
            )
            fetched.append((utc_datetime(int(clock.wall))[:10] >= opens, copy in web.asked))
            clock.pass_seconds(DAY)
        assert [is_open for is_open, _ in fetched] == [was_fetched for _, was_fetched in fetched]
        assert searched == [[22], [0], [0], [1], [0], [0], [0]]
        decisions = instance.discovery().decisions(IDENTIFIER)
        assert [(decision.verdict, decision.decided_by, decision.url) for decision in decisions] == [
            ("accept", "rule", copy)
        ]
        assert instance.discovery().search(IDENTIFIER).state == "done"
    assert component(searching(), copy) is not None


# --- the command and the stage are one loop, with one lifecycle ---------------------------------------------------
