"""The gate: the plain signs that a document which names the work is something else, or only a part of it. Pure.

`RULES` is the table. Each rule returns the kind of document that it recognises, or a sentence for a person; nothing if
it has nothing against the document. Words are in `harvester/words/document_labels.toml`.

What each rule loses and stops is a table in `README.md`. Access and retracted guard rights.

The names of files count, too. `Supply_chain.pdf` and `Sisi.pdf` are names of articles: a form counts only between
separators of words in a name.
"""

import re
from collections.abc import Callable
from typing import NamedTuple, TypeAlias
from urllib.parse import unquote

from gateway.core.model import DocumentKind, Outcome
from gateway.core.normal_forms import letters
from harvester.fulltext.access_rights import is_shut_line, open_from_words
from harvester.fulltext.pdf.document import HEADS, SHORT, TOP, Document, lines_of
from harvester.fulltext.pdf.file_claims import WATERMARK
from harvester.words import any_of, load

_LEAST_BOOK, _LEAST_THESIS = 49, 15  # pages; the first is UNESCO's definition of a book
_DAY_WITHIN = 100  # characters after words on an embargo; its day is named within them

_LABELS = load("document_labels")
_WHOLE = tuple((DocumentKind(k), re.compile(rf"(?:{any_of(v)})\W{{0,3}}$")) for k, v in _LABELS["whole"].items())
_BEGINNING = tuple((DocumentKind(k), re.compile(f"(?:{any_of(v)})")) for k, v in _LABELS["beginning"].items())
_SHUT, _SHUT_LINE = (re.compile(any_of(_LABELS[name])) for name in ("shut", "shut_line"))
_SHUT_LINE = re.compile(rf"(?:{_SHUT_LINE.pattern})\W{{0,3}}$")

_RETRACTED = re.compile(rf"\W{{0,3}}(?:{any_of(_LABELS['retracted'])})(?:\W.{{0,40}}|\d.{{0,40}})?$")

Rule: TypeAlias = Callable[[Document, str], "DocumentKind | str | None"]


def _file_name(document: Document, url: str) -> DocumentKind | None:
    """Recognise a supplement or a review by its name, unless it looks like an article with such a name."""
    name = named(url)
    is_like_article = document.has_abstract and document.has_title
    return name.kind if name and (name.is_certain or not is_like_article) else None


def _access(document: Document, _url: str) -> DocumentKind | None:
    """Recognise a first page that states restricted access without a day at which it ends."""
    lines = lines_of(document.front)
    spans = [
        " ".join(lines[number : number + 2])
        for number, line in enumerate(lines)
        if (number < 2 * TOP or number >= len(lines) - TOP)  # a file may draw its running head last
        and (_SHUT_LINE.match(line) or (is_shut_line(line) and letters(line) not in document.titles))
    ]
    text = " ".join(lines)
    spans += [text[match.start() : match.end() + _DAY_WITHIN] for match in _SHUT.finditer(text)]
    is_topic = any(word in title for title in document.titles for word in ("embargo", "accessrestrict", "closedaccess"))
    is_shut = any(not open_from_words(span) for span in spans) and not is_topic
    return DocumentKind.FRONT_MATTER if is_shut else None


def _retracted(document: Document, _url: str) -> DocumentKind | None:
    """Recognise an article that was retracted by a watermark or a line on its first pages."""
    is_marked = WATERMARK.search(document.front) or any(
        _RETRACTED.match(line) and letters(line) not in document.titles for line in document.first_lines
    )
    return DocumentKind.NOTICE if is_marked else None


def _label(document: Document, _url: str) -> DocumentKind | None:
    """Recognise a document by a line beside its title that labels it, if the title of the work does not say so."""
    for line, is_above in document.opening():
        for kind, pattern in (*_WHOLE, *(_BEGINNING if is_above else ())):
            if pattern.match(line) and _labels(document, kind, line, is_above=is_above):
                return kind
    return None


def _labels(document: Document, kind: DocumentKind, line: str, *, is_above: bool) -> bool:
    """Return whether a label is that of the document: not of a link, of a section, or a part of its title."""
    if any(letters(line) in title for title in document.titles):
        return False
    if kind is DocumentKind.THESIS:
        return document.is_thesis_long
    if kind is DocumentKind.SUPPLEMENT:  # articles link to theirs, above and below the title
        return (is_above and line in document.lines[:HEADS]) or not document.has_abstract
    return is_above or not document.has_abstract


_SHORT_KINDS = (DocumentKind.NOTICE, DocumentKind.POSTER, DocumentKind.REVIEW, DocumentKind.SUPPLEMENT)


def _no_references(document: Document, _url: str) -> str:
    """Doubt a file of at most two pages without a list of references, if the work is not known to be as short."""
    is_short = document.pages <= SHORT and not 0 < document.facts.pages <= document.pages
    is_lone = is_short and not document.has_references and document.facts.kind not in _SHORT_KINDS
    return "It has no references and two pages at most: it may be a part of the work." if is_lone else ""


def _part_of_book(document: Document, _url: str) -> str:
    """Doubt a file that is offered for a book or a volume and is too short to be one."""
    is_part = document.facts.kind is DocumentKind.VOLUME and document.pages < _LEAST_BOOK
    return f"The record describes a book, and the file has {document.pages} pages." if is_part else ""


def _article_of_thesis(document: Document, _url: str) -> str:
    """Doubt a file that is offered for a thesis and has the length and the parts of an article."""
    is_short = document.pages < _LEAST_THESIS and document.has_abstract
    is_article = document.facts.kind is DocumentKind.THESIS and is_short and document.has_references
    return f"The record describes a thesis, and the file is like an article of {document.pages} pages." * is_article


# The order is that in which a kind is named; a sentence counts only if no rule recognises a kind.
RULES: dict[str, Rule] = {
    "file name": _file_name,
    "access": _access,
    "retracted": _retracted,
    "label": _label,
    "no references": _no_references,
    "part of a book": _part_of_book,
    "article of a thesis": _article_of_thesis,
}


def applied(document: Document, url: str) -> tuple[DocumentKind | None, str]:
    """Return the kind of document by the first rule that recognises one, and the first doubt as a sentence."""
    if document.extracted.outcome is not Outcome.SUCCESS:
        return _file_name(document, url), ""
    findings = [finding for rule in RULES.values() if (finding := rule(document, url))]
    kinds = (finding for finding in findings if isinstance(finding, DocumentKind))
    doubts = (finding for finding in findings if not isinstance(finding, DocumentKind))
    return next(kinds, None), str(next(doubts, ""))


class Named(NamedTuple):
    """The kind by a name. `is_certain`: it is a publisher's own form, which no article has."""

    kind: DocumentKind
    is_certain: bool


_MOST = 300  # characters of a name
_EXTENSION = re.compile(r"(?i)\.(?:pdf|docx?|aspx?|php|html?)$")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=\d)(?=Sup)")
_PARAMETER = re.compile(r"(?i)(?:^|[?&])(?:file|filename|file_name|attachment|name|id)=([^&#]{1,300})")

# Folders that have only supplements: ACS, Taylor & Francis, Science; RSC; Springer Nature; old Nature; MDPI.
_FOLDERS = re.compile(
    r"(?i)/(?:suppl_file|suppdata|suppinfo|suppl?|esm|extref|mediaobjects/[^/]{0,80}_esm)/|mdpi\.com/[\d/x-]{1,40}/s\d/"
)


_TABLES = tuple(
    (part == "certain", DocumentKind(kind), re.compile(any_of(words)))
    for part, kinds in load("file_names").items()
    for kind, words in kinds.items()
)


def named(url: str) -> Named | None:
    """Return the kind of a file by its name in an address; None: no sign."""
    path, _, query = url.partition("#")[0].partition("?")
    parameters = [match[1] for match in _PARAMETER.finditer(query[: 4 * _MOST])]
    last = path.rstrip("/").rpartition("/")[2]
    stems = [_stem(parameter) for parameter in (*parameters, last)]
    for is_certain, kind, pattern in _TABLES:
        if any(pattern.search(stem) for stem in stems):
            return Named(kind, is_certain)
    return Named(DocumentKind.SUPPLEMENT, is_certain=True) if _FOLDERS.search(f"{path[-_MOST:]}/") else None


def _stem(name: str) -> str:
    """Return a name without extension and folders, in lower case, with `_` where the case divides words."""
    last = unquote(name[:_MOST]).rstrip("/").rpartition("/")[2]
    return _CAMEL.sub("_", _EXTENSION.sub("", last)).lower()
