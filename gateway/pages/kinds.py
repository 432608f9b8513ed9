"""The kinds of work, as other vocabularies name them: schema.org, info:eu-repo, CSL, BibTeX, RIS. Pure.

`gateway.core.bibliography.types` says which COAR resource type a record means; each is one of these kinds.
"""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """One kind of work; `name` is the key of its text on the pages."""

    name: str
    schema_class: str = "CreativeWork"
    eu_repo: str = ""
    csl: str = "document"
    bibtex: str = "misc"
    ris: str = "GEN"


WORK = Kind("work")
_ARTICLE = Kind("article", "ScholarlyArticle", "article", "article-journal", "article", "JOUR")
_PREPRINT = Kind("preprint", "ScholarlyArticle", "preprint", "article", "misc", "UNPB")
_REVIEW = Kind("review", "Review", "review", "review", "article", "JOUR")
_PAPER = Kind("paper", "ScholarlyArticle", "conferenceObject", "paper-conference", "inproceedings", "CPAPER")
_POSTER = Kind("poster", "Poster", "conferencePoster", "paper-conference", "misc", "GEN")
_DOCTORAL = Kind("doctoral", "Thesis", "doctoralThesis", "thesis", "phdthesis", "THES")
_MASTER = Kind("master", "Thesis", "masterThesis", "thesis", "mastersthesis", "THES")
_BACHELOR = Kind("bachelor", "Thesis", "bachelorThesis", "thesis", "misc", "THES")
_THESIS = Kind("thesis", "Thesis", "", "thesis", "misc", "THES")
_BOOK = Kind("book", "Book", "book", "book", "book", "BOOK")
_CHAPTER = Kind("chapter", "Chapter", "bookPart", "chapter", "incollection", "CHAP")
_REPORT = Kind("report", "Report", "report", "report", "techreport", "RPRT")
_WORKING_PAPER = Kind("working_paper", "Report", "workingPaper", "report", "techreport", "UNPB")
_DATASET = Kind("dataset", "Dataset", "dataset", "dataset", "misc", "DATA")
_SOFTWARE = Kind("software", "SoftwareSourceCode", "", "software", "misc", "COMP")
_PATENT = Kind("patent", "CreativeWork", "patent", "patent", "misc", "PAT")
_LECTURE = Kind("lecture", "PresentationDigitalDocument", "lecture", "speech", "misc", "SLIDE")
_IMAGE = Kind("image", "ImageObject", "", "graphic", "misc", "ART")
_VIDEO = Kind("video", "VideoObject", "", "motion_picture", "misc", "VIDEO")
_SOUND = Kind("sound", "AudioObject", "", "song", "misc", "SOUND")
_MAP = Kind("map", "Map", "", "map", "misc", "MAP")

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
