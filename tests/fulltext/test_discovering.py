"""Many works are searched for: what lacks a file, each once, written down, repeated after a kill, and explained."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from click.testing import CliRunner

from gateway.errors import NameUnknown
from gateway.fulltext.explanation import SENTENCES, explained
from gateway.fulltext.search_result import SearchResult
from gateway.fulltext.stored_search import search_as_json
from gateway.model import Candidate, Outcome, SearchState, Trace
from gateway.settings import load
from harvester.cli import main
from harvester.fulltext.answer_cache import CachingFetch
from harvester.fulltext.run import LEASE_SECONDS, step_settings
from harvester.fulltext.works import work_of
from harvester.http.messages import Request
from tests.fulltext.web import RecordedWeb, answer, recorded, to
from tests.rows import each_row

NUMBER_7 = "oai:g.example.org:laro/oai:laro.example.org:LR-15-00007"


@pytest.fixture
def harvester(folder, monkeypatch):
    """Return a function that runs `harvester` on the instance; no name is known to it, so nobody is asked."""
    for name in ("CONNECT_TIMEOUT_SECONDS", "DEADLINE_SECONDS"):
        monkeypatch.setenv(f"GATEWAY_FETCH_{name}", "1")
    monkeypatch.setenv("GATEWAY_FETCH_BACKOFF_SECONDS", "0")
    monkeypatch.setenv("GATEWAY_DISCOVER_DELAY_SECONDS", "0")
    return lambda *arguments: CliRunner().invoke(main, ["--instance", str(folder), *arguments])


def test_only_items_without_a_file_are_searched_for_and_each_once(searching) -> None:
    search = searching(discover_named_files=False)
    first = search.run()
    assert len(first) < 25
    states = [state for _, state in search.store.items("laro", 0, 100)]
    with_files = {
        state.identifier.rpartition(":")[2] for state in states if "fulltext" in search.store.item_sets(state.number)
    }
    assert with_files
    assert not with_files & set(first)
    assert search.run() == {}


def test_limits_sources_and_single_items(searching) -> None:
    search = searching()
    assert search.run(is_asked_to_stop=lambda: True) == {}
    assert len(search.run(limit=2)) == 2
    identifier = search.desk.counts()
    assert {row[:2] for row in identifier} == {("laro", "done"), ("laro", "due")}
    assert search.run("elsewhere") == {}
    assert list(search.run(identifier=NUMBER_7)) == ["LR-15-00007"]
    work = work_of(search.store, NUMBER_7, "up")
    assert work is not None
    assert (work.identifiers, work.upstream) == (("https://doi.org/10.5555/laro.2015.0007",), "up")
    assert any(statement.element == "title" for statement in work.statements)
    assert work_of(search.store, "oai:nobody", "x") is None


def test_a_dry_run_writes_nothing(searching) -> None:
    search = searching()
    outcomes = search.try_out()
    assert outcomes
    assert search.try_out(identifier=NUMBER_7) == {"LR-15-00007": outcomes["LR-15-00007"]}
    assert search.desk.counts() == tuple(search.desk.endings()) == ()
    assert search.desk.position("laro") == 0
    assert search.run() == outcomes
    assert search.try_out() == {}


def test_a_dry_run_leaves_what_is_done_or_waits_as_it_is(searching) -> None:
    search = searching(RecordedWeb(has_recordings=False, before=_unknown))
    search.run()
    before = search.desk.counts()
    assert {row[1] for row in before} == {"done", "waiting"}
    assert search.try_out() == {}
    waiting, _ = _one_of(search, "waiting"), _one_of(search, "done")
    assert list(search.try_out(identifier=waiting)) == [waiting.rpartition(":")[2]]
    assert len(search.try_out(before=search.now + 1)) == sum(row[3] for row in before if row[1] == "done")
    assert len(search.try_out(before=search.now + 1, limit=1)) == 1
    assert search.desk.counts() == before


def _one_of(search, wanted: str) -> str:
    identifiers = (state.identifier for _, state in search.store.items("laro", 0, 100))
    states = filter(None, map(search.desk.search, identifiers))
    return next(state.identifier for state in states if state.state == wanted)


def test_what_is_ill_today_is_searched_again_and_given_up_at_last(searching) -> None:
    search = searching(RecordedWeb(has_recordings=False, before=_unknown))
    assert Counter(search.run().values()).keys() >= {"dns-error"}
    assert search.run() == {}
    waiting = next(row for row in search.desk.counts() if row[1] == "waiting")
    for _ in range(5):
        search.now += 604_801
        search.run()
    assert waiting[1] not in {row[1] for row in search.desk.counts()}


def _unknown(_request: Request) -> None:
    raise NameUnknown("There is no such name.")


@pytest.mark.parametrize("error", [OSError("No space left on device"), KeyboardInterrupt()])
def test_what_breaks_the_search_gives_the_item_back(searching, error) -> None:
    search = searching(RecordedWeb(has_recordings=False, before=_breaks(error)), discover_threads=1)
    with pytest.raises(type(error)):
        search.run()
    assert {row[1] for row in search.desk.counts()} == {"due"}


def _breaks(error: BaseException, where: str = ""):
    def before(request: Request) -> None:
        if where in request.url:
            raise error

    return before


def test_a_fault_of_ours_in_one_item_ends_the_search_for_that_item_alone(searching, caplog) -> None:
    search = searching(RecordedWeb(has_recordings=False))
    expected = search.try_out()
    search.web.before = _breaks(RuntimeError("Here."), "laro.2015.0007")
    assert search.try_out() == search.run() == {**expected, "LR-15-00007": "fault"}
    assert "LR-15-00007: a fault of this program" in caplog.text
    assert "Here." in caplog.text
    assert search.run() == {}
    search.web.before = lambda _request: None
    search.now += 86_401
    assert search.run()["LR-15-00007"] == expected["LR-15-00007"]


def test_who_lost_the_lease_writes_nothing(searching) -> None:
    slow, fast = searching(discover_threads=1), searching(discover_threads=1)
    slow.work.enlist(["laro"])

    def meanwhile(_request: Request) -> None:
        slow.web.before = lambda _request: None
        fast.now += LEASE_SECONDS + 1
        fast.run()

    slow.web.before = meanwhile
    results = list(slow.work.run(limit=1))
    assert [result.is_lost for result in results] == [True]


@pytest.mark.needs("../shared")
def test_a_file_is_found_for_a_work_of_the_sample_and_explained(searching) -> None:
    page, file = "https://doi.org/10.5555/laro.2015.0007", "https://laro.example.org/files/1.pdf"
    web = RecordedWeb(
        {
            page: answer(f'<meta name="citation_pdf_url" content="{file}">'),
            file: recorded("pdf/grobid__submission_363.pdf"),
        },
        has_recordings=False,
    )
    search = searching(web)
    assert search.run()["LR-15-00007"] == "wrong-document"
    words = "\n".join(explained(search.desk.search(NUMBER_7), search.desk.decisions(NUMBER_7)))
    assert "wrong-document, 2027-01-15T08:00:00Z. It is another document." in words
    assert "  crossref: not-found. It is not known, or not there." in words
    assert f"    {file} (meta:citation_pdf_url): wrong-document. It is another document." in words
    assert re.search(rf"rule: re\w+ {file}. (?:The score 0|Neither the title)", words)
    assert re.search(r"type application/pdf, bytes 28546, sha-256 [0-9a-f]{64}, at 20", words)


def test_what_a_step_names_is_not_said_to_be_found_and_each_service_speaks_for_itself() -> None:
    """A person read `The work was found` of links that were all refused, and of OpenAlex what Unpaywall knows."""
    refused = Candidate("https://a.example.org/1.pdf", "crossref", outcome=Outcome.FORBIDDEN)
    traces = (Trace("crossref", Outcome.SUCCESS, 1), Trace("openalex", Outcome.NOT_OA))
    story = search_as_json(SearchResult(Outcome.FORBIDDEN, traces, (refused,)))
    state = SearchState("oai:x", "laro", "up", "done", 0, 1, "forbidden", 1, story)
    words = "\n".join(explained(state))
    assert "crossref: success, 1 copy. It names where a file may be." in words
    assert "The work was found." not in words
    assert "openalex: not-oa. No open copy is known there." in words


@each_row("hops, is_reported", [
    ((), False), (("https://a.example.org/",), True), (("http://a.example.org/",), False),
    (("http://a.example.org/", "https://a.example.org/"), True),
])  # fmt: skip
def test_a_way_that_leaves_encryption_is_reported(hops: tuple[str, ...], is_reported: bool) -> None:
    candidate = Candidate("https://a.example.org/", "unpaywall", hops=hops, final_url="http://b.example.org/")
    story = search_as_json(SearchResult(Outcome.NOT_PDF, (Trace("unpaywall", Outcome.SUCCESS),), (candidate,)))
    state = SearchState("oai:x", "s", "1", "done", 0, 1, "not-pdf", 1, story)
    assert any("from an encrypted address to one that is not" in line for line in explained(state)) is is_reported


def test_every_outcome_has_a_sentence() -> None:
    assert set(SENTENCES) == set(Outcome)


def test_nothing_is_asked_twice_as_long_as_the_answer_holds(searching) -> None:
    search = searching()
    own = {"a": answer("<p>x", Link="<y>"), "b": answer(status=503), "f": answer(b"%PDF-1.4")}
    web = RecordedWeb({f"https://{name}.example.org/": sent for name, sent in own.items()}, has_recordings=False)
    fetch = CachingFetch(web, search.desk, lambda: float(search.now))
    first = [fetch(Request(f"https://{name}.example.org/")) for name in "abcf"]
    again = [fetch(Request(f"https://{name}.example.org/")) for name in "abcf"]
    assert again == first
    assert [url[8] for url in web.asked] == [*"abcf", *"bf"]  # an error and a file are not kept
    asked = "https://api.openalex.org/works/x?mailto=a&api_key=secret"
    assert [fetch(Request(asked)).url for _ in range(2)] == [asked, asked.replace("secret", "...")]
    search.now += 31 * 86_400
    fetch(Request("https://c.example.org/"))
    assert web.asked[-1] == "https://c.example.org/"


def test_what_is_asked_is_asked_for_the_work(searching) -> None:
    """Whoever the request speaks for has the cookies: no host learns of one work what it was asked for another."""
    asked: list[str] = []
    search = searching(RecordedWeb(has_recordings=False, before=lambda request: asked.append(request.source)))
    search.run(limit=3)
    assert len(set(asked)) == 3
    assert all(identifier.startswith("oai:g.example.org:laro/") for identifier in asked)


def test_a_second_search_after_a_kill_asks_only_what_was_not_answered(searching) -> None:
    search = searching(discover_threads=1)
    search.work.fetch = CachingFetch(search.web, search.desk, lambda: float(search.now))
    search.work.enlist(["laro"])
    taken = search.desk.lease(search.now, LEASE_SECONDS)
    search.work._search(taken, bytes, lambda *_: None)  # and then killed: nothing is written
    asked = len(search.web.asked)
    search.now += LEASE_SECONDS
    search.run(limit=1, identifier=taken.identifier)
    assert asked
    assert len(search.web.asked) == asked


@each_row("options, email", [
    ({}, ""), ({"admin_email": "a@library.test"}, "a@library.test"),
    ({"admin_email": "a@library.test", "discover_email": "b@library.test"}, "b@library.test"),
])  # fmt: skip
def test_who_asks_is_never_an_example(tmp_path, options: dict, email: str) -> None:
    assert step_settings(load(tmp_path, environ={}, options=options))["email"] == email


def test_the_commands_search_and_explain(harvester) -> None:
    result = harvester("discover", "--limit", "1", "--step", "recipes", "--json")
    assert result.exit_code == 0
    (line,) = result.stdout.splitlines()
    identifier = json.loads(line)["identifier"]
    assert result.stderr.strip().startswith("Searched for 1 items: ")
    assert "must have come to it" in harvester("explain", identifier).stderr
    done = harvester("discover", "--item", identifier, "--step", "recipes")
    assert identifier in done.stdout
    assert harvester("discover", "--limit", "1").exit_code == 0
    assert harvester("explain", identifier).exit_code == 0
    assert harvester("discover", "--item", identifier).exit_code == 0
    explanation = json.loads(harvester("explain", identifier, "--json").stdout)
    assert isinstance(explanation["story"]["candidates"], list)


def test_how_searches_ended_is_counted_per_step_host_and_source(harvester, searching) -> None:
    page, file = "https://doi.org/10.5555/laro.2015.0007", "https://laro.example.org/files/1.pdf"
    captcha = answer("<title>Just a moment...</title>", 403)
    search = searching(RecordedWeb({page: to(file), file: captcha}, has_recordings=False))
    items = len(search.run())
    lines = harvester("outcomes").stdout.splitlines()
    assert any(re.fullmatch(r" +1 +\d+\.\d%  laro  landing_page  step  blocked-captcha", line) for line in lines)
    assert any(re.fullmatch(r" +\d+ +\d+\.\d%  laro  crossref  step  not-found", line) for line in lines)
    assert harvester("outcomes", "--by", "step", "--by", "step").stdout == harvester("outcomes", "--by", "step").stdout
    counted = harvester("outcomes", "laro", "--by", "host", "--json")
    by_host = [json.loads(line) for line in counted.stdout.splitlines()]
    assert all(row["host"] for row in by_host)
    assert any(row["host"] == "api.crossref.org" and row["outcome"] == "not-found" for row in by_host)
    assert re.fullmatch(r"\d+ more ended at no host: nobody was asked\.\n", counted.stderr)
    of_laro = {(row["what"], row["outcome"], row["count"], row["share"]) for row in by_host if "laro" in row["host"]}
    assert of_laro == {
        ("copy", "not-found", 18, 1.0),
        ("step", "blocked-captcha", 2, 0.25),
        ("step", "not-found", 6, 0.75),
    }
    assert sum(row["count"] for row in by_host) > items
    assert harvester("outcomes", "nobody").exit_code == 2


@each_row("arguments, sentence", [
    (("discover", "nobody"), "No records are held of nobody; there are: laro."),
    (("discover", "--item", "x"), "x is no item that was or is to be searched for"),
    (("discover", "--step", "x"), "There is no step 'x'"),
    (("discover", "--recheck-older-than", "soon"), "must be a whole number and one of s, m, h, d, w"),
    (("explain", "x"), "x is no item that was or is to be searched for"),
])  # fmt: skip
def test_what_cannot_be_done_is_said_in_a_sentence(harvester, arguments: tuple[str, ...], sentence: str) -> None:
    result = harvester(*arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr


def test_an_item_alone_leaves_the_others_as_they_were_searched(harvester, searching) -> None:
    """With both options everything that was searched long ago was put up again."""
    search = searching()
    search.now = 1_000_000_000
    search.run(limit=3)
    states = {state: count for _, state, _, count in search.desk.counts()}
    name = search.desk.due("", search.now).identifier
    assert harvester("discover", "--item", name, "--recheck-older-than", "1s").exit_code == 0
    assert sum(count for _, state, _, count in search.desk.counts() if state == "due") == states["due"] - 1
