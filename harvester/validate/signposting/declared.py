"""Links as somebody declares them: in a header, in the head of a page, in a link set; made absolute, and as written.

Pure. It reads right and wrong documents alike; the checks judge them.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from html.parser import HTMLParser
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from gateway.core.errors import AnswerTooLarge
from gateway.core.typed_links import JSON, TEXT, Link, Written, links_of_elements, links_of_json, resolved, written
from harvester.http.json_answers import parts, text
from harvester.http.urls import split
from harvester.validate.signposting.visits import Visit
from harvester.xml.parsing import refuse_heavy_json

HEADER, PAGE = "Link header", "link element"
_MOST_PAGE = 2_000_000  # bytes; the head stands at the beginning
_MOST_LINKS = 250_000  # of a link set as text; each takes a kilobyte of memory here
_DEFAULT_PORTS = {"http": 80, "https": 443}


class Declared(NamedTuple):
    """One link, absolute; its addresses as written; the form it has; and the answer that has it."""

    link: Link
    href: str
    anchor: str
    form: str
    visit: Visit

    @property
    def words(self) -> str:
        """The link in a few words, for a sentence."""
        return f"The {self.link.rel} link to <{self.href}> ({self.form})"


def of_visits(links: Iterable[Declared]) -> Iterator[tuple[Visit, Declared]]:
    """Return links as parts of checks, each with its answer."""
    return ((one.visit, one) for one in links)


def of_header(visit: Visit) -> Iterator[Declared]:
    """Yield the links of the headers of an answer."""
    yield from _of_written(written(visit.link_header), HEADER, visit)


def of_text(visit: Visit) -> Iterator[Declared]:
    """Yield the links of an application/linkset document; none when it is too large."""
    with suppress(AnswerTooLarge):
        yield from _of_written(written_in(visit), TEXT, visit)


def written_in(visit: Visit) -> Iterator[Written]:
    """Return the links of an application/linkset document, as they are written. Raise AnswerTooLarge for very many."""
    if visit.body.count(b"<") > _MOST_LINKS:
        raise AnswerTooLarge(f"The link set has more than {_MOST_LINKS} links.")
    return written(" ".join(visit.body.decode("utf-8", "replace").split()))


def _of_written(links: Iterator[Written], form: str, visit: Visit) -> Iterator[Declared]:
    for one in links:
        for link in resolved(one, visit.url):
            yield Declared(link, one.target, one.first("anchor"), form, visit)


def document_of(visit: Visit) -> object:
    """Return the parsed JSON of an answer. Raise ValueError if it is none, and AnswerTooLarge for a huge one."""
    refuse_heavy_json(visit.body)
    try:
        return json.loads(visit.body, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ValueError("It is nested too deeply.") from error


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no value of JSON.")


def of_json(visit: Visit) -> Iterator[Declared]:
    """Yield the links of an application/linkset+json document; none when it cannot be read."""
    try:
        document = document_of(visit)
    except (ValueError, AnswerTooLarge):
        return
    for context in parts(document, "linkset"):
        for rel in context:
            for target in parts(context, rel):
                one = {"linkset": [{"anchor": context.get("anchor"), rel: [target]}]}
                for link in links_of_json(one, visit.url):
                    yield Declared(link, text(target, "href"), text(context, "anchor"), JSON, visit)


def of_page(visit: Visit) -> Iterator[Declared]:
    """Yield the links of the `link` elements of a page; `base` counts."""
    page = _Links()
    page.read(_decoded(visit.body[:_MOST_PAGE], visit.charset))
    base = next(links_of_elements([{"rel": "base", "href": page.base}], visit.url), None) if page.base else None
    for element in page.elements:
        for link in links_of_elements([element], base.href if base else visit.url):
            yield Declared(link._replace(anchor=visit.url), element["href"].strip(), "", PAGE, visit)


def _decoded(body: bytes, charset: str) -> str:
    try:
        return body.decode(charset or "utf-8", "replace")
    except (LookupError, ValueError):
        return body.decode("utf-8", "replace")


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.elements: list[Mapping[str, str]] = []
        self.base = ""
        self.charset = ""

    def read(self, text: str) -> None:
        try:
            self.feed(text)
        except AssertionError:  # the library fails at `<![OCTYPE`; links before that count
            return

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in reversed(attrs)}
        if tag == "link":
            self.elements.append({name: value for name, value in attributes.items() if name != "anchor"})
        elif tag == "base" and not self.base:
            self.base = attributes.get("href", "")
        elif tag == "meta":
            content = (
                attributes.get("content", "") if attributes.get("http-equiv", "").lower() == "content-type" else ""
            )
            self.charset = self.charset or attributes.get("charset", "") or content.partition("charset=")[2]


def charset_in(visit: Visit) -> str:
    """Return the charset that a page states in a `meta` element; empty when there is none."""
    page = _Links()
    page.read(visit.body[:_MOST_PAGE].decode("latin-1"))
    return page.charset


def is_same(one: str, other: str) -> bool:
    """Return whether two addresses are equivalent (RFC 3986 §6.2.2); a fragment does not count."""
    return _normal(one) == _normal(other)


def normal_form(url: str) -> tuple[object, ...]:
    """Return what equivalent addresses have in common (RFC 3986 §6.2.2), with the fragment."""
    return (*_normal(url), split(url).fragment)


@lru_cache(maxsize=4096)
def _normal(url: str) -> tuple[object, ...]:
    parts = split(url)
    try:
        port = parts.port
    except ValueError:
        return (url,)
    default = _DEFAULT_PORTS.get(parts.scheme)
    return (
        parts.scheme,
        parts.hostname,
        port or default,
        unquote(parts.path) or "/",
        tuple(parse_qsl(parts.query, keep_blank_values=True)),
    )


def is_http(url: str) -> bool:
    """Return whether a text is an absolute address with http or https and a host."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
