"""A work that was retracted: no rule accepts a file of it, a person may, and the published record says so."""

import json

import pytest
from lxml import etree

from gateway.core.model import Candidate, Decision, Outcome
from gateway.fulltext.decisions import Thresholds, decided
from gateway.fulltext.search_result import SearchResult
from harvester.fulltext.search_work import search
from harvester.fulltext.step_order import step_of
from tests.conftest import ROOT
from tests.fulltext.test_releasing import (
    COPY,
    DOI,
    IDENTIFIER,
    ITEM,
    component,
    dcterms_text,
    decisions,
    explained,
    pdf,
    published_search,
    searched_again,
    unpaywall,
)
from tests.fulltext.web import SETTINGS, RecordedWeb, answer, work
from tests.rows import each_row

__all__ = ["published_search"]
pytestmark = pytest.mark.usefixtures("quick_reader")

SENTENCE = "The work is retracted: Crossref names 10.5555/notice of 2024-05-01."
COPY_OF_IT = Candidate("https://x.example.org/a.pdf", "unpaywall", outcome=Outcome.SUCCESS, sha256="0" * 64, judge=1)
OPEN = COPY_OF_IT._replace(license="cc-by", has_doi=True, has_title=True, identified_by=("doi", "title"))
BY_RULE = Decision("oai:x", OPEN.url, "0" * 64, "accept", "The licence cc-by was stated for this copy.", "rule", 1)
BY_PERSON = BY_RULE._replace(decided_by="anna")


def crossref(title: str) -> dict:
    """Return an answer of Crossref, after its documentation of `updated-by`: no recorded one has a retraction."""
    notice = {"DOI": "10.5555/NOTICE", "type": "retraction", "updated": {"date-time": "2024-05-01T00:00:00Z"}}
    known = {"DOI": DOI, "title": [title], "updated-by": [notice]}
    return {f"https://api.crossref.org/works/{DOI}": answer(json.dumps({"message": known}))}


NOTHING = "Nothing on its first pages is of the work: no title, no identifier, and no author."


@each_row("candidate, earlier, verdicts", [
    (OPEN, (), [("review", "rule", SENTENCE)]),
    (OPEN._replace(outcome=Outcome.WRONG_DOCUMENT), (), [("reject", "rule", NOTHING)]),
    (OPEN, (BY_RULE,), [("review", "rule", SENTENCE)]), (OPEN, (BY_PERSON,), []),
    (OPEN._replace(sha256="1" * 64), (BY_PERSON,), [("review", "rule", SENTENCE)]),
])  # fmt: skip
def test_no_rule_accepts_what_was_retracted_and_what_one_accepted_goes_back_to_review(
    candidate: Candidate, earlier: tuple[Decision, ...], verdicts: list[tuple[str, str, str]]
) -> None:
    """What a person accepted stays; for other bytes in its place they are asked again."""
    searched = SearchResult(Outcome.SUCCESS, (), (candidate,), retracted=SENTENCE)
    news = decided("oai:x", searched, Thresholds(), 2, earlier)
    assert [(decision.verdict, decision.decided_by, decision.reason.removesuffix(" ")) for decision in news] == verdicts


def test_a_retraction_counts_for_the_work_that_it_means() -> None:
    web = RecordedWeb(crossref("Meadows of the northern uplands in winter"), has_recordings=False)
    same, other = (
        search(work(title, doi=DOI), (step_of("crossref"),), web, SETTINGS, at=1, most_files=1)
        for title in ("Meadows of the northern uplands in winter", "Rivers under mountains after rain")
    )
    assert (same.retracted, other.retracted) == (SENTENCE, "")
    titled = search(work("RETRACTED: Meadows"), (), RecordedWeb(has_recordings=False), SETTINGS, at=1, most_files=1)
    assert titled.retracted == "The work is retracted: the record gives a title that says so."


def test_no_rule_accepts_while_the_registry_has_not_answered() -> None:
    """Crossref had no answer, another service had a copy with a licence, and a retracted work was published."""
    web = RecordedWeb({f"https://api.crossref.org/works/{DOI}": answer(status=503)}, has_recordings=False)
    result = search(work("Meadows", doi=DOI), (step_of("crossref"),), web, SETTINGS, at=1, most_files=1)
    assert (result.silent, result.is_over) == ("crossref", False)
    searched = SearchResult(Outcome.SUCCESS, (), (OPEN,), silent="crossref")
    reason = "The step crossref got no answer, so a retraction is not excluded."
    assert [decision[3:6] for decision in decided("oai:x", searched, Thresholds(), 2)] == [("review", reason, "rule")]
    assert decided("oai:x", searched, Thresholds(), 2, (BY_RULE,)) == ()


def test_a_retracted_work_waits_for_a_person_and_is_published_with_the_notice(searching) -> None:
    search_ = searching(discover_named_files=False)
    title = search_.didl(ITEM).findtext(".//{http://purl.org/dc/elements/1.1/}title")
    search_.web.own = {**unpaywall(), **crossref(title), COPY: answer(pdf(search_))}
    search_.run(identifier=IDENTIFIER)
    search_.release()
    assert (decisions(search_), component(search_)) == ([("review", "rule")], None)
    assert f"  {SENTENCE}" in explained(search_).splitlines()
    search_.discovery.decide(search_.discovery.decisions(IDENTIFIER)[-1]._replace(verdict="accept", decided_by="anna"))
    assert search_.release() == 2
    assert dcterms_text(search_, "provenance").endswith(f"; version: accepted; notice: {SENTENCE}")
    etree.XMLSchema(file=str(ROOT / "schemas" / "didl.xsd")).assertValid(search_.didl(ITEM))
    assert search_.release() == 0


@pytest.mark.parametrize("by", ["rule", "anna"])
def test_a_file_leaves_the_record_when_the_work_is_retracted_unless_a_person_accepted_it(published_search, by) -> None:
    search_ = published_search
    if by == "anna":
        search_.discovery.decide(search_.discovery.decisions(IDENTIFIER)[-1]._replace(decided_by="anna"))
    title = search_.didl(ITEM).findtext(".//{http://purl.org/dc/elements/1.1/}title")
    search_.web.own = {**search_.web.own, **crossref(title)}
    searched_again(search_)
    search_.release()
    if by == "anna":
        assert dcterms_text(search_, "provenance").endswith(f"; notice: {SENTENCE}")
    else:
        assert decisions(search_) == [("accept", "rule"), ("review", "rule")]
        assert component(search_) is None
