# ruff: noqa: E501, RUF001 - tables have long lines, and words of many languages
"""Faults of servers that were written down by somebody who had not read the rules, one for each thing to be seen."""

from __future__ import annotations

import base64
import gzip
import json
import random

from tests.mirror import fresh_pages as pages
from tests.mirror import fresh_samples as samples
from tests.mirror.server_faults import (
    ANY,
    DOCX,
    GIF,
    HTML,
    JSON,
    PDF,
    PNG,
    TEXT,
    XML,
    ZIP,
    Fault,
    always,
    page,
    sent,
    unmeasured,
)

OFFICE = "application/vnd.openxmlformats-officedocument."
XLSX, PPTX = f"{OFFICE}spreadsheetml.sheet", f"{OFFICE}presentationml.presentation"
ODT, EPUB, DOC = "application/vnd.oasis.opendocument.text", "application/epub+zip", "application/msword"
CSV, TSV, RTF, TEX = "text/csv", "text/tab-separated-values", "application/rtf", "application/x-tex"
TEI, JATS, SVG, WEBP, JP2 = "application/tei+xml", "application/jats+xml", "image/svg+xml", "image/webp", "image/jp2"
MP3, WAV, GZIP, TAR = "audio/mpeg", "audio/wav", "application/gzip", "application/x-tar"
SEVEN, RAR, NETCDF, HDF5 = (
    "application/x-7z-compressed",
    "application/vnd.rar",
    "application/x-netcdf",
    "application/x-hdf5",
)
PS, DJVU, FITS = "application/postscript", "image/vnd.djvu", "application/fits"
SAV, DTA = "application/x-spss-sav", "application/x-stata-dta"


def upto(share: float):
    return lambda good: good[: int(len(good) * share)]


def less(count: int):
    return lambda good: good[:-count]


def zeros_in_middle(good: bytes) -> bytes:
    start = len(good) // 2 // 512 * 512
    return good[:start] + bytes(2048) + good[start + 2048 :]


def zeros_in_tail(good: bytes) -> bytes:
    kept = int(len(good) * 0.6)
    return good[:kept] + bytes(len(good) - kept)


def late(good: bytes) -> bytes:
    """Return what a server sends that answers 200 to a request for a part."""
    return good[1024:]


def as_text(good: bytes) -> bytes:
    """Return bytes as FTP transfers them in text mode from Unix to Windows."""
    return good.replace(b"\n", b"\r\n")


def as_latin(good: bytes) -> bytes:
    """Return every byte as the character of its number, in UTF-8."""
    return good.decode("latin-1").encode()


def seven_bits(good: bytes) -> bytes:
    return bytes(byte & 0x7F for byte in good)


def in_chunks(good: bytes) -> bytes:
    """Return a body with the marks of its chunks."""
    parts = [good[at : at + 2048] for at in range(0, len(good), 2048)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def with_headers(good: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nServer: Apache\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(good) + good


def in_form(good: bytes) -> bytes:
    """Return a file as a browser uploads it."""
    mark = b"------WebKitFormBoundary7MA4YWxkTrZu0gW"
    head = b'\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: application/octet-stream\r\n\r\n'
    return mark + head + good + b"\r\n" + mark + b"--\r\n"


def in_json(good: bytes) -> bytes:
    return json.dumps({"fileName": "a", "content": base64.b64encode(good).decode()}).encode()


def before_page(good: bytes) -> bytes:
    return upto(0.7)(good) + b"<html><body><h1>Fatal error</h1>Allowed memory size exhausted</body></html>"


def damaged(good: bytes) -> bytes:
    """Return bytes of which one block belongs to something else."""
    start = len(good) // 3
    return good[:start] + random.Random(len(good)).randbytes(512) + good[start + 512 :]


def squeezed(good: bytes) -> bytes:
    return gzip.compress(good, mtime=0)


def encoded(good: bytes) -> bytes:
    return base64.encodebytes(good)


def fork(good: bytes) -> bytes:
    """Return the file that macOS keeps beside another."""
    head = b"\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        \x00\x02\x00\x00\x00\x09\x00\x00\x00\x32\x00\x00\x0e\xb0"
    return head + b"\x00\x00\x00\x02\x00\x00\x0e\xe2\x00\x00\x01\x1e" + bytes(3800 + len(good) % 7)


def pdf_saying(*lines: str, pages: int = 1):
    return always(samples.pdf(1, pages, lines), PDF)


def long_pdf(number: int) -> bytes:
    return samples.pdf(number, 40)


ADOBE = (
    "Please wait...",
    "If this message is not eventually replaced with the proper contents of the document, your PDF",
    "viewer may not be able to display this type of document.",
    "You can upgrade to the latest version of Adobe Reader for Windows, Mac, or Linux.",
)
EMBARGO = ("This document is under embargo", "until 31 December 2030.", "Please contact the repository.")
SCAN = ("The file that you requested was deleted", "by the virus scanner of the mail gateway.")
DOT = (
    samples.gif(1, 1)[:10]
    + b"\x80\x00\x00\xff\xff\xff\x00\x00\x00!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
)

FRESH = (
    Fault("a text says it in Spanish", TEXT, samples.text, always("El archivo solicitado no existe en el servidor.", TEXT)),
    Fault("a text says it in Portuguese", TEXT, samples.text, always("Arquivo não encontrado", TEXT)),
    Fault("a text says it in Italian", TEXT, samples.text, always("File non trovato", TEXT)),
    Fault("a text says it in Polish", TEXT, samples.text, always("Nie znaleziono pliku", TEXT)),
    Fault("a text says it in Russian", TEXT, samples.text, always("Файл не найден", TEXT)),
    Fault("a text says it in Chinese", TEXT, samples.text, always("文件不存在", TEXT)),
    Fault("a text says it in Swedish", TEXT, samples.text, always("Filen kunde inte hittas", TEXT)),
    Fault("a text says it in Indonesian", TEXT, samples.text, always("Berkas tidak ditemukan", TEXT)),
    Fault("an embargo notice for text", TEXT, samples.text, always("This file is under embargo until 2031-01-01.", TEXT)),
    Fault("null as JSON", JSON, samples.data, always("null", JSON)),
    Fault("JSON that is ok:false", JSON, samples.data, always('{"ok": false, "reason": "gone"}', JSON)),
    Fault("an empty XML root", XML, samples.tei, always("<?xml version='1.0'?><response/>", XML)),
    Fault("an ows exception", XML, samples.tei, always('<ows:ExceptionReport xmlns:ows="urn:o"><ows:Exception exceptionCode="x"/></ows:ExceptionReport>', XML)),
    Fault("a page 'Restricted access'", HTML, samples.article, always(page("Restricted Access", "You do not have the rights to view this bitstream."))),
    Fault(
        "a page of Cloudflare",
        HTML,
        samples.article,
        always(
            '<html><head><title>Just a moment...</title></head><body><div id="cf-wrapper"></div><script src="/cdn-cgi/challenge-platform/x.js"></script></body></html>'
        ),
    ),
    Fault("a page of Anubis", HTML, samples.article, always(page("Making sure you're not a bot!", "Loading..."))),
    Fault("a page of a parked domain", HTML, samples.article, always(page("x.org is for sale", "Buy this domain."))),
    Fault("the default page of Apache", HTML, samples.article, always(page("Apache2 Ubuntu Default Page: It works", "It works!"))),
    Fault("welcome to nginx", HTML, samples.article, always(page("Welcome to nginx!", "If you see this page, the nginx web server is successfully installed."))),
    Fault("an index of a folder", HTML, samples.article, always(page("Index of /files", "<a href='a'>a</a>"))),
    Fault("a ZIP with a part twice", ZIP, samples.archive, sent(lambda g: g[:3000] + g[2000:])),
    Fault("a PDF encrypted message page as text", PDF, samples.pdf, always("File is being retrieved from tape. Try again in 10 minutes.", TEXT)),
    Fault("a virus scanner's text", TEXT, samples.text, always("Blocked by content filter: policy 7", TEXT)),
    # pages for files that are text themselves, or pages
    Fault("DSpace wants a password for an article in HTML", HTML, samples.article, always(pages.DSPACE_LOGIN)),
    Fault("DSpace 7 sends its empty application for a page", HTML, samples.article, always(pages.ANGULAR)),
    Fault("EPrints asks the author for a page", HTML, samples.article, always(pages.EPRINTS_REQUEST)),
    Fault("OJS wants a subscription, in Portuguese", HTML, samples.article, always(pages.OJS)),
    Fault("Fedora has a tombstone for a text", TEXT, samples.text, always(pages.TOMBSTONE, TEXT)),
    Fault("Invenio deleted data in JSON", JSON, samples.data, always(pages.INVENIO, JSON)),
    Fault("Dataverse refuses a table, in JSON", CSV, samples.rows, always(pages.DATAVERSE, CSV)),
    Fault("S3 has no TEI", TEI, samples.tei, always(pages.S3, XML)),
    Fault("S3 has a text in Glacier", TEXT, samples.text, always(pages.GLACIER, TEXT)),
    Fault("Azure refuses JATS", JATS, samples.jats, always(pages.AZURE, XML)),
    Fault("a captcha for a page", HTML, samples.article, always(pages.CAPTCHA)),
    Fault("Shibboleth posts itself for a page", HTML, samples.article, always(pages.SAML)),
    Fault("Shibboleth asks for the institution", HTML, samples.article, always(pages.WAYF)),
    Fault("EZproxy does not know the host", HTML, samples.article, always(pages.EZPROXY)),
    Fault("HAL has a page under embargo, in French", HTML, samples.article, always(pages.HAL)),
    Fault("a software error of Perl for LaTeX", TEX, samples.latex, always(pages.PERL, TEX)),
    Fault("an error of Oracle for a text", TEXT, samples.text, always(pages.ORACLE, TEXT)),
    Fault("a portal under maintenance, in German", HTML, samples.article, always(pages.GERMAN)),
    Fault("a portal wants a password, in Spanish", HTML, samples.article, always(pages.SPANISH)),
    Fault("a portal has not published it, in Japanese", HTML, samples.article, always(pages.JAPANESE)),
    Fault("a portal wants a login, in Chinese", HTML, samples.article, always(pages.CHINESE)),
    Fault("a portal forbids it, in Russian", HTML, samples.article, always(pages.RUSSIAN)),
    Fault("a portal protects it, in Polish", HTML, samples.article, always(pages.POLISH)),
    Fault("a portal denies it, in Turkish", HTML, samples.article, always(pages.TURKISH)),
    Fault("a portal wants a login, in Indonesian", HTML, samples.article, always(pages.INDONESIAN)),
    Fault("a portal wants cookies, in French", HTML, samples.article, always(pages.COOKIES)),
    Fault("a viewer of PDFs for a page", HTML, samples.article, always(pages.VIEWER)),
    Fault("terms of use before a page", HTML, samples.article, always(pages.TERMS)),
    # short texts, JSON and XML in the type of the file
    Fault("a pointer of Git LFS for NetCDF", NETCDF, samples.netcdf, always(pages.LFS, NETCDF)),
    Fault("a pointer of git-annex for a text", TEXT, samples.text, always(pages.ANNEX, TEXT)),
    Fault("a shortcut for a text", TEXT, samples.text, always(pages.SHORTCUT, TEXT)),
    Fault("a Google document for DOCX", DOCX, samples.docx, always(pages.GDOC, DOCX)),
    Fault("a digest for a table", CSV, samples.rows, always(pages.CHECKSUM, CSV)),
    Fault("a token has expired, for data in JSON", JSON, samples.data, always(pages.TOKEN, JSON)),
    Fault("GraphQL for data in JSON", JSON, samples.data, always(pages.GRAPHQL, JSON)),
    Fault("an address in JSON for a table", TSV, samples.tabbed, always(pages.PRESIGNED, TSV)),
    Fault("a place in a queue for data in JSON", JSON, samples.data, always(pages.QUEUED, JSON)),
    Fault("a failure in XML for TEI", TEI, samples.tei, always(pages.HANDLE, XML)),
    Fault("German words for a text", TEXT, samples.text, always("Sie sind nicht berechtigt, diese Datei abzurufen.\n", TEXT)),
    Fault("French words for a table", CSV, samples.rows, always("Accès refusé : fichier réservé à la communauté universitaire", CSV)),
    Fault("Japanese words for a text", TEXT, samples.text, always("ファイルが見つかりません。", TEXT)),
    Fault("Portuguese words for a table", TSV, samples.tabbed, always("O ficheiro pretendido foi removido.", TSV)),
    Fault("Turkish words for LaTeX", TEX, samples.latex, always("Aradığınız dosya bulunamadı.", TEX)),
    Fault("only a number for a text", TEXT, samples.text, always("404", TEXT)),
    Fault("words for RTF", RTF, samples.rtf, always("Internal error while converting the document\n", RTF)),
    # nothing
    Fault("an empty answer whose end is not measured, for MP3", MP3, samples.mp3, unmeasured(lambda _: b"")),
    Fault("one byte for DjVu", DJVU, samples.djvu, always(b"\n", DJVU)),
    Fault("a ZIP without a member", ZIP, samples.archive, always(b"PK\x05\x06" + bytes(18), ZIP)),
    Fault("an empty tar, compressed", GZIP, samples.tar_gz, always(gzip.compress(bytes(10240), mtime=0), GZIP)),
    Fault("WAV without sound", WAV, samples.wav, always(samples.wav(1, 0), WAV)),
    # files that say that they are not the file
    Fault("Adobe asks to wait", PDF, long_pdf, pdf_saying(*ADOBE)),
    Fault("a PDF says that there is an embargo", PDF, long_pdf, pdf_saying(*EMBARGO)),
    Fault("a PDF says that a scanner deleted it", PDF, long_pdf, pdf_saying(*SCAN)),
    Fault("a dot for a GIF", GIF, samples.gif, always(DOT, GIF)),
    Fault("a grey sign for an image in SVG", SVG, samples.svg, always(pages.SIGN_IN_SVG, SVG)),
    # files that are cut, damaged, changed
    Fault("PDF with zeros in the tail", PDF, long_pdf, sent(zeros_in_tail, Content_Type=PDF)),
    Fault("PDF with a block of something else", PDF, long_pdf, sent(damaged, Content_Type=PDF)),
    Fault("PDF in a form", PDF, long_pdf, sent(in_form, Content_Type=PDF)),
    Fault("DOCX from Latin-1", DOCX, samples.docx, sent(as_latin, Content_Type=DOCX)),
    Fault("XLSX with zeros in the middle", XLSX, samples.xlsx, sent(zeros_in_middle, Content_Type=XLSX)),
    Fault("PPTX cut at half", PPTX, samples.pptx, sent(upto(0.5), Content_Type=PPTX)),
    Fault("ODT in seven bits", ODT, samples.odt, sent(seven_bits, Content_Type=ODT)),
    Fault("EPUB in chunks", EPUB, samples.epub, sent(in_chunks, Content_Type=EPUB)),
    Fault("DOC cut at half", DOC, samples.doc, sent(upto(0.5), Content_Type=DOC)),
    Fault("JSON cut at half", JSON, samples.data, sent(upto(0.5), Content_Type=JSON)),
    Fault("a table in base64", CSV, samples.rows, sent(encoded, Content_Type=CSV)),
    Fault("a table cut within a row", CSV, samples.rows, sent(lambda good: good[: good.index(b",", len(good) // 2)])),
    Fault("a text after headers", TEXT, samples.text, sent(with_headers, Content_Type=TEXT)),
    Fault("a text with zeros in the tail", TEXT, samples.text, sent(zeros_in_tail, Content_Type=TEXT)),
    Fault("RTF cut at half", RTF, samples.rtf, sent(upto(0.5), Content_Type=RTF)),
    Fault("LaTeX followed by a page", TEX, samples.latex, sent(before_page, Content_Type=TEX)),
    Fault("PostScript cut at 90 %", PS, samples.postscript, sent(upto(0.9), Content_Type=PS)),
    Fault("PNG with a block of something else", PNG, samples.png, sent(damaged, Content_Type=PNG)),
    Fault("JP2 cut at half", JP2, samples.jp2, sent(upto(0.5), Content_Type=JP2)),
    Fault("WebP cut at half", WEBP, samples.webp, sent(upto(0.5), Content_Type=WEBP)),
    Fault("ZIP twice", ZIP, samples.archive, sent(lambda good: good * 2, Content_Type=ZIP)),
    Fault("tar cut at half", TAR, samples.tarred, sent(upto(0.5), Content_Type=TAR)),
    Fault("7z cut at half", SEVEN, samples.seven_zip, sent(upto(0.5), Content_Type=SEVEN)),
    Fault("7z with zeros in the tail", SEVEN, samples.seven_zip, sent(zeros_in_tail, Content_Type=SEVEN)),
    Fault("RAR cut at half", RAR, samples.rar, sent(upto(0.5), Content_Type=RAR)),
    Fault("NetCDF cut at half", NETCDF, samples.netcdf, sent(upto(0.5), Content_Type=NETCDF)),
    Fault("HDF5 without its last hundred bytes", HDF5, samples.hdf5, sent(less(100), Content_Type=HDF5)),
    Fault("DjVu of macOS", DJVU, samples.djvu, sent(fork, Content_Type=DJVU)),
    Fault("FITS cut at half", FITS, samples.fits, sent(upto(0.5), Content_Type=FITS)),
    Fault("SPSS cut at half", SAV, samples.sav, sent(upto(0.5), Content_Type=ANY)),
    Fault("SPSS in text mode", SAV, samples.sav, sent(as_text, Content_Type=ANY)),
    Fault("Stata cut at 90 %", DTA, samples.dta, sent(upto(0.9), Content_Type=ANY)),
)  # fmt: skip
