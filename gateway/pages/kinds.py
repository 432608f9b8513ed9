"""The kinds of work, as other vocabularies name them: schema.org, info:eu-repo, CSL, BibTeX, RIS. Pure.

A dc:type in any spelling is recognized; an unknown one is a plain `work`, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
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

# Words in lower case without anything but letters; the last part of an address counts too (COAR, info:eu-repo, DCMI).
_WORDS = {
    "article": _ARTICLE, "journalarticle": _ARTICLE, "researcharticle": _ARTICLE, "articlejournal": _ARTICLE,
    "scholarlyarticle": _ARTICLE, "artigo": _ARTICLE, "artikel": _ARTICLE, "articulo": _ARTICLE, "c6501": _ARTICLE,
    "c2df8fbb1": _ARTICLE, "preprint": _PREPRINT, "eprint": _PREPRINT, "c816b": _PREPRINT, "review": _REVIEW,
    "bookreview": _REVIEW, "reviewarticle": _ARTICLE, "cefa0": _REVIEW, "conferenceobject": _PAPER,
    "conferencepaper": _PAPER, "conferencecontribution": _PAPER, "proceedingsarticle": _PAPER, "proceedings": _PAPER,
    "conferenceitem": _PAPER, "c5794": _PAPER, "cc94f": _PAPER, "conferenceposter": _POSTER, "poster": _POSTER,
    "c6670": _POSTER, "doctoralthesis": _DOCTORAL, "phdthesis": _DOCTORAL, "dissertation": _DOCTORAL,
    "cdb06": _DOCTORAL, "masterthesis": _MASTER, "mastersthesis": _MASTER, "cbdcc": _MASTER,
    "bachelorthesis": _BACHELOR, "c7a1f": _BACHELOR, "thesis": _THESIS, "etd": _THESIS, "c46ec": _THESIS, "book": _BOOK,
    "monograph": _BOOK, "c2f33": _BOOK, "bookpart": _CHAPTER, "bookchapter": _CHAPTER, "booksection": _CHAPTER,
    "chapter": _CHAPTER, "c3248": _CHAPTER, "report": _REPORT, "technicalreport": _REPORT, "researchreport": _REPORT,
    "c93fc": _REPORT, "cgh": _REPORT, "c18gh": _REPORT, "workingpaper": _WORKING_PAPER, "c8042": _WORKING_PAPER,
    "dataset": _DATASET, "data": _DATASET, "cddb1": _DATASET, "software": _SOFTWARE, "c5ce6": _SOFTWARE,
    "patent": _PATENT, "c15cd": _PATENT, "lecture": _LECTURE, "presentation": _LECTURE, "slides": _LECTURE,
    "c8544": _LECTURE, "image": _IMAGE, "stillimage": _IMAGE, "cc513": _IMAGE, "video": _VIDEO, "movingimage": _VIDEO,
    "c12ce": _VIDEO, "sound": _SOUND, "audio": _SOUND, "c18cc": _SOUND, "map": _MAP, "c12cd": _MAP,
}  # fmt: skip
_NO_LETTER = re.compile(r"[^a-z0-9]")
_TAIL = re.compile(r"[^/#:]*$")
_FOLDED = str.maketrans("áàâãäéèêëíìîïóòôõöúùûüçñ", "aaaaaeeeeiiiiooooouuuucn")


def kind_of(types: Iterable[str]) -> Kind:
    """Return the kind that the first recognized of these dc:types means; `work` if none is recognized."""
    for text in types:
        folded = text.lower().translate(_FOLDED)
        for part in (folded, _tail(folded)):
            known = _WORDS.get(_NO_LETTER.sub("", part))
            if known:
                return known
    return WORK


def _tail(text: str) -> str:
    match = _TAIL.search(text.rstrip("/"))
    return match[0] if match else ""
