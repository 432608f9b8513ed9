"""What the bytes of a file tell about themselves: real files are beyond doubt, parts of them are not."""

import bz2
import gzip
import io
import lzma
import os
import struct
import zipfile
from functools import partial
from pathlib import Path
from random import Random

import pytest
import zstandard

from harvester.mirror import archive_ends, file_types
from harvester.mirror import archive_ends as packed
from harvester.mirror.doubt_rules import doubt
from harvester.mirror.file_facts import FileFacts
from tests.conftest import ROOT, SHARED
from tests.growth import peak_bytes
from tests.mirror import samples
from tests.rows import each_row

WHOLE = {
    "application/pdf": samples.pdf,
    "image/png": samples.png,
    "image/jpeg": samples.jpeg,
    "image/gif": samples.gif,
    "image/tiff": samples.tiff,
    "application/zip": samples.archive,
    "application/gzip": samples.gzipped,
    "video/mp4": samples.mp4,
    "application/xml": samples.tei,
    "application/json": samples.data,
    "text/plain": samples.text,
    "text/html": samples.article,
}
TYPES = {
    ".pdf": "application/pdf",
    ".gz": "application/gzip",
    ".zip": "application/zip",
    ".csv": "text/csv",
    ".md": "text/markdown",
    ".py": "text/x-python",
}
BROKEN = {"format-corpus__033689.pdf": "broken"}  # of a set of PDFs with errors: ends of lines were changed in it
URL = "http://e.org/a"


def rule(data, mime_type, url=URL, **more):
    judgement = doubt(FileFacts(data, mime_type, url=url, **more))
    return judgement and judgement[0]


@each_row("mime_type", WHOLE)
@each_row("number", [1, 2, 3])
def test_a_whole_file_is_beyond_doubt(mime_type, number):
    assert rule(WHOLE[mime_type](number), mime_type) is None  # type: ignore[operator]
    assert rule(WHOLE[mime_type](number), "") is None  # type: ignore[operator]


@each_row("mime_type", sorted(WHOLE.keys() - {"text/plain", "text/html"}))
def test_a_file_that_ends_anywhere_before_its_end_is_doubtful(mime_type):
    data = WHOLE[mime_type](7).rstrip()  # type: ignore[operator]
    ends = (2, 9, *range(20, len(data) - 1, 211), len(data) - 2)
    assert [end for end in ends if rule(data[:end], mime_type) is None] == []


@pytest.mark.needs("../shared")
@pytest.mark.slow
@each_row("suffix", TYPES)
def test_no_real_file_is_doubted(suffix):
    """All of their kind in the reference data and in the tests of this project: 30 PDFs, 112 of gzip, 2 ZIPs."""
    folders = (SHARED / "data", ROOT / "tests")
    files = [file for folder in folders for file in Path(folder).rglob(f"*{suffix}") if file.is_file()]
    doubted = {file.name: doubt_rule for file in files if (doubt_rule := rule(file.read_bytes(), TYPES[suffix]))}
    assert files
    assert doubted == {name: broken_rule for name, broken_rule in BROKEN.items() if name.endswith(suffix)}


@each_row(
    "data, mime_type, seen",
    [
        (b"", "text/plain", "empty"),
        (bytes(9), "text/plain", "zeros"),
        (samples.docx(1), "application/msword", None),  # office files of either kind go under either type
        (samples.png(1), "application/msword", "wrong_type"),
        (samples.pdf(1), "application/x-tex", "wrong_type"),
        (b"%!PS-Adobe-3.0\n" + b"x " * 300, "application/postscript", None),
        (b"{not json", "application/json", "broken"),
        (b"plain words", "application/xml", "wrong_type"),
        (b"<a><b></a>", "text/xml", "broken"),
        (b"<a>&nbsp;</a>", "text/xml", None),
        ('<?xml version="1.0" encoding="shift_jis"?><a>\u3042</a>'.encode("shift_jis"), "text/xml", None),
        ("<a>\u3042</a>".encode("utf-16"), "text/xml", None),
        ("<html><body>\u3042</body></html>".encode("utf-16-le"), "text/html", None),
        (b"<html><head><script>if (a", "text/html", "broken"),
        (b"<html><body><p>One <a hre", "text/html", "broken"),
        (b'[{"error": "x"}]', "text/plain", "error_message"),
        (b'{"success": false}', "application/json", "error_message"),
        (b'{"title": "A letter", "status": "published"}', "application/json", None),
        (b"<r><error>1</error></r>", "text/xml", "error_message"),
        (b"<!-- x --><p>Page not found</p>", "text/html", "error_message"),
        (b"<html><style>p{}</style><script>'not found'</script><body>Hello</body></html>", "text/html", None),
        (b"II*\x00\x08\x00\x00\x00\xff", "image/tiff", "broken"),
        (b"II+\x00" + bytes(60) + b"\x01", "image/tiff", None),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x01" * 40, "application/msword", "broken"),
        (b"GIF89a" + bytes(9) + b"\x01\x00;<html>", "image/gif", "appended"),
        (b"\x00\x00\x00\x14ftypisom\x00\x00\x00\x00isom", "video/mp4", "broken"),
        (b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xff\xff\xff", "application/gzip", "broken"),
    ],
)
def test_what_a_rule_sees(data, mime_type, seen):
    assert rule(data, mime_type) == seen


@each_row("size, seen", [(2560, None), (2100, None), (2000, "broken"), (1400, "broken"), (600, "broken")])
def test_a_document_of_word_97_is_whole_when_every_sector_that_its_table_names_is_there(size, seen):
    """The table is the third sector, and names four; of the last, no byte need be there."""
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + b"\x3e\x00\x03\x00\xfe\xff\x09\x00"
    head = head.ljust(44, b"\x00") + struct.pack("<II", 1, 1)
    head = head.ljust(76, b"\x00") + struct.pack("<I", 2) + b"\xff" * 432
    table = struct.pack("<4I", 1, 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFE).ljust(512, b"\xff")
    assert rule((head + b"\x01" * 1024 + table + b"\x01" * 512)[:size], "application/msword") == seen


def test_a_file_of_which_the_type_is_not_stated_is_judged_by_its_name():
    assert doubt(FileFacts(b"words", "", url="http://e.org/a.pdf")) is not None
    assert doubt(FileFacts(samples.archive(1), "application/octet-stream", url="http://e.org/a.gz")) is not None
    assert doubt(FileFacts(b"words", "", url="http://e.org/a")) is None


@each_row(
    "led, is_doubted",
    [
        ("http://e.org/", True),
        ("http://e.org/cas/login?service=x", True),
        ("http://e.org/files/1/a.txt", False),
        ("http://cdn.e.org/1?key=2", False),
        ("http://e.org/error.jsp", True),
        ("http://e.org/authors/a.txt", False),
        ("http://e.org/standard-errors/a.txt", False),
    ],
)
def test_a_redirect_of_a_text_may_lead_away(led, is_doubted):
    judgement = doubt(FileFacts(samples.text(1), "text/plain", url="http://e.org/files/1/b.txt", came_from=led))
    assert (judgement is not None) is is_doubted


def test_what_a_source_has_so_is_not_doubted_for_its_words():
    """A size that fits says that nothing was cut or added, and that no page of another size came instead."""
    for mime_type, data in (
        ("text/html", b"<html><head><title>Error analysis</title></head><body><p>We study errors.</body></html>"),
        ("text/html", b"<html><body><h1>A title</h1><p>abc"),
        ("application/json", b'{"error": "none"}'),
        ("application/xml", b"<measurement><value>1</value><error>0.1</error></measurement>"),
        ("application/pdf", samples.pdf(1) + bytes(400)),
    ):
        assert rule(data, mime_type) is not None
        assert rule(data, mime_type, stated_size=len(data)) is None


@each_row(
    "data, mime_type",
    [
        (b"code,meaning\n403,Forbidden\n404,Not Found\n", "text/csv"),
        (b'{"model": "lm", "error": 0.034}', "application/json"),
        (b'{"errors": [0.1, 0.25]}', "application/json"),
        (b'<?xml version="1.0" encoding="x-none"?><a>1</a>', "application/xml"),
        (samples.tiff(1), "image/x-nikon-nef"),
        (samples.png(1), "image/vnd.microsoft.icon"),
        (samples.jp2(1), "image/jp2"),
        (b"\x1b%-12345X@PJL\r\n" + samples.pdf(1), "application/pdf"),
    ],
)
def test_what_only_looks_like_a_fault_is_beyond_doubt(data, mime_type):
    assert rule(data, mime_type) is None


def test_zeros_are_a_hole_of_a_pdf_only_where_a_block_of_the_disk_begins():
    whole = samples.pdf(1, 1, image=samples.noise(1, 60_000))
    image = whole[:9000] + bytes(9000) + whole[18_000:]
    assert rule(image, "application/pdf") is None
    hole = whole[:8192] + bytes(8192) + whole[16_384:]
    assert rule(hole, "application/pdf") == "broken"
    both = whole[:9000] + bytes(9000) + whole[18_000:24_576] + bytes(4096) + whole[28_672:]
    assert rule(both, "application/pdf") == "broken"


def test_what_would_take_long_to_read_is_not_read(monkeypatch):
    monkeypatch.setattr(archive_ends, "MOST", 1000)
    assert rule(samples.archive(1), "application/zip") is None
    assert rule(gzip.compress(bytes(9_000_000)), "application/gzip") is None


_LARGE = 64 << 20
_HUGE_BLOCK = bytes(4) + b"\x80\x80\x80\x10"  # a CRC, and a length of 32 MiB


@each_row(
    "mime_type, beginning",
    [("application/x-hdf5", samples.hdf5(1)), ("application/vnd.rar", b"Rar!\x1a\x07\x01\x00" + _HUGE_BLOCK)],
)
def test_a_large_file_is_not_copied_into_memory(tmp_path, mime_type, beginning):
    file, peaks = tmp_path / "large", []
    for size in (_LARGE // 4, _LARGE):
        file.write_bytes(beginning)
        os.truncate(file, size)
        with file_types.content(file) as data:
            peaks.append(peak_bytes(partial(FileFacts, data, mime_type, url=URL)))
    assert peaks[1] < 2 * peaks[0]


ENDS = {
    "audio/wav": samples.wav,
    "audio/mpeg": samples.mp3,
    "image/webp": samples.webp,
    "image/jp2": samples.jp2,
    "image/vnd.djvu": samples.djvu,
    "application/x-7z-compressed": samples.seven_zip,
    "application/vnd.rar": samples.rar,
    "application/x-tar": samples.tarred,
    "application/x-netcdf": samples.netcdf,
    "application/x-hdf5": samples.hdf5,
    "application/fits": samples.fits,
    "application/x-spss-sav": samples.sav,
    "application/x-stata-dta": samples.dta,
    "application/rtf": samples.rtf,
    "application/postscript": samples.postscript,
    "application/x-tex": samples.latex,
}


@each_row(
    "beginning",
    [
        b"FORM\0\0\0\x46AIFF",
        b"BM\x50\0\0\0\0\0\0\0",
        b"SQLite format 3\0",
        b"PAR1",
        b"\x1a\x45\xdf\xa3\x10",
        b"OggS" + b"\xff" * 23,
    ],
)
def test_a_file_of_a_rarer_type_that_is_cut_is_doubtful(beginning):
    assert rule(beginning.ljust(60, b"\1"), "application/octet-stream") == "broken"


@each_row("mime_type", ENDS)
def test_a_file_of_research_that_is_cut_is_doubtful(mime_type):
    data = ENDS[mime_type](7)  # type: ignore[operator]
    assert rule(data, mime_type) is None
    most = len(data) * (9 if mime_type == "application/x-tar" else 16) // 20  # zeros stand behind the members of a tar
    assert [end for end in (*range(400, most, 997), most) if rule(data[:end], mime_type) is None] == []


@each_row(
    "data, mime_type, seen",
    [
        (b"\xef\xbb\xbf \r\n", "text/plain", "empty"),
        (b"a,b\nfalse,1\n", "text/csv", None),
        (b"false", "text/csv", "wrong_type"),
        (b"name\nBerlin\nOslo\n", "text/csv", None),
        (b"<br />\n<b>Notice</b>: x<br />\n" + b"a,b\n1,2\n" * 20, "text/csv", "wrong_type"),
        (b"40\r\n" + b"x" * 64 + b"\r\n0\r\n\r\n", "text/plain", "transfer"),
        (b"Date: 1 May 1890\n\nDear sister, the boat has come.\n", "text/plain", None),
        (b"Content-Type: text/plain\r\n\r\nDear sister\n", "text/plain", "transfer"),
        (b"-----BEGIN KEY-----\n" + b"QUJDZDEy" * 40 + b"\n-----END KEY-----\n", "text/plain", None),
        (b"<p>One</p>" + b"<a href='x.html'>x</a>" * 9, "text/html", None),
        (samples.text(3) * 2, "text/plain", "appended"),
        (b"0\t0\t0\n" * 500, "text/tab-separated-values", None),
        (samples.png(1, 1, 1), "image/png", "placeholder"),
        (b"RIFF\xff\xff\xff\xffWAVE" + bytes(100), "audio/wav", None),
    ],
)
def test_what_a_file_is_made_of_tells_more_than_its_words(data, mime_type, seen):
    assert rule(data, mime_type) == seen


def test_the_words_of_a_document_of_one_page_are_read():
    page, notice = samples.pdf(1, 1), "This document is under embargo."
    assert rule(page, "application/pdf", read=lambda _: notice) == "error_message"
    assert rule(page, "application/pdf", read=lambda _: notice + " word" * 200) is None
    assert rule(samples.pdf(1, 3), "application/pdf", read=lambda _: notice) is None


HTML, TEXT, JSON, XML, CSV = "text/html", "text/plain", "application/json", "application/xml", "text/csv"
ROWS = b"".join(b"%d;%d;x\n" % (number, number * 7) for number in range(60))
NOISE = Random(3).randbytes(5000)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"><rect width="2" height="2"/></svg>'
PACKED = {
    "application/x-bzip2": bz2.compress,
    "application/x-xz": lzma.compress,
    "application/zstd": zstandard.ZstdCompressor(write_checksum=True).compress,
}


def page(body, head=""):
    return f"<!DOCTYPE html><html><head><title>A title</title>{head}</head><body>{body}</body></html>".encode()


def archive(**files):
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as writer:
        for name, content in files.items():
            writer.writestr(name.replace("__", "."), content)
    return into.getvalue()


@each_row("body", ["See <a href='/other/place'>here</a>.", "<p>The name a.org: this domain name may be for sale.</p>"])
def test_a_page_of_few_words_is_known_by_what_it_is_made_of(body):
    assert rule(page(body), HTML) == "error_message"
    assert rule(page(body + "<p>The salt of the sea was measured again.</p>" * 70), HTML) is None


def test_a_form_to_log_in_is_no_page_of_a_work():
    form = "<form action='/in'><input name='user'><input type='password' name='word'></form>"
    assert rule(page(form + "<p>Give your name and your word.</p>"), HTML) == "error_message"


@each_row(
    "data, seen",
    [
        (b'{"message": "Nobody gave a name."}', "error_message"),
        (b'{"message": "Hello", "author": "A", "likes": 3}', None),
        (b'{"status": "failed", "trial": "a"}', "error_message"),
        (b'{"digits": ' + b"9" * 80_000 + b"}", None),  # more than Python reads as a number
    ],
)
def test_json_that_is_a_message_has_nothing_beside_it(data, seen):
    assert rule(data, JSON) == seen


@each_row(
    "rest, seen",
    [
        (b"<br />\n<b>Fatal error</b>:  memory of 134217728 bytes exhausted in <b>a.php</b><br />\n", "appended"),
        (b"Total;420\n", None),
        (b"<1990;not available;x\n", None),
    ],
)
def test_a_table_that_ends_in_what_a_program_printed_is_doubtful(rest, seen):
    assert rule(ROWS + rest, CSV) == seen


def test_a_message_that_is_packed_is_read():
    error = page("<h1>503 Service Unavailable</h1>").replace(b"A title", b"503 Service Unavailable")
    assert rule(gzip.compress(error), "application/gzip", url=f"{URL}.fastq.gz") == "error_message"
    assert rule(gzip.compress(ROWS), "application/gzip", url=f"{URL}.csv.gz") is None
    assert rule(gzip.compress(error), "application/gzip", stated_size=len(gzip.compress(error))) is None


def test_a_list_of_files_is_no_archive_of_them():
    assert rule(archive(MANIFEST__TXT="data.tab skipped\n"), "application/zip") == "broken"
    assert rule(archive(MANIFEST__TXT="a.csv\n", a__csv=ROWS), "application/zip") is None


@each_row("mime_type", PACKED)
def test_a_stream_that_is_cut_or_altered_is_doubtful(mime_type):
    data = PACKED[mime_type](NOISE + ROWS)  # type: ignore[operator]
    assert rule(data, mime_type) is None
    assert rule(data * 3, mime_type) is None
    assert {rule(data[:end], mime_type) for end in range(24, len(data) - 1, 97)} == {"broken"}
    assert rule(data + b"<html>no</html>", mime_type) == "appended"


class Counted(bytes):
    """Bytes that count how many of them were read."""

    read = 0

    def __getitem__(self, place):
        part = super().__getitem__(place)
        self.read += len(part)
        return part


@each_row("mime_type", PACKED)
def test_a_file_of_very_many_empty_streams_costs_little_and_is_believed(mime_type, monkeypatch):
    judge = packed.zstandard if mime_type == "application/zstd" else packed.stream
    monkeypatch.setattr(packed, "MOST_PARTS", 50)
    few, many = (Counted(PACKED[mime_type](b"") * count) for count in (20, 20_000))  # type: ignore[operator]
    assert judge(few) == len(few)
    assert judge(many) == len(many)
    assert many.read < 50 * 70_000
