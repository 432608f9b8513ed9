"""A file with another work behind the one in question is not the work, and neither is a book."""

from __future__ import annotations

from gateway.model import Outcome
from harvester.fulltext.pdf.document import Document, Facts
from harvester.fulltext.pdf.extraction import Extracted
from harvester.fulltext.pdf.several_works import doubt_about
from tests.rows import each_row

SENTENCE = "The water table of the plots was measured, and it fell in summer."
TEXT = "\n".join([SENTENCE] * 45)
SHORT_TEXT = "\n".join([SENTENCE] * 12)
REFERENCES = "References\n" + "\n".join(f"[{number}] Reed, B. Fens. 2001." for number in range(12))
WORK = f"A title\nAda Turf\nAbstract\n{TEXT}\n{REFERENCES}"
ANOTHER = "Another text with an abstract or an introduction is behind its references: it may have several works."


SEVERAL = "Its pages have several titles in the same size: it may have several works."


def doubt(*parts: str, pages: int = 12) -> str:
    """Return the doubt about a document with these parts."""
    text = "\n".join(parts)
    return doubt_about(Document(Extracted(Outcome.SUCCESS, pages, text, "", "pdfium", text), Facts(("A title",))))


@each_row("heading", ["Abstract", "Summary: it fell.", "1. Introduction", "Einleitung", "I INTRODUCTION"])
def test_another_work_begins_behind_references_and_has_its_own(heading: str) -> None:
    assert doubt(WORK, "Another title", "Bo Reed", heading, TEXT, REFERENCES) == ANOTHER


RIGHT = {
    "one work": (WORK,),
    "below the end of another work": ("the end of it.", REFERENCES, WORK),
    "an abstract in another language": (WORK, "Zusammenfassung", SHORT_TEXT),
    "an abstract in another language with a second list": (WORK, "Abstract", SHORT_TEXT, REFERENCES),
    "the beginning of the next work": (WORK, "Another title", "Abstract", TEXT),
    "an appendix with its own references": (WORK, "Appendix", TEXT, REFERENCES),
    "a section on the introduction of reed": (WORK, "Introduction of reed in the north", TEXT, REFERENCES),
    "nothing but text": (TEXT,),
}


@each_row("parts", RIGHT.values())
def test_a_file_with_one_work_has_no_other(parts: tuple[str, ...]) -> None:
    assert doubt(*parts) == ""


@each_row(
    "heading",
    ["Chapter {}", "CHAPTER {}. Fens", "{} Chapter", "Kapitel {}", "Chapitre {}: des tourbières", "Глава {}", "第{}章"],
)
def test_a_long_file_with_chapters_is_a_book(heading: str) -> None:
    parts = [f"{heading.format(number)}\n{TEXT}" for number in range(1, 5)]
    assert doubt(*parts, pages=60) == "It has 60 pages with 4 chapters, like a book."
    assert doubt(*parts, pages=48) == ""
    assert doubt(*parts[:2], *parts[:2], pages=60) == ""


@each_row("line", ["Chapter {} ....... {}", "chapter {} of the report says that water fell, and the rest " * 2])
def test_contents_and_sentences_are_no_headings_of_chapters(line: str) -> None:
    assert doubt(*(line.format(number, number) for number in range(1, 6)), TEXT, pages=60) == ""


def heights_of(*titles: str, size: float = 15.0, sections: float = 12.0) -> str:
    """Return the doubt about a page of short works with these titles, each with a line of text and one section."""
    lines, heights = [], []
    for title in titles:
        lines += [title, "Ada Turf", *[SENTENCE] * 3, "The soil of the plots below", SENTENCE]
        heights += [size, 10.0, *[10.0] * 3, sections, 10.0]
    text = "\n".join(lines)
    extracted = Extracted(Outcome.SUCCESS, 1, text, "", "pdfium", text, types=(tuple(heights),))
    return doubt_about(Document(extracted, Facts(("A title of some words",))))


def test_a_page_with_several_titles_of_one_size_has_several_works() -> None:
    """The page of a meeting whose first abstract is that of the work was taken for the work."""
    others = ("Sheep on the hills of the north", "What the wind does to reed", "Rain upon a field of stones")
    assert heights_of("A title of some words", *others) == SEVERAL
    assert heights_of("A title of some words", *others[:2]) == ""  # its translations, perhaps
    assert heights_of("A title of some words", *others, size=10.0) == ""  # as large as the text
    assert heights_of("A title of some words", *["A title of some words"] * 3) == ""
    assert heights_of("Another title of some words", *others) == ""
    sections = (f"{number}. {title}" for number, title in enumerate(others, 1))
    assert heights_of("A title of some words", *sections) == ""
    assert heights_of("A title of some words", *["Results"] * 3) == ""


def test_three_lists_of_references_are_those_of_several_works() -> None:
    """The articles of an issue without abstracts had notes only, and the whole issue was taken for the first one."""
    notes = REFERENCES.replace("References", "Notes")
    lists = "It has several lists of references, far from each other: it may have several works."
    assert doubt("A title", TEXT, notes, TEXT, notes, TEXT, notes) == lists
    assert doubt("A title", TEXT, notes, TEXT, notes) == ""
    assert doubt("A title", TEXT, notes, TEXT, "Notes", SHORT_TEXT, TEXT, "Literature", SHORT_TEXT) == ""
    assert doubt("A title", TEXT, notes, REFERENCES, REFERENCES) == ""
