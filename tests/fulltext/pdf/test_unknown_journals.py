"""The name of a journal that the record lacks: the document itself shows that it is one."""

from __future__ import annotations

from gateway.model import Outcome
from harvester.fulltext.pdf.document import Document, Facts
from harvester.fulltext.pdf.extraction import Extracted
from harvester.fulltext.pdf.title_lines import doubt_about
from harvester.fulltext.pdf.work_names import Named
from tests.rows import each_row

TITLE = "Drainage of peat meadows in the northern lowlands"
RECORD = Named(titles=(TITLE,), authors=("Turf, Ada", "Reed, Bo"))
TEXT = "\n".join(f"The water table of plot {number} was measured, and it fell in summer." for number in range(30))


def doubt(*head: str, later: str = "", first: int = 1, end: str = "") -> str:
    """Return the doubt about a document with these lines above its title, and this one above its later pages."""
    pages = ["\n".join((*head, TITLE, "Ada Turf, Bo Reed", "Abstract", TEXT, str(first)))]
    pages += [f"{later}\n{TEXT}\n{first + place}" for place in range(1, 6)]
    pages[-1] += f"\n{end}"
    read = Extracted(Outcome.SUCCESS, 6, "\f".join(pages[:2]), "\n\f".join(pages[2:]), "pdfium", pages[0])
    return doubt_about(Document(read, Facts((TITLE,))), RECORD)


UNKNOWN = "An unknown line is above the title: \u201c{}\u201d."


@each_row("reference", [
    "Reed, B. 2001. Fens and bogs. Nordic Slope 12, 3-9.", "Reed, B.: Fens and bogs, in: Nordic\nSlope, vol. 12 (2001)",
    "Reed, B. (2001) \u201cFens and bogs\u201d Nordic Slope (12)",
])  # fmt: skip
def test_a_journal_that_the_document_cites_with_a_volume_is_known(reference: str) -> None:
    assert doubt("Nordic Slope", end=reference) == ""
    assert doubt("Nordic Slope") == UNKNOWN.format("Nordic Slope")


@each_row(
    "words",
    [
        "See our Nordic Slope 12 for teachers.",  # no reference
        "Reed, B. 2001. Fens and bogs. Nordic Slope of the north.",  # no volume
        "Reed, B. 2001. Fens and bogs. Nordic Sloping 12, 3-9.",
    ],
)
def test_other_sentences_with_the_words_of_a_line_do_not_make_it_a_journal(words: str) -> None:
    assert doubt("Nordic Slope", end=words) == UNKNOWN.format("Nordic Slope")


def test_the_running_head_of_pages_that_are_numbered_through_is_a_journal() -> None:
    assert doubt("Nordic Slope", later="NORDIC SLOPE 12", first=254) == ""
    assert doubt("Nordic Slope", later="NORDIC SLOPE 12") == UNKNOWN.format("Nordic Slope")
    assert doubt("Nordic Slope", later="Turf and Reed", first=254) == UNKNOWN.format("Nordic Slope")


@each_row("label", ["Peer review file", "A few words for the friends of a very tall library"])
def test_a_line_with_words_of_another_document_or_a_long_one_is_no_journal(label: str) -> None:
    end = f"Reed, B. 2001. Fens. {label} 12, 3-9."
    assert doubt(label, later=label, first=254, end=end) == doubt(label)


def test_a_journal_does_not_hide_another_unknown_line() -> None:
    end = "Reed, B. 2001. Fens and bogs. Nordic Slope 12, 3-9."
    assert doubt("Nordic Slope", "Reading circle", end=end) == UNKNOWN.format("Reading circle")
    assert doubt("12/1", end="Fens. 12/1 12") == ""
