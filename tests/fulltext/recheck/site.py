"""A site on loopback whose files change, vanish, return, move, stamp, lie and turn into pages; and what must follow."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Thread

from tests.fulltext.corpus.words import TOPICS
from tests.sample.web import PAGE_BREAK, a_pdf

GRACE_LOOKS = 3
WHOLE_EVERY = 4
_WORDS = [noun for topic in TOPICS for noun in topic.nouns]
_NOTHING = a_pdf("Cooking for two", "Abstract", *["of soup and bread on rainy days for hungry people"] * 30)


def title_of(number: int) -> str:
    """Return the title of a work, which no other one has."""
    words = [_WORDS[number // len(_WORDS) ** place % len(_WORDS)] for place in (0, 1)]
    return f"On {words[0]} and {words[1]} in the county {number} between the wars"


def description_of(number: int) -> str:
    """Return what a record says of a work."""
    return " ".join(random.Random(number).choices(_WORDS, k=40))


@dataclass
class SiteFile:
    """One file: what its server does, and what is published of it."""

    number: int
    is_named: bool
    host: str
    edition: int = 1
    copy: int = 1  # the same text in other bytes
    status: int = 200
    kind: str = "file"  # or page, other
    is_moved: bool = False
    keeps_tag: bool = False
    stamps: bool = False
    # what must be published
    sha256: str = ""
    is_published: bool = True
    is_flagged: bool = False
    absent: int = 0
    rounds: int = 0
    tag: str = ""  # that the recheck knows
    has_tag_of_moved: bool = False
    text: str = ""  # of the published bytes
    has_new_text: bool = False  # since it stamps
    downloads: Iterator[int] = field(default_factory=lambda: count(1))

    @property
    def path(self) -> str:
        """Return the path of the address that is published."""
        return f"/files/{self.number}.pdf"

    def body(self, *, stamp: int = 0) -> bytes:
        """Return the bytes of the file, which belong to the work."""
        if self.kind == "page":
            return b"<!DOCTYPE html><title>Moved</title><p>We have moved."
        if self.kind == "other":
            return _NOTHING
        title, words = title_of(self.number), description_of(self.number)
        lines = [words[start : start + 90] for start in range(0, len(words), 90)]
        more = f"This is edition {self.edition} of this work, as its authors wanted it"
        body = a_pdf(title, "Ada Rossi", "Abstract", *lines, PAGE_BREAK, *lines * 4, more, "References")
        return body + f"\n% {self.copy} {stamp}".encode()

    def etag(self) -> str:
        """Return the ETag of its server."""
        return '"kept"' if self.keeps_tag else f'"{sha256(self.body()).hexdigest()[:20]}"'


class Site:
    """All files, and the server of them. Change them with `change`; `expect` says what a round of looks must do."""

    def __init__(self, total: int, seed: int) -> None:
        """Make so many files: half of them are named by records, a tenth is at a host that will stamp."""
        self.chance = random.Random(seed)
        self.files = {
            number: SiteFile(number, number % 2 == 0, "127.0.0.2" if number % 10 == 1 else "127.0.0.1")
            for number in range(total)
        }
        for file in self.files.values():
            file.keeps_tag = file.number % 7 == 3  # a server that lies from the beginning
            file.sha256, file.text = sha256(file.body()).hexdigest(), self._text(file)
        self.port = 0

    @staticmethod
    def _text(file: SiteFile) -> str:
        return f"{file.kind} {file.edition}"

    def url(self, file: SiteFile) -> str:
        """Return the published address of a file."""
        return f"http://{file.host}:{self.port}{file.path}"

    def change(self) -> None:
        """Change about half of the files, each in one way."""
        for file in self.files.values():
            if self.chance.random() < 0.5:
                self._change(file)

    def _change(self, file: SiteFile) -> None:
        if file.host == "127.0.0.2":  # a host does it with all its files, and goes on
            file.stamps = True
            file.edition += self.chance.random() < 0.2
            return
        what = self.chance.choice(("edition", "copy", "vanish", "return", "move", "page", "shut", "delete", "other"))
        if what in ("edition", "copy"):
            file.edition, file.copy = file.edition + (what == "edition"), file.copy + 1
        elif what == "move":
            file.is_moved = not file.is_moved
        elif what == "return":
            file.status, file.kind = 200, "file"
        elif what == "vanish":
            file.status = 404
        elif self.chance.random() < 0.3:
            file.kind = what if what in ("page", "other") else "file"
            file.status = {"shut": 403, "delete": 410}.get(what, 200)

    def expect(self) -> set[int]:
        """Return the numbers of the files whose record must get a new datestamp in this round."""
        return {file.number for file in self.files.values() if file.is_published and self._moves(file)}

    def _moves(self, file: SiteFile) -> bool:
        file.rounds += 1
        before = (file.sha256, file.is_published, file.is_flagged)
        is_known = bool(file.tag) and file.has_tag_of_moved is file.is_moved  # else it is another address
        is_conditional = is_known and not file.absent and file.rounds % WHOLE_EVERY != 0
        is_sent = file.status == 200 and file.kind != "page"
        if is_sent and not file.stamps and is_conditional and file.tag == file.etag():
            file.absent, file.is_flagged = 0, False  # the server says that nothing has changed, and may lie
        elif file.status == 404:
            file.absent += 1
            self._lose(file, is_lost=file.absent >= GRACE_LOOKS)
        elif not is_sent or (file.kind == "other" and not file.is_named):
            file.absent += 1
            self._lose(file, is_lost=True)
        else:
            file.absent, file.is_flagged = 0, False
            self._take(file)
        return before != (file.sha256, file.is_published, file.is_flagged)

    def _lose(self, file: SiteFile, *, is_lost: bool) -> None:
        if is_lost and file.is_named:
            file.is_flagged = True
        elif is_lost:
            file.is_published = False

    def _take(self, file: SiteFile) -> None:
        """Take what a server sends whole: the new bytes, or the new text where it stamps."""
        if not file.stamps:
            file.sha256 = sha256(file.body()).hexdigest()
            file.tag, file.has_tag_of_moved = file.etag(), file.is_moved
        elif file.text != self._text(file):
            file.sha256, file.has_new_text = self._text(file), True  # that of one of its downloads
        file.text = self._text(file)

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Serve the files at 127.0.0.1 and 127.0.0.2."""
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                site.answer(self)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        server = ThreadingHTTPServer(("0.0.0.0", 0), Handler)
        self.port = server.server_address[1]
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Answer one request."""
        name = handler.path.rpartition("/")[2].partition(".")[0]
        file = self.files.get(int(name)) if name.isdigit() else None
        if file is None:
            self._send(handler, 404, b"")
        elif file.is_moved and handler.path == file.path:
            self._send(handler, 302, b"", Location=f"/moved/{file.number}.pdf")
        elif file.status != 200:
            self._send(handler, file.status, b"Not here")
        elif file.stamps:
            self._send(handler, 200, file.body(stamp=next(file.downloads)))
        elif handler.headers.get("If-None-Match") == file.etag() and file.kind != "page":
            self._send(handler, 304, b"", ETag=file.etag())
        else:
            self._send(handler, 200, file.body(), ETag=file.etag())

    @staticmethod
    def _send(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
        handler.send_response(status)
        for header, value in headers.items():
            handler.send_header(header, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)
