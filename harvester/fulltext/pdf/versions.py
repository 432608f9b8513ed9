"""The version of a work that a document states: submitted, accepted or published. Pure.

The method is that of Unpaywall: it reads the statements of publishers, repositories and preprint servers on the first
pages. A statement of an author or a server about this very file counts more than the layout of an article.
"""

import re
from itertools import pairwise

from harvester.fulltext.pdf.extraction import Extracted
from harvester.words import any_of, load

SUBMITTED, ACCEPTED, PUBLISHED = "submitted", "accepted", "published"
_MOST = 30_000  # characters of the first pages
_FEWEST_POINTS = 3  # the fewest points of a published article
_FEWEST_NUMBERS = 20  # lines that are numbered

_SPACES = re.compile(r"[^\S\n]+")
_WORDS = load("versions")


def _rows(name: str, key: str, around: str = "{}") -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the rows of a table: a version or points, and a regular expression of its words."""
    rows = ((str(row[key]), any_of(row["words"], _WORDS["parts"])) for row in _WORDS[name])
    return tuple((value, re.compile(around.replace("{}", pattern))) for value, pattern in rows)


_STATEMENTS, _LINES = _rows("statements", "version"), _rows("lines", "version", r"(?m)^[^\w\n]{0,3}(?:{})[^\w\n]{0,3}$")
_LAYOUTS, _AT_LAST = _rows("layouts", "points"), _rows("at_last", "version")
_NUMBERED = (re.compile(r"(?m)^(\d{1,4})(?= |$)"), re.compile(r"(?m)(?<= )(\d{1,4})$"))


def version_in(extracted: Extracted) -> str:
    """Return the version that the first pages of a document state: submitted, accepted, published; empty: none."""
    lines = "\n".join(
        _SPACES.sub(" ", line).strip() for line in extracted.first[:_MOST].lower().replace("\u2019", "'").splitlines()
    )
    text = lines.replace("\n", " ")
    for version, pattern in _STATEMENTS:
        if pattern.search(text):
            return version
    for version, pattern in _LINES:
        if pattern.search(lines):
            return version
    if sum(int(points) for points, pattern in _LAYOUTS if pattern.search(text)) >= _FEWEST_POINTS:
        return PUBLISHED
    if _has_line_numbers(lines):
        return SUBMITTED
    return next((version for version, pattern in _AT_LAST if pattern.search(lines)), "")


def _has_line_numbers(lines: str) -> bool:
    """Return whether each line or every fifth is numbered, as in manuscripts."""
    for pattern in _NUMBERED:
        numbers = [int(match[1]) for match in pattern.finditer(lines)]
        if any(_longest_run(numbers, step) >= _FEWEST_NUMBERS // step for step in (1, 5)):
            return True
    return False


def _longest_run(numbers: list[int], step: int) -> int:
    """Return how many consecutive numbers have equal steps."""
    longest = run = 0
    for before, after in pairwise(numbers):
        run = run + 1 if after - before == step else 0
        longest = max(longest, run)
    return longest
