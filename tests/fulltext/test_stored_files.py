"""Our own copies of files, whole or not there at all, and their first pages."""

import os
import subprocess
import sys
from hashlib import sha256

import pytest
from click.testing import CliRunner

from gateway.core.errors import StoreUnwritable
from gateway.fulltext.stored_files import Copies
from harvester.cli import main
from harvester.fulltext.check_copy import MOST_BYTES, first_page_of
from harvester.fulltext.pages.article_xml import text_of_article
from tests.fulltext.test_releasing import COPY, IDENTIFIER, pdf, unpaywall
from tests.fulltext.web import answer
from tests.rows import each_row

BODY = b"a file that was found"
DIGEST = sha256(BODY).hexdigest()
# Writes half of a copy and waits.
_WRITES = """
import sys
from pathlib import Path
from gateway.fulltext.stored_files import _aside
with _aside(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    print("written", flush=True)
    sys.stdin.read()
"""


def _left(folder):
    return [path.name for path in (folder / "files").rglob("*") if path.is_file()]


def test_a_copy_is_kept_once_under_its_digest(tmp_path):
    copies = Copies(tmp_path)
    copies.tidy()  # it needs no folder, and spares copies
    copies.keep(BODY)
    copies.keep(BODY)
    copies.tidy()
    assert _left(tmp_path) == [DIGEST]
    assert (copies.has(DIGEST), copies.read(DIGEST), copies.read("00")) == (True, BODY, b"")


def test_a_full_disk_leaves_no_temporary_file(tmp_path, monkeypatch):
    def is_full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", is_full)
    with pytest.raises(StoreUnwritable, match="No space left on device"):
        Copies(tmp_path).keep(BODY)
    assert _left(tmp_path) == []


@pytest.mark.slow
def test_what_a_killed_process_left_is_deleted_and_what_a_living_one_writes_stays(tmp_path):
    folder = tmp_path / "files" / DIGEST[:2]
    folder.mkdir(parents=True)
    (folder / "tmpabcd").write_bytes(b"of an earlier release")
    with subprocess.Popen(
        [sys.executable, "-c", _WRITES, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        assert len(_left(tmp_path)) == 2
        Copies(tmp_path).tidy()
        assert len(_left(tmp_path)) == 1
        process.kill()
        process.wait()
    assert len(_left(tmp_path)) == 1
    Copies(tmp_path).tidy()
    assert _left(tmp_path) == []


ARTICLE = b"""<?xml version="1.0"?><!DOCTYPE article [<!ENTITY x "y">]>
<article><!-- <p>hidden</p> --><front><journal-title>A Journal</journal-title>
<article-title>Growth &amp; decay of <italic>cells</italic></article-title>
<contrib><name><surname>Rossi</surname> <given-names>A.</given-names></name></contrib>
<abstract><p>We measured
how they grow&#x202e;.</p></abstract></front><body><p><![CDATA[x < y]]> &x;</p></body></article>"""


def test_the_lines_of_a_text_are_kept_without_what_nobody_sees() -> None:
    text = "  A\ttitle \r\n\n\x1b[31mby\u202e Rossi\u200b\x07\ud800\u2028Ab\u00adstract"
    assert first_page_of(text) == "A title\n[31mby Rossi\nAbstract"


@each_row("letter", ["a", "ä", "漢", "😀"])
def test_at_most_4_kb_are_kept_and_no_half_letter(letter: str) -> None:
    text = first_page_of(letter * 10_000)
    assert set(text) == {letter}
    assert MOST_BYTES - 4 < len(text.encode()) <= MOST_BYTES


def test_an_article_in_xml_has_a_line_for_title_name_and_paragraph() -> None:
    assert first_page_of(text_of_article(ARTICLE)).splitlines() == [
        "A Journal",
        "Growth & decay of cells",
        "Rossi A.",
        "We measured how they grow.",
        "x < y &x;",
    ]


@each_row("body", [b"", b"<article><p>a<!-- b", b"<" * 500_000, b"<!--" * 100_000, b"\xff\xfe<\0"])
def test_no_xml_makes_it_fail(body: bytes) -> None:
    assert first_page_of(text_of_article(body)) in ("", "a", "<", "<" * MOST_BYTES)


@pytest.fixture
def search(searching):
    """Return a search that has found the file of one work."""
    search = searching(discover_named_files=False)
    search.web.own = {**unpaywall(None), COPY: answer(pdf(search))}
    return search


def digest_of(search) -> str:
    return search.discovery.decisions(IDENTIFIER)[-1].sha256


def test_a_search_keeps_the_first_page_of_each_file_that_it_reads_and_a_dry_run_keeps_nothing(search) -> None:
    search.run(identifier=IDENTIFIER)
    digest = digest_of(search)
    text = search.discovery.first_page(digest)
    assert "Abstract" in text
    assert len(text.encode()) <= MOST_BYTES
    line = ["--instance", str(search.settings.instance), "takedown", "add", digest, "--reason", "Asked for."]
    assert CliRunner().invoke(main, line).exit_code == 0
    assert search.discovery.first_page(digest) == ""
    assert CliRunner().invoke(main, [*line[:2], "takedown", "remove", digest, "--yes"]).exit_code == 0
    assert search.try_out(identifier=IDENTIFIER)
    assert search.discovery.first_page(digest) == ""
