"""A web to search in: the recorded answers, pages and files, and whatever a test adds; it counts what was asked."""

import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from gateway.core.errors import GatewayError
from gateway.core.model import Statement, Work
from harvester.http.messages import Fetched, Request
from tests.conftest import SHARED
from tests.sample.web import a_pdf

__all__ = ["SETTINGS", "RecordedWeb", "a_pdf", "answer", "recorded", "to", "work"]

Answer = Fetched | GatewayError
_KEYS = ("base_key", "core_key", "openalex_key", "policy_key", "semantic_scholar_key")
SETTINGS = {"email": "librarian@library.test", **dict.fromkeys(_KEYS, "k")}


def answer(body: bytes | str = b"", status: int = 200, **headers: str) -> Fetched:
    """Return an answer; its address is filled in when it is asked for."""
    sent = body if isinstance(body, bytes) else body.encode()
    return Fetched(
        "", status, tuple((name.replace("_", "-"), value) for name, value in headers.items()), sent, 1_700_000_000
    )


def to(url: str, status: int = 302) -> Fetched:
    """Return a redirect."""
    return answer(status=status, Location=url)


def recorded(name: str) -> Fetched:
    """Return a recorded file or page as an answer."""
    return answer((DATA / name).read_bytes())


@dataclass
class RecordedWeb:
    """What a `fetch` answers: the test's own first, then what was recorded, else 404."""

    own: Mapping[str, Answer] = field(default_factory=dict)
    has_recordings: bool = True
    asked: list[str] = field(default_factory=list)
    before: Callable[[Request], None] = lambda _request: None

    def __call__(self, request: Request) -> Fetched:
        """Answer a request."""
        self.before(request)
        self.asked.append(request.url)
        own = {plain(url): response for url, response in self.own.items()}
        own_answer = own.get(plain(request.url)) or (all_exchanges() if self.has_recordings else {}).get(
            plain(request.url)
        )
        if isinstance(own_answer, GatewayError):
            raise own_answer
        return replace(own_answer or answer(b"Resource not found.", 404), url=request.url)


def work(title: str = "", *, doi: str = "", page: str = "", **more: str) -> Work:
    """Return a work as a record tells of it."""
    statements = [Statement("title", title)] if title else []
    statements += [Statement(name, text) for name, text in more.items()]
    return Work(
        tuple(statements), (f"https://doi.org/{doi}",) if doi else (), page, upstream="oai:source.example.org:1"
    )


DATA = SHARED / "data" / "fulltext"
_BASE64 = re.compile(rb"[A-Za-z0-9+/\s]{200,}={0,2}\s*")
_OURS = frozenset(("mailto", "email", "api_key", "api-key"))


def body(path: str | Path) -> bytes:
    """Return the bytes of a recorded body, below the data."""
    raw = (DATA / path).read_bytes()
    return base64.b64decode(raw) if _BASE64.fullmatch(raw) else raw


def fetched(path: str | Path, url: str = "https://recorded.example.org/", status: int = 200) -> Fetched:
    """Return a recorded body as an answer."""
    return Fetched(url, status, (), body(path), 0)


def exchange(meta: Path) -> Fetched:
    """Return one recorded exchange."""
    recording = json.loads(meta.read_text(encoding="utf-8"))
    headers = tuple((name, value) for name, given in recording["headers"].items() for value in given)
    name = recording.get("body_file") or ""
    file = meta.parent / name
    return Fetched(recording["uri"], recording["status"], headers, body(file) if name and file.is_file() else b"", 0)


def exchanges(folder: str, pattern: str = "*") -> Iterator[Fetched]:
    """Return the recorded exchanges of a folder, in the order of their names."""
    return map(exchange, sorted((DATA / folder).glob(f"{pattern}.meta.json")))


def plain(url: str) -> str:
    """Return an address without what is ours, in lower case and with its escapes undone: as recordings are found by."""
    parts = urlsplit(url)
    query = urlencode([pair for pair in parse_qsl(parts.query) if pair[0] not in _OURS])
    return unquote(urlunsplit(parts._replace(query=query, fragment=""))).lower()


@cache
def all_exchanges() -> dict[str, Fetched]:
    """Return every recorded exchange by its plain address; of several, the one that went well."""
    folders = ("crossref/http", "other/openalex/http", "other/datacite/http", "signposting/http", "landing/http")
    by_url: dict[str, Fetched] = {}
    for answer in (recording for folder in folders for recording in exchanges(folder)):
        held = by_url.get(plain(answer.url))
        if held is None or held.status >= 300:
            by_url[plain(answer.url)] = answer
    return by_url
