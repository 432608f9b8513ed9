"""The form of a file tells what stands in its place, and what only has the words of an error."""

import bz2
import gzip
import io
import lzma
import zipfile
from random import Random

import zstandard

from harvester.mirror import archive_ends as packed
from harvester.mirror.doubt_rules import doubt
from harvester.mirror.file_facts import FileFacts
from tests.rows import each_row

URL = "http://e.org/a"
HTML, TEXT, JSON, XML, CSV = "text/html", "text/plain", "application/json", "application/xml", "text/csv"
ROWS = b"".join(b"%d;%d;x\n" % (number, number * 7) for number in range(60))
NOISE = Random(3).randbytes(5000)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"><rect width="2" height="2"/></svg>'
PACKED = {
    "application/x-bzip2": bz2.compress,
    "application/x-xz": lzma.compress,
    "application/zstd": zstandard.ZstdCompressor(write_checksum=True).compress,
}


def rule(data, mime_type, url=URL, **more):
    judgement = doubt(FileFacts(data, mime_type, url=url, **more))
    return judgement and judgement[0]


def page(body, head=""):
    return f"<!DOCTYPE html><html><head><title>A title</title>{head}</head><body>{body}</body></html>".encode()


def archive(**files):
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as writer:
        for name, content in files.items():
            writer.writestr(name.replace("__", "."), content)
    return into.getvalue()


@each_row(
    "body",
    [
        "<h1>A title</h1><div class='alert alert-danger'>Come back in 2031.</div>",
        "<img src='http://wifi.local/logo.png'><p>Read what holds here.</p>",
        "<script>top.location.hash=1</script><a href='https://192.168.1.1/in'>Go on</a> and read it, and more of it.",
        "See <a href='/other/place'>here</a>.",
        "<h1>403</h1><p>Number 7b61a.</p>",
        "<p>The name a.org: this domain name may be for sale.</p>",
    ],
)
def test_a_page_of_few_words_is_known_by_what_it_is_made_of(body):
    assert rule(page(body), HTML) == "error_message"
    assert rule(page(body + "<p>The salt of the sea was measured again.</p>" * 70), HTML) is None


def test_a_page_of_few_words_that_no_machine_may_list_is_no_article():
    head = "<meta name='robots' content='noindex, nofollow'>"
    assert rule(page("<iframe src='/_x'>Number 5319</iframe>", head), HTML) == "error_message"
    assert rule(page("<p>The salt of the sea was measured again.</p>" * 60, head), HTML) is None


def test_a_form_to_log_in_beside_an_article_is_a_part_of_the_site():
    form = "<form action='/in'><input name='user'><input type='password' name='word'></form>"
    assert rule(page(form + "<p>Give your name and your word.</p>"), HTML) == "error_message"
    assert rule(page(form + "<p>The salt of the sea was measured again, year by year.</p>" * 40), HTML) is None


@each_row(
    "data, seen",
    [
        (b'{"message": "Nobody gave a name."}', "error_message"),
        (b'{"detail": "Nobody gave a name.", "path": "/a"}', "error_message"),
        (b'{"message": "Hello", "author": "A", "likes": 3}', None),
        (b'{"status": "failed", "trials": [0.3, 0.5, 0.9]}', None),
        (b'{"status": "failed", "trial": "a"}', "error_message"),
        (b'{"digits": ' + b"9" * 80_000 + b"}", None),  # more than Python reads as a number
    ],
)
def test_json_that_is_a_message_has_nothing_beside_it(data, seen):
    assert rule(data, JSON) == seen


@each_row("root", ["ListBucketResult", "EnumerationResults", "multistatus"])
def test_a_list_of_what_a_store_keeps_is_no_document(root):
    assert rule(f"<{root}><Name>a</Name><Key>b</Key></{root}>".encode(), XML) == "error_message"
    assert rule(b"<listing><name>a</name></listing>".replace(b"listing", b"list"), XML) is None


@each_row(
    "data, seen",
    [
        (b"cat: /disk/7/a.txt: Input/output error\n", "error_message"),
        (b"cp: cannot stat '/disk/7/a.txt': Stale file handle\n", "error_message"),
        (b"Source: http://e.org/a: A title\n", None),
        (b"The recordings are not available.\n\n  codebook.pdf  variables\n  survey.csv  answers\n", None),
        (b"1 = yes\n2 = no\n9 = not available\n", None),
    ],
)
def test_lines_of_commands_and_lists_are_known_by_their_form(data, seen):
    assert rule(data, TEXT) == seen


@each_row(
    "name, data",
    [
        ("a.php", b'<?php\nheader("404 Not Found");\n'),
        ("a.R", b"stop('file not found')\n"),
        ("a", b"#! /bin/sh\nset -e\necho >&2 'a file was not found'\nexit 1\n"),
    ],
)
def test_a_program_may_have_words_of_errors(name, data):
    assert rule(data, TEXT, url=f"http://e.org/{name}") is None
    assert rule(b"Error: file not found\n", TEXT, url=f"http://e.org/{name}") == "error_message"


@each_row(
    "rest, seen",
    [
        (b"<br />\n<b>Fatal error</b>:  memory of 134217728 bytes exhausted in <b>a.php</b><br />\n", "appended"),
        (b'Traceback:\n  File "a.py", line 3, in rows\n    x\n  File "b.py", line 4, in next\n    y\n', "appended"),
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
    assert rule(archive(error__txt="a.csv could not be found\n"), "application/zip") == "error_message"
    assert rule(archive(error__txt="a.csv could not be found\n", a__csv=ROWS), "application/zip") is None
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
