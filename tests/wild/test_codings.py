"""Answers over a store with holes, in every content coding: for zlib, curl, and the harvesters that others wrote."""

from __future__ import annotations

import gzip
import re
import subprocess
import urllib.request
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

import pytest
import zstandard

from gateway.model import ItemChange, Publication, Record
from gateway.store.opening import open_store
from gateway.store.sqlite_compaction import Compaction
from tests import live
from tests.wild.test_clients import CLIENTS, FORMATS, RECORDS, Client, held, instance

pytestmark = pytest.mark.slow
__all__ = ["instance"]

CHANGED = 7  # every so many items get another version

DECODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.decompress,
    "deflate": zlib.decompress,
    "zstd": lambda body: zstandard.ZstdDecompressor().decompress(body),
    "identity": bytes,
}


@pytest.fixture(scope="module")
def holed(instance: Path) -> Path:
    """Return the instance after some of its items have changed, and before compaction."""
    with pytest.MonkeyPatch.context() as patched, closing(open_store(instance)) as store:
        patched.setattr(Compaction, "run", lambda *_, **__: None)
        states = [state for name, state in store.items("corpus", 0, 10_000) if name == "corpus"][::CHANGED]
        changes = [_changed(store, state) for state in states]
        assert store.publish(store.intend(), Publication("corpus", tuple(changes))) == 2 * len(changes)
        with store._file.reading() as session:  # type: ignore[attr-defined]
            assert session.one("select count(*) > 2 from block where holes is not null") == (1,)
    return instance


def _changed(store, state) -> ItemChange:
    records = []
    with store.view() as view:
        for prefix in FORMATS:
            content = view.record(state.identifier, prefix).content.replace(b"<dc:title>", b"<dc:title>Another ")
            records.append(Record(prefix, sha256(content).digest()[:16], False, content))
    return ItemChange(state.upstream, state.identifier, False, store.item_sets(state.number), (), tuple(records))


@pytest.fixture(scope="module", params=[True, False], ids=["exact", "by blocks"])
def base_url(holed: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    with live.served(holed, oai_page_size=120, oai_page_exact=request.param, serve_workers=1) as server:
        yield server.url


@pytest.mark.parametrize("metadata_prefix", FORMATS)
@pytest.mark.parametrize("client", CLIENTS)
def test_client_gets_every_record_once(base_url: str, holed: Path, client: Client, metadata_prefix: str) -> None:
    harvested = list(client(base_url, metadata_prefix))
    assert len(harvested) == len(set(harvested)) > RECORDS
    assert set(harvested) == held(holed, metadata_prefix)


@pytest.mark.parametrize("verb", ["ListRecords", "ListIdentifiers"])
@pytest.mark.parametrize("within", ["", "&set=source:corpus"])
def test_every_coding_has_the_same_bytes(base_url: str, verb: str, within: str) -> None:
    query, pages = f"verb={verb}&metadataPrefix=oai_didl{within}", 0
    while query:
        answers = {coding: _asked(f"{base_url}?{query}", coding) for coding in DECODERS}
        answers["curl"] = _by_curl(f"{base_url}?{query}")
        # The second of an answer is in its responseDate, and in its token.
        texts = {re.sub(rb"(<responseDate>|<resumptionToken[^>]*>)[^<]+<", rb"\1<", text) for text in answers.values()}
        assert len(texts) == 1, "the codings differ"
        token = re.search(rb"<resumptionToken[^>]*>([^<]+)<", answers["identity"])
        query = f"verb={verb}&resumptionToken={quote(token[1])}" if token else ""
        pages += 1
    assert pages > 1


def _asked(url: str, coding: str) -> bytes:
    with urllib.request.urlopen(urllib.request.Request(url, headers={"Accept-Encoding": coding})) as answer:
        assert answer.headers.get("Content-Encoding", "identity") == coding
        return DECODERS[coding](answer.read())


def _by_curl(url: str) -> bytes:
    done = subprocess.run(["curl", "-sS", "--compressed", url], capture_output=True, check=True)
    return done.stdout
