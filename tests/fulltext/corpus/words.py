"""Made-up works: topics, people, journals, titles and sentences. Every number gives another work, always the same.

Even numbers are those that rules are developed on. Odd ones are held back: their topics, people and turns of phrase are
others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeVar

_T = TypeVar("_T")


class Topic(NamedTuple):
    """The words of a field of study."""

    adjectives: tuple[str, ...]
    nouns: tuple[str, ...]
    things: tuple[str, ...]  # in the plural
    journals: tuple[str, ...]


def _table() -> dict[str, tuple[str, ...]]:
    """Return the parts of `words.txt` by their names."""
    text = Path(__file__).with_name("words.txt").read_text(encoding="utf-8")
    parts = re.split(r"^\[(\w+)\]$", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE), flags=re.MULTILINE)
    return {name: tuple(part.strip().split("\n")) for name, part in zip(parts[1::2], parts[2::2], strict=True)}


_WORDS = _table()
TOPICS = tuple(
    Topic(tuple(adjectives.split()), tuple(nouns.split()), tuple(things.split()), tuple(journals.split("; ")))
    for adjectives, nouns, things, journals in zip(
        *(_WORDS[part] for part in ("ADJECTIVES", "NOUNS", "THINGS", "JOURNALS")), strict=True
    )
)
_GIVEN, _FAMILY, _PLACES = (_WORDS[part][0].split() for part in ("GIVEN", "FAMILY", "PLACES"))


class Person(NamedTuple):
    given: str
    family: str

    @property
    def full(self) -> str:
        """The name as it stands below a title."""
        return f"{self.given} {self.family}"

    @property
    def inverted(self) -> str:
        """The name as records have it."""
        return f"{self.family}, {self.given}"


@dataclass(frozen=True)
class Subject:
    """One made-up work and its surroundings."""

    number: int
    branch: int = 0  # other works of the same people are other branches
    title_of: str = ""  # a title that is set instead of the one that is made

    def __format__(self, spec: str) -> str:
        """Return sentences: `{subject:7 notes}` are seven for these notes."""
        count, _, purpose = spec.partition(" ")
        return self.prose(int(count), purpose)

    def random(self, purpose: str) -> Random:
        """Return numbers that are the same for every use with this purpose."""
        return Random(f"{self.number}/{self.branch}/{purpose}")

    def one_of(self, *options: _T) -> _T:
        """Return one of several ways to say a thing; those at odd places are held back."""
        own = options[self.number % 2 :: 2] or options
        return own[(self.number // 2) % len(own)]

    @cached_property
    def topic(self) -> Topic:
        """Its field of study: even numbers have other ones than odd numbers."""
        return TOPICS[self.number % len(TOPICS)]

    def filled(self, template: str, random: Random) -> str:
        """Return a sentence with words of the topic."""
        nouns, adjectives = random.sample(self.topic.nouns, 2), random.sample(self.topic.adjectives, 2)
        text = template.format(
            n=nouns[0], N=nouns[0].capitalize(), n2=nouns[1], a=adjectives[0], A=adjectives[0].capitalize(),
            a2=adjectives[1], t=random.choice(self.topic.things), p=random.choice(_PLACES),
            d=random.randint(11, 48), s=random.randint(1, 4),
        )  # fmt: skip
        return text[0].upper() + text[1:]

    @cached_property
    def title(self) -> str:
        random = self.random("title")
        return self.title_of or self.filled(
            _WORDS["TITLES"][(self.number // 2 + 3 * self.branch) % len(_WORDS["TITLES"])], random
        )

    @cached_property
    def authors(self) -> tuple[Person, ...]:
        """Who wrote it: two to five people, of whom the first two write other works together too."""
        random = Random(f"{self.number}/people")
        half = _FAMILY[self.number % 2 :: 2]
        count = 2 + self.number // 2 % 4
        return tuple(
            Person(given, family)
            for given, family in zip(random.sample(_GIVEN, count), random.sample(half, count), strict=True)
        )

    @property
    def journal(self) -> str:
        return self.topic.journals[self.number // 8 % 2]

    @property
    def publisher(self) -> str:
        return _WORDS["PUBLISHERS"][self.number % len(_WORDS["PUBLISHERS"])]

    @property
    def place(self) -> str:
        return _PLACES[self.number * 3 % len(_PLACES)]

    @property
    def year(self) -> int:
        return 2009 + self.number % 14 - self.branch % 3

    @property
    def volume(self) -> int:
        return 11 + self.number % 30

    @property
    def first_page(self) -> int:
        return 101 + 17 * (self.number % 23) + 40 * self.branch

    @property
    def page_count(self) -> int:
        """How many pages the publisher's version has."""
        return 5 + self.number % 6

    @property
    def pages(self) -> str:
        return f"{self.first_page}-{self.first_page + self.page_count - 1}"

    @property
    def doi(self) -> str:
        return f"10.{5100 + self.number}/amh.{self.year}.{self.first_page:04d}{self.branch or ''}"

    @property
    def reference(self) -> str:
        names = ", ".join(f"{person.family} {person.given[0]}." for person in self.authors)
        return f"{names} ({self.year}). {self.title}. {self.journal}, {self.volume}, {self.pages}."

    @property
    def byline(self) -> str:
        names = [person.full for person in self.authors]
        return self.one_of(", ".join(names), " and ".join([", ".join(names[:-1]), names[-1]]))

    @cached_property
    def abstract(self) -> str:
        """Five sentences, the first of which has the words of the title."""
        plain = self.title.rstrip("?!.").replace(":", ",")
        return f"This paper is about {plain[0].lower()}{plain[1:]}. {self.prose(4, 'abstract')}"

    def prose(self, sentences: int, purpose: str) -> str:
        """Return so many sentences of its topic."""
        random = self.random(purpose)
        return " ".join(self.filled(random.choice(_WORDS["SENTENCES"]), random) for _ in range(sentences))

    def sections(self) -> Sequence[str]:
        return _WORDS["SECTIONS"]

    def another(self, branch: int = 1, title: str = "") -> Subject:
        """Return another work of the same people on the same topic."""
        return Subject(self.number, branch, title)

    def titled(self, title: str) -> Subject:
        """Return this work under another title."""
        return Subject(self.number, self.branch, title)

    def stranger(self) -> Subject:
        """Return a work of other people on the same topic."""
        return Subject(self.number + 8 * 5, 1)

    def references(self, count: int = 12) -> list[str]:
        """Return what it cites: works of its topic, its authors' own among them."""
        cited = [self.another(branch).reference for branch in (3, 4)]
        cited += [Subject(self.number + 8 * place, 2).reference for place in range(1, count - 1)]
        return sorted(cited)
