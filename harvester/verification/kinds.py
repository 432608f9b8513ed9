"""What kind of document a file is: from its first lines, the shape of its pages, its length and its name. Pure.

What has the words of a work need not be the work: an erratum, a supplement, the first page alone have them as well. The
tables stand in `headings.py` and `file_names.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from gateway.model import DocumentKind, Outcome
from harvester.verification import headings
from harvester.verification.extraction import Extracted
from harvester.verification.file_names import Named, named
from harvester.verification.similarity import letters
from harvester.verification.versions import SUBMITTED, version_in
from harvester.wire.access import open_from_words

_TOP, _BELOW = 12, 4  # lines above the title, and below it, in which a document says what it is
_LINES, _LONGEST = 150, 200  # lines of a page, characters of a line, that are looked at
_LEAST_TITLE = 8  # letters
_SHORT = 2  # pages of what may be a preview, a poster, a cover
_FEW = 300  # words that a page of an article has at least
_LONG_LINE = 40  # characters of a line of text, not of a footer
_POSTER_POINTS = 1600  # the longer side of A1 is 2384 points, of A2 1684
_SHORT_KINDS = (DocumentKind.NOTICE, DocumentKind.POSTER, DocumentKind.REVIEW, DocumentKind.SUPPLEMENT)
_SLIDE_WORDS, _SLIDES, _WIDER, _MOSTLY = 150, 3, 1.15, 0.8
_THESIS, _VOLUME, _ISSUE, _NOTICE = 15, 25, 15, 8  # pages: at least, at least, at most, at most
_WORKS_OF_A_VOLUME = 4
_CONTENTS = 5  # lines of contents
_LEAST_RANGE = 4  # pages of an article whose preview can be told by its length
_MAY_LACK_PAGES = 4  # with so many a document that begins as an article, and lists no references, may break off
_UI = 3  # phrases of pages of the web, or of flyers
UNCOVERED = 0.3  # a notice has few of the words that describe the work
_SCANNED = 200_000  # characters in which works and figures are counted


# Apostrophes, quotation marks and dashes, each as the one that the tables have.
_SIGNS = str.maketrans("\u2018\u2019\u201c\u201d\u2010\u2011\u2013\u2014", "''\"\"----")


class Facts(NamedTuple):
    """What is known of the work beside its text: titles, number of pages (0: not known), share of words covered."""

    titles: tuple[str, ...] = ()
    pages: int = 0
    covered: float = 1.0
    kind: DocumentKind = DocumentKind.UNKNOWN  # that the record describes


_NOTHING = Facts()


def kind_of(extracted: Extracted, facts: Facts = _NOTHING, url: str = "") -> DocumentKind:
    """Return what kind of document was read from an address. UNKNOWN: nothing tells."""
    name = named(url)
    if name and name.is_certain:
        return name.kind
    if extracted.outcome is not Outcome.SUCCESS:
        return name.kind if name else DocumentKind.UNKNOWN
    document = _Document(extracted, facts)
    return next((kind for kind in document.kinds(name) if kind is not None), document.plain_kind)


class _Document:
    """A document that is looked at: its lines in lower case, and what they say."""

    def __init__(self, extracted: Extracted, facts: Facts) -> None:
        self.extracted, self.facts = extracted, facts
        self.pages = extracted.pages
        self.front = extracted.front or extracted.first
        self.titles = [spelled for title in facts.titles if len(spelled := letters(title)) >= _LEAST_TITLE]

    def kinds(self, name: Named | None) -> Iterator[DocumentKind | None]:
        """Yield what each sign says, the surest first."""
        yield self._by_cover()
        yield self._by_access()
        yield self._by_heading()
        yield self._by_thesis()
        yield self._by_shape()
        yield self._by_supervisor()
        yield self._by_reviewers()
        yield self._by_name(name)
        yield self._by_advertisement()
        yield self._by_contents()
        yield self._by_figures()
        yield self._by_volume()
        yield self._by_length()
        yield self._by_coverage()

    @cached_property
    def plain_kind(self) -> DocumentKind:
        """What it is when it is nothing else."""
        version = version_in(self.extracted)
        if version == SUBMITTED:
            return DocumentKind.PREPRINT
        return DocumentKind.ARTICLE if version or self.has_abstract or self.has_references else DocumentKind.UNKNOWN

    # --- lines ----------------------------------------------------------------------------------------------------

    @cached_property
    def lines(self) -> list[str]:
        """The lines of page 1, or of page 2 behind the cover of a repository."""
        return _lines(self.extracted.first[len(self.front) :] if self.has_body_behind_cover else self.front)

    @cached_property
    def first_lines(self) -> list[str]:
        return _lines(self.extracted.first, 2 * _LINES)

    @cached_property
    def scanned(self) -> list[str]:
        return _lines(self.extracted.text[:_SCANNED], _SCANNED)

    @cached_property
    def is_cover(self) -> bool:
        return bool(headings.COVER.search(" ".join(_lines(self.front))))

    @cached_property
    def has_body_behind_cover(self) -> bool:
        return self.is_cover and self.pages > 1 and bool(self.extracted.first[len(self.front) :].strip())

    @cached_property
    def has_abstract(self) -> bool:
        return any(headings.ABSTRACT.match(line) for line in self.lines)

    @cached_property
    def has_introduction(self) -> bool:
        return any(headings.INTRODUCTION.match(line) for line in self.first_lines)

    @cached_property
    def has_references(self) -> bool:
        listed = sum(line.startswith(("[1]", "[2]", "[3]", "1. ", "2. ", "3. ")) for line in self.scanned)
        return listed >= 3 or any(headings.REFERENCES.match(line) for line in self.scanned)  # noqa: PLR2004 - items

    @cached_property
    def has_title(self) -> bool:
        """Tell whether a title stands on the first page, and not in a list of contents."""
        spelled = letters(" ".join(self.lines))
        return any(title in spelled for title in self.titles) and not self.has_contents

    @cached_property
    def has_contents(self) -> bool:
        lines = self.first_lines
        is_headed = any(headings.CONTENTS.match(line) for line in lines)
        return is_headed and _contents_in(lines) >= _CONTENTS

    def _opening(self) -> Iterator[tuple[str, bool]]:
        """Yield the lines around the title that are not its own, and whether they stand above it."""
        is_above, left = True, _TOP if self.titles else _TOP // 2 + _BELOW
        for line in self.lines:
            spelled = letters(line)
            if not spelled:
                continue
            if self._is_of_title(spelled, is_above=is_above):
                is_above, left = False, min(left, _BELOW)
                continue
            yield line, is_above
            left -= 1
            if any(title in spelled for title in self.titles):
                is_above, left = False, min(left, _BELOW)
            if left <= 0:
                return

    def _is_of_title(self, spelled: str, *, is_above: bool) -> bool:
        for title in self.titles:
            if spelled.startswith(title) or title.startswith(spelled) or (spelled in title and not is_above):
                return True
            if spelled in title and len(spelled) >= 2 * _LEAST_TITLE:
                return True
        return False

    # --- signs ----------------------------------------------------------------------------------------------------

    def _by_cover(self) -> DocumentKind | None:
        """Tell a cover without the work: of a repository, or of an item that is under embargo."""
        if self.pages > _SHORT or self.has_introduction or self.has_references:
            return None
        text = " ".join(_lines(self.front))
        is_empty = self.is_cover and self.pages == 1 and not self.has_body_behind_cover
        is_closed = headings.EMBARGO.search(text) and self.extracted.word_count < 2 * _FEW
        return DocumentKind.FRONT_MATTER if is_empty or is_closed else None

    def _by_access(self) -> DocumentKind | None:
        """Tell what says on its first page that not everybody may have it, and names no day from which on they may."""
        lines = _lines(self.front)
        is_shut = any(map(headings.SHUT_LINE.match, lines[: 2 * _TOP])) or headings.SHUT.search(" ".join(lines))
        is_its_topic = any(
            word in title for title in self.titles for word in ("embargo", "accessrestrict", "closedaccess")
        )
        return DocumentKind.FRONT_MATTER if is_shut and not is_its_topic and not open_from_words(self.front) else None

    def _by_heading(self) -> DocumentKind | None:
        if headings.WATERMARK.search(self.front) or any(
            headings.RETRACTED.match(line) and letters(line) not in self.titles for line in self.first_lines
        ):
            return DocumentKind.NOTICE  # the work itself, perhaps, with a watermark
        for line, is_above in self._opening():
            for kind, pattern in headings.WHOLE:
                if pattern.match(line) and self._may_be(kind, line, is_above=is_above):
                    return kind
            for kind, pattern in headings.BEGINNING:
                if is_above and pattern.match(line) and self._may_be(kind, line, is_above=True):
                    return kind
        return None

    def _may_be(self, kind: DocumentKind, line: str, *, is_above: bool) -> bool:
        """Tell whether a heading may be meant: articles name their supplements, and are as long as no notice is."""
        if kind is DocumentKind.THESIS:
            return self.pages >= _THESIS
        if kind is DocumentKind.PREVIEW:
            return self.pages <= _ISSUE and not self.has_references
        if kind is DocumentKind.NOTICE:
            return is_above or (self.pages <= _NOTICE and not self.has_abstract)
        if is_above and headings.SUPPLEMENT.match(line) and not self._has_header_links():
            return True
        return not self.has_abstract or (is_above and not self.has_title)

    def _has_header_links(self) -> bool:
        """Tell whether a publisher's links stand at the top, the one to the supplement among them."""
        return any(map(headings.HEADER_LINKS.match, self.lines[: 2 * _TOP]))

    def _by_thesis(self) -> DocumentKind | None:
        if self.pages < _THESIS or (self.has_abstract and self.has_introduction):
            return None
        patterns = [pattern for kind, pattern in headings.BEGINNING if kind is DocumentKind.THESIS]
        lines = self.first_lines + _lines(self.extracted.rest[:4000])
        return DocumentKind.THESIS if any(each.match(line) for line in lines for each in patterns) else None

    def _by_supervisor(self) -> DocumentKind | None:
        if self.pages < _THESIS or self.has_abstract or not any(map(headings.SUPERVISED.match, self.lines)):
            return None
        return DocumentKind.THESIS if headings.ACADEMY.search(" ".join(self.lines)) else None

    def _by_shape(self) -> DocumentKind | None:
        """Tell posters by their size, slides by wide pages with few words."""
        sizes, counts = self.extracted.sizes, self.extracted.counts
        if self.pages <= _SHORT and sizes and max(sizes[0]) >= _POSTER_POINTS:
            return DocumentKind.POSTER
        if self.pages <= _SHORT and any(
            line.startswith("poster") and len(line) < _LONG_LINE for line in self.lines[:6]
        ):
            return DocumentKind.POSTER if not self._is_of_title(letters("poster"), is_above=True) else None
        wide = sum(width > height * _WIDER for width, height in sizes)
        if self.pages >= _SLIDES and wide >= _MOSTLY * len(sizes) > 0 and sum(counts) < _SLIDE_WORDS * len(counts):
            return DocumentKind.POSTER
        return None

    def _by_reviewers(self) -> DocumentKind | None:
        count = sum(bool(headings.REVIEWER.match(line)) for line in self.first_lines)
        is_letter = any(map(headings.SALUTATION.match, self.lines[: 2 * _TOP])) and any(
            map(headings.SUBMISSION.search, self.first_lines)
        )
        return DocumentKind.REVIEW if (count >= _SHORT or is_letter) and not self.has_abstract else None

    def _by_name(self, name: Named | None) -> DocumentKind | None:
        if name is None or (self.has_abstract and self.has_title):
            return None
        most = {DocumentKind.NOTICE: _NOTICE, DocumentKind.PREVIEW: _SHORT, DocumentKind.POSTER: _SHORT}
        return name.kind if self.pages <= most.get(name.kind, self.pages) else None

    def _by_advertisement(self) -> DocumentKind | None:
        """Tell pages about the work: those of the web that were printed, and flyers."""
        if self.pages > _SHORT + 1 or self.has_introduction or self.has_references:
            return None
        text = " ".join(self.first_lines)
        printed, sold = (
            len({match[0][:6] for match in pattern.finditer(text)}) for pattern in (headings.PRINTED, headings.SOLD)
        )
        is_flyer = sold >= _UI - 1 and not self.has_abstract
        return DocumentKind.FRONT_MATTER if printed >= _UI or is_flyer else None

    def _by_contents(self) -> DocumentKind | None:
        if not self.has_contents or self.has_abstract or self.pages > _ISSUE:
            return None
        places = [number for number, line in enumerate(self.lines[: 2 * _TOP]) if headings.CONTENTS.match(line)]
        if not places or self.has_introduction:
            return None
        above = letters(" ".join(self.lines[: places[0]]))
        return None if any(title in above for title in self.titles) else DocumentKind.FRONT_MATTER

    def _by_figures(self) -> DocumentKind | None:
        """Tell a supplement by figures and tables that are all called S1, S2 and so on, or that are all there is."""
        if self.has_abstract or self.has_introduction:
            return None
        own = sum(bool(headings.OF_SUPPLEMENT.match(line)) for line in self.scanned)
        others = sum(bool(headings.CAPTION.match(line)) for line in self.scanned)
        is_bare = others >= _UI and not self.has_references and self.extracted.word_count < others * _FEW // 4
        files = sum(bool(headings.DATA_FILE.match(line)) for line in self.scanned)
        describes_data = files >= _UI and not self.has_references
        return DocumentKind.SUPPLEMENT if (own >= _SHORT and not others) or is_bare or describes_data else None

    def _by_volume(self) -> DocumentKind | None:
        if self.pages < _VOLUME or (self.has_title and self.has_abstract):
            return None
        early = " ".join(self.first_lines)
        abstracts = sum(bool(headings.ABSTRACT.match(line)) for line in self.scanned)
        references = sum(bool(headings.REFERENCES.match(line)) for line in self.scanned)
        signs = (
            bool(headings.EDITED.search(early)),
            self.has_contents or self._has_late_contents(),
        )
        has_works = min(abstracts, references) >= _WORKS_OF_A_VOLUME
        expected = self.facts.pages
        is_longer = expected and self.pages > 2 * expected + 10
        is_far_longer = expected and self.pages > 4 * expected + 20 and not self.has_title
        is_volume = is_far_longer or (is_longer and any(signs)) or (not self.has_title and all(signs)) or has_works
        return DocumentKind.VOLUME if is_volume else None

    def _has_late_contents(self) -> bool:
        lines = _lines(self.extracted.rest[:12_000], 4 * _LINES)
        is_headed = any(headings.CONTENTS.match(line) for line in lines)
        return is_headed and _contents_in(lines) >= 2 * _CONTENTS

    def _by_length(self) -> DocumentKind | None:
        """Tell a preview, or a part of the work: far shorter, cut off where an article goes on, or nothing else."""
        expected = self.facts.pages
        if (expected and expected <= self.pages) or self.facts.kind in _SHORT_KINDS:
            return None
        # Two columns hold as much as three pages of a narrow one.
        if expected >= max(_LEAST_RANGE, (3 if self.pages <= _MAY_LACK_PAGES else 5) * self.pages):
            return DocumentKind.PREVIEW
        if self.pages > _MAY_LACK_PAGES:
            return None
        if self.has_references:
            return DocumentKind.PREVIEW if self._is_list_of_references() else None
        is_short = self.pages <= _SHORT and self.extracted.word_count >= _FEW and self._is_cut_off()
        is_lone = self.pages == 1 and (
            self.has_abstract or (not expected and self._is_prose() and not self._is_closed())
        )
        is_begun = is_short or is_lone or self.has_introduction
        return DocumentKind.PREVIEW if self._is_announced() or is_begun else None

    def _is_announced(self) -> bool:
        return bool(headings.PREVIEW.search(" ".join(self.scanned)))

    def _is_list_of_references(self) -> bool:
        first = [line for line in self.lines[:_TOP] if headings.REFERENCES.match(line)]
        return bool(first) and not self.has_abstract and not self.has_introduction

    def _is_prose(self) -> bool:
        """Tell whether there is text on a page; lines that repeat each other are none."""
        long = [line for line in self.scanned if len(line) >= _LONG_LINE]
        return len(set(long)) * 2 > len(long)

    def _is_closed(self) -> bool:
        """Tell whether a text comes to its end: with a sentence, and with what stands below a note or a letter."""
        return not self._is_cut_off() and any(map(headings.CLOSING.match, self.scanned[len(self.scanned) // 2 :]))

    def _is_cut_off(self) -> bool:
        """Tell whether the last line of the text breaks off."""
        long = [line for line in self.scanned if len(line) >= _LONG_LINE]
        return self._is_prose() and (long[-1][-1].isalpha() or long[-1][-1] in ",-\u00ad\ufffe")

    def _by_coverage(self) -> DocumentKind | None:
        if self.facts.covered >= UNCOVERED or self.pages > _SHORT or self.has_abstract:
            return None
        patterns = [pattern for kind, pattern in headings.BEGINNING if kind is DocumentKind.NOTICE]
        lines = self.first_lines
        return DocumentKind.NOTICE if any(each.match(line) for line in lines for each in patterns) else None


def _contents_in(lines: Iterable[str]) -> int:
    """Return how many lines are words that end with the number of a page."""
    return sum(bool(headings.CONTENTS_LINE.search(line)) and any(map(str.isalpha, line)) for line in lines)


def _lines(text: str, most: int = _LINES) -> list[str]:
    """Return the lines of a text that are not empty, in lower case, with single spaces, spaced letters joined."""
    plain = text.translate(_SIGNS)
    return list(islice(_some(" ".join(line[:_LONGEST].lower().split()) for line in plain.splitlines()), most))


def _some(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        parts = line.split(" ")
        is_spaced = len(parts) > 4 and all(len(part) == 1 for part in parts)  # noqa: PLR2004 - e r r a t u m
        if line:
            yield "".join(parts) if is_spaced else line
