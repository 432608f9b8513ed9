"""Which version a document says that it is: in the words of publishers, and in other languages than English."""

from __future__ import annotations

from gateway.fulltext.decisions import Thresholds, rule
from gateway.model import Candidate, Outcome
from harvester.fulltext.pdf.extraction import Extracted
from harvester.fulltext.pdf.versions import version_in
from tests.rows import each_row

LOOK = "Annals of Wet Land 12 (2019) 45-58\nReceived 3 May 2018; accepted 4 July 2019\n© 2019 Fen. doi:10.5555/a.1"

PUBLISHERS = [
    # IOP
    ("To cite this article before publication: Turf et al 2019 Annals in press https://doi.org/10.5555/", "accepted"),
    ("Accepted Manuscript is “the version of the article accepted for publication”", "accepted"),
    # ACS
    ("This document is the Accepted Manuscript version of a Published Work that appeared in final form in", "accepted"),
    ("They are posted online prior to technical editing, formatting for publication and proofing.", "accepted"),
    ("This document is the unedited Author's version of a Submitted Work that was subsequently", "submitted"),
    # CUP
    ("This article has been published in a revised form in Annals of Wet Land", "accepted"),
    ("This is an Accepted Manuscript for Annals of Wet Land. This version may be subject to change", "accepted"),
    # Springer
    ("This version of the article has been accepted for publication, after peer review (when applicable)", "accepted"),
    ("accepted for publication but does not reflect post-acceptance improvements, or any corrections.", "accepted"),
    ("This preprint has not undergone peer review (when applicable) or any corrections.", "submitted"),
    # Elsevier
    ("As a service to our customers we are providing this early version of the manuscript.", "accepted"),
    ("This is a PDF of an article that has undergone enhancements after acceptance", "accepted"),
    # Wiley
    ("This is the pre-peer reviewed version of the following article: Turf, which has been published", "submitted"),
    ("This is the accepted version of the following article: Turf", "accepted"),
    # Taylor & Francis
    ("This is an original manuscript of an article published by Taylor & Francis in Annals", "submitted"),
    ("This is an original manuscript / preprint of an article published by Taylor & Francis", "submitted"),
    ("This is an Accepted Manuscript version of the following article, accepted for publication in", "accepted"),
    ("Accepted author version posted online: 3 May 2019.", "accepted"),
    # others
    ("This is a pre-copyedited, author-produced version of an article accepted for publication in", "accepted"),
    ("This is a non-final version of an article published in final form in Annals", "accepted"),
]

LANGUAGES = [
    ("Manuscrit accepté pour publication", "accepted"), ("Version auteur acceptée", "accepted"),
    ("Manuscrit auteur, publié dans « Annales des tourbières »", "accepted"),
    ("Version acceptée du manuscrit", "accepted"), ("Akzeptierte Manuskriptfassung", "accepted"),
    ("Zur Veröffentlichung angenommene Fassung", "accepted"), ("Angenommenes Manuskript", "accepted"),
    ("Manuscrito aceptado para su publicación", "accepted"), ("Versión aceptada del manuscrito", "accepted"),
    ("Manuscrito aceito", "accepted"), ("Versão do autor aceita", "accepted"),
    ("Manoscritto accettato per la pubblicazione", "accepted"), ("Versione dell'autore accettata", "accepted"),
    ("Manuscrit soumis à la revue Annales", "submitted"), ("Version soumise", "submitted"),
    ("Eingereichtes Manuskript", "submitted"), ("Zur Veröffentlichung eingereicht", "submitted"),
    ("Manuskript eingereicht bei Annalen der Moore", "submitted"),
    ("Manuscrito enviado para publicación", "submitted"), ("Versión enviada a la revista", "submitted"),
    ("Manuscrito submetido à revista", "submitted"), ("Versione sottoposta", "submitted"),
    ("Manoscritto inviato per la pubblicazione", "submitted"),
]  # fmt: skip

DATES = """
    Manuscrit accepté le 3 mai 2019
    Manuscrit accepté : 12 mai 2019
    Artikel eingereicht am 3. Mai 2018, angenommen am 4. Juli 2019
    Manuskript eingereicht: 3.5.2018
    Manuscrito aceptado el 3 de mayo de 2019
    Manuscrito enviado: 3-5-2018
    Artigo aceito em 3 de maio de 2019
    Artigo submetido em 3 de maio de 2018
    Articolo accettato il 3 maggio 2019
    Manoscritto inviato il 3 maggio 2018
"""
PROSE = [
    "The manuscript of an article published by hand was accepted by nobody, and the version of 1802 was lost.",
    "La version acceptée par les historiens du dix-neuvième siècle repose sur trois chartes de 1402.",
    "version acceptée par les historiens du siècle",
    "Das eingereichte Manuskript von 1802 blieb ungedruckt.",
]


def a_page(*lines: str) -> Extracted:
    """Return the first page of an article that looks published, with these lines below its head."""
    text = "\n".join((LOOK, "Drainage of peat meadows", "Ada Turf, Bo Reed", *lines, "Abstract", "The water fell."))
    return Extracted(Outcome.SUCCESS, 8, text, "", "pdfium", text)


@each_row("words, version", PUBLISHERS + LANGUAGES)
def test_a_statement_counts_more_than_the_look_of_a_published_article(words: str, version: str) -> None:
    assert version_in(a_page()) == "published"
    assert version_in(a_page(words)) == version
    assert version_in(a_page(f"({words.upper()})" if len(words) < 60 else words)) == version


@each_row("words", [line.strip() for line in DATES.strip().splitlines()] + PROSE)
def test_dates_and_sentences_with_the_same_words_are_no_statement(words: str) -> None:
    assert version_in(a_page(words)) == "published"


@each_row("words", ["Manuscrit accepté pour publication", PUBLISHERS[2][0]])
def test_a_manuscript_that_a_service_calls_published_goes_to_review(words: str) -> None:
    file = Candidate(
        "https://x.example.org/a.pdf", "unpaywall", outcome=Outcome.SUCCESS, sha256="0" * 64, license="cc-by",
        score=0.9, covered=1.0, identified_by=("doi", "title"), version="published",
        text_version=version_in(a_page(words)),
    )  # fmt: skip
    ruling = rule(file, None, "2019", Thresholds(), "2026-11")
    assert (ruling.verdict, "its text says that it is the accepted one" in ruling.reason) == ("review", True)
