"""Records and answers that stopped a source, or the whole program: named by what was in them."""

import pytest

from harvester.sources.oai_pmh.answers import parse_list
from harvester.xml.document import read, spans
from harvester.xml.repair import legal_references
from tests.oai_pages import page, record
from tests.rows import each_row


def test_reference_to_half_a_character_in_broken_cdata_spoils_its_record_alone():
    """libxml2's recovery made bytes of it that are no UTF-8: UnicodeDecodeError, and the run failed."""
    bad = "<record><header><identifier>oai:x:2</identifier></header><metadata><![CDATA[&#xD800;</metadata></record>"
    answer = parse_list(page(record(1), bad, record(3)).encode())
    assert [slice_.identifier for slice_ in answer.slices if not slice_.problem] == ["oai:x:1", "oai:x:3"]


def test_page_that_is_one_reference_to_half_a_character_is_read_as_unusable_records():
    body = b'<OAI-PMH s=""><ListRecords><![CDATA[<record><header &#xD800;</metadata></record></OAI-PMH>'
    assert all(slice_.problem for slice_ in parse_list(body).slices)


@each_row(
    "text, kept",
    [("&#xD800;a", "\ufffda"), ("&#ab;", "&#ab;"), ("&#65;&#0;&#x110000;", "&#65;\ufffd\ufffd"), ("&#xz;", "&#xz;")],
)
def test_references_that_no_character_has_are_replaced(text: str, kept: str):
    assert legal_references(text) == kept


# --- what never ended ---------------------------------------------------------------------------------------------


@each_row("beginning", ["<!--", "<?a ", "<?", "<", "<!-- a -->", "<?a ?>"])
def test_document_whose_beginning_never_ends_is_refused_at_once(beginning: str):
    """`<!--` 250,000 times took 20 minutes; the answer is a sentence now."""
    with pytest.raises(Exception, match="answer"):
        read((beginning * 50_000).encode())


@each_row(
    "text, parts",
    [
        ("a<!-- b --><?c d?>e", ["a", "", "e"]),
        ("a<!-- b", ["a<!-- b"]),
        ("<? " + "x" * 3000 + "?>b<!---->c", ["<? " + "x" * 3000 + "?>b", "c"]),
        ("<!--<?a-->b?>", ["", "b?>"]),
    ],
)
def test_what_stands_outside_comments_and_instructions(text: str, parts: list[str]):
    assert [text[start:stop] for start, stop in spans(text)] == parts
