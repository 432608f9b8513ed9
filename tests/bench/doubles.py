"""Doubles of all services and of two hundred repositories on loopback: every answer comes after 200 ms.

Which host is asked, the header `Host` says. A work is known by the number at the end of its DOI; no work has a file.
"""

import json
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from urllib.parse import unquote

from tests.bench import runs

HOSTS = 200  # of pages
_LATENCY = 0.2
_ISSNS = 300
_WORDS = "about the harvest of repositories and the growth of open collections in libraries "
_ROBOTS = b"User-agent: *\nDisallow: /admin\nDisallow: /search\nCrawl-delay: 1\n"


def doi(number: int) -> str:
    """Return the DOI of a work."""
    return f"10.5555/{number}"


def issn_of(number: int) -> str:
    """Return an ISSN of seven digits with its check digit."""
    digits = str(number)
    rest = -sum(int(digit) * weight for digit, weight in zip(digits, range(8, 1, -1), strict=True)) % 11
    return f"{digits[:4]}-{digits[4:]}{'X' if rest == 10 else rest}"


def _crossref(number: int) -> object:
    license_ = {"URL": "http://www.springer.com/tdm", "content-version": "tdm"}
    authors = [{"given": "Ada", "family": f"Author{index}", "sequence": "additional"} for index in range(6)]
    references = [{"key": f"ref{index}", "unstructured": _WORDS} for index in range(40)]
    work = {"DOI": doi(number), "title": [f"Work {number}"], "ISSN": [issn_of(1_000_000 + number % _ISSNS * 37)]}
    more = {"publisher": "E", "link": [], "author": authors, "reference": references, "license": [license_]}
    return {"message": {**work, **more}}


def _openalex(number: int) -> object:
    index = {word: [place] for place, word in enumerate((_WORDS * 2).split())}
    page = {"landing_page_url": f"https://doi.org/{doi(number)}", "pdf_url": None, "is_oa": False}
    return {"doi": f"https://doi.org/{doi(number)}", "locations": [page], "abstract_inverted_index": index}


def _policy(_number: int) -> object:
    permitted = {"article_version": ["accepted"], "location": {"location": ["institutional_repository"]}}
    return {"items": [{"title": [{"title": "A journal"}], "publisher_policy": [{"permitted_oa": [permitted]}]}]}


_SERVICES: dict[str, Callable[[int], object]] = {
    "api.crossref.org": _crossref,
    "api.unpaywall.org": lambda number: {"doi": doi(number), "is_oa": False, "oa_locations": []},
    "api.openalex.org": _openalex,
    "www.ebi.ac.uk": lambda _number: {"hitCount": 0, "resultList": {"result": []}},
    "api.archives-ouvertes.fr": lambda _number: {"response": {"numFound": 0, "docs": []}},
    "doaj.org": lambda _number: {"total": 0, "results": []},
    "api.fatcat.wiki": lambda number: {"ext_ids": {"doi": doi(number)}},
    "api.openpolicyfinder.jisc.ac.uk": _policy,
}
_LIMITS = {"x-rate-limit-limit": "10", "x-rate-limit-interval": "1s", "x-concurrency-limit": "3"}


def _page(number: int) -> bytes:
    """Return a page as real ones are: 60 KB, two hundred links, and none to a file."""
    links = "".join(
        f'<li class="menu-item"><a class="link" href="/topics/{topic}?from={number}">{_WORDS}</a></li>'
        for topic in range(200)
    )
    tags = "".join(f'<meta name="citation_{name}" content="{_WORDS}">' for name in ("title", "author", "date"))
    paragraphs = f"<p>{_WORDS * 8}</p>" * 20
    head = f"<head><title>Work {number}</title>{tags}</head>"
    return f"<html>{head}<body><ul>{links}</ul>{paragraphs}</body></html>".encode()


def _answered(host: str, path: str) -> tuple[int, dict[str, str], bytes]:
    if path == "/robots.txt":
        return 200, {}, _ROBOTS
    number = int("".join(filter(str.isdigit, unquote(path).partition("?")[0].rpartition("/")[2])) or 0)
    if host in _SERVICES:
        headers = _LIMITS if host == "api.crossref.org" else {}
        return 200, headers, json.dumps(_SERVICES[host](number)).encode()
    if host == "doi.org":
        return 302, {"Location": f"http://repository-{number % HOSTS}.example.com/works/{number}"}, b""
    return 200, {"Content-Type": "text/html"}, _page(number)


class _Handler(runs.Quiet):
    def answer(self) -> None:
        time.sleep(_LATENCY)
        status, headers, body = _answered(self.headers.get("Host", "").partition(":")[0], self.path)
        self.reply(body, status, headers)


def serving() -> AbstractContextManager[int]:
    """Serve from a process of its own; the port is the context's value."""
    return runs.serving(_Handler)


def led_to(port: int) -> Callable[..., list[tuple[object, ...]]]:
    """Return what resolves every name to a port of loopback."""
    return lambda *_, **__: [(2, 1, 6, "", ("127.0.0.1", port))]
