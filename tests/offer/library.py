"""A library with a small LARO and an inbox: it takes in what is announced to it, as the people of Autoload wanted."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from tests.http.server import Server, ok, serving
from tests.sample.laro import Laro
from tests.sample.solr import Answer, laro, served
from tests.sample.solr import Document as Fields
from tests.sample.web import PAGE_BREAK, a_pdf

COPIES = "https://repository.example.net"
PUBLIC = "https://laro.example.org"  # what the documents call the place of the library


class Library(Laro):
    """A LARO that has the bytes of what it took in."""

    def __init__(self, count: int, with_fulltext: int) -> None:
        super().__init__(laro(count, with_fulltext))
        self.files: dict[str, bytes] = {}

    def answer(self, path: str) -> Answer:
        """Return what stands at a path; a full text that was taken in has its own bytes."""
        body = self.files.get(path.rpartition("/")[2]) if path.startswith("/lareport/") else None
        return (200, body, "application/pdf") if body else super().answer(path)

    def take_in(self, name: str, body: bytes) -> None:
        """Add a full text to a work; its next lists name it."""
        self.files[name] = body
        document = self.document(name)
        document["url"] = [f"URL Accepted Manuscript | {PUBLIC}/lareport/{name}"]
        document["timestamp"] = "2016-06-01T00:00:00.000Z"

    def document(self, name: str) -> Fields:
        return self.index.documents[f"info:lanl-repo/lareport/{name}"]

    @property
    def lacking(self) -> list[str]:
        """The names of the works without a full text."""
        return [key.rpartition("/")[2] for key, fields in self.index.documents.items() if "url" not in fields]


def web_of(library: Library, name: str) -> dict[str, tuple[str, bytes]]:
    """Return a web in which a service knows a copy of a work: (type, body) by address without scheme."""
    fields = library.document(name)
    title, doi = fields["displayTitle"], fields["doi"]
    people = fields["displayName"].replace(" ; ", ", ")
    words = [f"{title} {people} {fields['displaySource']}".replace(";", " ")] * 20
    pages = [PAGE_BREAK, *words] * 24  # as many as the record says
    copy = f"{COPIES}/{name}.pdf"
    place = {"url_for_pdf": copy, "license": "cc-by", "version": "publishedVersion", "evidence": "a title"}
    known = {"doi": doi, "title": title, "is_oa": True, "oa_locations": [place]}
    body = a_pdf(title, people, f"https://doi.org/{doi}", "Abstract", *words, *pages, "References")
    return {
        f"api.unpaywall.org/v2/{doi}": ("application/json", json.dumps(known).encode()),
        copy.removeprefix("https://"): ("application/pdf", body),
    }


@dataclass
class World:
    """The library, its inbox, and the web in which files are found."""

    library: Library
    inbox: Server
    web: str
    files: dict[str, tuple[str, bytes]]

    @property
    def notifications(self) -> list[dict[str, Any]]:
        return [json.loads(asked.body) for asked in self.inbox.asked]

    def take_in_announced(self) -> list[str]:
        """Take in each announced file, as its notification says; return the names of the works."""
        names = []
        for notification in {one["id"]: one for one in self.notifications}.values():
            name = notification["context"]["sorg:identifier"].rpartition("/")[2]
            with urlopen(notification["object"]["sorg:contentUrl"]) as answer:
                body = answer.read()
            assert sha256(body).hexdigest() == notification["object"]["sorg:sha256"]
            self.library.take_in(name, body)
            names.append(name)
        return names

    def take_in_packages(self, folder: Path) -> list[str]:
        """Take in each package of a folder, as `contents` and `provenance.json` say."""
        names = []
        for package in sorted(folder.iterdir()):
            facts = json.loads((package / "provenance.json").read_text())
            file = (package / "contents").read_text().partition("\t")[0]
            name = facts["upstream"].rpartition("/")[2]
            self.library.take_in(name, (package / file).read_bytes())
            names.append(name)
        return names


@contextmanager
def world() -> Iterator[World]:
    """Serve a library of five works, its inbox, and a web that has a copy of one of the three without a full text."""
    library = Library(5, 2)
    files = web_of(library, library.lacking[0])

    def web(path: str) -> Answer:
        kind, body = files.get(path[1:].partition("?")[0], ("text/html", b""))
        return (200 if body else 404), body, kind

    with ExitStack() as stack:
        library.place = stack.enter_context(served(library.answer))
        inbox = stack.enter_context(serving())
        inbox.say("/inbox", ok(b"", 201))
        yield World(library, inbox, stack.enter_context(served(web)), files)
