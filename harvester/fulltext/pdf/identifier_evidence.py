"""Tests whether an identifier on a page is that of the document, not of a work that it mentions. Pure.

A document names DOIs in references, in footnotes, and in sentences on data, errata and related articles. Its own DOI
stands alone, or after `cite this article as`.

Without the title, an identifier needs its label, must be the only one, and must not be in a citation. A citation counts
if it says `cite this as` and the document has the cited title. An identifier in a relation, or in `description`,
`rights` or `publisher` of the record, counts only by `trusted_descriptions.py`.
"""

import re
from collections.abc import Iterable, Iterator

from harvester.fulltext.pdf.first_pages import Front, folded
from harvester.fulltext.pdf.titles import Title
from harvester.fulltext.pdf.work_names import Named, Page, is_of_copy
from harvester.words import any_of, load

_LABEL_BEFORE = 60  # characters before an identifier; its name is within them
_SENTENCE = 160  # characters before an identifier; a sentence on its owner is within them
_BESIDE = 300  # characters before a DOI; a citation has the title within them
_PROSE_WORDS = 5  # of small letters in a line of running text
_SHARE = 0.5  # of the words of a title

# Words just before an identifier that mention another work.
_WORDS = load("other_works")
_OF_ANOTHER = re.compile(rf"(?i)(?:{any_of(_WORDS['before_identifier'])})")
_JOURNAL_OF_REVIEWS = re.compile(r"(?i)reviews? of(?=[^\n]{0,80}\d)")  # `Review of Peat 30 (2012) 1-9`
_MARKER = re.compile(r"^\s{0,8}(?:\[\d{1,3}\]|\(\d{1,3}\)|\d{1,3}[.)]?\s{1,3}\w|[\u2022*†‡]\s)")
_SELF = re.compile(rf"(?i)\b(?:{any_of(_WORDS['cite_this'])})\b")
_NEXT_WORK = re.compile(rf"(?im)^\W{{0,5}}(?:{any_of(_WORDS['next_work'])})\b")
ARXIV = "arxiv"
_LABELS = {"doi": re.compile(r"(?i)doi"), "pmcid": re.compile(r"(?i)pmc"), "handle": re.compile(r"(?i)handle")}
# The stamp of arXiv on the first page: identifier, version, class and day.
_STAMP = re.compile(
    r"(?i)arxiv:\s?(\d{4}\.\d{4,5}"
    r"|[a-z-]{2,20}(?:\.[a-z]{2})?/\d{7})(?:v\d{1,3})?\s{1,3}\[[\w. -]{2,20}\]\s{1,3}\d{1,2}\s[a-z]{3}"
)
_ANY_DOI = re.compile(r"(?<![\d.])10\.\d{4,9}/[^\s\"'|,;)\]]{1,200}")
_LABEL_ALONE = re.compile(r"(?i)\W{0,5}(?:doi\W{0,5})?(?:https?://(?:dx\.|www\.)?doi\.org/)?")
_IS_LONGER = re.compile(r"[.\-_/(]?\w")
_VERSIONS = re.compile(r"\.?v\d{1,3}\b|/v\d{1,3}\b|\.(?:pdf|full|abstract)\b", re.IGNORECASE)


def schemes_on(page: Page, named: Named, titles: list[Title], *, is_titled: bool) -> Iterator[str]:
    """Return the schemes of the identifiers of the work that a page states as its own."""
    front = page.front
    stamps = {match[1].lower() for match in _STAMP.finditer(front.text)}
    for scheme, value in named.identifiers:
        if scheme == ARXIV and value.lower() in stamps:
            yield ARXIV
        elif scheme in (*_LABELS, ARXIV):
            spots = [spot for spot in front.spots(folded(value)) if _is_whole(front.text, value, *spot)]
            if any(_is_own(page, scheme, start, titles, named, is_titled=is_titled) for start, _ in spots):
                yield scheme


def states_another_doi(pages: Iterable[Page], dois: Iterable[str]) -> bool:
    """Return whether pages state a DOI as their own that is not one of these: of another version or work.

    It is labelled as its own before the abstract, or it is after the abstract with only its name before it in the line.
    """
    known, fronts = tuple(dois), [page.front for page in pages]
    if not known or any(_has_doi(front, doi) for doi in known for front in fronts):
        return False
    return any(
        _is_stated(front.text, match, is_head=match.start() < front.title_end)
        for front in fronts
        for match in _ANY_DOI.finditer(front.text)
        if not is_of_copy(match[0])
    )


def _has_doi(front: Front, doi: str) -> bool:
    """Return whether a DOI is on a page, not only as the beginning of a longer one."""
    return any(not front.text[stop : stop + 1].isalnum() for _, stop in front.spots(folded(doi)))


def _is_stated(text: str, match: re.Match[str], *, is_head: bool) -> bool:
    start = match.start()
    line = text[text.rfind("\n", 0, start) + 1 : start]
    rest = text[start:].partition("\n")[0]
    label = line[-_LABEL_BEFORE:]
    if not _LABELS["doi"].search(label) or not (is_head or _LABEL_ALONE.fullmatch(label)):
        return False
    if _MARKER.match(line) or sum(word[:1].islower() for word in f"{line}{rest}".split()) >= _PROSE_WORDS:
        return False
    return not _OF_ANOTHER.search(_JOURNAL_OF_REVIEWS.sub("", text[max(0, start - _SENTENCE) : start]))


def _is_whole(text: str, value: str, start: int, stop: int) -> bool:
    """Return whether an identifier is at this place, and not a longer one or equal letters by chance."""
    behind = text[stop : stop + 12]
    is_longer = _IS_LONGER.match(behind) and not _VERSIONS.match(behind) and not text[stop : stop + 1].isspace()
    return (
        text[start : start + 2].lower() == value[:2].lower() and not text[start - 1 : start].isdigit() and not is_longer
    )


def _is_own(page: Page, scheme: str, start: int, titles: list[Title], named: Named, *, is_titled: bool) -> bool:
    """Return whether an identifier is that of the document: no words before it mention another work.

    If the title is not on the page, the identifier must have its label, be the only one, and be in no citation.
    """
    text = page.front.text
    before = text[max(0, start - _SENTENCE) : start]
    cited_from = _citation(text, start)
    is_self = cited_from is not None
    if _OF_ANOTHER.search(before.rpartition("\n\n")[2]) and not is_self:
        return False
    if is_titled:
        return True
    label = _LABELS.get(scheme)
    is_named = label is not None and label.search(text[max(0, start - _LABEL_BEFORE) : start]) is not None
    if not is_named or (cited_from is not None and _is_citation_of_another(page, cited_from, start, titles)):
        return False
    line = text[text.rfind("\n", 0, start) + 1 : start]
    rest = text[start:].partition("\n")[0]
    if not is_self and sum(word[:1].islower() for word in f"{line}{rest}".split()) >= _PROSE_WORDS:
        return False
    is_cited = bool(_MARKER.match(line)) or any(
        _shared(title, text[max(0, start - _BESIDE) : start]) for title in titles
    )
    if not is_self and (is_cited or len({match.lower().rstrip(".") for match in _ANY_DOI.findall(text)}) > 1):
        return False
    return (bool(page.authors) if named.authors else True) and (
        bool(named.authors) or any(_shared(title, text) for title in titles)
    )


def _citation(text: str, stop: int) -> int | None:
    """Return the place of `cite this as` before an identifier; None if there is none."""
    start = max(0, stop - 2 * _BESIDE)
    places = [match.start() for match in _SELF.finditer(text, start, stop)]
    return None if not places or _NEXT_WORK.search(text, places[-1], stop) else places[-1]


def _is_citation_of_another(page: Page, start: int, stop: int, titles: list[Title]) -> bool:
    """Return whether a citation has a title that does not occur elsewhere on the naming pages."""
    text, end = page.front.text, page.front.title_end
    outside = f"{text[: min(start, end)]}\n{text[stop:end].partition(chr(10))[2]}"
    cited = [title for title in titles if _shared(title, text[start:stop])]
    return bool(cited) and not any(_shared(title, outside) for title in titles)


def _shared(title: Title, text: str) -> bool:
    """Return whether at least half of the words of a title are in a text."""
    words = {folded(word) for word in title.text.split() if len(word) > 3}  # noqa: PLR2004 - shorter words stand everywhere
    here = {folded(word) for word in text.split()}
    return bool(words) and len(words & here) >= _SHARE * len(words)
