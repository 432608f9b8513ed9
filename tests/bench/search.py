"""The search index: its size, the time of a search with facets, and what following costs a publication.

The index of a million titles is made of entries that need no store: a minute or two. Times are those of the processor.
"""

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import accumulate, combinations, islice
from pathlib import Path
from random import Random
from time import process_time
from zlib import crc32

from gateway.core.model import ChangeLine, Format, Publication, Record, Source
from gateway.core.settings import load
from gateway.search.base import Query
from gateway.search.entries import Entry
from gateway.search.indexing import following
from gateway.search.sqlite_index import SqliteIndex
from gateway.search.sqlite_reader import SqliteReader
from tests.bench import stores
from tests.bench.corpus import SYLLABLES
from tests.bench.runs import ROOT, Row, milliseconds
from tests.opening import open_store

_BATCH = 1000
_WORKS = 5_000
_PUBLISHED = (5_000, 60_000)  # a part of a second, and a few seconds
_AT_ONCE = 500
_MATCHES = 10_000  # that the two words of the middle search have, at most


def entries(number: int) -> Iterator[Entry]:
    """Yield entries as those of the corpus are: ten words of title, three people, two subjects, four identifiers."""
    random = Random(16)
    words = sorted({"".join(random.choices(SYLLABLES, k=random.randint(2, 4))) for _ in range(30_000)})
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
        new, made = path.with_suffix(".new"), entries(items)
        with closing(SqliteIndex(new, create=True)) as index:
            for number in range(-(-items // _BATCH)):
                line = ChangeLine(number + 1, "", "oai_dc", number + 1, "created")
                index.write(list(islice(made, _BATCH)), (), line, number + 1)
        new.replace(path)
    return path


def rows(records: int) -> Iterator[Row]:
    """Measure the index of so many items, and publication with one and without."""
    folder = ROOT / "build" / "bench" / "search"
    folder.mkdir(parents=True, exist_ok=True)
    path = _made(folder, records)
    reader = SqliteReader(path)
    yield Row("index: bytes an item", reader.state().bytes / records, 400, note=f"{records:,} items")
    two, one = _two_words(reader, records), _frequent(1)[0]
    filters = Query(two, types=("article", "thesis"), year_from=1990, has_file=True)
    for what, query, most in (
        ("two words with facets", Query(two), 100),
        ("the same by date", Query(two, order="date"), 100),
        ("the same with filters", filters, 100),
        ("a frequent word", Query(one), 400),
        ("a frequent word with three filters", replace(filters, text=one), 400),
        ("an identifier", Query("https://doi.org/10.5555/7"), 20),
    ):
        note = f"“{query.text}”: {reader.search(query).total:,} results of {records:,}"
        yield Row(f"search: {what}", milliseconds(partial(reader.search, query), 7), most, unit=" ms", note=note)
    yield from _publication(records)


def _frequent(number: int) -> list[str]:
    """Return the most frequent words."""
    counts = Counter(word for entry in entries(2000) for word in entry.title)
    return [word for word, _ in counts.most_common(number)]


def _two_words(reader: SqliteReader, records: int) -> str:
    """Return two words that as many items have as possible, up to the limit."""
    pairs = [" ".join(pair) for pair in combinations(_frequent(40), 2)][::13]
    totals = {pair: reader.search(Query(pair, limit=1)).total for pair in pairs}
    return max(pairs, key=lambda pair: totals[pair] if totals[pair] < min(_MATCHES, records) else -1)


def _publication(records: int) -> Iterator[Row]:
    """Compare the publication of the real harvester's records with an index that follows, and without."""
    works, formats = stores.mapped(min(_WORKS, records))
    with tempfile.TemporaryDirectory() as scratch:
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
    changes = islice(stores.changes_of(works, 0, stores.Hands()), items)
    with following(settings, completes=False) as index:
        begun = process_time()
        while part := tuple(islice(changes, _AT_ONCE)):
            index.store.publish(index.store.intend(), Publication("corpus", part))
        published = process_time()
        index.complete()
        return published - begun, process_time() - published
