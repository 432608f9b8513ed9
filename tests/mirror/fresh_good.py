# ruff: noqa: E501, RUF001 - tables have long lines, and words of many languages
"""Good files that are small, odd, or look like an error."""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import json
import lzma
import sqlite3
import struct
import tarfile
import zipfile
import zlib

from tests.mirror import fresh_samples as samples
from tests.mirror.fresh_faults import (
    CSV,
    DJVU,
    DOC,
    DTA,
    FITS,
    GZIP,
    HDF5,
    JATS,
    JP2,
    MP3,
    NETCDF,
    ODT,
    PS,
    RAR,
    RTF,
    SAV,
    SEVEN,
    SVG,
    TAR,
    TEI,
    TEX,
    TSV,
    WAV,
    WEBP,
    XLSX,
)
from tests.mirror.server_faults import ANY, GIF, HTML, JPEG, MP4, PDF, PNG, TEXT, TIFF, XML, ZIP, Fault, sent

XLS, EPS, EPUB = "application/vnd.ms-excel", "application/eps", "application/epub+zip"


def good(name: str, mime_type: str, make, content_type: str = "") -> Fault:
    return Fault(name, mime_type, make, sent(lambda content: content, Content_Type=content_type or mime_type))


def text_of(words: str, encoding: str = "utf-8"):
    """Return the words as a file, with its number at the end."""
    return lambda number: f"{words}{number}\n".encode(encoding)


def updated_pdf(number: int) -> bytes:
    """Make a PDF that was added to when it was signed."""
    whole = samples.pdf(number)
    start = int(whole.rsplit(b"startxref\n", 1)[1].split()[0])
    place = len(whole)
    added = b"3 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/Courier>>\nendobj\n"
    table = b"xref\n3 1\n%010d 00000 n \ntrailer\n<</Size 16/Root 1 0 R/Prev %d>>\nstartxref\n%d\n%%%%EOF\n"
    return whole + added + table % (place, start, place + len(added))


def stream_pdf(number: int) -> bytes:
    """Make a PDF of version 1.5, whose cross-reference table is a stream."""
    made, places = b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n", []
    text = zlib.compress(b"BT (" + str(number).encode() + b") Tj ET")
    bodies = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R>>",
        b"<</Filter/FlateDecode/Length %d>>stream\n%s\nendstream" % (len(text), text),
    )
    for index, body in enumerate(bodies, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (index, body)
    places.append(len(made))
    table = zlib.compress(b"\x00\x00\x00\x00" + b"".join(b"\x01" + struct.pack(">HB", place, 0) for place in places))
    head = b"<</Type/XRef/Size 6/W[1 2 1]/Root 1 0 R/Filter/FlateDecode/Length %d>>" % len(table)
    return made + b"5 0 obj\n%s\nstream\n%s\nendstream\nendobj\nstartxref\n%d\n%%%%EOF" % (head, table, places[-1])


def zip_of(compression: int, members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as made:
        for name, content in members.items():
            made.writestr(zipfile.ZipInfo(name), content, compression)
    return file.getvalue()


def database(number: int) -> bytes:
    with sqlite3.connect(":memory:") as made:
        made.execute("CREATE TABLE interviews (number)")
        made.execute("INSERT INTO interviews VALUES (?)", (number,))
    return made.serialize()


def volume(number: int) -> bytes:
    """Make a raw scan of a body, with much air."""
    return samples.noise(number, 3000) + bytes(40000) + samples.noise(number + 1, 3000) + bytes(20000)


def eps(number: int) -> bytes:
    """Make an EPS as DOS has it, with a preview."""
    text, preview = samples.postscript(number), samples.tiff(number, size=600)
    head = b"\xc5\xd0\xd3\xc6" + struct.pack("<IIIIII", 30, len(text), 0, 0, 30 + len(text), len(preview)) + b"\xff\xff"
    return head + text + preview


def spreadsheet(number: int) -> bytes:
    cells = "".join(f"<Row><Cell><Data>{row * number}</Data></Cell></Row>" for row in range(40))
    name = 'xmlns="urn:schemas-microsoft-com:office:spreadsheet"'
    return f'<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook {name}><Table>{cells}</Table></Workbook>'.encode()


def exported(number: int) -> bytes:
    cells = "".join(f"<tr><td>{row}</td><td>{row * number}</td></tr>" for row in range(60))
    names = 'xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel"'
    return f"<html {names}><head><meta charset='utf-8'></head><body><table>{cells}</table></body></html>".encode()


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


def sql(number: int) -> bytes:
    return (
        f"CREATE TABLE error (id integer, message text);\nINSERT INTO error VALUES ({number}, 'not found');\n".encode()
    )


def log(number: int) -> bytes:
    lines = (
        f'10.0.{row}.{number % 250} - - [01/Mar/2019:10:{row:02d}:00 +0100] "GET /files/{row}.pdf HTTP/1.1" '
        f"{(200, 404, 500)[row % 3]} {row * 97} error: file not found\n"
        for row in range(60)
    )
    return "".join(lines).encode()


def parquet(number: int) -> bytes:
    return b"PAR1" + samples.noise(number, 3000) + samples.noise(number + 1, 200) + struct.pack("<I", 200) + b"PAR1"


def bitmap(number: int) -> bytes:
    body = b"\x00" * (100 * 100 * 3 - 3) + number.to_bytes(3, "little")
    head = struct.pack("<IIIIiiHHIIiiII", len(body) + 54, 0, 54, 40, 100, 100, 1, 24, 0, len(body), 2835, 2835, 0, 0)
    return b"BM" + head + body


def key(number: int) -> bytes:
    body = base64.encodebytes(samples.noise(number, 900)).decode()
    return f"-----BEGIN PGP SIGNATURE-----\n\n{body}=aB3x\n-----END PGP SIGNATURE-----\n".encode()


def webm(number: int) -> bytes:
    head = b"\x42\x86\x81\x01\x42\xf7\x81\x01\x42\xf2\x81\x04\x42\xf3\x81\x08\x42\x82\x84webm\x42\x87\x81\x04\x42\x85\x81\x02"
    return (
        b"\x1a\x45\xdf\xa3"
        + bytes([0x80 | len(head)])
        + head
        + b"\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff"
        + samples.noise(number, 4000)
    )


def solr(number: int) -> bytes:
    docs = "".join(
        f'<doc><str name="id">{row}</str><str name="note">{samples.prose(row, 1).strip()}</str></doc>'
        for row in range(20)
    )
    status = '<lst name="responseHeader"><int name="status">0</int></lst>'
    return f'<?xml version="1.0"?><response>{status}<result name="response" numFound="{number}" start="0">{docs}</result></response>'.encode()


def about_errors(number: int) -> bytes:
    body = "".join(f"<sec><title>Errors</title><p>{samples.prose(number + part, 3)}</p></sec>" for part in range(4))
    return (
        '<article xmlns:xlink="http://www.w3.org/1999/xlink"><front><article-meta><title-group><article-title>Error 404: '
        f"page not found</article-title></title-group></article-meta></front><body>{body}</body></article>"
    ).encode()


def sensors(number: int) -> bytes:
    lines = (json.dumps({"t": row, "error": None, "value": row * number}) for row in range(50))
    return ("\n".join(lines) + "\n").encode()


def place(number: int) -> bytes:
    return json.dumps(
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": [4.9, number]}, "properties": {}}
    ).encode()


def old_stata(number: int) -> bytes:
    head = (
        b"\x71\x02\x01\x00\x01\x00"
        + struct.pack("<I", 300)
        + b"Wages".ljust(81, b"\x00")
        + b"01 Jan 2008 10:00".ljust(18, b"\x00")
    )
    middle = (
        b"\xff"
        + b"wage".ljust(33, b"\x00")
        + bytes(4)
        + b"%9.0g".ljust(12, b"\x00").ljust(49, b"\x00")
        + bytes(33)
        + bytes(81)
        + bytes(5)
    )
    return head + middle + samples.noise(number, 2400)


def crossed(number: int) -> bytes:
    """Make a table whose last line says where it comes from."""
    return samples.rows(number, 20) + b"Source: Statistics of the harbour, 1912"


def ragged(number: int) -> bytes:
    return b"".join(b",".join(b"%d" % (number + cell) for cell in range(1 + row * 7 % 5)) + b"\n" for row in range(40))


def multi_gzip(number: int) -> bytes:
    return gzip.compress(samples.text(number), mtime=0) + gzip.compress(samples.text(number + 1), mtime=0)


def big_tiff(number: int) -> bytes:
    size = 4000
    tags = ((256, 80), (257, 50), (258, 8), (259, 1), (262, 1), (273, 16 + 8 + 8 * 20 + 8), (278, 50), (279, size))
    table = b"".join(struct.pack("<HHQQ", tag, 4, 1, value) for tag, value in tags)
    return b"II\x2b\x00\x08\x00\x00\x00" + struct.pack("<QQ", 16, 8) + table + bytes(8) + samples.noise(number, size)


def old_tar(number: int) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.USTAR_FORMAT) as made:
        made.addfile(tarfile.TarInfo(f"empty-{number}"))
    return file.getvalue() + bytes(20480)


UNICODE = "Het dorp lag aan de rivier. Çà et là, des barques. Нет ошибки. "
GOOD = (
    # small texts, and texts about errors
    good("a table of one line", CSV, text_of("id,place,")),
    good("a table that has only a head", CSV, text_of("id,place,year,value")),
    good("a text that is a DOI", TEXT, text_of("https://doi.org/10.5281/zenodo.")),
    good("a text about 404", TEXT, text_of('The phrase "404 Not Found" entered common speech about 1995. This essay asks why. ' * 6)),
    good("a transcript that begins with access denied", TEXT, lambda n: b"INT: Access denied?\nRES: Yes.\n" + samples.text(n)),
    good("a log of a server, as data", TEXT, log),
    good(
        "notes on Git LFS",
        "text/markdown",
        text_of(
            "# Data\n\nGet the files with `git lfs pull`; else you see\n`version https://git-lfs.github.com/spec/v1`.\n\n"
        ),
    ),
    good(
        "a program that prints a traceback",
        "text/x-python",
        text_of(
            "import traceback\n\ntry:\n    run()\nexcept OSError:\n    traceback.print_exc()\n    raise SystemExit('file not found')\n# "
        ),
    ),
    good("SQL with a table of errors", "application/sql", sql),
    good("a script of R", "text/x-r", text_of('d <- read.csv("a.csv")\nif (is.null(d)) stop("not found")\n# ')),
    good("BibTeX", "application/x-bibtex", text_of("@article{a,\n  title = {Access denied},\n  year = 2003\n}\n% ")),
    good("subtitles", "application/x-subrip", text_of("1\n00:00:01,000 --> 00:00:03,000\nPlease wait.\n\n2\n00:00:04,000 --> 00:00:05,000\n")),
    good("a text of sums of files", TEXT, lambda n: b"".join(b"%032x  data/%d.csv\n" % (n * row, row) for row in range(1, 9))),
    good("a signature", "application/pgp-signature", key),
    good("a text in German that asks for a password", TEXT, lambda n: samples.text(n) + b"Bitte melden Sie sich an, sagte der Wirt.\n"),
    good("HTTP as a text", TEXT, text_of("HTTP/1.1 is defined by RFC 9112. Section ")),
    # texts in many encodings
    good("a text in UTF-16", TEXT, text_of(UNICODE * 20, "utf-16")),
    good("a text in Shift JIS", TEXT, text_of("村は川のそばにあった。" * 30, "shift_jis")),
    good("a text in KOI8-R", TEXT, text_of("Деревня стояла у реки. " * 30, "koi8-r")),
    good("a text with ends of lines of old Macintoshes", TEXT, lambda n: samples.text(n).replace(b"\n", b"\r")),
    good("a text that lost some letters before", TEXT, lambda n: "D\ufffdj\ufffd ferm\ufffd, et apr\ufffds ".encode() * 20 + samples.text(n)),
    # tables
    good("a table with a source in its last line", CSV, crossed),
    good("a table whose lines are of all lengths", CSV, ragged),
    good("a table said to be Excel", XLS, samples.rows),
    good("a table in quotes with lines in its cells", CSV, lambda n: b'"id","note"\n' + b"".join(b'"%d","two\nlines, ""so"""\n' % (n + row) for row in range(30))),
    good("a table of zeros", TSV, lambda n: b"0\t0\t0\t0\n" * (500 + n)),
    # JSON, XML, HTML, SVG, LaTeX, RTF
    good("lines of JSON", "application/x-ndjson", sensors),
    good("GeoJSON", "application/geo+json", place),
    good("an article in XML about errors", JATS, about_errors),
    good("an answer of Solr kept as data", XML, solr),
    good("XML in Latin-1", TEI, lambda n: samples.tei(n).decode().replace("UTF-8", "ISO-8859-1").replace("the", "thé").encode("latin-1")),
    good("an article about login pages", HTML, about_logins),
    good("a part of a page", HTML, lambda n: f"<p>{samples.prose(n, 12)}</p>\n<p>{samples.prose(n + 1, 9)}</p>\n".encode()),
    good("a page that is a table", HTML, lambda n: exported(n).replace(b"xmlns:o", b"data-o").replace(b"xmlns:x", b"data-x")),
    good("a small SVG with words", SVG, lambda n: (f'<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"><path d="M0 0L{n} 9"/><text>Fig. {n}</text></svg>'.encode())),
    good("LaTeX that is a chapter", TEX, lambda n: b"\\chapter{Tides}\n" + samples.text(n)),
    good("LaTeX with a text after its end", TEX, lambda n: samples.latex(n) + b"% Local Variables:\n% End:\n"),
    good("RTF with zeros after its end", RTF, lambda n: samples.rtf(n) + b"\r\n\x00"),
    # documents
    good("a linearised PDF", PDF, samples.linearised),
    good("a PDF with junk before it", PDF, lambda n: b"\r\n\r\n" + samples.pdf(n)),
    good("a PDF with junk after it", PDF, lambda n: samples.pdf(n) + b"\n<!-- served in 12 ms -->\n"),
    good("a PDF that was signed", PDF, updated_pdf),
    good("a PDF with a table that is a stream", PDF, stream_pdf),
    good("a PDF about embargoes", PDF, lambda n: samples.pdf(n, 1, ("This document is under embargo: so said 12 pages", *samples.prose(n, 40).splitlines()))),
    good("a PDF said to be a download", "application/force-download", samples.pdf),
    good("an old Word document", DOC, samples.doc),
    good("RTF said to be Word", DOC, samples.rtf),
    good("DOCX said to be ZIP", ZIP, samples.docx),
    good("DOCX said to be bytes", ANY, samples.docx, ANY),
    good("a spreadsheet in XML", XLS, spreadsheet),
    good("a spreadsheet in HTML", XLS, exported),
    good("an EPUB", EPUB, samples.epub),
    good("an ODT", ODT, samples.odt),
    good("an XLSX", XLSX, samples.xlsx),
    good("PostScript with control-D", PS, lambda n: samples.postscript(n) + b"\x04"),
    good("EPS with a preview", EPS, eps),
    good("a DjVu", DJVU, samples.djvu),
    # images, sound, film
    good("a white page in TIFF", TIFF, lambda n: samples.tiff(n, fill=b"\xff", size=5000 + 100 * (n % 50))),
    good("a black page in TIFF", TIFF, lambda n: samples.tiff(n, fill=b"\x00", size=5000 + 100 * (n % 50))),
    good("a TIFF of Macintoshes", TIFF, lambda n: samples.tiff(n, order=">")),
    good("a BigTIFF", TIFF, big_tiff),
    good("a small icon", GIF, lambda n: samples.gif(n, 16)),
    good("a white page in PNG", PNG, lambda n: samples.png(n, 400, 300 + n, 0, 1, b"\xff")),
    good("a PNG with something after it", PNG, lambda n: samples.png(n) + b"\x00" * 9),
    good("a progressive JPEG", JPEG, lambda n: samples.jpeg(n, progressive=True)),
    good("a JPEG with something after it", JPEG, lambda n: samples.jpeg(n) + samples.noise(n, 300)),
    good("a JPEG said to be image/jpg", "image/jpg", samples.jpeg),
    good("a JP2", JP2, samples.jp2),
    good("a WebP", WEBP, samples.webp),
    good("a bitmap that is black", "image/bmp", bitmap),
    good("an MP3 whose frames are not counted", MP3, lambda n: samples.mp3(n, counted=False)),
    good("an MP3 with a tag", MP3, lambda n: samples.mp3(n, counted=False, tagged=True)),
    good("a WAV of silence", WAV, lambda n: samples.wav(n, 9000 + n, silent=True)),
    good("a WAV whose length was not known", WAV, lambda n: samples.wav(n, stated=0xFFFFFFFF)),
    good("an MP4 with its index last", MP4, lambda n: samples.mp4(n, moov_last=True)),
    good("an MP4 in parts", MP4, samples.fragmented),
    good("a WebM whose length was not known", "video/webm", webm),
    # archives
    good("a ZIP with a comment", ZIP, lambda n: samples.packed({"a.csv": samples.rows(n)}, comment=b"Made by the archive\n" * 9)),
    good("a ZIP that unpacks itself", ZIP, lambda n: b"MZ\x90\x00" + bytes(500) + samples.archive(n)),
    good("a stored ZIP of zeros", ZIP, lambda n: zip_of(zipfile.ZIP_STORED, {"raw.img": bytes(20000 + n)})),
    good("a ZIP said to be of Windows", "application/x-zip-compressed", samples.archive),
    good("gzip in two members", GZIP, multi_gzip),
    good("a tar of an empty file", TAR, old_tar),
    good("bzip2", "application/x-bzip2", lambda n: bz2.compress(samples.text(n))),
    good("xz", "application/x-xz", lambda n: lzma.compress(samples.text(n))),
    good("a 7z", SEVEN, samples.seven_zip),
    good("a RAR", RAR, samples.rar),
    # data of programs
    good("NetCDF 4", NETCDF, samples.hdf5),
    good("HDF5 with a block of its user", HDF5, lambda n: samples.hdf5(n, 512)),
    good("FITS", FITS, samples.fits),
    good("SPSS", SAV, samples.sav),
    good("Stata", DTA, samples.dta),
    good("old Stata", DTA, old_stata),
    good("Parquet", "application/vnd.apache.parquet", parquet),
    good("a database", "application/vnd.sqlite3", database),
    good("R's own data", ANY, lambda n: gzip.compress(b"X\n\x00\x00\x00\x03" + samples.noise(n, 3000), mtime=0)),
    good("a raw volume with much air", ANY, volume),
    good("bytes that no program knows", ANY, lambda n: samples.noise(n, 400)),
)  # fmt: skip
