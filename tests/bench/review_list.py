"""The list of copies of the review: pages of every order, from both ends, and filters that match little or nothing.

Times are those of the processor, so that a busy machine does not count.
"""

import tempfile
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from gateway.core.model import ANY_VERDICT, CopyFilter, CopyOrder, Decision, FoundCopy
from gateway.store.base import Discovery
from tests.bench.runs import Row, milliseconds
from tests.opening import open_discovery

COPIES = 100_000
_PAGE = 50
_BATCH = 5_000
_REPEATED = 15
_MOST = 10_000  # a list counts so many copies
# Kinds, colours, licences and versions.
_CHOICES = (
    ("article", "article", "preprint", "thesis", ""),
    ("green", "blue", "white", ""),
    ("cc-by", "cc-by-nc", "", ""),
    ("accepted", "published", ""),
)
_REASONS = (
    "Neither an open licence nor a policy is known.",
    "The score 0.21 is too low to decide.",
    "Neither the title nor an identifier of the work stands where the file names itself.",
    "No source states which version it is.",
)
_WORDS = ("growth", "cells", "theory", "water", "social", "policy", "methods", "history", "energy", "analysis", "model")


def copies(number: int) -> Iterator[FoundCopy]:
    """Yield copies as searches list them; many have the same score, and the last one a source of its own."""
    random = Random(18)
    choice = random.choice
    for place in range(number):
        source = "zzz" if place == number - 1 else f"source{random.randrange(50)}"
        host = f"repository{int(300 * random.random() ** 2)}.example.net"
        kind, colour, license_, version = (choice(words) for words in _CHOICES)
        yield FoundCopy(
            f"oai:gateway.example.org:{source}/oai:{source}.example.org:{place:07}",
            f"https://{host}/bitstream/handle/20.500.12345/{place}/{place}.pdf",
            source,
            f"{' '.join(random.choices(_WORDS, k=9))} {place}",
            "Rossi, Anna; Doe, John; Yildiz, Özge",
            choice(("unpaywall", "crossref", "core", "page", "openalex")),
            host,
            choice(("success", "success", "success", "low-score", "not-found")),
            choice((None, 0.0, round(random.random(), 2))),
            kind,
            colour,
            license_,
            version,
            random.randrange(100_000, 20_000_000),
            f"{place:064x}",
        )


def fill(discovery: Discovery, number: int) -> None:
    """List so many copies, of which nine of ten wait for a person."""
    random = Random(19)
    made = copies(number)
    while batch := list(islice(made, _BATCH)):
        discovery.list_copies(batch, None)
        discovery.decide(*(_decision(random, copy) for copy in batch))


def _decision(random: Random, copy: FoundCopy) -> Decision:
    verdict, by = random.choice((("review", "rule"),) * 9 + (("accept", "anna"),))
    at = 1_700_000_000 + random.randrange(10_000)  # several in a second
    return Decision(copy.identifier, copy.url, copy.sha256, verdict, random.choice(_REASONS), by, at)


def rows(records: int) -> Iterator[Row]:
    """Measure lists of 100,000 copies, the number that was promised, or of fewer."""
    number = min(records, COPIES)
    with tempfile.TemporaryDirectory() as folder, closing(open_discovery(Path(folder))) as discovery:
        fill(discovery, number)
        discovery.finish_erasure()
        size = (Path(folder) / "discovery.sqlite").stat().st_size
        yield Row("review list: bytes a copy, with its decision", size / number, 3_000)
        yield from _pages(discovery)
        yield from _filters(discovery)


def _pages(discovery: Discovery) -> Iterator[Row]:
    """Measure the first page and the last one of every order."""
    nothing = CopyFilter()
    for order in CopyOrder:
        last = discovery.listed_copies("review", nothing, order, None, _PAGE + 1, is_back=True)
        first_time = milliseconds(partial(discovery.listed_copies, "review", nothing, order, None, _PAGE), _REPEATED)
        last_time = milliseconds(partial(discovery.listed_copies, "review", nothing, order, last[0], _PAGE), _REPEATED)
        yield Row(f"review list by {order}: first page of {_PAGE}", first_time, 30, unit=" ms")
        yield Row(f"review list by {order}: last page against first", last_time / first_time, 1.2)
    time = milliseconds(lambda: discovery.listed_copies(ANY_VERDICT, nothing, CopyOrder.SCORE, None, _PAGE), _REPEATED)
    yield Row("review list of all verdicts: first page", time, 30, unit=" ms")


def _filters(discovery: Discovery) -> Iterator[Row]:
    """Measure every filter with a value that nothing has, and some that match little, in the order that is slowest."""
    rare: tuple[dict[str, Any], ...] = (
        *({name: "none"} for name in ("source", "host", "step", "license", "version", "kind", "reason", "outcome")),
        {"least_score": 2.0}, {"source": "zzz"}, {"sources": tuple(f"source{number}" for number in range(25))},
        {"license": "cc-by", "least_score": 0.995}, {"reason": "t"},
        {"host": "repository7.example.net", "reason": "VERSION"},
    )  # fmt: skip
    slowest = {
        str(values): max(
            milliseconds(
                partial(discovery.listed_copies, ANY_VERDICT, CopyFilter(**values), order, None, _PAGE), _REPEATED
            )
            for order in CopyOrder
        )
        for values in rare
    }
    worst = max(slowest, key=lambda name: slowest[name])
    note = f"of all verdicts: {', '.join(f'{name} {time:.0f} ms' for name, time in slowest.items())}"
    yield Row("review list: the slowest filter and order", slowest[worst], 60, unit=" ms", note=note)
    for what, wanted in (("", CopyFilter()), (" of those with words in the reason", CopyFilter(reason="none"))):
        count = milliseconds(partial(discovery.count_copies, ANY_VERDICT, wanted, _MOST), _REPEATED)
        yield Row(f"review list: whether there are more than {_MOST:,}{what}", count, 60, unit=" ms")
