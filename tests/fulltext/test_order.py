"""In which order copies are looked at, which of them take a place, and how many requests a work takes, by its kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from gateway.errors import AddressRefused, GatewayError, NameUnknown
from gateway.fulltext.search_result import SearchResult
from gateway.model import Outcome, Work
from gateway.store.opening import open_discovery
from harvester.fulltext.answer_cache import CachingFetch
from harvester.fulltext.known_copies import Copy
from harvester.fulltext.politeness import PoliteFetch
from harvester.fulltext.search_work import MOST_ADDRESSES, search
from harvester.fulltext.step_order import steps
from harvester.fulltext.steps import Known, Step, StepResult, known_of
from harvester.fulltext.steps._fetch_once import FetchOnce
from harvester.fulltext.steps._pages import pages_of
from harvester.http.messages import Request
from harvester.http.urls import host_of
from tests.fulltext.kinds import (
    CLOSED,
    DOI,
    FILE,
    FURTHER,
    GOOD,
    KINDS,
    KNOWN_OPEN,
    PAGE,
    POLICY,
    PUBLISHER,
    REPOSITORY,
    TITLE,
    crossref,
    link,
    location,
    unpaywall,
)
from tests.fulltext.web import SETTINGS, Answer, RecordedWeb, a_pdf, answer, to, work
from tests.rows import each_row

pytestmark = pytest.mark.usefixtures("quick_reader")

NOW = 1_700_000_000


def searched(
    about: Work, own: Mapping[str, Answer], *, most_files: int = 6, only: tuple[Step, ...] = ()
) -> SearchResult:
    return _searched(about, own, most_files, only)[0]


def _searched(
    about: Work, own: Mapping[str, Answer], most_files: int = 6, only: tuple[Step, ...] = ()
) -> tuple[SearchResult, list[str]]:
    web = RecordedWeb(own, has_recordings=False)
    return search(about, only or steps(), web, SETTINGS, at=NOW, most_files=most_files), web.asked


def test_the_steps_that_only_gather_are_those_of_least_cost() -> None:
    are_first = [step.is_first for step in steps()]
    assert are_first == sorted(are_first, reverse=True)
    assert {"crossref", "datacite", "unpaywall", "recipes", "own_links"} <= {s.name for s in steps() if s.is_first}


def test_the_open_copy_that_unpaywall_knows_is_asked_for_before_the_links_of_the_publisher() -> None:
    own = {**crossref(link(FILE)), **unpaywall(location(f"{REPOSITORY}/1.pdf", license_="cc-by"))}
    result, asked = _searched(work(TITLE, doi=DOI), {**own, f"{REPOSITORY}/1.pdf": GOOD, FILE: answer(status=403)})
    assert result.outcome is Outcome.SUCCESS
    assert [candidate.url for candidate in result.candidates] == [f"{REPOSITORY}/1.pdf"]
    assert FILE not in asked
    own = {**crossref(link(f"{PUBLISHER}/tdm/x")), **unpaywall(location(FILE)), FILE: GOOD}  # without a licence
    assert [candidate.url for candidate in searched(work(TITLE, doi=DOI), own).candidates] == [FILE]


def test_the_page_that_unpaywall_calls_open_is_looked_at_before_that_of_the_publisher() -> None:
    own = {
        **crossref(),
        **unpaywall(location(page=f"{REPOSITORY}/1", host_type="repository")),
        f"{REPOSITORY}/1": answer('<a href="/1.pdf">PDF</a>'),
        f"{REPOSITORY}/1.pdf": GOOD,
        **CLOSED,
    }
    result, asked = _searched(work(TITLE, doi=DOI), own)
    assert result.outcome is Outcome.SUCCESS
    assert PAGE not in asked


def test_pages_for_text_mining_are_looked_at_only_where_no_other_is_known() -> None:
    known = known_of(work(TITLE, doi=DOI), {})
    mining = Copy(f"{PUBLISHER}/tdm", is_page=True, evidence="crossref:link[text-mining]")
    registered = Copy(PAGE, is_page=True, evidence="crossref:resource")
    assert pages_of(_with_pages(known, mining, registered)) == (PAGE,)
    assert pages_of(_with_pages(known, mining)) == (f"https://doi.org/{DOI}",)
    assert pages_of(_with_pages(known_of(work(TITLE), {}), mining)) == (mining.url,)


@each_row("page", [f"http://dx.doi.org/{DOI}", f"https://www.doi.org/{DOI}", f"https://doi.org/{DOI}"])
def test_a_record_whose_page_is_a_resolver_is_looked_at_where_its_doi_is_registered(page: str) -> None:
    handle = "http://hdl.handle.net/10267/44"  # once, although one names it encrypted and one does not
    assert pages_of(known_of(work(TITLE, page=handle), {})) == (handle,)
    known = known_of(work(TITLE, doi=DOI, page=page), {})
    assert pages_of(known) == (f"https://doi.org/{DOI}",)
    assert pages_of(_with_pages(known, Copy(PAGE, is_page=True, evidence="crossref:resource"))) == (PAGE,)


def _with_pages(known: Known, *pages: Copy) -> Known:
    return known.with_(StepResult(Outcome.SUCCESS, pages))


def test_many_refused_links_for_text_mining_do_not_hide_the_file_on_the_page_of_the_same_host() -> None:
    """Twelve refusals in a row barred the host for a day, and the page was never asked for."""
    mining = [link(f"{PUBLISHER}/tdm/{n}", "application/pdf") for n in range(13)]
    refused = {mining_link["URL"]: answer(status=403) for mining_link in mining}
    named = {PAGE: answer(f'<a href="{FILE}">PDF</a>'), FILE: GOOD}
    web = RecordedWeb({**crossref(*mining), **unpaywall(), **CLOSED, **refused, **named}, has_recordings=False)
    manners = PoliteFetch(web, 0.0, sleep=lambda _: None)
    result = search(work(TITLE, doi=DOI), steps(), manners, SETTINGS, at=NOW, most_files=6)
    asked = [url for url in web.asked if url in refused]
    left = {candidate.url: candidate.outcome for candidate in result.candidates if candidate.url not in asked}
    assert result.outcome is Outcome.SUCCESS
    assert asked == [mining_link["URL"] for mining_link in mining[:3]]
    assert left == {FILE: Outcome.SUCCESS, **{mining_link["URL"]: Outcome.SKIP_HOST for mining_link in mining[3:]}}


def test_an_address_that_was_left_out_is_asked_for_where_the_page_names_it_too() -> None:
    mining = [link(f"{PUBLISHER}/tdm/{n}", "application/pdf") for n in range(3)]
    refused = {mining_link["URL"]: answer(status=403) for mining_link in mining}
    page = {PAGE: answer(f'<a href="{FILE}">PDF</a>'), FILE: GOOD}
    own = {**crossref(*mining, link(FILE, "application/pdf")), **unpaywall(), **CLOSED, **refused, **page}
    result = searched(work(TITLE, doi=DOI), own)
    assert [candidate.outcome for candidate in result.candidates if candidate.url == FILE] == [Outcome.SUCCESS]


def test_links_for_text_mining_come_last_among_those_of_a_publisher() -> None:
    mining = [link(f"{PUBLISHER}/tdm/{n}", "application/pdf") for n in range(3)]
    mining.append(link(FILE, "application/pdf"))  # named for both purposes
    reading = link(FILE, "application/pdf", purpose="syndication")
    _, asked = _searched(work(TITLE, doi=DOI), {**crossref(*mining, reading), FILE: GOOD})
    assert [url for url in asked if PUBLISHER in url] == [FILE]


XML = [link(f"{PUBLISHER}/{n}.xml", "application/xml") for n in range(4)]
PLAIN = [link(f"{PUBLISHER}/{n}.txt", "text/plain") for n in range(4)]


def test_xml_and_plain_text_are_kept_as_addresses_and_not_asked_for() -> None:
    result, asked = _searched(
        work(TITLE, doi=DOI), {**crossref(*XML, *PLAIN, link(FILE, "application/pdf")), FILE: GOOD}
    )
    assert result.outcome is Outcome.SUCCESS
    assert [url for url in asked if PUBLISHER in url] == [FILE]
    result, asked = _searched(work(TITLE, doi=DOI), {**crossref(*XML, *PLAIN), **unpaywall(), **CLOSED})
    assert {candidate.url for candidate in result.candidates} == {text_link["URL"] for text_link in (*XML, *PLAIN)}
    assert [url for url in asked if PUBLISHER in url] == [PAGE]
    assert result.outcome is Outcome.NOT_OA


@each_row("url, mime_type, is_other", [
    (f"{PUBLISHER}/1", "text/xml; charset=utf-8", True), (f"{PUBLISHER}/1.XML?x=1", "", True),
    (f"{PUBLISHER}/data.csv", "", True), (f"{PUBLISHER}/1.xml", "application/pdf", False),
    (f"{PUBLISHER}/1", "application/octet-stream", False), (f"{PUBLISHER}/1", "", False), ("http://[", "", False),
])  # fmt: skip
def test_what_is_no_pdf_is_told_by_its_type_or_else_by_its_address(url: str, mime_type: str, *, is_other: bool) -> None:
    assert Copy(url, mime_type=mime_type).is_other_type is is_other


def test_wiley_budget() -> None:
    """Six addresses for text mining, each of which asks for a key, took all six places."""
    mining = [link(f"https://api.wiley.com/onlinelibrary/tdm/v1/articles/{n}") for n in range(6)]
    result, asked = _searched(
        work(TITLE, doi=DOI), {**crossref(*mining), PAGE: answer(f'<a href="{FILE}">PDF</a>'), FILE: GOOD}
    )
    assert result.outcome is Outcome.SUCCESS
    assert not any("api.wiley.com" in url for url in asked)
    kept = [candidate for candidate in result.candidates if "api.wiley.com" in candidate.url]
    assert [candidate.outcome for candidate in kept] == [Outcome.SKIP_HOST] * 6


REFUSALS: dict[str, Answer] = {
    "403": answer("<p>no", 403),
    "429": answer(status=429),
    "captcha": answer("<title>Just a moment...</title>", 403),
    "login": to(f"{PUBLISHER}/idp/profile"),
    "private": AddressRefused("x"),
    "no name": NameUnknown("x"),
}


@each_row("name", REFUSALS)
def test_who_refuses_costs_no_place(name: str) -> None:
    mining = [link(f"{PUBLISHER}/tdm/{n}.pdf", "application/pdf") for n in range(6)]
    own = {**crossref(*mining), PAGE: answer(f'<a href="{FILE}">PDF</a>'), FILE: GOOD}
    result = searched(work(TITLE, doi=DOI), {**own, **{mining_link["URL"]: REFUSALS[name] for mining_link in mining}})
    assert result.outcome is Outcome.SUCCESS


@pytest.mark.slow
def test_what_is_no_work_takes_a_place_and_what_says_no_pdf_and_is_none_does_not() -> None:
    wrong = answer(b"%PDF-1.4 and nothing")
    own = {FILE: GOOD, **{f"{PUBLISHER}/{n}": wrong for n in range(9)}}
    names = (*(f"{PUBLISHER}/{n}" for n in range(9)), FILE)
    assert len(searched(work(TITLE), own, only=(_naming(*map(Copy, names)),), most_files=2).candidates) == 2
    own = {FILE: GOOD, **{f"{PUBLISHER}/{n}": answer("<p>a page") for n in range(9)}}
    assert searched(work(TITLE), own, only=(_naming(*map(Copy, names)),), most_files=2).outcome is Outcome.SUCCESS


@each_row("known", [{"license": "cc-by"}, {"is_open": True}])
def test_the_next_copy_that_is_known_to_be_open_is_always_looked_at(known: dict) -> None:
    wrong = {f"{PUBLISHER}/{n}.pdf": answer("<p>no file") for n in range(6)}
    copies = [Copy(url, license="cc-by", version="published") for url in wrong]
    result = searched(
        work(TITLE),
        {**wrong, FILE: GOOD},
        most_files=6,
        only=(_naming(*copies), _naming(Copy(FILE, **known), name="b")),
    )
    assert result.outcome is Outcome.SUCCESS


def test_a_list_without_end_is_not_asked_for_to_its_end() -> None:
    copies = [Copy(f"{PUBLISHER}/{n}.pdf", is_open=True) for n in range(200)]
    assert len(searched(work(TITLE), {}, only=(_naming(*copies),)).candidates) == MOST_ADDRESSES
    assert len(searched(work(TITLE), {}, only=(_naming(*copies),), most_files=50).candidates) == 50


def _naming(*copies: Copy, name: str = "a") -> Step:
    result = StepResult(Outcome.SUCCESS, copies)
    return Step(name, 1, "It names copies.", lambda _: True, lambda *_: result)


def test_what_two_addresses_lead_to_is_read_once() -> None:
    copies = (Copy("http://publisher.example.com/x", license="cc-by"), Copy(FILE))
    result = searched(work("T"), {copies[0].url: to(FILE), FILE: answer(b"%PDF-1.4")}, only=(_naming(*copies),))
    assert [candidate.url for candidate in result.candidates] == [copies[0].url]


@each_row("at_page", [
    *(answer(status=403), answer(status=503), NameUnknown("x"), answer(status=404), GOOD),
    answer(status=302, Location=f"{PUBLISHER}/2", Set_Cookie="a=b"),
])  # fmt: skip
def test_a_page_is_asked_for_once_whatever_it_answers(at_page: Answer) -> None:
    _, asked = _searched(work(TITLE, page=PAGE), {PAGE: at_page, f"{PUBLISHER}/2": answer("<p>nothing")})
    assert max(Counter(asked).values()) == 1
    assert asked[0] == PAGE


def test_two_files_are_asked_for_once_although_a_further_step_looks_at_both() -> None:
    """Only the last file was held: whoever came back to the one before fetched it again."""
    links = "".join(f'<a href="/{n}.pdf">PDF</a>' for n in range(2))
    other = answer(a_pdf(*["about something else"] * 60))
    own = {PAGE: answer(links), f"{PUBLISHER}/0.pdf": other, f"{PUBLISHER}/1.pdf": other}
    named = work(TITLE, page=PAGE, relation=f"{PUBLISHER}/0.pdf", source=f"{PUBLISHER}/1.pdf")
    assert max(Counter(_searched(named, own)[1]).values()) == 1


def test_of_many_bytes_the_oldest_are_asked_for_again_and_the_last_never() -> None:
    web = RecordedWeb({f"{PAGE}{n}": answer(b"x" * 10) for n in range(4)}, has_recordings=False)
    once = FetchOnce(web, most_bytes=20)
    for n in (0, 1, 2, 2, 3, 3, 1, 0):
        assert once(Request(f"{PAGE}{n}")).body == b"x" * 10
    assert [url[-1] for url in web.asked] == ["0", "1", "2", "3", "0"]


@each_row("kind", KINDS)
def test_a_work_takes_at_most_so_many_requests(kind: str) -> None:
    """All services have their keys here; robots.txt is not asked for by what stands above manners."""
    about, own, most, outcome = KINDS[kind]
    result, asked = _searched(about, {**own, **POLICY})
    further = Counter(host_of(url) for url in asked if host_of(url) in FURTHER)
    assert (result.outcome, len(asked) - further.total()) == (outcome, most), asked
    assert max(Counter(asked).values()) == 1
    assert set(further.values()) <= {1}
    assert not (further and kind in KNOWN_OPEN)


@each_row("kind", [name for name, kind in KINDS.items() if kind.outcome is Outcome.NOT_OA])
def test_a_second_search_for_a_closed_work_asks_nothing(kind: str, tmp_path: Path) -> None:
    desk = open_discovery(tmp_path)
    web = RecordedWeb({**KINDS[kind].own, **POLICY}, has_recordings=False)
    outcomes, requests = [], []
    for _ in range(2):
        fetch = CachingFetch(web, desk, lambda: NOW)
        outcomes.append(search(KINDS[kind].about, steps(), fetch, SETTINGS, at=NOW, most_files=6).outcome)
        requests.append(len(web.asked))
    desk.close()
    assert outcomes == [Outcome.NOT_OA] * 2
    assert requests[0] == requests[1] > 0


@each_row("kind", ["closed", "gold", "green in a repository"])
def test_no_policy_is_asked_for_where_it_decides_nothing(kind: str) -> None:
    about, own, *_ = KINDS[kind]
    result, asked = _searched(about, {**own, **POLICY})
    assert not any("policyfinder" in url for url in asked)
    assert "sherpa" not in {trace.step for trace in result.traces}


def test_what_is_sent_is_sent_each_time_and_an_error_is_that_of_the_first_time() -> None:
    web = RecordedWeb({PAGE: answer(b"x"), FILE: NameUnknown("x")}, has_recordings=False)
    once = FetchOnce(web)
    for _ in range(2):
        once(Request(PAGE, method="POST", body=b"question"))
        assert once.last_host == "publisher.example.com"
        with pytest.raises(GatewayError, match="x"):
            once(Request(FILE))
    assert Counter(web.asked) == {PAGE: 2, FILE: 1}


def test_the_way_to_a_host_has_the_hosts_that_redirected_to_it_and_no_others() -> None:
    """A host that sends everybody to a login elsewhere is on the way there, however many hops there are."""
    login, resolver = "https://login.example.net/in", "https://resolver.example.org/1"
    elsewhere = {f"{PAGE}/a": answer(status=302, Location="https://other.example.net/")}
    ways = {resolver: answer(status=302, Location=PAGE), PAGE: answer(status=302, Location=login), **elsewhere}
    once = FetchOnce(RecordedWeb(ways, has_recordings=False))
    for url in (f"{PAGE}/a", PAGE, resolver):  # in no order, since answers are asked for once
        once(Request(url, follows=False))
    assert once.way_to("login.example.net") == ("publisher.example.com", "resolver.example.org")
    assert once.way_to("publisher.example.com") == ("resolver.example.org",)
    assert once.way_to("resolver.example.org") == ()
