"""Examples from the wild, from the record to the decision: what was published, lost or missed once, by their names."""

from __future__ import annotations

import json
from calendar import timegm
from collections.abc import Mapping
from datetime import date

import pytest

from gateway.fulltext.decisions import Thresholds, decided
from gateway.fulltext.search_result import SearchResult
from gateway.model import Decision, Outcome, Work
from harvester.fulltext.politeness import PoliteFetch
from harvester.fulltext.search_work import search
from harvester.fulltext.step_order import steps
from harvester.fulltext.works import work_of
from harvester.http.messages import Fetch
from tests.fulltext.corpus.layout import Paper
from tests.fulltext.corpus.papers import article
from tests.fulltext.corpus.words import Subject
from tests.fulltext.test_releasing import pdf as words_of_the_record
from tests.fulltext.web import SETTINGS, Answer, RecordedWeb, answer, to, work

pytestmark = pytest.mark.slow  # files are read in processes of their own

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


# --- hospital study -----------------------------------------------------------------------------------------------

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


# --- website licence ----------------------------------------------------------------------------------------------

OF_THE_SITE = {
    "before": f'Metadata and text of this website are available under <a rel="license" href="{CC_BY}">CC BY</a>.',
    "after": f'<a rel="license" href="{CC_BY}">CC BY 4.0</a> applies to the metadata and text of this website.',
    "in the link": f'<a rel="license" href="{CC_BY}">Metadata and text of this website: CC BY 4.0</a>',
}
OF_THE_ARTICLE = f'This article is distributed under <a rel="license" href="{CC_BY}">CC BY 4.0</a>.'


def _with_license(sentence: str) -> tuple[SearchResult, tuple[Decision, ...]]:
    page = f'<html><head><meta name="citation_pdf_url" content="{FILE}"></head><body><p>{sentence}</p></body></html>'
    about = work(SUBJECT.title, page=PAGE, creator=SUBJECT.authors[0].inverted)
    return search_and_decide(about, web_of({PAGE: answer(page), FILE: pdf(article(SUBJECT).pdf())}))


@pytest.mark.parametrize("place", OF_THE_SITE)
def test_website_licence_is_not_the_licence_of_the_copy(place: str) -> None:
    """A page offers its own words under CC BY, and the file under no such terms."""
    searched, decisions = _with_license(OF_THE_SITE[place])
    assert searched.outcome is Outcome.SUCCESS
    assert [candidate.license for candidate in searched.candidates] == [""]
    assert [decision.verdict for decision in decisions] == ["review"]


def test_website_licence_beside_the_article_is_that_of_the_copy() -> None:
    _, decisions = _with_license(OF_THE_ARTICLE)
    assert [decision.verdict for decision in decisions] == ["accept"]


# --- Wiley budget -------------------------------------------------------------------------------------------------

TDM = "https://api.wiley.com/onlinelibrary/tdm/v1/articles"


class Away:
    """Where it is kept which hosts are left alone."""

    def __init__(self) -> None:
        self.hosts: dict[str, int] = {}

    def away_until(self, host: str) -> int:
        return self.hosts.get(host, 0)

    def stay_away(self, host: str, until: int) -> None:
        self.hosts[host] = until


def _wiley(subject: Subject) -> dict[str, Answer]:
    """Return what is asked for a work of which Crossref has four links without a copy, and Unpaywall one with."""
    doi, copy = subject.doi, f"https://repository.example.org/{subject.number}.pdf"
    kinds = ("application/pdf", "application/xml", "text/plain", "unspecified")
    links = [
        {
            "URL": f"{TDM}/{doi.replace('/', '%2F')}?format={place}",
            "content-type": kind,
            "content-version": "vor",
            "intended-application": "text-mining",
        }
        for place, kind in enumerate(kinds)
    ]
    links.append(
        {
            "URL": f"https://onlinelibrary.wiley.com/doi/full-xml/{doi}",
            "content-type": "application/xml",
            "content-version": "vor",
            "intended-application": "text-mining",
        }
    )
    described = {"DOI": doi, "title": [subject.title], "type": "journal-article", "link": links}
    place = {"url_for_pdf": copy, "license": "cc-by", "host_type": "repository", "version": "publishedVersion"}
    known = {"doi": doi, "title": subject.title, "is_oa": True, "oa_locations": [place]}
    refused = {str(link["URL"]): answer("<p>No token.", 403) for link in links}
    return {
        f"https://api.crossref.org/works/{doi}": answer(json.dumps({"message": described})),
        f"https://api.unpaywall.org/v2/{doi}": answer(json.dumps(known)),
        copy: pdf(article(subject).pdf()),
        **refused,
    }


def test_wiley_budget_is_left_for_the_next_known_open_copy() -> None:
    """Four addresses for text mining and one of XML took the places of the files; the open copy was never tried."""
    about = work(SUBJECT.title, doi=SUBJECT.doi)
    searched, decisions = search_and_decide(about, web_of(_wiley(SUBJECT)), most_files=2)
    assert searched.outcome is Outcome.SUCCESS
    assert [decision.verdict for decision in decisions] == ["accept"]


def test_wiley_budget_is_the_same_for_the_next_works_of_the_publisher() -> None:
    """Refusals at the address for text mining barred the host for a day."""
    subjects = [Subject(number) for number in (0, 2, 4, 6)]
    web, away = web_of({url: given for subject in subjects for url, given in _wiley(subject).items()}), Away()
    manners = PoliteFetch(web, 0.0, away=away, sleep=lambda _: None)
    outcomes = [search_and_decide(work(subject.title, doi=subject.doi), manners)[0].outcome for subject in subjects]
    assert outcomes == [Outcome.SUCCESS] * len(subjects)
    assert away.hosts == {}


# --- embargoed DataCite item --------------------------------------------------------------------------------------

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
    opens = timegm(OPENS.timetuple())
    assert search.run(identifier=identifier) == {ITEM: "embargoed-until"}
    assert FILE not in search.web.asked
    state = search.desk.search(identifier)
    assert state.state == "waiting"
    assert opens <= state.due <= opens + 86_400
    search.now = opens - 3600
    assert ITEM not in search.run()
    search.now = state.due
    assert search.run()[ITEM] == "success"
    assert FILE in search.web.asked
    (decision,) = search.desk.decisions(identifier)
    assert (decision.verdict, decision.url) == ("accept", FILE)


# --- eLife page ---------------------------------------------------------------------------------------------------

ELIFE = "https://elife.test/articles/01567"
ANCHORS = "".join(
    f'<li><a href="https://cdn.elife.test/articles/01567/elife-01567-part{number}.pdf">Download</a></li>'
    for number in range(4)
)


@pytest.mark.parametrize("is_last", [True, False])
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


# --- IEEE page ----------------------------------------------------------------------------------------------------

XPLORE = "https://ieeexplore.ieee.org"
STAMP, FRAMED = f"{XPLORE}/stamp/stamp.jsp?tp=&arnumber=8764000", f"{XPLORE}/stampPDF/getPDF.jsp?tp=&arnumber=8764000"
PATH = f"{XPLORE}/iel7/6287639/8600701/08764000.pdf"
XPLORE_PAGE = f"{XPLORE}/document/8764000"


def _of_ieee(path: Answer, *, further: str = "") -> tuple[SearchResult, list[str]]:
    metadata = {"pdfUrl": STAMP.removeprefix(XPLORE), "pdfPath": PATH.removeprefix(XPLORE)}
    page = f"<script>xplGlobal.document.metadata={json.dumps(metadata)};</script>{further}"
    own = {
        XPLORE_PAGE: answer(page),
        PATH: path,
        STAMP: answer(f'<iframe src="{FRAMED}" frameborder=0></iframe>'),
        FRAMED: pdf(article(SUBJECT).pdf()),
    }
    web = web_of(own)
    about = work(SUBJECT.title, page=XPLORE_PAGE, creator=SUBJECT.authors[0].inverted)
    return search_and_decide(about, web)[0], web.asked


def test_ieee_page_whose_file_is_refused_is_followed_to_its_stamp() -> None:
    searched, asked = _of_ieee(answer(status=403))
    assert searched.outcome is Outcome.SUCCESS
    assert [candidate.url for candidate in searched.candidates] == [PATH, FRAMED]
    assert asked == [XPLORE_PAGE, PATH, STAMP, FRAMED]


def test_ieee_page_whose_file_is_there_is_followed_no_further() -> None:
    searched, asked = _of_ieee(pdf(article(SUBJECT).pdf()))
    assert searched.outcome is Outcome.SUCCESS
    assert asked == [XPLORE_PAGE, PATH]
