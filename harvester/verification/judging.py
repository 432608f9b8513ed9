"""Whether a document is the work: by its DOI or title on the first pages, and by what its words have in common. Pure.

The thresholds come from the recorded PDFs, each held against its own metadata and those of 204 other works: its own
score 0.59 to 0.82 and cover 0.8 to 1.0 of the metadata's words; of 1,463 others with five words or more 7 % reach a
score of 0.5 by chance, and none covers more than 0.6. `python -m tests.bench.verification` prints them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gateway.model import DocumentKind, Outcome, Work
from harvester.verification.extraction import Extracted
from harvester.verification.kinds import Facts, kind_of
from harvester.verification.record_kinds import WORKS, kind_of_record, pages_of
from harvester.verification.similarity import Compared, compared, letters, words
from harvester.verification.versions import version_in
from harvester.wire.copies import Description
from harvester.wire.identifiers import dois_in

LIKELY, COVERED, FEWEST = 0.5, 0.7, 5  # score, share and number of words that make a document the work, unnamed
UNLIKELY, UNCOVERED = 0.25, 0.5  # with less of either it is another work, unless its DOI or title stand on it
_LEAST_TITLE = 15  # letters; shorter titles stand on many pages
_FEW_WORDS = 3  # titles of fewer tell nothing apart
_TOLD = ("title", "creator", "contributor", "subject", "description", "publisher", "source")


class Expected(NamedTuple):
    """What a document is held against: everything that the record and the services say of the work.

    `pages` is how many the work has; 0: not known. `kind` is what kind of document the record describes.
    """

    dois: tuple[str, ...]
    titles: tuple[str, ...]
    texts: tuple[str, ...]
    pages: int = 0
    kind: DocumentKind = DocumentKind.UNKNOWN


class Verdict(NamedTuple):
    """What was found out. `is_auxiliary`: the document is of a kind that is not the record's: a supplement, a notice.

    `text_version` is what the text says: submitted, accepted, published; empty: nothing.
    """

    outcome: Outcome
    score: float = 0.0
    covered: float = 0.0
    has_doi: bool = False
    has_title: bool = False
    is_auxiliary: bool = False
    pages: int = 0
    words: int = 0
    kind: DocumentKind = DocumentKind.UNKNOWN
    text_version: str = ""


def expected(work: Work, dois: Iterable[str] = (), described: Iterable[Description] = ()) -> Expected:
    """Return what is known of a work, from its record and from services.

    A service that knows the identifier by quite another title is not believed: records name identifiers of other works.
    """
    described = tuple(described)
    believed = []
    told = [each.text for each in work.statements if each.element in _TOLD]
    own = [each.text for each in work.statements if each.element == "title"]
    titles = list(own)
    for each in described:
        if not agree(own, each.title):
            continue
        told += [each.title, each.abstract, each.container, each.publisher, *each.authors]
        titles.append(each.title)
        believed.append(each)
    return Expected(
        tuple(dois),
        tuple(filter(None, titles)),
        tuple(dict.fromkeys(filter(None, told))),
        pages_of(work, believed),
        kind_of_record(work, believed),
    )


def agree(titles: Iterable[str], told: str) -> bool:
    """Tell whether a title may be one of these: of the shorter one's words at least half stand in the other."""
    pairs = [(set(words(each)), set(words(told))) for each in titles]
    return not pairs or any(
        min(map(len, pair)) < _FEW_WORDS or len(pair[0] & pair[1]) * 2 >= min(map(len, pair)) for pair in pairs
    )


def judge(extracted: Extracted, wanted: Expected, url: str = "") -> Verdict:
    """Return what a document is, held against what is expected; what could not be read keeps its outcome."""
    if extracted.outcome is not Outcome.SUCCESS:
        return _of_its_kind(
            Verdict(extracted.outcome, pages=extracted.pages, words=extracted.word_count), extracted, wanted, url
        )
    shared = compared(wanted.texts, words(extracted.text))
    has_doi = bool(set(wanted.dois) & set(dois_in(extracted.first)))
    has_title = _stands(wanted.titles, extracted.first)
    verdict = Verdict(
        outcome=_outcome(shared, is_named=has_doi or has_title),
        score=shared.score,
        covered=shared.covered,
        has_doi=has_doi,
        has_title=has_title,
        pages=extracted.pages,
        words=extracted.word_count,
        text_version=version_in(extracted),
    )
    return _of_its_kind(verdict, extracted, wanted, url)


def _of_its_kind(verdict: Verdict, extracted: Extracted, wanted: Expected, url: str) -> Verdict:
    """Return a verdict with the kind of the document. What is of another kind than the record is never the work.

    A supplement ends as that; whether a notice or a volume is what the record means, a person must tell.
    """
    kind = kind_of(extracted, Facts(wanted.titles, wanted.pages, verdict.covered), url)
    verdict = verdict._replace(kind=kind)
    if kind in WORKS or kind is wanted.kind:
        return verdict
    verdict = verdict._replace(is_auxiliary=True)
    if kind is DocumentKind.SUPPLEMENT and verdict.outcome in (Outcome.SUCCESS, Outcome.LOW_SCORE, Outcome.NO_TEXT):
        return verdict._replace(outcome=Outcome.SUPPLEMENT)
    return verdict._replace(outcome=Outcome.LOW_SCORE) if verdict.outcome is Outcome.SUCCESS else verdict


def _outcome(shared: Compared, *, is_named: bool) -> Outcome:
    is_likely = shared.score >= LIKELY and shared.covered >= COVERED and shared.stems >= FEWEST
    if is_likely or (is_named and shared.score >= UNLIKELY):
        return Outcome.SUCCESS
    is_possible = shared.score >= UNLIKELY and shared.covered >= UNCOVERED
    return Outcome.LOW_SCORE if is_named or is_possible or not shared.stems else Outcome.WRONG_DOCUMENT


def _stands(titles: Iterable[str], text: str) -> bool:
    """Tell whether a title stands in a text, whatever was made of its spaces, hyphens and accents."""
    spelled = letters(text)
    return any(len(letters(title)) >= _LEAST_TITLE and letters(title) in spelled for title in titles)
