# ruff: noqa: E501, RUF001 - tables have long lines
"""Whether a document without a sign of a thesis shows that it is an article. Pure.

A thesis and an article of one author often have the same title. A journal or a publisher names itself on the page with
the title. That page has both the abstract and the beginning of the text, and no thesis begins so. Copyright, DOI and
ISSN alone are no sign: many theses have them.
"""

from __future__ import annotations

import re

from harvester.fulltext.pdf import headings
from harvester.fulltext.pdf.document import TOP, Document
from harvester.fulltext.pdf.versions import ACCEPTED, version_in

_FOOT = 6  # lines at the foot of the page with the title
_FEWEST_PAGES = 15  # of a thesis with an abstract and references
_SHOWN = 60  # characters of the words in a sentence

# Words of journals, publishers and conferences about an article.
_NOTICES = re.compile(
    r"journal homepage ?:|contents lists? available at|available online at www\.sciencedirect"
    r"|\breceived\b.{4,120}\b(?:accepted|published)\b|\b(?:eingegangen|reçu|recibido|recebido|ricevuto)\b.{4,120}\b(?:angenommen|accepté|aceptado|aceito|accettato)\b"
    r"|published by (?:elsevier|john wiley|wiley|springer|oxford|cambridge|taylor|sage|iop|bmj|mdpi|frontiers|the royal|the american|aip)"
    r"|open access article|this article is (?:distributed|published|licensed|an open)|licensee (?:mdpi|biomed|springer|elsevier|intech)|\bcrossmark\b|check for updates"
    r"|mdpi\.com/journal|frontiersin\.org|published under licen[cs]e by iop|preprint submitted to|manuscript submitted to|under review as a"
    r"|published as a (?:conference|workshop) paper|permission to make digital or hard copies|\bproceedings of the \d{1,3}(?:st|nd|rd|th)"
    r"|corresponding author|contributed equally|(?:this|the) (?:article|paper) (?:was|is|has been) (?:accepted|published|presented at)"
)
# Volume, year and pages in the running head of a journal.
_CITATION = re.compile(
    r"\bvol(?:ume)?\.? ?\d{1,4}(?:, ?| |\()(?:no|issue|number|iss|nr|art|pp)\b|\b\d{1,4} ?\((?:19|20)\d\d\)[,:]? ?[a-z]?\d|(?:19|20)\d\d[;,] ?\d{1,4} ?(?:\(\d{1,3}\)|:)"
    r"|\b\d{1,4} ?\(\d{1,3}\)[,:]? ?(?:pp?\.? ?)?\d{1,5} ?- ?\d|\bvol(?:ume)?\.? ?\d{1,4}\b.{0,40}\bpp?\.? ?\d|\bpp\. ?\d{1,5} ?- ?\d{1,5}|\b\d{1,4}:\d{1,5} ?- ?\d{1,5}\b"
    r"|\b(?:jg|bd)\. ?\d{1,4}\b.{0,40}\b(?:heft|h\.|s\.) ?\d|№ ?\d{1,4}\b.{0,40}\bс\. ?\d|第 ?\d{1,4} ?[卷巻].{0,10}第 ?\d{1,4} ?[期号]"
)


def sign_in(document: Document) -> str:
    """Return the words that show that a document is an article, or how they are placed; empty: none."""
    lines = document.lines
    if match := _NOTICES.search(" ".join(lines)):
        return f"\u201c{match[0][:_SHOWN]}\u201d"
    heads = (*lines[:TOP], *lines[-_FOOT:])
    if line := next((line for line in heads if _CITATION.search(line) and not headings.REFERENCES.match(line)), ""):
        return f"\u201c{line[:_SHOWN].strip()}\u201d"
    if version_in(document.extracted) == ACCEPTED:
        return "it says that it is an accepted manuscript"
    if document.has_abstract and any(map(headings.INTRODUCTION.match, lines)) and document.has_title:
        return "its title, abstract and introduction are on one page"
    if document.pages < _FEWEST_PAGES and document.has_abstract and document.has_references:
        return f"it has {document.pages} pages, with an abstract and references"
    return ""
