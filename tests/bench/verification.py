"""How well the text of a PDF tells whether it is the work: on pairs that are easily mixed up, and on recorded PDFs.

Thresholds were chosen on one half of the made-up works; the other half was never looked at. How many PDFs a minute are
read is measured too.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from gateway.model import Candidate, Outcome
from harvester.search.deciding import Thresholds, rule
from harvester.verification.extraction import extract
from harvester.verification.judging import UNLIKELY, Expected, judge
from harvester.verification.similarity import compared, words
from tests.bench import pairs
from tests.bench.table import Row, main
from tests.discovery.documents import described, others, texts, wanted
from tests.discovery.recorded import DATA

_LIKELY, _FEWEST = 0.5, 5  # a score that the right ones have, and how many words make one mean something


def rows(_records: int) -> Iterator[Row]:
    """Compare made-up works with each other, and recorded ones with their own metadata and with those of all others."""
    yield from _of_pairs()
    if DATA.is_dir():
        yield from _of_recorded()


def _of_recorded() -> Iterator[Row]:
    started = time.monotonic()
    read = {name: extract((DATA / "pdf" / name).read_bytes()) for name in described()}
    seconds = time.monotonic() - started
    own = {name: compared(texts(work), words(read[name].text)) for name, work in described().items()}
    foreign = [
        compared(texts(work), words(found.text))
        for name, found in read.items()
        for work in others().values()
        if work != described()[name]
    ]
    told = ", ".join(f"{each.score:.2f}/{each.covered:.2f}" for each in own.values())
    yield Row(
        "right metadata: the lowest score",
        min(e.score for e in own.values()),
        UNLIKELY,
        is_least=True,
        note=f"score/covered: {told}",
    )
    many = [each for each in foreign if each.stems >= _FEWEST]
    by_chance = sum(each.score >= _LIKELY for each in many) / len(many)
    yield Row("wrong metadata: share with a score of the right", by_chance, 0.1, note=f"{len(many)} pairs")
    taken = sum(
        judge(found, wanted(doi, work)).outcome is Outcome.SUCCESS
        for name, found in read.items()
        for doi, work in others().items()
        if work != described()[name]
    )
    yield Row("wrong metadata: documents taken for the work", taken, 0)
    yield Row("PDFs read in a minute, one after the other", 60 * len(read) / seconds, 100, is_least=True)


def _accepted(paper: pairs.Paper, known: Expected) -> bool:
    """Tell whether a rule accepts a document with an open licence."""
    verdict = judge(paper.extracted, known)
    found = Candidate(
        "https://x.example.org/a.pdf",
        "bench",
        outcome=verdict.outcome,
        sha256="0" * 64,
        license="cc-by",
        score=verdict.score,
        covered=verdict.covered,
        has_doi=verdict.has_doi,
        has_title=verdict.has_title,
        is_auxiliary=verdict.is_auxiliary,
        kind=verdict.kind,
        text_version=verdict.text_version,
        identified_by=verdict.identified_by,
        pages=verdict.pages,
    )
    return rule(found, None, "", Thresholds(), "2026-11").verdict == "accept"


def _of_pairs() -> Iterator[Row]:
    """Measure works that are easily taken for each other, apart by what the record tells and by half of the works."""
    every, found = pairs.works(), pairs.corpus()
    for told in pairs.Told:
        for is_held_back in (False, True):
            half = [made for made in every if made.is_held_back is is_held_back]
            right = wrong = taken = total = 0
            for made in half:
                known = made.expected(told)
                near = [paper for paper in found if paper.group == made.group]
                for paper in near:
                    if paper.number == made.number:
                        total += 1
                        right += _accepted(paper, known)
                    else:
                        wrong += 1
                        taken += _accepted(paper, known)
            name = f"{told}, {'held back' if is_held_back else 'thresholds chosen on'}"
            least = 0.95 if told is pairs.Told.DOI else 0.9
            yield Row(f"{name}: wrong ones accepted", taken, 0, note=f"of {wrong} pairs within a group of authors")
            yield Row(f"{name}: share of right ones accepted", right / total, least, is_least=True, note=f"of {total}")


if __name__ == "__main__":
    main(rows)
