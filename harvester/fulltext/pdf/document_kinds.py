"""The kind of document of a file: from its first lines, the shape of its pages, its length and its name. Pure.

A file with the words of a work may be something else: an erratum, a supplement, or only the first page. The signs are
in `first_lines.py` and `page_shapes.py`, the tables in `headings.py` and `file_names.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from gateway.core.model import DocumentKind, Outcome
from harvester.fulltext.pdf import (
    abstracts,
    article_signs,
    completeness,
    first_lines,
    other_versions,
    page_shapes,
    several_works,
    title_lines,
)
from harvester.fulltext.pdf.document import Document, Facts
from harvester.fulltext.pdf.extraction import Extracted
from harvester.fulltext.pdf.file_names import Named as FileName
from harvester.fulltext.pdf.file_names import named
from harvester.fulltext.pdf.versions import SUBMITTED, version_in
from harvester.fulltext.pdf.work_names import Named

_NOTHING = Facts()
_DOUBTS = (abstracts.doubt_about, several_works.doubt_about, completeness.doubt_about)


@lru_cache(maxsize=8)
def _document(extracted: Extracted, facts: Facts) -> Document:
    """Return the document of a text. The last ones are kept: both functions below need their lines."""
    return Document(extracted, facts)


def kind_of(extracted: Extracted, facts: Facts = _NOTHING, url: str = "") -> DocumentKind:
    """Return the kind of a document from an address. UNKNOWN: no sign."""
    name = named(url)
    if name and name.is_certain:
        return name.kind
    if extracted.outcome is not Outcome.SUCCESS:
        return name.kind if name else DocumentKind.UNKNOWN
    document = _document(extracted, facts)
    kind_ = next((kind for kind in _kinds(document, name) if kind is not None), None)
    return _plain_kind(document) if kind_ is None else kind_


def doubt_about(extracted: Extracted, facts: Facts, named: Named) -> str:
    """Return why the kind of a document that looks like the work is not certain, as a sentence; empty: it is."""
    if extracted.outcome is not Outcome.SUCCESS:
        return ""
    document = _document(extracted, facts)
    doubt = page_shapes.doubt_about(document) or title_lines.doubt_about(document, named)
    doubt = doubt or other_versions.doubt_about(document, named)
    return doubt or next(filter(None, (about(document) for about in _DOUBTS)), "")


def sign_of_article(extracted: Extracted, facts: Facts) -> str:
    """Return the words by which a document shows that it is an article and no thesis; empty: none."""
    return article_signs.sign_in(_document(extracted, facts))


def _kinds(document: Document, name: FileName | None) -> Iterator[DocumentKind | None]:
    """Yield the kind by each sign, the most certain first."""
    yield first_lines.by_cover(document)
    yield first_lines.by_access(document)
    yield first_lines.by_comparison(document)
    yield first_lines.by_heading(document)
    yield first_lines.by_thesis(document)
    yield page_shapes.by_shape(document)
    yield first_lines.by_supervisor(document)
    yield first_lines.by_reviewers(document)
    yield page_shapes.by_name(document, name)
    yield first_lines.by_advertisement(document)
    yield page_shapes.by_contents(document)
    yield page_shapes.by_figures(document)
    yield page_shapes.by_volume(document)
    yield page_shapes.by_length(document)
    yield first_lines.by_coverage(document)


def _plain_kind(document: Document) -> DocumentKind:
    """Return the kind of a document if no other sign decides it."""
    version = version_in(document.extracted)
    if version == SUBMITTED:
        return DocumentKind.PREPRINT
    is_article = version or document.has_abstract or document.has_references
    return DocumentKind.ARTICLE if is_article else DocumentKind.UNKNOWN
