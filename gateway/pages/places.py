"""Where a work was published, read from a dc:source: a journal with volume, issue and pages. Pure.

A dc:source may be anything, such as the shelf mark of a photograph. So a text is a place only if it has a form of one.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_YEAR = r"(?:1[5-9]|20)\d\d(?:-\d\d){0,2}"
_ISSUE = r"\d{1,4}(?:[-/\u2013]\d{1,4})?"
_PAGES = r"(?P<first>[A-Za-z]{0,2}\d{1,7})(?: ?[-\u2013] ?(?P<last>[A-Za-z]{0,2}\d{1,7}))?"
_PLACE = re.compile(  # of a text with white space folded
    r"(?P<title>(?:\d{1,2}(?:st|nd|rd|th)? )?[^\W\d_][^\d;:]{1,200}?)(?: ?[,;:])? "
    r"(?:(?:vol(?:ume)?|v|bd|band|t|tomo?|tome)\b\.? ?)?(?P<volume>\d{1,4}\b)"
    rf"(?: ?\(?(?P<year_before>{_YEAR})\))?"
    rf"(?:[,;]? ?(?:no|nr|n|num|n\u00fam|n\u00ba|iss|issue|h|heft)\b\.? ?(?P<number>{_ISSUE})"
    rf"| ?\((?:no\.? ?)?(?P<in_brackets>{_ISSUE})\))?"
    rf"(?:[,:]? ?\((?P<year>{_YEAR})\))?"
    r"(?:: [^;]{1,200}(?=; ))?"  # OJS: the title of the issue
    rf"(?:(?:[,:;] ?| |(?<=\)))(?:pp?\b\.? ?)?{_PAGES})?"
    rf"(?:,? (?:\((?P<year_behind>{_YEAR})\)|(?<=, )(?:[A-Z][a-z]{{2,8}}\.? )?(?P<year_last>{_YEAR})))?\.?",
    re.IGNORECASE,
)
_VANCOUVER = re.compile(
    rf"(?P<title>[^\W\d_][^\d;:]{{1,200}}?)[.,]? {_YEAR};(?: ?(?P<volume>\d{{1,4}}))(?:\((?P<number>{_ISSUE})\))?"
    rf": ?{_PAGES}\.?"
)
_YEARS = ("year_before", "year", "year_behind", "year_last")
_LONGEST = 500
_BEHIND = re.compile(r"(?: \(\d{1,4} pages\))?(?:[.,;]? (?:doi: ?|https?://)\S+)?$", re.IGNORECASE)
_IDENTIFIER = re.compile(
    r"(?:urn:|e?-?issn\b|e?-?isbn\b|doi\b|hdl\b|info:|oai:|pmid\b|arxiv:).*|https?://\S*|[\d\s-]{8,16}x?", re.IGNORECASE
)
# What a title of a journal does not end with, or contain: numbers of pages, volumes and years.
_NUMBERS = re.compile(r"\d[)\].\s]*$|\d ?[-\u2013:(=] ?\d|[A-Z]=|\b(?:vol|pp|no)\b\.? ?\d", re.IGNORECASE)


class Place(NamedTuple):
    """A place in a journal; `text` is as the record has it. A part that it does not have is empty."""

    text: str = ""
    journal: str = ""
    volume: str = ""
    issue: str = ""
    first_page: str = ""
    last_page: str = ""


def place_of(text: str) -> Place | None:
    """Return the place that a text states, or None if it has no form of one.

    A title and one number are none: it may be `Map 3165`. There must be an issue, or pages with their end or a year.
    """
    if len(text) > _LONGEST:
        return None
    stated = _BEHIND.sub("", text)
    match = _PLACE.fullmatch(stated) or _VANCOUVER.fullmatch(stated)
    if match is None:
        return None
    parts = match.groupdict(default="")
    issue = parts["number"] or parts.get("in_brackets", "")
    has_year = match.re is _VANCOUVER or any(parts[name] for name in _YEARS)
    if not (issue or (parts["first"] and (parts["last"] or has_year))):
        return None
    return Place(text, parts["title"], parts["volume"], issue, parts["first"], parts["last"])


def is_identifier(text: str) -> bool:
    """Return whether a text is an address, or an identifier such as an ISSN."""
    return _IDENTIFIER.fullmatch(text) is not None


def is_title(text: str) -> bool:
    """Return whether a text may be the title of a journal or of proceedings, without numbers of anything in it."""
    return not is_identifier(text) and _NUMBERS.search(text) is None
