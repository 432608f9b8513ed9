"""Match of a record without an identifier to the works that a service describes. Pure.

A match needs the title, an author, and a year that is at most one year away. The title has the same letters, or only
single words are misspelt, or the subtitle is missing. `Nitrate` is no misspelt `nitrite`. A title that many works have
(`Editorial`) never matches. A short title also needs the venue, all authors and the same year; the title of a yearbook
needs the same year. `Anonymous` is no author. Errata, peer reviews, datasets and components never match. Nor do records
of these and of posters, which may have the title of an article. If two works fit equally well, none matches. The trace
names the service, with title, similarity, author and year.

`python -m tests.bench.matching` prints how many recorded works are found and how many are wrong.
"""

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from gateway.core.bibliography.dates import years_in
from gateway.core.model import Match, Work
from gateway.core.normal_forms import letters
from harvester.fulltext.known_copies import Description
from harvester.fulltext.match_titles import GENERIC, forms, is_short, plain, similarity
from harvester.fulltext.pdf.person_names import Name, names_of, share
from harvester.fulltext.pdf.record_kinds import type_beside
from harvester.fulltext.pdf.titles import title_of
from harvester.words import any_of, load

_MOST_DESCRIBED = 25  # of one answer
_MOST_TITLES = 6  # of a record, and of a description
_VENUE = 5  # letters
_LONGEST_VENUE = 1000  # characters
_LONGEST_NAME = 100  # characters

# Authors that are nobody: a work has no author in common with another one by them.
_NOBODY = re.compile(rf"(?:{any_of(load('matching')['nobody'])}){{1,2}}")

_MATCHING = load("matching")
_NEVER = frozenset(_MATCHING["never"])
_CLASSES = {type_: name for name, types in _MATCHING["types"].items() for type_ in types}
_CLASS_WORDS = _MATCHING["classes"]
_ALONE = ("thesis", "book")  # a work of one of these classes is of no other


class Sought(NamedTuple):
    """The comparable parts of a record: titles, names, years, texts that may name its venue, and its class."""

    titles: tuple[str, ...]
    names: tuple[Name, ...]
    years: tuple[int, ...]
    venue: str
    kind: str
    first_author: str  # as in the record
    is_beside: bool  # whether the record describes something beside a work, which may have its title

    @property
    def is_enough(self) -> bool:
        """Return whether a match is possible at all: not for a poster, a dataset or an erratum beside a work."""
        return bool(self.titles and self.names and self.years) and not self.is_beside


class Matched(NamedTuple):
    """A described work, and the reasons for the match."""

    description: Description
    match: Match


class _Fit(NamedTuple):
    """The quality of a match. `tier` is 0 for the same letters, 1 for misspelt words, 2 for a part of a title."""

    description: Description
    title: str
    tier: int
    similarity: float
    author: str
    has_venue: bool
    has_year: bool


def sought(work: Work) -> Sought:
    """Return the parts of a record that can be compared with descriptions."""
    titles = [form for title in work.texts("title") for form in forms(plain(title))]
    stated = work.texts("creator") or work.texts("contributor")
    people = [name for name in stated if not _NOBODY.fullmatch(letters(name[:_LONGEST_NAME]))]
    dates = [text[:100] for text in work.texts("date") if "embargo" not in text[:100].lower()]
    years = {int(year) for text in dates for year in years_in(text)}
    venue = [text for name in ("source", "relation", "identifier", "publisher") for text in work.texts(name)]
    return Sought(
        tuple(dict.fromkeys(title for title in titles if letters(title) not in GENERIC)),
        names_of(people),
        tuple(sorted(years)),
        letters(" ".join(text[:_LONGEST_VENUE] for text in venue)),
        _class_of(work.texts("type")),
        people[0][:_LONGEST_NAME] if people else "",
        bool(type_beside(work.texts("type"))),
    )


def match_work(
    wanted: Sought,
    described: Iterable[Description],
    service: str,
    refused: Collection[str] = (),
    *,
    years_before: int = 1,
) -> Matched | None:
    """Return the one description that is the work, or None: nothing fits, or two fit equally well.

    `refused` are DOIs that a person has rejected. `years_before` is how many years older than the record a work may be.
    """
    if not wanted.is_enough:
        return None
    candidates = [description for description in described if description.doi and description.doi not in refused][
        :_MOST_DESCRIBED
    ]
    fits = [fit for candidate in candidates if (fit := _fit(wanted, candidate, years_before)) is not None]
    best = _best(wanted, fits)
    if best is None:
        return None
    description = best.description
    return Matched(
        description,
        Match(service, description.doi, best.title, round(best.similarity, 2), best.author, description.year),
    )


def is_misspelt(work: Work, described: Description) -> bool:
    """Return whether the title of a description is that of a record only if words of one of them are misspelt."""
    tier, share_, _ = _title(sought(work), described)
    return share_ > 0 and tier == 1


# --- one description ----------------------------------------------------------------------------------------------


def _fit(wanted: Sought, described: Description, years_before: int) -> _Fit | None:
    """Return the quality of a match, or None when the description is not the work."""
    if described.kind in _NEVER or _is_notice(described) or not _is_possible(wanted.kind, _class(described)):
        return None
    tier, share_, title = _title(wanted, described)
    author = share(wanted.names, described.authors, given_names=described.given_names)
    year = int(described.year) if years_in(described.year) == (described.year,) else 0
    if not share_ or not author or not any(-years_before <= year - stated_year <= 1 for stated_year in wanted.years):
        return None
    has_venue, has_year = _has_venue(wanted, described), year in wanted.years
    has_all = share(wanted.names, described.authors, of_all=True, given_names=described.given_names) != ""
    if not has_year and title_of(title).is_generic:  # a yearbook: each year has one
        return None
    if is_short(title) and not (tier == 0 and has_venue and has_year and has_all):
        return None
    if tier > 1 and not has_all:
        return None
    return _Fit(described, title, tier, share_, author, has_venue, has_year)


def _title(wanted: Sought, described: Description) -> tuple[int, float, str]:
    """Return (tier, similarity, title) of the most similar pair of titles."""
    theirs = [plain(other_title) for other_title in (described.title, *described.other_titles)[:_MOST_TITLES]]
    pairs = [
        (*similarity(ours, their), their)
        for ours in wanted.titles[:_MOST_TITLES]
        for their in theirs
        if letters(their) not in GENERIC
    ]
    return min((pair for pair in pairs if pair[1]), key=lambda pair: (pair[0], -pair[1]), default=(0, 0.0, ""))


def _is_notice(described: Description) -> bool:
    """Return whether it is a notice about another work, not only a new version."""
    updated = [relation for relation in described.related if relation.relation.startswith("update-to:")]
    return any(relation.relation != "update-to:new_version" and relation.value != described.doi for relation in updated)


def _class(described: Description) -> str:
    return str(_CLASSES.get(described.kind, ""))


def _class_of(types: Iterable[str]) -> str:
    """Return the class in the types of a record, or an empty text."""
    spelled = [letters(type_) for type_ in types]
    return next(
        (
            name
            for name, words in _CLASS_WORDS.items()
            if any(word in spelled_word for word in words for spelled_word in spelled)
        ),
        "",
    )


def _is_possible(ours: str, theirs: str) -> bool:
    if not ours or not theirs or ours == theirs or {ours, theirs} == {"book", "report"}:
        return True
    return not any(name in (ours, theirs) for name in _ALONE)


def _has_venue(wanted: Sought, described: Description) -> bool:
    container = letters(described.container)
    named = [venue for venue in (container, *map(letters, described.issns)) if len(venue) >= _VENUE]
    return any(venue in wanted.venue for venue in named)


# --- several ------------------------------------------------------------------------------------------------------


def _best(wanted: Sought, fits: list[_Fit]) -> _Fit | None:
    """Return the best match, or None when there is none, or several are equal."""
    is_preprint = wanted.kind == "preprint"
    tests = (
        lambda fit: fit.tier == min(fit.tier for fit in fits),
        lambda fit: fit.has_venue,
        lambda fit: (_class(fit.description) == "preprint") is is_preprint,
        lambda fit: bool(wanted.kind) and _class(fit.description) == wanted.kind,
        lambda fit: fit.has_year,
    )
    for test in tests:
        fits = [fit for fit in fits if test(fit)] or fits
    works = {_VERSION.sub("", fit.description.doi) for fit in fits}
    return max(fits, key=lambda fit: fit.description.doi) if len(works) == 1 else None


_VERSION = re.compile(r"(?:[./]v\d{1,3}|\.v\d{1,3})$")
