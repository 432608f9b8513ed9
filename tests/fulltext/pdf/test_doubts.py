"""What makes a document that has the title doubtful: missing pages, other works, an abstract alone, another version."""

from __future__ import annotations

from gateway.core.model import Outcome
from harvester.fulltext.pdf import abstracts, completeness, other_versions, several_works, title_lines
from harvester.fulltext.pdf.document import Document, Facts
from harvester.fulltext.pdf.extraction import Extracted
from harvester.fulltext.pdf.work_names import Named
from tests.rows import each_row

TITLE = "Drainage of peat meadows in the northern lowlands"
HEAD = f"{TITLE}\nAda Turf, Bo Reed\nAbstract\nThe water fell."
RECORD = Named((("doi", "10.5555/fens.7"),), (TITLE,), ("Turf, Ada", "Reed, Bo"), ("2019",), ("Annals of Wet Land",))
REFERENCES = "References\nReed, B. (2001). Fens. Annals 3, 1-9.\nTurf, A. (2004). Bogs. Annals 6, 2-8."
SENTENCE = "The water table of the plots was measured, and it fell in summer."
TEXT, SHORT_TEXT = "\n".join([SENTENCE] * 45), "\n".join([SENTENCE] * 12)


def prose(lines: int) -> str:
    """Return lines of text; the last one is no sentence."""
    return "\n".join(
        f"and the water of the {'a' * (number % 7 + 1)} drain fell in its summer by" for number in range(lines)
    )


FULL = prose(45)


def document(*pages: str, number: int = 0, expected: int = 0, count: int = 0) -> Document:
    """Return a document with these pages, numbered from `number` on, of a work with so many expected pages."""
    leaves = [f"{text}\n{place}" if number else text for place, text in enumerate(pages, number)]
    first, rest = "\f".join(leaves[:2]), "\n\f".join(leaves[2:])
    return Document(
        Extracted(Outcome.SUCCESS, count or len(leaves), first, rest, "pdfium", leaves[0]), Facts((TITLE,), expected)
    )


def missing(*pages: str, head: str = HEAD, number: int = 1, expected: int = 0) -> str:
    """Return the doubt that a copy with these pages behind its first one is whole."""
    return completeness.doubt_about(document(f"{head}\n{FULL}", *pages, number=number, expected=expected))


NO_END = "It has neither references nor another end: it may lack pages."


@each_row("pages", [
    (FULL, FULL, f"{prose(38)}\n{REFERENCES}"), (f"{prose(30)}\n{REFERENCES}", FULL, FULL, FULL),
    (FULL, FULL, f"{prose(40)}\nAcknowledgements\n{prose(4)}"), (FULL, FULL, f"{prose(30)}\nand it never rose again."),
    (FULL,),
])  # fmt: skip
def test_a_document_that_ends_is_whole(pages: tuple[str, ...]) -> None:
    assert missing(*pages) == ""


@each_row("pages", [
    (FULL, FULL, FULL), (f"{prose(30)}\nReferences\n{prose(14)}", FULL, FULL, FULL, FULL),
    (prose(12), FULL, f"{prose(14)}\nFigure 2: depths"),
    (FULL, FULL, "\n".join(f"{place} Fens ......... {place}" for place in range(1, 9))),
])  # fmt: skip
def test_a_document_without_an_end_may_lack_pages(pages: tuple[str, ...]) -> None:
    assert missing(*pages) == NO_END


CITED = "Annals of Wet Land 12 (2019) 45-58"


@each_row("citation, pages, reason", [
    (CITED, 7, "It has 8 pages, and the work has 14."), (CITED, 13, ""),
    ("[3] Reed, Annals 12 (2019) 45-58", 7, NO_END),  # it is the end of the references of another work
    ("Annals of Wet Land 12 (2019) 45-1058", 7, NO_END),  # no article is so long
])  # fmt: skip
def test_the_citation_on_the_first_page_says_how_many_pages_there_are(citation: str, pages: int, reason: str) -> None:
    assert missing(*[FULL] * pages, head=f"{citation}\n{HEAD}", number=45) == reason


def test_a_copy_with_fewer_pages_than_a_service_states_needs_as_many_words() -> None:
    def stated(lines: int, pages: int) -> str:
        copy = (prose(lines), prose(lines), f"{prose(lines)}\n{REFERENCES}", *[prose(lines)] * 2)
        return missing(*copy, expected=pages)

    assert stated(45, 15) == "It has 6 pages, and the work has 15."
    assert stated(45, 9) == stated(150, 15) == ""
    assert " words, and the work has 10 pages." in missing(*[prose(8)] * 7, REFERENCES, expected=10)


@each_row("numbers, reason", [
    ((1, 2, 3, 4, 11, 12, 13, 14), "The numbers of its pages show that 6 pages are missing."), ((1, 2, 3, 4, 5), ""),
    (("", 2, 4, 6, 8), "every second page"),
])  # fmt: skip
def test_the_numbers_of_pages_show_that_some_are_missing(numbers: tuple[int | str, ...], reason: str) -> None:
    texts = [f"{HEAD}\n{FULL}", *[FULL] * (len(numbers) - 2), REFERENCES]
    leaves = [f"{text}\n{number}" for text, number in zip(texts, numbers, strict=True)]
    stated = completeness.doubt_about(document(*leaves))
    assert reason in stated
    assert bool(reason) is bool(stated)


LIST = "References\n" + "\n".join(f"[{number}] Reed, B. Fens. 2001." for number in range(12))
WORK = f"{HEAD}\n{TEXT}\n{LIST}"
ANOTHER = "Another text with an abstract or an introduction is behind its references: it may have several works."
LISTS = "It has several lists of references, far from each other: it may have several works."
NOTES = f"Notes\n{LIST.partition(chr(10))[2]}"
CHAPTERS = tuple(f"Chapter {number}\n{TEXT}" for number in range(1, 5))


@each_row("parts, pages, reason", [
    ((WORK, "Another title", "Bo Reed", "Abstract", TEXT, LIST), 12, ANOTHER),
    ((WORK, "Another title", "Bo Reed", "1. Introduction", TEXT, LIST), 12, ANOTHER), ((WORK,), 12, ""),
    (("the end of it.", LIST, WORK), 12, ""), ((WORK, "Abstract", SHORT_TEXT, LIST), 12, ""),
    ((WORK, "Another title", "Abstract", TEXT), 12, ""), ((WORK, "Appendix", TEXT, LIST), 12, ""),
    ((TITLE, TEXT, NOTES, TEXT, NOTES, TEXT, NOTES), 12, LISTS), ((TITLE, TEXT, NOTES, TEXT, NOTES), 12, ""),
    (CHAPTERS, 60, "It has 60 pages with 4 chapters, like a book."), (CHAPTERS, 48, ""),
])  # fmt: skip
def test_a_file_with_other_works_or_with_chapters_is_not_the_work(
    parts: tuple[str, ...], pages: int, reason: str
) -> None:
    assert several_works.doubt_about(document("\n".join(parts), count=pages)) == reason


LANGUAGES = [
    "Background|Methods|Results|Conclusions", "Purpose|Design/methodology/approach|Findings|Originality/value",
    "Hintergrund|Methodik|Ergebnisse|Schlussfolgerung", "Objetivo|Material y métodos|Resultados|Conclusiones",
]  # fmt: skip


@each_row("names", LANGUAGES)
def test_an_abstract_with_parts_is_not_the_work_unless_the_work_has_no_more_pages(names: str) -> None:
    parts = "\n".join(f"{name}: {SENTENCE}" for name in names.split("|"))

    def doubt(*more: str, pages: int = 1, expected: int = 0) -> str:
        return abstracts.doubt_about(document("\n".join((TITLE, parts, *more)), count=pages, expected=expected))

    assert doubt().endswith(" words with the parts of an abstract, and no other text.")
    assert doubt(expected=9) != ""
    assert doubt(expected=1) == doubt("1 Introduction", *[SENTENCE] * 30, pages=2) == doubt(pages=3) == ""


UNKNOWN = "An unknown line is above the title: \u201c{}\u201d."


def unknown(*head: str, later: str = "", first: int = 1, end: str = "") -> str:
    """Return the doubt about a document with these lines above its title, and this one above its later pages."""
    pages = ["\n".join((*head, TITLE, "Ada Turf, Bo Reed", "Abstract", TEXT))]
    pages += [f"{later}\n{TEXT}"] * 4 + [f"{later}\n{TEXT}\n{end}"]
    return title_lines.doubt_about(document(*pages, number=first), RECORD)


def test_a_journal_that_a_record_lacks_is_known_by_references_with_its_volume_and_by_the_heads_of_pages() -> None:
    cited = "Reed, B. 2001. Fens and bogs. Nordic Slope 12, 3-9."
    assert unknown("Nordic Slope", end=cited) == unknown("Nordic Slope", later="NORDIC SLOPE 12", first=254) == ""
    for end in ("", "See our Nordic Slope 12 for teachers.", cited.replace(" 12, 3-9", " of the north")):
        assert unknown("Nordic Slope", end=end) == UNKNOWN.format("Nordic Slope")
    assert unknown("Nordic Slope", later="NORDIC SLOPE 12") == UNKNOWN.format("Nordic Slope")
    assert unknown("Nordic Slope", "Reading circle", end=cited) == UNKNOWN.format("Reading circle")
    label = "Peer review file"
    assert unknown(label, later=label, first=254, end=f"Reed, B. 2001. Fens. {label} 12, 3-9.") == unknown(label) != ""


@each_row("line", [
    "Proceedings of the 4th Conference on Fens, Lund, 2015", "978-1-4503-1234-5 © 2017 ACM. doi: 10.1145/1234.5678",
    "Tagungsband der Moortagung 2014",
])  # fmt: skip
def test_a_conference_of_another_year_is_another_version(line: str) -> None:
    def doubt(*lines: str, named: Named = RECORD) -> str:
        front = "\n".join((*lines, TITLE, "Ada Turf", "Abstract", TEXT))
        return other_versions.doubt_about(document(front, count=6), named)

    assert doubt(line) == f"Its first page names another year and a conference: “{line.lower()}”."
    assert doubt(line, "Annals of Wet Land") == doubt(line, "https://doi.org/10.5555/fens.7") == ""
    assert doubt(line, "© 2018 The Authors") == doubt(line, named=RECORD._replace(years=())) == ""
    assert doubt("arXiv:1504.01234v2 [physics.geo-ph] 3 Apr 2015") == doubt("Conference on Fens") == ""
