"""Queries and entries as text for FTS5. Every term is quoted and has only letters, digits and underscores.

So nothing in a query reaches the syntax of FTS5: its operators are words.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from itertools import chain

from gateway.search.identifiers import joined, may_be_identifier, names_of
from gateway.search.words import Word, query_words

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
