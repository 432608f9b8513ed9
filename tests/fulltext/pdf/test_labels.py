# ruff: noqa: RUF001 - letters of other scripts, and marks as publishers print them
"""What a study leaves behind beside its article is not the article, though title, authors and words are the same."""

from __future__ import annotations

from gateway.fulltext.identification import is_identified
from gateway.model import DocumentKind, Outcome
from harvester.fulltext.pdf.document import Facts
from harvester.fulltext.pdf.document_kinds import kind_of
from harvester.fulltext.pdf.evidence import signs
from harvester.fulltext.pdf.extraction import Extracted
from harvester.fulltext.pdf.titles import title_of
from harvester.fulltext.pdf.work_names import Named
from tests.rows import each_row

TITLE = "Drainage of peat meadows in the northern lowlands"
FACTS = Facts((TITLE,))
BODY = "\n".join(f"The water table of plot {number} was measured, and it fell in summer." for number in range(30))
ARTICLE = f"Annals of Wet Land 12 (2019) 45-58\n{TITLE}\nAda Turf, Bo Reed\nAbstract\n{BODY}\n1 Introduction\n{BODY}"
A4, WIDE = (595.0, 842.0), (842.0, 595.0)
RECORD = Named(titles=(TITLE,), authors=("Turf, Ada", "Reed, Bo"), years=("2019",))


def a_document(front: str, rest: str = BODY, pages: int = 10, size: tuple[float, float] = A4) -> Extracted:
    """Return what was read of a document: page 1, and what follows."""
    return Extracted(Outcome.SUCCESS, pages, f"{front}\n{rest}", "", "pdfium", front, (500,) * pages, (size,) * pages)


LABELS = {
    DocumentKind.NOTICE: "STUDY PROTOCOL|OSF Preregistration|Lesson plan for grades 9–12|АВТОРЕФЕРАТ|A response by Ole"
    " Hansen|Plain language summary",
    DocumentKind.REVIEW: "Open Peer Review",
    DocumentKind.SUPPLEMENT: "Appendix — Not for Publication|Cuestionario|Participant information sheet",
    DocumentKind.FRONT_MATTER: "Conference programme|Letter of acceptance",
}


@each_row("label, kind", [(label, kind) for kind, labels in LABELS.items() for label in labels.split("|")])
def test_a_label_above_or_below_the_title_tells_what_the_document_is(label: str, kind: DocumentKind) -> None:
    plain = f"{TITLE}\nAda Turf\n{BODY}"
    assert kind_of(a_document(f"{label}\n{plain}", pages=3), FACTS) is kind
    assert kind_of(a_document(f"{TITLE}\nAda Turf\n{label}\n{BODY}", pages=3), FACTS) is kind
    assert kind_of(a_document(ARTICLE.replace("\n1 Intro", f"\n{label}\n1 Intro")), FACTS) is DocumentKind.ARTICLE


@each_row(
    "label",
    ["A dissertation", "Seminararbeit", "YÜKSEK LİSANS TEZİ", "Выпускная квалификационная работа", "卒業研究報告書"],
)
def test_a_page_with_nothing_but_a_title_and_a_degree_begins_a_thesis_however_short(label: str) -> None:
    front = f"University of Harlow\n{TITLE}\nAda Turf\n{label}\n2019"
    following = f"Abstract\n{BODY}\n1 Introduction\n{BODY}\nReferences"
    assert {kind_of(a_document(front, following, pages), FACTS) for pages in (6, 40)} == {DocumentKind.THESIS}
    article = f"{TITLE}\nAda Turf\nMaster's thesis\nAbstract\n{BODY}\n1 Introduction\n{BODY}"  # that was a thesis
    assert kind_of(a_document(article, pages=9), FACTS) is DocumentKind.ARTICLE


# Above an article: that it was retracted, that it may not be had, and that an embargo is over or another one.
ABOVE = {
    DocumentKind.NOTICE: "Zurückgezogen|ARTICLE RÉTRACTÉ|Artículo retractado: 12 de mayo de 2020|Articolo ritirato|"
    "СТАТЬЯ ОТОЗВАНА|Geri çekilen makale|撤稿声明|مقال مسحوب",
    DocumentKind.FRONT_MATTER: "Zugriff beschränkt|Acceso: cerrado\nAcceso cerrado|Доступ закрыт|暂不公开|"
    "Embargo: 24 months from publication|Strictly confidential|This thesis is under embargo until 9999-12-31.|"
    "The full text is embargoed indefinitely.|Access: restricted access|Restricted to Repository staff only|"
    "Full text not available|Access to this document is limited to members of the university.",
    DocumentKind.ARTICLE: "This item was under embargo until 31 May 2015.|Embargo: none|Embargo end date: 2015-05-31|"
    "Full text available|Access to peat is restricted in winter.|We study countries under embargo.",
}


@each_row("words, kind", [(words, kind) for kind, all_words in ABOVE.items() for words in all_words.split("|")])
def test_words_above_an_article_tell_that_it_was_retracted_or_may_not_be_had(words: str, kind: DocumentKind) -> None:
    assert kind_of(a_document(f"{words}\n{ARTICLE}"), FACTS) is kind


def test_pages_of_bullets_are_slides_a_wide_page_is_a_poster_and_an_article_with_highlights_is_none() -> None:
    bullets = "\n".join(f"Point {number}\n• Water fell in summer" for number in range(30))
    assert kind_of(a_document(f"{TITLE}\nAda Turf\n{bullets}", bullets), FACTS) is DocumentKind.POSTER
    highlights = "\n".join(f"• Water fell in year {number}" for number in range(25))
    assert kind_of(a_document(f"{ARTICLE}\n{highlights}"), FACTS) is not DocumentKind.POSTER
    wide = a_document(f"{TITLE}\nAda Turf\nIntroduction\n{BODY}\nReferences", "", 1, WIDE)
    assert kind_of(wide, FACTS) is DocumentKind.POSTER


@each_row("more", [
    " (2e partie)", "\n2. Mitteilung", " Сообщение 2", "（下）", " Part II", " of the last century", "\nrevisited",
    ": study protocol", ": a replication and extension", ": data set",
])  # fmt: skip
def test_a_title_that_goes_on_is_that_of_another_work(more: str) -> None:
    assert not is_identified(signs(f"Annals 2019\n{TITLE}{more}\nAda Turf, Bo Reed\nAbstract\n{BODY}", RECORD))


def test_a_title_that_was_cut_is_found_where_it_goes_on() -> None:
    assert title_of("Drainage of peat meadows in ...").text == "Drainage of peat meadows in\u2026"
    record = Named(titles=("Drainage of peat meadows in the ...",), authors=("Turf, Ada",), years=("2019",))
    assert is_identified(signs(f"Annals 2019\n{TITLE}\nAda Turf\nAbstract\n{BODY}", record))


@each_row("doi", ["10.5169/seals-123456", "10.3929/ethz-b-000123456", "10.5167/uzh-178904"])
def test_the_doi_of_a_repository_s_cover_is_not_that_of_another_work(doi: str) -> None:
    record = RECORD._replace(dois=("10.1234/dots.5",))
    first = f"{TITLE}\nAda Turf, Bo Reed\nDOI: https://doi.org/{doi}\nAbstract\n{BODY}"
    assert is_identified(signs(first, record))
    assert not is_identified(signs(first.replace(doi, "10.9999/other.1"), record))
