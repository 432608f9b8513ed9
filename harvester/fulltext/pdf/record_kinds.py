"""The kind of document that a record describes: from dc:type, COAR's Resource Types, services and the title. Pure.

A file of another kind than its record is not the work, even if its words agree. A poster, a dataset or a lecture often
has the title and the authors of an article. A file is that of such a record only if it shows that it is of its kind.
"""

import re
from collections.abc import Iterable

from gateway.core.model import DocumentKind, Work
from gateway.core.normal_forms import letters
from harvester.fulltext.known_copies import Description
from harvester.words import any_of, load

# Kinds that a record of any kind may have as its full text.
WORKS = frozenset((DocumentKind.ARTICLE, DocumentKind.PREPRINT, DocumentKind.UNKNOWN))

_TABLES = load("record_kinds")
_COAR = re.compile(r"(?i)purl\.org/coar/resource_type/([\w-]{1,20})")
_COAR_IN_LOWER_CASE = {code.lower(): DocumentKind(kind) for code, kind in _TABLES["coar"].items()}

_WORDS = tuple((DocumentKind(row["kind"]), re.compile(any_of(row["words"]))) for row in _TABLES["types"])
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
# The whole type of a record without a text.
_WITHOUT_TEXT = re.compile(
    rf"\w{{0,40}}(?:{any_of(_TABLES['words']['without_text_at_end'])})s?"
    rf"|(?:\w{{0,20}}dcmitype|infoeureposemantics)?(?:{any_of(_TABLES['words']['without_text'])})s?"
    rf"|\w{{0,20}}coarresourcetypec(?:{any_of(_TABLES['words']['without_text_coar'])})"
)

# Titles that name the kind of the record.
_TITLES = tuple(
    (DocumentKind(row["kind"]), re.compile(any_of(row["words"]), re.IGNORECASE)) for row in _TABLES["titles"]
)
_VOLUMES = re.compile(rf"(?i)(?:the )?(?:{any_of(_TABLES['words']['volumes'])})")


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
