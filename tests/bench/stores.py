"""Stores of any size, made once and kept in `build/bench`: works of the real harvester, published by the real store.

Twenty thousand works are harvested; a larger store repeats them under other identifiers, as the corpus does. They are
published over 300 days of a made clock, and the last few within the last hour.
"""

import hashlib
import json
import shutil
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from itertools import count, islice
from pathlib import Path
from typing import NamedTuple

from gateway.core.clock import HostClock
from gateway.core.model import Format, ItemChange, Payload, Publication, Record, Selection, SetDescription, Source
from gateway.core.xmltext import utc_datetime
from gateway.publish.descriptions import metadata_of
from gateway.store.base import Store
from tests import live
from tests.bench.corpus import BLOCK, WORKS
from tests.bench.runs import ROOT, called, scratch
from tests.bench.source import serving
from tests.opening import open_store

FORMATS = ("oai_dc", "oai_didl")
RECENT = 250  # items of the last hour, in a store of any size
RARE = "source:corpus:rare"  # the set of 0.1 % of the items, and of a tenth of the last hour's
_BUILD = ROOT / "build" / "bench"
_BATCH = 1000
_SPAN_SECONDS = 300 * 86_400
_AGE_OF_RECENT_SECONDS = 600


class Stored(NamedTuple):
    """An instance with a store in it: how many bytes of XML its records are, and when the last were published.

    `publish_seconds` and `compact_seconds` say how long the store needed for them.
    """

    folder: Path
    items: int
    xml_bytes: int
    last_datestamp: int
    publish_seconds: float
    compact_seconds: float


@dataclass
class Hands:
    """A clock whose hands are set by whoever makes the store; it begins now."""

    second: float = field(default_factory=time.time)

    def clock(self) -> HostClock:
        return HostClock(lambda: self.second, lambda: self.second, lambda: "bench")


def of(items: int) -> Stored:
    """Return an instance with so many items, made now if it was not made before by this very code."""
    folder = _BUILD / f"{items}-{_fingerprint()}"
    facts = folder / "made.json"
    if not facts.exists():
        print(f"    making a store of {items:,} items in {folder.relative_to(ROOT)} ...", flush=True)
        for older in _BUILD.glob(f"{items}-*"):
            shutil.rmtree(older)
        folder.mkdir(parents=True)
        started = time.monotonic()
        facts.write_text(json.dumps(_fill(folder, items)))
        print(f"    made in {time.monotonic() - started:.0f} s", flush=True)
    return Stored(folder, items, *json.loads(facts.read_text()))


@cache
def _fingerprint() -> str:
    """Return a sum over everything that decides what a made store looks like."""
    digest = hashlib.sha256()
    parts = (
        "gateway/store", "gateway/formats", "gateway/publish/publish.py", "gateway/publish/batch.py",
        "gateway/publish/items.py", "tests/bench/corpus.py", "tests/bench/stores.py",
    )  # fmt: skip
    for part in parts:
        place = ROOT / part
        for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if file.suffix in (".py", ".sql"):
                digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def _fill(folder: Path, items: int) -> tuple[int, int, float, float]:
    works, formats = mapped(min(items, WORKS))
    hands = Hands(time.time() - _SPAN_SECONDS)
    with closing(open_store(folder, create=True, clock=hands.clock())) as store:
        store.add_source(Source("corpus", "http://bench.example.org/oai"))
        store.add_sets(SetDescription(spec, spec) for spec in ("source", "source:corpus", RARE))
        for wanted in formats:
            store.add_format(wanted)
        xml_bytes, seconds = _publish(store, works, items - RECENT, hands)
        hands.second = time.time() - _AGE_OF_RECENT_SECONDS
        changes = islice(changes_of(works, items - RECENT, hands), RECENT)
        xml_bytes += _publish_batch(store, [_in_rare(change, 10) for change in changes])
        begun = time.monotonic()
        store.compact(is_thorough=True)
        compact_seconds = time.monotonic() - begun
    called("gateway", folder, "init", "--domain", "live.example.org")
    return xml_bytes, int(hands.second), seconds, compact_seconds


def mapped(works: int) -> tuple[list[dict[str, Record]], tuple[Format, ...]]:
    """Harvest the first block of the corpus and return its records, by format, item by item."""
    by_identifier: dict[str, dict[str, Record]] = {}
    with serving(works) as source, scratch() as place:
        folder = live.instance(place, {"corpus": (source, ("oai_dc",))})
        called("harvester", folder, "run", "corpus")
        with closing(open_store(folder)) as store, store.view() as view:
            for prefix in FORMATS:
                for content in view.page(Selection(prefix), None, works).records:
                    record = Record(prefix, hashlib.blake2b(content, digest_size=16).digest(), False, content)
                    by_identifier.setdefault(_identifier(content), {})[prefix] = record
            return list(by_identifier.values()), view.formats()


def _identifier(content: bytes) -> str:
    return content.partition(b"<identifier>")[2].partition(b"<")[0].decode()


def changes_of(works: list[dict[str, Record]], first: int, hands: Hands) -> Iterator[ItemChange]:
    """Return items without end, from number `first`: the works again and again, each block with its own number."""
    zero = b"%05d" % 0
    assert BLOCK not in works[0]["oai_dc"].content
    for number in count(first):
        block, place = divmod(number, len(works))
        stamp = f"<datestamp>{utc_datetime(int(hands.second))}<".encode()
        records = []
        for record in works[place].values():
            old = record.content.partition(b"<datestamp>")[2][:21]
            content = record.content.replace(b"<datestamp>" + old, stamp, 1)
            for around in (b"%s-", b"/%s/", b"/%s."):
                content = content.replace(around % zero, around % (b"%05d" % block))
            metadata = metadata_of(content)
            digest, sha256 = hashlib.blake2b(content, digest_size=16).digest(), hashlib.sha256(metadata).digest()
            records.append(record._replace(content=content, digest=digest, length=len(metadata), sha256=sha256))
        payload = Payload("oai_dc", 1 + number // 500, number % 500, records[0].digest, False)
        identifier = _identifier(records[0].content)
        upstream = identifier.partition(":corpus/")[2]  # the works are in the order of a list, not of their numbers
        sets = ("source:corpus", f"source:corpus:subject:{place % 10}")
        yield _in_rare(ItemChange(upstream, identifier, False, sets, (payload,), tuple(records)), 1000)


def _in_rare(change: ItemChange, every: int) -> ItemChange:
    return change._replace(sets=(*change.sets, RARE)) if int(change.upstream[-5:]) % every == 0 else change


def _publish(store: Store, works: list[dict[str, Record]], items: int, hands: Hands) -> tuple[int, float]:
    """Publish so many items, batch by batch, while the hands go round; return their bytes, and the seconds."""
    step = (_SPAN_SECONDS - 2 * 86_400) / max(1, items / _BATCH)
    changes = islice(changes_of(works, 0, hands), items)
    xml_bytes, seconds = 0, 0.0
    while batch := list(islice(changes, _BATCH)):
        begun = time.monotonic()
        xml_bytes += _publish_batch(store, batch)
        seconds += time.monotonic() - begun
        hands.second += step
    return xml_bytes, seconds


def _publish_batch(store: Store, batch: list[ItemChange]) -> int:
    store.publish(store.intend(), Publication("corpus", tuple(batch)))
    return sum(len(record.content) for change in batch for record in change.records)
