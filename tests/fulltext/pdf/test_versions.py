"""Which version a document says that it is: in the words of publishers, and in other languages than English."""

from gateway.core.model import Candidate, Outcome
from gateway.fulltext.decisions import Thresholds, rule
from harvester.fulltext.pdf.extraction import Extracted
from harvester.fulltext.pdf.judge import version_in
from tests.rows import each_row

LAYOUT = "Annals of Wet Land 12 (2019) 45-58\nReceived 3 May 2018; accepted 4 July 2019\n© 2019 Fen. doi:10.5555/a.1"

STATED = [
    ("To cite this article before publication: Turf et al 2019 Annals in press https://doi.org/10.5555/", "accepted"),
    ("This document is the Accepted Manuscript version of a Published Work that appeared in final form in", "accepted"),
    ("This document is the unedited Author's version of a Submitted Work that was subsequently", "submitted"),
    ("This version of the article has been accepted for publication, after peer review (when applicable)", "accepted"),
    ("As a service to our customers we are providing this early version of the manuscript.", "accepted"),
    ("This is the pre-peer reviewed version of the following article: Turf, which has been published", "submitted"),
    ("This is a pre-copyedited, author-produced version of an article accepted for publication in", "accepted"),
    ("Manuscrit accepté pour publication", "accepted"), ("Version acceptée du manuscrit", "accepted"),
    ("Zur Veröffentlichung angenommene Fassung", "accepted"), ("Manuscrito aceptado para su publicación", "accepted"),
    ("Versão do autor aceita", "accepted"), ("Manoscritto accettato per la pubblicazione", "accepted"),
    ("Manuscrit soumis à la revue Annales", "submitted"), ("Eingereichtes Manuskript", "submitted"),
    ("Manuscrito enviado para publicación", "submitted"), ("Versione sottoposta", "submitted"),
]  # fmt: skip


def a_page(*lines: str, layout: str = LAYOUT) -> Extracted:
    """Return the first page of an article that looks published, with these lines below its head."""
    text = "\n".join((layout, "Drainage of peat meadows", "Ada Turf, Bo Reed", *lines, "Abstract", "The water fell."))
    return Extracted(Outcome.SUCCESS, 8, text, "", "pdfium", text)


@each_row("words, version", STATED)
def test_a_statement_counts_more_than_the_layout_of_a_published_article(words: str, version: str) -> None:
    assert version_in(a_page()) == "published"
    assert version_in(a_page(words)) == version
    assert version_in(a_page(f"({words.upper()})" if len(words) < 60 else words)) == version


@each_row("words", [
    "Manuscrit accepté le 3 mai 2019", "Artikel eingereicht am 3. Mai 2018, angenommen am 4. Juli 2019",
    "Manuscrito enviado: 3-5-2018", "Artigo aceito em 3 de maio de 2019", "Articolo accettato il 3 maggio 2019",
    "The manuscript of an article published by hand was accepted by nobody, and the version of 1802 was lost.",
    "La version acceptée par les historiens du dix-neuvième siècle repose sur trois chartes de 1402.",
])  # fmt: skip
def test_dates_and_sentences_with_the_same_words_are_no_statement(words: str) -> None:
    assert version_in(a_page(words)) == "published"


FOUND = Candidate(
    "https://x.example.org/a.pdf", "unpaywall", outcome=Outcome.SUCCESS, sha256="0" * 64, license="cc-by", score=0.9,
    has_doi=True, has_title=True, covered=1.0, identified_by=("doi", "title"),
)  # fmt: skip


@each_row("version, text_version, verdict", [
    ("published", "submitted", "review"), ("accepted", "published", "review"), ("published", "published", "accept"),
    ("published", "", "accept"), ("", "submitted", "accept"),
])  # fmt: skip
def test_where_text_and_service_disagree_on_the_version_a_person_decides(version, text_version, verdict) -> None:
    ruling = rule(FOUND._replace(version=version, text_version=text_version), None, "2019", Thresholds(), "2026-11")
    assert ruling.verdict == verdict
    assert (f"its text says that it is the {text_version} one" in ruling.reason) is (verdict == "review")
