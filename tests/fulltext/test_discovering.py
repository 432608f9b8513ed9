"""Many works are searched for: what lacks a file, each once, written down, repeated after a kill, and explained."""

import json
import re
from collections import Counter

import pytest
from click.testing import CliRunner

from gateway.core.errors import NameUnknown
from gateway.fulltext.explanation import explained
from harvester.cli import main
from harvester.fulltext.polite_fetch import CachingFetch
from harvester.http.messages import Request
from tests.fulltext.web import RecordedWeb, answer, recorded, to

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


def test_a_dry_run_writes_nothing(searching) -> None:
    search = searching()
    outcomes = search.try_out()
    assert outcomes
    assert search.try_out(identifier=NUMBER_7) == {"LR-15-00007": outcomes["LR-15-00007"]}
    assert search.discovery.counts() == tuple(search.discovery.endings()) == ()
    assert search.discovery.position("laro") == 0
    assert search.run() == outcomes
    assert search.try_out() == {}


def test_what_is_ill_today_is_searched_again_and_given_up_at_last(searching) -> None:
    search = searching(RecordedWeb(has_recordings=False, before=_unknown))
    assert Counter(search.run().values()).keys() >= {"dns-error"}
    assert search.run() == {}
    waiting = next(row for row in search.discovery.counts() if row[1] == "waiting")
    for _ in range(5):
        search.now += 604_801
        search.run()
    assert waiting[1] not in {row[1] for row in search.discovery.counts()}


def _unknown(_request: Request) -> None:
    raise NameUnknown("There is no such name.")


@pytest.mark.parametrize("error", [OSError("No space left on device"), KeyboardInterrupt()])
def test_what_breaks_the_search_gives_the_item_back(searching, error) -> None:
    search = searching(RecordedWeb(has_recordings=False, before=_breaks(error)), discover_threads=1)
    with pytest.raises(type(error)):
        search.run()
    assert {row[1] for row in search.discovery.counts()} == {"due"}


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
    words = "\n".join(explained(search.discovery.search(NUMBER_7), search.discovery.decisions(NUMBER_7)))
    assert "A file was found, but not accepted as this work. The search was on 2027-01-15." in words
    assert "  crossref: not-found. It is not known, or not there." in words
    assert f"    {file} (meta:citation_pdf_url): wrong-document. It is another document." in words
    assert re.search(rf"rule: reject {file}. Nothing on its first pages is of the work", words)
    assert re.search(r"type application/pdf, bytes 28546, sha-256 [0-9a-f]{64}, at 20", words)


def test_nothing_is_asked_twice_as_long_as_the_answer_holds(searching) -> None:
    search = searching()
    own = {"a": answer("<p>x", Link="<y>"), "b": answer(status=503), "f": answer(b"%PDF-1.4")}
    web = RecordedWeb({f"https://{name}.example.org/": sent for name, sent in own.items()}, has_recordings=False)
    fetch = CachingFetch(web, search.discovery, lambda: float(search.now))
    first = [fetch(Request(f"https://{name}.example.org/")) for name in "abcf"]
    again = [fetch(Request(f"https://{name}.example.org/")) for name in "abcf"]
    assert again == first
    assert [url[8] for url in web.asked] == [*"abcf", *"bf"]  # an error and a file are not kept
    asked = "https://api.openalex.org/works/x?mailto=a&api_key=secret"
    assert [fetch(Request(asked)).url for _ in range(2)] == [asked, asked.replace("secret", "...")]
    search.now += 31 * 86_400
    fetch(Request("https://c.example.org/"))
    assert web.asked[-1] == "https://c.example.org/"


def test_the_commands_search_and_explain(harvester) -> None:
    result = harvester("discover", "--limit", "1", "--step", "recipes", "--json")
    assert result.exit_code == 0
    (line,) = result.stdout.splitlines()
    identifier = json.loads(line)["identifier"]
    assert result.stderr.strip().startswith("Searched for 1 items: ")
    assert harvester("explain", identifier).stdout.startswith(f"{identifier}: Not searched. ")
    assert json.loads(harvester("explain", identifier, "--json").stdout)["standing"]["name"] == "not-searched"
    assert "no item that can be searched for" in harvester("explain", "oai:unknown.example.org:1").stderr
    done = harvester("discover", "--item", identifier, "--step", "recipes")
    assert identifier in done.stdout
    assert harvester("discover", "--limit", "1").exit_code == 0
    assert harvester("explain", identifier).exit_code == 0
    assert harvester("discover", "--item", identifier).exit_code == 0
    explanation = json.loads(harvester("explain", identifier, "--json").stdout)
    assert isinstance(explanation["story"]["candidates"], list)
    removed = next(line for line in harvester("records", "laro").stdout.splitlines() if identifier not in line)
    other = json.loads(removed)["identifier"]
    assert harvester("source", "remove", "laro", "--yes").exit_code == 0
    assert harvester("explain", other).stdout.startswith(f"{other}: Its source was removed here. ")


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
