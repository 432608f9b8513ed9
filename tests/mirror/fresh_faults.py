# ruff: noqa: E501, RUF001 - tables have long lines, and words of many languages
"""A hundred and thirty faults of servers, written down by somebody who had not read the rules that look for them.

They are cut in two by a seed. The rules were mended with `MENDING`; `HELD_BACK` was looked at once, afterwards.
"""

from __future__ import annotations

import base64
import gzip
import json
import random
import zlib

from tests.mirror import fresh_pages as pages
from tests.mirror import fresh_samples as samples
from tests.mirror.server_faults import (
    ANY,
    DOCX,
    GIF,
    HTML,
    JPEG,
    JSON,
    MP4,
    PDF,
    PNG,
    TEXT,
    TIFF,
    XML,
    ZIP,
    Fault,
    always,
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


def without_head(good: bytes) -> bytes:
    return bytes(512) + good[512:]


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


def from_windows(good: bytes) -> bytes:
    return good.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def as_utf8(good: bytes) -> bytes:
    return good.decode("utf-8", "replace").encode()


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


def with_cgi_headers(good: bytes) -> bytes:
    return b"Content-Type: application/octet-stream\r\nContent-Disposition: attachment\r\n\r\n" + good


def in_form(good: bytes) -> bytes:
    """Return a file as a browser uploads it."""
    mark = b"------WebKitFormBoundary7MA4YWxkTrZu0gW"
    head = b'\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: application/octet-stream\r\n\r\n'
    return mark + head + good + b"\r\n" + mark + b"--\r\n"


def in_json(good: bytes) -> bytes:
    return json.dumps({"fileName": "a", "content": base64.b64encode(good).decode()}).encode()


def after_warning(good: bytes) -> bytes:
    return b"\n<br />\n<b>Notice</b>:  Undefined index: id in <b>/srv/get.php</b> on line <b>12</b><br />\n" + good


def before_page(good: bytes) -> bytes:
    return upto(0.7)(good) + b"<html><body><h1>Fatal error</h1>Allowed memory size exhausted</body></html>"


def damaged(good: bytes) -> bytes:
    """Return bytes of which one block belongs to something else."""
    start = len(good) // 3
    return good[:start] + random.Random(len(good)).randbytes(512) + good[start + 512 :]


def swapped(good: bytes) -> bytes:
    return b"".join(good[at : at + 2][::-1] for at in range(0, len(good), 2))


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
DEPOSIT = ("O texto integral desta tese", "nao se encontra disponivel", "por decisao do autor.")
SCAN = ("The file that you requested was deleted", "by the virus scanner of the mail gateway.")
DOT = (
    samples.gif(1, 1)[:10]
    + b"\x80\x00\x00\xff\xff\xff\x00\x00\x00!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
)

FRESH = (
    # pages for files that are text themselves, or pages
    Fault("DSpace wants a password for an article in HTML", HTML, samples.article, always(pages.DSPACE_LOGIN)),
    Fault("DSpace restricts a text", TEXT, samples.text, always(pages.DSPACE_RESTRICTED)),
    Fault("DSpace 7 has no bitstream of data in JSON", JSON, samples.data, always(pages.DSPACE_7, JSON)),
    Fault("DSpace 7 sends its empty application for a page", HTML, samples.article, always(pages.ANGULAR)),
    Fault("DSpace 7 sends its empty application for a table", CSV, samples.rows, always(pages.ANGULAR)),
    Fault("EPrints removed a page", HTML, samples.article, always(pages.EPRINTS)),
    Fault("EPrints asks the author for a page", HTML, samples.article, always(pages.EPRINTS_REQUEST)),
    Fault("OJS wants a subscription, in Portuguese", HTML, samples.article, always(pages.OJS)),
    Fault("Fedora has a tombstone for a text", TEXT, samples.text, always(pages.TOMBSTONE, TEXT)),
    Fault("Fedora has a tombstone for a table", TSV, samples.tabbed, always(pages.TOMBSTONE, TSV)),
    Fault("Invenio deleted data in JSON", JSON, samples.data, always(pages.INVENIO, JSON)),
    Fault("Dataverse refuses a table, in JSON", CSV, samples.rows, always(pages.DATAVERSE, CSV)),
    Fault("Dataverse refuses data in JSON", JSON, samples.data, always(pages.DATAVERSE, JSON)),
    Fault("Figshare does not know data in JSON", JSON, samples.data, always(pages.FIGSHARE, JSON)),
    Fault("S3 has no TEI", TEI, samples.tei, always(pages.S3, XML)),
    Fault("S3 has a text in Glacier", TEXT, samples.text, always(pages.GLACIER, TEXT)),
    Fault("Azure refuses JATS", JATS, samples.jats, always(pages.AZURE, XML)),
    Fault("nginx has a bad gateway for a page", HTML, samples.article, always(pages.GATEWAY)),
    Fault("IIS has no page", HTML, samples.article, always(pages.IIS)),
    Fault("Apache lists a folder for a page", HTML, samples.article, always(pages.LISTING)),
    Fault("Cloudflare waits a moment before a page", HTML, samples.article, always(pages.CLOUDFLARE)),
    Fault("Anubis makes sure before a page", HTML, samples.article, always(pages.ANUBIS)),
    Fault("F5 rejects a request for a page", HTML, samples.article, always(pages.SUPPORT_ID)),
    Fault("a captcha for a page", HTML, samples.article, always(pages.CAPTCHA)),
    Fault("Shibboleth posts itself for a page", HTML, samples.article, always(pages.SAML)),
    Fault("Shibboleth asks for the institution", HTML, samples.article, always(pages.WAYF)),
    Fault("EZproxy does not know the host", HTML, samples.article, always(pages.EZPROXY)),
    Fault("Drupal denies a page", HTML, samples.article, always(pages.DRUPAL)),
    Fault("WordPress has no database for a page", HTML, samples.article, always(pages.WORDPRESS)),
    Fault("HAL has a page under embargo, in French", HTML, samples.article, always(pages.HAL)),
    Fault("Tomcat shows a trace for a page", HTML, samples.article, always(pages.TOMCAT)),
    Fault("a trace of Java for a text", TEXT, samples.text, always(pages.TRACE, TEXT)),
    Fault("a traceback of Python for a table", CSV, samples.rows, always(pages.TRACEBACK, CSV)),
    Fault("a warning of PHP for a table", CSV, samples.rows, always(pages.PHP, CSV)),
    Fault("a software error of Perl for LaTeX", TEX, samples.latex, always(pages.PERL, TEX)),
    Fault("an error of Oracle for a text", TEXT, samples.text, always(pages.ORACLE, TEXT)),
    Fault("Spring has no mapping for a page", HTML, samples.article, always(pages.WHITELABEL)),
    Fault("Squid cannot retrieve a page", HTML, samples.article, always(pages.SQUID)),
    Fault("a page of a domain for sale", HTML, samples.article, always(pages.PARKED)),
    Fault("a portal under maintenance, in German", HTML, samples.article, always(pages.GERMAN)),
    Fault("a portal wants a password, in Spanish", HTML, samples.article, always(pages.SPANISH)),
    Fault("a portal has not published it, in Japanese", HTML, samples.article, always(pages.JAPANESE)),
    Fault("a portal wants a login, in Chinese", HTML, samples.article, always(pages.CHINESE)),
    Fault("a portal forbids it, in Russian", HTML, samples.article, always(pages.RUSSIAN)),
    Fault("a portal protects it, in Polish", HTML, samples.article, always(pages.POLISH)),
    Fault("a portal denies it, in Turkish", HTML, samples.article, always(pages.TURKISH)),
    Fault("a portal wants a login, in Indonesian", HTML, samples.article, always(pages.INDONESIAN)),
    Fault("a portal wants cookies, in French", HTML, samples.article, always(pages.COOKIES)),
    Fault("a page that leads elsewhere at once", HTML, samples.article, always(pages.REFRESH)),
    Fault("a viewer of PDFs for a page", HTML, samples.article, always(pages.VIEWER)),
    Fault("terms of use before a page", HTML, samples.article, always(pages.TERMS)),
    Fault("Google Drive warns of a ZIP", ZIP, samples.archive, always(pages.VIRUS)),
    # short texts, JSON and XML in the type of the file
    Fault("a pointer of Git LFS for a table", CSV, samples.rows, always(pages.LFS, CSV)),
    Fault("a pointer of Git LFS for NetCDF", NETCDF, samples.netcdf, always(pages.LFS, NETCDF)),
    Fault("a pointer of git-annex for a text", TEXT, samples.text, always(pages.ANNEX, TEXT)),
    Fault("a shortcut for a text", TEXT, samples.text, always(pages.SHORTCUT, TEXT)),
    Fault("a Google document for DOCX", DOCX, samples.docx, always(pages.GDOC, DOCX)),
    Fault("a digest for a table", CSV, samples.rows, always(pages.CHECKSUM, CSV)),
    Fault("SOAP denies TEI", TEI, samples.tei, always(pages.SOAP, XML)),
    Fault("problem+json for data in JSON", JSON, samples.data, always(pages.PROBLEM, JSON)),
    Fault("a token has expired, for data in JSON", JSON, samples.data, always(pages.TOKEN, JSON)),
    Fault("GraphQL for data in JSON", JSON, samples.data, always(pages.GRAPHQL, JSON)),
    Fault("Elasticsearch for data in JSON", JSON, samples.data, always(pages.ELASTIC, JSON)),
    Fault("an address in JSON for a table", TSV, samples.tabbed, always(pages.PRESIGNED, TSV)),
    Fault("a place in a queue for data in JSON", JSON, samples.data, always(pages.QUEUED, JSON)),
    Fault("a failure in XML for TEI", TEI, samples.tei, always(pages.HANDLE, XML)),
    Fault(
        "German words for a text",
        TEXT,
        samples.text,
        always("Sie sind nicht berechtigt, diese Datei abzurufen.\n", TEXT),
    ),
    Fault(
        "French words for a table",
        CSV,
        samples.rows,
        always("Accès refusé : fichier réservé à la communauté universitaire", CSV),
    ),
    Fault("Japanese words for a text", TEXT, samples.text, always("ファイルが見つかりません。", TEXT)),
    Fault("Portuguese words for a table", TSV, samples.tabbed, always("O ficheiro pretendido foi removido.", TSV)),
    Fault("Turkish words for LaTeX", TEX, samples.latex, always("Aradığınız dosya bulunamadı.", TEX)),
    Fault("only a number for a text", TEXT, samples.text, always("404", TEXT)),
    Fault("only the word false for a table", CSV, samples.rows, always("false", CSV)),
    Fault("words for RTF", RTF, samples.rtf, always("Internal error while converting the document\n", RTF)),
    # nothing
    Fault("an empty table", CSV, samples.rows, always(b"", CSV)),
    Fault("an empty answer whose end is not measured, for MP3", MP3, samples.mp3, unmeasured(lambda _: b"")),
    Fault("a mark of byte order alone for a text", TEXT, samples.text, always(b"\xef\xbb\xbf", TEXT)),
    Fault("white space for LaTeX", TEX, samples.latex, always(" \r\n\r\n\t\n", TEX)),
    Fault("one byte for DjVu", DJVU, samples.djvu, always(b"\n", DJVU)),
    Fault("a ZIP without a member", ZIP, samples.archive, always(b"PK\x05\x06" + bytes(18), ZIP)),
    Fault("an empty tar, compressed", GZIP, samples.tar_gz, always(gzip.compress(bytes(10240), mtime=0), GZIP)),
    Fault("nothing, compressed", GZIP, samples.tar_gz, always(gzip.compress(b"", mtime=0), GZIP)),
    Fault("WAV without sound", WAV, samples.wav, always(samples.wav(1, 0), WAV)),
    Fault("FITS full of zeros", FITS, samples.fits, sent(lambda good: bytes(len(good)), Content_Type=FITS)),
    # files that say that they are not the file
    Fault("Adobe asks to wait", PDF, long_pdf, pdf_saying(*ADOBE)),
    Fault("a PDF says that there is an embargo", PDF, long_pdf, pdf_saying(*EMBARGO)),
    Fault("a PDF says that there is no text, in Portuguese", PDF, long_pdf, pdf_saying(*DEPOSIT)),
    Fault("a PDF says that a scanner deleted it", PDF, long_pdf, pdf_saying(*SCAN)),
    Fault("a PDF with an empty page", PDF, long_pdf, pdf_saying("")),
    Fault("a dot for a GIF", GIF, samples.gif, always(DOT, GIF)),
    Fault("a dot for a JPEG", JPEG, samples.jpeg, always(DOT, GIF)),
    Fault("a dot for a PNG", PNG, samples.png, always(samples.png(1, 1, 1), PNG)),
    Fault("a grey sign for an image in SVG", SVG, samples.svg, always(pages.SIGN_IN_SVG, SVG)),
    # files that are cut, damaged, changed
    Fault("PDF cut at 90 %", PDF, long_pdf, sent(upto(0.9), Content_Type=PDF)),
    Fault("PDF without its head", PDF, long_pdf, sent(without_head, Content_Type=PDF)),
    Fault("PDF with zeros in the tail", PDF, long_pdf, sent(zeros_in_tail, Content_Type=PDF)),
    Fault("PDF with a block of something else", PDF, long_pdf, sent(damaged, Content_Type=PDF)),
    Fault("PDF in UTF-8", PDF, long_pdf, sent(as_utf8, Content_Type=PDF)),
    Fault("PDF in a form", PDF, long_pdf, sent(in_form, Content_Type=PDF)),
    Fault("PDF in text mode", PDF, long_pdf, sent(as_text, Content_Type=PDF)),
    Fault("DOCX without its last hundred bytes", DOCX, samples.docx, sent(less(100), Content_Type=DOCX)),
    Fault("DOCX from Latin-1", DOCX, samples.docx, sent(as_latin, Content_Type=DOCX)),
    Fault("XLSX with zeros in the middle", XLSX, samples.xlsx, sent(zeros_in_middle, Content_Type=XLSX)),
    Fault("XLSX after a notice of PHP", XLSX, samples.xlsx, sent(after_warning, Content_Type=XLSX)),
    Fault("PPTX cut at half", PPTX, samples.pptx, sent(upto(0.5), Content_Type=PPTX)),
    Fault("ODT in seven bits", ODT, samples.odt, sent(seven_bits, Content_Type=ODT)),
    Fault("EPUB in chunks", EPUB, samples.epub, sent(in_chunks, Content_Type=EPUB)),
    Fault("DOC cut at half", DOC, samples.doc, sent(upto(0.5), Content_Type=DOC)),
    Fault("TEI cut at 90 %", TEI, samples.tei, sent(upto(0.9), Content_Type=XML)),
    Fault("JATS twice", JATS, samples.jats, sent(lambda good: good * 2, Content_Type=XML)),
    Fault("SVG cut at half", SVG, samples.svg, sent(upto(0.5), Content_Type=SVG)),
    Fault("JSON cut at half", JSON, samples.data, sent(upto(0.5), Content_Type=JSON)),
    Fault("a table in base64", CSV, samples.rows, sent(encoded, Content_Type=CSV)),
    Fault("a table cut within a row", CSV, samples.rows, sent(upto(0.5), Content_Type=CSV)),
    Fault("a table compressed", TSV, samples.tabbed, sent(squeezed, Content_Type=TSV)),
    Fault("a text after headers", TEXT, samples.text, sent(with_headers, Content_Type=TEXT)),
    Fault("a text after headers of CGI", TEXT, samples.text, sent(with_cgi_headers, Content_Type=TEXT)),
    Fault("a text with zeros in the tail", TEXT, samples.text, sent(zeros_in_tail, Content_Type=TEXT)),
    Fault("a text in chunks", TEXT, samples.text, sent(in_chunks, Content_Type=TEXT)),
    Fault("RTF cut at half", RTF, samples.rtf, sent(upto(0.5), Content_Type=RTF)),
    Fault("LaTeX cut at half", TEX, samples.latex, sent(upto(0.5), Content_Type=TEX)),
    Fault("LaTeX followed by a page", TEX, samples.latex, sent(before_page, Content_Type=TEX)),
    Fault("PostScript cut at 90 %", PS, samples.postscript, sent(upto(0.9), Content_Type=PS)),
    Fault("PNG in text mode", PNG, samples.png, sent(from_windows, Content_Type=PNG)),
    Fault("PNG with a block of something else", PNG, samples.png, sent(damaged, Content_Type=PNG)),
    Fault("JPEG in text mode", JPEG, samples.jpeg, sent(as_text, Content_Type=JPEG)),
    Fault("JPEG cut at 90 %", JPEG, samples.jpeg, sent(upto(0.9), Content_Type=JPEG)),
    Fault("JPEG with zeros in the middle", JPEG, samples.jpeg, sent(zeros_in_middle, Content_Type=JPEG)),
    Fault("TIFF without its last hundred bytes", TIFF, samples.tiff, sent(less(100), Content_Type=TIFF)),
    Fault("TIFF that is a JPEG", TIFF, samples.tiff, always(samples.jpeg(7), JPEG)),
    Fault("JP2 cut at half", JP2, samples.jp2, sent(upto(0.5), Content_Type=JP2)),
    Fault("JP2 in UTF-8", JP2, samples.jp2, sent(as_utf8, Content_Type=JP2)),
    Fault("GIF cut at 90 %", GIF, samples.gif, sent(upto(0.9), Content_Type=GIF)),
    Fault("WebP cut at half", WEBP, samples.webp, sent(upto(0.5), Content_Type=WEBP)),
    Fault("MP3 cut at half", MP3, samples.mp3, sent(upto(0.5), Content_Type=MP3)),
    Fault("MP3 without its head", MP3, samples.mp3, sent(late, Content_Type=MP3)),
    Fault("WAV cut at 90 %", WAV, samples.wav, sent(upto(0.9), Content_Type=WAV)),
    Fault("WAV with bytes in pairs the other way", WAV, samples.wav, sent(swapped, Content_Type=WAV)),
    Fault("MP4 cut at half", MP4, samples.mp4, sent(upto(0.5), Content_Type=MP4)),
    Fault(
        "MP4 with its index last, cut",
        MP4,
        lambda number: samples.mp4(number, moov_last=True),
        sent(upto(0.8), Content_Type=MP4),
    ),
    Fault("ZIP twice", ZIP, samples.archive, sent(lambda good: good * 2, Content_Type=ZIP)),
    Fault("ZIP in JSON", ZIP, samples.archive, sent(in_json, Content_Type=ZIP)),
    Fault("ZIP from its second kilobyte on", ZIP, samples.archive, sent(late, Content_Type=ZIP)),
    Fault("tar.gz cut at 90 %", GZIP, samples.tar_gz, sent(upto(0.9), Content_Type=GZIP)),
    Fault(
        "tar.gz followed by a page",
        GZIP,
        samples.tar_gz,
        sent(lambda good: good + pages.GATEWAY.encode(), Content_Type=GZIP),
    ),
    Fault("tar cut at half", TAR, samples.tarred, sent(upto(0.5), Content_Type=TAR)),
    Fault("7z cut at half", SEVEN, samples.seven_zip, sent(upto(0.5), Content_Type=SEVEN)),
    Fault("7z with zeros in the tail", SEVEN, samples.seven_zip, sent(zeros_in_tail, Content_Type=SEVEN)),
    Fault("RAR cut at half", RAR, samples.rar, sent(upto(0.5), Content_Type=RAR)),
    Fault("RAR after headers of CGI", RAR, samples.rar, sent(with_cgi_headers, Content_Type=RAR)),
    Fault("NetCDF cut at half", NETCDF, samples.netcdf, sent(upto(0.5), Content_Type=NETCDF)),
    Fault("HDF5 without its last hundred bytes", HDF5, samples.hdf5, sent(less(100), Content_Type=HDF5)),
    Fault("HDF5 compressed", HDF5, samples.hdf5, sent(squeezed, Content_Type=HDF5)),
    Fault("DjVu cut at half", DJVU, samples.djvu, sent(upto(0.5), Content_Type=DJVU)),
    Fault("DjVu of macOS", DJVU, samples.djvu, sent(fork, Content_Type=DJVU)),
    Fault("FITS cut at half", FITS, samples.fits, sent(upto(0.5), Content_Type=FITS)),
    Fault("SPSS cut at half", SAV, samples.sav, sent(upto(0.5), Content_Type=ANY)),
    Fault("SPSS in text mode", SAV, samples.sav, sent(as_text, Content_Type=ANY)),
    Fault("Stata cut at 90 %", DTA, samples.dta, sent(upto(0.9), Content_Type=ANY)),
    Fault("Stata deflated", DTA, samples.dta, sent(zlib.compress, Content_Type=ANY)),
)


def halves(rows: tuple[Fault, ...], seed: int = 20261123) -> tuple[tuple[Fault, ...], tuple[Fault, ...]]:
    """Cut a table in two by a seed."""
    drawn = set(random.Random(seed).sample(range(len(rows)), len(rows) // 2))
    return tuple(rows[at] for at in sorted(drawn)), tuple(row for at, row in enumerate(rows) if at not in drawn)


MENDING, HELD_BACK = halves(FRESH)
