"""What may not be had yet is left alone until its day, and searched for again on that day, by itself."""

import json
from calendar import timegm
from collections.abc import Mapping
from datetime import date

import pytest

from gateway.core.model import Decision, Outcome, SearchState, Statement, Work
from gateway.fulltext.decisions import Thresholds, decided
from gateway.fulltext.explanation import explained
from gateway.fulltext.search_result import UNNAMED, SearchResult
from gateway.fulltext.stored_search import search_as_json
from harvester.fulltext.embargoes import due_at, next_day
from harvester.fulltext.polite_fetch import CachingFetch
from harvester.fulltext.search_work import search
from harvester.fulltext.step_order import step_of, steps
from harvester.fulltext.works import work_of
from harvester.http.messages import Fetch
from tests.fulltext.corpus.papers import article
from tests.fulltext.corpus.words import Subject
from tests.fulltext.test_releasing import pdf as words_of_the_record
from tests.fulltext.web import SETTINGS, Answer, RecordedWeb, a_pdf, answer, to, work
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


NOW = 1_800_000_000  # 15 January 2027
EMBARGOED_PAGE, EMBARGOED_FILE = "https://repository.example.org/1", "https://repository.example.org/1.pdf"
CC_BY = "https://creativecommons.org/licenses/by/4.0/"
SUBJECT = Subject(4)


def web_of(own: Mapping[str, Answer]) -> RecordedWeb:
    return RecordedWeb(own, has_recordings=False)


def pdf(content: bytes) -> Answer:
    return answer(content, Content_Type="application/pdf")


def search_and_decide(about: Work, fetch: Fetch, most_files: int = 6) -> tuple[SearchResult, tuple[Decision, ...]]:
    """Search for a work with all steps; return what was found, and what rules say of it."""
    searched = search(about, steps(), fetch, SETTINGS, at=NOW, most_files=most_files)
    return searched, decided("oai:g.example.org:1", searched, Thresholds(), NOW)


OPENS = date(2027, 6, 1)
ITEM, DOI = "LR-15-00007", "10.5555/laro.2015.0007"


def _embargoed(title: str, *, says_access: bool) -> Answer:
    rights = [{"rightsUri": CC_BY, "rightsIdentifier": "cc-by-4.0"}]
    if says_access:
        rights.append({"rights": "Embargoed Access", "rightsUri": "info:eu-repo/semantics/embargoedAccess"})
    attributes = {
        "doi": DOI, "titles": [{"title": title}],
        "dates": [{"date": "2015", "dateType": "Issued"}, {"date": str(OPENS), "dateType": "Available"}],
        "rightsList": rights, "contentUrl": [EMBARGOED_FILE], "url": EMBARGOED_PAGE,
    }  # fmt: skip
    return answer(json.dumps({"data": {"attributes": attributes}}))


@pytest.mark.parametrize("says_access", [True, False])
def test_embargoed_datacite_item_is_due_again_on_the_day_it_opens(searching, says_access: bool) -> None:
    """It ended as a work without a file, and was never searched for again."""
    search = searching()
    identifier = next(
        state.identifier for _, state in search.store.items("laro", 0, 100) if state.identifier.endswith(ITEM)
    )
    title = next(
        statement.text for statement in work_of(search.store, identifier, "").statements if statement.element == "title"
    )
    own = {
        f"https://api.datacite.org/dois/{DOI}": _embargoed(title, says_access=says_access),
        EMBARGOED_FILE: answer(words_of_the_record(search)),
    }
    search.web.own = own
    search.work.fetch = CachingFetch(
        search.web, search.discovery, lambda: float(search.now)
    )  # old answers do not count
    opens = timegm(OPENS.timetuple())
    assert search.run(identifier=identifier) == {ITEM: "embargoed-until"}
    assert EMBARGOED_FILE not in search.web.asked
    state = search.discovery.search(identifier)
    assert (state.state, state.tries) == ("waiting", 0)
    assert f"The next search is after {OPENS}." in "\n".join(explained(state))
    assert opens <= state.due <= opens + 86_400
    search.now = opens - 3600
    assert ITEM not in search.run()
    search.now = state.due
    assert search.run()[ITEM] == "success"
    assert EMBARGOED_FILE in search.web.asked
    (decision,) = search.discovery.decisions(identifier)
    assert (decision.verdict, decision.url) == ("accept", EMBARGOED_FILE)


def test_a_licence_is_not_believed_of_a_file_at_a_host_whose_licences_are_none() -> None:
    """The copy led on to a publisher that has the licence of its site at the foot of all works."""
    led_to = "https://www.scientific.net/1.pdf"
    page = f'<meta name="citation_pdf_url" content="{EMBARGOED_FILE}"><meta name="DC.rights" content="{CC_BY}">'
    about = work(SUBJECT.title, page=EMBARGOED_PAGE, creator=SUBJECT.authors[0].inverted)
    own = {EMBARGOED_PAGE: answer(page), EMBARGOED_FILE: to(led_to), led_to: pdf(article(SUBJECT).pdf())}
    _, decisions = search_and_decide(about, web_of(own))
    assert [decision.verdict for decision in decisions] == ["review"]
