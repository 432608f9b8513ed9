# ruff: noqa: E501 - tables have long lines
"""The kind of document that a record describes: from dc:type, COAR's Resource Types, services and the title. Pure.

A file of another kind than its record is not the work, even if its words agree. A poster, a dataset or a lecture often
has the title and the authors of an article. A file is that of such a record only if it shows that it is of its kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from gateway.core.model import DocumentKind, Work
from gateway.core.normal_forms import letters
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
                r"rozprawa|^doktora$|y[uü]kseklisans|^doctoral$|^phd$|диссертация|学位論文|博士論文"
            ),
        ),
        (
            DocumentKind.POSTER,
            r"poster|pr[eéaä]sentation|slides|lecture|folien|p[oó]ster|diapositiv|diaporama|affiche|^cartel$|plakat|海报|ポスター",
        ),
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
_LONGEST = 200  # characters of a type
_DIVIDES = re.compile(r"[\W_]++")

# Kinds of records that accompany a work and have its title, but are not the work: a poster, an erratum.
_BESIDE = frozenset(
    (DocumentKind.NOTICE, DocumentKind.FRONT_MATTER, DocumentKind.SUPPLEMENT, DocumentKind.REVIEW, DocumentKind.POSTER)
)
# Types of such a kind that are works with a title of their own, as words and as COAR Resource Types.
_OF_ITS_OWN = re.compile(r"comment|bookreview|lecturenotes?$|paper|article|coarresourcetype(?:cba08|d97fvb57)$")
# Types that an article, a poster and a talk have: another type beside them decides.
_OF_CONFERENCE = re.compile(r"(?:infoeureposemantics)?(?:conferenceobject|conference)$|\w{0,20}coarresourcetypecc94f$")
_TEXT = re.compile(r"\w{0,20}?(?:dcmitype)?te?xte?$")
_PICTURES = re.compile(r"\w{0,20}?(?:dcmitype)?(?:still|digital)?images?$|\w{0,20}coarresourcetypec(?:c513|ecc8)$")
# Types of records without a text, as words (DCMI, info:eu-repo, DataCite) and as COAR Resource Types.
_WITHOUT_TEXT = re.compile(
    r"\w{0,40}(?:data(?:set|base)?|software|image|photo(?:graph)?|recording|sound|video|audio|audiovisual|talk|keynote|podcast|animation|simulation|painting|sculpture|illustration|drawing|spreadsheet|blueprint|speech|patent)s?"
    r"|(?:\w{0,20}dcmitype|infoeureposemantics)?(?:(?:computer)?program(?:me)?|(?:computer|source)?code|(?:3d)?model|(?:musical)?score|sheetmusic|film|map|game|videoabstract|artprint|(?:image)?(?:figure|plot|diagram)"
    r"|(?:visual|audiovisual|cartographic|teaching|learning|educational|interactive|physical|sound)(?:material|resource|object|art|work)|(?:computational)?notebook"
    r"|patentapplication|workflow|performance|newsreel|recordingoral|avmateriaal|(?:image|audio|video)(?:jpe?g|png|tiff?|gif|mp[34]|mpeg|wav)|instrument|website|musicalnotation|notatedmusic|vortrage?|forschungsdaten|datensatz|(?:jeude)?donnees|(?:conjuntode)?(?:datos|dados)|数据集?|データ(?:セット)?"
    r"|logiciel|programade(?:computador|ordenador)|bild(?:material)?|imagen|imagem|fotografia|karte|carte)s?"
    r"|\w{0,20}coarresourcetypec(?:ddb1|5ce6|c513|ecc8|8a7e|12ce|18cc|18cd|12cd|12cc|15cd|e059|e9a0|7ad9|18cw|393c)"
)

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
    spelled = _DIVIDES.sub("", word[:_LONGEST].lower().rpartition("semantics/")[2])
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


def type_beside(types: Iterable[str], described: Iterable[Description] = ()) -> str:
    """Return the type of a record of something beside a work, or without a text; empty: it may be an article.

    That is a poster, a lecture, a dataset, an image, software, a patent, an erratum. A further type such as `article`
    makes it an article. The types of services count only if the record has none that is known.
    """
    types, services = list(types), [description.kind for description in described]
    return _beside(types) or ("" if any(map(_is_known, types)) else _beside(services))


def other_type(work: Work, described: Iterable[Description] = ()) -> str:
    """Return the type that a file must show to be that of a record; empty: an article may be its file.

    A record whose title names its kind is recognised by this title.
    """
    is_in_title = any(pattern.match(title.strip()) for title in work.texts("title") for _, pattern in _TITLES)
    return "" if is_in_title else type_beside(work.texts("type"), described)


def pages_of(work: Work, described: Iterable[Description] = ()) -> int:
    """Return the number of pages of a work, from a service, else from its record; 0: not known."""
    return next((description.pages for description in described if description.pages), 0) or pages_stated(
        work.texts(*_STATE_PAGES)
    )


def _telling(kinds: list[DocumentKind]) -> DocumentKind | None:
    known = [kind for kind in kinds if kind is not DocumentKind.UNKNOWN]
    return next((kind for kind in known if kind not in WORKS), next(iter(known), None))


def _beside(types: Iterable[str]) -> str:
    """Return the first of the types if all that are known are of something beside a work; else an empty text."""
    spelled = [(type_, letters(type_[:_LONGEST])) for type_ in types]
    has_text = any(_TEXT.match(word) for _, word in spelled)
    known = [pair for pair in spelled if _is_known(pair[0]) and not (has_text and _PICTURES.match(pair[1]))]
    are_beside = (
        _WITHOUT_TEXT.fullmatch(word) or (kind_of_type(type_) in _BESIDE and not _OF_ITS_OWN.search(word))
        for type_, word in known
    )
    return known[0][0].strip() if known and all(are_beside) else ""


def _is_known(type_: str) -> bool:
    """Return whether a type decides whether an article may be the file; `conferenceObject` may be a poster, too."""
    word = letters(type_[:_LONGEST])
    is_kind = kind_of_type(type_) is not DocumentKind.UNKNOWN or _WITHOUT_TEXT.fullmatch(word) is not None
    return is_kind and not _OF_CONFERENCE.match(word)
