"""Whether a line above the title is the name of a journal that the record lacks. Pure.

The document shows it itself. Either it cites works in this journal: the name has a volume behind it, and the end of a
title before it. Or the name is the running head of several pages, and their numbers do not begin at 1. Many journals
number their volumes through. Other documents of a study, such as reviews or teaching notes, have neither.
"""

from __future__ import annotations

import re

from harvester.fulltext.pdf.document import Document
from harvester.fulltext.pdf.page_numbers import ROW, heads_of, plain, steps

_MOST_WORDS, _FEWEST_LETTERS = 7, 4  # of the name of a journal
_READ = 6  # pages whose running heads are read
_FEWEST_HEADS = 2  # of later pages
_BEFORE, _BEHIND = 2, 12  # characters beside the name in a reference
_AFTER_TITLE = re.compile(r"(?:[.,;:!?\u201d\"')]|\bin)\s$")
_VOLUME = re.compile(r"[.,;:]?\s?(?:vol\.?\s?|bd\.?\s?|jg\.?\s?|t\.\s?|\()?\d{1,4}\b")


def is_journal(line: str, document: Document) -> bool:
    """Return whether a line is the name of a journal, by the references or the pages of the document."""
    name = " ".join(line.lower().split())
    if len(name.split()) > _MOST_WORDS or sum(map(str.isalpha, name)) < _FEWEST_LETTERS:
        return False
    return _is_cited(name, document) or _is_running_head(name, document)


def _is_cited(name: str, document: Document) -> bool:
    text = " ".join(document.extracted.text.lower().split())
    at = text.find(name)
    while at >= 0:
        stop = at + len(name)
        if _AFTER_TITLE.search(text[max(0, at - _BEFORE - 1) : at]) and _VOLUME.match(text[stop : stop + _BEHIND]):
            return True
        at = text.find(name, stop)
    return False


def _is_running_head(name: str, document: Document) -> bool:
    leaves = document.leaves[:_READ]
    heads = sum(plain(name) in {plain(line) for line in heads_of(leaf)} for leaf in leaves[1:])
    if heads < _FEWEST_HEADS or len(leaves) <= ROW:
        return False
    return any(step > document.pages for step in steps(leaves[1 : ROW + 1], 1))
