"""Texts, identifiers and queries as words: those of an index and those of a query are made by the same functions."""

import re
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import chain
from typing import Final, NamedTuple
from unicodedata import category
from urllib.parse import unquote

from gateway.core.normal_forms import normalized

MOST_LETTERS = 64  # of a word; the rest does not count

_WORD = re.compile(r"[^\W_]+")
_BEGINNING = re.compile(rf"([a-z0-9]{{1,{MOST_LETTERS}}})[a-z0-9]*+")  # of each word of a text in ASCII
# Letters that have no decomposition in Unicode, and that people type without their stroke.
_PLAIN = str.maketrans({
    "ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ŧ": "t", "\u0131": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d",
    "ĸ": "k",
})  # fmt: skip
_VOICED = "\u3099\u309a"  # marks of kana: they make another letter, not an accented one
# Han, kana, Hangul, Thai, Lao, Khmer, Burmese, and the Han of the supplementary planes.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
_RUN = re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED}]+")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")


class Word(NamedTuple):
    """One word of a query. `is_beginning`: longer words that begin with it fit too."""

    text: str
    is_beginning: bool = False


def folded(text: str) -> str:
    """Return a text in lower case without diacritics and compatibility forms."""
    if text.isascii():
        return text.lower()
    plain = normalized("NFKD", text).casefold().translate(_PLAIN)
    kept = [letter for letter in plain if letter.isascii() or category(letter)[0] != "M" or letter in _VOICED]
    return normalized("NFC", "".join(kept))


def index_words(text: str) -> list[str]:
    """Return the words of a text as an index has them; each has only letters and digits."""
    if text.isascii():  # most texts; it takes a tenth of the time
        return _BEGINNING.findall(text.lower())
    words: list[str] = []
    for run, is_unspaced in _runs(text):
        if is_unspaced:
            words += (run[place : place + 2] for place in range(len(run)))  # the last one alone, so that it is there
        else:
            words.append(run[:MOST_LETTERS])
    return words


def query_words(text: str) -> Iterator[Word]:
    """Yield the words that an item must have to fit a text."""
    for run, is_unspaced in _runs(text):
        if not is_unspaced:
            yield Word(run[:MOST_LETTERS])
        elif len(run) == 1:
            yield Word(run, is_beginning=True)
        else:
            yield from (Word(run[place : place + 2]) for place in range(len(run) - 1))


def _runs(text: str) -> Iterator[tuple[str, bool]]:
    for match in _WORD.findall(folded(text)):
        if match.isascii() or not _IS_UNSPACED.search(match):
            yield match, False
        else:
            yield from ((run, bool(_IS_UNSPACED.match(run))) for run in _RUN.findall(match))


LONGEST: Final = 500  # characters; a longer text is no identifier that anybody types

_DOI = re.compile(r"(?:(?:https?://(?:dx\.|www\.)?doi\.org/|info:doi/|urn:doi:|doi:)\s?)?(10\.[0-9]{4,9}/\S+)")
_ARXIV = re.compile(
    r"(?:https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf)/|oai:arxiv\.org:|info:arxiv/|arxiv:|10\.48550/arxiv\.)?"
    r"([0-9]{4}\.[0-9]{4,5}|[a-z-]{1,20}(?:\.[a-z]{2})?/[0-9]{7})(?:v[0-9]{1,3})?(?:\.pdf)?"
)
_HANDLE = re.compile(
    r"(?:https?://hdl\.handle\.net/|info:hdl/|urn:hdl:|hdl:|https?://[^\s/]+/handle/)?([0-9][0-9.]*/\S+)"
)
_ORCID = re.compile(r"(?<![0-9-])[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9x](?![0-9-])")
_PMID = re.compile(
    r"(?:pmid:|info:pmid/|https?://(?:www\.)?(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/)"
    r"([0-9]{1,9})/?"
)
_BOOK = re.compile(r"(?:urn:)?(?:isbn[:\s]?\s?)?((?:97[89][-\s]?)?(?:[0-9][-\s]?){9}[0-9x])")
_SERIAL = re.compile(r"(?:urn:)?(?:e?issn[:\s]?\s?)?([0-9]{4}-[0-9]{3}[0-9x])")
_LAST_OF_NUMBERS = frozenset("0123456789x")
_GAPS = re.compile(r"[-\s]")
_SCHEME = re.compile(r"https?://(?:www\.)?")
_SPACED = re.compile(r"(?i)\b(doi|arxiv|pmid|hdl|isbn|issn|orcid):\s+")
_AROUND = " \t\r\n\"'<>[](){}.,;"
_DIGIT, _SIGN = re.compile(r"[0-9]"), re.compile(r"[:/.-]")


def joined(text: str) -> str:
    """Return a query in which `doi: 10…` is written as one identifier, without a space."""
    return _SPACED.sub(r"\1:", text)


def may_be_identifier(part: str) -> bool:
    """Return whether a part of a query, without spaces, may be an identifier: it has a digit and a sign, or a colon."""
    is_numbered = bool(_DIGIT.search(part) and _SIGN.search(part))
    return is_numbered or ":" in part.strip(":")


def names_of(text: str) -> frozenset[str]:
    """Return the names under which an identifier is compared; two texts mean the same thing if they share one.

    A text that is no known kind of identifier has one name: itself, without the scheme of an address.
    """
    text = text.strip(_AROUND)
    if not text or len(text) > LONGEST:
        return frozenset()
    text = unquote(text).casefold().strip(_AROUND)
    return frozenset(_names(text)) or frozenset({_SCHEME.sub("", text).rstrip("/#?") or text})


def _names(text: str) -> Iterator[str]:
    """Yield the names of a text; what each pattern needs at least is asked first, because most texts lack it."""
    has_slash, is_numbered = "/" in text, text[-1] in _LAST_OF_NUMBERS
    if "10." in text and (match := _DOI.fullmatch(text)):
        yield f"doi:{match[1].rstrip('/')}"
        if "arxiv" not in text:
            return
    elif has_slash and ("h" in text or text[0].isdigit()) and (match := _HANDLE.fullmatch(text)):
        yield f"hdl:{match[1].rstrip('/')}"
    if is_numbered and not has_slash and (match := _BOOK.fullmatch(text)):
        yield f"isbn:{_GAPS.sub('', match[1])}"
    if (is_numbered or text[-4:] == ".pdf") and (match := _ARXIV.fullmatch(text)):
        yield f"arxiv:{match[1]}"
    if ("pmid" in text or "pubmed" in text) and (match := _PMID.fullmatch(text)):
        yield f"pmid:{match[1]}"
    if is_numbered and not has_slash and (match := _SERIAL.fullmatch(text)):
        yield f"issn:{match[1]}"
    yield from (f"orcid:{orcid}" for orcid in people(text))


def people(text: str) -> list[str]:
    """Return the ORCID iDs in a text, in lower case."""
    return _ORCID.findall(text.casefold()) if text.count("-") > 2 else []  # noqa: PLR2004 - it has three


EVERYTHING = "_a"  # the term of every entry
_DIGEST_BYTES = 7


def name_term(name: str) -> str:
    """Return the term of an identifier: all have the same length, and no other sign."""
    return f"_i{blake2b(name.encode('utf-8', 'surrogatepass'), digest_size=_DIGEST_BYTES).hexdigest()}"


def value_term(number: int) -> str:
    """Return the term of a value of a facet."""
    return f"_v{number}"


def any_of(terms: Iterable[str]) -> str:
    """Return the expression that is true of entries with one of these terms."""
    return f"({' OR '.join(map(_quoted, dict.fromkeys(terms)))})"


def all_of(expressions: Iterable[str]) -> str:
    """Return the expression that is true where all of these are."""
    return " AND ".join(expressions) or _quoted(EVERYTHING)


def of_text(text: str, *, in_title: bool = False) -> str | None:
    """Return the expression for the text of a query; empty if the text is blank, None if it has no word.

    A part that may be an identifier fits items with that identifier, and items with its words. With `in_title`, the
    words must be in the title.
    """
    text = joined(text)
    parts = text.split()
    terms = dict.fromkeys(term for part in parts if (term := _part(part, in_title=in_title)))
    whole = any_of(map(name_term, names_of(text))) if len(parts) > 1 and may_be_identifier(text) else ""
    if not terms:
        return None if parts else ""
    every = all_of(terms)
    return f"(({every}) OR {whole})" if whole else f"({every})"


def _part(part: str, *, in_title: bool) -> str:
    words = dict.fromkeys(_term(word, in_title=in_title) for word in query_words(part))
    choices = [f"({all_of(words)})"] if words else []
    if may_be_identifier(part):
        choices += [_quoted(name_term(name)) for name in sorted(names_of(part))]
    return f"({' OR '.join(choices)})" if choices else ""


def _term(word: Word, *, in_title: bool) -> str:
    return f"{'title : ' if in_title else ''}{_quoted(word.text)}{' *' if word.is_beginning else ''}"


def _quoted(term: str) -> str:
    return f'"{term}"'


def written(words: Iterable[str], *more: Iterable[str]) -> str:
    """Return words and terms as the text of a column."""
    return " ".join(chain(words, *more))
