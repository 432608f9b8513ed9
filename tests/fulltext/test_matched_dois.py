"""DOIs that were matched: compared anew each time, listed, and taken back for good."""

from gateway.core.model import Match, Outcome, Trace, Work
from gateway.fulltext.search_result import Identity, SearchResult
from harvester.fulltext.matched_dois import agrees, compared
from tests.fulltext.test_matching import TITLE, record
from tests.rows import each_row

MATCH = Match("crossref", "10.1234/own", TITLE, 1.0, "Rossi", "2012")


def searched(outcome: Outcome | None = None, *, step: str = "crossref_match", **more) -> SearchResult:
    traces = (Trace(step, outcome),) if outcome else ()
    return SearchResult(Outcome.SUCCESS, traces, **more)


def test_a_match_agrees_while_title_author_and_year_do() -> None:
    assert agrees(MATCH, record())
    assert not agrees(MATCH, record("Another title of another work"))
    assert not agrees(MATCH, record(TITLE, "Schmidt, A."))
    assert not agrees(MATCH, record(date="1999"))
    assert not agrees(MATCH._replace(year="unknown"), record())
    assert not agrees(MATCH, record(type="Dataset"))


@each_row("outcome", [Outcome.NOT_FOUND, Outcome.SUCCESS, Outcome.NO_PDF_LINK])
def test_a_match_that_its_service_names_no_more_is_lost(outcome: Outcome) -> None:
    now = compared(searched(outcome), (MATCH,), record())
    assert (now.lost, now.matches) == ((MATCH,), ())


@each_row("work", [record("Another title of another work"), record(type="Conference Poster"), record(date="undated")])
def test_a_match_is_lost_when_the_record_does_not_agree_although_no_service_can_be_asked(work: Work) -> None:
    """A record without a year is not searched for by title; its match was valid for ever."""
    now = compared(searched(), (MATCH,), work)
    assert (now.lost, now.matches) == ((MATCH,), ())


def test_a_record_that_gets_a_doi_of_its_own_confirms_its_match_or_loses_it() -> None:
    own, another = Identity(("10.1234/own",)), Identity(("10.1234/another",))
    assert compared(searched(identity=own), (MATCH,), record()).lost == ()
    assert compared(searched(identity=another), (MATCH,), record()).lost == (MATCH,)
    assert compared(searched(identity=another), (MATCH._replace(service="arxiv"),), record()).lost == ()
