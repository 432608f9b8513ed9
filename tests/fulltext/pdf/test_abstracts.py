"""An abstract with named parts is not the work, unless the work has no more pages."""

from __future__ import annotations

from textwrap import fill

from gateway.model import Outcome
from harvester.fulltext.pdf.abstracts import doubt_about
from harvester.fulltext.pdf.document import Document, Facts
from harvester.fulltext.pdf.extraction import Extracted
from tests.rows import each_row

TITLE = "Drainage of peat meadows in the northern lowlands"
HEAD = f"{TITLE}\nAda Turf, Bo Reed\nInstitute of Peat"
SENTENCE = "The water of the plots was measured, and it fell in summer."
LANGUAGES = {
    "English": "Background|Methods|Results|Conclusions",
    "English of management": "Purpose|Design/methodology/approach|Findings|Originality/value",
    "German": "Hintergrund|Methodik|Ergebnisse|Schlussfolgerung",
    "French": "Contexte|Patients et méthodes|Résultats|Conclusion",
    "Spanish": "Objetivo|Material y métodos|Resultados|Conclusiones",
    "Portuguese": "Introdução|Métodos|Resultados|Conclusão",
    "Italian": "Scopo|Materiali e metodi|Risultati|Conclusioni",
}


def abstract(names: str, joint: str = "\n") -> str:
    """Return an abstract with parts of these names."""
    return joint.join(f"{name}: {SENTENCE}" for name in names.split("|"))


def doubt(*parts: str, pages: int = 1, expected: int = 0) -> str:
    """Return the doubt about a document with these parts."""
    text = "\n".join((HEAD, *parts))
    return doubt_about(Document(Extracted(Outcome.SUCCESS, pages, text, "", "pdfium", text), Facts((TITLE,), expected)))


@each_row("names", LANGUAGES.values())
@each_row("joint", ["\n", " "])
def test_an_abstract_with_parts_and_no_other_text_is_not_the_work(names: str, joint: str) -> None:
    text = fill(abstract(names, joint), 90) if joint == " " else abstract(names)
    assert (
        doubt(text)
        == f"It has {len((HEAD + text).split()) + 1} words with the parts of an abstract, and no other text."
    )
    assert doubt("Abstract", text, "Funding: none", pages=2) != ""


def test_the_names_of_the_parts_may_end_with_a_full_stop() -> None:
    assert doubt(abstract(LANGUAGES["English"]).replace(": ", ". ")) != ""


@each_row("names", LANGUAGES.values())
def test_an_article_has_its_own_text_behind_its_abstract(names: str) -> None:
    assert doubt(abstract(names), "1 Introduction", *[SENTENCE] * 30, pages=2) == ""
    assert doubt(abstract(names), *[SENTENCE] * 80, pages=2) == ""
    assert doubt(abstract(names), pages=3) == ""


def test_an_abstract_that_is_the_work_is_accepted() -> None:
    assert doubt(abstract(LANGUAGES["English"]), expected=1) == ""
    assert doubt(abstract(LANGUAGES["English"]), expected=9) != ""


@each_row(
    "text",
    [
        abstract("Background|Methods"),  # two parts
        abstract("Results|Results|Results"),
        "Methods were new. Results: none. We saw background: grey.",
        f"Background\n{SENTENCE}\nMethods\n{SENTENCE}\nResults\n{SENTENCE}",  # headings of a short note
    ],
)
def test_other_short_texts_are_no_abstracts(text: str) -> None:
    assert doubt(text) == ""
