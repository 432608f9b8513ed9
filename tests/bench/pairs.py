"""Made-up works whose papers are easily taken for each other, and which document is whose. The same for every run.

Groups of authors share their words. A paper cites the others of its group with title, authors and DOI; a group has a
series in parts, an erratum, a comment and a review of its works. No text is anybody's.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from hashlib import sha256
from random import Random
from typing import NamedTuple

from gateway.core.model import Outcome, Statement, Work
from harvester.fulltext.identifiers import identifiers_of
from harvester.fulltext.pdf.extraction import Extracted
from harvester.fulltext.pdf.judge import Expected, expected

GROUPS, WORKS_OF_A_GROUP = 20, 6
_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"
_JOURNALS = ("Journal of Field Studies", "Annals of Small Things", "Letters on Growth", "Acta Prata")
_PHRASES = ("Effects of {0} {1} on {2} in {3} {4}", "{0} {1} and the {2} of {3} {4}", "A model of {0} {1} for {3} {2}")
_PHRASES += ("Measuring {1} of {0} {2}: evidence from {3} {4}", "How {0} {2} change the {1} of {3} {4}")  # type: ignore[assignment]
_PAGE, _PAGES = 320, 5  # words of a page; pages
_NOISE = {"rn": "m", "cl": "d", "m": "rn", "l": "1", "i": "l", "o": "0", "e": "c"}


class Told(StrEnum):
    """What a record tells of a work."""

    TITLE = "title only"
    AUTHORS = "authors, journal and year"
    ABSTRACT = "abstract too"
    DOI = "DOI too"


class Paper(NamedTuple):
    """A document, and the number of the work that it is; None: it is about one, and none of these itself."""

    extracted: Extracted
    number: int | None
    group: int


class Made:
    """The work of a number. Works of one group share authors and words."""

    def __init__(self, number: int) -> None:
        """Take the number."""
        self.number, self.group = number, number // WORKS_OF_A_GROUP
        self.dice = Random(number)
        of_group = Random(f"group {self.group}")
        self.vocabulary = [_word(of_group) for _ in range(90)]
        self.people = [_word(of_group).capitalize() for _ in range(5)]
        self.journal = of_group.choice(_JOURNALS)
        self.authors = [f"{name}, {name[0]}." for name in self.dice.sample(self.people, 3)]
        self.year = str(2000 + self.dice.randrange(20))
        self.doi = f"10.1234/{self.group}.{number}"
        self.title = self._title()
        self.abstract = " ".join(self.sentence() for _ in range(9))

    def _title(self) -> str:
        """Return a title. The last two works of a group are the parts of a series."""
        place = self.number % WORKS_OF_A_GROUP
        if place >= WORKS_OF_A_GROUP - 2:
            series = Random(f"series {self.group}")
            words = series.sample(self.vocabulary, 5)
            return f"{_PHRASES[0].format(*words)}. {('Part I', 'Part II')[place - WORKS_OF_A_GROUP + 2]}"
        return self.dice.choice(_PHRASES).format(*self.dice.sample(self.vocabulary, 5)).capitalize()

    @property
    def is_held_back(self) -> bool:
        """Tell whether no threshold was chosen on it."""
        return sha256(self.doi.encode()).digest()[0] % 2 == 1

    def sentence(self) -> str:
        """Return a sentence of the group, with a word of the title."""
        words = self.dice.choices(self.vocabulary, k=6)
        words.append(self.dice.choice(self.title.split()))
        return "The {0} {1} of {2} was {3} by {6} and {4}.".format(*words)

    def expected(self, metadata: Told) -> Expected:
        """Return what a document is compared with, where a record tells so much."""
        statements = [Statement("title", self.title)]
        if metadata is not Told.TITLE:
            statements += [Statement("creator", author) for author in self.authors]
            statements += [Statement("date", self.year), Statement("source", self.journal)]
        if metadata in (Told.ABSTRACT, Told.DOI):
            statements.append(Statement("description", self.abstract))
        if metadata is Told.DOI:
            statements.append(Statement("identifier", f"https://doi.org/{self.doi}"))
        work = Work(tuple(statements))
        return expected(work, identifiers_of(work))

    def reference(self) -> str:
        """Return how others cite it."""
        place = f"{self.journal} {self.number}, 1-{_PAGES}"
        return f"{', '.join(self.authors)} ({self.year}). {self.title}. {place}. doi:{self.doi}"


def _word(dice: Random) -> str:
    return "".join(dice.choice(_CONSONANTS) + dice.choice(_VOWELS) for _ in range(dice.randrange(2, 5))) + dice.choice(
        "nrst"
    )


def works() -> list[Made]:
    """Return all works, group by group."""
    return [Made(number) for number in range(GROUPS * WORKS_OF_A_GROUP)]


def papers(made: Made, others: list[Made]) -> Iterator[Paper]:
    """Return the paper of a work, and what is about it: the same words, other documents."""
    dice, number = made.dice, made.number
    has_doi = dice.random() < 0.7
    head = [f"{made.journal} {number} ({made.year}) 1-{_PAGES}", f"https://doi.org/{made.doi}"] if has_doi else []
    footnote = [f"1 {others[0].reference()}", f"2 See also {others[1].reference()}"]
    title = _noisy(made.title, dice) if dice.random() < 0.05 else made.title
    byline, broken = _byline(made), _broken(made.title)
    yield Paper(_document([*head, *_broken(title), byline], made, others, footnote), number, made.group)
    cover = f"Institutional repository\n{made.title}\n{byline}\nTerms of use"
    yield Paper(_document(broken, made, others, footnote, cover), number, made.group)
    sequel = f"We go on from {made.title} ({made.year}), doi:{made.doi}, and ask for more."
    about = f"More on {made.vocabulary[0]} and {made.vocabulary[1]} in the {made.vocabulary[2]}"
    contents = [f"{work.title} . . . {work.number}" for work in (made, *others)]
    erratum = [f"Erratum to: {made.title}", byline, f"The original article is at https://doi.org/{made.doi}."]
    rows: list[tuple[int, list[str], str, list[str]]] = [
        (1, [], "", erratum),
        (1, [], "", ["Erratum", *broken, byline]),
        (2, [], "", ["Comment on", *broken, others[0].authors[0]]),
        (2, [made.reference()], "", [f"Reply to “{made.title}”", byline]),
        (_PAGES, [f"1 {made.reference()}"], sequel, [about, byline]),
        (1, [], "", [f"{made.journal} {number}", "Contents", *contents]),
    ]
    for pages, references, abstract, lines in rows:
        yield Paper(_document(lines, made, others, references, pages=pages, abstract=abstract), None, made.group)


def _byline(made: Made) -> str:
    return ", ".join(f"{author.partition(',')[2].strip()} {author.partition(',')[0]}" for author in made.authors)


def _broken(title: str) -> list[str]:
    """Return the lines of a title."""
    words = title.split()
    return [" ".join(words[start : start + 6]) for start in range(0, len(words), 6)]


def _noisy(title: str, dice: Random) -> str:
    """Return a title as a scanner reads it, with one or two errors."""
    for _ in range(2):
        letters = dice.choice([letter for letter in _NOISE if letter in title[1:]])
        title = title[0] + title[1:].replace(letters, _NOISE[letters], 1)
    return title


def _document(
    head: list[str],
    made: Made,
    others: list[Made],
    footnote: list[str],
    cover: str = "",
    *,
    pages: int = _PAGES,
    abstract: str = "",
) -> Extracted:
    sheets = [" ".join(made.sentence() for _ in range(_PAGE // 11)).replace(". ", ".\n") for _ in range(pages)]
    references = "\n".join(["References", *(f"[{place}] {work.reference()}" for place, work in enumerate(others, 1))])
    first = "\n".join([*head, "Abstract", abstract or made.abstract, "1 Introduction", sheets[0], *footnote])
    body = [first, *sheets[1:]]
    body[-1] += f"\n{references}"
    whole = [*([cover] if cover else []), *body]
    return Extracted(Outcome.SUCCESS, len(whole), "\f".join(whole[:2]), "\n\f".join(whole[2:]), "made", front=whole[0])


def corpus() -> list[Paper]:
    """Return all papers of all works."""
    every = works()
    groups = {made: [work for work in every if work.group == made.group and work is not made] for made in every}
    return [paper for made, others in groups.items() for paper in papers(made, others)]
