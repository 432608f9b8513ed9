"""Whether a work that a service describes is the work of a record without an identifier. Pure.

A match needs the title, an author, and a year that is at most one year away. A title that many works have needs more,
or never matches. Where two works fit equally well, none is taken. `python -m tests.bench.matching` prints how many
recorded works are found and how many are wrong.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterable
from typing import NamedTuple
from unicodedata import lookup

from gateway.model import Match, Work
from harvester.verification.names import Name, names_of, share
from harvester.verification.similarity import letters
from harvester.wire.copies import Description

_MOST_CHARACTERS = 1000  # of a title
_MOST_DESCRIBED = 25  # of one answer
_SHORT_LETTERS, _SHORT_WORDS = 20, 3  # shorter titles need the venue, all authors and the same year
_WIDE, _WIDE_LETTERS = 0x2E80, 3  # from here on a character says as much as three Latin letters
_BEGINNING_LETTERS, _BEGINNING_WORDS = 25, 4  # of a title without its subtitle
_MISSPELT = 5  # letters: shorter words are other words when a letter differs
_WORDS_A_SLIP = 5  # one word may be misspelt, and one more for each five
_CUT = 60  # letters of a title that a repository has cut off
_CUT_TEXT = 200  # characters in which such a beginning stands
_MOST_TITLES = 6  # of a record, and of a description
_VENUE = 5  # letters
_LONGEST_NAME = 100  # characters
_TAG = re.compile(r"<[^<>]{0,500}+>")
_WORD = re.compile(r"\w++")
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_GREEK = "alpha beta gamma delta epsilon kappa lamda mu nu pi rho sigma tau phi chi psi omega"
_SPELLED = str.maketrans(
    {lookup(f"GREEK SMALL LETTER {name}"): name for name in _GREEK.split()} | {"&": " and ", "\u00b5": "mu"}
)
_MARKS = ":.?!\u2013\u2014-([=;"  # between a title and its subtitle
_ARTICLES = frozenset(("a", "an", "the"))

# Titles of parts that every journal and book has: nothing tells two of them apart.
GENERIC = frozenset(
    """
    abbreviations abstract abstracts acknowledgement acknowledgements acknowledgments addendum advertisement afterword
    announcement announcements annualreport appendix authorindex authorsreply backmatter bibliography bookreview
    bookreviews booksreceived briefcommunication calendar callforpapers casereport chapter1 comment commentary comments
    concludingremarks conclusion conclusions contents contributors copyright correction corrections correspondence
    corrigendum coverimage dedication discussion editorial editorialboard editorialnote editorsnote editorsintroduction
    einleitung epilogue errata erratum foreword forewordbytheeditors frontmatter generaldiscussion
    generalintroduction glossary guesteditorial guesteditorsintroduction imprint impressum index indexofauthors inhalt
    inhaltsverzeichnis inmemoriam inthisissue instructionsforauthors instructionstoauthors introduccion introduction
    introductiontothespecialissue introductiontothisissue issueinformation keynote letter letters letterfromtheeditor
    lettertotheeditor letterstotheeditor listofcontributors listofreviewers mastheads masthead meetingreport message
    news newsandnotes newsandviews noteonthecontributors notes notesandnews notesoncontributors obituary overview
    personalia preface presentation proceedings prologue publishersnote reply referees references replytotheauthors
    report reports response retraction review reviewarticle reviews rezension rezensionen sommaire specialissue
    subjectindex summary supplement tableofcontents thanktoreviewers titlepage untitled vorwort welcome zusammenfassung
    """.split()  # noqa: SIM905 - words are read as words
)
# What begins another document about a work, or another part of it.
_OTHERS = frozenset(
    """
    addendum answer appendix book chapter comment commentary comments concern corrected correction corrections
    corrigenda corrigendum data dataset discussion errata erratum figure figures part parts protocol reanalysis
    rejoinder reply response retracted retraction review reviewed reviews revisited supplement supplementary supporting
    table volume withdrawal withdrawn i ii iii iv v vi vii viii ix x xi xii
    """.split()  # noqa: SIM905 - words are read as words
)
# What Crossref and OpenAlex call what is no work that a record without an identifier is about.
_NEVER = frozenset(
    """
    book-series book-set book-track component database dataset erratum grant journal journal-issue journal-volume
    other-paratext paratext peer-review proceedings-series report-component report-series retraction sa_component
    software standard-series supplementary-materials
    """.split()  # noqa: SIM905 - words are read as words
)
_CLASSES = {
    "dissertation": "thesis",
    "book": "book", "monograph": "book", "edited-book": "book", "reference-book": "book", "proceedings": "book",
    "book-chapter": "part", "book-section": "part", "book-part": "part", "reference-entry": "part",
    "journal-article": "article", "article": "article", "review": "article", "letter": "article",
    "editorial": "article", "proceedings-article": "conference", "conference-paper": "conference",
    "posted-content": "preprint", "preprint": "preprint",
    "report": "report",
}  # fmt: skip
_CLASS_WORDS = (
    ("thesis", ("thesis", "theses", "dissertation", "masterthesis", "doctoralthesis")),
    ("preprint", ("preprint", "workingpaper")),
    ("part", ("bookpart", "bookchapter", "bookitem", "bookbookpart")),
    ("conference", ("conference", "proceedings")),
    ("article", ("article", "journal")),
    ("report", ("report",)),
    ("book", ("book", "monograph")),
)
_ALONE = ("thesis", "book")  # what is one of these is none of the others


class Sought(NamedTuple):
    """What of a record can be compared: its titles, names, years, everything that may name its venue, its class."""

    titles: tuple[str, ...]
    names: tuple[Name, ...]
    years: tuple[int, ...]
    venue: str
    kind: str
    first_author: str  # as the record writes it

    @property
    def is_enough(self) -> bool:
        """Tell whether a match is possible at all."""
        return bool(self.titles and self.names and self.years)


class Matched(NamedTuple):
    """A described work, and why it is the one."""

    description: Description
    match: Match


class _Fit(NamedTuple):
    """How well a description fits. `tier` is 0 for the same letters, 1 for misspelt words, 2 for a part of a title."""

    description: Description
    title: str
    tier: int
    similarity: float
    author: str
    has_venue: bool
    has_year: bool


def sought(work: Work) -> Sought:
    """Return what of a record can be compared with descriptions."""
    stated: dict[str, list[str]] = {}
    for each in work.statements:
        stated.setdefault(each.element, []).append(each.text)
    titles = [form for title in stated.get("title", ()) for form in _forms(plain(title))]
    people = stated.get("creator") or stated.get("contributor") or []
    years = {int(year) for text in stated.get("date", ()) for year in _YEAR.findall(text[:100])}
    venue = [text for name in ("source", "relation", "identifier", "publisher") for text in stated.get(name, ())]
    return Sought(
        tuple(dict.fromkeys(title for title in titles if letters(title) not in GENERIC)),
        names_of(people),
        tuple(sorted(years)),
        letters(" ".join(text[:_MOST_CHARACTERS] for text in venue)),
        _class_of(stated.get("type", ())),
        people[0][:_LONGEST_NAME] if people else "",
    )


def plain(title: str) -> str:
    """Return a title without markup, with its entities resolved, also those that were written twice."""
    text = html.unescape(html.unescape(title[:_MOST_CHARACTERS]))
    return " ".join(_TAG.sub(" ", text).split())


def match(
    wanted: Sought,
    described: Iterable[Description],
    service: str,
    refused: Collection[str] = (),
    *,
    years_before: int = 1,
) -> Matched | None:
    """Return the one description that is the work, or None: nothing fits, or two fit equally well.

    `refused` are DOIs of which a person has said that they are not the work's. `years_before` is how many years older
    than the record a work may be.
    """
    candidates = [each for each in described if each.doi and each.doi not in refused][:_MOST_DESCRIBED]
    fits = [fit for each in candidates if (fit := _fit(wanted, each, years_before)) is not None]
    best = _best(wanted, fits)
    if best is None:
        return None
    found = best.description
    return Matched(found, Match(service, found.doi, best.title, round(best.similarity, 2), best.author, found.year))


# --- titles -------------------------------------------------------------------------------------------------------


def _forms(title: str) -> tuple[str, ...]:
    """Return a title, and without the statement of responsibility that libraries put behind it."""
    head, slash, _ = title.partition(" / ")
    return (title, head) if slash else (title,)


def _folded(title: str) -> str:
    return letters(title.lower().translate(_SPELLED))


def _words(title: str) -> list[str]:
    return [each for each in map(letters, _WORD.findall(title.lower().translate(_SPELLED))) if each not in _ARTICLES]


def similarity(ours: str, theirs: str) -> tuple[int, float]:
    """Return (tier, share of letters that agree) of two titles; a share of 0 means that they are not the same."""
    one, other = _folded(ours), _folded(theirs)
    if one == other:
        return 0, float(bool(one))
    if share := _misspelt(_words(ours), _words(theirs)):
        return 1, share
    return 2, _begun(ours, theirs, one, other)


def _misspelt(ours: list[str], theirs: list[str]) -> float:
    """Return the share of letters that agree where only some words are misspelt, else 0."""
    if len(ours) != len(theirs) or not ours:
        return 0.0
    differing = [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]]
    if len(differing) > 1 + len(ours) // _WORDS_A_SLIP or not all(_is_slip(*pair) for pair in differing):
        return 0.0
    return 1 - len(differing) / max(sum(map(len, ours)), 1)


def _is_slip(one: str, other: str) -> bool:
    """Tell whether two words differ in one letter, which is not the first and no digit."""
    short, long = sorted((one, other), key=len)
    if len(short) < _MISSPELT or len(long) - len(short) > 1 or short[0] != long[0]:
        return False
    if any(each.isdigit() for each in one + other):
        return False
    at = next((place for place, pair in enumerate(zip(short, long, strict=False)) if pair[0] != pair[1]), len(short))
    return short[at + (len(short) == len(long)) :] == long[at + 1 :]


def _begun(ours: str, theirs: str, one: str, other: str) -> float:
    """Return the share of the longer title that the shorter one is, where it lacks only a subtitle or was cut off."""
    (short, short_text), (long, long_text) = sorted(((one, ours), (other, theirs)), key=lambda pair: len(pair[0]))
    if not long.startswith(short) or len(short) < _BEGINNING_LETTERS or len(_words(short_text)) < _BEGINNING_WORDS:
        return 0.0
    if len(short) < _CUT and not _has_subtitle(short, long_text):
        return 0.0
    rest = _words(long_text)[len(_words(short_text)) :]
    if any(each in _OTHERS or any(sign.isdigit() for sign in each) for each in rest):
        return 0.0
    return len(short) / len(long)


def _has_subtitle(short: str, text: str) -> bool:
    """Tell whether a mark stands in a text where its beginning ends."""
    return any(_folded(text[:place]) == short for place, sign in enumerate(text[:_CUT_TEXT]) if sign in _MARKS)


def is_short(title: str) -> bool:
    """Tell whether a title may be that of many works."""
    spelled = letters(title)
    weight = sum(_WIDE_LETTERS if ord(each) >= _WIDE else 1 for each in spelled)
    is_wide = weight > len(spelled)
    return weight < _SHORT_LETTERS or (not is_wide and len(_words(title)) < _SHORT_WORDS)


# --- one description ----------------------------------------------------------------------------------------------


def _fit(wanted: Sought, described: Description, years_before: int) -> _Fit | None:
    """Return how well a description fits, None when it is not the work."""
    if described.kind in _NEVER or _is_notice(described) or not _is_possible(wanted.kind, _class(described)):
        return None
    tier, share_, title = _title(wanted, described)
    author = share(wanted.names, described.authors)
    year = int(described.year) if _YEAR.fullmatch(described.year) else 0
    if not share_ or not author or not any(-years_before <= year - each <= 1 for each in wanted.years):
        return None
    has_venue, has_year = _has_venue(wanted, described), year in wanted.years
    has_all = share(wanted.names, described.authors, of_all=True) != ""
    if is_short(title) and not (tier == 0 and has_venue and has_year and has_all):
        return None
    if tier > 1 and not has_all:
        return None
    return _Fit(described, title, tier, share_, author, has_venue, has_year)


def _title(wanted: Sought, described: Description) -> tuple[int, float, str]:
    """Return (tier, similarity, title) of the pair of titles that is nearest."""
    theirs = [plain(each) for each in (described.title, *described.other_titles)[:_MOST_TITLES]]
    pairs = [
        (*similarity(ours, each), each)
        for ours in wanted.titles[:_MOST_TITLES]
        for each in theirs
        if letters(each) not in GENERIC
    ]
    return min((pair for pair in pairs if pair[1]), key=lambda pair: (pair[0], -pair[1]), default=(0, 0.0, ""))


def _is_notice(described: Description) -> bool:
    """Tell whether it is a notice about another work; a new version of itself is none."""
    updated = [each for each in described.related if each.relation.startswith("update-to:")]
    return any(each.relation != "update-to:new_version" and each.value != described.doi for each in updated)


def _class(described: Description) -> str:
    return _CLASSES.get(described.kind, "")


def _class_of(types: Iterable[str]) -> str:
    """Return the class that the types of a record say, empty where they say none."""
    spelled = [letters(each) for each in types]
    return next((name for name, words in _CLASS_WORDS if any(word in each for word in words for each in spelled)), "")


def _is_possible(ours: str, theirs: str) -> bool:
    if not ours or not theirs or ours == theirs or {ours, theirs} == {"book", "report"}:
        return True
    return not any(each in (ours, theirs) for each in _ALONE)


def _has_venue(wanted: Sought, described: Description) -> bool:
    container = letters(described.container)
    named = [each for each in (container, *map(letters, described.issns)) if len(each) >= _VENUE]
    return any(each in wanted.venue for each in named)


# --- several ------------------------------------------------------------------------------------------------------


def _best(wanted: Sought, fits: list[_Fit]) -> _Fit | None:
    """Return the one that fits best, None when there is none, or several are equally good."""
    is_preprint = wanted.kind == "preprint"
    tests = (
        lambda fit: fit.tier == min(each.tier for each in fits),
        lambda fit: fit.has_venue,
        lambda fit: (_class(fit.description) == "preprint") is is_preprint,
        lambda fit: bool(wanted.kind) and _class(fit.description) == wanted.kind,
        lambda fit: fit.has_year,
    )
    for test in tests:
        fits = [each for each in fits if test(each)] or fits
    works = {_without_version(each.description.doi) for each in fits}
    return max(fits, key=lambda fit: fit.description.doi) if len(works) == 1 else None


_VERSION = re.compile(r"(?:[./]v\d{1,3}|\.v\d{1,3})$")


def _without_version(doi: str) -> str:
    """Return a DOI without the version that preprint servers put behind it."""
    return _VERSION.sub("", doi)
