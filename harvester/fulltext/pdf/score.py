"""The score of a file: one number from a small model, by which the list of files that wait is sorted. Pure.

The score decides nothing. It is a logistic function of the sum of some facts, each a number from 0 to 1 (or from -1 to
1), times its weight. Names, weights and meanings are rows of `score.toml`; `python -m tests.fulltext.train` writes
the weights.
"""

import re
from math import exp

from rapidfuzz import fuzz

from gateway.core.words import table
from gateway.fulltext.search_result import Sign
from harvester.fulltext.pdf.document import SHORT, Document
from harvester.fulltext.pdf.first_pages import Front, folded, fronts
from harvester.fulltext.pdf.titles import title_of, worth
from harvester.fulltext.pdf.work_names import Named, authors_on

WEIGHTS: dict[str, float] = {row["name"]: row["weight"] for row in table(__file__, "score")["facts"]}

_BEFORE = 3_000  # letters of a page in which a title is looked for
_ALIKE = 0.8  # a title that is found
_LONG_TITLE = 80  # letters
_MOST_AUTHORS, _LEAST_VENUE = 10, 10
_WORDS_OF_PAGE = 1_000
_WORD = re.compile(r"[^\W\d_]{4,40}")
_IDENTIFIERS = frozenset((Sign.DOI, Sign.ARXIV, Sign.PMCID, Sign.HANDLE))


def score(facts: dict[str, float]) -> float:
    """Return the score of these facts, from 0 to 1."""
    total = WEIGHTS["constant"] + sum(WEIGHTS[name] * fact for name, fact in facts.items())
    return round(1 / (1 + exp(-total)), 3)


def facts_of(
    document: Document, named: Named, texts: tuple[str, ...], signs: tuple[str, ...], *, has_doi: bool
) -> dict[str, float]:
    """Return the facts about a document that is offered for a work, by their names; but for `another kind`."""
    pages, shown = fronts(document.extracted.first), frozenset(signs)
    found, place, length = max((_title(page, title) for page in pages for title in named.titles), default=(0.0, 0.0, 0))
    letters = "".join(page.letters for page in pages)
    authors = named.authors[:_MOST_AUTHORS]
    present = sum(any(True for page in pages for _ in authors_on(page, [author])) for author in authors)
    counted = max(1, document.pages)
    return {
        "title": found,
        "title at the top": place if found >= _ALIKE else 0.0,
        "length of the title": length,
        "title as a heading": Sign.TITLE in shown,
        "authors": present / max(1, len(authors)),
        "author at the top": Sign.AUTHOR in shown,
        "no known author": not authors,
        "words": _common(texts, document.extracted.first),
        "DOI": has_doi,
        "identifier as its own": not shown.isdisjoint(_IDENTIFIERS),
        "year": any(year in document.extracted.first for year in named.years),
        "journal": any(len(name) >= _LEAST_VENUE and name in letters for name in map(folded, named.venues)),
        "at most two pages": counted <= SHORT,
        "words per page": min(1.0, document.words / counted / _WORDS_OF_PAGE),
        "abstract": document.has_abstract,
        "references": document.has_references,
    }


def _title(page: Front, text: str) -> tuple[float, float, float]:
    """Return how well a title is found on a page, how far at its top, and how long it is."""
    title = title_of(text).letters
    best = fuzz.partial_ratio_alignment(title, page.letters[:_BEFORE]) if title and page.letters else None
    if best is None:
        return 0.0, 0.0, 0.0
    return best.score / 100, 1 - best.dest_start / _BEFORE, min(1.0, worth(title) / _LONG_TITLE)


def _common(texts: tuple[str, ...], first: str) -> float:
    """Return the share of the words of the metadata that are on the first pages, less a half; 0 if it has none."""
    wanted = set(_WORD.findall(" ".join(texts).casefold()))
    return len(wanted.intersection(_WORD.findall(first.casefold()))) / len(wanted) - 0.5 if wanted else 0.0
