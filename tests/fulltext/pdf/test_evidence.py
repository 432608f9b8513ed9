# ruff: noqa: RUF001 - letters of other scripts, and marks as publishers print them
"""What identifies a work: only what stands where a document names itself, never what it says of other works."""

from gateway.core.model import Candidate, Outcome, Statement, Work
from gateway.fulltext.decisions import Thresholds, rule
from gateway.fulltext.search_result import Sign, is_identified
from harvester.fulltext.identifiers import identifiers_of
from harvester.fulltext.known_copies import DATACITE, Description, Related
from harvester.fulltext.pdf.evidence import signs
from harvester.fulltext.pdf.extraction import Extracted
from harvester.fulltext.pdf.judge import version_in
from harvester.fulltext.pdf.work_names import Named, named_of
from tests.rows import each_row

TITLE = "Coherence of quantum dots in gardens of the north"
DOI = "10.1234/dots.5"
RECORD = Named((("doi", DOI),), (TITLE,), ("Matthiesen, C.", "Atatüre, M."), ("2012",), ("Journal of Gardens",))
PROSE = (
    "We measured the light of many small things in the long grass and found that it was rather bright at night.\n" * 12
)
OTHER = "Decoherence of donors in silicon"


def page(*lines: str) -> str:
    return "\r\n".join((*lines, "Abstract", PROSE))


OWN = page("Journal of Gardens 12 (2012) 1-9", TITLE, "C. Matthiesen1, M. Atatüre2", "Cambridge")


@each_row("first", [
    OWN, page("Coherence of quantum dots in", "gardens of the north*", "C. Matthiesen"),
    page("COHERENCE OF QUAN-", "TUM DOTS IN GARDENS OF THE NORTH", "C. MATTHIESEN"),
    page("C O H E R E N C E of Quantum Dots in Gardens of the North", "C. Matthiesen"),
    page("Research Article", f"{TITLE} 1", "Matthiesen et al."),
    page(f"Original article: {TITLE}", "Matthiesen et al."),
    page(f"{TITLE} C. Matthiesen, M. Atatüre", "Cambridge"),
    page("We have made a small note of it.", TITLE, "C. Matthiesen"),
    "Institutional repository: terms of use\fpage\r\n" + OWN,
])  # fmt: skip
def test_a_title_stands_where_a_document_names_itself(first: str) -> None:
    assert Sign.TITLE in signs(first, RECORD)


# Each of them has the title, most the authors, and some the DOI.
ANOTHER = {
    "in running text": page(OTHER, "C. Matthiesen", f"Here we go on from {TITLE} by the same group."),
    "behind the abstract": page(OTHER, "C. Matthiesen") + f"\r\n{TITLE}\r\nC. Matthiesen",
    "in a footnote with its DOI": page(OTHER, "C. Matthiesen")
    + f"\r\n1 Matthiesen, C. {TITLE}. J. Gardens 12, 1 (2012). doi:{DOI}",
    "a DOI in running text": page(OTHER, "C. Matthiesen", f"We used the small dots of the doi:{DOI} as they were."),
    "the DOI of a volume": page(OTHER, "C. Matthiesen", f"Volume DOI: {DOI}"),
    "a comment": page(f"Comment on “{TITLE}”", "A. Nother", f"doi:{DOI}"),
    "a supplement": page("Supplementary information", TITLE, "C. Matthiesen", f"doi:{DOI}"),
    "another part": page(f"{TITLE} II", "C. Matthiesen"),
    "a list of contents": page("Journal of Gardens 2012", f"{TITLE} . . . . 17", "Decoherence of donors . . . . 31"),
    "the next article on the page": page(OTHER, "A. Nother") + f"\r\nReferences\r\n1. X\r\n{TITLE}\r\nC. Matthiesen",
    "a longer DOI": page(OTHER, "C. Matthiesen", f"doi:{DOI}55"),
    "a title that goes on": page(TITLE, "are brighter than donors in southern fields", "A. Nother"),
    "a title with a word of another meaning": page(TITLE.replace("north", "south"), "C. Matthiesen"),
    "other authors' work of the same name": page(TITLE, "A. Nother", "Oxford"),
}


@each_row("first", ANOTHER.values())
def test_what_a_document_says_of_another_work_identifies_nothing(first: str) -> None:
    assert not is_identified(signs(first, RECORD))


LONG = "A randomised controlled trial of the coherence of quantum dots in the gardens of northern Europe and Asia"


def test_a_long_title_identifies_nothing_where_others_wrote_it() -> None:
    record = RECORD._replace(titles=(LONG,))
    assert Sign.TITLE in signs(page(LONG, "C. Matthiesen"), record)
    assert Sign.TITLE in signs(page(LONG, "A. Nother"), record._replace(authors=()))
    assert not is_identified(signs(page(LONG, "Quentin Zimmer, Xaver Ypsilon"), record))
    assert not is_identified(signs(page(LONG), record))


@each_row("first", [
    page("Proceedings of the 3rd Workshop, 2014", "doi: 10.6666/conf.1", TITLE, "C. Matthiesen"),
    page("Gardens 12", TITLE, "C. Matthiesen") + "\r\nhttps://doi.org/10.6666/conf.1\r\n",
])  # fmt: skip
def test_a_file_that_states_another_doi_is_perhaps_another_version(first: str) -> None:
    record = RECORD._replace(dois=(DOI, "10.5555/version"))
    assert Sign.ANOTHER_DOI in signs(first, record)
    assert not is_identified(signs(first, record))
    assert is_identified(signs(first, RECORD))
    assert is_identified(signs(first, record._replace(dois=(DOI, "10.6666/conf.1"))))
    assert is_identified(signs(first.replace("10.6666/conf.1", "10.48550/arXiv.2001.00001"), record))
    assert is_identified(signs(f"{first}\r\nVersion of record: https://doi.org/{DOI}", record))


@each_row("line", [
    "Data: we put them at the small place doi:10.6666/conf.1 for all to see",
    "Data are available at https://doi.org/10.6666/conf.1", "1 Reed, A. J. Gard. 11, 1. doi:10.6666/conf.1",
    "Reed, A. J. Gard. 11, 1. doi:10.6666/conf.1",
])  # fmt: skip
def test_the_doi_of_what_a_file_cites_is_not_stated_as_its_own(line: str) -> None:
    record = RECORD._replace(dois=(DOI,))
    assert is_identified(signs(f"{page(TITLE, 'C. Matthiesen')}\r\n{line}", record))


@each_row("first, sign", [
    (page("J. Gardens", f"https://doi.org/{DOI.upper()}", "Kohärenz", "C. Matthiesen"), Sign.DOI),
    (page("Kohärenz", "C. Matthiesen") + f"\r\n© 2012 The authors. doi: {DOI}\r\n", Sign.DOI),
    (page("Kohärenz", "C. Matthiesen", f"Cite this article as: C. Matthiesen, Kohärenz. doi:{DOI}"), Sign.DOI),
    (page("Coherence of quan dots in gardens", f"C. Matthiesen\nCite this as: {TITLE}. doi:{DOI}"), Sign.DOI),
    (OWN + "\r\nhttps://doi.org/10.1234/\r\ndots.5", Sign.DOI),
])  # fmt: skip
def test_a_document_states_its_own_doi(first: str, sign: Sign) -> None:
    assert sign in signs(first, RECORD)


def test_a_short_title_needs_an_author() -> None:
    short = Named(titles=("Quantum dots",), authors=("Matthiesen",), years=("2012",))
    assert Sign.TITLE in signs(page("Quantum dots", "Matthiesen"), short)
    assert not is_identified(signs(page("Quantum dots", "Nother", "2012"), short))
    assert not is_identified(signs(page("Quantum dots"), Named(titles=("Quantum dots",))))


@each_row("title", ["Editorial", "Book Reviews", "От редакции", "編集後記"])
def test_a_title_of_hundreds_of_works_identifies_none(title: str) -> None:
    record = Named(titles=(title,), authors=("Matthiesen",), years=("2012",), venues=("Journal of Gardens",))
    assert not is_identified(signs(page("Journal of Gardens 2012", title, "C. Matthiesen"), record))


@each_row("known, written", [
    ("Квантовые точки в садах", "КВАНТОВЫЕ ТОЧКИ В САДАХ"),
    ("庭園における量子ドットの研究", "庭園 に お け る\r\n量子ドットの研究"),
    ("النقاط الكمومية في الحدائق", "النقاط الكمومية في الحدائق"),
    ("Efficient fields of flowers", "E\ufb03cient \ufb01elds of \ufb02owers"),
    ("Décohérence à l'Œuvre: où", "DECOHERENCE A L’OEUVRE: OU"),
])  # fmt: skip
def test_titles_of_all_scripts_are_found(known: str, written: str) -> None:
    assert Sign.TITLE in signs(page("J. Gard. 12", written, ""), Named(titles=(known,)))


@each_row("known, written", [
    ("Interspecific competition of grasses in fields", "Intraspecific competition of grasses in fields"),
    ("Symmetric motion of grasses in the wide fields", "Asymmetric motion of grasses in the wide fields"),
    ("Motion of grasses in wide fields in 1998", "Motion of grasses in wide fields in 1999"),
    ("Motion of grasses in wide fields. Part I", "Motion of grasses in wide fields. Part II"),
])  # fmt: skip
def test_another_title_identifies_nothing(known: str, written: str) -> None:
    assert not is_identified(signs(page(written, "C. Matthiesen"), Named(titles=(known,), authors=("Matthiesen",))))


@each_row("title, author, lines", [
    (TITLE, "Matthiesen, C.", (TITLE, "Conrad Matthiesena,c,*")), (TITLE, "Nagumo, K.", (TITLE, "K. NAGUMOt")),
    (TITLE, "Bender, Ada", (TITLE, "Ada Bendera;1, Bo Reed")), (TITLE, "Reed, Bo", ("Gardens /", TITLE, "Bo Reed")),
    ("庭園における量子ドットの研究", "山田 太郎", ("論文題目：庭園における量子ドットの研究", "山田太郎")),
    ("花园中量子点的相干性研究", "小明, 王", ("题目：花园中量子点的相干性研究", "王小明1，李四2")),
    ("Квантовые точки в садах", "Иванов Иван Иванович", ("КВАНТОВЫЕ ТОЧКИ В САДАХ", "И. И. Иванов")),
    ("مقاله علمی درباره باغ‌های شمال", "احمد کریمی", ("عنوان: مقاله علمي درباره باغهای شمال", "دکتر احمد كريمي")),
])  # fmt: skip
def test_titles_and_authors_are_found_as_publishers_print_them(title: str, author: str, lines: tuple[str]) -> None:
    assert {Sign.TITLE, Sign.AUTHOR} <= set(signs(page(*lines), Named(titles=(title,), authors=(author,))))


def test_the_dois_that_a_file_may_state() -> None:
    statements = (Statement("title", TITLE), Statement("relation", "https://doi.org/10.5555/related"))
    work = Work(statements, (f"https://doi.org/{DOI}",))
    version = Description(
        DOI, TITLE, kind="journal-article", related=(Related("has-preprint", "doi", "10.5555/pre"),),
        also=("10.5555/also",),
    )  # fmt: skip

    def dois(work: Work, *described: Description) -> tuple[str, ...]:
        return named_of(work, identifiers_of(work), (), described).dois

    assert set(dois(work, version)) == {DOI, "10.5555/pre", "10.5555/also", "10.5555/related"}
    assert dois(work, version._replace(registry=DATACITE)) == ()  # of a repository: the file may have any
    assert dois(work._replace(identifiers=("https://doi.org/10.48550/arXiv.2001.00001",))) == ()
    assert dois(work._replace(identifiers=())) == ()


def test_the_title_of_a_series_of_years_identifies_none_of_them() -> None:
    """The report of 2014 was taken for that of 2015; with a year in its title it is one of them."""
    serial, of_a_year = "Annual report of the gardens of the north", "Annual report of the gardens of the north 2014"
    assert not is_identified(signs(page(serial, "C. Matthiesen", "2015"), RECORD._replace(titles=(serial,))))
    assert is_identified(signs(page(of_a_year, "C. Matthiesen"), RECORD._replace(titles=(of_a_year,))))


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
