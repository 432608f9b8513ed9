"""What may not be had yet is left alone until its day, and searched for again on that day, by itself."""

import json
from calendar import timegm

import pytest

from gateway.core.model import Outcome, SearchState, Statement, Work
from gateway.fulltext.explanation import explained
from gateway.fulltext.search_result import UNNAMED, SearchResult
from gateway.fulltext.stored_search import search_as_json
from harvester.fulltext.embargoes import due_at, next_day
from harvester.fulltext.search_work import search
from harvester.fulltext.step_order import step_of, steps
from tests.fulltext.web import SETTINGS, RecordedWeb, a_pdf, answer, work
from tests.rows import each_row

pytestmark = pytest.mark.usefixtures("quick_reader")

TODAY, DAY = "2026-11-23", "2027-01-31"
TITLE = "Meadows of the northern uplands in winter"
PAGE, FILE = "https://r.example.org/1", "https://r.example.org/1.pdf"


def second(day: str) -> int:
    return timegm((*map(int, day.split("-")), 0, 0, 0))


def searched(about: Work, own: dict, *names: str, today: str = TODAY) -> tuple[SearchResult, RecordedWeb]:
    web = RecordedWeb(own, has_recordings=False)
    only = [step_of(name) for name in names] or steps()
    return search(about, only, web, SETTINGS, at=second(today), most_files=6), web


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


@each_row("day", ["", "garbage", "9999-12-31"])
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


def test_a_first_page_with_a_day_in_the_future_leaves_the_decision_to_a_person() -> None:
    page = [TITLE, "To be read by all after 31 January 2027.", "The text of it is here. " * 20]
    result, _ = searched(work(TITLE, relation=FILE), {FILE: answer(a_pdf(*page))}, "own_links")
    assert "names a day in the future, 2027-01-31" in result.candidates[0].kind_doubt
    after, _ = searched(work(TITLE, relation=FILE), {FILE: answer(a_pdf(*page))}, "own_links", today=DAY)
    assert "future" not in after.candidates[0].kind_doubt


@each_row("days, day", [
    ((), ""), (("", "2020-01-01"), ""), (("2027-05-01", DAY, "2020-01-01"), DAY),
    (("2026-11-20", "2026-11-01"), "2026-11-20"), (("2026-11-20", DAY), DAY), ((TODAY,), TODAY),
])  # fmt: skip
def test_the_next_day_counts_or_one_that_was_not_long_ago(days: tuple[str, ...], day: str) -> None:
    assert next_day(days, second(TODAY)) == day


@each_row("day, due", [
    ("", 0), (DAY, second(DAY)), ("2199-12-31", second(TODAY) + 366 * 86_400), (TODAY, second("2026-11-25")),
    ("2026-11-21", second("2026-12-21")), ("2026-11-20", second("2026-12-20")), ("2026-02-30", 0),
])  # fmt: skip
def test_an_item_is_due_on_its_day_or_within_a_year(day: str, due: int) -> None:
    assert due_at(day, second(TODAY)) == due
