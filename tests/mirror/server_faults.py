# ruff: noqa: E501 - tables have long lines, and words of many languages
"""What servers of files do wrong, and what only looks wrong: a table. Each row is a file and what is sent instead.

`Fault.name` says what a mirror must notice. One row cannot be noticed where nothing is stated of the file: `UNSEEN`.
"""

import base64
import gzip
import json
import random
from collections.abc import Callable
from hashlib import sha256
from http.server import BaseHTTPRequestHandler
from typing import NamedTuple

from tests.mirror import samples

PDF, PNG, JPEG, GIF = "application/pdf", "image/png", "image/jpeg", "image/gif"
ZIP, GZIP, MP4, JSON = "application/zip", "application/gzip", "video/mp4", "application/json"
TEXT, XML, HTML = "text/plain", "application/xml", "text/html"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
ANY = "application/octet-stream"

Send = Callable[[BaseHTTPRequestHandler, bytes], None]
UNSEEN = "another file of the same type"


class Fault(NamedTuple):
    """A file of a type, and how it is sent."""

    name: str
    mime_type: str
    make: Callable[[int], bytes]
    send: Send


def sent(change: Callable[[bytes], bytes], status: int = 200, **headers: str) -> Send:
    """Send other bytes, with everything that HTTP wants of an answer."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler, good: handler.send(status, change(good), named)  # type: ignore[attr-defined]


def always(body: str | bytes, content_type: str = "text/html", status: int = 200) -> Send:
    content = body.encode() if isinstance(body, str) else body
    return sent(lambda _: content, status, Content_Type=content_type)


def unmeasured(change: Callable[[bytes], bytes]) -> Send:
    """Send bytes, and their end by closing the connection."""

    def send(handler: BaseHTTPRequestHandler, good: bytes) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", ANY)
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write(change(good))
        handler.close_connection = True

    return send


def stating(length: Callable[[int], int], change: Callable[[bytes], bytes] = lambda good: good) -> Send:
    """Send bytes with a Content-Length that is not theirs, and close the connection."""

    def send(handler: BaseHTTPRequestHandler, good: bytes) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(length(len(good))))
        handler.end_headers()
        handler.wfile.write(change(good))
        handler.close_connection = True

    return send


def chunked(handler: BaseHTTPRequestHandler, good: bytes) -> None:
    """Break off within the chunks."""
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    handler.wfile.write(b"%x\r\n%s\r\n" % (1000, good[:1000]))
    handler.close_connection = True


def resumed(rest: Callable[[BaseHTTPRequestHandler, bytes, int], None]) -> Send:
    """Break off once, and answer wrongly when the rest is asked for."""

    def send(handler: BaseHTTPRequestHandler, good: bytes) -> None:
        wanted = handler.headers.get("Range", "")
        if wanted:
            rest(handler, good, int(wanted.removeprefix("bytes=").rstrip("-")))
            return
        handler.send_response(200)
        handler.send_header("ETag", '"one"')
        handler.send_header("Content-Length", str(len(good)))
        handler.end_headers()
        handler.wfile.write(good[: len(good) // 2])
        handler.close_connection = True

    return send


def _part(handler, good, start, *, tag='"one"', stated=None, shift=0):
    headers = {"Content-Range": stated or f"bytes {start}-{len(good) - 1}/{len(good)}"}
    if tag:
        headers["ETag"] = tag
    handler.send(206, good[start + shift :] if shift >= 0 else good[start + shift : shift], headers)


def _other(good: bytes) -> bytes:
    """Return other bytes, as many."""
    return bytes(byte ^ 0x55 for byte in good)


def _redirected(path: str) -> Send:
    def send(handler: BaseHTTPRequestHandler, good: bytes) -> None:
        handler.send(302, b"", {"Location": path})  # type: ignore[attr-defined]

    return send


def _with_hole(good: bytes) -> bytes:
    return good[:8192] + bytes(8192) + good[16384:]


def _half(good: bytes) -> bytes:
    return good[: len(good) // 2]


def _cut(good: bytes) -> bytes:
    return good[:-5]


def page(title: str, text: str) -> str:
    return f"<!DOCTYPE html><html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p></body></html>"


OAI = '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><error code="idDoesNotExist">x</error></OAI-PMH>'
LOGIN = '<html><body><form action="/login"><input name="u"><input type="password" name="p"></form></body></html>'


ANGULAR = (
    '<!DOCTYPE html><html lang="en" dir="ltr"><head><meta charset="UTF-8"><base href="/"><title>DSpace</title>'
    '<meta name="viewport" content="width=device-width,minimum-scale=1"><script>window.__env={"rest":"/server"}</script>'
    '<link rel="stylesheet" href="styles.86ff.css"></head><body><ds-app></ds-app><script src="runtime.5a.js" type="module"></script>'
    '<script src="polyfills.11.js" type="module"></script><script src="main.9c.js" type="module"></script></body></html>'
)
TOMBSTONE = "Discovered tombstone resource at /rest/prod/7d/27/8t/01/7d278t01x, departed at: 2021-06-11T09:14:52.114Z\n"
LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 9132\n"
ANNEX = "/annex/objects/SHA256E-s9132--4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393.nc\n"
SHORTCUT = "[InternetShortcut]\r\nURL=https://repository.example.edu/files/4411.txt\r\n"
CHECKSUM = "d41d8cd98f00b204e9800998ecf8427e  interviews.csv\n"
PRESIGNED = '{"download_url":"https://store.example.org/b/88?X-Amz-Signature=aa&X-Amz-Expires=300","expires_in":300}'
SIGN_IN_SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><rect width="300" height="200" fill="#eee"/><text x="60" y="100">Image not available</text></svg>'
VIEWER = '<!DOCTYPE html><html><head><title>PDF.js viewer</title><script src="/pdfjs/build/pdf.mjs" type="module"></script></head><body><div id="outerContainer"><div id="viewerContainer"><div id="viewer" class="pdfViewer"></div></div></div></body></html>'

CSV, TSV, TEX = "text/csv", "text/tab-separated-values", "application/x-tex"
TEI, SVG, NETCDF = "application/tei+xml", "image/svg+xml", "application/x-netcdf"
WAV, DJVU, SAV = "audio/wav", "image/vnd.djvu", "application/x-spss-sav"


def zeros_in_tail(good: bytes) -> bytes:
    kept = int(len(good) * 0.6)
    return good[:kept] + bytes(len(good) - kept)


def as_text(good: bytes) -> bytes:
    """Return bytes as FTP transfers them in text mode from Unix to Windows."""
    return good.replace(b"\n", b"\r\n")


def as_latin(good: bytes) -> bytes:
    """Return every byte as the character of its number, in UTF-8."""
    return good.decode("latin-1").encode()


def in_form(good: bytes) -> bytes:
    """Return a file as a browser uploads it."""
    mark = b"------WebKitFormBoundary7MA4YWxkTrZu0gW"
    head = b'\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: application/octet-stream\r\n\r\n'
    return mark + head + good + b"\r\n" + mark + b"--\r\n"


def before_page(good: bytes) -> bytes:
    return good[: len(good) * 7 // 10] + b"<html><body><h1>Fatal error</h1>Allowed memory size exhausted</body></html>"


def damaged(good: bytes) -> bytes:
    """Return bytes of which one block belongs to something else."""
    start = len(good) // 3
    return good[:start] + random.Random(len(good)).randbytes(512) + good[start + 512 :]


def encoded(good: bytes) -> bytes:
    return base64.encodebytes(good)


def fork(good: bytes) -> bytes:
    """Return the file that macOS keeps beside another."""
    head = b"\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        \x00\x02\x00\x00\x00\x09\x00\x00\x00\x32\x00\x00\x0e\xb0"
    return head + b"\x00\x00\x00\x02\x00\x00\x0e\xe2\x00\x00\x01\x1e" + bytes(3800 + len(good) % 7)


ADOBE = (
    "Please wait...",
    "If this message is not eventually replaced with the proper contents of the document, your PDF",
    "viewer may not be able to display this type of document.",
    "You can upgrade to the latest version of Adobe Reader for Windows, Mac, or Linux.",
)
DOT = (
    samples.gif(1, 1)[:10]
    + b"\x80\x00\x00\xff\xff\xff\x00\x00\x00!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
)

FAULTS = (
    Fault("an empty PDF", PDF, samples.pdf, always(b"", PDF)),
    Fault("an empty file of any type", ANY, samples.text, always(b"", ANY)),
    Fault("a PDF of zeros", PDF, samples.pdf, sent(lambda good: bytes(len(good)))),
    Fault("a PDF with a hole", PDF, lambda n: samples.pdf(n, 40), sent(_with_hole)),
    Fault("a PNG with a hole", PNG, samples.png, sent(lambda good: good[:2000] + bytes(1000) + good[3000:])),
    Fault("a text says that it was not found", TEXT, samples.text, always("The bitstream could not be found", TEXT)),
    Fault("a text of a framework", TEXT, samples.text, always("java.io.IOException: disk\n\tat x.Y(Y.java:1)", TEXT)),
    Fault("JSON says error for a PDF", PDF, samples.pdf, always('{"error": "not found"}', JSON)),
    Fault("JSON says error for JSON", JSON, samples.data, always('{"status": 404, "message": "Not here"}', JSON)),
    Fault("XML says error for a ZIP", ZIP, samples.archive, always("<Error><Code>NoSuchKey</Code></Error>", XML)),
    Fault("XML says error for XML", XML, samples.tei, always("<error><code>5</code></error>", XML)),
    Fault("a page says that it was not found, for HTML", HTML, samples.article, always(page("Page not found", ""))),
    Fault("a page says error and is called a PDF", PDF, samples.pdf, always(page("Error", "It broke"), PDF)),
    Fault("a page behind the first bytes of a PDF", PDF, samples.pdf, always("%PDF-1.4\n" + page("No", "x"), PDF)),
    Fault("a form to log in for a PDF", PDF, samples.pdf, always(LOGIN)),
    Fault("a wall of cookies", HTML, samples.article, always(page("Welcome", "Please enable cookies to go on."))),
    Fault("a captcha for any type", ANY, samples.archive, always(page("One moment", "Checking your browser"))),
    Fault("a page that leads elsewhere", HTML, samples.article, always('<meta http-equiv="refresh" content="0;url=/x">')),
    Fault("a redirect to the home page, for HTML", HTML, samples.article, _redirected("/")),
    Fault("a redirect to a login, for a text", TEXT, samples.text, _redirected("/login?next=1")),
    Fault("half a PDF", PDF, samples.pdf, sent(_half)),
    Fault("half a PDF without a length", PDF, samples.pdf, unmeasured(_half)),
    Fault("a PNG without its end", PNG, samples.png, sent(_cut)),
    Fault("half a JSON file without a length", JSON, samples.data, unmeasured(_half)),
    Fault("chunks that break off", TEXT, samples.text, chunked),
    Fault("a length that is too large", TEXT, samples.text, stating(lambda size: size + 100)),
    Fault("a length that is too small", PDF, samples.pdf, stating(lambda size: size - 900)),
    Fault("a PDF without its first bytes", PDF, samples.pdf, sent(lambda good: good[100:])),
    Fault("an image for a PDF", PDF, samples.pdf, sent(lambda _: samples.png(9), Content_Type=PDF)),
    Fault("a PDF for a text", TEXT, samples.text, sent(lambda _: samples.pdf(8), Content_Type=TEXT)),
    Fault("gzip that nobody says, for a text", TEXT, samples.text, sent(gzip.compress, Content_Type=TEXT)),
    Fault("gzip around gzip", GZIP, samples.gzipped, sent(gzip.compress, Content_Type=GZIP)),
    Fault("a ZIP with other line ends", ZIP, samples.archive, sent(lambda good: good.replace(b"\n", b"\r\n"))),
    Fault("a PNG with other line ends", PNG, samples.png, sent(lambda good: good.replace(b"\r\n", b"\n"))),
    Fault("a JPEG read as UTF-8", JPEG, samples.jpeg, sent(lambda good: good.decode("utf-8", "replace").encode())),
    Fault("a page behind a PDF", PDF, samples.pdf, sent(lambda good: good + b"<html><p>Bye</p></html>")),
    Fault("zeros behind a ZIP", ZIP, samples.archive, sent(lambda good: good + bytes(512))),
    Fault("a mark of byte order before a PDF", PDF, samples.pdf, sent(lambda good: b"\xef\xbb\xbf" + good)),
    Fault("the rest is the whole", PNG, samples.png, resumed(lambda h, g, s: _part(h, g + g[:s], s, shift=-s))),
    Fault("the rest of another place", PNG, samples.png, resumed(lambda h, g, s: _part(h, g, s, shift=10))),
    Fault("the rest of another file", ZIP, samples.archive, resumed(lambda h, g, s: _part(h, _other(g), s, tag=""))),
    Fault("the rest has another tag", PDF, samples.pdf, resumed(lambda h, g, s: _part(h, g, s, tag='"two"'))),
    Fault("the rest with status 200", PNG, samples.png, resumed(lambda h, g, s: h.send(200, g[s:], {}))),  # type: ignore[attr-defined]
    Fault(UNSEEN, TEXT, samples.text, sent(lambda _: samples.text(77), Content_Type=TEXT)),
    Fault("a warning of PHP before a PDF", PDF, samples.pdf, sent(lambda good: b"<br />\n<b>Warning</b>: x\n" + good)),
    Fault("a wiki says that there is no text", HTML, samples.article, always(page("Wiki", "There is no such page."))),
    Fault("an OAI-PMH error for XML", XML, samples.tei, always(OAI, XML)),
    Fault("a stack trace for CSV", "text/csv", samples.text, always("Traceback (most recent call last):\n x", TEXT)),
    Fault("a placeholder image for a PDF", PDF, samples.pdf, sent(lambda _: samples.gif(3), Content_Type=GIF)),
    Fault("a ZIP whose middle is missing", ZIP, samples.archive, sent(lambda good: good[:2000] + good[2500:])),
    Fault("a GIF that says nothing more", GIF, samples.gif, unmeasured(lambda good: good[:100])),
    Fault("a page of a proxy for any type", ANY, samples.pdf, always(page("502 Bad Gateway", "nginx"))),
    Fault("an XML file with a page behind it", XML, samples.tei, sent(lambda good: good + b"<html><p/></html>")),
    Fault("a text says it in Spanish", TEXT, samples.text, always("El archivo solicitado no existe en el servidor.", TEXT)),
    Fault("a text says it in Chinese", TEXT, samples.text, always("文件不存在", TEXT)),
    Fault("null as JSON", JSON, samples.data, always("null", JSON)),
    Fault("an empty XML root", XML, samples.tei, always("<?xml version='1.0'?><response/>", XML)),
    Fault("a page of a parked domain", HTML, samples.article, always(page("x.org is for sale", "Buy this domain."))),
    Fault("the default page of Apache", HTML, samples.article, always(page("Apache2 Ubuntu Default Page: It works", "It works!"))),
    Fault("an index of a folder", HTML, samples.article, always(page("Index of /files", "<a href='a'>a</a>"))),
    Fault("a ZIP with a part twice", ZIP, samples.archive, sent(lambda g: g[:3000] + g[2000:])),
    Fault("DSpace 7 sends its empty application for a page", HTML, samples.article, always(ANGULAR)),
    Fault("Fedora has a tombstone for a text", TEXT, samples.text, always(TOMBSTONE, TEXT)),
    Fault("a viewer of PDFs for a page", HTML, samples.article, always(VIEWER)),
    Fault("a pointer of Git LFS for NetCDF", NETCDF, samples.netcdf, always(LFS, NETCDF)),
    Fault("a pointer of git-annex for a text", TEXT, samples.text, always(ANNEX, TEXT)),
    Fault("a shortcut for a text", TEXT, samples.text, always(SHORTCUT, TEXT)),
    Fault("a digest for a table", CSV, samples.rows, always(CHECKSUM, CSV)),
    Fault("an address in JSON for a table", TSV, samples.rows, always(PRESIGNED, TSV)),
    Fault("only a number for a text", TEXT, samples.text, always("404", TEXT)),
    Fault("one byte for DjVu", DJVU, samples.djvu, always(b"\n", DJVU)),
    Fault("a ZIP without a member", ZIP, samples.archive, always(b"PK\x05\x06" + bytes(18), ZIP)),
    Fault("WAV without sound", WAV, samples.wav, always(samples.wav(1, 0), WAV)),
    Fault("Adobe asks to wait", PDF, samples.pdf, always(samples.pdf(1, 1, ADOBE), PDF)),
    Fault("a dot for a GIF", GIF, samples.gif, always(DOT, GIF)),
    Fault("a grey sign for an image in SVG", SVG, samples.svg, always(SIGN_IN_SVG, SVG)),
    Fault("PDF with zeros in the tail", PDF, samples.pdf, sent(zeros_in_tail, Content_Type=PDF)),
    Fault("PDF in a form", PDF, samples.pdf, sent(in_form, Content_Type=PDF)),
    Fault("DOCX from Latin-1", DOCX, samples.docx, sent(as_latin, Content_Type=DOCX)),
    Fault("a table in base64", CSV, samples.rows, sent(encoded, Content_Type=CSV)),
    Fault("a table cut within a row", CSV, samples.rows, sent(lambda good: good[: good.index(b",", len(good) // 2)])),
    Fault("LaTeX followed by a page", TEX, samples.latex, sent(before_page, Content_Type=TEX)),
    Fault("PNG with a block of something else", PNG, samples.png, sent(damaged, Content_Type=PNG)),
    Fault("ZIP twice", ZIP, samples.archive, sent(lambda good: good * 2, Content_Type=ZIP)),
    Fault("DjVu of macOS", DJVU, samples.djvu, sent(fork, Content_Type=DJVU)),
    Fault("SPSS in text mode", SAV, samples.sav, sent(as_text, Content_Type=ANY)),
)  # fmt: skip


def document(url: str, mime_type: str, content: bytes, says: str) -> bytes:
    """Return a DIDL that names a file and states one thing of it, or nothing."""
    stated = f"<size>{len(content)}</size>" if says == "size" else ""
    if says == "SHA-256":
        digest = f"<messageDigest>{sha256(content).hexdigest()}</messageDigest>"
        stated = f"<fixity><messageDigestAlgorithm>{says}</messageDigestAlgorithm>{digest}</fixity>"
    about = f'<objectCharacteristics xmlns="http://www.loc.gov/premis/v3">{stated}</objectCharacteristics>'
    kind = (
        '<rdf:type xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        'rdf:resource="info:eu-repo/semantics/objectFile"/>'
    )
    described = "".join(
        f'<Descriptor><Statement mimeType="application/xml">{one}</Statement></Descriptor>' for one in (about, kind)
    )
    file = f'<Component>{described}<Resource mimeType="{mime_type}" ref="{url}"/></Component>'
    return f'<DIDL xmlns="urn:mpeg:mpeg21:2002:02-DIDL-NS"><Item>{file}</Item></DIDL>'.encode()


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
