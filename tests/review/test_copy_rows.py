"""A row shows what a copy is, and what its texts try to hide."""

from __future__ import annotations

import json

from gateway.fulltext.decisions import RULE
from gateway.fulltext.search_result import UNNAMED
from gateway.model import Candidate, Decision, FoundCopy, ListedCopy, SearchState
from gateway.review.copy_rows import COLUMNS, Candidates, facts_of, file_name, row_of
from tests.rows import each_row

URL = "https://repository.example.net/thesis%20one.pdf"
LISTED = ListedCopy(
    FoundCopy(
        "oai:x:laro/1", URL, "laro", "Corals &amp; <i>reefs</i>", "Okafor, Ada", "unpaywall", "repository.example.net",
        "low-score", 0.4, "article", "green", "cc-by", "accepted", 2_400_000, "ab" * 32,
    ),
    Decision("oai:x:laro/1", URL, "ab" * 32, "review", "Too low.", RULE, 1_764_150_000, number=7),
)  # fmt: skip
CANDIDATE = Candidate(URL, "unpaywall", "best_oa_location", open_from="2027-01-31")


def test_a_row_has_the_embargo_and_the_evidence_of_its_search():
    row = row_of(LISTED, CANDIDATE)
    assert (row.title, row.authors, row.file_name) == ("Corals & reefs", "Okafor, Ada", "thesis one.pdf")
    assert (row.evidence, row.embargo, row.tone, row.verdict_tone) == (
        "best_oa_location", "2027-01-31", "good", "neutral",
    )  # fmt: skip
    assert (row.number, row.is_by_rule, row.decided_at) == (7, True, "2025-11-26T09:40:00Z")


def test_a_copy_that_the_last_search_did_not_check_has_neither():
    row = row_of(LISTED, None)
    assert (row.evidence, row.embargo, row.has_unstated_embargo) == ("", "", False)


def test_an_embargo_without_a_stated_end_is_one():
    row = row_of(LISTED, CANDIDATE._replace(open_from=UNNAMED))
    assert (row.embargo, row.has_unstated_embargo) == ("", True)


def test_characters_that_turn_a_name_around_are_shown():
    hostile = LISTED._replace(
        copy=LISTED.copy._replace(title="a\u202efdp", authors="&#x202e;x"),
        decision=LISTED.decision._replace(reason="r\u2066\u0007", decided_by="b\u200by"),
    )
    row = row_of(hostile, CANDIDATE._replace(evidence="e\u200f"))
    assert (row.title, row.authors) == ("a[U+202E]fdp", "[U+202E]x")
    assert (row.reason, row.decided_by, row.evidence) == ("r[U+2066][U+0007]", "b[U+200B]y", "e[U+200F]")
    assert file_name("https://x.org/a%E2%80%AEfdp.exe") == "a[U+202E]fdp.exe"


@each_row(
    "url, name",
    [
        ("https://x.org/a/b.pdf?x=1", "b.pdf"), ("https://x.org/a/b/", "b"), ("https://x.org", "x.org"),
        ("http://[bad", "http://[bad"), ("https://x.org/%2e%2e%2fpasswd", "../passwd"),
        ("https://x.org/" + "a" * 200, "a" * 79 + "\u2026"),
    ],
)  # fmt: skip
def test_the_name_of_a_file_is_the_end_of_its_address(url, name):
    assert file_name(url) == name


def test_a_row_as_data_has_all_columns_and_the_stored_texts():
    facts = facts_of(row_of(LISTED, CANDIDATE))
    assert tuple(facts) == COLUMNS
    assert facts["title"] == "Corals &amp; <i>reefs</i>"
    assert facts["size"] == 2_400_000
    assert facts["embargo"] == "2027-01-31"


def test_the_search_for_an_item_is_read_once_for_all_of_its_copies():
    asked = []

    def search(identifier: str) -> SearchState:
        asked.append(identifier)
        story = json.dumps({"candidates": [CANDIDATE._asdict(), Candidate("https://b", "core")._asdict()]})
        return SearchState(identifier, "laro", "1", "done", 0, 0, "success", 1, story)

    candidates = Candidates(search)
    assert candidates.of("oai:x:laro/1", URL) == CANDIDATE
    assert candidates.of("oai:x:laro/1", "https://b") == Candidate("https://b", "core")
    assert candidates.of("oai:x:laro/1", "https://c") is None
    assert asked == ["oai:x:laro/1"]
