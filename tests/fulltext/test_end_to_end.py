"""Examples from the wild, from the record to the decision: what was published, lost or missed once, by their names."""

from __future__ import annotations

import json
from calendar import timegm
from collections.abc import Mapping
from datetime import date

import pytest

from gateway.fulltext.decisions import Thresholds, decided
from gateway.fulltext.explanation import explained
from gateway.fulltext.search_result import SearchResult
from gateway.model import Decision, Outcome, Work
from harvester.fulltext.answer_cache import CachingFetch
from harvester.fulltext.search_work import search
from harvester.fulltext.step_order import steps
from harvester.fulltext.works import work_of
from harvester.http.messages import Fetch
from tests.fulltext.corpus.layout import Paper
from tests.fulltext.corpus.papers import article
from tests.fulltext.corpus.words import Subject
from tests.fulltext.test_releasing import pdf as words_of_the_record
from tests.fulltext.web import SETTINGS, Answer, RecordedWeb, answer, to, work
from tests.rows import each_row

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


STUDY = (
    "Relations between patients and wards were identified in an open study. Information on each patient was extracted "
    "from the files of the hospital, and the extraction of teeth was related to the information that nurses gave."
)


def test_hospital_study_is_never_published_for_a_work_of_which_only_the_title_is_known() -> None:
    """All words of the title stand in the study, and the page has an open licence; the title itself does not."""
    paper = Paper(header=lambda _: "Journal of Ward Medicine 12 (2015) 4")
    paper.put("Open surgery at night: outcomes in four hospitals", 16, bold=True)
    paper.put("Ada Brandtner, Ole Moravec", 10, gap=6)
    for _ in range(40):
        paper.put(STUDY, gap=4)
    page = f'<meta name="citation_pdf_url" content="{FILE}"><meta name="DC.rights" content="{CC_BY}">'
    about = work("Identifying Relations for Open Information Extraction", page=PAGE)
    searched, decisions = search_and_decide(about, web_of({PAGE: answer(page), FILE: pdf(paper.pdf())}))
    assert [candidate.sha256 != "" for candidate in searched.candidates] == [True]
    assert [decision.verdict for decision in decisions] != ["accept"]
    assert searched.outcome is not Outcome.SUCCESS


OPENS = date(2027, 6, 1)
ITEM, DOI = "LR-15-00007", "10.5555/laro.2015.0007"


def _embargoed(title: str, *, says_access: bool) -> Answer:
    rights = [{"rightsUri": CC_BY, "rightsIdentifier": "cc-by-4.0"}]
    if says_access:
        rights.append({"rights": "Embargoed Access", "rightsUri": "info:eu-repo/semantics/embargoedAccess"})
    attributes = {
        "doi": DOI,
        "titles": [{"title": title}],
        "dates": [{"date": "2015", "dateType": "Issued"}, {"date": str(OPENS), "dateType": "Available"}],
        "rightsList": rights,
        "contentUrl": [FILE],
        "url": PAGE,
    }
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
    search.work.fetch = CachingFetch(search.web, search.desk, lambda: float(search.now))  # old answers do not count
    opens = timegm(OPENS.timetuple())
    assert search.run(identifier=identifier) == {ITEM: "embargoed-until"}
    assert FILE not in search.web.asked
    state = search.desk.search(identifier)
    assert (state.state, state.tries) == ("waiting", 0)
    assert f"To be searched again after {OPENS}T00:00:00Z." in "\n".join(explained(state))
    assert opens <= state.due <= opens + 86_400
    search.now = opens - 3600
    assert ITEM not in search.run()
    search.now = state.due
    assert search.run()[ITEM] == "success"
    assert FILE in search.web.asked
    (decision,) = search.desk.decisions(identifier)
    assert (decision.verdict, decision.url) == ("accept", FILE)


ELIFE = "https://elife.test/articles/01567"
ANCHORS = "".join(
    f'<li><a href="https://cdn.elife.test/articles/01567/elife-01567-part{number}.pdf">Download</a></li>'
    for number in range(4)
)


@each_row("is_last", [True, False])
def test_elife_page_leads_to_the_anchor_that_says_article_pdf(is_last: bool) -> None:
    """Four anchors with one text made the page a list of works, and its file was not seen."""
    named = '<li><a href="https://cdn.elife.test/articles/01567/elife-01567-v1.pdf">Article PDF</a></li>'
    body = f"<ul>{ANCHORS}{named}</ul>" if is_last else f"<ul>{named}{ANCHORS}</ul>"
    other = Paper()
    for _ in range(30):
        other.put("Source data of one figure, in columns and rows, and nothing else that anybody could read with joy.")
    parts = {
        f"https://cdn.elife.test/articles/01567/elife-01567-part{number}.pdf": pdf(other.pdf()) for number in range(4)
    }
    own = {
        ELIFE: answer(f"<html><head><title>{SUBJECT.title}</title></head><body>{body}</body></html>"),
        "https://cdn.elife.test/articles/01567/elife-01567-v1.pdf": pdf(article(SUBJECT).pdf()),
        **parts,
    }
    searched, _ = search_and_decide(work(SUBJECT.title, page=ELIFE), web_of(own))
    assert searched.outcome is Outcome.SUCCESS
    assert searched.candidates[0].url.endswith("elife-01567-v1.pdf")


def test_a_licence_is_not_believed_of_a_file_at_a_host_whose_licences_are_none() -> None:
    """The copy led on to a publisher that has the licence of its site at the foot of all works."""
    led_to = "https://www.scientific.net/1.pdf"
    page = f'<meta name="citation_pdf_url" content="{FILE}"><meta name="DC.rights" content="{CC_BY}">'
    about = work(SUBJECT.title, page=PAGE, creator=SUBJECT.authors[0].inverted)
    own = {PAGE: answer(page), FILE: to(led_to), led_to: pdf(article(SUBJECT).pdf())}
    _, decisions = search_and_decide(about, web_of(own))
    assert [decision.verdict for decision in decisions] == ["review"]


XPLORE = "https://ieeexplore.ieee.org"
STAMP, FRAMED = f"{XPLORE}/stamp/stamp.jsp?tp=&arnumber=8764000", f"{XPLORE}/stampPDF/getPDF.jsp?tp=&arnumber=8764000"
PATH = f"{XPLORE}/iel7/6287639/8600701/08764000.pdf"
XPLORE_PAGE = f"{XPLORE}/document/8764000"


def _of_ieee(path: Answer) -> tuple[SearchResult, list[str]]:
    metadata = {"pdfUrl": STAMP.removeprefix(XPLORE), "pdfPath": PATH.removeprefix(XPLORE)}
    page = f"<script>xplGlobal.document.metadata={json.dumps(metadata)};</script>"
    own = {
        XPLORE_PAGE: answer(page),
        PATH: path,
        STAMP: answer(f'<iframe src="{FRAMED}" frameborder=0></iframe>'),
        FRAMED: pdf(article(SUBJECT).pdf()),
    }
    web = web_of(own)
    about = work(SUBJECT.title, page=XPLORE_PAGE, creator=SUBJECT.authors[0].inverted)
    return search_and_decide(about, web)[0], web.asked


def test_ieee_page_whose_file_is_refused_is_followed_to_its_stamp_and_no_other_one() -> None:
    searched, asked = _of_ieee(answer(status=403))
    assert searched.outcome is Outcome.SUCCESS
    assert [candidate.url for candidate in searched.candidates] == [PATH, FRAMED]
    assert asked == [XPLORE_PAGE, PATH, STAMP, FRAMED]
    searched, asked = _of_ieee(pdf(article(SUBJECT).pdf()))
    assert (searched.outcome, asked) == (Outcome.SUCCESS, [XPLORE_PAGE, PATH])
