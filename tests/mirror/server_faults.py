"""What servers of files do wrong, and what only looks wrong: a table. Each row is a file and what is sent instead.

`Fault.name` says what a mirror must notice. One row cannot be noticed where nothing is stated of the file: `UNSEEN`.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import NamedTuple

from tests.mirror import samples

PDF, PNG, JPEG, GIF, TIFF = "application/pdf", "image/png", "image/jpeg", "image/gif", "image/tiff"
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


SOAP = '<s:Envelope xmlns:s="urn:soap"><s:Body><s:Fault><c>Server</c></s:Fault></s:Body></s:Envelope>'
OAI = '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><error code="idDoesNotExist">x</error></OAI-PMH>'
LOGIN = '<html><body><form action="/login"><input name="u"><input type="password" name="p"></form></body></html>'

FAULTS = (
    # nothing, or nothing but zeros
    Fault("an empty PDF", PDF, samples.pdf, always(b"", PDF)),
    Fault("an empty text", TEXT, samples.text, always(b"", TEXT)),
    Fault("an empty file of any type", ANY, samples.text, always(b"", ANY)),
    Fault("an empty XML file without a length", XML, samples.xml, unmeasured(lambda _: b"")),
    Fault("a PDF of zeros", PDF, samples.pdf, sent(lambda good: bytes(len(good)))),
    Fault("a file of any type of zeros", ANY, samples.archive, sent(lambda good: bytes(len(good)))),
    Fault("a PDF with a hole", PDF, lambda n: samples.pdf(n, 30000), sent(_with_hole)),
    Fault("a PNG with a hole", PNG, samples.png, sent(lambda good: good[:2000] + bytes(1000) + good[3000:])),
    # an error message with status 200
    Fault("a text says that it was not found", TEXT, samples.text, always("The bitstream could not be found", TEXT)),
    Fault("a text of one word", TEXT, samples.text, always("Error", TEXT)),
    Fault("a text of a framework", TEXT, samples.text, always("java.io.IOException: disk\n\tat x.Y(Y.java:1)", TEXT)),
    Fault("a text says that it is not available", ANY, samples.archive, always("This item is not available.", TEXT)),
    Fault("JSON says error for a PDF", PDF, samples.pdf, always('{"error": "not found"}', JSON)),
    Fault("JSON says error for a text", TEXT, samples.text, always('{"error": {"code": 7}}', JSON)),
    Fault("JSON says error for JSON", JSON, samples.data, always('{"status": 404, "message": "Not here"}', JSON)),
    Fault("JSON says error for any type", ANY, samples.archive, always('{"errors": [{"detail": "x"}]}', JSON)),
    Fault("XML says error for a ZIP", ZIP, samples.archive, always("<Error><Code>NoSuchKey</Code></Error>", XML)),
    Fault("XML says error for XML", XML, samples.xml, always("<error><code>5</code></error>", XML)),
    Fault("XML says error for a text", TEXT, samples.text, always("<exception>x</exception>", XML)),
    Fault("a page says that it was not found, for HTML", HTML, samples.page, always(page("Page not found", ""))),
    Fault("a page says error for a text", TEXT, samples.text, always(page("Error", "Something broke"))),
    Fault("a page says error and is called a PDF", PDF, samples.pdf, always(page("Error", "It broke"), PDF)),
    Fault("a page says error and is called an image", JPEG, samples.jpeg, always(page("Oops", "It broke"), JPEG)),
    Fault("a page behind the first bytes of a PDF", PDF, samples.pdf, always("%PDF-1.4\n" + page("No", "x"), PDF)),
    Fault("a page of maintenance for HTML", HTML, samples.page, always(page("Down for maintenance", "Back at 8"))),
    Fault("a page of maintenance for a video", MP4, samples.mp4, always(page("Maintenance", "Back at 8"))),
    # doors
    Fault("a form to log in for a PDF", PDF, samples.pdf, always(LOGIN)),
    Fault("a form to log in for HTML", HTML, samples.page, always(LOGIN)),
    Fault("a wall of cookies", HTML, samples.page, always(page("Welcome", "Please enable cookies to go on."))),
    Fault("a captcha for any type", ANY, samples.archive, always(page("One moment", "Checking your browser"))),
    Fault("a page that leads elsewhere", HTML, samples.page, always('<meta http-equiv="refresh" content="0;url=/x">')),
    Fault("a redirect to the home page, for HTML", HTML, samples.page, _redirected("/")),
    Fault("a redirect to a login, for a text", TEXT, samples.text, _redirected("/login?next=1")),
    # broken off
    Fault("half a PDF", PDF, samples.pdf, sent(_half)),
    Fault("half a PDF without a length", PDF, samples.pdf, unmeasured(_half)),
    Fault("half a ZIP", ZIP, samples.archive, sent(_half)),
    Fault("half a DOCX without a length", DOCX, samples.docx, unmeasured(_half)),
    Fault("a PNG without its end", PNG, samples.png, sent(_cut)),
    Fault("half a JPEG", JPEG, samples.jpeg, sent(_half)),
    Fault("half a GIF", GIF, samples.gif, sent(_half)),
    Fault("half a TIFF", TIFF, samples.tiff, sent(_half)),
    Fault("half a gzip", GZIP, samples.gzipped, sent(_half)),
    Fault("half a video", MP4, samples.mp4, sent(_half)),
    Fault("half an XML file", XML, samples.xml, sent(_half)),
    Fault("half a JSON file without a length", JSON, samples.data, unmeasured(_half)),
    Fault("half a page", HTML, samples.page, sent(_half)),
    Fault("chunks that break off", TEXT, samples.text, chunked),
    Fault("a length that is too large", TEXT, samples.text, stating(lambda size: size + 100)),
    Fault("a length that is too small", PDF, samples.pdf, stating(lambda size: size - 900)),
    # other bytes
    Fault("a PDF without its first bytes", PDF, samples.pdf, sent(lambda good: good[100:])),
    Fault("an image for a PDF", PDF, samples.pdf, sent(lambda _: samples.png(9), Content_Type=PDF)),
    Fault("a PDF for a text", TEXT, samples.text, sent(lambda _: samples.pdf(8), Content_Type=TEXT)),
    Fault("gzip that nobody says, for a text", TEXT, samples.text, sent(gzip.compress, Content_Type=TEXT)),
    Fault("gzip around gzip", GZIP, samples.gzipped, sent(gzip.compress, Content_Type=GZIP)),
    Fault("a PDF with other line ends", PDF, samples.pdf, sent(lambda good: good.replace(b"\n", b"\r\n"))),
    Fault("a ZIP with other line ends", ZIP, samples.archive, sent(lambda good: good.replace(b"\n", b"\r\n"))),
    Fault("a PNG with other line ends", PNG, samples.png, sent(lambda good: good.replace(b"\r\n", b"\n"))),
    Fault("a JPEG read as UTF-8", JPEG, samples.jpeg, sent(lambda good: good.decode("utf-8", "replace").encode())),
    Fault("a page behind a PDF", PDF, samples.pdf, sent(lambda good: good + b"<html><p>Bye</p></html>")),
    Fault("zeros behind a ZIP", ZIP, samples.archive, sent(lambda good: good + bytes(512))),
    Fault("a mark of byte order before a PDF", PDF, samples.pdf, sent(lambda good: b"\xef\xbb\xbf" + good)),
    # the rest of a file
    Fault("the rest is the whole", PNG, samples.png, resumed(lambda h, g, s: _part(h, g + g[:s], s, shift=-s))),
    Fault("the rest of another place", PNG, samples.png, resumed(lambda h, g, s: _part(h, g, s, shift=10))),
    Fault("the rest of another file", ZIP, samples.archive, resumed(lambda h, g, s: _part(h, _other(g), s, tag=""))),
    Fault("the rest has another tag", PDF, samples.pdf, resumed(lambda h, g, s: _part(h, g, s, tag='"two"'))),
    Fault("the rest with status 200", PNG, samples.png, resumed(lambda h, g, s: h.send(200, g[s:], {}))),  # type: ignore[attr-defined]
    Fault(UNSEEN, TEXT, samples.text, sent(lambda _: samples.text(77), Content_Type=TEXT)),
)  # fmt: skip


# Written when the rules were there and had been tried with the table above.
LATER = (
    Fault("a warning of PHP before a PDF", PDF, samples.pdf, sent(lambda good: b"<br />\n<b>Warning</b>: x\n" + good)),
    Fault("a wiki says that there is no text", HTML, samples.page, always(page("Wiki", "There is no such page."))),
    Fault("a text says it in Dutch", TEXT, samples.text, always("Het bestand kon niet worden gevonden", TEXT)),
    Fault("a text says it in German", TEXT, samples.text, always("Datei nicht gefunden.", TEXT)),
    Fault("a text says it in French", TEXT, samples.text, always("Fichier introuvable", TEXT)),
    Fault("JSON of a problem for XML", XML, samples.xml, always('{"title": "Not Found", "status": 404}', JSON)),
    Fault("a SOAP fault for XML", XML, samples.xml, always(SOAP, XML)),
    Fault("an OAI-PMH error for XML", XML, samples.xml, always(OAI, XML)),
    Fault("a stack trace for CSV", "text/csv", samples.text, always("Traceback (most recent call last):\n x", TEXT)),
    Fault("a placeholder image for a PDF", PDF, samples.pdf, sent(lambda _: samples.gif(3), Content_Type=GIF)),
    Fault("a page for a TIFF", TIFF, samples.tiff, always(page("Viewer", "Here is our viewer"), HTML)),
    Fault("a text for a DOCX", DOCX, samples.docx, always("Please try again later", TEXT)),
    Fault("a PDF whose middle is missing", PDF, samples.pdf, sent(lambda good: good[:2000] + good[3500:])),
    Fault("a ZIP whose middle is missing", ZIP, samples.archive, sent(lambda good: good[:2000] + good[2500:])),
    Fault("a JPEG whose end is a page", JPEG, samples.jpeg, sent(lambda good: _half(good) + b"<html>504</html>")),
    Fault("a GIF that says nothing more", GIF, samples.gif, unmeasured(lambda good: good[:100])),
    Fault("a gzip whose last bytes are zeros", GZIP, samples.gzipped, sent(lambda good: good[:-20] + bytes(20))),
    Fault("a page of a proxy for any type", ANY, samples.pdf, always(page("502 Bad Gateway", "nginx"))),
    Fault("an XML file with a page behind it", XML, samples.xml, sent(lambda good: good + b"<html><p/></html>")),
    Fault("a video of zeros behind its head", MP4, samples.mp4, sent(lambda good: good[:20] + bytes(len(good) - 20))),
)  # fmt: skip


def _gzip_as_asked(handler: BaseHTTPRequestHandler, good: bytes) -> None:
    handler.send(200, gzip.compress(good), {"Content-Encoding": "gzip", "Content-Type": TEXT})  # type: ignore[attr-defined]


def _slowly(handler: BaseHTTPRequestHandler, good: bytes) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(good)))
    handler.end_headers()
    for at in range(0, len(good), 200):
        handler.wfile.write(good[at : at + 200])
        handler.wfile.flush()


_same = sent(lambda good: good)


def _as(content_type: str) -> Send:
    return sent(lambda good: good, Content_Type=content_type)


def _fixed(content: bytes) -> Callable[[int], bytes]:
    return lambda _: content


# What only looks wrong.
ODD = (
    Fault("a PDF called any type", PDF, samples.pdf, _as(ANY)),
    Fault("a PDF called HTML", PDF, samples.pdf, _as("text/html; charset=utf-8")),
    Fault("a PDF without a Content-Type", PDF, samples.pdf, _same),
    Fault("a PDF called an old name", "application/x-pdf", samples.pdf, _as("application/x-pdf")),
    Fault("a DOCX called ZIP", DOCX, samples.docx, _as(ZIP)),
    Fault("a PNG called JPEG by the server", PNG, samples.png, _as(JPEG)),
    Fault("XML called HTML", XML, samples.xml, _as(HTML)),
    Fault("a text called a download", TEXT, samples.text, _as("application/force-download")),
    Fault("a text without a length", TEXT, samples.text, unmeasured(lambda good: good)),
    Fault("a PDF without a length", PDF, samples.pdf, unmeasured(lambda good: good)),
    Fault("a text with a mark of byte order", TEXT, _fixed(b"\xef\xbb\xbf" + samples.text(500)), _same),
    Fault("a text in UTF-16", TEXT, _fixed(samples.text(501).decode().encode("utf-16")), _same),
    Fault("a text in Latin-1", TEXT, _fixed("H\xf4tel de la mer, \xe9t\xe9.\n".encode("latin-1") * 9), _same),
    Fault("a text of one number", TEXT, _fixed(b"42"), _same),
    Fault("a long text about errors", TEXT, _fixed(b"An error was found in the table. " * 19), _same),
    Fault("a page about errors", HTML, _fixed(page("Typing errors of monks", "word " * 900).encode()), _same),
    Fault("a page without end tags", HTML, _fixed(b"<!DOCTYPE html><title>A</title><p>One<p>Two\n"), _same),
    Fault("JSON lines", "application/x-ndjson", _fixed(b'{"a": 1}\n{"a": 2}\n'), _same),
    Fault("JSON with a field of errors that is empty", JSON, _fixed(b'{"errors": [], "items": [1, 2]}'), _same),
    Fault("XML with a declaration behind a blank line", XML, lambda n: b"\n" + samples.xml(n), _same),
    Fault("gzip on the way", TEXT, samples.text, _gzip_as_asked),
    Fault("a PDF that comes slowly", PDF, samples.pdf, _slowly),
    Fault("a PDF with an old comment behind its end", PDF, lambda n: samples.pdf(n) + b"\r\n% x\r\n", _same),
    Fault("a type that nobody knows", "application/x-nobody", samples.gzipped, _same),
    Fault("an SVG", "image/svg+xml", _fixed(b"<svg xmlns='http://www.w3.org/2000/svg'><path d='M0 0'/></svg>"), _same),
    Fault("a table", "text/csv", _fixed(b"name,value\nerror,3\n"), _same),
    Fault("a redirect to another host's file", PDF, samples.pdf, _same),
)  # fmt: skip


def document(url: str, mime_type: str, content: bytes, says: str, digest: Callable[[bytes], str] | None) -> bytes:
    """Return a DIDL that names a file and states one thing of it, or nothing."""
    stated = ""
    if digest is not None:
        stated = (
            f"<fixity><messageDigestAlgorithm>{says}</messageDigestAlgorithm>"
            f"<messageDigest>{digest(content)}</messageDigest></fixity>"
        )
    elif says == "size":
        stated = f"<size>{len(content)}</size>"
    descriptors = (
        '<Descriptor><Statement mimeType="application/xml"><objectCharacteristics xmlns="http://www.loc.gov/premis/v3">'
        f"{stated}</objectCharacteristics></Statement></Descriptor>"
    )
    descriptors += (
        '<Descriptor><Statement mimeType="application/xml"><rdf:type '
        'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        'rdf:resource="info:eu-repo/semantics/objectFile"/></Statement></Descriptor>'
    )
    resource = f'<Resource mimeType="{mime_type}" ref="{url}"/>'
    return (
        '<DIDL xmlns="urn:mpeg:mpeg21:2002:02-DIDL-NS">'
        f"<Item><Component>{descriptors}{resource}</Component></Item></DIDL>"
    ).encode()
