# ruff: noqa: E501, RUF001 - tables have long lines
"""Tests whether a line has the form of names of people, or of the institutions where they work. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from harvester.fulltext.pdf import known_lines
from harvester.fulltext.pdf.first_pages import folded

_DIVIDES = re.compile(r"[,;·•|&/]|\b(?:and|und|et|y|e|og|och|en|i|ja|és|ve|with|и|και)\b")
_BEFORE = re.compile(
    r"(?i)^\W{0,3}(?:by|von|par|por|di|da|van|door|av|af|od|autor(?:es|en|i|en)?|authors?|auteurs?|verfasser(?:in)?)\W{1,3}"
)
# Marks of footnotes, and what stands before or behind a name.
_MARKS = re.compile(r"[\d*†‡§¶#∗⋆✉()\[\]^~.'’`\u00b9\u00b2\u00b3\u2070-\u2079{}]|(?<=\w)-(?=\w)|\bet al\b")
_TITLES = re.compile(
    r"(?i)^(?:prof|dr|phd|md|msc|ms|mr|mrs|bsc|ma|ba|dipl|ing|mag|ph|d|jr|sr|ii|iii|iv|corresponding author|member|ieee)$"
)
_PARTICLES = frozenset(
    [
        "de",
        "da",
        "do",
        "dos",
        "das",
        "di",
        "del",
        "della",
        "der",
        "den",
        "van",
        "von",
        "zu",
        "la",
        "le",
        "el",
        "al",
        "ten",
        "ter",
        "bin",
        "ibn",
        "y",
        "e",
        "du",
        "af",
        "av",
        "dr",
        "st",
    ]
)
# Words between the names of an institution.
_BETWEEN = _PARTICLES | frozenset(
    [
        "of",
        "and",
        "for",
        "the",
        "in",
        "at",
        "on",
        "to",
        "für",
        "fur",
        "pour",
        "por",
        "per",
        "und",
        "et",
        "i",
        "w",
        "na",
        "og",
        "och",
        "ja",
        "sur",
        "aux",
        "delle",
        "degli",
        "dei",
        "za",
    ]
)
_MOST_WORDS = 4  # of a name
_MOST_CJK, _LONE_CJK = 4, 3  # characters of a name, and of one that is alone in its line
_LEAST_LETTERS, _SECOND = 4, 2  # of a word that is no particle; places of words
# Words that a name of two or three capitals may have, and a person may not.
_NO_NAMES = re.compile(
    r"(?i)\b(?:report|review|brief|notes?|plan|guide|history|file|form|sheet|summary|statement|material|slides?|release|paper|study|data|analysis|project|research|survey|letter|comments?|response|answers?|questions?"
    r"|component|section|part|version|copy|table|figure|list|index|contents|cover|handout|lecture|talk|course|lesson|exercises?|kit|page|post|code|manual|documentation|overview|background(?:er)?|outline|draft|text|abstract|media|news|press|policy|public|key|fact|open"
    r"|extended|additional|online|web|final|annual|student|teaching|reading|reporting|marked-up|grant|deliverable|assessment|evaluation|expanded|user|author|editor(?:ial)?|reader|book|minutes|agenda|protocol|checklist|declaration|agreement|certificate|program(?:me)?|schedule)s?\b"
)

_INITIAL = re.compile(r"\b[A-Z]\. ?(?:[A-Z]\.|[A-Z][^\W\d_]{2,20})")

_RESEARCH = re.compile(r"(?i)\bresearch\b")  # institutions have it in their names


_JOINTS = (",", ";", "&", " and", " und", " et", " y", " e")  # between the names of two people


def is_byline(line: str, surnames: Iterable[str]) -> bool:
    """Return whether a line has a known surname, and nothing else than names: `Anna Berg 1,* and Tom Holm`."""
    words = {folded(word) for word in re.split(r"[\s,;.·&/()\d*†‡]+", line)}
    spelled = folded(line)
    is_known = any(
        name in words or (len(name) > _MOST_WORDS and name in spelled) or _is_cjk_part(name, line) for name in surnames
    )
    return is_known and _has_only_names(line)


def is_list_of_names(line: str, least: int = 1) -> bool:
    """Return whether a line has the form of at least some names of people, even if none of them is known."""
    parts = _parts(line)
    if len(parts) < least and not _INITIAL.search(line):
        return False
    if not parts or _NO_NAMES.search(line) or not _has_only_names(line):
        return False
    return all(len(part.split()) <= _MOST_WORDS for part in parts) and (len(parts) > 1 or _is_person(parts[0]))


def ends_byline(line: str, before: str) -> bool:
    """Return whether a line is the end of a byline that the line before begins: `Holm` behind `Anna Berg and Tom`."""
    joined = f"{before} {line}"
    if has_word_of_a_document(line) or not is_list_of_names(joined, 2):
        return False
    own, begun = _parts(line), _parts(before)
    is_divided = bool(begun) and (len(begun[-1].split()) == 1 or before.rstrip().endswith(_JOINTS))
    return is_divided and len(own) == 1 and all(len(part.split()) > 1 for part in _parts(joined))


def _is_person(name: str) -> bool:
    """Return whether a name has two parts; a Chinese, Japanese or Korean one has two or three characters."""
    if name.isascii() or name[0].isupper() or name[0].islower():
        return len(name.split()) > 1
    return len(name.replace(" ", "")) <= _LONE_CJK + (" " in name)


def has_word_of_a_document(line: str) -> bool:
    """Return whether a line has a word that names a document, and no person."""
    return _NO_NAMES.search(_RESEARCH.sub("", line)) is not None


def is_affiliation(line: str) -> bool:
    """Return whether a line has the form of an institution or of its address: names of it, and no words between."""
    head = line.partition(",")[0]
    if not known_lines.ACADEMY.search(head.lower()):
        return _is_address(line)
    words = head.split()
    return not any(_is_foreign_body(words, place) for place in range(len(words)))


def _is_foreign_body(words: Sequence[str], place: int) -> bool:
    """Return whether a word is no part of a name: it has small letters, and no particle or first word before it."""
    word = words[place]
    if not word[0].islower() or len(word) < _LEAST_LETTERS or word in _BETWEEN:
        return False
    is_institution = bool(known_lines.ACADEMY.search(words[place - 1].lower()))
    return not place or not (words[place - 1] in _BETWEEN or (is_institution and place <= _SECOND))


_POSTCODE = re.compile(r"\b[A-Z]{0,2}-?\d{4,6}\b")
_COUNTRY = re.compile(
    r"(?:usa|u\.s\.a\.|uk|united (?:states|kingdom)|china|japan|germany|france|italy|spain|canada|australia|india|brazil|brasil|netherlands|the netherlands|sweden|norway|denmark|finland|poland|russia|austria|switzerland"
    r"|belgium|portugal|greece|turkey|türkiye|iran|israel|korea|taiwan|mexico|méxico|argentina|chile|colombia|ireland|hungary|romania|czech republic|czechia|ukraine|egypt|south africa|singapore|malaysia|indonesia"
    r"|thailand|vietnam|pakistan|bangladesh|nigeria|kenya|saudi arabia|new zealand|deutschland|españa|italia|österreich|schweiz|россия|polska|norge|sverige)\W{0,3}$"
)


def is_country(line: str) -> bool:
    """Return whether a line is the name of a country."""
    return _COUNTRY.match(line.lower()) is not None


def _is_address(line: str) -> bool:
    return bool("," in line and (_COUNTRY.search(line.lower()) or _POSTCODE.search(line)))


def _parts(line: str) -> list[str]:
    plain = _MARKS.sub(" ", _BEFORE.sub("", line, count=1))
    return [part for part in (" ".join(part.split()) for part in _DIVIDES.split(plain)) if part]


def _has_only_names(line: str) -> bool:
    """Return whether all words of a line may be those of names: with capitals, or particles between them."""
    return all(map(_is_name, (word for part in _parts(line) for word in part.split())))


def _is_name(word: str) -> bool:
    if len(word) <= 1 or word in _PARTICLES or _TITLES.match(word):
        return True
    if not word[0].isalpha():
        return False
    is_cased = word[0].isupper() or word[0].islower()
    return word[0].isupper() if is_cased else len(word) <= _MOST_CJK


def _is_cjk_part(name: str, line: str) -> bool:
    return len(name) > 1 and not name.isascii() and name in folded(line)
