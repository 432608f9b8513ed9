"""Whether a document shows that it is an article, and which records an article is never the file of."""

from __future__ import annotations

from gateway.fulltext.decisions import Thresholds, rule
from gateway.model import Candidate, Outcome, Statement, Work
from harvester.fulltext.known_copies import Description
from harvester.fulltext.pdf.extraction import Extracted
from harvester.fulltext.pdf.judge import Verdict, expected, judge
from harvester.fulltext.pdf.record_kinds import other_type
from tests.rows import each_row

TITLE = "Drainage of peat meadows in the northern lowlands"
BODY = "\n".join(f"The water table of plot {number} was measured, and it fell in summer." for number in range(24))
TEXT = f"Abstract\n{BODY}\nReferences\n[1] A. Holm, Peat.\n[2] B. Holm, Bog.\n[3] C. Holm, Fen."


def a_record(*types: str, title: str = TITLE) -> Work:
    """Return a record with its title, its author, and these types."""
    return Work(
        (Statement("title", title), Statement("creator", "Turf, Ada"), *(Statement("type", type_) for type_ in types))
    )


def judged(front: str, *types: str, rest: str = TEXT, pages: int = 20) -> Verdict:
    """Return the verdict on a document of A4 pages for a record with these types."""
    text = f"{front}\n{rest}"
    document = Extracted(Outcome.SUCCESS, pages, text, "", "pdfium", front, (500,) * pages, ((595.0, 842.0),) * pages)
    return judge(document, expected(a_record(*types)))


HEAD = f"{TITLE}\nAda Turf"
ARTICLE = f"Annals of Wet Land 12 (2019) 45-58\n{TITLE}\nAda Turf, Bo Reed\nAbstract\n{BODY}\n1 Introduction\n{BODY}"


@each_row("types", [
    "Text; Poster", "Dataset", "http://purl.org/coar/resource_type/c_ddb1", "Source code", "image-figure",
    "Video recording", "info:eu-repo/semantics/lecture", "Vortrag", "Patent", "Erratum", "Keynote speech",
    "image/jpeg", "Notated Music",
])  # fmt: skip
def test_no_article_is_the_file_of_a_record_of_something_else(types: str) -> None:
    verdict = judged(ARTICLE, *types.split("; "))
    assert (verdict.outcome, verdict.is_auxiliary) == (Outcome.LOW_SCORE, True)
    assert verdict.doubt.endswith("and nothing shows that the file is of this type.")
    file = Candidate("https://x.example.org/a.pdf", "unpaywall", sha256="0" * 64, license="cc-by", score=0.9)
    file = file._replace(**{name: getattr(verdict, name) for name in ("outcome", "is_auxiliary", "kind")})
    ruling = rule(file._replace(kind_doubt=verdict.doubt), None, "2020", Thresholds(), "2026-11")
    assert ruling == ("review", verdict.doubt)


@each_row("types", [
    "Text; Article; info:eu-repo/semantics/article", "article; image", "Lecture notes", "Book review", "Data note",
    "Conference Paper / Presentation", "Software review", "Digital resource",
])  # fmt: skip
def test_an_article_is_the_file_of_a_record_that_may_be_one(types: str) -> None:
    verdict = judged(ARTICLE, *types.split("; "))
    assert (verdict.outcome, verdict.is_auxiliary) == (Outcome.SUCCESS, False)


def test_the_types_of_services_and_the_title_count_if_the_record_has_no_type() -> None:
    of_data = [Description(kind="Dataset")]
    assert other_type(a_record(), of_data) == other_type(a_record("Text"), of_data) == "Dataset"
    assert other_type(a_record("article"), of_data) == ""
    assert other_type(a_record("Erratum")) == "Erratum"
    assert other_type(a_record("Erratum", title=f"Erratum: {TITLE}")) == ""


@each_row("front, sign", [
    (ARTICLE, "\u201cannals of wet land 12 (2019) 45-58\u201d"),
    (f"{HEAD}\nReceived 3 May 2018; accepted 4 June\n{BODY}", "\u201creceived 3 may 2018; accepted\u201d"),
    (f"{HEAD}\nPreprint submitted to Peat Letters\n{BODY}", "\u201cpreprint submitted to\u201d"),
    (f"{HEAD}\nAccepted manuscript\n{BODY}", "it says that it is an accepted manuscript"),
    (f"{HEAD}\nAbstract\n{BODY}\n1 Introduction\n{BODY}", "its title, abstract and introduction are on one page"),
])  # fmt: skip
def test_no_article_is_the_file_of_a_record_of_a_thesis(front: str, sign: str) -> None:
    verdict = judged(front, "doctoralThesis")
    assert (verdict.outcome, verdict.is_auxiliary) == (Outcome.LOW_SCORE, True)
    assert verdict.doubt == f"The record describes a thesis, and the file seems to be an article: {sign}."


def test_a_thesis_without_its_degree_is_the_file_of_its_record_unless_it_is_short_and_has_an_abstract() -> None:
    front = f"{TITLE}\nAda Turf\n© 2019 Ada Turf. All rights reserved.\nDOI: 10.5555/thesis.1"
    assert judged(front, "Thesis", pages=120).outcome is Outcome.SUCCESS
    assert judged(f"{HEAD}\n{BODY}", "Thesis", pages=14, rest="").outcome is Outcome.SUCCESS
    short = judged(f"{HEAD}\nAbstract\n{BODY}", "Thesis", pages=14)
    assert short.doubt.endswith("it has 14 pages, with an abstract and references.")
