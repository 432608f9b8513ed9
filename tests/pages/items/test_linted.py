"""Our own typed links, checked by `harvester lint-signposting` and read by the client of others, over a real server."""

import hashlib
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from gateway.core.model import FileLink, ItemState
from gateway.core.names import local_identifier
from gateway.core.settings import load, place_of_copy
from gateway.pages.item_places import in_path, in_query
from gateway.publish.publish_files import file_all
from harvester.http.credentials import Access
from harvester.http.fetching import Web
from harvester.http.messages import Fetch
from harvester.validate.check import Report
from harvester.validate.signposting.run import lint
from tests import live
from tests.page_house import FOUND, statement
from tests.publish.harness import Harness, Sent, dc, make_databases
from tests.rows import each_row

pytestmark = pytest.mark.slow

ORCID = "https://orcid.org/0000-0002-1825-0097"
# Items by their names at the source: an everyday one, and some whose address is awkward.
NAMES = ("oai:laro.example.org:1", "a//b", "a b?c", "..", "1.oai_dc")
COPIES = {name: f"%PDF-1.7 of {name}".encode() for name in NAMES}


_SKIPPED = (
    "skip  catalog.works                    An api-catalog link leads to a catalogue. (RFC 9727 §3)",
    "      skipped: The page has no api-catalog link.",
)


class Served(NamedTuple):
    """A running gateway: its address without a slash at the end, and what fetches from it."""

    url: str
    fetch: Fetch


def digest_of(name: str) -> str:
    return hashlib.sha256(COPIES[name]).hexdigest()


def _files(file: FileLink, _state: ItemState) -> tuple[FileLink, ...]:
    return (file,)


def furnish(folder: Path, url: str) -> None:
    """Publish items, each with a file that we serve a copy of."""
    facts = (
        statement("creator", f"Carberry, Josiah ({ORCID})"),
        statement("identifier", "https://doi.org/10.5555/12345678"),
        statement("rights", "http://creativecommons.org/licenses/by/4.0/"),
        statement("type", "article"),
        statement("date", "2020-05-04"),
    )
    harness = Harness(folder)
    with closing(harness.store), closing(harness.inbox):
        harness.send(*(Sent(name, dc(f"A title of {name}", *facts)) for name in NAMES))
        harness.publish()
        for name, content in COPIES.items():
            place = place_of_copy(folder, digest_of(name))
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
            copied = FOUND._replace(
                url=f"{FOUND.url}?{in_query(name)}",
                sha256=digest_of(name),
                size=len(content),
                copy_url=f"{url}/files/{digest_of(name)}",
            )
            harness.now += 1
            file_all(harness.store, harness.inbox, "laro", (name,), partial(_files, copied))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder, port = tmp_path_factory.mktemp("linted"), live.free_port()
    url = f"http://127.0.0.1:{port}"
    make_databases(folder)
    furnish(folder, url)
    (folder / "config.toml").write_text("")
    settings = {"base_url": f"{url}/oai", "files_serve": "true", "secret": "x" * 40}
    fetching = load(folder, {"GATEWAY_FETCH_DELAY_SECONDS": "0", "GATEWAY_FETCH_RETRIES": "0"})
    with (
        live.served(folder, "--port", str(port), **settings),
        Web(fetching, {"ours": Access(url, classes=("loopback",))}) as web,
    ):
        yield Served(url, web.fetcher("ours"))


def identifier(name: str) -> str:
    return local_identifier("gateway.example.org", "laro", name)


def findings(report: Report) -> str:
    """Return the lines of a report about what is no success, skipped checks included.

    One check may be skipped: only the start page leads to the catalogue.
    """
    *lines, _blank, _summary = report.lines()
    return "\n".join(line for line in lines if not line.startswith("ok") and line not in _SKIPPED)


@each_row("name", NAMES)
def test_the_linter_finds_nothing_in_the_page_of_an_item(served, name):
    report = lint(f"{served.url}/items/?identifier={in_query(identifier(name))}", served.fetch)
    assert findings(report) == ""


@each_row(
    "path",
    [
        f"/{in_path(identifier(NAMES[0]))}", f"/resolve?id={in_query(NAMES[0])}",
        f"/metadata/oai_dc/{in_path(identifier(NAMES[0]))}", f"/metadata/oai_didl/{in_path(identifier(NAMES[0]))}",
        f"/items/{in_path(identifier(NAMES[0]))}.bib", f"/items/{in_path(identifier(NAMES[0]))}.jsonld",
        f"/items/{in_path(identifier(NAMES[0]))}.ris", f"/items/{in_path(identifier(NAMES[0]))}.csl.json",
        f"/files/{digest_of(NAMES[0])}", f"/files/{digest_of('a//b')}", f"/files/{digest_of('..')}",
    ],
)  # fmt: skip
def test_the_linter_finds_nothing_at_our_other_addresses(served, path):
    assert findings(lint(served.url + path, served.fetch)) == ""
