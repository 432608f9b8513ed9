"""Answers over a store with holes, in every content coding: for zlib, curl, and the harvesters that others wrote.

A set has blocks of its own, which have holes too, and some records have left it. Pages begin and end inside of blocks.
"""

from __future__ import annotations

import gzip
import re
import subprocess
import time
import urllib.request
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
import zstandard

from gateway.model import ItemChange, ItemState, Publication, Record, Selection
from gateway.store.opening import open_store
from gateway.store.sqlite import SqliteStore
from gateway.store.sqlite_compaction import Compaction
from gateway.store.sqlite_own_lists import own_lists, today, want
from gateway.xmltext import utc_datetime
from tests import live
from tests.wild.test_clients import CLIENTS, FORMATS, RECORDS, Client, Wanted, by_sickle, held, instance

pytestmark = pytest.mark.slow
__all__ = ["instance"]

RARE = "source:corpus:rare"
OF_RARE, CHANGED, LEAVING = 3, 7, 12  # every so many items are in the set, get another version, and leave the set
PAGE_SIZE = 60  # blocks have a hundred records

DECODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.decompress,
    "deflate": zlib.decompress,
    "zstd": lambda body: zstandard.ZstdDecompressor().decompress(body),
    "identity": bytes,
}


@dataclass
class Holed:
    """An instance with holes, and the seconds from which and until which lists are asked for."""

    folder: Path
    from_: int
    until: int

    def selection(self, wanted: Wanted) -> Selection:
        selection = Selection(wanted.metadata_prefix, wanted.set_spec or None)
        return replace(selection, from_=self.from_, until=self.until) if wanted.from_ else selection

    def bounded(self, wanted: Wanted) -> Wanted:
        """Return the list with the seconds of this instance."""
        if not wanted.from_:
            return wanted
        return wanted._replace(from_=utc_datetime(self.from_), until=utc_datetime(self.until))


@dataclass
class Served:
    """The address of a server for an instance, and whether it shows departed records."""

    url: str
    holed: Holed
    shows_departed: bool


@pytest.fixture(scope="module")
def holed(instance: Path) -> Holed:
    """Return the instance after some of its items have changed, and before compaction."""
    with pytest.MonkeyPatch.context() as patched, closing(open_store(instance)) as store:
        assert isinstance(store, SqliteStore)
        states = [state for _, state in store.items("corpus", 0, 10_000)]
        members = states[::OF_RARE]
        _publish(store, members, "Rare ", [(*store.item_sets(one.number), RARE) for one in members])
        time.sleep(1.1)  # what was published is below the horizon
        with store._file.writing() as session:
            for number, prefix in session.execute(
                "select collection.id, prefix.id from collection, prefix where spec = ? and prefix.name in (?, ?)",
                (RARE, *FORMATS),
            ).fetchall():
                want(session, number, prefix, today())
        store.compact()
        patched.setattr(Compaction, "run", lambda *_, **__: None)
        with store.view() as view:
            until = view.horizon
        time.sleep(1.1)
        changed = states[::CHANGED]
        _publish(store, changed, "Another ", [store.item_sets(one.number) for one in changed])
        leaving = states[::LEAVING]
        _publish(store, leaving, "Left ", [_without(store.item_sets(one.number)) for one in leaving])
        with store._file.reading() as session:
            for where in ("prefix > 0", "prefix < 0"):
                assert session.one(f"select count(*) > 1 from block where holes is not null and {where}") == (1,)
            assert [one.is_ready for one in own_lists(session)] == [True, True]
            (from_,) = session.one("select min(datestamp) from block where prefix > 0") or (0,)
        assert store.check() == ()
    return Holed(instance, from_, until)


def _without(specs: Sequence[str]) -> tuple[str, ...]:
    return tuple(spec for spec in specs if spec != RARE)


def _publish(store: SqliteStore, states: Sequence[ItemState], word: str, sets: Sequence[tuple[str, ...]]) -> None:
    changes = tuple(_changed(store, state, word, specs) for state, specs in zip(states, sets, strict=True))
    assert store.publish(store.intend(), Publication("corpus", changes)) == 2 * len(changes)


def _changed(store: SqliteStore, state: ItemState, word: str, specs: tuple[str, ...]) -> ItemChange:
    records = []
    with store.view() as view:
        for prefix in FORMATS:
            stored = view.record(state.identifier, prefix)
            assert stored is not None
            content = stored.content.replace(b"<dc:title>", b"<dc:title>" + word.encode())
            records.append(Record(prefix, sha256(content).digest()[:16], False, content))
    return ItemChange(state.upstream, state.identifier, False, specs, (), tuple(records))


@pytest.fixture(scope="module", params=["exact", "by blocks", "departed"])
def served(holed: Holed, request: pytest.FixtureRequest) -> Iterator[Served]:
    settings = {"oai_page_exact": request.param == "exact", "oai_show_departed": request.param == "departed"}
    with live.served(holed.folder, oai_page_size=PAGE_SIZE, serve_workers=1, **settings) as server:
        yield Served(server.url, holed, request.param == "departed")


BOUNDED = Wanted(from_="first", until="last")  # the seconds are those of the instance
LISTS = [
    pytest.param(Wanted(), id="all"),
    pytest.param(Wanted(metadata_prefix="oai_didl"), id="didl"),
    pytest.param(Wanted(verb="ListIdentifiers", metadata_prefix="oai_didl"), id="headers"),
    pytest.param(Wanted(set_spec="source:corpus"), id="set"),
    pytest.param(Wanted(set_spec=RARE), id="own list"),
    pytest.param(Wanted(verb="ListIdentifiers", set_spec=RARE), id="headers of own list"),
    pytest.param(BOUNDED, id="bounded"),
    pytest.param(BOUNDED._replace(verb="ListIdentifiers", set_spec=RARE), id="bounded headers of own list"),
]


def check_harvest(served: Served, client: Client, wanted: Wanted) -> None:
    """Check that a client gets every record of a list once."""
    harvested = list(client(served.url, served.holed.bounded(wanted)))
    assert len(harvested) == len(set(harvested)) > (RECORDS // 12 if wanted.set_spec == RARE else RECORDS // 2)
    selection = served.holed.selection(wanted)
    assert set(harvested) == held(served.holed.folder, selection, show_departed=served.shows_departed)


@pytest.mark.parametrize("wanted", LISTS)
@pytest.mark.parametrize("client", CLIENTS)
def test_client_gets_every_record_once(served: Served, client: Client, wanted: Wanted) -> None:
    check_harvest(served, client, wanted)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "identity"])
def test_sickle_gets_every_record_in_every_coding_that_it_knows(served: Served, coding: str) -> None:
    for wanted in (Wanted(codings=coding), Wanted("ListIdentifiers", set_spec=RARE, codings=coding)):
        check_harvest(served, by_sickle, wanted)


def test_a_record_that_left_the_set_is_shown_as_deleted_where_the_setting_says_so(served: Served) -> None:
    shown = dict(by_sickle(served.url, Wanted(set_spec=RARE)))
    members = len(range(0, RECORDS, OF_RARE))
    departed = len(range(0, RECORDS, LEAVING))
    assert sum(shown.values()) == (departed if served.shows_departed else 0)
    assert len(shown) == (members if served.shows_departed else members - departed)


@pytest.mark.parametrize("wanted", LISTS)
def test_every_coding_has_the_same_bytes(served: Served, wanted: Wanted) -> None:
    listed = served.holed.bounded(wanted)
    query = urlencode({"verb": listed.verb, "metadataPrefix": listed.metadata_prefix, **listed.arguments()})
    pages = 0
    while query:
        answers = {coding: _asked(f"{served.url}?{query}", coding) for coding in DECODERS}
        answers["curl"] = _by_curl(f"{served.url}?{query}")
        # The second of an answer is in its responseDate, and in its token.
        texts = {re.sub(rb"(<responseDate>|<resumptionToken[^>]*>)[^<]+<", rb"\1<", text) for text in answers.values()}
        assert len(texts) == 1, "the codings differ"
        token = re.search(rb"<resumptionToken[^>]*>([^<]+)<", answers["identity"])
        query = f"verb={listed.verb}&resumptionToken={quote(token[1])}" if token else ""
        pages += 1
    assert pages > 1 or wanted.set_spec == RARE


def _asked(url: str, coding: str) -> bytes:
    with urllib.request.urlopen(urllib.request.Request(url, headers={"Accept-Encoding": coding})) as answer:
        assert answer.headers.get("Content-Encoding", "identity") == coding
        return DECODERS[coding](answer.read())


def _by_curl(url: str) -> bytes:
    done = subprocess.run(["curl", "-sS", "--compressed", url], capture_output=True, check=True)
    return done.stdout
