# ruff: noqa: E501 - a table has long lines
"""Faults of file servers that somebody else thought of, when the rules had been tried with the tables before.

At the first try 24 of 45 were held where nothing is stated, none with a size or a digest.
"""

from __future__ import annotations

import base64
import gzip
import zlib

from tests.mirror import samples
from tests.mirror.server_faults import ANY, DOCX, HTML, JPEG, JSON, PDF, PNG, TEXT, XML, ZIP, Fault, always, sent
from tests.mirror.server_faults import page as _html

BLIND = "a JPEG whose middle is missing"

LATEST = (
    Fault(
        "a text says it in Spanish", TEXT, samples.text, always("El archivo solicitado no existe en el servidor.", TEXT)
    ),
    Fault("a text says it in Portuguese", TEXT, samples.text, always("Arquivo não encontrado", TEXT)),
    Fault("a text says it in Italian", TEXT, samples.text, always("File non trovato", TEXT)),
    Fault("a text says it in Polish", TEXT, samples.text, always("Nie znaleziono pliku", TEXT)),
    Fault("a text says it in Russian", TEXT, samples.text, always("Файл не найден", TEXT)),
    Fault("a text says it in Chinese", TEXT, samples.text, always("文件不存在", TEXT)),
    Fault("a text says it in Swedish", TEXT, samples.text, always("Filen kunde inte hittas", TEXT)),
    Fault("a text says it in Indonesian", TEXT, samples.text, always("Berkas tidak ditemukan", TEXT)),
    Fault(
        "an embargo notice for text", TEXT, samples.text, always("This file is under embargo until 2031-01-01.", TEXT)
    ),
    Fault("null as JSON", JSON, samples.data, always("null", JSON)),
    Fault("an empty object as JSON", JSON, samples.data, always("{}", JSON)),
    Fault("JSON that is ok:false", JSON, samples.data, always('{"ok": false, "reason": "gone"}', JSON)),
    Fault("JSON result error nested", JSON, samples.data, always('{"data": null, "errors": [{"message": "x"}]}', JSON)),
    Fault("an empty XML root", XML, samples.xml, always("<?xml version='1.0'?><response/>", XML)),
    Fault(
        "an ows exception",
        XML,
        samples.xml,
        always('<ows:ExceptionReport xmlns:ows="urn:o"><ows:Exception exceptionCode="x"/></ows:ExceptionReport>', XML),
    ),
    Fault(
        "a page 'Restricted access'",
        HTML,
        samples.page,
        always(_html("Restricted Access", "You do not have the rights to view this bitstream.")),
    ),
    Fault(
        "a page of Cloudflare",
        HTML,
        samples.page,
        always(
            '<html><head><title>Just a moment...</title></head><body><div id="cf-wrapper"></div><script src="/cdn-cgi/challenge-platform/x.js"></script></body></html>'
        ),
    ),
    Fault("a page of Anubis", HTML, samples.page, always(_html("Making sure you're not a bot!", "Loading..."))),
    Fault("a page of a parked domain", HTML, samples.page, always(_html("x.org is for sale", "Buy this domain."))),
    Fault(
        "the default page of Apache",
        HTML,
        samples.page,
        always(_html("Apache2 Ubuntu Default Page: It works", "It works!")),
    ),
    Fault(
        "welcome to nginx",
        HTML,
        samples.page,
        always(_html("Welcome to nginx!", "If you see this page, the nginx web server is successfully installed.")),
    ),
    Fault("an index of a folder", HTML, samples.page, always(_html("Index of /files", "<a href='a'>a</a>"))),
    Fault("a page for a ZIP called any type", ZIP, samples.archive, always(_html("Item 3", "View the item"), ANY)),
    Fault("a page for CSV", "text/csv", samples.text, always(_html("Dataset 3", "View the dataset"))),
    Fault("a page for an EPUB", "application/epub+zip", samples.docx, always(_html("Book", "Read it"), HTML)),
    Fault(
        "a page that a program in the browser fills",
        HTML,
        samples.page,
        always(
            '<!doctype html><html><head><title>DSpace</title></head><body><ds-app></ds-app><script src="main.js"></script></body></html>'
        ),
    ),
    Fault("a PDF that lost its first byte", PDF, samples.pdf, sent(lambda g: g[1:])),
    Fault("a PDF with a part twice", PDF, samples.pdf, sent(lambda g: g[:3000] + g[2000:])),
    Fault("a ZIP with a part twice", ZIP, samples.archive, sent(lambda g: g[:3000] + g[2000:])),
    Fault("a PDF in base64", PDF, samples.pdf, sent(base64.encodebytes)),
    Fault(
        "a PDF in a MIME part",
        PDF,
        samples.pdf,
        sent(lambda g: b"--x\r\nContent-Type: application/pdf\r\n\r\n" + g + b"\r\n--x--\r\n"),
    ),
    Fault(
        "a PDF with chunk sizes in it",
        PDF,
        samples.pdf,
        sent(lambda g: b"1000\r\n" + g[:4096] + b"\r\n%x\r\n" % (len(g) - 4096) + g[4096:] + b"\r\n0\r\n\r\n"),
    ),
    Fault(
        "a text with HTTP headers in it",
        TEXT,
        samples.text,
        sent(lambda g: b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + g, Content_Type=TEXT),
    ),
    Fault("a deflated PDF", PDF, samples.pdf, sent(zlib.compress)),
    Fault("a gzipped PDF", PDF, samples.pdf, sent(gzip.compress)),
    Fault(BLIND, JPEG, samples.jpeg, sent(lambda g: g[:2000] + g[4000:])),
    Fault("a PNG read as Latin-1", PNG, samples.png, sent(lambda g: g.decode("latin-1").encode())),
    Fault("a DOCX read as Latin-1", DOCX, samples.docx, sent(lambda g: g.decode("latin-1").encode())),
    Fault(
        "a 1x1 GIF for a JPEG",
        JPEG,
        samples.jpeg,
        sent(lambda _: b"GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x01\0\0;"),
    ),
    Fault(
        "a PDF encrypted message page as text",
        PDF,
        samples.pdf,
        always("File is being retrieved from tape. Try again in 10 minutes.", TEXT),
    ),
    Fault("a virus scanner's text", TEXT, samples.text, always("Blocked by content filter: policy 7", TEXT)),
    Fault(
        "a git LFS pointer",
        ANY,
        samples.archive,
        always("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", TEXT),
    ),
    Fault(
        "a git LFS pointer for CSV",
        "text/csv",
        samples.text,
        always("version https://git-lfs.github.com/spec/v1\noid sha256:" + "4d" * 32 + "\nsize 12345\n", TEXT),
    ),
    Fault(
        "an XML of S3 denied for any type",
        ANY,
        samples.archive,
        always('<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>', XML),
    ),
    Fault(
        "a torrent/metalink instead of ZIP",
        ZIP,
        samples.archive,
        always('<metalink xmlns="urn:x"><file name="a"/></metalink>', "application/metalink4+xml"),
    ),
)
