"""Titles as records and services write them: without markup, in parts, and whether one tells a work apart. Pure."""

from __future__ import annotations

import re
from html import unescape
from typing import NamedTuple

from harvester.verification.fronts import folded

_MOST = 2_000  # characters of a title that are compared
LEAST_LETTERS, LEAST_WORDS = 15, 3  # a title of fewer of either is short: it stands on many pages
_CJK = 0x2E80  # from here on a character says as much as a syllable or a word
_WORTH = 2  # letters for which such a character counts

_TAG = re.compile(r"</?[A-Za-z][^<>]{0,200}>")
_COMMAND = re.compile(r"\\[A-Za-z]{1,20}\*?")
_DIVIDED = re.compile(r":|[.?!](?= )| [\u2013\u2014/=|-] |[\uff1a\u2015\u2014]")
_WORD = re.compile(r"[^\W_]+")
_CUT = re.compile(r"(?:\.{3}|\u2026)\s*$")
_PART = re.compile(
    r"(?i)^\W{0,4}(?:(?:part|pt|teil|partie|parte|volume|vol|band|number|chapter|часть|ii+)\b"
    r"|no\b\.?[ \t]{0,3}(?=\d|[ivx]{1,5}\b)"
    r"|[ivx]{1,5}\b(?=\W|$)|\d{1,3}\b)"
)
_NUMBER = re.compile(r"(?<![^\W_])(?:\d[\d.,]{0,9}|[IVX]{1,5}|[a-z]?\d{1,4}[a-z]?)(?![^\W_])", re.ASCII)

# What hundreds of works are called. Such a title says nothing by itself, nor with the author and the year.
_GENERIC = frozenset(
    folded(each)
    for each in (
        "introduction", "editorial", "preface", "foreword", "book review", "book reviews", "review", "reviews", "reply",
        "letter to the editor", "letters to the editor", "letter", "letters", "correspondence", "commentary", "comment",
        "comments", "conclusion", "conclusions", "abstract", "abstracts", "obituary", "in memoriam", "news", "index",
        "contents", "table of contents", "announcements", "acknowledgements", "guest editorial", "editors note",
        "editor's note", "from the editor", "message from the editor", "editorial note", "erratum", "corrigendum",
        "front matter", "back matter", "list of contributors", "contributors", "notes on contributors",
        "call for papers",
        "introduction to the special issue", "introduction to this special issue", "introduction to the issue",
        "special issue introduction", "general introduction", "discussion", "response", "authors' reply",
        "author's reply",
        "annual report", "proceedings", "program", "poster abstracts", "conference report", "case report", "summary",
        "einleitung", "einführung", "vorwort", "nachwort", "rezension", "rezensionen", "buchbesprechung", "nachruf",
        "inhalt", "inhaltsverzeichnis", "introduction générale", "avant-propos", "avant propos", "préface", "éditorial",
        "compte rendu", "comptes rendus", "introducción", "prefacio", "reseña", "reseñas", "prólogo", "presentación",
        "introdução", "apresentação", "prefácio", "resenha", "introduzione", "prefazione", "recensione", "recensioni",
        "presentazione", "введение", "предисловие", "рецензия", "от редакции", "от редактора", "序言", "前言",
        "まえがき",
        "はじめに", "編集後記", "巻頭言", "書評", "书评", "卷首语", "편집후기", "머리말",
    )
)  # fmt: skip


# What appears each year, or more often, under one title; with a year or a number in it, it is one of them.
_SERIAL = re.compile(
    r"(?i)\W{0,3}(?:(?:annual|yearly|biennial|quarterly|monthly) (?:reports?|statistics|review|bulletin|newsletter)\b"
    r"|yearbook\b|newsletter\b|jahres(?:bericht|rückblick)|rapport (?:annuel|d'activité)|informe anual|memoria anual"
    r"|relatório anual|rapporto annuale|jaarverslag|statistical yearbook|press release|minutes of\b)"
)


class Title(NamedTuple):
    """A title: its text without markup, and its letters and digits alone, as they are looked for."""

    text: str
    letters: str

    @property
    def is_generic(self) -> bool:
        """Tell whether hundreds of works are called so, or each year's of a series."""
        return self.letters in _GENERIC or (bool(_SERIAL.match(self.text)) and not self.numbers)

    @property
    def is_short(self) -> bool:
        """Tell whether it is so short that other works may well be called the same."""
        return worth(self.letters) < LEAST_LETTERS or (
            len(_WORD.findall(self.text)) < LEAST_WORDS and worth(self.letters) == len(self.letters)
        )

    @property
    def parts(self) -> tuple[str, str]:
        """The main title and the subtitle; the latter empty where there is none."""
        match = _DIVIDED.search(self.text)
        return (self.text[: match.start()].strip(), self.text[match.end() :].strip()) if match else (self.text, "")

    @property
    def numbers(self) -> frozenset[str]:
        """The numbers and parts of a series in it, which no other spelling may have otherwise."""
        return numbers_of(self.text)


def title_of(text: str) -> Title:
    """Return a title without entities, markup of HTML and commands of TeX, and without the marks of one cut short."""
    plain = text[:_MOST]
    for _ in range(3):  # `&amp;lt;i&amp;gt;` was escaped twice
        plain, before = unescape(plain), plain
        if plain == before:
            break
    plain = _COMMAND.sub("", _TAG.sub("", plain)).translate({ord(each): None for each in "{}$"})
    plain = " ".join(_CUT.sub("", plain).split()).removesuffix(" *")
    return Title(plain, folded(plain))


def is_cut(text: str) -> bool:
    """Tell whether a title ends with an ellipsis: somebody has cut it."""
    return bool(_CUT.search(text))


def is_part(text: str) -> bool:
    """Tell whether a text, behind a title, begins with the number of a part: `Part II`, `III. Results`."""
    return bool(_PART.match(text))


def numbers_of(text: str) -> frozenset[str]:
    """Return the numbers and Roman numbers in a text."""
    return frozenset(each.strip(".,").lower() for each in _NUMBER.findall(text))


def worth(letters: str) -> int:
    """Return how many letters a title has, where one character of Chinese, Japanese or Korean counts as two."""
    return len(letters) + sum(ord(each) >= _CJK for each in letters) * (_WORTH - 1)
