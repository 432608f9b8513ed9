"""The search index: its size, the time of a search with facets, and what following costs a publication.

`python -m tests.bench.search` makes an index of a million titles, of entries that need no store: a minute or two. Times
are those of the processor, so that a busy machine does not count.
"""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import accumulate, islice
from pathlib import Path
from random import Random
from time import perf_counter, process_time, time
from zlib import crc32

from gateway.indexing import following
from gateway.model import ChangeLine, Format, Publication, Record, Source
from gateway.search.entries import Entry
from gateway.search.query import Query
from gateway.search.sqlite_index import SqliteIndex
from gateway.search.sqlite_reader import SqliteReader
from gateway.settings import load
from gateway.store.opening import open_store
from tests.bench import stores
from tests.bench.runs import ROOT, milliseconds
from tests.bench.table import Row, main

_SYLLABLES = ("ba", "co", "di", "fe", "gu", "ha", "in", "jo", "ka", "li", "mo", "na", "os", "pre", "ra", "sen", "tri")
_BATCH = 1000
_WORKS = 5_000
_PUBLISHED = (5_000, 60_000)  # a part of a second, and a few seconds
_AT_ONCE = 500
_MATCHES = 10_000  # that the two words of the middle search have, at most
_REPEATED = 7


def entries(number: int) -> Iterator[Entry]:
    """Yield entries as those of the corpus are: ten words of title, three people, two subjects, four identifiers."""
    random = Random(16)
    words = sorted({"".join(random.choices(_SYLLABLES, k=random.randint(2, 4))) for _ in range(30_000)})
    random.shuffle(words)
    weights = list(accumulate(1 / rank for rank in range(1, len(words) + 1)))  # Zipf's law
    for item in range(number):
        drawn = random.choices(words, cum_weights=weights, k=20)
        title = dict.fromkeys(drawn[: random.randint(6, 12)])
        source = f"source{item % 200}"
        identifier = f"oai:gateway.example.org:{source}/oai:{source}.example.org:{item:07}"
        yield Entry(
            identifier,
            tuple(title),
            tuple(word for word in dict.fromkeys(drawn[12:]) if word not in title),
            (identifier, f"oai:{source}.example.org:{item:07}", f"doi:10.5555/{item}", f"hdl:20.500/{item}"),
            (
                ("source", source),
                ("set", f"source:{source}"),
                ("set", f"source:{source}:{item % 7}"),
                ("type", ("article", "thesis", "report", "dataset")[item % 4]),
            ),
            1950 + random.randrange(75),
            item % 3 == 0,
        )


def _made(folder: Path, items: int) -> Path:
    """Return an index of so many items; make it if it is missing."""
    sources = [Path(__file__), *sorted((ROOT / "gateway" / "search").glob("*"))]
    made_by = crc32(b"".join(file.read_bytes() for file in sources if file.is_file()))
    path = folder / f"{items}-{made_by:08x}.sqlite"
    if not path.exists():
        for older in folder.glob(f"{items}*"):
            older.unlink()
        print(f"    making an index of {items:,} items ...", flush=True)
        begun = perf_counter()
        new = path.with_suffix(".new")
        with closing(SqliteIndex(new, create=True)) as index:
            made = entries(items)
            number = 0
            while batch := list(islice(made, _BATCH)):
                number += 1
                index.write(batch, (), ChangeLine(number, "", "oai_dc", number, "created"), number)
        new.replace(path)
        print(f"    made in {perf_counter() - begun:.0f} s", flush=True)
    return path


def _milliseconds(work: Callable[[], object]) -> float:
    return milliseconds(work, _REPEATED)


def rows(records: int) -> Iterator[Row]:
    """Measure the index of so many items, and publication with one and without."""
    folder = ROOT / "build" / "bench" / "search"
    folder.mkdir(parents=True, exist_ok=True)
    path = _made(folder, records)
    reader = SqliteReader(path)
    yield Row("index: bytes an item", reader.state().bytes / records, 400, note=f"{records:,} items")
    text = _two_words(reader, records)
    results = reader.search(Query(text))
    two_words = _milliseconds(lambda: reader.search(Query(text)))
    note = f"“{text}”: {results.total:,} results of {records:,}, all facets"
    yield Row("search: two words with facets", two_words, 100, unit=" ms", note=note)
    by_date = _milliseconds(lambda: reader.search(Query(text, order="date")))
    yield Row("search: the same by date", by_date, 100, unit=" ms")
    filters = Query(text, types=("article", "thesis"), year_from=1990, has_file=True)
    filtered = _milliseconds(lambda: reader.search(filters))
    note = "three filters: the counts of each facet disregard its own"
    yield Row("search: the same with filters", filtered, 100, unit=" ms", note=note)
    word = _frequent(1)[0]
    frequent = reader.search(Query(word))
    one_word = _milliseconds(lambda: reader.search(Query(word)))
    note = f"one word, more than {frequent.total:,} results: {'exact' if frequent.is_exact else 'stated'}"
    yield Row("search: a frequent word", one_word, 400, unit=" ms", note=note)
    filters = dataclasses.replace(filters, text=word)
    filtered = _milliseconds(lambda: reader.search(filters))
    yield Row("search: a frequent word with three filters", filtered, 400, unit=" ms")
    doi = Query("https://doi.org/10.5555/7")
    yield Row("search: an identifier", _milliseconds(lambda: reader.search(doi)), 20, unit=" ms")
    yield from _publication(records)


def _frequent(number: int) -> list[str]:
    """Return the most frequent words."""
    counts: dict[str, int] = {}
    for entry in entries(2000):
        for word in entry.title:
            counts[word] = counts.get(word, 0) + 1
    return sorted(counts, key=lambda word: -counts[word])[:number]


def _two_words(reader: SqliteReader, records: int) -> str:
    """Return two words that as many items have as possible, up to the limit."""
    words = _frequent(40)
    pairs = [f"{one} {other}" for place, one in enumerate(words) for other in words[place + 1 :]]
    totals = {pair: reader.search(Query(pair, limit=1)).total for pair in pairs[:: max(1, len(pairs) // 60)]}
    fitting = {pair: total for pair, total in totals.items() if total < min(_MATCHES, records)}
    return max(fitting, key=lambda pair: fitting[pair])


def _publication(records: int) -> Iterator[Row]:
    """Compare the publication of the real harvester's records with an index that follows, and without."""
    with tempfile.TemporaryDirectory() as scratch:
        works, formats = stores._mapped(Path(scratch), _WORKS)
        for items in sorted({min(items, 5 * records) for items in _PUBLISHED}):
            without = min(_published(Path(scratch), works, formats, items, is_on=False) for _ in range(2))
            with_index = min(_published(Path(scratch), works, formats, items, is_on=True) for _ in range(2))
            share = without[0] / with_index[0]
            note = f"{items / without[0]:,.0f} and {items / with_index[0]:,.0f} items/s are written to the store"
            what = f"publication of {items:,} items with an index, against without"
            yield Row(what, share, 0.9, is_least=True, note=note)
        whole = with_index[1] / items * 1e6
        yield Row("index: time of an item, at the end of a run", whole, 400, unit=" µs", note="that of the processor")


def _published(
    scratch: Path, works: list[dict[str, Record]], formats: Sequence[Format], items: int, *, is_on: bool
) -> tuple[float, float]:
    """Return the seconds of the processor that publications took, and those of the index at the end of the run."""
    folder = Path(tempfile.mkdtemp(dir=scratch))
    with closing(open_store(folder, create=True)) as store:
        store.add_source(Source("corpus", "http://bench.example.org/oai"))
        for format_ in formats:
            store.add_format(format_)
    settings = load(folder, options={"browse_search": is_on})
    changes = islice(stores._items(works, 0, stores._Hands(time())), items)
    with following(settings, completes=False) as index:
        begun = process_time()
        while part := tuple(islice(changes, _AT_ONCE)):
            index.store.publish(index.store.intend(), Publication("corpus", part))
        published = process_time()
        index.complete()
        return published - begun, process_time() - published


if __name__ == "__main__":
    main(rows)
