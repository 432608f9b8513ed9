# ruff: noqa: RUF001 - letters of other scripts, and marks as publishers print them
"""What kind of document a file is, which version, how many pages the work has, and what the record describes."""

from gateway.core.model import Candidate, DocumentKind, Outcome, Statement, Work
from gateway.fulltext.decisions import KINDS, Thresholds, rule
from gateway.fulltext.search_result import is_identified
from harvester.fulltext.known_copies import Description
from harvester.fulltext.page_ranges import number_of_pages
from harvester.fulltext.pdf.document import Facts
from harvester.fulltext.pdf.evidence import signs
from harvester.fulltext.pdf.extraction import Extracted
from harvester.fulltext.pdf.judge import Expected, Verdict, expected, judge
from harvester.fulltext.pdf.record_kinds import WORKS, kind_of_record, kind_of_type, other_type
from harvester.fulltext.pdf.rules import named
from harvester.fulltext.pdf.work_names import Named
from tests.rows import each_row

TITLE = "Drainage of peat meadows in the northern lowlands"
FACTS, NOTHING = Facts((TITLE,)), Facts()
WORK = Work((Statement("title", TITLE), Statement("creator", "Turf, Ada")))
BODY = "\n".join(f"The water table of plot {number} was measured, and it fell in summer." for number in range(30))
RECORD = Named(titles=(TITLE,), authors=("Turf, Ada", "Reed, Bo"), years=("2019",))


def kind_of(extracted: Extracted, facts: Facts = NOTHING, url: str = "") -> DocumentKind:
    return judge(extracted, Expected((), facts.titles, (), facts.pages, facts.kind), url).kind


def record(*statements: tuple[str, str]) -> Work:
    return Work(tuple(Statement(element, text) for element, text in statements))


def a_document(front: str, rest: str = BODY, pages: int = 10) -> Extracted:
    """Return what was read of a document: page 1, and what follows."""
    return Extracted(Outcome.SUCCESS, pages, f"{front}\n{rest}", "", "pdfium", front)


ARTICLE = f"Annals of Wet Land 12 (2019) 45-58\n{TITLE}\nAda Turf, Bo Reed\nAbstract\n{BODY}\n1 Introduction\n{BODY}"


SUPPLEMENTS = """
    mmc1.pdf NIHMS1411-supplement-1.pdf pnas.1234567110.sapp.pdf pnas.201212345SI.pdf journal.pone.0123456.s001.pdf
    DataSheet1.pdf Additional%20file%201.pdf ja1234567SupInfo.pdf adma201501234-sup-0001-S1.pdf si.pdf S1_File.pdf
    12864_2015_1234_MOESM1_ESM.pdf nature12345-s1.pdf SupportingInformation.pdf sj-pdf-1-abc-10.1177_0123.pdf
    nejmoa1234567_appendix.pdf aaa1234_sm.pdf Extended_Data_Fig_2.pdf mbo001191234st1.pdf S0001234500001234sup001.pdf
    reed12aSupple.pdf
"""
REVIEWS = "peer_review_file.pdf decision_letter.pdf acp-2012-123-RC1.pdf hess-2019-1-referee-report.pdf"
NEITHER = """
    Supply_chain.pdf Sisi.pdf essays.pdf a.pdf support.pdf Superior.pdf supermarket_data.pdf peer_reviewed.pdf
    appendicitis.pdf chapter-s001.pdf 2015-s1.pdf s1.pdf table_of_elements.pdf mmcs.pdf S2-model.pdf
    literature_review_reports.pdf data_sheets_for_datasets.pdf s41586-020-1234-5.pdf
"""


@each_row("names, kind", [(SUPPLEMENTS, DocumentKind.SUPPLEMENT), (REVIEWS, DocumentKind.REVIEW), (NEITHER, None)])
def test_the_name_of_a_file_tells_supplements_and_peer_reviews(names: str, kind: DocumentKind | None) -> None:
    for name in names.split():
        name_says = named(f"https://x.example.org/a/{name}?download=1")
        assert (name_says.kind if name_says else None) is kind, name


@each_row("url", [
    "https://w.example.org/action/downloadSupplement?doi=10.1002%2Fadma.1&file=adma-sup-0001-SuppMat.pdf",
    "https://p.example.org/article/file?type=supplementary&id=info:doi/10.1371/journal.pone.0123456.s001",
    "https://a.example.org/doi/suppl/10.1021/x/suppl_file/ja_1.pdf",
    "https://r.example.org/suppdata/c5/sc/c5sc01234a/c5sc01234a1.pdf", "https://www.mdpi.com/1422-0067/20/1/1/s1",
])  # fmt: skip
def test_addresses_of_supplements_are_known_by_parameter_and_folder(url: str) -> None:
    assert named(url) == (DocumentKind.SUPPLEMENT, True)
    assert named("https://x.example.org/x/31/suppl_1/D34/1.pdf") is None  # the supplement of a volume


COVER = f"This is a repository copy of {TITLE}\nVersion: Published Version\nTakedown policy\n"
LINK = "*S Supporting Information\nSupporting Information\nABSTRACT"
DOCUMENTS = [
    (DocumentKind.ARTICLE, a_document(ARTICLE)),
    (DocumentKind.NOTICE, a_document(f"Annals of Wet Land 13 (2020) 7\nE R R A T U M\n{TITLE}\nAda Turf", pages=1)),
    (DocumentKind.NOTICE, a_document(f"Comment on “{TITLE}”\nC. Dune\nAbstract\n{BODY}", pages=5)),
    (DocumentKind.NOTICE, a_document(f"RETRACTED ARTICLE\n{ARTICLE}")),
    (DocumentKind.NOTICE, a_document(f"{ARTICLE}RETRACTED\n{BODY}")),
    (DocumentKind.NOTICE, a_document(f"Übersetzung aus dem Russischen\n{TITLE}\nAda Turf\n{BODY}")),
    (DocumentKind.SUPPLEMENT, a_document(f"Supporting Information\n{ARTICLE.partition(chr(10))[2]}")),
    (DocumentKind.SUPPLEMENT, a_document(f"README\n{TITLE}\nplots.csv: one line a plot", pages=1)),
    (DocumentKind.THESIS, a_document(f"{TITLE}\nAda Turf\nUniversity of Graz\nDoctor of Philosophy", pages=150)),
    (DocumentKind.VOLUME, a_document(f"Book of Abstracts\nNinth Meeting on Peat\n{TITLE}\n{BODY}", pages=4)),
    (DocumentKind.PREPRINT, a_document(f"arXiv:1912.01234v2 [physics.geo-ph] 3 Dec 2019\n{ARTICLE}")),
    (DocumentKind.UNKNOWN, a_document(f"{TITLE}\n{BODY}", pages=4)),
    # an article that names its supplement, and one with a word of a retraction
    (DocumentKind.ARTICLE, a_document(f"Cite This: Ann. 2020, 1, 2\n{TITLE}\nAda Turf\n{LINK}")),
    (DocumentKind.ARTICLE, a_document(f"{ARTICLE} We cite a retracted article\n{BODY}")),
    # behind the cover of a repository
    (DocumentKind.ARTICLE, Extracted(Outcome.SUCCESS, 9, f"{COVER}\n{ARTICLE}", BODY, "pdfium", COVER)),
    (DocumentKind.NOTICE, Extracted(Outcome.SUCCESS, 2, f"{COVER}\nErratum\n{TITLE}\n{BODY}", "", "pdfium", COVER)),
    # what could not be read has the kind of its name, and this has none
    (DocumentKind.UNKNOWN, Extracted(Outcome.NO_TEXT)),
]  # fmt: skip


@each_row("kind, document", DOCUMENTS)
def test_a_document_says_what_it_is_and_is_never_found_for_a_record_of_another_kind(
    kind: DocumentKind, document: Extracted
) -> None:
    assert kind_of(document, FACTS) is kind
    if kind not in WORKS:
        verdict = judge(document, expected(Work((*WORK.statements, Statement("type", "article")))))
        assert (verdict.is_auxiliary, verdict.outcome is Outcome.SUCCESS) == (True, False)


def test_a_thesis_may_be_the_file_of_a_record_without_a_type() -> None:
    assert judge(dict(DOCUMENTS)[DocumentKind.THESIS], expected(WORK)).outcome is Outcome.SUCCESS


@each_row("title", [
    "Retraction of papers on peat in twelve journals", "Supplementary material in journals of hydrology",
    "Comment on the use of drains by early farmers", "Poster sessions at meetings of hydrologists",
    "Reviewer 2 and other tales of peer review",
])  # fmt: skip
def test_the_title_of_the_work_itself_says_nothing_of_its_kind(title: str) -> None:
    first, _, rest = title.partition(" in ")
    front = f"Annals 12 (2019) 45\n{first}\n{'in ' if rest else ''}{rest}\nAda Turf\nAbstract\n{BODY}"
    assert kind_of(a_document(front), Facts((title,))) is DocumentKind.ARTICLE


def test_a_short_file_without_references_may_be_a_part_of_the_work_unless_that_is_as_short() -> None:
    def doubt(rest: str, pages: int = 0) -> str:
        document = a_document(f"Correspondence\n{TITLE}\nAda Turf\n{BODY}", rest, 1)
        return judge(document, Expected((), (TITLE,), (TITLE,), pages, named=RECORD)).doubt

    assert doubt("") == "It has no references and two pages at most: it may be a part of the work."
    assert (doubt("References\n[1] A"), doubt("", 1)) == ("", "")


def test_the_name_of_a_file_counts_less_than_the_first_page_unless_it_is_a_publisher_s_own_form() -> None:
    assert kind_of(a_document(ARTICLE), FACTS, "https://x.example.org/Annals_Suppl_2.pdf") is DocumentKind.ARTICLE
    assert kind_of(a_document(TITLE), FACTS, "https://x.example.org/a_suppl.pdf") is DocumentKind.SUPPLEMENT
    assert kind_of(a_document(ARTICLE), FACTS, "https://x.example.org/mmc2.pdf") is DocumentKind.SUPPLEMENT
    assert kind_of(Extracted(Outcome.NO_TEXT), url="https://x.example.org/si.pdf") is DocumentKind.SUPPLEMENT


@each_row("word, kind", [
    ("http://purl.org/coar/resource_type/c_db06", DocumentKind.THESIS),
    ("https://purl.org/coar/resource_type/C_6670/", DocumentKind.POSTER),
    ("info:eu-repo/semantics/article", DocumentKind.ARTICLE),
    ("info:eu-repo/semantics/publishedVersion", DocumentKind.UNKNOWN),
    ("Peer reviewed", DocumentKind.UNKNOWN), ("peer-review", DocumentKind.REVIEW),
    ("Review article", DocumentKind.ARTICLE), ("Master's thesis", DocumentKind.THESIS),
    ("Hochschulschrift", DocumentKind.THESIS), ("Yüksek lisans", DocumentKind.THESIS), ("Doktora", DocumentKind.THESIS),
    ("book-chapter", DocumentKind.ARTICLE), ("Book", DocumentKind.VOLUME), ("posted-content", DocumentKind.PREPRINT),
    ("journal-article", DocumentKind.ARTICLE), ("journal-issue", DocumentKind.VOLUME), ("erratum", DocumentKind.NOTICE),
    ("supplementary-materials", DocumentKind.SUPPLEMENT), ("Text", DocumentKind.UNKNOWN), ("", DocumentKind.UNKNOWN),
])  # fmt: skip
def test_words_for_types_mean_kinds(word: str, kind: DocumentKind) -> None:
    assert kind_of_type(word) is kind


def test_a_record_is_of_the_kind_that_its_title_its_types_and_services_tell() -> None:
    thesis = (("type", "Text"), ("type", "article"), ("type", "Doctoral thesis"))
    assert kind_of_record(record(("title", TITLE), *thesis)) is DocumentKind.THESIS
    assert kind_of_record(record(("title", f"Erratum: {TITLE}"), ("type", "article"))) is DocumentKind.NOTICE
    assert kind_of_record(record(("title", TITLE)), [Description(kind="dissertation")]) is DocumentKind.THESIS
    own = record(("title", TITLE), ("type", "article"))
    assert kind_of_record(own, [Description(kind="dissertation")]) is DocumentKind.ARTICLE
    assert kind_of_record(record(("title", TITLE))) is DocumentKind.UNKNOWN
    for volume in ("Journal of Gardens", "Proceedings of the 12th Workshop on Dots", "The Handbook of Quiet Gardens"):
        assert kind_of_record(record(("title", volume))) is DocumentKind.VOLUME
        assert kind_of_record(record(("title", volume), ("type", "article"))) is DocumentKind.ARTICLE


@each_row("text, pages", [("45-58", 14), ("1234-45", 12), ("L12-L15", 4), ("45", 0), ("58-45", 0), ("1-99999", 0)])
def test_a_range_of_pages_tells_their_number(text: str, pages: int) -> None:
    assert number_of_pages(text) == pages


def test_a_supplement_ends_as_that() -> None:
    document = a_document(f"Supporting Information\n{TITLE}\nAda Turf")
    assert judge(document, expected(WORK)).outcome is Outcome.SUPPLEMENT
    assert judge(a_document(ARTICLE), expected(WORK), "https://x.example.org/mmc1.pdf").outcome is Outcome.SUPPLEMENT
    assert judge(Extracted(Outcome.NO_TEXT), expected(WORK), "https://x.example.org/mmc1.pdf").outcome == "supplement"


FOUND = Candidate(
    "https://x.example.org/a.pdf", "unpaywall", outcome=Outcome.SUCCESS, sha256="0" * 64, score=0.9, license="cc-by",
    has_doi=True, has_title=True, identified_by=("doi", "title"),
)  # fmt: skip


@each_row("kind", KINDS)
def test_no_rule_accepts_a_file_of_another_kind(kind: DocumentKind) -> None:
    ruling = rule(FOUND._replace(kind=kind, is_auxiliary=True), None, "2020", Thresholds(), "2026-11")
    assert ruling.verdict == "review"
    assert ruling.reason.startswith(f"The file seems to be {KINDS[kind]}; ")


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


def test_a_head_that_the_file_draws_last_tells_that_it_may_not_be_had() -> None:
    assert kind_of(a_document(f"{ARTICLE}\nAcceso cerrado"), FACTS) is DocumentKind.FRONT_MATTER


@each_row("more", [
    " (2e partie)", " Сообщение 2", "（下）", " Part II", " of the last century",
    ": study protocol", ": a replication and extension", ": data set",
])  # fmt: skip
def test_a_title_that_goes_on_is_that_of_another_work(more: str) -> None:
    assert not is_identified(signs(f"Annals 2019\n{TITLE}{more}\nAda Turf, Bo Reed\nAbstract\n{BODY}", RECORD))


@each_row("doi", ["10.5169/seals-123456", "10.3929/ethz-b-000123456", "10.5167/uzh-178904"])
def test_the_doi_of_a_repository_s_cover_is_not_that_of_another_work(doi: str) -> None:
    record = RECORD._replace(dois=("10.1234/dots.5",))
    first = f"{TITLE}\nAda Turf, Bo Reed\nDOI: https://doi.org/{doi}\nAbstract\n{BODY}"
    assert is_identified(signs(first, record))
    assert not is_identified(signs(first.replace(doi, "10.9999/other.1"), record))


TEXT = f"Abstract\n{BODY}\nReferences\n[1] A. Holm, Peat.\n[2] B. Holm, Bog.\n[3] C. Holm, Fen."


def a_record(*types: str, title: str = TITLE) -> Work:
    return record(("title", title), ("creator", "Turf, Ada"), *(("type", type_) for type_ in types))


def judged(front: str, *types: str, rest: str = TEXT, pages: int = 20) -> Verdict:
    """Return the verdict on a document for a record with these types."""
    return judge(a_document(front, rest, pages), expected(a_record(*types)))


HEAD = f"{TITLE}\nAda Turf"


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


def test_a_short_article_is_not_the_file_of_a_record_of_a_thesis() -> None:
    front = f"{TITLE}\nAda Turf\n© 2019 Ada Turf. All rights reserved.\nDOI: 10.5555/thesis.1"
    assert judged(front, "Thesis", pages=120).outcome is Outcome.SUCCESS
    short = judged(f"{HEAD}\nAbstract\n{BODY}", "Thesis", pages=14)
    assert short.doubt == "The record describes a thesis, and the file is like an article of 14 pages."
