"""Harvesters that others wrote, on our provider under gunicorn: each gets every record once, in every content coding.

The store has holes; a set has blocks of its own, which have holes too, and some records have left it. Pages begin and
end inside of blocks.
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
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import oaipmh_scythe
import pytest
import sickle
import zstandard

from gateway.model import ItemChange, ItemState, Publication, Record, Selection
from gateway.store.opening import open_store
from gateway.store.sqlite import SqliteStore
from gateway.store.sqlite_compaction import Compaction
from gateway.store.sqlite_own_lists import own_lists, today, want
from gateway.xmltext import utc_datetime
from tests import live
from tests.bench.source import serving

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]
FORMATS = ("oai_dc", "oai_didl")
RECORDS = 250  # of the made corpus: some pages


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory, sample_source: str) -> Path:
    """Return an instance with a corpus of several pages, the sample, and tombstones of a removed source."""
    with serving(RECORDS) as corpus:
        urls = {"corpus": corpus, "sample": sample_source, "removed": sample_source}
        sources = {name: (url, ("oai_dc",)) for name, url in urls.items()}
        folder = live.instance(tmp_path_factory.mktemp("clients"), sources)
        for arguments in (("run", "--all"), ("source", "remove", "removed", "--yes")):
            done = live.called("harvester", folder, *arguments, is_measured=False, publish_processes=0)
            assert done.returncode == 0, done.stderr
    return folder


def held(instance: Path, selection: Selection, *, show_departed: bool = False) -> set[tuple[str, bool]]:
    """Return (identifier, is deleted) of every record of a list, read without the protocol."""
    with closing(open_store(instance, show_departed=show_departed)) as store, store.view() as view:
        page = view.page(selection, None, 10_000)
        assert page.next is None
    return {_identity(content) for content in page.records}


def _identity(content: bytes) -> tuple[str, bool]:
    header = content.partition(b"</header>")[0]
    identifier = header.partition(b"<identifier>")[2].partition(b"</identifier>")[0]
    return identifier.decode(), b'status="deleted"' in header


class Wanted(NamedTuple):
    """A list, and the content codings that a client asks for if it can be told so."""

    verb: str = "ListRecords"
    metadata_prefix: str = "oai_dc"
    set_spec: str = ""
    from_: str = ""
    until: str = ""
    codings: str = ""

    def arguments(self, of_set: str = "set", of_from: str = "from") -> dict[str, str]:
        """Return the arguments that are there, with the names that a client has for them."""
        named = {of_set: self.set_spec, of_from: self.from_, "until": self.until}
        return {name: value for name, value in named.items() if value}


def by_sickle(url: str, wanted: Wanted) -> Iterator[tuple[str, bool]]:
    more = {"headers": {"Accept-Encoding": wanted.codings}} if wanted.codings else {}
    harvester = getattr(sickle.Sickle(url, **more), wanted.verb)
    for record in harvester(metadataPrefix=wanted.metadata_prefix, **wanted.arguments()):
        header = getattr(record, "header", record)
        yield header.identifier, header.deleted


def _by_scythe(url: str, wanted: Wanted) -> Iterator[tuple[str, bool]]:
    with oaipmh_scythe.Scythe(url) as scythe:
        harvester = scythe.list_records if wanted.verb == "ListRecords" else scythe.list_identifiers
        arguments: dict[str, Any] = {**wanted.arguments("set_", "from_")}
        for record in harvester(metadata_prefix=wanted.metadata_prefix, **arguments):
            header = getattr(record, "header", record)
            yield header.identifier, header.deleted  # type: ignore[union-attr]


def _by_http_oai(url: str, wanted: Wanted) -> Iterator[tuple[str, bool]]:
    script = Path(__file__).with_name("http_oai.pl")
    words = [word for argument in wanted.arguments().items() for word in argument]
    line = ["perl", str(script), url, wanted.verb, wanted.metadata_prefix, *words]
    done = subprocess.run(line, text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    for output in done.stdout.splitlines():
        status, _, identifier = output.partition(" ")
        yield identifier, status == "deleted"


Client = Callable[[str, Wanted], Iterator[tuple[str, bool]]]
CLIENTS = (
    pytest.param(by_sickle, id="sickle"),
    pytest.param(_by_scythe, id="oaipmh-scythe"),
    pytest.param(_by_http_oai, id="HTTP-OAI", marks=pytest.mark.needs("HTTP::OAI")),
)


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
LISTS = (
    Wanted(),
    Wanted(metadata_prefix="oai_didl"),
    Wanted(verb="ListIdentifiers", metadata_prefix="oai_didl"),
    Wanted(set_spec="source:corpus"),
    Wanted(set_spec=RARE),
    Wanted(verb="ListIdentifiers", set_spec=RARE),
    BOUNDED,
    BOUNDED._replace(verb="ListIdentifiers", set_spec=RARE),
)


def check_harvest(served: Served, client: Client, wanted: Wanted) -> None:
    """Check that a client gets every record of a list once."""
    harvested = list(client(served.url, served.holed.bounded(wanted)))
    assert len(harvested) == len(set(harvested)) > (RECORDS // 12 if wanted.set_spec == RARE else RECORDS // 2), wanted
    selection = served.holed.selection(wanted)
    assert set(harvested) == held(served.holed.folder, selection, show_departed=served.shows_departed), wanted
    assert wanted != LISTS[0] or any(is_deleted for _, is_deleted in harvested)


@pytest.mark.parametrize("client", CLIENTS)
def test_client_gets_every_record_once(served: Served, client: Client) -> None:
    for wanted in LISTS:
        check_harvest(served, client, wanted)


def test_sickle_gets_every_record_in_every_coding_that_it_knows(served: Served) -> None:
    for coding in ("gzip", "deflate", "identity"):
        for wanted in (Wanted(codings=coding), Wanted("ListIdentifiers", set_spec=RARE, codings=coding)):
            check_harvest(served, by_sickle, wanted)


def test_a_record_that_left_the_set_is_shown_as_deleted_where_the_setting_says_so(served: Served) -> None:
    shown = dict(by_sickle(served.url, Wanted(set_spec=RARE)))
    members = len(range(0, RECORDS, OF_RARE))
    departed = len(range(0, RECORDS, LEAVING))
    assert sum(shown.values()) == (departed if served.shows_departed else 0)
    assert len(shown) == (members if served.shows_departed else members - departed)


def test_every_coding_has_the_same_bytes(served: Served) -> None:
    for wanted in LISTS:
        _compare_codings(served, wanted)


def _compare_codings(served: Served, wanted: Wanted) -> None:
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
