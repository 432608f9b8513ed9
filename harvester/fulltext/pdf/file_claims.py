"""The claims of a file about itself: its licence, a prohibition to pass it on, reserved rights, a retraction. Pure.

A licence of a page or a service counts only if the file does not contradict it. The first two pages are read, and the
end of the last one. A label counts alone on its line, a statement only if it is about this document.
"""

import re
from collections.abc import Collection, Iterable
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from gateway.core.normal_forms import letters
from gateway.fulltext.licenses import is_open
from harvester.fulltext.pdf.document import lines_of
from harvester.fulltext.pdf.extraction import Extracted
from harvester.fulltext.retractions import by_statement, label_around, label_in, statement_in
from harvester.fulltext.rights_words import licenses_in, prohibiting, prohibitions_in, quoted, reserved_in, undivided
from harvester.words import any_of, load, words_of

_FILE = "the file"
_TOP = 15  # lines at the top of a page in which a label counts
_END = 2_500  # characters at the end of a file that are read
_LONGEST_COVER = 1_500  # characters of a first page that may be a cover
_WORDS = load("retractions")
_RETRACTED = re.compile(any_of(_WORDS["in_files"]))
# A watermark, which engines put at the end of a line with its own capitals, or a line above the title.
WATERMARK = re.compile(rf"(?m)(?<![A-Z])(?:{any_of(_WORDS['marks_of_retraction'])})\s?$")
_WITHDRAWN = re.compile(rf"(?m)(?<![A-Z] )\b(?:{any_of(_WORDS['marks_of_withdrawal'])})\s?$")
_OF_RETRACTIONS = words_of(_WORDS["topics"])


# What forbids commercial use; a licence that permits it is not that of such a file.
_NONCOMMERCIAL = re.compile(any_of(load("rights_words")["noncommercial"]))


class FileClaims(NamedTuple):
    """The claims of a file about itself: its open licences, and sentences; empty: it states none."""

    licenses: frozenset[str] = frozenset()
    noncommercial: str = ""  # that it may not be used commercially
    reserved: str = ""  # that it reserves all rights
    restriction: str = ""  # that it forbids to pass it on
    retracted: str = ""

    def doubt(self, license_: str) -> str:
        """Return why this licence, which was stated for the file, is contradicted by the file; empty: it is not."""
        if not is_open(license_):
            return ""
        others = sorted(self.licenses - {license_})
        if others:
            return f"The licence {license_} was stated for this copy, and its text states {' and '.join(others)}."
        against = self.reserved or ("" if "-nc" in license_ else self.noncommercial)
        return f"The licence {license_} was stated for this copy. {against}" if against else ""


def claims_of(extracted: Extracted, titles: Iterable[str]) -> FileClaims:
    """Return the claims of a file about itself. `titles` are those of the record: their words are no claim."""
    named = [spelled for title in titles if (spelled := letters(title))]
    front, second = _pages(extracted)
    last = lines_of(extracted.rest[-_END:])
    pages = [[*front, *second], last]
    texts = [undivided("\n".join(page)).replace("\n", " ") for page in pages]
    lines = (line for page in pages for line in page)
    forbidding = chain(prohibiting(lines), *map(prohibitions_in, texts))
    restriction = next((quote for quote in forbidding if not any(map(letters(quote).startswith, named))), "")
    reserved = next((quote for text in texts for quote in reserved_in(text)), "")
    limits = (match[0] for text in texts for match in _NONCOMMERCIAL.finditer(text))
    noncommercial = next((quote for quote in limits if not any(letters(quote) in title for title in named)), "")
    return FileClaims(
        frozenset(license_ for page in pages for license_ in licenses_in("\n".join(page))),
        f'Its text says "{quoted(noncommercial)}".' if noncommercial else "",
        f'Its text says "{quoted(reserved)}".' if reserved else "",
        f'The file says "{quoted(restriction)}".' if restriction else "",
        _retracted(extracted, front, second, named),
    )


def _pages(extracted: Extracted) -> list[list[str]]:
    """Return the lines of the first two pages."""
    front = extracted.front or extracted.first
    return [lines_of(front), lines_of(extracted.first[len(front) :])]


def _retracted(extracted: Extracted, front: list[str], second: list[str], titles: Collection[str]) -> str:
    """Return the sentence about a retraction that the file states; empty: none.

    An article about retractions states none in sentences. The second page counts if the first one is a cover.
    """
    text = " ".join(front)
    behind = second if len(text) <= _LONGEST_COVER else []
    labels = [(label_in(line) or label_around(line), line) for line in (*front[:_TOP], *behind[:_TOP])]
    marks = (line for line in (*front, *second) if label_in(line) == "retraction" and _RETRACTED.search(line))
    for update, line in (*filter(itemgetter(0), labels), *(("retraction", line) for line in marks)):
        if not any(title.startswith(letters(line)) for title in titles):
            return by_statement(update, _FILE, line)
    if any(word in title for title in titles for word in _OF_RETRACTIONS):
        return ""
    if mark := WATERMARK.search(extracted.front) or _WITHDRAWN.search(extracted.front):
        return by_statement("withdrawal" if "I" in mark[0] else "retraction", _FILE, mark[0])
    update, quote = statement_in(" ".join((text, *behind)))
    return by_statement(update, _FILE, quote) if update else ""
