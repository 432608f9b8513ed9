# ruff: noqa: E501 - a table has a line for each row
"""`python -m tests.fuzz.memory [BYTES]`: what the worst documents of OAI-PMH and ResourceSync cost in memory and time.

Each shape is read in a process of its own, whose peak is what the system has counted. Every document is read, or
refused in a sentence.
"""

import os
import resource
import sys
import tempfile
from collections.abc import Callable, Iterator
from time import process_time

from gateway.core import xmlio
from gateway.core.errors import GatewayError
from harvester.sources.oai_pmh.answers import parse_list
from harvester.sources.resourcesync import documents as resourcesync

MIB = 1 << 20
MOST = 512 * MIB
_OPENING = b'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026-01-01T00:00:00Z</responseDate>'
_DC = (
    b'<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">'
    + b"".join(
        b"<dc:%b>A value of an ordinary length, as they are</dc:%b>\n" % (name, name)
        for name in (b"title", b"creator", b"subject", b"date", b"type", b"rights", b"source", b"relation")
    )
    + b"<dc:description>"
    + b"Words of an abstract. " * 40
    + b"</dc:description></oai_dc:dc>"
)


def _record(payload: bytes) -> bytes:
    header = b"<header><identifier>oai:x:%09d</identifier><datestamp>2020-01-01</datestamp></header>"
    return b"<record>" + header + b"<metadata>" + payload + b"</metadata></record>\n"


def _filled(part: bytes, size: int) -> bytes:
    return part * max(1, size // len(part))


def _list(inside: bytes) -> bytes:
    return b"".join((_OPENING, b"<ListRecords>", inside, b"</ListRecords></OAI-PMH>"))


def _numbered(record: bytes, size: int) -> bytes:
    return b"".join(record % number for number in range(max(1, size // len(record))))


def _one_record(payload: bytes) -> bytes:
    return _list(
        b"<record><header><identifier>oai:x:1</identifier><datestamp>2020-01-01</datestamp></header><metadata>"
        + payload
        + b"</metadata></record>"
    )


def _one_bad(payload: bytes) -> bytes:
    good = _record(b"<a xmlns='urn:a'/>")
    return _list(good % 1 + _record(payload.replace(b"%", b"%%")) % 2 + good % 3)


# By name: how to make a document of OAI-PMH of so many bytes.
SHAPES: dict[str, Callable[[int], bytes]] = {
    "ordinary": lambda size: _list(_numbered(_record(_DC.replace(b"%", b"%%")), size)),
    "one long text": lambda size: _one_record(b"<a xmlns='urn:a'>" + _filled(b"dGV4dA==", size) + b"</a>"),
    "empty elements": lambda size: _list(_filled(b"<a/>", size)),
    "attributes": lambda size: _list(_filled(b'<a a="" b="" c="" d="" e=""/>', size)),
    "attributes of one element that is not closed": lambda size: _one_bad(
        b"<a " + b" ".join(b'b%d="u"' % n for n in range(size // 12)) + b">"
    ),
    "namespaces of one element that is not closed": lambda size: _one_bad(
        b"<a " + b" ".join(b'xmlns:b%d="u"' % n for n in range(size // 17)) + b">"
    ),
    "depth": lambda size: _list(_filled(b"<a>", size // 2)),
    "broken ordinary": lambda size: _list(_numbered(_record(b"<a>&b<" + _DC.replace(b"%", b"%%")), size)),
    "UTF-16": lambda size: (
        "\ufeff" + _list(_filled(b"<record><header><identifier>a</identifier></header></record>", size // 2)).decode()
    ).encode("utf-16"),
}
_URLSET = (
    b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/">'
)
# The same of ResourceSync.
LISTS: dict[str, Callable[[int], bytes]] = {
    "entries": lambda size: _URLSET + _filled(b"<url><loc>http://x.org/1</loc></url>", size) + b"</urlset>",
    "links of one entry": lambda size: _URLSET + b"<url><loc>a</loc>" + _filled(b'<rs:ln rel="a" href="b"/>', size) + b"</url></urlset>",
    "attributes of one entry": lambda size: _URLSET + b"<url><rs:md " + b" ".join(b'a%d=""' % n for n in range(size // 12)) + b"/></url></urlset>",
    "names": lambda size: _URLSET + b"".join(b"<a%d/>" % n for n in range(size // 11)) + b"</urlset>",
}  # fmt: skip


def _listed(body: bytes) -> str:
    document = resourcesync.read(body, "http://x.org/")
    return f"{sum(1 for _ in document)} entries"


def _read(body: bytes) -> str:
    return f"{len(parse_list(body).slices)} records"


def _parsed(body: bytes) -> str:
    xmlio.parse(body)
    return "a tree"


def measured(read: Callable[[bytes], str], shape: Callable[[int], bytes], size: int) -> tuple[int, float, str]:
    """Return the peak of a process that reads a document, in bytes, its processor time, and what it read."""
    place = f"{tempfile.gettempdir()}/fuzz-{os.getpid()}"
    maker = os.fork()
    if maker == 0:
        with open(place, "wb") as file:  # noqa: PTH123
            file.write(shape(size))
        os._exit(0)
    os.waitpid(maker, 0)
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        with open(place, "rb") as file:  # noqa: PTH123
            body = file.read()
        began = process_time()
        try:
            outcome = read(body)
        except GatewayError as error:
            outcome = f"{type(error).__name__}: {error}"
        except BaseException as error:  # noqa: BLE001
            outcome = f"FAULT {error!r}"
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        os.write(into, f"{peak} {process_time() - began} {outcome[:300]}".encode("utf-8", "replace"))
        os._exit(0)
    os.waitpid(child, 0)
    os.unlink(place)  # noqa: PTH108
    os.close(into)
    report = os.read(out, 10_000).decode()
    os.close(out)
    peak, seconds, outcome = (*report.split(" ", 2), "", "")[:3] if report else ("0", "0", "FAULT it died")  # type: ignore[assignment]
    return int(peak), float(seconds), outcome


def rows(size: int, names: tuple[str, ...] = ()) -> Iterator[tuple[str, int, float, str]]:
    """Return (name, peak, seconds, what was read) of every shape."""
    for kind, read, shapes in (("", _read, SHAPES), ("list: ", _listed, LISTS), ("payload: ", _parsed, SHAPES)):
        for name, shape in shapes.items():
            if not names or kind + name in names:
                yield (kind + name, *measured(read, shape, size))


def main(size: int = 199_000_000, *names: str) -> int:
    """Print the table; tell whether anything needed more."""
    failed = 0
    for name, peak, seconds, outcome in rows(size, names):
        is_bad = peak > MOST or outcome.startswith("FAULT")
        failed += is_bad
        print(
            f"{'FAILED' if is_bad else 'ok':6} {peak / MIB:6.0f} MiB {seconds:7.2f} s  {name}: {outcome[:110]}",
            flush=True,
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2]), *sys.argv[2:]))  # type: ignore[arg-type]
