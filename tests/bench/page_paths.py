"""The paths of pages that readers of a made store request: items, searches and verbs of OAI-PMH."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import NamedTuple
from urllib.parse import quote, quote_plus

from gateway.indexing import describe
from gateway.store.opening import open_store
from tests import live

_COUNT = 400  # enough that no cache of a processor holds them
_WORDS = 2
_SHORTEST = 4  # letters of a word that is searched for


class Paths(NamedTuple):
    """Paths of pages, in no order."""

    items: list[str]
    searches: list[str]
    verbs: list[str]


def paths_of(folder: Path) -> Paths:
    """Return paths of pages of an instance. Its search index is completed first."""
    done = live.called("gateway", folder, "index")
    assert done.returncode == 0, done.stderr
    items = list(_items(folder))
    names = [quote(name, safe="/:") for name, _ in items]
    return Paths(
        [f"/items/{name}" for name in names],
        [f"/search?q={quote_plus(' '.join(words))}" for _, words in items if words],
        [
            "/browse?verb=ListRecords&metadataPrefix=oai_dc",
            "/browse?verb=ListIdentifiers&metadataPrefix=oai_dc",
            *(f"/browse?verb=GetRecord&metadataPrefix=oai_dc&identifier={name}" for name in names[:20]),
        ],
    )


def _items(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield identifiers of items, and words of their titles."""
    random = Random(16)
    with closing(open_store(folder)) as store, store.view() as view:
        last = view.last_change()
        for _ in range(_COUNT):
            (line,) = view.changes(random.randrange(last), 1)
            record = view.record(line.identifier, "oai_dc")
            assert record is not None
            title = next(iter(describe(record.content).texts("title")), "")
            words = [word for word in title.split() if len(word) >= _SHORTEST and word.isalpha()]
            yield line.identifier, random.sample(words, min(_WORDS, len(words)))
