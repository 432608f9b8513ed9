"""Whether a document is the whole work: by its stated length, the numbers of its pages, and its end."""

from __future__ import annotations

from gateway.model import Outcome
from harvester.fulltext.pdf.completeness import doubt_about
from harvester.fulltext.pdf.document import Document, Facts
from harvester.fulltext.pdf.extraction import Extracted
from tests.rows import each_row

NO_END = "It has neither references nor another end: it may lack pages."
TITLE = "Drainage of peat meadows in the northern lowlands"
HEAD = f"{TITLE}\nAda Turf, Bo Reed\nAbstract\nThe water fell."


def prose(lines: int) -> str:
    """Return lines of text; the last one is no sentence."""
    return "\n".join(
        f"and the water of the {'a' * (number % 7 + 1)} drain fell in its summer by" for number in range(lines)
    )


FULL = prose(45)
REFERENCES = "References\nReed, B. (2001). Fens. Annals 3, 1-9.\nTurf, A. (2004). Bogs. Annals 6, 2-8."
LISTED = "\n".join(
    f"{number}. Reed, B., Turf, A.: Fens and bogs. Annals {number}, 200{number}" for number in range(1, 5)
)


def a_copy(*pages: str, head: str = HEAD, number: int = 1) -> Extracted:
    """Return a copy with these pages after its first one. Every page has its number, from `number` on."""
    texts = [f"{head}\n{FULL}", *pages]
    leaves = [f"{text}\n{place}" for place, text in enumerate(texts, number)]
    return Extracted(Outcome.SUCCESS, len(leaves), "\f".join(leaves[:2]), "\n\f".join(leaves[2:]), "pdfium", leaves[0])


def doubt(copy: Extracted, pages: int = 0) -> str:
    """Return the doubt about a copy of a work with so many pages."""
    return doubt_about(Document(copy, Facts((TITLE,), pages)))


WHOLE = {
    "references": a_copy(FULL, FULL, f"{prose(38)}\n{REFERENCES}"),
    "references and an appendix": a_copy(f"{prose(30)}\n{REFERENCES}", FULL, FULL, FULL),
    "references under another name": a_copy(FULL, FULL, f"{prose(30)}\nIrodalomjegyzék\n{prose(9)}"),
    "a list without a heading": a_copy(FULL, FULL, f"{prose(38)}\n{LISTED}"),
    "thanks": a_copy(FULL, FULL, f"{prose(40)}\nAcknowledgements\n{prose(4)}"),
    "a last page that is not full": a_copy(FULL, FULL, f"{prose(30)}\nand it never rose again."),
    "a last page that is half empty": a_copy(FULL, FULL, f"{prose(20)}\nTable 3\ndrains 3.1 4.1 5.9 2.6"),
    "two pages": a_copy(FULL),
    "more pages than are read": a_copy(FULL, FULL, FULL)._replace(pages=400),
}
CUT = {
    "full pages": a_copy(FULL, FULL, FULL),
    "thanks on the first page": a_copy(FULL, FULL, FULL, head=f"{HEAD}\nAcknowledgements: the fund"),
    "references in the contents": a_copy(f"{prose(30)}\nReferences\n{prose(14)}", FULL, FULL, FULL, FULL),
    "a list of other things": a_copy(FULL, FULL, f"{prose(38)}\n1 2001 3.1 4.1\n2 2002 2.7 3.3\n3 2003 5.5 6.1"),
    "a page with a figure": a_copy(prose(12), FULL, f"{prose(14)}\nFigure 2: depths"),
    "contents at the end": a_copy(FULL, FULL, "\n".join(f"{place} Fens ......... {place}" for place in range(1, 9))),
}


@each_row("copy", WHOLE.values())
def test_a_document_that_ends_is_whole(copy: Extracted) -> None:
    assert doubt(copy) == ""


@each_row("copy", CUT.values())
def test_a_document_without_an_end_may_lack_pages(copy: Extracted) -> None:
    assert doubt(copy) == NO_END


CITED = "Annals of Wet Land 12 (2019) 45-58"


@each_row(
    "citation, number, reason",
    [
        (CITED, 45, "It has 8 pages, and the work has 14."),  # they have the numbers of the citation
        ("Annals of Wet Land, pp. 45-8, 2019", 45, NO_END),  # four pages are stated, and the last one is full
        ("[3] Reed, Annals 12 (2019) 45-58", 45, NO_END),  # it is the end of the references of another work
        ("Annals of Wet Land (1999-2009)", 1999, NO_END),  # years
        ("Annals of Wet Land 12 (2019) 45-1058", 45, NO_END),  # no article is so long
        ("Room 45-58", 45, NO_END),  # no citation
    ],
)
def test_the_citation_on_the_first_page_says_how_many_pages_there_are(citation: str, number: int, reason: str) -> None:
    copy = a_copy(*[FULL] * 7, head=f"{citation}\n{HEAD}", number=number)
    if reason == NO_END and " pp. " in citation:
        copy = a_copy(*[FULL] * 2, head=f"{citation}\n{HEAD}", number=number)
    assert doubt(copy) == reason


def test_an_article_with_all_pages_of_its_citation_needs_no_end() -> None:
    assert doubt(a_copy(*[FULL] * 13, head=f"{CITED}\n{HEAD}", number=45)) == ""


@each_row("lines, pages, is_doubted", [(45, 15, True), (45, 9, False), (150, 15, False)])
def test_a_copy_with_fewer_pages_than_a_service_states_needs_as_many_words(
    lines: int, pages: int, is_doubted: bool
) -> None:
    copy = a_copy(prose(lines), prose(lines), f"{prose(lines)}\n{REFERENCES}", *[prose(lines)] * 2)
    assert doubt(copy, pages) == (f"It has 6 pages, and the work has {pages}." if is_doubted else "")


def test_a_copy_of_few_words_is_not_the_whole_work() -> None:
    copy = a_copy(*[prose(8)] * 7, REFERENCES)
    assert copy.word_count < 1300
    assert doubt(copy, 10) == f"It has {copy.word_count} words, and the work has 10 pages."


@each_row("second, reason", [(11, "The numbers of its pages show that 7 pages are missing."), (6, "")])
def test_numbers_of_pages_that_jump_show_that_pages_are_missing(second: int, reason: str) -> None:
    first = a_copy(FULL, FULL, FULL)
    last = [f"{FULL}\n{number}" for number in range(second, second + 3)] + [f"{REFERENCES}\n{second + 3}"]
    copy = first._replace(pages=8, rest="\n\f".join((first.rest, *last)))
    if second == 11:
        assert doubt(copy) == "The numbers of its pages show that 6 pages are missing."
    else:
        assert doubt(copy) == reason


def _numbered(numbers: list[str]) -> Extracted:
    """Return a copy whose pages have these numbers."""
    leaves = [f"{HEAD}\n{FULL}", *(f"{FULL}\n{number}" for number in numbers[:-1]), f"{REFERENCES}\n{numbers[-1]}"]
    return Extracted(Outcome.SUCCESS, len(leaves), "\f".join(leaves[:2]), "\n\f".join(leaves[2:]), "pdfium", leaves[0])


def test_numbers_that_grow_by_two_show_that_every_second_page_is_missing() -> None:
    """A scan of both sides may lack all backs."""
    assert "every second page" in doubt(_numbered(["2", "4", "6", "8"]))
    assert doubt(_numbered(["2", "3", "4", "5"])) == ""
    assert doubt(_numbered(["2 3", "4 5", "6 7", "8 9"])) == ""  # two pages on each sheet
    assert doubt(_numbered(["", "4", "6", "8"])) == ""  # too few


def test_the_cover_of_a_repository_is_no_page_of_the_work() -> None:
    cover = "This is a repository copy of a work. Takedown policy: write to us."
    body = a_copy(*[FULL] * 11, f"{prose(38)}\n{REFERENCES}", head=HEAD)
    copy = body._replace(pages=14, front=cover, first=f"{cover}\f{body.first.partition(chr(12))[0]}",
                         rest="\n\f".join((body.first.partition("\f")[2], body.rest)))  # fmt: skip
    assert doubt(copy, 13) == ""
    assert doubt(copy, 99).startswith("It has 14 pages")
