# ruff: noqa: E501 - tables have long lines
"""The kind of document that a record describes: from dc:type, COAR's Resource Types, services and the title. Pure.

A file of another kind than its record is not the work, even if its words agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from gateway.model import DocumentKind, Work
from harvester.fulltext.known_copies import Description
from harvester.fulltext.page_ranges import pages_stated

# Kinds that a record of any kind may have as its full text.
WORKS = frozenset((DocumentKind.ARTICLE, DocumentKind.PREPRINT, DocumentKind.UNKNOWN))

# COAR Resource Types 3.2: the last part of http://purl.org/coar/resource_type/…, for those that mean one of our kinds.
COAR = {
    "c_6501": DocumentKind.ARTICLE,  # journal article
    "c_2df8fbb1": DocumentKind.ARTICLE,  # research article
    "c_dcae04bc": DocumentKind.ARTICLE,  # review article
    "c_beb9": DocumentKind.ARTICLE,  # data paper
    "c_7bab": DocumentKind.ARTICLE,  # software paper
    "c_545b": DocumentKind.ARTICLE,  # letter to the editor
    "c_b239": DocumentKind.ARTICLE,  # editorial
    "c_3e5a": DocumentKind.ARTICLE,  # contribution to journal
    "c_5794": DocumentKind.ARTICLE,  # conference paper
    "c_18cp": DocumentKind.ARTICLE,  # conference paper not in proceedings
    "c_3248": DocumentKind.ARTICLE,  # book part
    "c_93fc": DocumentKind.ARTICLE,  # report
    "c_ba1f": DocumentKind.ARTICLE,  # report part
    "c_18ws": DocumentKind.ARTICLE,  # research report
    "c_18gh": DocumentKind.ARTICLE,  # technical report
    "c_816b": DocumentKind.PREPRINT,
    "c_8042": DocumentKind.PREPRINT,  # working paper
    "c_7acd": DocumentKind.NOTICE,  # corrigendum
    "D97F-VB57": DocumentKind.NOTICE,  # commentary
    "c_ba08": DocumentKind.NOTICE,  # book review
    "H9BQ-739P": DocumentKind.REVIEW,  # peer review
    "c_6670": DocumentKind.POSTER,  # conference poster
    "c_18co": DocumentKind.POSTER,  # conference poster not in proceedings
    "R60J-J5BD": DocumentKind.POSTER,  # conference presentation
    "c_8544": DocumentKind.POSTER,  # lecture
    "c_46ec": DocumentKind.THESIS,
    "c_7a1f": DocumentKind.THESIS,  # bachelor thesis
    "c_bdcc": DocumentKind.THESIS,  # master thesis
    "c_db06": DocumentKind.THESIS,  # doctoral thesis
    "c_2f33": DocumentKind.VOLUME,  # book
    "c_f744": DocumentKind.VOLUME,  # conference proceedings
    "c_0640": DocumentKind.VOLUME,  # journal
}
_STATE_PAGES = ("identifier", "source", "format", "relation", "description")
_COAR = re.compile(r"(?i)purl\.org/coar/resource_type/([\w-]{1,20})")
_COAR_IN_LOWER_CASE = {code.lower(): kind for code, kind in COAR.items()}

# Words of dc:type, of info:eu-repo/semantics, and of the types of Crossref, DataCite and OpenAlex, without
# separators. The first row that fits decides: a book chapter is no book.
_WORDS = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        (DocumentKind.REVIEW, r"peerreview(?!ed)|refereereport"),
        (DocumentKind.SUPPLEMENT, r"supplement|component"),
        (DocumentKind.FRONT_MATTER, r"paratext|frontmatter|tableofcontents|editorialboard"),
        (DocumentKind.NOTICE, r"errat|corrigend|correction|retraction|expressionofconcern|commentary|bookreview"),
        (DocumentKind.ARTICLE, r"chapter|bookpart|booksection|bookitem|partofabook|referenceentry"),
        (
            DocumentKind.THESIS,
            (
                r"thes[ie]s|dissertat|doktorarbeit|(?:master|bachelor|diplom)arbeit|hochschulschrift|habilitation|"
                r"th[eè]se|tesis|tese|tesi(?:di)?|proefschrift|memoirededoctorat|avhandling|afhandling|"
                r"rozprawa|диссертация|学位論文|博士論文"
            ),
        ),
        (DocumentKind.POSTER, r"poster|presentation|slides|lecture|folien|p[oó]ster|diapositiv"),
        (DocumentKind.PREPRINT, r"preprint|workingpaper|discussionpaper|postedcontent|submittedversion"),
        (
            DocumentKind.ARTICLE,
            (
                r"article|artikel|art[ií]culo|artigo|articolo|aufsatz|journalpaper|conferencepaper|conferenceobject|"
                r"conferenceproceedings?|proceedings(?:paper|article)|inproceedings|report|editorial|letter|review(?!ed)|"
                r"contributiontoperiodical|datapaper"
            ),
        ),
        (DocumentKind.VOLUME, r"^(?:edited|reference)?book$|monograph|^journal$|journal(?:issue|volume)|^proceedings$"),
    )
)
_DIVIDES = re.compile(r"[\W_]++")

# Titles that name the kind of the record.
_TITLES = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (
            DocumentKind.NOTICE,
            (
                r"\W{0,3}(?:(?:author|publisher)['\u2019]?s? )?(?:errat(?:um|a)|corrigend(?:um|a)|addendum)\b"
                r"|\W{0,3}(?:(?:author|publisher) )?corrections?(?: to\b|:)|\W{0,3}retract(?:ion|ed)(?: of\b| note\b|:)"
                r"|(?:editorial )?expression of concern|\W{0,3}withdrawn?(?:al of\b|:)"
                r"|comments? on\b|commentary on\b|(?:a )?(?:reply|rejoinder|response) to\b|(?:book )?review(?:s|ed work)?(?::| of: )|book reviews?\b|rezension\b"
            ),
        ),
        (
            DocumentKind.FRONT_MATTER,
            r"(?:front|back) (?:matter|cover)$|table of contents$|editorial board$|masthead$|in this issue$|cover image",
        ),
        (DocumentKind.REVIEW, r"peer review of\b|(?:decision letter|author response)(?: for\b|:)"),
        (DocumentKind.SUPPLEMENT, r"(?:supplement(?:ary|al)|supporting) (?:information|materials?|data|files?)\b"),
    )
)
# Titles of volumes and journals, if no type decides; their papers have them as well.
_VOLUMES = re.compile(
    r"(?i)(?:the )?(?:(?:\w+ ){0,3}(?:journal|transactions|annals|bulletin|handbook|encyclop(?:a)?edia) (?:of|for|on)\b"
    r"|(?:conference )?proceedings (?:of|from)\b|book of abstracts\b|tagungsband\b|handbuch de[rs]\b|actes d[ue]\b"
    r"|atti de[il]\b|actas de\b)"
)


def kind_of_type(word: str) -> DocumentKind:
    """Return the kind that a type means: a COAR address, a word of a record or of a service. UNKNOWN: no such kind."""
    if code := _COAR.search(word):
        return _COAR_IN_LOWER_CASE.get(code[1].lower(), DocumentKind.UNKNOWN)
    spelled = _DIVIDES.sub("", word[:200].lower().rpartition("semantics/")[2])
    return next((kind for kind, pattern in _WORDS if pattern.search(spelled)), DocumentKind.UNKNOWN)


def kind_of_record(work: Work, described: Iterable[Description] = ()) -> DocumentKind:
    """Return the kind of document of a record: by its title, its own types, else those of the services.

    If a record has several types, the most specific one counts: `thesis` beside `article` or `text` is a thesis.
    """
    titles = work.texts("title")
    for kind, pattern in _TITLES:
        if any(pattern.match(title.strip()) for title in titles):
            return kind
    own = list(map(kind_of_type, work.texts("type")))
    services = [kind_of_type(description.kind) for description in described if description.kind]
    by_title = DocumentKind.VOLUME if any(map(_VOLUMES.match, map(str.strip, titles))) else DocumentKind.UNKNOWN
    return _telling(own) or _telling(services) or by_title


def pages_of(work: Work, described: Iterable[Description] = ()) -> int:
    """Return the number of pages of a work, from a service, else from its record; 0: not known."""
    return next((description.pages for description in described if description.pages), 0) or pages_stated(
        work.texts(*_STATE_PAGES)
    )


def _telling(kinds: list[DocumentKind]) -> DocumentKind | None:
    known = [kind for kind in kinds if kind is not DocumentKind.UNKNOWN]
    return next((kind for kind in known if kind not in WORKS), next(iter(known), None))
