"""The result of the search for one work, as a value: copies, outcomes of steps, the policy. Pure."""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from gateway.core.model import Candidate, Match, Outcome, Trace
from gateway.fulltext.policies import Policy

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


# --- The signs that identify a work in a document. Pure --------------------------------------------------------------


class Sign(StrEnum):
    """A sign of a work on the first pages of a document."""

    DOI = "doi"
    TITLE = "title"
    PART_OF_TITLE = "part-of-title"  # no rule finds it any more; the stored evidence of earlier searches has it
    ARXIV = "arxiv"
    PMCID = "pmcid"
    HANDLE = "handle"
    AUTHOR = "author"  # alone, it identifies nothing
    ANOTHER_DOI = "another-doi"  # of another version or work: with it, nothing else identifies


_DECISIVE = frozenset(Sign) - {Sign.AUTHOR, Sign.ANOTHER_DOI}


def is_identified(signs: Iterable[str]) -> bool:
    """Return whether the signs identify a work."""
    shown = set(signs)
    return not _DECISIVE.isdisjoint(shown) and Sign.ANOTHER_DOI not in shown
