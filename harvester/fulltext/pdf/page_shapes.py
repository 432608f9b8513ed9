"""The kind of document of a file by the shape of its pages: size, number, contents, figures; and by its name. Pure."""

from __future__ import annotations

from itertools import pairwise

from gateway.core.model import DocumentKind
from harvester.fulltext.pdf import headings
from harvester.fulltext.pdf.document import (
    FEW_WORDS,
    FEWEST_PHRASES,
    LINES,
    LONGEST_ISSUE,
    LONGEST_NOTICE,
    SHORT,
    TOP,
    Document,
    contents_in,
    lines_of,
)
from harvester.fulltext.pdf.file_names import Named
from harvester.fulltext.pdf.similarity import letters

_LONG_LINE = 40  # characters of a line of text, not of a footer
_POSTER_POINTS = 1600  # the longer side of A1 is 2384 points, of A2 1684
_SHORT_KINDS = (DocumentKind.NOTICE, DocumentKind.POSTER, DocumentKind.REVIEW, DocumentKind.SUPPLEMENT)
_SLIDE_WORDS, _SLIDES, _WIDER, _MOSTLY = 150, 3, 1.15, 0.8
_SQUARE = 0.95  # width to height of a slide of any shape; the pages of articles are narrower
_FEW, _SHEETS = 70, 4  # words of a page, and pages: drawings, or slides in an upright format
_LONGER, _SPARE = 3, 10  # times as many pages as the published work, and some more: no manuscript is so long
_BULLETS = ("•", "\u25aa", "\u25e6", "\u2023", "\u27a2", "\u25a0", "\u25cf", "\uf0b7")
_LEAST_BULLETS, _SHARE_OF_BULLETS = 20, 0.4  # of the lines
_APART, _LETTERS = 5, "abc"  # lines of a section, and the letters of sections of an appendix
_ALL_SECTIONS = 4  # of the five in `headings.SECTION`
_LEAST_VOLUME = 25  # pages
_WORKS_OF_A_VOLUME = 4
_CONTENTS = 5  # lines of contents, of which a volume has twice as many on later pages
_LEAST_RANGE = 4  # pages of an article whose preview can be recognised by its length
_MAY_LACK_PAGES = 4  # with this number of pages an article without a list of references may be cut


def by_name(document: Document, name: Named | None) -> DocumentKind | None:
    """Recognise the kind by the name of the file, if its pages do not look like the work itself."""
    if name is None or (document.has_abstract and document.has_title):
        return None
    most = {DocumentKind.NOTICE: LONGEST_NOTICE, DocumentKind.PREVIEW: SHORT, DocumentKind.POSTER: SHORT}
    return name.kind if document.pages <= most.get(name.kind, document.pages) else None


def by_shape(document: Document) -> DocumentKind | None:
    """Recognise posters by their size, slides by wide pages with few words."""
    sizes, counts = document.extracted.sizes, document.extracted.counts
    if document.pages <= SHORT and sizes and max(sizes[0]) >= _POSTER_POINTS:
        return DocumentKind.POSTER
    if document.pages <= SHORT and any(
        line.startswith("poster") and len(line) < _LONG_LINE for line in document.lines[:6]
    ):
        return DocumentKind.POSTER if not document.is_of_title(letters("poster"), is_above=True) else None
    if document.pages == 1 and sizes and sizes[0][0] > sizes[0][1] * _WIDER:
        return DocumentKind.POSTER
    if _is_of_bullets(document):
        return DocumentKind.POSTER
    if document.pages >= _SLIDES and _is_wide(document) and sum(counts) < _SLIDE_WORDS * len(counts):
        return DocumentKind.POSTER
    return None


def _is_wide(document: Document) -> bool:
    """Return whether most pages are square or wider."""
    sizes = document.extracted.sizes
    return sum(width > height * _SQUARE for width, height in sizes) >= _MOSTLY * len(sizes) > 0


def doubt_about(document: Document) -> str:
    """Return a sentence if the shape or the number of the pages is not that of an article; else an empty string."""
    pages, expected = document.pages, document.facts.pages
    if _is_wide(document):
        return "Its pages are not higher than wide, like those of slides."
    if pages >= _SHEETS and document.extracted.word_count < _FEW * pages:
        return f"Its pages have {document.extracted.word_count // pages} words on average, like slides."
    if pages == 1 and expected != 1 and len(_sections(document)) >= _ALL_SECTIONS:
        return "It has all sections of an article on one page, like a poster or an abstract."
    if _has_letters(document):
        return "Its sections have letters, like those of an appendix."
    if expected and pages > _LONGER * expected + _SPARE:
        return f"It has {pages} pages, and the work has {expected}."
    return ""


def _has_letters(document: Document) -> bool:
    """Return whether sections A, B and C follow the title, and no abstract, introduction or numbered section does."""
    if document.has_abstract or document.has_introduction:
        return False
    end = next((place for place, line in enumerate(document.scanned) if headings.REFERENCES.match(line)), None)
    places: list[int] = []
    for place, line in enumerate(document.scanned[:end]):
        match = headings.LETTERED.match(line)
        if match and match[1] == "1":
            return False
        if match and match[1] == _LETTERS[len(places)] and (not places or place - places[-1] >= _APART):
            places.append(place)
            if len(places) == len(_LETTERS):
                return True
    return False


def _sections(document: Document) -> set[str]:
    """Return which sections of an article have a heading of their own."""
    matches = map(headings.SECTION.match, document.scanned)
    return {str(match.lastgroup) for match in matches if match}


def _is_of_bullets(document: Document) -> bool:
    """Return whether the text is almost only bullet points: slides, several on a sheet."""
    marked = sum(line.startswith(_BULLETS) for line in document.scanned)
    return marked >= _LEAST_BULLETS and marked >= _SHARE_OF_BULLETS * len(document.scanned)


def by_contents(document: Document) -> DocumentKind | None:
    """Recognise the contents of an issue or a book: a table of contents without the work above it."""
    if not document.has_contents or document.has_abstract or document.pages > LONGEST_ISSUE:
        return None
    places = [number for number, line in enumerate(document.lines[: 2 * TOP]) if headings.CONTENTS.match(line)]
    if not places or document.has_introduction:
        return None
    above = letters(" ".join(document.lines[: places[0]]))
    return None if any(title in above for title in document.titles) else DocumentKind.FRONT_MATTER


def by_figures(document: Document) -> DocumentKind | None:
    """Recognise a supplement: all figures and tables are called S1, S2 and so on, or there is nothing else."""
    if document.has_abstract or document.has_introduction:
        return None
    own = sum(bool(headings.OF_SUPPLEMENT.match(line)) for line in document.scanned)
    others = sum(bool(headings.CAPTION.match(line)) for line in document.scanned)
    is_bare = (
        others >= FEWEST_PHRASES
        and not document.has_references
        and document.extracted.word_count < others * FEW_WORDS // 4
    )
    files = sum(bool(headings.DATA_FILE.match(line)) for line in document.scanned)
    describes_data = files >= FEWEST_PHRASES and not document.has_references
    return DocumentKind.SUPPLEMENT if (own >= SHORT and not others) or is_bare or describes_data else None


def by_volume(document: Document) -> DocumentKind | None:
    """Recognise a volume by its editors, contents and several works, or because it is far longer than the work."""
    if _has_several_works(document):
        return DocumentKind.VOLUME
    if document.pages < _LEAST_VOLUME or (document.has_title and document.has_abstract):
        return None
    early = " ".join(document.first_lines)
    abstracts = sum(bool(headings.ABSTRACT.match(line)) for line in document.scanned)
    references = sum(bool(headings.REFERENCES.match(line)) for line in document.scanned)
    signs = (
        bool(headings.EDITED.search(early)),
        document.has_contents or _has_late_contents(document),
    )
    has_works = min(abstracts, references) >= _WORKS_OF_A_VOLUME
    expected = document.facts.pages
    is_longer = expected and document.pages > 2 * expected + 10
    is_far_longer = expected and document.pages > 4 * expected + 20 and not document.has_title
    is_volume = is_far_longer or (is_longer and any(signs)) or (not document.has_title and all(signs)) or has_works
    return DocumentKind.VOLUME if is_volume else None


def _has_several_works(document: Document) -> bool:
    """Return whether abstracts follow lists of references several times: articles, one after the other."""
    if document.facts.kind is DocumentKind.THESIS:
        return False
    parts = ((bool(headings.ABSTRACT.match(line)), bool(headings.REFERENCES.match(line))) for line in document.scanned)
    heads = [is_list for is_abstract, is_list in parts if is_abstract or is_list]
    return sum(is_list and not is_next for is_list, is_next in pairwise(heads)) >= _WORKS_OF_A_VOLUME - 1


def _has_late_contents(document: Document) -> bool:
    lines = lines_of(document.extracted.rest[:12_000], 4 * LINES)
    is_headed = any(headings.CONTENTS.match(line) for line in lines)
    return is_headed and contents_in(lines) >= 2 * _CONTENTS


def by_length(document: Document) -> DocumentKind | None:
    """Recognise a preview or a part of the work: far shorter, or cut where an article continues."""
    expected = document.facts.pages
    if (expected and expected <= document.pages) or document.facts.kind in _SHORT_KINDS:
        return None
    # A page of two columns has as much text as three narrow pages.
    if expected >= max(_LEAST_RANGE, (3 if document.pages <= _MAY_LACK_PAGES else 5) * document.pages):
        return DocumentKind.PREVIEW
    if document.pages > _MAY_LACK_PAGES:
        return None
    if document.has_references:
        return DocumentKind.PREVIEW if _is_list_of_references(document) else None
    is_short = document.pages <= SHORT and document.extracted.word_count >= FEW_WORDS and _is_cut_off(document)
    is_lone = document.pages == 1 and (
        document.has_abstract or (not expected and _is_prose(document) and not _is_closed(document))
    )
    is_begun = is_short or is_lone or document.has_introduction
    return DocumentKind.PREVIEW if _is_announced(document) or is_begun else None


def _is_announced(document: Document) -> bool:
    return bool(headings.PREVIEW.search(" ".join(document.scanned)))


def _is_list_of_references(document: Document) -> bool:
    first = [line for line in document.lines[:TOP] if headings.REFERENCES.match(line)]
    return bool(first) and not document.has_abstract and not document.has_introduction


def _is_prose(document: Document) -> bool:
    """Return whether there is text on a page, without repeated lines."""
    long = [line for line in document.scanned if len(line) >= _LONG_LINE]
    return len(set(long)) * 2 > len(long)


def _is_closed(document: Document) -> bool:
    """Return whether a text is complete: it ends with a sentence, or with the lines below a note or a letter."""
    return not _is_cut_off(document) and any(
        map(headings.CLOSING.match, document.scanned[len(document.scanned) // 2 :])
    )


def _is_cut_off(document: Document) -> bool:
    """Return whether the last line of the text is cut."""
    long = [line for line in document.scanned if len(line) >= _LONG_LINE]
    return _is_prose(document) and (long[-1][-1].isalpha() or long[-1][-1] in ",-\u00ad\ufffe")
