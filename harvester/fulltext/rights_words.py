"""Sentences about rights: whether a licence in one is that of this very copy, and what reserves or forbids. Pure.

A licence does not belong to the copy if its sentence is about the metadata, the site, a part of the work or another
work. It does not count either if the sentence denies it, announces it, offers it, or is a policy. The words are tables
(`words/rights_words.toml`, `words/prohibitions.toml`).

A word such as `Confidential` counts alone on its line. A prohibition to pass a file on counts at the beginning of a
line or sentence, or with this very file as its subject. So data that are confidential, or a device for personal use
only, do not count.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from gateway.fulltext.licenses import is_open, license_of
from harvester.http.urls import host_of
from harvester.words import any_of, load

_WORDS = load("rights_words")
_UNTRUSTED = frozenset(load("license_hosts")["hosts"])  # whose pages state licences that are not those of the work
LONGEST = 1_200  # characters of a text that are read
_NAME = "CC"  # stands for the name of a licence
_LONGEST_QUOTE = 90
_LONGEST_LABEL = 60  # characters of a line before the licence
_NEAR, _BEHIND = 300, 60  # characters before and after the name of a licence
_SIGNS = str.maketrans("\u2018\u2019\u00b4", "'''")
_BREAK = re.compile(r"(?<=[.!?;])(?<![\s.(][^\W\d_]\.) (?=[^\W\d_])|(?<=。)")  # in a text with single spaces
# A sentence that takes its subject from the one before it.
_FOLLOWS = re.compile(rf"(?i)\W{{0,3}}(?:{any_of(_WORDS['follows'])})\b")

_HARMLESS = re.compile(rf"\b(?:{any_of(_WORDS['harmless'])})")
_OF_THE_WORK = re.compile(rf"\b(?:{any_of(_WORDS['work'])})|{any_of(_WORDS['work_elsewhere'])}")
_OF_IT = re.compile(rf"\b(?:{any_of(_WORDS['prepositions'])})\s{{1,3}}$")
_THIS = frozenset(_WORDS["this"]["words"])

_FORBIDDING = load("prohibitions")
_FORBIDDING_PARTS = _FORBIDDING["parts"]
_CONFIDENTIAL_LINE = re.compile(
    rf"\A\W{{0,4}}+(?:{any_of(_FORBIDDING['confidential'])})"
    r"(?:\W{0,4}|\s?[-\u2013\u2014:|/]\s?.{0,100}|,? (?:do not|not for|not to be) .{0,80})"
)
_FORBIDDEN_LINE = re.compile(rf"\A\W{{0,4}}+(?:{any_of(_FORBIDDING['forbidden'], _FORBIDDING_PARTS)})")
_FORBIDDEN_HERE = re.compile(rf"\b(?:{any_of(_FORBIDDING['forbidden_here'], _FORBIDDING_PARTS)})")
_CUT = re.compile(r"(?<=[.;:!|\u2013\u2014]) ")


class _Reason(NamedTuple):
    """Why a licence is not that of the copy: the fields of a row of the table."""

    sentence: str
    pattern: re.Pattern[str]
    is_overruled: bool = False
    is_before: bool = False


def _reason(row: dict[str, Any]) -> _Reason:
    pattern = "|".join((rf"\b(?:{any_of(row['words'])})", *row.get("elsewhere", ())))
    return _Reason(row["sentence"], re.compile(pattern), row.get("is_overruled", False), row.get("is_before", False))


_REASONS = tuple(map(_reason, _WORDS["reasons"]))
_PARTS = {"thing": f"(?:{any_of(_WORDS['thing'])})"}
_RESERVED = re.compile(rf"\b(?:{any_of(_WORDS['reserved'], _PARTS)})|{any_of(_WORDS['reserved_elsewhere'])}")
# The statements of RightsStatements.org that a work is in copyright, or that this is not known.
_IN_COPYRIGHT = re.compile(r"rightsstatements\.org/(?:vocab|page)/(?:InC|UND|CNE|NKC)", re.ASCII)
_SPACES = re.compile(r"\s+")
# The names of licences of Creative Commons.
_LICENSE = re.compile(
    r"\bcc[\s-]{0,2}(?:by(?:[\s-]{0,2}(?:nc|nd|sa)){0,2}\b|0\b|zero\b)"
    r"|creativecommons\.org/(?:licen[cs]es/[a-z-]{2,12}|publicdomain/zero)"
    r"|\bcreative\s?commons,?\s(?:cc\s)?(?:attribution|zero|public domain)"
    r"(?:[\s\u2013\u2014-]{0,3}(?:non-?\s?commercial|share-?\s?alike|no-?\s?deriv\w{0,8})){0,2}"
)
_DIVIDED = re.compile(r"(?<=[^\W\d_]{2})-\n(?=[^\W\d_]{3})")
_OWN = re.compile(any_of(_WORDS["own"]))
_LEADING = re.compile(
    rf"[\W\d]{{0,20}}(?:it is )?(?:(?:{any_of(_WORDS['leading']['before'])}) ){{0,3}}?"
    rf"(?:{any_of(_WORDS['leading']['labels'])}|{any_of(_WORDS['leading']['verbs'])}|https?:|$)"
)
_ELSE = "for something else than this copy"


class Doubt(NamedTuple):
    """Why a licence in a sentence is not that of the copy, and the sentence, cut."""

    reason: str
    quote: str


def spelled(text: str) -> str:
    """Return the beginning of a text in lower case, with single spaces and plain apostrophes; lines stay."""
    lines = (" ".join(line.split()) for line in text[:LONGEST].translate(_SIGNS).lower().splitlines())
    return "\n".join(filter(None, lines))


def doubt_about(text: str, place: int = 0, end: int = 0, *, is_close: bool = True) -> Doubt | None:
    """Return why the licence from `place` to `end` in a text is not that of this very copy; None: it is.

    Only its sentence is read, with the one before it if that has the subject. Without a place, the whole text is one
    sentence. Unless it `is_close`, the text before the licence may be of another part of the page.
    """
    before, behind = (text[:place], text[end:]) if end else ("", text)
    before, name = _sentence(before), text[place:end] if end else ""
    behind = _BREAK.split(_SPACES.sub(" ", behind[:LONGEST]), maxsplit=1)[0] if end else behind
    plain, named, after = (_HARMLESS.sub(" ", spelled(part)).replace("\n", " ") for part in (before, name, behind))
    whole = f"{plain} {named} {after}"  # a link may have the whole sentence
    work = _subject(whole)
    for reason in _REASONS:
        match = reason.pattern.search(f"{plain} {named}" if reason.is_before and end else whole)
        if match and not (reason.is_overruled and _is_subject(whole, work, match.start())):
            return Doubt(reason.sentence, quoted(f"{before} {name} {behind}"))
    is_own = not (end and is_close) or _subject(plain) or _OWN.search(plain) or _LEADING.match(plain)
    return None if is_own else Doubt(_ELSE, quoted(f"{before} {name} {behind}"))


def _subject(text: str) -> re.Match[str] | None:
    """Return where a sentence names this very work, not something of it or for it."""
    matches = (match for match in _OF_THE_WORK.finditer(text) if not _OF_IT.search(text, 0, match.start()))
    return next(matches, None)


def _is_subject(text: str, work: re.Match[str] | None, place: int) -> bool:
    """Return whether this very work is named before a place in a sentence, and not only one of its parts."""
    if work is None or work.start() > place:
        return False
    return work[0].split()[0] in _THIS and not text.startswith("'s", work.end())


def _sentence(before: str) -> str:
    """Return the last sentence of a text, with the one before it if it begins with a pronoun or `Licence`."""
    text = _SPACES.sub(" ", before[-LONGEST:])
    *earlier, last = _BREAK.split(f"{text}{_NAME}")  # the licence begins a sentence after a full stop
    last = last.removesuffix(_NAME)
    return f"{earlier[-1]} {last}" if earlier and _FOLLOWS.match(last) else last


def quoted(text: str) -> str:
    """Return a text as a quotation: on one line, cut."""
    line = _SPACES.sub(" ", text).strip()
    return line if len(line) <= _LONGEST_QUOTE else f"{line[:_LONGEST_QUOTE].rstrip()}…"


def is_trusted(url: str) -> bool:
    """Return whether a licence stated at this address may be that of the work."""
    labels = host_of(url).split(".")
    return not any(".".join(labels[place:]) in _UNTRUSTED for place in range(len(labels)))


def may_have(text: str, hints: Iterable[str]) -> bool:
    """Return whether a text has one of these parts of words: a quick test before an expression is tried."""
    return any(hint in text for hint in hints)


def reserved_in(text: str) -> Iterator[str]:
    """Yield the statements in a text that reserve all rights, as they are spelled there in lower case."""
    if not may_have(text.lower(), _WORDS["reserved_hints"]["words"]):
        return
    yield from (match[0] for match in _RESERVED.finditer(" ".join(text.translate(_SIGNS).lower().split())))


def is_reserving(text: str) -> bool:
    """Return whether a statement about rights reserves all of them, or says that the work is in copyright."""
    return next(reserved_in(text), "") != "" or is_in_copyright(text)


def is_in_copyright(text: str) -> bool:
    """Return whether a text has the address of a statement of RightsStatements.org that a work is in copyright."""
    return _IN_COPYRIGHT.search(text) is not None


def undivided(text: str) -> str:
    """Return a text in which words that were divided at the ends of lines are whole: `non-com-mercial`."""
    return _DIVIDED.sub("", text)


def licenses_in(text: str) -> Iterator[str]:
    """Yield the open licences that a text in lower case states of its own work. Its lines may be labels."""
    text = undivided(text)
    if not may_have(text, ("creative", "cc")):
        return
    for match in _LICENSE.finditer(text):
        first = max(0, match.start() - _NEAR)
        before = text[first : match.start()].replace("\n", " ").rpartition(". ")[2]
        line = text[first : match.start()].rpartition("\n")[2]
        behind = text[match.end() : match.end() + _BEHIND]
        if _LEADING.match(line) and len(line) <= _LONGEST_LABEL:  # a label ends with its line
            before, behind = line, behind.partition("\n")[0]
        sentence, place = f"{before}{match[0]}{behind}", len(before)
        if is_open(name := license_of(match[0])) and not doubt_about(sentence, place, place + len(match[0])):
            yield name


def prohibiting(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines, in lower case, that forbid to pass the file on, or call it confidential."""
    return (line for line in lines if _CONFIDENTIAL_LINE.fullmatch(line) or _FORBIDDEN_LINE.match(line))


def prohibitions_in(text: str) -> Iterator[str]:
    """Yield the statements in a text, in lower case with single spaces, that forbid to pass the file on."""
    yield from (sentence for sentence in _CUT.split(text) if _FORBIDDEN_LINE.match(sentence))
    yield from (match[0] for match in _FORBIDDEN_HERE.finditer(text))
