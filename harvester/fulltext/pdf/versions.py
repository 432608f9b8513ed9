# ruff: noqa: E501 - tables have long lines
"""The version of a work that a document states: submitted, accepted or published. Pure.

The method is that of Unpaywall: it reads the statements of publishers, repositories and preprint servers on the first
pages. A statement of an author or a server about this very file counts more than the look of an article.
"""

from __future__ import annotations

import re
from itertools import pairwise

from harvester.fulltext.pdf.extraction import Extracted

SUBMITTED, ACCEPTED, PUBLISHED = "submitted", "accepted", "published"
_MOST = 30_000  # characters of the first pages
_FEWEST_POINTS = 3  # the fewest points of a published article
_FEWEST_NUMBERS = 20  # lines that are numbered

# Statements about this very file, on a text in lower case with single spaces. The first that fits decides.
_STATEMENTS = (
    # The covers of repositories: Pure, White Rose, EPrints.
    (PUBLISHED, r"(?:document )?version: ?(?:publisher's (?:pdf|version)|final published|published version|version of record)"),
    (ACCEPTED, r"(?:document )?version: ?(?:peer[- ]reviewed|accepted|author'?s? accepted|post-?print|author final)"),
    (SUBMITTED, r"(?:document )?version: ?(?:early version|pre-?print|submitted|author'?s? original|working paper)"),
    (
        ACCEPTED,
        (r"post-peer-review, pre-copyedit|this is (?:the|an) (?:author'?s? |final |pre-print ){0,3}(?:accepted|peer[- ]reviewed)"
        r"|(?:nih-pa|hhs public access|nih public access|europe pmc funders?|cihr|wellcome trust) author manuscript"
        r"|author manuscript; available in pmc|published in final edited form as|hhs public access"
        r"|author(?:'?s?)? accepted (?:version|manuscript|copy)|accepted author (?:version|manuscript)"
        r"|author'?s (?:final |personal )?(?:version|post-?print|manuscript) of (?:a|the|an) (?:work|paper|article|manuscript)"
        r"|this manuscript version is made available under|this is an unedited manuscript that has been accepted"
        r"|(?:this )?article has been accepted for (?:publication|inclusion) (?:and (?:has )?undergone|in a future issue)"
        r"|has (?:been accepted for publication but has )?not (?:yet )?been (?:fully )?(?:copy-?edited|edited)"
        r"|peer[- ]reviewed, accepted (?:manuscript|version)|journal pre-proofs?\b|\bjust accepted\b"
        r"|unedited version of this manuscript|this (?:accepted|author) manuscript (?:is|has|may)|post-?print version"
        r"|the (?:definitive|final|published) version (?:of this (?:paper|article|work|manuscript) )?(?:is|was|has been|will be)"
        r" (?:subsequently )?(?:available|published|publish)"),
    ),
    (
        SUBMITTED,
        (r"arxiv:(?:\d{4}\.\d{4,5}|[a-z.-]{2,20}/\d{7})(?:v\d{1,3})? ?\[[a-z.-]{2,20}\] ?\d{1,2} [a-z]{3,9} \d{4}"
        r"|\b(?:bio|med|chem|psy|soc|eng|earth)rxiv preprint|not (?:been )?certified by peer review|copyright holder for this preprint"
        r"|preprints? \(?www\.preprints\.org|not peer[- ]reviewed\b|has not (?:yet )?been peer[- ]reviewed|preprint submitted to"
        r"|preliminary reports? that ha(?:s|ve) not undergone peer review|electronic copy available at: https?://(?:papers\.)?ssrn"
        r"|under review as a (?:conference )?paper|submitted manuscript under review|this is a preprint\b"
        r"|this is a non-?peer[- ]reviewed (?:preprint|manuscript)|manuscript submitted to\b|unpublished working draft|(?:do not|not for) (?:distribut|circulat)|(?:for )?review copy\b|pre-?review(?:ed)? version"),
    ),
)  # fmt: skip

# Features of published articles, and their points.
_LOOKS = (
    (2, r"journal homepage ?:|contents lists? available at|available online at www\.sciencedirect"),
    (2, r"\breceived\b.{4,120}\baccepted\b.{4,120}\bpublished\b"),
    (2, r"published by (?:elsevier|john wiley|wiley|springer|oxford|cambridge|taylor|sage|iop|bmj|mdpi|frontiers|the royal|the american|aip)"),
    (2, r"open access article (?:distributed|published|licensed|which|under)|licensee (?:mdpi|biomed|springer|elsevier|intech)"),
    (2, r"\bcrossmark\b|plos one \d|\| www\.|mdpi\.com/journal|frontiersin\.org|published under licen[cs]e by iop"),
    (2, r"published as a (?:conference|workshop) paper|permission to make digital or hard copies|proceedings of the \d{1,3}(?:st|nd|rd|th)"),
    (1, r"(?:©|\(c\)|copyright)[^.\n©]{0,60}\b(?:19|20)\d\d"),
    (1, r"\bdoi\b|doi\.org/"),
    (1, r"\breceived\b.{4,120}\baccepted\b"),
    (1, r"\bpublished(?: online)?:? \d{1,2} [a-z]{3,9}|\bfirst published|available online \d"),
    (1, r"\bvol(?:ume|\.)? ?\d{1,4},? ?(?:no|issue|number|iss|pp)\b|\b\d{1,4} ?\((?:19|20)\d\d\) ?[a-z]?\d|(?:19|20)\d\d[;,] ?\d{1,4} ?\(\d{1,3}\)"),
    (1, r"\bissn\b|all rights reserved|\bpp?\. ?\d{1,5} ?- ?\d{1,5}"),
)  # fmt: skip

_AT_LAST = (
    (ACCEPTED, r"\baccepted for publication (?:in|by)\b|\bto appear in\b|\baccepted (?:by|in|to) (?:the )?[a-z. ]{0,40}journal"),
    (SUBMITTED, r"(?:^|\n)(?:this (?:paper|article|manuscript) (?:was |has been |is )?)?submitted (?:to|for publication)\b"),
    (SUBMITTED, r"(?:^|\n)(?:draft(?: version)?\b|pre-?print\b|(?:discussion|working) papers?\b|aps/123-qed|typeset using)"),
)  # fmt: skip

_SPACES = re.compile(r"[^\S\n]+")
_COMPILED = tuple((version, re.compile(pattern)) for version, pattern in _STATEMENTS)
_POINTS = tuple((points, re.compile(pattern)) for points, pattern in _LOOKS)
_LAST = tuple((version, re.compile(pattern)) for version, pattern in _AT_LAST)
_ACCEPTED_LINE = re.compile(
    r"(?m)^(?:(?:author'?s? )?accepted (?:manuscript|version|article|author version)(?: posted online)?|post-?print"
    r"|author(?:'s)? (?:manuscript|copy))\W{0,3}$"
)
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
    if _ACCEPTED_LINE.search(lines):
        return ACCEPTED
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
