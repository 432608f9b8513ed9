"""Comparison of a DOI that was matched by title, author and year with its current record. Pure."""

from gateway.core.model import Match, Outcome, Work
from gateway.fulltext.search_result import SearchResult
from harvester.fulltext.match_titles import similarity
from harvester.fulltext.match_work import sought
from harvester.fulltext.pdf.person_names import share

# Outcomes of a step whose service has answered.
_ANSWERED = frozenset((Outcome.SUCCESS, Outcome.NO_PDF_LINK, Outcome.NOT_FOUND))
_OF_ANOTHER_VERSION = "arxiv"
_YEARS_BEFORE = 4  # as for arXiv
_LONGEST_YEAR = 4  # digits


def agrees(match: Match, work: Work) -> bool:
    """Return whether title, an author and year of a match still agree with a record."""
    wanted = sought(work)
    if not wanted.is_enough:
        return False
    near = any(similarity(title, match.title)[1] for title in wanted.titles)
    year = int(match.year) if match.year.isdecimal() and len(match.year) <= _LONGEST_YEAR else 0
    is_of_its_time = any(-_YEARS_BEFORE <= year - stated_year <= 1 for stated_year in wanted.years)
    return near and is_of_its_time and bool(share(wanted.names, [match.author]))


def compared(searched: SearchResult, before: tuple[Match, ...], work: Work) -> SearchResult:
    """Return a search result with the earlier matches that are still valid, and those that are lost.

    A match is valid until its service has answered again, and while it agrees with the record. It is lost when the
    service no longer names it, or when the record now has another DOI of its own. A preprint at arXiv always has
    another one.
    """
    now = {match_.doi for match_ in searched.matches}
    asked = {trace.step.removesuffix("_match") for trace in searched.traces if trace.outcome in _ANSWERED}
    own = set(searched.identity.dois)
    missing = [match_ for match_ in before if match_.doi not in now | own]
    lost = tuple(
        match_
        for match_ in missing
        if match_.service in asked or (own and match_.service != _OF_ANOTHER_VERSION) or not agrees(match_, work)
    )
    standing = tuple(match_ for match_ in missing if match_ not in lost)
    return searched._replace(matches=(*searched.matches, *standing), lost=lost)
