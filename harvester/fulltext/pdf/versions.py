"""The version of a work that a document states: submitted, accepted or published. Pure.

The method is that of Unpaywall: it reads the statements of publishers, repositories and preprint servers on the first
pages. A statement of an author or a server about this very file counts more than the look of an article.
"""

from __future__ import annotations

import re
from itertools import pairwise

from harvester.fulltext.pdf.extraction import Extracted
from harvester.fulltext.pdf.version_words import (
    ACCEPTED,
    AT_LAST,
    LINES,
    LOOKS,
    PUBLISHED,
    STATEMENTS,
    SUBMITTED,
)

__all__ = ["ACCEPTED", "PUBLISHED", "SUBMITTED", "version_in"]

_MOST = 30_000  # characters of the first pages
_FEWEST_POINTS = 3  # the fewest points of a published article
_FEWEST_NUMBERS = 20  # lines that are numbered

_SPACES = re.compile(r"[^\S\n]+")
_COMPILED = tuple((version, re.compile(pattern)) for version, pattern in STATEMENTS)
_POINTS = tuple((points, re.compile(pattern)) for points, pattern in LOOKS)
_LAST = tuple((version, re.compile(pattern)) for version, pattern in AT_LAST)
_NUMBERED = (re.compile(r"(?m)^(\d{1,4})(?= |$)"), re.compile(r"(?m)(?<= )(\d{1,4})$"))


def version_in(extracted: Extracted) -> str:
    """Return the version that the first pages of a document state: submitted, accepted, published; empty: none."""
    lines = "\n".join(
        _SPACES.sub(" ", line).strip() for line in extracted.first[:_MOST].lower().replace("\u2019", "'").splitlines()
    )
    text = lines.replace("\n", " ")
    for version, pattern in _COMPILED:
        if pattern.search(text):
            return version
    for version, pattern in LINES:
        if pattern.search(lines):
            return version
    if sum(points for points, pattern in _POINTS if pattern.search(text)) >= _FEWEST_POINTS:
        return PUBLISHED
    if _has_line_numbers(lines):
        return SUBMITTED
    return next((version for version, pattern in _LAST if pattern.search(lines)), "")


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
