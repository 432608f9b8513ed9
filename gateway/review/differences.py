"""What a record says beside what its file says, with the words that differ. Pure.

The first page of a file is text without structure. So a statement is compared with the passage of the text that has
most of its words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import Final, NamedTuple
from unicodedata import combining

from gateway.core.model import Candidate, Work
from gateway.core.normal_forms import normalized

_MOST_WORDS: Final = 80  # of a statement
_MOST_NAMES: Final = 10
_MOST_VALUES: Final = 5
_WORD: Final = re.compile(r"\S+")
_YEAR: Final = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])")
_DOI: Final = re.compile(r"10\.[0-9]{4,9}/[^\s\"<>]{1,200}")
_LONGEST_DATE: Final = 4  # digits of a year


class Part(NamedTuple):
    """Some words of a text; `differs`: the other side does not have them."""

    text: str
    differs: bool = False


class Row(NamedTuple):
    """A fact as the record and as the file state it. A side without parts says nothing about it."""

    name: str  # of the fact: title, authors, year, doi, version
    record: tuple[Part, ...]
    file: tuple[Part, ...]

    @property
    def differs(self) -> bool:
        """Return whether a word differs."""
        return any(part.differs for part in (*self.record, *self.file))


def rows_of(work: Work, candidate: Candidate | None, text: str) -> tuple[Row, ...]:
    """Return the facts by which a person sees whether a file is the work; `text` is that of its first page."""
    years = [date[:_LONGEST_DATE] for date in work.texts("date") if _YEAR.fullmatch(date[:_LONGEST_DATE])]
    dois = [doi for statement in (*work.identifiers, *work.texts("identifier")) for doi in _dois(statement)]
    return (
        Row("title", *in_order(" ".join(work.texts("title")[:1]), text)),
        Row("authors", *in_any_order("; ".join(work.texts("creator")[:_MOST_NAMES]), text)),
        Row("year", *_values(years, _YEAR.findall(text))),
        Row("doi", *_values(dois, list(_dois(text)))),
        *((Row("version", *_values([candidate.version], [candidate.text_version])),) if candidate else ()),
    )


def in_order(statement: str, text: str) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """Return a statement and the passage of a text that is most like it; words in another order differ too."""
    ours = _WORD.findall(statement)[:_MOST_WORDS]
    theirs = _passage(ours, text)
    left, right = ([_plain(word) for word in words] for words in (ours, theirs))
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    same = [(block.a, block.b, block.size) for block in matcher.get_matching_blocks()]
    if not theirs:
        return _missing(ours, text), ()
    return (
        _parts(ours, {place for a, _, size in same for place in range(a, a + size)}),
        _parts(theirs, {place for _, b, size in same for place in range(b, b + size)}),
    )


def in_any_order(statement: str, text: str) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """Return a statement and the passage of a text with most of its words; only words of the statement may differ.

    Names are written in many orders, and between them are addresses, marks and titles.
    """
    ours = _WORD.findall(statement)[:_MOST_WORDS]
    theirs = _passage(ours, text)
    if not theirs:
        return _missing(ours, text), ()
    known = {_plain(word) for word in _WORD.findall(text)}
    same = {place for place, word in enumerate(ours) if _plain(word) in known}
    return _parts(ours, same), _parts(theirs, range(len(theirs)))


def _missing(words: Sequence[str], text: str) -> tuple[Part, ...]:
    """Return words of which a text has none; without a text, nothing differs."""
    return _parts(words, () if text.strip() else range(len(words)))


def _values(ours: Iterable[str], theirs: Iterable[str]) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """Return single values of both sides; they differ if neither side has a value of the other."""
    left, right = (list(dict.fromkeys(filter(None, values)))[:_MOST_VALUES] for values in (ours, theirs))
    differs = bool(left and right) and not {value.lower() for value in left} & {value.lower() for value in right}
    return tuple(Part(", ".join(side), differs) for side in (left,) if side), tuple(
        Part(", ".join(side), differs) for side in (right,) if side
    )


def _passage(words: Sequence[str], text: str) -> list[str]:
    """Return the words of a text in which most of some words are; empty if it has none of them."""
    wanted = Counter(filter(None, map(_plain, words)))
    theirs = _WORD.findall(text)
    plain = [_plain(word) for word in theirs]
    width = len(words) + len(words) // 2 + 2
    inside, count, best = Counter[str](), 0, (0, 0)
    for place, word in enumerate(plain):
        inside[word] += 1
        count += inside[word] <= wanted[word]
        if place >= width:
            left = plain[place - width]
            count -= inside[left] <= wanted[left]
            inside[left] -= 1
        if count > best[0]:
            best = (count, place)
    count, last = best
    if not count:
        return []
    first = max(0, last - width + 1)
    while plain[first] not in wanted:
        first += 1
    # A word of the statement that is far before the others is not of the passage.
    needed = Counter(word for word in plain[first : last + 1] if word in wanted)
    while needed[plain[first]] > wanted[plain[first]] or plain[first] not in wanted:
        needed[plain[first]] -= 1
        first += 1
    return theirs[first : last + 1]


def _dois(text: str) -> Iterator[str]:
    for doi in _DOI.findall(text):
        yield doi.rstrip(".,;:)]}").lower()


def _plain(word: str) -> str:
    """Return a word without marks, accents and capitals; empty if nothing is left."""
    letters = normalized("NFKD", word.casefold())
    return "".join(letter for letter in letters if letter.isalnum() and not combining(letter))


def _parts(words: Sequence[str], same: Collection[int]) -> tuple[Part, ...]:
    """Return words as parts; punctuation alone never differs."""
    marked = [(place not in same and bool(_plain(word)), word) for place, word in enumerate(words)]
    return tuple(
        Part(" ".join(word for _, word in group), differs) for differs, group in groupby(marked, lambda pair: pair[0])
    )
