"""What follows from the recheck of a changed or lost file: decisions of rules, and the renewed story of its item. Pure.

The rules are those of a search. A file that the record names is never decided on. Its new facts are stored, or why it
is not there.
"""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gateway.core.addresses import address
from gateway.core.model import Candidate, Decision, FileRecheck, Outcome
from gateway.fulltext.decisions import Thresholds, decided
from gateway.fulltext.found_copies import copies_of_result, described
from gateway.fulltext.search_result import NAMED, RECHECK, SearchResult
from gateway.fulltext.stored_search import candidates_in, policy_in, search_as_json
from gateway.store.base import Findings
from harvester.fulltext.recheck.one_file import Before, Effect, Rechecked
from harvester.fulltext.search_outcome import retraction_of, year_of
from harvester.http.urls import host_of


class Case(NamedTuple):
    """A recheck with an effect, what was known before, and the address of the copy as the search wrote it."""

    rechecked: Rechecked
    before: Before | None
    url: str


def last_on(decisions: Iterable[Decision], url: str) -> Decision | None:
    """Return the last decision on the copy that is published at an address."""
    return next((last for last in reversed(tuple(decisions)) if address(last.url) == url), None)


def concluded(case: Case, thresholds: Thresholds, at: int, decisions: Sequence[Decision], search_json: str) -> Findings:
    """Return the decisions and the renewed story, given those that are stored now."""
    file, story = case.rechecked.file, json.loads(search_json) if search_json else {}
    unknown = Candidate(case.url, NAMED if file.is_named else RECHECK)
    stored = next((candidate for candidate in candidates_in(story) if _is_of(candidate, file)), unknown)
    renewed = _renewed(stored, case.rechecked, at)._replace(url=case.url)
    searched = SearchResult(
        Outcome.SUCCESS,
        candidates=(renewed,),
        policy=policy_in(story),
        published=story.get("published", ""),
        retracted=story.get("retracted", ""),
    )
    if case.before is not None:
        title, authors = described(case.before.known.work)
        searched = searched._replace(
            published=searched.published or year_of(case.before.known),
            retracted=searched.retracted or retraction_of(case.before.known, searched.candidates),
            title=title,
            authors=authors,
        )
    news = () if file.is_named else decided(file.identifier, searched, thresholds, at, decisions)
    copies = tuple(copies_of_result(file.identifier, file.source, searched, host_of)) if searched.title else ()
    return Findings(tuple(news), _story(story, searched, file), copies)


def _is_of(candidate: Candidate, file: FileRecheck) -> bool:
    return address(candidate.url) == file.url and (candidate.found_by == NAMED) is file.is_named


def _renewed(stored: Candidate, rechecked: Rechecked, at: int) -> Candidate:
    """Return the candidate after a recheck: with new facts, or with the earlier ones and the new outcome."""
    if rechecked.effect is Effect.RETURNED:
        return stored._replace(outcome=Outcome.SUCCESS, at=at)
    candidate = rechecked.candidate
    assert candidate is not None
    if candidate.sha256 and not (rechecked.file.is_named and candidate.outcome is not Outcome.SUCCESS):
        return candidate._replace(found_by=stored.found_by, evidence=stored.evidence or candidate.evidence)
    since = rechecked.file.failing_since or at
    return stored._replace(outcome=candidate.outcome, status=candidate.status, at=since)


def _story(story: dict[str, object], searched: SearchResult, file: FileRecheck) -> str:
    """Return a story in which the candidate of a file is renewed."""
    if not story:
        return search_as_json(searched)
    (renewed,) = searched.candidates
    others = [candidate for candidate in candidates_in(story) if not _is_of(candidate, file)]
    candidates = [candidate._asdict() for candidate in (*others, renewed)]
    return json.dumps({**story, "candidates": candidates, "retracted": searched.retracted})
