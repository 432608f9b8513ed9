"""How well the text of a PDF tells whether it is the work: on pairs that are easily mixed up, and on recorded PDFs.

Thresholds were chosen on one half of the made-up works; the other half was never looked at. How many PDFs a minute are
read is measured too.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import product

import pytest

from gateway.core.model import Candidate, DocumentKind, Outcome
from gateway.fulltext.decisions import Thresholds, rule
from harvester.fulltext.pdf import evidence
from harvester.fulltext.pdf import judge as judging
from harvester.fulltext.pdf.document import Facts
from harvester.fulltext.pdf.document_kinds import kind_of
from harvester.fulltext.pdf.extraction import Extracted, extract
from harvester.fulltext.pdf.first_lines import UNCOVERED as _UNCOVERED
from harvester.fulltext.pdf.first_pages import fronts
from harvester.fulltext.pdf.judge import Expected, judge
from harvester.fulltext.pdf.similarity import compared, words
from tests.bench import pairs
from tests.bench.table import Row, main
from tests.fulltext.documents import described, others, texts, wanted
from tests.fulltext.recorded import DATA

_ACCEPT = Thresholds().accept
_OTHER_SCORES = [0.1, 0.4, 0.5, 0.6]  # how many are accepted from these on, a note says
_LIKELY, _FEWEST = 0.5, 5  # a score that the right ones have, and how many words make one mean something


def rows(_records: int) -> Iterator[Row]:
    """Compare made-up works with each other, and recorded ones with their own metadata and with those of all others."""
    with _each_text_looked_at_once():
        yield from _of_pairs()
        if DATA.is_dir():
            yield from _of_recorded()


def _of_recorded() -> Iterator[Row]:
    started = time.monotonic()
    read = {name: extract((DATA / "pdf" / name).read_bytes()) for name in described()}
    seconds = time.monotonic() - started
    spelled = {name: judging.words(extracted.text) for name, extracted in read.items()}  # type: ignore[attr-defined]
    foreign = [
        compared(texts(work), spelled[name]) for name in read for work in others().values() if work != described()[name]
    ]
    many = [similarity for similarity in foreign if similarity.stems >= _FEWEST]
    by_chance = sum(similarity.score >= _LIKELY for similarity in many) / len(many)
    yield Row("wrong metadata: share with a score of the right", by_chance, 0.1, note=f"{len(many)} pairs")
    taken = sum(
        judge(extracted, wanted(doi, work)).outcome is Outcome.SUCCESS
        for name, extracted in read.items()
        for doi, work in others().items()
        if work != described()[name]
    )
    yield Row("wrong metadata: documents taken for the work", taken, 0)
    yield Row("PDFs read in a minute, one after the other", 60 * len(read) / seconds, 100, is_least=True)


def _candidate(paper: pairs.Paper, known: Expected) -> Candidate:
    """Return a document with an open licence as it is judged."""
    verdict = judge(paper.extracted, known)
    facts = {name: value for name, value in verdict._asdict().items() if name in Candidate._fields}
    facts |= {"sha256": "0" * 64, "license": "cc-by", "kind_doubt": facts.pop("doubt")}
    return Candidate("https://x.example.org/a.pdf", "bench", **facts)


def _accepted(candidates: list[Candidate], accept: float) -> int:
    """Return how many candidates a rule accepts from this score on."""
    thresholds = Thresholds(accept=accept)
    return sum(rule(candidate, None, "", thresholds, "2026-11").verdict == "accept" for candidate in candidates)


def _of_pairs() -> Iterator[Row]:
    """Measure works that are easily taken for each other, apart by what the record tells and by half of the works.

    On the half that thresholds were chosen on, other thresholds are shown as well; on the other one that in force.
    """
    every, papers = pairs.works(), pairs.corpus()
    for metadata, is_held_back in product(pairs.Told, (False, True)):
        right, wrong = [], []
        for made in (made for made in every if made.is_held_back is is_held_back):
            known = made.expected(metadata)
            for paper in (paper for paper in papers if paper.group == made.group):
                (right if paper.number == made.number else wrong).append(_candidate(paper, known))
        name = f"{metadata}, {'held back' if is_held_back else 'thresholds chosen on'}"
        least = 0.95 if metadata is pairs.Told.DOI else 0.9
        others = [] if is_held_back else _OTHER_SCORES
        notes = [f"of {len(half)}; {[(score, _accepted(half, score)) for score in others]}" for half in (wrong, right)]
        yield Row(f"{name}: wrong ones accepted", _accepted(wrong, _ACCEPT), 0, note=notes[0])
        share = _accepted(right, _ACCEPT) / len(right)
        yield Row(f"{name}: share of right ones accepted", share, least, is_least=True, note=notes[1])


@contextmanager
def _each_text_looked_at_once() -> Iterator[None]:
    """Keep what does not depend on the record: every document is compared with dozens, each with four records."""

    def kind(extracted: Extracted, facts: Facts, url: str = "") -> DocumentKind:
        key = (id(extracted), facts._replace(covered=min(facts.covered, _UNCOVERED)), url)
        if key not in kinds:
            kinds[key] = kind_of(extracted, facts, url)
        return kinds[key]

    kinds: dict[tuple[int, Facts, str], DocumentKind] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judging, "words", cache(words))
        patch.setattr(judging, "kind_of", kind)
        patch.setattr(evidence, "fronts", cache(fronts))
        yield


if __name__ == "__main__":
    main("verification")
