"""The signs that identify a work in a document, and the score that a document needs with them. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

_COVERED = 0.5  # share of the words of the metadata


class Sign(StrEnum):
    """A sign of a work on the first pages of a document."""

    DOI = "doi"
    TITLE = "title"
    PART_OF_TITLE = "part-of-title"  # with the surname of an author
    ARXIV = "arxiv"
    PMCID = "pmcid"
    HANDLE = "handle"
    AUTHOR = "author"  # alone, it identifies nothing
    ANOTHER_DOI = "another-doi"  # of another version or work: with it, nothing else identifies


_DECISIVE = frozenset(Sign) - {Sign.AUTHOR, Sign.ANOTHER_DOI}


def is_identified(signs: Iterable[str]) -> bool:
    """Return whether the signs identify a work."""
    shown = set(signs)
    return not _DECISIVE.isdisjoint(shown) and Sign.ANOTHER_DOI not in shown


def least_score(signs: Iterable[str], covered: float, usual: float) -> float:
    """Return the score that a document needs; `usual` is the score without special signs.

    It is half of `usual` if the document has the whole title with an author or an identifier, and half of the
    metadata's words (`covered`). The reason: the score is low in languages whose words have many forms, and for long
    documents.
    """
    present = set(signs)
    is_certain = Sign.TITLE in present and len(present) > 1 and covered >= _COVERED
    return usual / 2 if is_certain else usual
