# ruff: noqa: E501 - tables have long lines
"""Good files that are small, odd, or look like an error, and answers that only look wrong."""

from __future__ import annotations

import gzip
import json
import sqlite3
import struct
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler

from tests.mirror import samples
from tests.mirror.server_faults import (
    ANY,
    CSV,
    DOCX,
    GIF,
    HTML,
    JPEG,
    MP4,
    PDF,
    PNG,
    SVG,
    TEI,
    TEX,
    TEXT,
    TIFF,
    WAV,
    XML,
    ZIP,
    Fault,
    page,
    sent,
    unmeasured,
)

XLS, DOC, RTF = "application/vnd.ms-excel", "application/msword", "application/rtf"
JATS, MP3, HDF5 = "application/jats+xml", "audio/mpeg", "application/x-hdf5"


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


def database(number: int) -> bytes:
    with sqlite3.connect(":memory:") as made:
        made.execute("CREATE TABLE interviews (number)")
        made.execute("INSERT INTO interviews VALUES (?)", (number,))
    return made.serialize()


def volume(number: int) -> bytes:
    """Make a raw scan of a body, with much air."""
    return samples.noise(number, 3000) + bytes(40000) + samples.noise(number + 1, 3000) + bytes(20000)


def spreadsheet(number: int) -> bytes:
    cells = "".join(f"<Row><Cell><Data>{row * number}</Data></Cell></Row>" for row in range(40))
    name = 'xmlns="urn:schemas-microsoft-com:office:spreadsheet"'
    return f'<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook {name}><Table>{cells}</Table></Workbook>'.encode()


def about_logins(number: int) -> bytes:
    """Make an article about login pages, which has one in it."""
    words = "".join(f"<h2>{part}. Access</h2><p>{samples.prose(number + part, 5)}</p>" for part in range(8))
    shown = (
        "<p>Most repositories show a login page: the user enters a password, else access is denied with 403 Forbidden.</p>"
        '<pre>&lt;form action="/login"&gt;&lt;input type="password"&gt;&lt;/form&gt;</pre>'
        '<figure><form><input name="user"><input type="password" disabled></form><figcaption>A login page</figcaption></figure>'
    )
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Why users do not log in: access denied in '
        f"{number} repositories</title></head><body><article><h1>Why users do not log in</h1>{shown}{words}</article></body></html>"
    ).encode()


def log(number: int) -> bytes:
    lines = (
        f'10.0.{row}.{number % 250} - - [01/Mar/2019:10:{row:02d}:00 +0100] "GET /files/{row}.pdf HTTP/1.1" '
        f"{(200, 404, 500)[row % 3]} {row * 97} error: file not found\n"
        for row in range(60)
    )
    return "".join(lines).encode()


def bitmap(number: int) -> bytes:
    body = b"\x00" * (100 * 100 * 3 - 3) + number.to_bytes(3, "little")
    head = struct.pack("<IIIIiiHHIIiiII", len(body) + 54, 0, 54, 40, 100, 100, 1, 24, 0, len(body), 2835, 2835, 0, 0)
    return b"BM" + head + body


def about_errors(number: int) -> bytes:
    body = "".join(f"<sec><title>Errors</title><p>{samples.prose(number + part, 3)}</p></sec>" for part in range(4))
    return (
        '<article xmlns:xlink="http://www.w3.org/1999/xlink"><front><article-meta><title-group><article-title>Error 404: '
        f"page not found</article-title></title-group></article-meta></front><body>{body}</body></article>"
    ).encode()


def sensors(number: int) -> bytes:
    lines = (json.dumps({"t": row, "error": None, "value": row * number}) for row in range(50))
    return ("\n".join(lines) + "\n").encode()


def crossed(number: int) -> bytes:
    """Make a table whose last line says where it comes from."""
    return samples.rows(number, 20) + b"Source: Statistics of the harbour, 1912"


ODD = (
    good("a PDF called any type", PDF, samples.pdf, ANY),
    good("a PDF called HTML", PDF, samples.pdf, "text/html; charset=utf-8"),
    Fault("a PDF without a Content-Type", PDF, samples.pdf, sent(lambda content: content)),
    good("a DOCX called ZIP", DOCX, samples.docx, ZIP),
    good("XML called HTML", XML, samples.tei, HTML),
    Fault("a text without a length", TEXT, samples.text, unmeasured(lambda good: good)),
    good("a text with a mark of byte order", TEXT, _fixed(b"\xef\xbb\xbf" + samples.text(500))),
    good("a text in Latin-1", TEXT, _fixed("H\xf4tel de la mer, \xe9t\xe9.\n".encode("latin-1") * 9)),
    good("a text of one number", TEXT, _fixed(b"42")),
    good("a page about errors", HTML, _fixed(page("Typing errors of monks", "word " * 900).encode())),
    good("JSON lines", "application/x-ndjson", _fixed(b'{"a": 1}\n{"a": 2}\n')),
    good("XML with a declaration behind a blank line", XML, lambda n: b"\n" + samples.tei(n)),
    Fault("gzip on the way", TEXT, samples.text, _gzip_as_asked),
    Fault("a PDF that comes slowly", PDF, samples.pdf, _slowly),
    good("a PDF with an old comment behind its end", PDF, lambda n: samples.pdf(n) + b"\r\n% x\r\n"),
    good("a type that nobody knows", "application/x-nobody", samples.gzipped),
    good("a table of one line", CSV, text_of("id,place,")),
    good("a text that is a DOI", TEXT, text_of("https://doi.org/10.5281/zenodo.")),
    good("a text about 404", TEXT, text_of('The phrase "404 Not Found" entered common speech about 1995. This essay asks why. ' * 6)),
    good("a log of a server, as data", TEXT, log),
    good(
        "notes on Git LFS",
        "text/markdown",
        text_of(
            "# Data\n\nGet the files with `git lfs pull`; else you see\n`version https://git-lfs.github.com/spec/v1`.\n\n"
        ),
    ),
    good("a text of sums of files", TEXT, lambda n: b"".join(b"%032x  data/%d.csv\n" % (n * row, row) for row in range(1, 9))),
    good("a text in Shift JIS", TEXT, text_of("村は川のそばにあった。" * 30, "shift_jis")),
    good("a text with ends of lines of old Macintoshes", TEXT, lambda n: samples.text(n).replace(b"\n", b"\r")),
    good("a table with a source in its last line", CSV, crossed),
    good("a table in quotes with lines in its cells", CSV, lambda n: b'"id","note"\n' + b"".join(b'"%d","two\nlines, ""so"""\n' % (n + row) for row in range(30))),
    good("lines of JSON", "application/x-ndjson", sensors),
    good("an article in XML about errors", JATS, about_errors),
    good("XML in Latin-1", TEI, lambda n: samples.tei(n).decode().replace("UTF-8", "ISO-8859-1").replace("the", "thé").encode("latin-1")),
    good("an article about login pages", HTML, about_logins),
    good("a part of a page", HTML, lambda n: f"<p>{samples.prose(n, 12)}</p>\n<p>{samples.prose(n + 1, 9)}</p>\n".encode()),
    good("a small SVG with words", SVG, lambda n: (f'<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"><path d="M0 0L{n} 9"/><text>Fig. {n}</text></svg>'.encode())),
    good("LaTeX that is a chapter", TEX, lambda n: b"\\chapter{Tides}\n" + samples.text(n)),
    good("RTF with zeros after its end", RTF, lambda n: samples.rtf(n) + b"\r\n\x00"),
    good("a PDF with junk before it", PDF, lambda n: b"\r\n\r\n" + samples.pdf(n)),
    good("a PDF with junk after it", PDF, lambda n: samples.pdf(n) + b"\n<!-- served in 12 ms -->\n"),
    good("a PDF about embargoes", PDF, lambda n: samples.pdf(n, 1, ("This document is under embargo: so said 12 pages", *samples.prose(n, 40).splitlines()))),
    good("RTF said to be Word", DOC, samples.rtf),
    good("a spreadsheet in XML", XLS, spreadsheet),
    good("a white page in TIFF", TIFF, lambda n: samples.tiff(n, fill=b"\xff", size=5000 + 100 * (n % 50))),
    good("a TIFF of Macintoshes", TIFF, lambda n: samples.tiff(n, order=">")),
    good("a small icon", GIF, lambda n: samples.gif(n, 16)),
    good("a white page in PNG", PNG, lambda n: samples.png(n, 400, 300 + n, 0, 1, b"\xff")),
    good("a PNG with something after it", PNG, lambda n: samples.png(n) + b"\x00" * 9),
    good("a progressive JPEG", JPEG, lambda n: samples.jpeg(n, progressive=True)),
    good("a bitmap that is black", "image/bmp", bitmap),
    good("an MP3 whose frames are not counted", MP3, lambda n: samples.mp3(n, counted=False)),
    good("a WAV of silence", WAV, lambda n: samples.wav(n, 9000 + n, silent=True)),
    good("an MP4 in parts", MP4, samples.fragmented),
    good("a ZIP with a comment", ZIP, lambda n: samples.packed({"a.csv": samples.rows(n)}, comment=b"Made by the archive\n" * 9)),
    good("a ZIP that unpacks itself", ZIP, lambda n: b"MZ\x90\x00" + bytes(500) + samples.archive(n)),
    good("HDF5 with a block of its user", HDF5, lambda n: samples.hdf5(n, 512)),
    good("a database", "application/vnd.sqlite3", database),
    good("a raw volume with much air", ANY, volume),
    good("bytes that no program knows", ANY, lambda n: samples.noise(n, 400)),
)  # fmt: skip
