"""In which order copies are looked at, which of them take a place, and how many requests a work takes, by its kind."""

from collections import Counter
from collections.abc import Mapping

import pytest

from gateway.core.errors import AddressRefused, NameUnknown
from gateway.core.model import FileLink, Outcome, Work
from gateway.fulltext.search_result import SearchResult
from harvester.fulltext.known_copies import Copy
from harvester.fulltext.politeness import SERVICES, PoliteFetch
from harvester.fulltext.search_work import MOST_ADDRESSES, search
from harvester.fulltext.step_order import steps
from harvester.fulltext.steps import Step, StepResult
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
from tests.fulltext.web import SETTINGS, Answer, RecordedWeb, answer, to, work
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
        **crossref(), **unpaywall(location(page=f"{REPOSITORY}/1", host_type="repository")),
        f"{REPOSITORY}/1": answer('<a href="/1.pdf">PDF</a>'), f"{REPOSITORY}/1.pdf": GOOD, **CLOSED,
    }  # fmt: skip
    result, asked = _searched(work(TITLE, doi=DOI), own)
    assert result.outcome is Outcome.SUCCESS
    assert PAGE not in asked


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
    "403": answer("<p>no", 403), "429": answer(status=429), "captcha": answer("<title>Just a moment...</title>", 403),
    "login": to(f"{PUBLISHER}/idp/profile"), "private": AddressRefused("x"), "no name": NameUnknown("x"),
}  # fmt: skip


@each_row("name", REFUSALS)
def test_who_refuses_costs_no_place(name: str) -> None:
    mining = [link(f"{PUBLISHER}/tdm/{n}.pdf", "application/pdf") for n in range(6)]
    own = {**crossref(*mining), PAGE: answer(f'<a href="{FILE}">PDF</a>'), FILE: GOOD}
    result = searched(work(TITLE, doi=DOI), {**own, **{mining_link["URL"]: REFUSALS[name] for mining_link in mining}})
    assert result.outcome is Outcome.SUCCESS


def test_a_list_without_end_is_not_asked_for_to_its_end() -> None:
    copies = [Copy(f"{PUBLISHER}/{n}.pdf", is_open=True) for n in range(200)]
    assert len(searched(work(TITLE), {}, only=(_naming(*copies),)).candidates) == MOST_ADDRESSES
    assert len(searched(work(TITLE), {}, only=(_naming(*copies),), most_files=50).candidates) == 50


def test_the_policy_of_the_publisher_is_asked_for_a_work_without_a_file_and_leaves_its_outcome() -> None:
    for policy in (answer('{"items": [{"publisher_policy": [{}]}]}'), answer(status=503)):
        own = {**crossref(), **unpaywall(), **CLOSED, **dict.fromkeys(POLICY, policy)}
        result = searched(work(TITLE, doi=DOI), own)
        assert (result.outcome, result.policy is not None) == (Outcome.NOT_OA, policy.status == 200)


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


@each_row("is_named", [False, True])
def test_a_page_is_visited_for_supplements_of_a_work_whose_file_is_known_only_if_that_is_wanted(is_named: bool) -> None:
    about, own, most, _ = KINDS["green in a repository"]
    data = f"{PUBLISHER}/article/x/data.csv"
    page = answer(f'<title>{TITLE}</title><a href="{data}">Supplementary data</a>', Content_Type="text/html")
    own = {**own, **POLICY, PAGE: page, data: answer("a,b\n", Content_Type="text/csv")}
    if is_named:
        about, most = about._replace(files=(FileLink(FILE, "application/pdf"),), landing_page=PAGE), 0
    for wish, requests, found in (("False", most, []), ("True", most + 3 - (not is_named), [data])):
        web = RecordedWeb(own, has_recordings=False)
        result = search(about, steps(), web, {**SETTINGS, "supplements": wish}, at=NOW, most_files=6)
        assert [one.url for one in result.candidates if one.outcome is Outcome.SUPPLEMENT] == found
        assert result.outcome is (Outcome.ALREADY_HELD if is_named else Outcome.SUCCESS)
        assert len(web.asked) == requests, web.asked


@each_row("kind", KINDS)
def test_a_work_takes_at_most_so_many_requests(kind: str) -> None:
    """All services have their keys here; robots.txt is not asked for by what stands above manners."""
    about, own, most, outcome = KINDS[kind]
    result, asked = _searched(about, {**own, **POLICY})
    further = Counter(host_of(url) for url in asked if host_of(url) in FURTHER)
    assert (result.outcome, len(asked) - further.total()) == (outcome, most), f"{asked}; is a new host in FURTHER?"
    assert max(Counter(asked).values()) == 1
    assert set(further.values()) <= {1}
    assert not (further and kind in KNOWN_OPEN)
    assert SERVICES.keys() >= FURTHER, "A service needs a row in services.toml, which has its pause."
