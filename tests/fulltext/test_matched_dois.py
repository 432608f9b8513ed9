"""DOIs that were matched: compared anew each time, listed, and taken back for good."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from gateway.fulltext.decisions import Thresholds, decided
from gateway.fulltext.search_result import Identity, SearchResult
from gateway.fulltext.stored_search import matches_of, search_as_json
from gateway.model import Decision, Match, Outcome, Refusal, Trace, Work
from gateway.store.opening import open_discovery
from harvester.cli import main
from harvester.fulltext.matched_dois import agrees, compared
from tests.fulltext.test_matching import TITLE, record
from tests.rows import each_row

ITEM, URL = "oai:g.example.org:laro/1", "https://x.example.org/1.pdf"
MATCH = Match("crossref", "10.1234/own", TITLE, 1.0, "Rossi", "2012")
ACCEPTED = Decision(ITEM, URL, "0" * 64, "accept", "It is open.", "rule", 1)


def searched(outcome: Outcome | None = None, *, step: str = "crossref_match", **more) -> SearchResult:
    traces = (Trace(step, outcome),) if outcome else ()
    return SearchResult(Outcome.SUCCESS, traces, **more)


@pytest.fixture
def desk(folder):
    """Return the searches of an instance where a file of one item was accepted that was found through a match."""
    desk = open_discovery(folder)
    desk.enlist("laro", [(ITEM, "1")], 0, 1)
    story = search_as_json(searched(matches=(MATCH,)))
    assert desk.done(desk.lease(1, 60), "success", story, 2, lambda _: [ACCEPTED])
    yield desk
    desk.close()


@pytest.fixture
def harvester(folder, desk):
    return lambda *arguments: CliRunner().invoke(main, ["--instance", str(folder), *arguments])


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


@each_row("now", [
    searched(Outcome.RATE_LIMITED), searched(Outcome.NOT_FOUND, step="openalex_match"), searched(),
    searched(Outcome.SUCCESS, matches=(MATCH,)),
])  # fmt: skip
def test_a_match_stands_while_nobody_says_otherwise(now: SearchResult) -> None:
    assert compared(now, (MATCH,), record()).matches == (MATCH,)


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


def test_what_was_found_through_a_lost_match_goes_to_review() -> None:
    (decision,) = decided(ITEM, searched(lost=(MATCH,)), Thresholds(), 3, [ACCEPTED])
    assert (decision.url, decision.verdict, decision.decided_by) == (URL, "review", "rule")
    assert decision.reason == ("The DOI 10.1234/own, by which it was found, does not agree with the record any more.")
    assert decided(ITEM, searched(), Thresholds(), 3, [ACCEPTED]) == ()


def test_a_refusal_is_kept_and_forgotten_with_its_item(desk) -> None:
    refusal = Refusal(ITEM, "10.1234/own", "It is another work.", "anna", 5)
    desk.refuse(refusal, [ACCEPTED._replace(verdict="review")])
    assert desk.refusals(ITEM) == (refusal,)
    assert [decision.verdict for decision in desk.decisions(ITEM)] == ["accept", "review"]
    assert desk.search(ITEM).state == "due"
    desk.refuse(refusal._replace(reason="Once more."))
    assert [stored_refusal.reason for stored_refusal in desk.refusals(ITEM)] == ["Once more."]
    desk.forget([ITEM])
    assert desk.refusals(ITEM) == ()


def test_a_match_is_listed_and_rejected_by_its_item(harvester, desk) -> None:
    result = harvester("matches", "list", "--json")
    row = json.loads(result.stdout)
    assert {name: row[name] for name in ("identifier", "doi", "service", "agrees")} == {
        "identifier": ITEM, "doi": "10.1234/own", "service": "crossref", "agrees": False,
    }  # fmt: skip
    assert result.exit_code == 3  # nothing is published of the item: it agrees with nothing
    assert "1 DOIs were matched; 1 of them do not agree" in result.stderr
    assert harvester("matches", "list", "another", "--json").stdout == ""
    done = harvester("matches", "reject", ITEM, "--reason", "It is a namesake.", "--json")
    entry = json.loads(done.stdout)
    assert (done.exit_code, entry["doi"], entry["files"], entry["reason"]) == (0, "10.1234/own", 1, "It is a namesake.")
    assert [refusal.doi for refusal in desk.refusals(ITEM)] == ["10.1234/own"]
    last = desk.decisions(ITEM)[-1]
    assert (last.verdict, last.reason) == (
        "review",
        "It was found through the DOI 10.1234/own, which is not that of this work. It is a namesake.",
    )
    assert harvester("matches", "list").exit_code == 0


def test_what_cannot_be_rejected_is_said_in_a_sentence(harvester, desk) -> None:
    result = harvester("matches", "reject", ITEM, "10.1234/else")
    assert (result.exit_code, "No DOI 10.1234/else was matched with" in result.stderr) == (2, True)
    assert "No DOI was matched with x." in harvester("matches", "reject", "x").stderr
    second = MATCH._replace(doi="10.1234/second")
    story = search_as_json(searched(matches=(MATCH, second)))
    assert desk.done(desk.lease(3, 60, identifier=ITEM), "success", story, 4)
    assert "name one: 10.1234/own, 10.1234/second." in harvester("matches", "reject", ITEM).stderr
    assert harvester("matches", "reject", ITEM, "10.1234/SECOND").exit_code == 0


def test_matches_of_a_story_of_an_earlier_release_are_none(desk) -> None:
    state = desk.search(ITEM)
    assert matches_of(state) == (MATCH,)
    old = json.loads(state.search_json)
    del old["matches"]
    assert matches_of(state._replace(search_json=json.dumps(old))) == matches_of(None) == ()
