"""Whether a document is a conference version of a work, with the same title and another year. Pure.

A work may be presented at a conference, and published in a journal some years later, with the same title and authors.
The conference version names its proceedings or its ISBN on the first page, and a year. A preprint names neither.
"""

from __future__ import annotations

import re

from harvester.fulltext.pdf.document import TOP, Document
from harvester.fulltext.pdf.first_pages import folded
from harvester.fulltext.pdf.work_names import Named

_FOOT = 6  # lines at the foot of the first page
_APART = 1  # years between the first publication of a work and that in an issue
_LEAST_VENUE = 6  # letters
_SHOWN = 80  # characters of a line in a sentence
_VENUE = re.compile(
    r"\bisbn\b|\b97[89]-\d|\b(?:proceedings|proc\.|conference|workshop|symposium|congress|tagung(?:sband)?|konferenz"
    r"|congreso|congresso|colloque|convegno|actes d[ue]|atti d[ei]l?)\b"
)
_YEAR = re.compile(r"(?<![\d./-])(?:19|20)\d\d(?![\d./-])")


def doubt_about(document: Document, named: Named) -> str:
    """Return a sentence if the first page names a conference of other years than those of the work."""
    known = set(map(int, filter(str.isdecimal, named.years)))
    if not known or _is_named(document, named):
        return ""
    years = {int(year) for line in document.lines for year in _YEAR.findall(line)}
    if any(abs(year - own) <= _APART for year in years for own in known):
        return ""
    lines = (line for line in (*document.lines[:TOP], *document.lines[-_FOOT:]) if _YEAR.search(line))
    venue = next(filter(_VENUE.search, lines), "")
    return f"Its first page names another year and a conference: \u201c{venue[:_SHOWN]}\u201d." if venue else ""


def _is_named(document: Document, named: Named) -> bool:
    """Return whether a DOI, or a journal or publisher, of the work is on the first page."""
    text = folded("\n".join(document.lines))
    dois = (value for scheme, value in named.identifiers if scheme == "doi")
    names = [*map(folded, dois), *(name for name in map(folded, named.venues) if len(name) >= _LEAST_VENUE)]
    return any(name in text for name in names)
