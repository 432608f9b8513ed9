"""The faults of real servers, one by one, over HTTP: three pages of two records must arrive whole, or be doubted.

Every released client that was tried with these loses records without a word in some, and runs for ever in another.
"""

from __future__ import annotations

import gzip
import socket
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from gateway.errors import GatewayError
from gateway.model import Cursor
from harvester.sources import ListEnd, Options, Step
from harvester.sources.oai_pmh import SOURCE
from tests.http.server import Made, Said, Server, ok
from tests.oai_pages import error, page, payload, record
from tests.rows import each_row

pytestmark = pytest.mark.slow  # it waits for servers that are slow on purpose

NOW = 1_707_000_000.0  # 2024-02-03, a little later than the records

Told = Said | Callable[[Any], None]


def _page(number: int, *, title: str | None = None, token: str | None = None, **options: Any) -> str:
    following = f"t{number}" if number < 3 else ""
    metadata = None if title is None else f"<d xmlns='urn:d'><t>{title}</t></d>"
    return page(
        record(2 * number - 1, metadata),
        record(2 * number),
        token=following if token is None else token,
        attributes=f' completeListSize="6" cursor="{2 * number - 2}"',
        **options,
    )


ONE, TWO, THREE = (_page(number).encode() for number in (1, 2, 3))


def _cut_connection(handler: Any) -> None:
    handler.close_connection = True
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(TWO) + TWO[:500])
    handler.connection.shutdown(socket.SHUT_RDWR)


class Fault(NamedTuple):
    """What the server says, one answer after the other; how many records there are, and whether the list is whole."""

    says: list[Told]
    records: int = 6
    is_whole: bool = True


def _second(text: str | bytes, **headers: str) -> list[Told]:
    """Return the three answers, the second of them this one, for ever."""
    body = text.encode() if isinstance(text, str) else text
    return [ok(ONE), ok(body, **headers), ok(THREE)]  # type: ignore[arg-type]


def _passing(*answers: Told) -> list[Told]:
    """Return the three answers, with others before the second."""
    return [ok(ONE), *answers, ok(TWO), ok(THREE)]


FAULTS = {
    "Retry-After is an HTTP date": Fault(_passing(ok(b"", 503, Retry_After="Tue, 14 Nov 2023 22:13:25 GMT"))),
    "429 with Retry-After": Fault(_passing(ok(b"", 429, Retry_After="5"))),
    "503 without Retry-After": Fault(_passing(ok(b"", 503))),
    "one 500 in the middle": Fault(_passing(ok(b"<html/>", 500))),
    "the last token is white space": Fault([ok(ONE), ok(TWO), ok(_page(3, token=" \n ").encode())]),
    "the token is pretty-printed": Fault(_second(_page(2, token="\n      t2\n    "))),
    "the token never changes": Fault(_second(_page(2, token="t1"))[:2], 4, is_whole=False),
    "tokens without end": Fault([*(ok(_page(n, token=f"u{n}").encode()) for n in (1, 2, 3)), ok(ONE)]),
    "an empty page with a token": Fault([ok(ONE), ok(page(token="e").encode()), ok(TWO), ok(THREE)]),
    "noRecordsMatch after a token": Fault(
        [ok(ONE), ok(TWO), ok(_page(3, token="t3").encode()), ok(error("noRecordsMatch").encode())]
    ),
    "a further token after the last record": Fault(
        [ok(ONE), ok(TWO), ok(_page(3, token="t3").encode()), ok(error("badResumptionToken").encode())]
    ),
    "badResumptionToken once": Fault(_passing(ok(error("badResumptionToken").encode()))),
    "badResumptionToken for this token": Fault(
        [ok(ONE), *[ok(error("badResumptionToken").encode())] * 2, ok(ONE), ok(TWO), ok(THREE)]
    ),
    "the XML is cut and the length is right": Fault(_passing(ok(TWO[:700]))),
    "the connection is cut": Fault(_passing(_cut_connection)),
    "HTML with 200, once": Fault(_passing(ok(b"<html><title>Just a moment...</title></html>"))),
    "an empty answer with 200, once": Fault(_passing(ok(b""))),
    "a text of eleven megabytes": Fault(_second(_page(2, title="x" * 11_000_000))),
    "https in the namespace": Fault(
        _second(TWO.replace(b"http://www.openarchives.org/OAI/2.0/", b"https://www.openarchives.org/OAI/2.0/", 1))
    ),
    "no namespace at all": Fault(_second(TWO.replace(b' xmlns="http://www.openarchives.org/OAI/2.0/"', b"", 1))),
    "control characters": Fault(_second(_page(2, title="a\x01b\x0bc"))),
    "references to control characters": Fault(_second(_page(2, title="a&#1;b&#xFFFE;&#55349;"))),
    "Latin-1 declared as UTF-8": Fault(_second(_page(2, title="é").encode("latin-1"))),
    "entities of HTML and bare ampersands": Fault(_second(_page(2, title="a&nbsp;b & &eacute;"))),
    "an XML declaration inside metadata": Fault(_second(_page(2, title="<?xml version='1.0'?>x"))),
    "notices of PHP after the document": Fault(_second(TWO + b"\n<br />\n<b>Notice</b>: x in /a.php")),
    "a blank line before the document": Fault(_second(b"\r\n\r\n" + TWO)),
    "gzip that was not announced": Fault(_second(gzip.compress(TWO))),
    "gzip announced and not done": Fault(_second(TWO, Content_Encoding="gzip")),
    "noRecordsMatch with 404": Fault([ok(error("noRecordsMatch").encode(), 404)], 0),
    "a record without header": Fault(_second(TWO.replace(b"<record>", b"<record/><record>", 1)), 7),
    "Deleted with a capital": Fault(_second(TWO.replace(b"<header>", b'<header status="Deleted">', 1))),
    "a token of every kind of character": Fault(
        [ok(_page(1, token="a+b/c=&amp;d e|f%20").encode()), ok(TWO), ok(THREE)]
    ),
}
TITLES = {
    "control characters": "ab c",
    "references to control characters": "ab",
    "Latin-1 declared as UTF-8": "é",
    "entities of HTML and bare ampersands": "a\xa0b & é",
    "an XML declaration inside metadata": "x",
}


def _walked(server: Server, make: Callable[..., Made], says: list[Told]) -> list[Step]:
    server.say("/oai#Identify", ok(page("<earliestDatestamp>2024-01-01</earliestDatestamp>", verb="Identify").encode()))
    server.say("/oai#ListIdentifiers", ok(error("badVerb").encode()))
    url = server.say("/oai", *says)
    options = Options("x", url, 0)
    return list(SOURCE.changes(options, Cursor("x", "oai_dc"), make(url, clock=lambda: NOW).web))


@each_row("name", FAULTS)
def test_nothing_is_lost_without_a_word(server: Server, make: Callable[..., Made], name: str) -> None:
    fault = FAULTS[name]
    steps = _walked(server, make, fault.says)
    assert steps[-1].is_complete is fault.is_whole
    assert steps[-1].received == fault.records
    assert steps[-1].end is not ListEnd.MORE
    if name in TITLES:
        spoiled = steps[1]
        element = payload(spoiled.page.repaired or spoiled.page.body, spoiled.slices[0])
        assert element[0].text == TITLES[name]
        assert spoiled.page.repairs


@each_row("says", [b"<html><title>Just a moment...</title></html>", b"", TWO[:700]])
def test_what_never_becomes_an_answer_is_an_error_and_no_end(
    server: Server, make: Callable[..., Made], says: bytes
) -> None:
    with pytest.raises(GatewayError):
        _walked(server, make, [ok(ONE), ok(says)])


def test_token_arrives_as_it_was_given(server: Server, make: Callable[..., Made]) -> None:
    _walked(server, make, FAULTS["a token of every kind of character"].says)
    assert server.asked[1].path.endswith("resumptionToken=a%2Bb%2Fc%3D%26d%20e%7Cf%2520")
