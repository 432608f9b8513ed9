"""Examples from the wild, from the record to the decision: what was published, lost or missed once, by their names."""

import json
from calendar import timegm
from collections.abc import Mapping
from datetime import date

import pytest

from gateway.core.model import Decision, Work
from gateway.fulltext.decisions import Thresholds, decided
from gateway.fulltext.explanation import explained
from gateway.fulltext.search_result import SearchResult
from harvester.fulltext.polite_fetch import CachingFetch
from harvester.fulltext.search_work import search
from harvester.fulltext.step_order import steps
from harvester.fulltext.works import work_of
from harvester.http.messages import Fetch
from tests.fulltext.corpus.papers import article
from tests.fulltext.corpus.words import Subject
from tests.fulltext.test_releasing import pdf as words_of_the_record
from tests.fulltext.web import SETTINGS, Answer, RecordedWeb, answer, to, work

pytestmark = pytest.mark.usefixtures("quick_reader")

NOW = 1_800_000_000  # 15 January 2027
PAGE, FILE = "https://repository.example.org/1", "https://repository.example.org/1.pdf"
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
        "rightsList": rights, "contentUrl": [FILE], "url": PAGE,
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
        FILE: answer(words_of_the_record(search)),
    }
    search.web.own = own
    search.work.fetch = CachingFetch(
        search.web, search.discovery, lambda: float(search.now)
    )  # old answers do not count
    opens = timegm(OPENS.timetuple())
    assert search.run(identifier=identifier) == {ITEM: "embargoed-until"}
    assert FILE not in search.web.asked
    state = search.discovery.search(identifier)
    assert (state.state, state.tries) == ("waiting", 0)
    assert f"The next search is after {OPENS}." in "\n".join(explained(state))
    assert opens <= state.due <= opens + 86_400
    search.now = opens - 3600
    assert ITEM not in search.run()
    search.now = state.due
    assert search.run()[ITEM] == "success"
    assert FILE in search.web.asked
    (decision,) = search.discovery.decisions(identifier)
    assert (decision.verdict, decision.url) == ("accept", FILE)


def test_a_licence_is_not_believed_of_a_file_at_a_host_whose_licences_are_none() -> None:
    """The copy led on to a publisher that has the licence of its site at the foot of all works."""
    led_to = "https://www.scientific.net/1.pdf"
    page = f'<meta name="citation_pdf_url" content="{FILE}"><meta name="DC.rights" content="{CC_BY}">'
    about = work(SUBJECT.title, page=PAGE, creator=SUBJECT.authors[0].inverted)
    own = {PAGE: answer(page), FILE: to(led_to), led_to: pdf(article(SUBJECT).pdf())}
    _, decisions = search_and_decide(about, web_of(own))
    assert [decision.verdict for decision in decisions] == ["review"]
