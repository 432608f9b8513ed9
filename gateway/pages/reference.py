"""What a work is, as citations and pages show it: a view of its bibliography. Pure.

Nothing is guessed here: a part that the bibliography does not have stays empty.
"""

from typing import NamedTuple

from gateway.core import bibliography
from gateway.core.bibliography.dates import date_of, iso_of
from gateway.core.bibliography.identifiers import of_relation
from gateway.core.bibliography.people import authors_of
from gateway.core.bibliography.texts import title_of
from gateway.core.model import Agent, Identifier, Text, Title, Work


class Kind(NamedTuple):
    """One kind of work; `name` is the key of its text on the pages."""

    name: str
    schema_class: str = "CreativeWork"
    csl: str = "document"
    bibtex: str = "misc"
    ris: str = "GEN"


WORK = Kind("work")
_ARTICLE = Kind("article", "ScholarlyArticle", "article-journal", "article", "JOUR")
_PREPRINT = Kind("preprint", "ScholarlyArticle", "article", "misc", "UNPB")
_REVIEW = Kind("review", "Review", "review", "article", "JOUR")
_PAPER = Kind("paper", "ScholarlyArticle", "paper-conference", "inproceedings", "CPAPER")
_POSTER = Kind("poster", "Poster", "paper-conference", "misc", "GEN")
_DOCTORAL = Kind("doctoral", "Thesis", "thesis", "phdthesis", "THES")
_MASTER = Kind("master", "Thesis", "thesis", "mastersthesis", "THES")
_BACHELOR = Kind("bachelor", "Thesis", "thesis", "misc", "THES")
_THESIS = Kind("thesis", "Thesis", "thesis", "misc", "THES")
_BOOK = Kind("book", "Book", "book", "book", "BOOK")
_CHAPTER = Kind("chapter", "Chapter", "chapter", "incollection", "CHAP")
_REPORT = Kind("report", "Report", "report", "techreport", "RPRT")
_WORKING_PAPER = Kind("working_paper", "Report", "report", "techreport", "UNPB")
_DATASET = Kind("dataset", "Dataset", "dataset", "misc", "DATA")
_SOFTWARE = Kind("software", "SoftwareSourceCode", "software", "misc", "COMP")
_PATENT = Kind("patent", "CreativeWork", "patent", "misc", "PAT")
_LECTURE = Kind("lecture", "PresentationDigitalDocument", "speech", "misc", "SLIDE")
_IMAGE = Kind("image", "ImageObject", "graphic", "misc", "ART")
_VIDEO = Kind("video", "VideoObject", "motion_picture", "misc", "VIDEO")
_SOUND = Kind("sound", "AudioObject", "song", "misc", "SOUND")
_MAP = Kind("map", "Map", "map", "misc", "MAP")

_KINDS = {
    "journal article": _ARTICLE, "research article": _ARTICLE, "review article": _ARTICLE, "editorial": _ARTICLE,
    "letter to the editor": _ARTICLE, "data paper": _ARTICLE, "corrigendum": _ARTICLE, "preprint": _PREPRINT,
    "review": _REVIEW, "conference object": _PAPER, "conference paper": _PAPER, "conference proceedings": _BOOK,
    "conference poster": _POSTER, "conference presentation": _LECTURE, "doctoral thesis": _DOCTORAL,
    "master thesis": _MASTER, "bachelor thesis": _BACHELOR, "thesis": _THESIS, "book": _BOOK, "book part": _CHAPTER,
    "report": _REPORT, "technical report": _REPORT, "working paper": _WORKING_PAPER, "dataset": _DATASET,
    "software": _SOFTWARE, "patent": _PATENT, "lecture": _LECTURE, "image": _IMAGE, "still image": _IMAGE,
    "video": _VIDEO, "sound": _SOUND, "map": _MAP,
}  # fmt: skip


def kind_of(label: str) -> Kind:
    """Return the kind of a COAR resource type with this label; a plain `work` for any other one."""
    return _KINDS.get(label, WORK)


Author = Agent


class Reference(NamedTuple):
    """The facts about a work. `date` is as the record has it, `year` a number in it; 0 and empty mean: not stated.

    `place` says in the words of the record where the work was published; the journal and its numbers are read from it.
    `type` is the label of a COAR resource type. Between the paragraphs of an abstract is an empty line.
    """

    title: str = ""
    title_language: str = ""
    other_titles: tuple[Title, ...] = ()
    authors: tuple[Agent, ...] = ()
    contributors: tuple[Agent, ...] = ()
    kind: Kind = WORK
    type: str = ""
    types: tuple[str, ...] = ()
    date: str = ""
    year: int = 0
    place: str = ""
    journal: str = ""
    volume: str = ""
    issue: str = ""
    first_page: str = ""
    last_page: str = ""
    sources: tuple[str, ...] = ()
    publisher: str = ""
    language: str = ""
    abstracts: tuple[Text, ...] = ()
    subjects: tuple[Text, ...] = ()
    identifiers: tuple[Identifier, ...] = ()
    issn: str = ""
    isbn: str = ""
    license: str = ""
    rights: tuple[str, ...] = ()
    coverage: tuple[str, ...] = ()

    @property
    def doi(self) -> str:
        """The DOI without its resolver, or an empty string."""
        return next((entry.text for entry in self.identifiers if entry.scheme == "doi"), "")

    @property
    def doi_url(self) -> str:
        """The address that resolves the DOI, or an empty string."""
        return next((entry.url for entry in self.identifiers if entry.scheme == "doi"), "")

    @property
    def language_tag(self) -> str:
        """The language as BCP 47 has it."""
        return self.language

    @property
    def pages(self) -> str:
        """The first page, or first and last, or an empty string."""
        return "\u2013".join(filter(None, (self.first_page, self.last_page)))


def reference_of(work: Work) -> Reference:
    """Return what is shown and cited of a work."""
    known = bibliography.of(work)
    languages = known.languages
    title = title_of(known.titles, languages[0] if languages else "")
    date, year = date_of(known.dates)
    host = known.host
    identifiers = of_relation(known.identifiers)
    return Reference(
        title=title.text,
        title_language=title.language,
        other_titles=tuple(other for other in known.titles if other.text != title.text),
        authors=authors_of(known.agents),
        contributors=tuple(agent for agent in known.agents if not agent.is_author),
        kind=kind_of(known.type),
        type=known.type,
        types=known.types,
        date=iso_of(date) or next((entry.text for entry in known.dates), ""),
        year=year,
        place=host.text,
        journal=host.title,
        volume=host.volume,
        issue=host.issue,
        first_page=host.first_page,
        last_page=host.last_page,
        sources=known.sources,
        publisher=next(iter(known.publishers), ""),
        language=next(iter(languages), ""),
        abstracts=known.descriptions,
        subjects=known.subjects,
        identifiers=identifiers,
        issn=host.issn or next((entry.text for entry in identifiers if entry.scheme == "issn"), ""),
        isbn=next((entry.text for entry in identifiers if entry.scheme == "isbn"), "") or host.isbn,
        license=work.license,
        rights=known.rights,
        coverage=known.coverage,
    )
