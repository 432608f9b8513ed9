"""The DOIs that were matched by title, author and year: whether each still agrees with its record. Pure."""

from __future__ import annotations

from gateway.model import Match, Outcome, Work
from harvester.search.searching import Searched
from harvester.verification.matching import similarity, sought
from harvester.verification.names import share

# How the step of a service ends that was asked and has answered.
_ANSWERED = frozenset((Outcome.SUCCESS, Outcome.NO_PDF_LINK, Outcome.NOT_FOUND))
_OF_ANOTHER_VERSION = "arxiv"
_YEARS_BEFORE = 4  # as for arXiv
_LONGEST_YEAR = 4  # digits


def agrees(match: Match, work: Work) -> bool:
    """Tell whether the title, an author and the year of a match still are those of a record."""
    wanted = sought(work)
    near = any(similarity(title, match.title)[1] for title in wanted.titles)
    year = int(match.year) if match.year.isdecimal() and len(match.year) <= _LONGEST_YEAR else 0
    is_of_its_time = any(-_YEARS_BEFORE <= year - each <= 1 for each in wanted.years)
    return near and is_of_its_time and bool(share(wanted.names, [match.author]))


def compared(searched: Searched, before: tuple[Match, ...]) -> Searched:
    """Return a search with the matches of the one before that still stand, and those that are lost.

    A match stands while its service was not asked again, or has not answered. It is lost when the service names it no
    more, or the record has another DOI of its own now; a preprint at arXiv has another one in any case.
    """
    now = {each.doi for each in searched.matches}
    asked = {each.step.removesuffix("_match") for each in searched.traces if each.outcome in _ANSWERED}
    own = set(searched.identity.dois)
    missing = [each for each in before if each.doi not in now | own]
    lost = tuple(each for each in missing if each.service in asked or (own and each.service != _OF_ANOTHER_VERSION))
    standing = tuple(each for each in missing if each not in lost)
    return searched._replace(matches=(*searched.matches, *standing), lost=lost)
