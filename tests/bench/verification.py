"""How well the text of a PDF tells whether it is the work, on the recorded PDFs, and how many a minute are read."""

from __future__ import annotations

import time
from collections.abc import Iterator

from gateway.model import Outcome
from harvester.verification.extraction import extract
from harvester.verification.judging import UNLIKELY, judge
from harvester.verification.similarity import compared, words
from tests.bench.table import Row, main
from tests.discovery.documents import described, others, texts, wanted
from tests.discovery.recorded import DATA

_LIKELY, _FEWEST = 0.5, 5  # a score that the right ones have, and how many words make one mean something


def rows(_records: int) -> Iterator[Row]:
    """Hold every recorded work against its own metadata and against those of all others."""
    if not DATA.is_dir():
        return
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


if __name__ == "__main__":
    main(rows)
