"""A Solr index that is none: it answers `select` as Solr does, as far as a harvester asks. Standard library only.

`laro(count, with_fulltext)` makes documents as LARO has them (Autoload, Listing 4).
"""

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from xml.sax.saxutils import escape, quoteattr

Document = dict[str, Any]
_RANGE = re.compile(r"(-?)(\w+):\[(\S+) TO (\S+)\]")
_VALUE = re.compile(r'(\w+):"((?:[^"\\]|\\.)*)"')
_ROWS_WITHOUT_A_WORD = 10


class Refused(Exception):
    """Solr's answer to a wrong question: its status and its message."""


class Index:
    """The documents of one core, and what is asked of it. Tests change it between requests."""

    def __init__(self, documents: Iterable[Document] = (), unique_key: str = "recID") -> None:
        self.unique_key = unique_key
        self.documents: dict[str, Document] = {document[unique_key]: document for document in documents}
        self.asked: list[dict[str, str]] = []
        self.has_cursors = True
        self.before: Callable[[dict[str, str]], None] = lambda _arguments: None
        self.added = 0  # to numFound: what the index only claims to have
        self.hidden: frozenset[str] = frozenset()  # fields that are never shown

    def answer(self, arguments: list[tuple[str, str]]) -> tuple[int, bytes, str]:
        """Return status, body and media type."""
        wanted = dict(arguments)
        self.asked.append(wanted)
        self.before(wanted)
        write = _json if wanted.get("wt") == "json" else _xml
        media_type = "application/json" if write is _json else "application/xml"
        try:
            documents = self._matching([value for name, value in arguments if name == "fq"])
            return 200, write(self._page(documents, wanted)), f"{media_type}; charset=UTF-8"
        except Refused as refused:
            answer = {"responseHeader": {"status": 400}, "error": {"msg": str(refused), "code": 400}}
            return 400, write(answer), f"{media_type}; charset=UTF-8"

    def _matching(self, filters: list[str]) -> list[Document]:
        documents = list(self.documents.values())
        for condition in filters:
            documents = list(filter(self._filter(condition), documents))
        return documents

    def _filter(self, text: str) -> Callable[[Document], bool]:
        if match := _RANGE.fullmatch(text):
            minus, field, first, last = match.groups()
            self._check(field)
            low, high = "" if first == "*" else first, "~" if last == "*" else last
            # Stamps with and without fractions compare as moments when the Z is gone.
            low, high = low.rstrip("Z"), high.rstrip("Z")
            return lambda document: (
                bool(document.get(field) and low <= document[field].rstrip("Z") <= high) != bool(minus)
            )
        if match := _VALUE.fullmatch(text):
            field, value = match[1], re.sub(r"\\(.)", r"\1", match[2])
            self._check(field)
            return lambda document: document.get(field) == value
        raise Refused(f"org.apache.solr.search.SyntaxError: Cannot parse '{text}'")

    def _check(self, field: str) -> None:
        if not any(field in document for document in self.documents.values()) and self.documents:
            raise Refused(f"undefined field {field}")

    def _page(self, documents: list[Document], wanted: dict[str, str]) -> dict[str, Any]:
        field, _, order = wanted.get("sort", f"{self.unique_key} asc").partition(" ")
        self._check(field)
        documents.sort(key=lambda document: str(document.get(field, "")), reverse=order == "desc")
        mark = wanted.get("cursorMark")
        total = len(documents) + (self.added if mark else 0)
        rows = int(wanted.get("rows", _ROWS_WITHOUT_A_WORD))
        answer: dict[str, Any] = {"responseHeader": {"status": 0, "QTime": 1, "params": wanted}}
        if mark and self.has_cursors:
            documents, answer["nextCursorMark"] = self._behind(documents, field, mark, rows)
        names = None if wanted.get("fl", "*") == "*" else wanted["fl"].split(",")
        docs = [
            {name: document[name] for name in document if document[name] is not None and self._is_shown(name, names)}
            for document in documents[:rows]
        ]
        answer["response"] = {"numFound": total, "start": 0, "docs": docs}
        return answer

    def _is_shown(self, name: str, names: list[str] | None) -> bool:
        return name not in self.hidden and (names is None or name in names)

    def _behind(self, documents: list[Document], field: str, mark: str, rows: int) -> tuple[list[Document], str]:
        if field != self.unique_key:
            raise Refused("Cursor functionality requires a sort containing a uniqueKey field tie breaker")
        try:
            last = "" if mark == "*" else urlsafe_b64decode(mark).decode()
        except ValueError:
            raise Refused(f"Unable to parse 'cursorMark' after totem: value {mark}") from None
        rest = [document for document in documents if document[field] > last]
        return rest, urlsafe_b64encode(rest[:rows][-1][field].encode()).decode() if rest else mark


def _json(answer: dict[str, Any]) -> bytes:
    return json.dumps(answer).encode()


def _xml(answer: dict[str, Any]) -> bytes:
    parts = ['<?xml version="1.0" encoding="UTF-8"?>\n<response>\n']
    for name, value in answer.items():
        if name == "response":
            parts.append(f'<result name="response" numFound="{value["numFound"]}" start="{value["start"]}">')
            parts += (f"<doc>{''.join(_element(*pair) for pair in doc.items())}</doc>" for doc in value["docs"])
            parts.append("</result>\n")
        else:
            parts.append(_element(name, value))
    return "".join((*parts, "</response>\n")).encode()


def _element(name: str, value: Any) -> str:
    named = f" name={quoteattr(name)}" if name else ""
    if isinstance(value, dict):
        return f"<lst{named}>{''.join(_element(*pair) for pair in value.items())}</lst>"
    if isinstance(value, list):
        return f"<arr{named}>{''.join(_element('', item) for item in value)}</arr>"
    tag = "date" if name == "timestamp" else "int" if isinstance(value, int) else "str"
    return f"<{tag}{named}>{escape(str(value))}</{tag}>"


def laro(count: int, with_fulltext: int = 0) -> list[Document]:
    """Return documents as LARO has them; the full texts are spread over all of them."""
    shares = [number * with_fulltext // count for number in range(count + 1)]
    return [_document(number, shares[number + 1] > shares[number]) for number in range(count)]


def _document(number: int, has_fulltext: bool) -> Document:
    minutes, seconds = divmod(number % 3600, 60)
    name = f"LA-UR-{number:06}"
    document = {
        "recID": f"info:lanl-repo/lareport/{name}",
        "dataset": "RASSTI",
        "displayName": "Guzik, Joyce Ann ; Bradley, Paul Andrew ; et al.",
        "displayTitle": f"The occurrence of non-pulsating stars, part {number}",
        "publication": ["Astronomical Review"],
        "doi": f"10.1080/21672857.{number}",
        "displaySource": "Astronomical Review ; Vol.9, iss.1, p.41-65, Jan. 2014",
        "openaccess": "true" if has_fulltext else "false",
        "_version_": 1522819486080565248 + number,
        "timestamp": f"2016-01-{1 + number // 3600 % 28:02}T17:{minutes:02}:{seconds:02}.373Z",
    }
    if has_fulltext:
        address = f"https://laro.example.org/lareport/{name}"
        document |= {"embargodate": "2015-04-21", "url": [f"URL Accepted Manuscript | {address}"]}
    return document


Answer = tuple[int, bytes, str]  # status, body, media type


def answered(index: Index, path: str) -> Answer:
    """Return what the core `laro` answers to a path."""
    parts = urlsplit(path)
    is_known = parts.path == "/solr/laro/select"
    return index.answer(parse_qsl(parts.query)) if is_known else (404, b"<html>Not Found</html>", "text/html")


@contextmanager
def served(answer: Callable[[str], Answer], port: int = 0):
    """Serve what a function answers to each path as long as the context lasts; its value is the address of the host."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            status, body, media_type = answer(self.path)
            self.send_response(status)
            self.send_header("Content-Type", media_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, args=(0.002,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def serving(index: Index):
    """Serve an index as the core `laro` as long as the context lasts; its value is the address of the core."""
    with served(lambda path: answered(index, path)) as place:
        yield f"{place}/solr/laro"
