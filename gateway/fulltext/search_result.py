"""The result of the search for one work, as a value: copies, outcomes of steps, the policy. Pure."""

from __future__ import annotations

from typing import NamedTuple

from gateway.fulltext.policies import Policy
from gateway.model import Candidate, Match, Outcome, Trace

# Values of `Candidate.found_by` and `Trace.step` that are no steps.
NAMED = "record"  # for files that the record itself names
RECHECK = "recheck"  # for copies that were accepted before
# Outcomes of files for the review by people.
REVIEWED = (Outcome.SUCCESS, Outcome.LOW_SCORE, Outcome.NO_TEXT, Outcome.SUPPLEMENT)
UNNAMED = "9999-12-31"  # the last day of an embargo whose end is not stated


class Identity(NamedTuple):
    """The own DOIs and the titles of a work when its files were decided on."""

    dois: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()


class SearchResult(NamedTuple):
    """The result of the search for one work. `is_over` is False when it should be repeated soon."""

    outcome: Outcome
    traces: tuple[Trace, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    policy: Policy | None = None
    is_over: bool = True
    published: str = ""  # the year, as far as it is known
    basis: str = ""  # a digest of everything in the record that the search depends on
    identity: Identity = Identity()
    before: Identity | None = None  # the identity at the last decision
    matches: tuple[Match, ...] = ()  # the matches with a DOI that the record lacks
    retracted: str = ""  # a sentence about the retraction and who states it; empty: none is known
    open_from: str = ""  # the day on which an embargo ends, and to search again
    lost: tuple[Match, ...] = ()  # matches of the search before that are no longer valid
    silent: str = ""  # the step of the registry that has not answered, so a retraction would be unknown
    title: str = ""  # of the record, for lists
    authors: str = ""  # of the record, for lists
    subjects: tuple[str, ...] = ()  # as Crossref states them
    is_another: bool = False  # since the last decision, the record has become that of another work
