"""The kind of document of a file by its first lines: covers, headings, names, salutations. Pure.

A document with a heading such as `Supporting Information` above the title is a supplement, even if it looks like an
article. Exceptions: the heading is one of the links of a publisher's header, or the pages have the numbers in the
citation above it. A document that states restricted access on its first page, without a day, goes to review;
`fulltext/access_rights.py` has the words in many languages. The title on an erratum, a reply, a review or a supplement
does not count, unless the record describes such a document.
"""

from __future__ import annotations

from collections.abc import Iterator

from gateway.core.model import DocumentKind
from harvester.fulltext.access_rights import is_shut_line, open_from_words
from harvester.fulltext.pdf import headings, labels
from harvester.fulltext.pdf.document import (
    FEW_WORDS,
    FEWEST_PHRASES,
    LONGEST_ISSUE,
    LONGEST_NOTICE,
    SHORT,
    TOP,
    Document,
    lines_of,
)
from harvester.fulltext.pdf.similarity import letters

_DAY_WITHIN = 100  # characters after words on an embargo; its day is named within them
_FEWEST_REMARKS, _WORDS_OF_A_REMARK = 5, 120  # sentences of a review, and the most words for each of them
UNCOVERED = 0.3  # a notice has few of the words of the metadata


def by_cover(document: Document) -> DocumentKind | None:
    """Recognise a cover without the work: of a repository, or of an embargoed item."""
    if document.pages > SHORT or document.has_introduction or document.has_references:
        return None
    text = " ".join(lines_of(document.front))
    is_empty = document.is_cover and document.pages == 1 and not document.has_body_behind_cover
    is_closed = headings.EMBARGO.search(text) and document.extracted.word_count < 2 * FEW_WORDS
    return DocumentKind.FRONT_MATTER if is_empty or is_closed else None


def by_access(document: Document) -> DocumentKind | None:
    """Recognise a first page that states restricted access without an end."""
    is_its_topic = any(
        word in title for title in document.titles for word in ("embargo", "accessrestrict", "closedaccess")
    )
    is_shut = any(not open_from_words(words) for words in _shut(document))
    return DocumentKind.FRONT_MATTER if is_shut and not is_its_topic else None


def _shut(document: Document) -> Iterator[str]:
    """Yield statements of restricted access, each with the words after it, which may name a day."""
    lines = lines_of(document.front)
    for number, line in enumerate(lines[: 2 * TOP]):
        if headings.SHUT_LINE.match(line) or (is_shut_line(line) and letters(line) not in document.titles):
            yield " ".join(lines[number : number + 2])
    text = " ".join(lines)
    yield from (text[match.start() : match.end() + _DAY_WITHIN] for match in headings.SHUT.finditer(text))


def by_heading(document: Document) -> DocumentKind | None:
    """Recognise the kind by a line around the title, or by a watermark of retraction."""
    if headings.WATERMARK.search(document.front) or any(
        (headings.RETRACTED.match(line) or labels.RETRACTED.match(line)) and letters(line) not in document.titles
        for line in document.first_lines
    ):
        return DocumentKind.NOTICE  # the work itself, perhaps, with a watermark
    for line, is_above in document.opening():
        for kind, pattern in labels.FORMS:
            if pattern.match(line) and _is_label(document, kind, line, is_above=is_above):
                return kind
        for kind, pattern in headings.WHOLE:
            if pattern.match(line) and _may_be(document, kind, line, is_above=is_above):
                return kind
        for kind, pattern in headings.BEGINNING:
            if is_above and pattern.match(line) and _may_be(document, kind, line, is_above=True):
                return kind
    return None


def _is_label(document: Document, kind: DocumentKind, line: str, *, is_above: bool) -> bool:
    """Return whether a line labels a document that is not the article, and the title does not contain the label."""
    if any(letters(line) in title for title in document.titles):
        return False
    if kind is DocumentKind.THESIS:
        return document.is_thesis_long
    return is_above or not document.has_abstract


def _may_be(document: Document, kind: DocumentKind, line: str, *, is_above: bool) -> bool:
    """Return whether a heading may apply: articles name their supplements, and are longer than notices."""
    if kind is DocumentKind.THESIS:
        return document.is_thesis_long
    if kind is DocumentKind.PREVIEW:
        return document.pages <= LONGEST_ISSUE and not document.has_references
    if kind is DocumentKind.NOTICE:
        return is_above or (document.pages <= LONGEST_NOTICE and not document.has_abstract)
    is_of_article = document.is_paged_as_cited or _has_header_links(document)
    if is_above and headings.SUPPLEMENT.match(line) and not is_of_article:
        return True
    return not document.has_abstract or (is_above and not document.has_title)


def _has_header_links(document: Document) -> bool:
    """Return whether a publisher's links are at the top, with one to the supplement."""
    return any(map(headings.HEADER_LINKS.match, document.lines[: 2 * TOP]))


def by_thesis(document: Document) -> DocumentKind | None:
    """Recognise a thesis by its degree."""
    if not document.is_thesis_long or (document.has_abstract and document.has_introduction):
        return None
    patterns = [pattern for kind, pattern in headings.BEGINNING if kind is DocumentKind.THESIS]
    lines = document.first_lines + lines_of(document.extracted.rest[:4000])
    return DocumentKind.THESIS if any(pattern.match(line) for line in lines for pattern in patterns) else None


def by_supervisor(document: Document) -> DocumentKind | None:
    """Recognise a thesis by its supervisor and university."""
    if not document.is_thesis_long or document.has_abstract or not any(map(headings.SUPERVISED.match, document.lines)):
        return None
    return DocumentKind.THESIS if headings.ACADEMY.search(" ".join(document.lines)) else None


def by_reviewers(document: Document) -> DocumentKind | None:
    """Recognise a peer review by its reviewers or its remarks, or as a letter about a submission."""
    if document.has_abstract:
        return None
    count = sum(bool(headings.REVIEWER.match(line)) for line in document.first_lines)
    is_letter = any(map(headings.SALUTATION.match, document.lines[: 2 * TOP])) and any(
        map(headings.SUBMISSION.search, document.first_lines)
    )
    is_review = count >= SHORT or is_letter or _is_reviewing(document)
    return DocumentKind.REVIEW if is_review else None


def _is_reviewing(document: Document) -> bool:
    """Return whether a document speaks of its authors and asks for changes in many sentences."""
    text = " ".join(document.scanned)
    sorts = [match.lastgroup for match in headings.REVIEWING.finditer(text)]
    is_dense = len(sorts) * _WORDS_OF_A_REMARK >= document.extracted.word_count
    return len(sorts) >= _FEWEST_REMARKS and len(set(sorts)) >= FEWEST_PHRASES and is_dense


def by_advertisement(document: Document) -> DocumentKind | None:
    """Recognise pages about the work: printed web pages, and flyers."""
    if document.pages > SHORT + 1 or document.has_introduction or document.has_references:
        return None
    text = " ".join(document.first_lines)
    printed, sold = (
        len({match[0][:6] for match in pattern.finditer(text)}) for pattern in (headings.PRINTED, headings.SOLD)
    )
    is_flyer = sold >= FEWEST_PHRASES - 1 and not document.has_abstract
    return DocumentKind.FRONT_MATTER if printed >= FEWEST_PHRASES or is_flyer else None


def by_comparison(document: Document) -> DocumentKind | None:
    """Recognise the cover of a plagiarism check: a draft with marks follows."""
    phrases = {match[0] for match in labels.COMPARED.finditer(" ".join(lines_of(document.front)))}
    return DocumentKind.FRONT_MATTER if len(phrases) >= FEWEST_PHRASES else None


def by_coverage(document: Document) -> DocumentKind | None:
    """Recognise a notice by a line that begins like one, if it has few words of the work."""
    if document.facts.covered >= UNCOVERED or document.pages > SHORT or document.has_abstract:
        return None
    patterns = [pattern for kind, pattern in headings.BEGINNING if kind is DocumentKind.NOTICE]
    lines = document.first_lines
    return DocumentKind.NOTICE if any(pattern.match(line) for line in lines for pattern in patterns) else None
