"""What becomes of a file: rules where it is plain, people elsewhere, every decision with its reason and reversible."""

import json
from functools import partial

import pytest
from click.testing import CliRunner

from gateway.core.addresses import address
from gateway.core.model import Candidate, Decision, Outcome
from gateway.fulltext.decisions import Thresholds, decided, rule, standing, words
from gateway.fulltext.policies import Colour, Permission, Policy
from gateway.fulltext.search_result import SearchResult
from gateway.fulltext.stored_search import search_as_json
from harvester.cli import main
from harvester.fulltext.steps import publisher_policy
from tests.fulltext.web import fetched
from tests.opening import open_discovery
from tests.rows import each_row

MONTH = "2026-11"
HERE = ("institutional_repository",)
LINKED = ("Published source must be acknowledged", "Must link to publisher version with DOI")


def candidate(**more) -> Candidate:
    fields = {
        "outcome": Outcome.SUCCESS, "sha256": "0" * 64, "judge": 1, "version": "accepted",
        "identified_by": ("title",), **more,
    }  # fmt: skip
    return Candidate("https://x.example.org/a.pdf", "unpaywall", **fields)


def policy(*permissions: Permission) -> Policy:
    return Policy(Colour.GREEN, permissions=permissions)


def permission(**more) -> Permission:
    return Permission(**{"versions": ("accepted",), "locations": HERE, "conditions": LINKED, **more})


WRONG = Outcome.WRONG_DOCUMENT
EARLIER = "An earlier release has read it"
UNNAMED = "Neither the title nor an identifier"
UNIDENTIFIED = f"{UNNAMED} of the work stands where the file names itself."


@each_row("fields, verdict, reason", [
    ({"license": "cc-by"}, "accept", "The licence cc-by was stated for this copy."),
    ({"license": "cc-by", "likeness": 0.01}, "accept", "The licence"),
    ({"outcome": WRONG, "likeness": 0.99}, "reject", "Nothing on its first pages is of the work"),
    ({"judge": 0, "outcome": WRONG}, "review", EARLIER),
    ({"license": "cc-by", "judge": 0, "score": 0.2}, "review", EARLIER),
    ({"license": "cc-by", "judge": 0, "score": 0.3}, "accept", "The licence"),
    ({"license": "cc-by", "is_auxiliary": True}, "review", "It is an auxiliary file."),
    ({"outcome": Outcome.NO_TEXT}, "review", "There is too little text that can be read."),
    ({"license": "cc-by", "identified_by": ()}, "review", UNNAMED),
    ({"license": "cc-by", "identified_by": ("author",)}, "review", f"{UNIDENTIFIED} An author of the work is named"),
    ({"identified_by": (), "has_title": True}, "review", f"{UNIDENTIFIED} The title is on its first pages; an author"),
    ({"identified_by": ("author",), "has_title": True}, "review", f"{UNIDENTIFIED} The title is on"),
    ({"identified_by": (), "has_doi": True}, "review", f"{UNIDENTIFIED} The DOI is on its first pages"),
    ({"license": "publisher-specific"}, "review", "Neither an open licence nor a policy is known."),
])  # fmt: skip
def test_rules_without_a_policy(fields: dict, verdict: str, reason: str) -> None:
    ruling = rule(candidate(**fields), None, "2024", Thresholds(), MONTH)
    assert (ruling.verdict, ruling.reason.startswith(reason)) == (verdict, True), ruling


@each_row("fields, permitted, verdict, reason", [
    ({}, {}, "accept", "The policy permits the accepted version in a repository now."),
    ({}, {"embargo_months": 12}, "accept", "The policy permits"),
    ({"identified_by": ()}, {}, "review", UNNAMED),
    ({"version": ""}, {}, "review", "No source states which version it is."),
    ({"version": "published"}, {}, "review", "The policy does not permit the published version"),
    ({}, {"has_fee": True}, "review", "The policy does not permit the accepted version"),
    ({}, {"embargo_months": None}, "review", "The embargo is not a number of months."),
    ({}, {"embargo_months": 24}, "review", "The embargo of 24 months is not over for certain."),
    ({}, {"prerequisites": ("when_research_article",)}, "review", "It is permitted only when research article."),
    ({}, {"conditions": ("Set statement",)}, "review", "A person must see whether this is kept"),
])  # fmt: skip
def test_rules_with_a_policy(fields: dict, permitted: dict, verdict: str, reason: str) -> None:
    ruling = rule(candidate(**fields), policy(permission(**permitted)), "2024", Thresholds(), MONTH)
    assert (ruling.verdict, ruling.reason.startswith(reason)) == (verdict, True), ruling


def test_rules_need_a_date_where_an_embargo_begins_and_can_be_switched_off() -> None:
    ruling = rule(candidate(), policy(permission(embargo_months=12)), "", Thresholds(), MONTH)
    assert ruling == ("review", "When the embargo of 12 months ends is not known.")
    ruling = rule(candidate(license="cc-by"), None, "2024", Thresholds(is_on=False), MONTH)
    assert ruling == ("review", "Rules are switched off.")


@pytest.mark.needs("../shared")
def test_a_green_colour_alone_accepts_nothing() -> None:
    """The Lancet is green; the submitted version may be on preprint servers, and not in a repository."""
    lancet = publisher_policy.read(fetched("sherpa/v2/DSpace__thelancet.json"))
    assert lancet is not None
    assert lancet.colour is Colour.GREEN
    for version in ("submitted", "published"):
        assert rule(candidate(version=version), lancet, "2010", Thresholds(), MONTH).verdict == "review"
    assert rule(candidate(), lancet, "2010", Thresholds(), MONTH).verdict == "accept"


ONCE = Decision("oai:x", candidate().url, "0" * 64, "review", "It was told.", "rule", 1)
ACCEPTED = ONCE._replace(verdict="accept", decided_by="anna")


def _undone(decision: Decision) -> Decision:
    return decision._replace(decided_by="anna", is_undoing=True)


@each_row("history, in_force, word", [
    ((ONCE, ACCEPTED), ACCEPTED, ACCEPTED), ((ONCE, ACCEPTED, _undone(ONCE)), ONCE, ONCE),
    ((ONCE, ACCEPTED, _undone(ONCE), ACCEPTED), ACCEPTED, ACCEPTED),
    ((ONCE, ACCEPTED, ONCE._replace(verdict="reject"), _undone(ACCEPTED)), ACCEPTED, _undone(ACCEPTED)),
    ((ONCE, ACCEPTED, ONCE._replace(verdict="reject"), _undone(ACCEPTED), _undone(ONCE)), ONCE, ONCE),
])  # fmt: skip
def test_what_is_taken_back_is_as_if_it_had_not_been(history, in_force: Decision, word: Decision) -> None:
    """The word of who takes back what a rule decided is their own: no rule changes it."""
    assert standing(history)[-1] == in_force
    assert words(history) == {ONCE.url: word}


ITEM, ONE, TWO = "oai:g.example.org:laro/1", "https://x.example.org/1.pdf", "https://x.example.org/2.pdf"


@pytest.fixture
def harvester(folder):
    """Return a function that runs `harvester` on an instance where two files of one item, and one of another, wait."""
    discovery = open_discovery(folder)
    for identifier, urls in ((ITEM, (ONE, TWO)), (f"{ITEM}1", (ONE,))):
        discovery.enlist("laro", [(identifier, "1")], 0, 1)
        lease = discovery.lease(1, 60)
        candidates = tuple(candidate(judge=0, score=0.2)._replace(url=url, found_by="recipes") for url in urls)
        searched = SearchResult(Outcome.SUCCESS, (), candidates)
        assert discovery.done(lease, "success", "", 2, partial(decided, identifier, searched, Thresholds(), 2))
    discovery.close()
    return lambda *arguments: CliRunner().invoke(main, ["--instance", str(folder), *arguments])


def listed(harvester, *arguments: str) -> list[tuple[str, str]]:
    lines = harvester("review", "list", "--json", *arguments).stdout.splitlines()
    return [(row["identifier"], row["url"]) for row in map(json.loads, lines)]


def test_the_list_goes_on_after_an_item_and_has_what_was_accepted_apart(harvester) -> None:
    assert listed(harvester) == [(ITEM, ONE), (ITEM, TWO), (f"{ITEM}1", ONE)]
    assert listed(harvester, "--after", ITEM) == [(f"{ITEM}1", ONE)]
    assert harvester("review", "accept", ITEM, ONE, "--reason", "I read it.").exit_code == 0
    assert (listed(harvester)[0], listed(harvester, "--verdict", "accept")) == ((ITEM, TWO), [(ITEM, ONE)])


def test_strangers_command_no_terminal(harvester, folder) -> None:
    """Pages put escape sequences into addresses and the words of links; they came out of every list as they were."""
    url, identifier = "https://x.example.org/\x1b[2J\u202efdp.pdf", f"{ITEM}2"
    searched = SearchResult(Outcome.SUCCESS, (), (candidate()._replace(url=url, evidence="anchor:\x9b31m"),))
    discovery = open_discovery(folder)
    discovery.enlist("laro", [(identifier, "1")], 0, 1)
    assert discovery.done(
        discovery.lease(1, 60),
        "success",
        search_as_json(searched),
        2,
        partial(decided, identifier, searched, Thresholds(), 2),
    )
    discovery.close()
    outputs = [
        harvester("review", *arguments).output
        for arguments in (("list",), ("show", identifier), ("accept", identifier))
    ]
    assert ["https://x.example.org/ [2J fdp.pdf" in output for output in outputs] == [True] * 3
    assert "\x9b" not in outputs[1]
    assert json.loads(harvester("review", "list", "--json", "--verdict", "accept").stdout)["url"] == url
    assert harvester("review", "reject", identifier, address(url)).exit_code == 0  # as a DIDL has it


@each_row("thresholds, more, verdict", [
    (Thresholds(), {}, "accept"), (Thresholds(is_on=False), {}, "review"),
    (Thresholds(), {"version": "published", "text_version": "submitted"}, "review"),
    (Thresholds(), {"identified_by": ("author",)}, "review"),
])  # fmt: skip
def test_other_bytes_take_the_place_of_what_a_person_accepted_only_where_a_rule_may_say_so(
    thresholds: Thresholds, more: dict, verdict: str
) -> None:
    """They were accepted in the person's name while rules were switched off, and as another version."""
    new = candidate(sha256="1" * 64)._replace(**more)
    before = Decision("oai:x", new.url, "0" * 64, "accept", "I have read it.", "anna", 1)
    news = decided("oai:x", SearchResult(Outcome.SUCCESS, (), (new,)), thresholds, 2, (before,))
    assert [decision.verdict for decision in news] == [verdict]


def test_a_person_decides_on_another_document_in_the_place_of_an_accepted_one() -> None:
    def decided_on(digest: str, *earlier: Decision) -> tuple[Decision, ...]:
        other = candidate(outcome=Outcome.WRONG_DOCUMENT, sha256=digest * 64)
        return decided("oai:x", SearchResult(Outcome.SUCCESS, (), (other,)), Thresholds(), 2, earlier)

    accepted = Decision("oai:x", candidate().url, "0" * 64, "accept", "The licence cc-by was stated.", "rule", 1)
    (asked,) = decided_on("1", accepted)
    assert (asked.verdict, asked.decided_by) == ("review", "rule")
    assert asked.reason.startswith("It was accepted, and there is another document at its address now. Nothing")
    assert decided_on("1", accepted, asked) == ()  # the next search does not answer instead of a person
    assert [again.verdict for again in decided_on("2", accepted, asked)] == ["review"]
    rejected = asked._replace(verdict="reject", decided_by="anna", reason="mine")
    assert decided_on("1", accepted, asked, rejected) == ()
    assert [first.verdict for first in decided_on("1")] == ["reject"]
