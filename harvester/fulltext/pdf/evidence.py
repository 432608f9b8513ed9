"""Find the signs of a work where a document names itself: title, DOI or another identifier, authors. Pure.

A high score shows that two texts have the same subject; it does not show that they are the same work. Papers of one
group share their words, and cite each other with title and DOI. So a title counts only where a document states its own
title, and an identifier only where no other work is cited.

A document states its title before the abstract, and it begins and ends with a line. Titles in running text and in
references hardly ever do so. A longer title may be that of another part of a series, or of another work on the same
subject. A title needs an author, if any is known. If none is known, a title of fewer than 15 letters or three words
does not count; a Chinese, Japanese or Korean character is as good as two letters. A title that hundreds of works have
(`Editorial`) never counts.

A document names DOIs in references, in footnotes, and in sentences on data, errata and related articles. Its own DOI
stands alone, or after `cite this article as`. Without the title, an identifier needs its label, must be the only one,
and must not be in a citation. A citation counts if it says `cite this as`. An identifier in a relation, or in
`description`, `rights` or `publisher` of the record, counts only by `trusted_descriptions.py`.
"""

import re
from collections.abc import Iterable, Iterator

from gateway.fulltext.search_result import Sign
from harvester.fulltext.pdf.first_pages import Front, folded, fronts
from harvester.fulltext.pdf.titles import Title, title_of
from harvester.fulltext.pdf.work_names import Named, Page, authors_on, is_of_copy
from harvester.words import any_of, load

_BYLINE = 1_200  # characters from the beginning of a page; its authors are named within them

_WORDS = load("other_works")
# A supplement, at the beginning of a line.
SUPPLEMENT = re.compile(rf"(?im)^[^\w\n]{{0,6}}(?:{any_of(_WORDS['supplements'])})(?P<rest>[^\n]{{0,200}})")
# An article states where its supplement is available: in a sentence, or as a mark alone on its line.
_IS_HAD = re.compile(rf"(?i){any_of(_WORDS['available'])}")
_IS_LED_TO = re.compile(rf"(?i)^(?:{any_of(_WORDS['leads_to_supplement'])})")
_SUPPLEMENT_WITHIN = 1_500  # characters of the first page; a supplement is marked as one within them
_STATED = frozenset((Sign.DOI, Sign.PMCID, Sign.HANDLE))  # news and interviews state those of the work, too
_IDENTIFIERS = _STATED | {Sign.ARXIV}

_BYLINE_BEFORE, _BYLINE_BEHIND = 400, 1_200  # characters around a title; its authors are within them
_NEAR = 60  # characters after a title; an author within them shows its end

_PROSE_WORDS = 5  # of small letters in a line of running text

# Words before a title in its line that are not part of it.
_TITLE_LABELS = any_of(load("headings")["title_labels"])
_LABEL = re.compile(
    rf"(?i)[\W_]{{0,5}}(?:(?:{_TITLE_LABELS})[\W_]{{0,5}}){{0,3}}(?:\d{{1,3}}(?:\.\d{{1,2}})?[.:]?\s{{1,5}})?"
)
# footnotes after a title
_MARKS = re.compile(r"[^\w\n]{0,6}(?:\d{1,2}|[\da-e*†‡§¶#,\u00b9\u00b2\u00b3]{0,4})[^\w\n]{0,6}")

_LABEL_BEFORE = 60  # characters before an identifier; its name is within them
_SENTENCE = 160  # characters before an identifier; a sentence on its owner is within them
_SELF_BEFORE = 600  # characters before an identifier; `cite this as` is within them

# Words just before an identifier that mention another work.
_OF_ANOTHER = re.compile(rf"(?i)(?:{any_of(_WORDS['before_identifier'])})")
_JOURNAL_OF_REVIEWS = re.compile(r"(?i)reviews? of(?=[^\n]{0,80}\d)")  # `Review of Peat 30 (2012) 1-9`
_SELF = re.compile(rf"(?i)\b(?:{any_of(_WORDS['cite_this'])})\b")
_NEXT_WORK = re.compile(rf"(?im)^\W{{0,5}}(?:{any_of(_WORDS['next_work'])})\b")
_MARKER = re.compile(r"^\s{0,8}(?:\[\d{1,3}\]|\(\d{1,3}\)|\d{1,3}[.)]?\s{1,3}\w|[\u2022*†‡]\s)")
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


def signs(first: str, named: Named) -> tuple[Sign, ...]:
    """Return the signs of a work in the text of the first two pages, where a document names itself.

    A supplement has none, unless the work is one itself. Nor has a document without the title and without an abstract:
    news, an interview.
    """
    pages = [Page(front, tuple(authors_on(front, named.authors))) for front in fronts(first)]
    titles = [title for title in map(title_of, named.titles) if title.letters]
    if any(_is_supplement(page.front, titles) for page in pages):
        return ()
    signs: set[Sign] = set()
    for page in pages:
        has_title = any(_has_title(page, title, named) for title in titles if not title.is_generic)
        signs |= {Sign.TITLE} if has_title else set()
        signs |= set(map(Sign, schemes_on(page, named, is_titled=has_title)))
        if any(place < max(page.front.title_end, _BYLINE) for place in page.authors):
            signs.add(Sign.AUTHOR)
    is_titled = Sign.TITLE in signs
    if not is_titled and not any(page.front.has_abstract_or_introduction for page in pages):
        signs -= _STATED
    if is_titled and not signs & _IDENTIFIERS and states_another_doi(pages, named.dois):
        signs.add(Sign.ANOTHER_DOI)
    return tuple(sign for sign in Sign if sign in signs)


def _is_supplement(front: Front, titles: list[Title]) -> bool:
    is_whole = front.has_abstract_and_introduction
    marks = SUPPLEMENT.finditer(front.head[:_SUPPLEMENT_WITHIN])
    match = next((match for match in marks if not _is_of_an_article(match, is_whole=is_whole)), None)
    return match is not None and not any(folded(match[0]) in title.letters for title in titles)


def _is_of_an_article(match: re.Match[str], *, is_whole: bool) -> bool:
    """Return whether a line about a supplement is of the article: it names the place, or the article follows."""
    rest = match["rest"].strip()
    return bool(_IS_HAD.search(rest)) or (is_whole and (not rest or bool(_IS_LED_TO.match(rest))))


def _has_title(page: Page, title: Title, named: Named) -> bool:
    """Return whether a title is on a page as that of its document."""
    places = list(_begun(page.front, title.letters))
    return any(_ends(page, title, stop) for _, stop in places) and _suffices(page, title, named, places)


def _begun(front: Front, letters: str) -> Iterator[tuple[int, int]]:
    """Return the places of letters at the beginning of a line of a title, before the text."""
    for start, stop in front.spots(letters):
        if start >= front.title_end:
            break
        if _LABEL.fullmatch(front.text, front.text.rfind("\n", 0, start) + 1, start):
            yield start, stop


def _ends(page: Page, title: Title, stop: int) -> bool:
    """Return whether a title ends with its letters: at the end of a line, at a mark, or before the authors."""
    text = page.front.text
    end = text.find("\n", stop)
    rest = text[stop : end if end >= 0 else len(text)]
    if title.letters[-1].isdigit() and rest[:1].isdigit():
        return False
    if not _MARKS.fullmatch(rest):
        return rest[:1].strip() == "" and any(0 < place - stop < min(_NEAR, len(rest)) for place in page.authors)
    return not rest.rstrip().endswith((":", "-", "\u2013", "\u2014", ","))


def _suffices(page: Page, title: Title, named: Named, places: Iterable[tuple[int, int]]) -> bool:
    """Return whether a whole title is enough: a short one needs an author, others only if one is known.

    A title of any length may be that of another work if none of the known authors is found.
    """
    if not title.is_short and not named.authors:
        return True
    named_here = [place for place in page.authors if not _is_cited(page.front, place)]
    return any(start - _BYLINE_BEFORE < place < stop + _BYLINE_BEHIND for start, stop in places for place in named_here)


def _is_cited(front: Front, place: int) -> bool:
    """Return whether a name is in running text, after the heading of the abstract, where other people are mentioned."""
    line = front.text[front.text.rfind("\n", 0, place) + 1 :].partition("\n")[0]
    return place >= front.title_end and sum(word[:1].islower() for word in line.split()) >= _PROSE_WORDS


def schemes_on(page: Page, named: Named, *, is_titled: bool) -> Iterator[str]:
    """Return the schemes of the identifiers of the work that a page states as its own."""
    front = page.front
    stamps = {match[1].lower() for match in _STAMP.finditer(front.text)}
    for scheme, value in named.identifiers:
        if scheme == ARXIV and value.lower() in stamps:
            yield ARXIV
        elif scheme in (*_LABELS, ARXIV):
            spots = [spot for spot in front.spots(folded(value)) if _is_whole(front.text, value, *spot)]
            if any(_is_own(page, scheme, start, named, is_titled=is_titled) for start, _ in spots):
                yield scheme


def states_another_doi(pages: Iterable[Page], dois: Iterable[str]) -> bool:
    """Return whether pages state a DOI as their own that is not one of these: of another version or work.

    It is labelled as its own before the abstract, or it is after the abstract with only its name before it in the line.
    """
    known, fronts = tuple(dois), [page.front for page in pages]
    ends = ((front.text, stop) for doi in known for front in fronts for _, stop in front.spots(folded(doi)))
    if not known or any(not text[stop : stop + 1].isalnum() for text, stop in ends):
        return False
    return any(
        _is_stated(front.text, match, is_head=match.start() < front.title_end)
        for front in fronts
        for match in _ANY_DOI.finditer(front.text)
        if not is_of_copy(match[0])
    )


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


def _is_own(page: Page, scheme: str, start: int, named: Named, *, is_titled: bool) -> bool:
    """Return whether an identifier is that of the document: no words before it mention another work.

    If the title is not on the page, the identifier must have its label, be the only one, and be in no citation.
    """
    text = page.front.text
    is_self = _is_self(text, start)
    if _OF_ANOTHER.search(text[max(0, start - _SENTENCE) : start].rpartition("\n\n")[2]) and not is_self:
        return False
    if is_titled:
        return True
    label, line = _LABELS.get(scheme), text[text.rfind("\n", 0, start) + 1 : start]
    if label is None or not label.search(text[max(0, start - _LABEL_BEFORE) : start]):
        return False
    words = f"{line}{text[start:].partition(chr(10))[0]}".split()
    is_cited = _MARKER.match(line) or sum(word[:1].islower() for word in words) >= _PROSE_WORDS
    are_several = len({match.lower().rstrip(".") for match in _ANY_DOI.findall(text)}) > 1
    return (is_self or not (is_cited or are_several)) and (not named.authors or bool(page.authors))


def _is_self(text: str, stop: int) -> bool:
    """Return whether `cite this as` is before an identifier, and no other work begins between them."""
    places = [match.start() for match in _SELF.finditer(text, max(0, stop - _SELF_BEFORE), stop)]
    return bool(places) and not _NEXT_WORK.search(text, places[-1], stop)
