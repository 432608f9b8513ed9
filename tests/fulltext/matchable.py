"""Works to be found without their DOI: recorded and own ones, an index of noise around them, and what comes of it.

The index answers as Crossref does: the five works that have most rare words in common with the question, however wrong.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from itertools import zip_longest
from math import log
from random import Random
from typing import NamedTuple

from gateway.core.model import Statement, Work
from harvester.fulltext.known_copies import Description, Related
from harvester.fulltext.match_work import match_work, sought
from harvester.fulltext.steps import crossref, datacite, openalex
from harvester.fulltext.steps._match_work import ROWS
from harvester.http.messages import Fetched
from tests.fulltext.web import DATA

_WORD = re.compile(r"\w++")
_COMMON = 0.2  # words that so many works have say nothing


class Pair(NamedTuple):
    """A record without its DOI, and the work as services know it."""

    record: Work
    known: Description


class Rates(NamedTuple):
    """Of so many works: found by their own DOI or that of their preprint, wrong, and wrong where it is not listed."""

    works: int
    right: float
    wrong: float
    wrong_without: float
    mistakes: tuple[tuple[str, str], ...]


# --- works --------------------------------------------------------------------------------------------------------


def recorded_works() -> dict[str, Description]:
    """Return every work that a recorded answer of Crossref, OpenAlex or DataCite describes, by its DOI."""
    descriptions: dict[str, Description] = {}
    for file in sorted(DATA.rglob("*.json*")):
        if not file.name.endswith(".meta.json"):
            for document in _documents(file.read_bytes()):
                for work in _works(document):
                    if work.doi and work.title:
                        descriptions.setdefault(work.doi, work)
    return descriptions


def _documents(body: bytes) -> Iterator[object]:
    for text in (body, *(body.splitlines() if body.count(b"\n{") else ())):
        try:
            yield json.loads(text)
        except ValueError:
            continue


def _works(node: object) -> Iterator[Description]:
    if isinstance(node, list):
        for child in node:
            yield from _works(child)
    elif isinstance(node, dict):
        if "DOI" in node and "prefix" in node:
            yield from crossref.read_list(_answer({"message": {"items": [node]}}))
        elif "authorships" in node:
            yield from openalex.read_list(_answer({"results": [node]}))
        elif "creators" in node and "titles" in node:
            yield from datacite.read_list(_answer({"data": [{"attributes": node}]}))
        for child in node.values():
            yield from _works(child)


def _answer(document: object) -> Fetched:
    return Fetched("https://service.example.org/", 200, (), json.dumps(document).encode(), 0)


def recorded_pairs() -> list[Pair]:
    """Return the recorded works, each with a record of it such as repositories have."""
    return [Pair(record_of(recorded_work), recorded_work) for recorded_work in recorded_works().values()]


_OWN = """
    alpine meadow grazing winter lichen soil carbon nitrogen protein receptor membrane kinase neural network graph
    kernel lattice quantum spin glass boundary flow turbulent shear labour market wage policy urban migration health
    elderly nursing school pupil reading memory attention bilingual grammar dialect medieval manuscript trade port
    colonial archive poetry sonata liturgy synod statute contract liability tax reform river sediment glacier
    """.split()  # noqa: SIM905 - words are read as words
_NAMES = """
    Rossi Müller Novák Dupont García Smith Larsen Kowalski Tanaka Wang Li Okafor Haddad Virtanen Horvat Silva
    """.split()  # noqa: SIM905 - words are read as words


def own_pairs(count: int) -> list[Pair]:
    """Return works of our own making, each with a record of it: few authors have many works of the same words."""
    pairs = []
    for number in range(count):
        dice = Random(number)
        subject = dice.sample(_OWN, 4)
        title = f"On the {subject[0]} of {subject[1]} and {subject[2]} in the {subject[3]}"
        authors = tuple(dice.sample(_NAMES, dice.randint(1, 4)))
        journal = f"Journal of {dice.choice(_OWN).title()}"
        known = Description(
            f"10.1234/{number}", title, authors, journal, year=str(1990 + number % 30), kind="journal-article"
        )
        pairs.append(Pair(record_of(known), known))
    return pairs


def _people(known: Description) -> list[tuple[str, str]]:
    """Return the authors of a work, each with the given names that are known."""
    return list(zip_longest(known.authors, known.given_names[: len(known.authors)], fillvalue=""))


def record_of(known: Description) -> Work:
    """Return the record that a repository may have of a work: what stands in it varies by the DOI, always the same."""
    dice = Random(known.doi)
    initials = [(given or dice.choice("ABCDE"))[0] for _, given in _people(known)]
    title, names = known.title, [f"{name}, {letter}." for name, letter in zip(known.authors, initials, strict=True)]
    kinds = [
        title.upper,
        lambda: title.replace("&", "&amp;"),
        lambda: f"{title} / {known.authors[0] if known.authors else ''}",
        lambda: title.partition(": ")[0],
        lambda: title.replace("our", "or").replace("is", "iz", 1),
    ]
    title = dice.choice(kinds)() if dice.random() < 0.3 else title
    if dice.random() < 0.2:
        names = [" ".join(reversed(name.split(", "))) for name in names]
    if dice.random() < 0.1:
        names = ["; ".join(names)]
    if dice.random() < 0.2:
        names = names[:1]
    year = int(known.year) + dice.choice((0, 0, 0, 0, 1, -1)) if known.year.isdecimal() else ""
    stated = [Statement("title", title), *(Statement("creator", name) for name in names if name)]
    stated += [Statement("date", f"{year}-01-01"), Statement("date", "2023-05-05T10:00:00Z")][: dice.randint(1, 2)]
    stated += [Statement("source", f"{known.container}, 3 (2), 1-9")] if known.container and dice.random() < 0.5 else []
    return Work(tuple(stated))


def noise(known: Description) -> Iterator[Description]:
    """Return what stands beside a work at Crossref: notices, parts, reviews, companions, and a preprint of some."""
    dice = Random(known.doi)
    title, own = known.title, known.doi
    notice = (Related("update-to:correction", "doi", own),)
    yield known._replace(doi=f"{own}/erratum", title=f"Erratum: {title}", related=notice)
    yield known._replace(doi=f"{own}/notice", related=notice)
    yield known._replace(doi=f"{own}/part2", title=f"{title}. Part II")
    yield known._replace(doi=f"{own}/reply", title=f"{title}: reply to a comment")
    yield known._replace(doi=f"{own}/comment", title=f"Comment on “{title}”", authors=("Commentator",))
    yield known._replace(doi=f"{own}/component", kind="component")
    yield known._replace(doi=f"{own}/review", title=f"Review for “{title}”", kind="peer-review")
    yield known._replace(doi=f"{own}/data", kind="dataset")
    yield known._replace(doi=f"{own}/thesis", kind="dissertation", year=_later(known.year, -4))
    yield known._replace(doi=f"{own}/namesake", authors=("Namesake",))
    words = title.split()
    if len(words) > 3:
        place = dice.randrange(1, len(words))
        yield known._replace(doi=f"{own}/companion", title=" ".join([*words[:place], "unrelated", *words[place + 1 :]]))
    if dice.random() < 0.3:
        yield known._replace(doi=preprint_of(own), kind="posted-content", container="", year=_later(known.year, -1))


def preprint_of(doi: str) -> str:
    """Return the DOI that the preprint of a work has in the noise."""
    return f"{doi}/preprint.v1"


def _later(year: str, by: int) -> str:
    return str(int(year) + by) if year.isdecimal() else ""


# --- the index ----------------------------------------------------------------------------------------------------


@cache
def _tokens(text: str) -> tuple[str, ...]:
    return tuple(set(_WORD.findall(text.casefold())))


class Index:
    """Works that are found by their words."""

    def __init__(self, works: Iterable[Description]) -> None:
        """Take the works."""
        self.works = list(works)
        self.places: dict[str, list[int]] = {}
        for place, description in enumerate(self.works):
            for token in _tokens(
                " ".join((description.title, *description.authors, description.container, description.year))
            ):
                self.places.setdefault(token, []).append(place)

    def answer(self, question: str, without: str = "") -> list[Description]:
        """Return the works that have most rare words in common with a question; those of a DOI may be left out."""
        scores: Counter[int] = Counter()
        for token in _tokens(question):
            places = self.places.get(token, ())
            if len(places) <= _COMMON * len(self.works):
                rare = log(len(self.works) / max(len(places), 1))
                for place in places:
                    scores[place] += rare  # type: ignore[assignment]
        listed = []
        for place, _ in scores.most_common(ROWS * 4):
            description = self.works[place]
            if not without or description.doi not in (without, preprint_of(without)):
                listed.append(description)
        return listed[:ROWS]


def rates(pairs: list[Pair], half: int | None = None) -> Rates:
    """Return what is found of works in an index of all of them and of noise; of one half (0 or 1) of them, or all."""
    index = Index(description for pair in pairs for description in (pair.known, *noise(pair.known)))
    chosen = [pair for pair in pairs if half is None or sha256(pair.known.doi.encode()).digest()[0] % 2 == half]
    right = wrong = wrong_without = 0
    mistakes = []
    for record, known in chosen:
        wanted = sought(record)
        if not wanted.is_enough:
            continue
        question = " ".join((wanted.titles[0], wanted.first_author, str(wanted.years[0])))
        own = _matched(wanted, index.answer(question))
        right += own in (known.doi, preprint_of(known.doi))
        wrong += own not in ("", known.doi, preprint_of(known.doi))
        other = _matched(wanted, index.answer(question, known.doi))
        wrong_without += bool(other)
        mistakes += [(known.doi, doi) for doi in (own, other) if doi not in ("", known.doi, preprint_of(known.doi))]
    count = max(len(chosen), 1)
    return Rates(len(chosen), right / count, wrong / count, wrong_without / count, tuple(mistakes))


def _matched(wanted, answer: list[Description]) -> str:
    matched = match_work(wanted, answer, "index")
    return matched.match.doi if matched else ""
