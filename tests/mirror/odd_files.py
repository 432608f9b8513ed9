# ruff: noqa: E501 - tables have long lines
"""Good files that are small, odd, or look like an error, and answers that only look wrong."""

import gzip
import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler

from tests.mirror import samples
from tests.mirror.server_faults import (
    ANY,
    CSV,
    DOCX,
    HTML,
    JPEG,
    MP4,
    PDF,
    PNG,
    SVG,
    TEI,
    TEXT,
    WAV,
    XML,
    ZIP,
    Fault,
    page,
    sent,
    unmeasured,
)


def _gzip_as_asked(handler: BaseHTTPRequestHandler, good: bytes) -> None:
    handler.send(200, gzip.compress(good), {"Content-Encoding": "gzip", "Content-Type": TEXT})  # type: ignore[attr-defined]


def _slowly(handler: BaseHTTPRequestHandler, good: bytes) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(good)))
    handler.end_headers()
    for at in range(0, len(good), 200):
        handler.wfile.write(good[at : at + 200])
        handler.wfile.flush()


def _fixed(content: bytes) -> Callable[[int], bytes]:
    return lambda _: content


def good(name: str, mime_type: str, make, content_type: str = "") -> Fault:
    return Fault(name, mime_type, make, sent(lambda content: content, Content_Type=content_type or mime_type))


def text_of(words: str, encoding: str = "utf-8"):
    """Return the words as a file, with its number at the end."""
    return lambda number: f"{words}{number}\n".encode(encoding)


def sensors(number: int) -> bytes:
    lines = (json.dumps({"t": row, "error": None, "value": row * number}) for row in range(50))
    return ("\n".join(lines) + "\n").encode()


ODD = (
    good("a PDF called any type", PDF, samples.pdf, ANY),
    Fault("a PDF without a Content-Type", PDF, samples.pdf, sent(lambda content: content)),
    good("a DOCX called ZIP", DOCX, samples.docx, ZIP),
    Fault("a text without a length", TEXT, samples.text, unmeasured(lambda good: good)),
    good("a text with a mark of byte order", TEXT, _fixed(b"\xef\xbb\xbf" + samples.text(500))),
    good("a text in Latin-1", TEXT, _fixed("H\xf4tel de la mer, \xe9t\xe9.\n".encode("latin-1") * 9)),
    good("a text of one number", TEXT, _fixed(b"42")),
    good("a page about errors", HTML, _fixed(page("Typing errors of monks", "word " * 900).encode())),
    good("XML with a declaration behind a blank line", XML, lambda n: b"\n" + samples.tei(n)),
    Fault("gzip on the way", TEXT, samples.text, _gzip_as_asked),
    Fault("a PDF that comes slowly", PDF, samples.pdf, _slowly),
    good("a text that is a DOI", TEXT, text_of("https://doi.org/10.5281/zenodo.")),
    good("a text about 404", TEXT, text_of('The phrase "404 Not Found" entered common speech about 1995. This essay asks why. ' * 6)),
    good("a text of sums of files", TEXT, lambda n: b"".join(b"%032x  data/%d.csv\n" % (n * row, row) for row in range(1, 9))),
    good("a text in Shift JIS", TEXT, text_of("村は川のそばにあった。" * 30, "shift_jis")),
    good("a table in quotes with lines in its cells", CSV, lambda n: b'"id","note"\n' + b"".join(b'"%d","two\nlines, ""so"""\n' % (n + row) for row in range(30))),
    good("lines of JSON", "application/x-ndjson", sensors),
    good("XML in Latin-1", TEI, lambda n: samples.tei(n).decode().replace("UTF-8", "ISO-8859-1").replace("the", "thé").encode("latin-1")),
    good("a part of a page", HTML, lambda n: f"<p>{samples.prose(n, 12)}</p>\n<p>{samples.prose(n + 1, 9)}</p>\n".encode()),
    good("a small SVG with words", SVG, lambda n: (f'<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"><path d="M0 0L{n} 9"/><text>Fig. {n}</text></svg>'.encode())),
    good("a PDF with junk before it", PDF, lambda n: b"\r\n\r\n" + samples.pdf(n)),
    good("a PDF about embargoes", PDF, lambda n: samples.pdf(n, 1, ("This document is under embargo: so said 12 pages", *samples.prose(n, 40).splitlines()))),
    good("a white page in PNG", PNG, lambda n: samples.png(n, 400, 300 + n, 0, 1, b"\xff")),
    good("a progressive JPEG", JPEG, lambda n: samples.jpeg(n, progressive=True)),
    good("a WAV of silence", WAV, lambda n: samples.wav(n, 9000 + n, silent=True)),
    good("an MP4 in parts", MP4, samples.fragmented),
    good("a ZIP that unpacks itself", ZIP, lambda n: b"MZ\x90\x00" + bytes(500) + samples.archive(n)),
)  # fmt: skip
