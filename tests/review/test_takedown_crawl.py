"""Nothing of what was taken down is visible but the tombstone: a crawler follows all links before and after."""

import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from html import unescape
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit
from zipfile import ZipFile

import pytest
from werkzeug.test import TestResponse

from gateway.core.model import Outcome, Role
from gateway.core.settings import load
from gateway.fulltext.release import Releaser
from gateway.search.indexing import make
from tests.page_house import House, statement
from tests.review.test_takedown_pages import ITEM, LIST, NEW, _form
from tests.review_house import Browser, Files, signed_in

pytestmark = pytest.mark.slow
SITE = "https://gateway.example.org"
WORDS = ("Zyqqatitle", "Vexmunder", "zqsubject", "quibblefile", "10.5555/zqdoi", "harmless3.pdf", "A secret reason")
_ADDRESS = re.compile(rf"(?:href|src|action)=\"([^\"]+)\"|[\"<>]({SITE}[^\"<>\s]*)")
PUBLIC = (
    "/", "/oai?verb=Identify", "/sitemap.xml", "/robots.txt", "/browse", "/search.json?q=zyqqatitle",
    "/.well-known/resourcesync", "/openapi.json", f"/items/{ITEM}1", f"/items/{ITEM}2", f"/items/{ITEM}3",
    *(
        f"/oai?verb={verb}&metadataPrefix={prefix}{more}"
        for verb in ("ListRecords", "ListIdentifiers") for prefix in ("oai_dc", "oai_didl")
        for more in ("", "&set=fulltext", "&from=2020-01-01")
    ),
    *(f"/oai?verb=GetRecord&metadataPrefix=oai_didl&identifier={ITEM}{name}" for name in "123"),
)  # fmt: skip
REVIEW = (
    "/review", "/review?verdict=any", "/review/copies.json?verdict=any", "/review/copies.csv?verdict=any",
    "/review/decisions", "/review/decisions.json", "/review/decisions.csv", "/review/sample", "/review/precision",
    f"/review/items/{ITEM}1", f"/review/items/{ITEM}2.json", f"/review/items/{ITEM}3",
)  # fmt: skip


@pytest.fixture
def settings() -> dict[str, Any]:
    return {
        "files_serve": True, "oai_dc_names_files": True, "oai_show_departed": True,
        "resourcesync_lists": "oai_dc oai_didl", "resourcesync_files": True, "hub": True,
    }  # fmt: skip


@pytest.fixture
def filled(house: House, monkeypatch: pytest.MonkeyPatch) -> tuple[House, Sequence[str]]:
    """Return a house with files that were accepted and one that waits, and the SHA-256 of these."""
    for name, text in (("CLOCK_MAX_JUMP_SECONDS", "0"), ("FILES_SERVE", "1"), ("OAI_DC_NAMES_FILES", "1")):
        monkeypatch.setenv(f"GATEWAY_{name}", text)
    files = Files(house)
    more = (
        statement("creator", "Vexmunder, Q."), statement("subject", "zqsubject"), statement("date", "2024"),
        statement("identifier", "https://doi.org/10.5555/zqdoi"),
        statement("identifier", "http://laro.example.org/named-quibblefile.pdf"),
    )  # fmt: skip
    for name in "12":
        house.add(name, *more, title=f"Zyqqatitle {name}")
    house.add("3", title="An item that stays")
    accepted: dict[str, Any] = {"verdict": "accept", "outcome": Outcome.SUCCESS, "authors": "Vexmunder, Q."}
    every = (
        files.find("1", "Zyqqatitle 1", url="https://r.example.net/1-quibblefile.pdf", **accepted),
        files.find("2", "Zyqqatitle 2", url="https://r.example.net/2-quibblefile.pdf", authors="Vexmunder, Q."),
        files.find("3", "An item that stays", url="https://r.example.net/harmless3.pdf", **accepted),
    )
    harness = house.harness
    Releaser(harness.store, harness.inbox, files.discovery, load(harness.folder)).release()
    make(load(harness.folder), is_anew=True)
    return house, [file.sha256 for file in every]


def _text(answer: TestResponse) -> str:
    """Return the headers and the content of an answer, that of a package unpacked."""
    content = answer.get_data()
    if answer.mimetype == "application/zip" and answer.status_code == HTTPStatus.OK:
        with ZipFile(io.BytesIO(content)) as package:
            content = b"\n".join(map(package.read, package.namelist()))
    return f"{answer.headers}\n{content.decode('utf-8', 'replace')}"


def _links(path: str, text: str) -> Iterator[str]:
    """Yield the paths of our own addresses in an answer and its headers."""
    for match in _ADDRESS.finditer(text):
        address = urlsplit(urljoin(SITE + path, unescape(match[1] or match[2])))
        if f"{address.scheme}://{address.netloc}" == SITE and not address.path.startswith("/search"):
            yield address.path + (f"?{address.query}" if address.query else "")


def _crawled(get: Callable[[str], TestResponse], starts: Sequence[str], below: str = "/") -> dict[str, str]:
    """Return the status, headers and text of everything that links lead to, by its path."""
    pages: dict[str, str] = {}
    waiting = list(starts)
    while waiting:
        path = waiting.pop()
        if path in pages or not path.startswith(below) or path.startswith(("/review/logout", LIST)):
            continue
        with closing(get(path)) as answer:
            pages[path] = _text(answer)
        waiting += _links(path, pages[path])
    return pages


def _leaks(pages: dict[str, str], secrets: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pages with a secret that their own address does not have: a page may show what was asked for."""
    return [
        (path, secret)
        for path, text in pages.items()
        for secret in secrets
        if secret.lower() in text.lower() and secret.lower() not in unquote(path).lower()
    ]


def _take_down(page: Browser, query: str) -> None:
    fields = _form(page.get(f"{NEW}?{query}").text) | {"reason": "court", "comment": "A secret reason"}
    del fields["csrf_token"]
    assert page.post(LIST, **fields).headers["Location"] == f"{LIST}?done=done"


def test_no_link_leads_to_what_was_taken_down(filled):
    site, digests = filled
    folder = site.harness.folder
    reviewer = signed_in(site.app, folder, "B. Ito")
    parts: list[tuple[Callable[[str], TestResponse], Sequence[str], str]] = [
        (site.get, PUBLIC, "/"),
        (reviewer.get, REVIEW, "/review"),
        (signed_in(site.app, folder, "Eve", Role.MANAGER, "laro").get, REVIEW, "/review"),
        (signed_in(site.app, folder, "Ada", Role.MANAGER, "another").get, REVIEW, "/review"),
    ]
    before = [_crawled(*blueprint) for blueprint in parts]
    secrets = (*WORDS, *digests)
    assert {secret for _, secret in _leaks(before[0], secrets)} >= {*WORDS[:-1], digests[0], digests[2]}
    assert {secret for _, secret in _leaks(before[1], secrets)} >= {*WORDS[:-1], *digests}
    assert len(before[0]) > 100
    administrator = signed_in(site.app, folder, "R. Vos", Role.ADMINISTRATOR)
    for query in (f"item={ITEM}1", f"item={ITEM}2", f"file={digests[2]}"):
        _take_down(administrator, query)
    for (get, starts, below), pages in zip(parts, before, strict=True):
        assert _leaks(_crawled(get, [*starts, *pages], below), secrets) == []
