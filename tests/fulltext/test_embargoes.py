"""What may not be had yet is left alone until its day, and searched for again on that day, by itself."""

from __future__ import annotations

import json
from calendar import timegm

import pytest

from gateway.fulltext.explanation import explained
from gateway.fulltext.search_result import UNNAMED, SearchResult
from gateway.fulltext.stored_search import search_as_json
from gateway.model import Outcome, SearchState, Statement, Work
from gateway.xmltext import utc_datetime
from harvester.fulltext.access_rights import is_shut, open_from_words
from harvester.fulltext.answer_cache import CachingFetch
from harvester.fulltext.embargoes import Embargoes, due_at, next_day
from harvester.fulltext.known_copies import Copy
from harvester.fulltext.search_work import search
from harvester.fulltext.step_order import step_of, steps
from tests.fulltext.conftest import NAME
from tests.fulltext.web import SETTINGS, RecordedWeb, a_pdf, answer, work

pytestmark = pytest.mark.slow  # it asks servers, hundreds of times

TODAY, DAY = "2026-11-23", "2027-01-31"
TITLE = "Meadows of the northern uplands in winter"
PAGE, FILE = "https://r.example.org/1", "https://r.example.org/1.pdf"
DOI = "10.5555/laro.2015.0007"


def second(day: str) -> int:
    return timegm((*map(int, day.split("-")), 0, 0, 0))


def searched(about: Work, own: dict, *names: str, today: str = TODAY) -> tuple[SearchResult, RecordedWeb]:
    web = RecordedWeb(own, has_recordings=False)
    only = [step_of(name) for name in names] or steps()
    return search(about, only, web, SETTINGS, at=second(today), most_files=6), web


def by_datacite(**attributes: object) -> dict:
    known = {"doi": "10.1234/x", "titles": [{"title": TITLE}], "url": PAGE, **attributes}
    return {"https://api.datacite.org/dois/10.1234/x": answer(json.dumps({"data": {"attributes": known}}))}


EMBARGOED = {
    "rightsList": [
        {"rightsUri": "info:eu-repo/semantics/embargoedAccess"},
        {"rightsUri": "https://creativecommons.org/licenses/by/4.0/"},
    ],
    "dates": [{"dateType": "Available", "date": DAY}],
}


def test_an_embargoed_item_of_datacite_is_not_visited_before_its_day() -> None:
    """Written from the schema 4.5 of DataCite: no recorded answer has `embargoedAccess`."""
    own = {**by_datacite(**EMBARGOED), PAGE: answer(f'<a href="{FILE}">PDF</a>'), FILE: a_pdf(TITLE)}
    result, web = searched(work(TITLE, doi="10.1234/x"), own)
    assert result.outcome is Outcome.EMBARGOED_UNTIL
    assert result.open_from == DAY
    assert [(candidate.url, candidate.outcome, candidate.open_from) for candidate in result.candidates] == [
        (PAGE, Outcome.EMBARGOED_UNTIL, DAY)
    ]
    assert not [url for url in web.asked if url.startswith((PAGE, "https://doi.org/"))]


def test_files_of_a_site_under_embargo_are_not_fetched_wherever_they_are_named() -> None:
    own = {**by_datacite(**EMBARGOED), FILE: a_pdf(TITLE)}
    result, web = searched(work(TITLE, doi="10.1234/x", relation=FILE), own, "datacite", "own_links")
    assert {candidate.outcome for candidate in result.candidates} == {Outcome.EMBARGOED_UNTIL}
    assert FILE not in web.asked


def test_a_copy_elsewhere_is_taken_all_the_same() -> None:
    elsewhere = "https://arxiv.org/pdf/2001.00001"
    own = {**by_datacite(**EMBARGOED), elsewhere: answer(a_pdf(TITLE))}
    result, _ = searched(work(TITLE, doi="10.1234/x", source="arXiv:2001.00001"), own, "datacite", "recipes")
    assert (elsewhere, Outcome.EMBARGOED_UNTIL) not in [
        (candidate.url, candidate.outcome) for candidate in result.candidates
    ]


def test_a_record_under_embargo_says_so_itself() -> None:
    about = Work(
        (
            Statement("title", TITLE),
            Statement("rights", "info:eu-repo/semantics/embargoedAccess"),
            Statement("date", f"info:eu-repo/date/embargoEnd/{DAY}"),
        ),
        (),
        PAGE,
        upstream="oai:r.example.org:1",
    )
    own = {PAGE: answer(f'<a href="{FILE}">PDF</a>'), FILE: answer(a_pdf(TITLE))}
    result, web = searched(about, own)
    assert (result.outcome, result.open_from, web.asked) == (Outcome.EMBARGOED_UNTIL, DAY, [])
    assert result.traces[0][:2] == ("embargo", Outcome.EMBARGOED_UNTIL)
    assert result.traces[0].note == f"The record says that its files are not available before {DAY}."
    after, web = searched(about, own, today=DAY)
    assert FILE in web.asked
    assert after.candidates[-1].open_from == ""


def test_a_location_of_unpaywall_under_embargo_is_left_alone() -> None:
    location = {"url_for_pdf": FILE, "url_for_landing_page": PAGE, "oa_date": DAY, "license": "cc-by"}
    document = json.dumps({"doi": "10.1234/x", "title": TITLE, "is_oa": False, "oa_locations_embargoed": [location]})
    result, web = searched(
        work(TITLE, doi="10.1234/x"), {"https://api.unpaywall.org/v2/10.1234/x": answer(document)}, "unpaywall"
    )
    assert {(candidate.url, candidate.outcome) for candidate in result.candidates} == {
        (PAGE, Outcome.EMBARGOED_UNTIL),
        (FILE, Outcome.EMBARGOED_UNTIL),
    }
    assert result.open_from == DAY
    assert len(web.asked) == 1


@pytest.mark.parametrize("day", ["", "garbage", "9999-12-31"])
def test_a_location_of_unpaywall_under_embargo_without_a_day_is_looked_for_after_half_a_year(day: str) -> None:
    """It was dropped, and the item ended as `not-oa`, for ever."""
    location = {"url_for_pdf": FILE, "oa_date": day, "license": "cc-by"}
    document = json.dumps({"doi": "10.1234/x", "title": TITLE, "is_oa": False, "oa_locations_embargoed": [location]})
    own = {"https://api.unpaywall.org/v2/10.1234/x": answer(document)}
    result, web = searched(work(TITLE, doi="10.1234/x"), own, "unpaywall")
    assert (result.outcome, result.open_from, len(web.asked)) == (Outcome.EMBARGOED_UNTIL, UNNAMED, 1)
    assert due_at(result.open_from, second(TODAY)) == second(TODAY) + 180 * 86_400
    state = SearchState("oai:g:1", "laro", "1", "done", 0, 0, result.outcome, second(TODAY), search_as_json(result))
    assert "not before a day that is not stated" in "\n".join(explained(state))


def test_a_cover_page_may_say_it() -> None:
    cover = [TITLE, "This item is under embargo until 31 January 2027.", "The full text is withheld. " * 20]
    result, _ = searched(work(TITLE, relation=FILE), {FILE: answer(a_pdf(*cover))}, "own_links")
    assert [(candidate.outcome, candidate.open_from) for candidate in result.candidates] == [
        (Outcome.EMBARGOED_UNTIL, DAY)
    ]
    after, _ = searched(work(TITLE, relation=FILE), {FILE: answer(a_pdf(*cover))}, "own_links", today=DAY)
    assert after.candidates[0].outcome is not Outcome.EMBARGOED_UNTIL


def test_a_first_page_with_a_day_in_the_future_leaves_the_decision_to_a_person() -> None:
    page = [TITLE, "To be read by all after 31 January 2027.", "The text of it is here. " * 20]
    result, _ = searched(work(TITLE, relation=FILE), {FILE: answer(a_pdf(*page))}, "own_links")
    assert "names a day in the future, 2027-01-31" in result.candidates[0].kind_doubt
    after, _ = searched(work(TITLE, relation=FILE), {FILE: answer(a_pdf(*page))}, "own_links", today=DAY)
    assert "future" not in after.candidates[0].kind_doubt


def test_a_page_without_a_file_may_say_when_it_comes() -> None:
    own = {PAGE: answer("<h1>A thesis</h1><p>Full text: embargoed until 31 January 2027.</p>")}
    result, _ = searched(work(TITLE, page=PAGE), own, "landing_page")
    assert [(candidate.url, candidate.outcome, candidate.found_by) for candidate in result.candidates] == [
        (PAGE, Outcome.EMBARGOED_UNTIL, "landing_page")
    ]
    assert (result.outcome, result.open_from) == (Outcome.EMBARGOED_UNTIL, DAY)


@pytest.mark.parametrize(
    ("rights", "day"),
    [
        ("info:eu-repo/semantics/embargoedAccess", ""),
        ("info:eu-repo/semantics/embargoedAccess", "9999-12-31"),
        ("info:eu-repo/semantics/embargoedAccess", "2027-13-40"),
        ("Embargoed until 9999-12-31", ""),
        ("Embargo: 12 months", ""),
        ("info:eu-repo/semantics/closedAccess", ""),
    ],
)
def test_an_embargo_without_an_end_takes_the_licence_from_what_stands_at_the_same_site(rights: str, day: str) -> None:
    """A page said CC BY, and the file was published. A copy elsewhere has its own licence."""
    about = work(TITLE, page=PAGE, rights=rights, date=day)
    license_ = '<meta name="DC.rights" content="https://creativecommons.org/licenses/by/4.0/">'
    own = {PAGE: answer(f'{license_}<a href="{FILE}">PDF</a>'), FILE: answer(a_pdf(TITLE))}
    result, _ = searched(about, own, "landing_page")
    assert [(candidate.url, candidate.license) for candidate in result.candidates] == [(FILE, "")]
    assert not is_shut(work(TITLE, rights="No embargo"))
    assert not is_shut(work(TITLE, rights=f"Embargoed until {DAY}"))


@pytest.mark.parametrize("right", ["embargoedAccess", "closedAccess", "restrictedAccess"])
def test_what_datacite_calls_closed_has_no_licence_of_the_page_it_leads_to(right: str) -> None:
    """The page said CC BY, and the file was published."""
    license_ = '<meta name="DC.rights" content="https://creativecommons.org/licenses/by/4.0/">'
    rights = {"rightsList": [{"rightsUri": f"info:eu-repo/semantics/{right}"}]}
    page = {PAGE: answer(f'{license_}<a href="{FILE}">PDF</a>'), FILE: answer(a_pdf(TITLE))}
    about = work(TITLE, doi="10.1234/x", page=PAGE)
    result, _ = searched(about, {**by_datacite(**rights), **page}, "datacite", "landing_page")
    assert [(candidate.url, candidate.license) for candidate in result.candidates] == [(FILE, "")]
    result, _ = searched(about, {**by_datacite(), **page}, "datacite", "landing_page")
    assert [(candidate.url, candidate.license) for candidate in result.candidates] == [(FILE, "cc-by")]


def test_an_embargo_may_name_a_year_only() -> None:
    assert open_from_words("Under embargo until 2028") == "2028-12-31"
    assert open_from_words("Restricted until 2028. Copyright 2016") == "2028-12-31"


# --- when ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("days", "day"),
    [
        ((), ""),
        (("", "2020-01-01"), ""),
        (("2027-05-01", DAY, "2020-01-01"), DAY),
        (("2026-11-20", "2026-11-01"), "2026-11-20"),
        (("2026-11-20", DAY), DAY),
        ((TODAY,), TODAY),
    ],
)
def test_the_next_day_counts_or_one_that_was_not_long_ago(days: tuple[str, ...], day: str) -> None:
    assert next_day(days, second(TODAY)) == day


@pytest.mark.parametrize(
    ("day", "due"),
    [
        ("", 0),
        (DAY, second(DAY)),
        ("2199-12-31", second(TODAY) + 366 * 86_400),
        (TODAY, second("2026-11-25")),
        ("2026-11-21", second("2026-12-21")),
        ("2026-11-20", second("2026-12-20")),
        ("2026-02-30", 0),
    ],
)
def test_an_item_is_due_on_its_day_or_within_a_year(day: str, due: int) -> None:
    assert due_at(day, second(TODAY)) == due


def test_the_later_of_two_days_counts_for_a_copy_and_its_site() -> None:
    embargoes = Embargoes(TODAY)
    page = Copy(PAGE, is_page=True, evidence="datacite:url", open_from=DAY)
    resolver = page._replace(url="https://doi.org/10.1234/x", evidence="record")
    assert embargoes.hold((page, resolver, Copy("https://x.example.com/1", is_page=True))) == (page,)
    assert embargoes.of(Copy(FILE, open_from="2026-12-01")).open_from == DAY
    assert embargoes.of(Copy(FILE, open_from="2027-12-01")).open_from == "2027-12-01"
    assert embargoes.of(Copy("https://doi.org/10.1234/y")).open_from == ""


# --- by itself ----------------------------------------------------------------------------------------------------


def test_an_item_under_embargo_is_found_on_its_day_by_the_next_run(searching) -> None:
    """It was done for ever. Six other tries may not use it up, and what was answered before does not count."""
    resolved = f"https://doi.org/{DOI}"
    known = {"doi": DOI, "titles": [{"title": "A"}], "url": PAGE, **EMBARGOED}
    own = {f"https://api.datacite.org/dois/{DOI}": answer(json.dumps({"data": {"attributes": known}}))}
    search_ = searching(RecordedWeb(own, has_recordings=False))
    search_.work.fetch = CachingFetch(search_.web, search_.desk, lambda: float(search_.now))
    search_.now = second("2027-01-21")
    assert search_.run()["LR-15-00007"] == "embargoed-until"
    identifier = next(name for name in _identifiers(search_) if name.endswith("LR-15-00007"))
    state = search_.desk.search(identifier)
    assert (state.state, utc_datetime(state.due), state.tries) == ("waiting", f"{DAY}T00:00:00Z", 0)
    words = "\n".join(explained(state))
    assert f"To be searched again after {DAY}T00:00:00Z." in words
    assert f"not before {DAY}" in words
    search_.now = second(DAY) - 1
    assert "LR-15-00007" not in search_.run()
    search_.web.asked.clear()
    search_.web.own = {**own, PAGE: answer(f'<a href="{FILE}">PDF</a>'), resolved: answer("")}
    search_.now = second(DAY)
    search_.run()
    assert PAGE in search_.web.asked
    assert f"https://api.datacite.org/dois/{DOI}" in " ".join(search_.web.asked)


def _identifiers(search_) -> list[str]:
    return [state.identifier for _, state in search_.store.items(NAME, 0, 100)]
