"""The recorded answers of services and pages, by address: what a `fetch` over them answers, and nothing else does.

Bodies that a cassette kept in base64 are decoded. E-mail addresses and keys are no part of an address here.
"""

import base64
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from harvester.http.messages import Fetched
from tests.conftest import SHARED

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
