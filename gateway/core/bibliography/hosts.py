"""Where a work was published, read from a dc:source: a journal with volume, issue and pages. Pure.

A dc:source may be anything, such as the shelf mark of a photograph. So a text is a place only if it has a form of one.
"""

import re

from gateway.core.bibliography.identifiers import is_issn, issn_of
from gateway.core.model import Host
from gateway.core.words import any_of, table

_WORDS = table(__file__, "hosts")
_YEAR = r"(?:1[5-9]|20)\d\d(?:-\d\d){0,2}"
_ISSUE = r"\d{1,4}(?:[-/\u2013]\d{1,4})?"
_PAGES = r"(?P<first>[A-Za-z]{0,2}\d{1,7})(?: ?[-\u2013] ?(?P<last>[A-Za-z]{0,2}\d{1,7}))?"
_PLACE = re.compile(  # of a text with white space folded
    r"(?P<title>(?:\d{1,2}(?:st|nd|rd|th)? )?[^\W\d_][^\d;:]{1,200}?)(?: ?[,;:])? "
    rf"(?:(?:{any_of(_WORDS['volume'])})\b\.? ?)?(?P<volume>\d{{1,4}}\b)"
    rf"(?: ?\(?(?P<year_before>{_YEAR})\))?"
    rf"(?:[,;]? ?(?:{any_of(_WORDS['number'])})\b\.? ?(?P<number>{_ISSUE})"
    rf"| ?\((?:no\.? ?)?(?P<in_brackets>{_ISSUE})\))?"
    rf"(?:[,:]? ?(?:\((?P<year>{_YEAR})\)|(?P<year_plain>{_YEAR})(?=, ?pp?\.)))?"
    r"(?:: [^;]{1,200}(?=; ))?"  # OJS: the title of the issue
    rf"(?:(?:[,:;] ?| |(?<=\)))(?:pp?\b\.? ?)?{_PAGES})?"
    rf"(?:,? (?:\((?P<year_behind>{_YEAR})\)|(?<=, )(?:[A-Z][a-z]{{2,8}}\.? )?(?P<year_last>{_YEAR})))?\.?",
    re.IGNORECASE,
)
_VANCOUVER = re.compile(
    rf"(?P<title>[^\W\d_][^\d;:]{{1,200}}?)[.,]? {_YEAR};(?: ?(?P<volume>\d{{1,4}}))(?:\((?P<number>{_ISSUE})\))?"
    rf": ?{_PAGES}\.?"
)
_BARE_ISSN = re.compile(r"(\d{4})-(\d{3}[\dXx])")
_YEARS = ("year_before", "year", "year_plain", "year_behind", "year_last")
_LONGEST = 500
_ARTICLE = 4  # characters of an article number, such as `e105`
_BEHIND = re.compile(r"(?: \(\d{1,4} pages\))?(?:[.,;]? (?:doi: ?|https?://)\S+)?$", re.IGNORECASE)
_IDENTIFIER = re.compile(
    r"(?:urn:|e?-?issn\b|e?-?isbn\b|doi\b|hdl\b|info:|oai:|pmid\b|arxiv:).*|https?://\S*|[\d\s-]{8,16}x?", re.IGNORECASE
)
# What a title of a journal does not end with, or contain: numbers of pages, volumes and years.
_NUMBERS = re.compile(r"\d[)\].\s]*$|\d ?[-\u2013:(=] ?\d|[A-Z]=|\b(?:vol|pp|no)\b\.? ?\d", re.IGNORECASE)


# OJS: `Journal; Vol. 12 No. 1 (2021): Name; 3-14`, in the language of the journal. Of two numbers the volume is the
# first one, in every language.
_ISSUE_WORD = re.compile(rf"(?:{any_of(_WORDS['issue'])})", re.IGNORECASE)
_NUMBER = re.compile(
    r"(?P<word>[^\W\d_][^\d();]{0,30}|\u2116)?\s?(?<!\d)(?P<number>\d{1,5}(?:\s?[-/.\u2013]\s?\d{1,5})?[A-Za-z]?)(?!\w)"
)
_BEFORE_YEAR = re.compile(r"(?P<volume>\d{1,4})(?:\s*\((?P<issue>\d{1,4}(?:[-/\u2013]\d{1,4})?)\))?,?")
_IN_BRACKETS = re.compile(rf"\((?P<year>{_YEAR}(?:[-/\u2013]\d{{2,4}})?)\)")
_PAGES_INSIDE = re.compile(  # LARO: `Vol.9, iss.1, p.41-65`
    rf"(?<![^\W\d_])(?:{any_of(_WORDS['pages'])})\. ?{_PAGES}", re.IGNORECASE
)
_ANY_YEAR = re.compile(r"(?<![\d-])(?:1[5-9]|20)\d\d(?![\d-])")
_ONLY_PAGES = re.compile(
    rf"(?:{any_of(_WORDS['pages_alone'])})?\b\.?\s*{_PAGES}|(?P<article>e?[\w.-]{{0,12}}\d[\w.-]{{0,12}})",
    re.IGNORECASE,
)
_ROMAN_PAGES = re.compile(
    r"(?P<article>)(?:pp?\b\.? ?)?(?P<first>[ivxlcdm]{1,9})(?: ?[-\u2013] ?(?P<last>[ivxlcdm]{1,9}))?"
)


def host_of(text: str) -> Host | None:
    """Return the host that a text states, or None if it has no form of one.

    A title and one number are none: it may be `Map 3165`. There must be an issue, or pages with their end or a year.
    """
    if len(text) > _LONGEST:
        return None
    stated = _BEHIND.sub("", text)
    if ";" in stated and (host := _divided(text, stated)):
        return host
    match = _PLACE.fullmatch(stated) or _VANCOUVER.fullmatch(stated)
    if match is None:
        return None
    parts = match.groupdict(default="")
    issue = parts["number"] or parts.get("in_brackets", "")
    has_year = match.re is _VANCOUVER or any(parts[name] for name in _YEARS)
    is_article = parts["first"][:1] in "eE" and len(parts["first"]) >= _ARTICLE and ": " in stated  # Pensoft
    if not (issue or (parts["first"] and (parts["last"] or has_year or is_article))):
        return None
    return Host(parts["title"], parts["volume"], issue, parts["first"], parts["last"], text=text)


def _numbered(text: str) -> dict[bool, str]:
    """Return the volume (True) and the issue (False) among the labelled numbers of a text."""
    found = [((match["word"] or "").strip(" .:#\u00ba\u00b0,"), match["number"]) for match in _NUMBER.finditer(text)]
    if not found or not (found[0][0] or "." in text):
        return {}
    is_issue = [_ISSUE_WORD.fullmatch(word) is not None for word, _ in found[:2]]
    if len(found) == 1:
        return {not is_issue[0]: found[0][1]}
    first, second = (number for _, number in found[:2])
    return {True: second, False: first} if is_issue == [True, False] and found[1][0] else {True: first, False: second}


def _divided(text: str, stated: str) -> Host | None:
    """Return the place in `Journal; identification of the issue; pages` (OJS), in any language."""
    title, _, behind = stated.partition(";")
    title, behind = title.strip(), behind.strip()
    middle, semicolon, last = behind.rpartition(";")
    pages = (_ONLY_PAGES.fullmatch(last.strip()) or _ROMAN_PAGES.fullmatch(last.strip())) if semicolon else None
    if semicolon and (pages or not last.strip()):
        behind = middle.strip()
    year = _IN_BRACKETS.search(behind)
    numbers = (behind[: year.start()] if year else behind.partition(":")[0]).replace("#", " ")
    found = _numbered(numbers)
    if not found and (plain := _BEFORE_YEAR.fullmatch(numbers.strip())) and (year or pages):
        found = {True: plain["volume"], False: plain["issue"] or ""}
    if not any(map(str.isalpha, title)) or not (year or (found and pages) or len(found) > 1) or is_identifier(title):
        return None
    pages = pages or _PAGES_INSIDE.search(behind)
    first = (pages["first"] or pages.groupdict().get("article") or "") if pages else ""
    return Host(
        title, found.get(True, ""), found.get(False, ""), first, (pages["last"] or "") if pages else "", text=text
    )


def is_identifier(text: str) -> bool:
    """Return whether a text is an address, or an identifier such as an ISSN."""
    return _IDENTIFIER.fullmatch(text) is not None


def is_title(text: str) -> bool:
    """Return whether a text may be the title of a journal or of proceedings, without numbers of anything in it."""
    return not is_identifier(text) and _NUMBERS.search(text) is None


def serial_in(text: str) -> str:
    """Return the ISSN that is a whole text, by its form and its check digit, and not a pair of years."""
    match = _BARE_ISSN.fullmatch(text)
    if match is None or (text[0] in "12" and text[5] in "12" and text[8].isdigit()):
        return ""
    return issn_of(text) if is_issn(text) else ""


def year_in(host: Host) -> str:
    """Return the year in the text of a place: the one in brackets, else the last number that can be a year."""
    behind = host.text.removeprefix(host.title)[:_LONGEST]
    if match := _IN_BRACKETS.search(behind):
        return match["year"][:4]
    return next(iter(reversed(_ANY_YEAR.findall(behind))), "") if host.title and behind else ""
