"""What becomes of a file that was found: rules accept or reject where that is plain, all else is for people. Pure.

A colour never accepts: green permits some version, somewhere, perhaps later. What accepts is an open licence that was
stated for this very copy, or a policy that permits this version in an institutional repository now.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gateway.model import Candidate, Decision, Outcome
from gateway.settings import Settings
from gateway.xmltext import utc_datetime
from harvester.search.searching import Searched
from harvester.wire.licenses import is_open
from harvester.wire.policies import Permission, Policy

RULE = "rule"
_MONTHS = 12

# Conditions that every record of ours keeps: it names the source and links to the publisher by its identifier.
_KEPT = re.compile(
    r"(?i)^(?:upon publication )?(?:"
    r"(?:publisher |published )?(?:copyright and )?source must be acknowledged(?: with citation)?"
    r"|must link to (?:publisher version|published article)(?: with doi)?"
    r")\.?$"
)


class Thresholds(NamedTuple):
    """From which score on a rule accepts, below which it rejects, and whether rules decide at all."""

    accept: float = 0.5
    reject: float = 0.1
    is_on: bool = True


class Ruling(NamedTuple):
    """What a rule says of a copy, and why."""

    verdict: str
    reason: str


def thresholds_of(settings: Settings) -> Thresholds:
    """Return the thresholds in force."""
    scores = settings.share("review_accept_score"), settings.share("review_reject_score")
    return Thresholds(*scores, settings.is_on("review_rules"))


def decided(identifier: str, searched: Searched, thresholds: Thresholds, at: int) -> tuple[Decision, ...]:
    """Return the decisions on all copies of a work that are documents; what was never a document needs none."""
    return tuple(
        Decision(identifier, each.url, each.sha256, ruling.verdict, ruling.reason, RULE, at)
        for each in searched.candidates
        if each.sha256 and each.outcome in (Outcome.SUCCESS, Outcome.LOW_SCORE, Outcome.WRONG_DOCUMENT, Outcome.NO_TEXT)
        for ruling in (rule(each, searched.policy, searched.published, thresholds, utc_datetime(at)[:7]),)
    )


def rule(candidate: Candidate, policy: Policy | None, published: str, thresholds: Thresholds, month: str) -> Ruling:
    """Return what the rules say of a copy in a month (`2026-11`) of a work published in a year."""
    if doubt := _about_the_file(candidate, thresholds):
        return Ruling("review", doubt)
    if candidate.score < thresholds.reject:
        return Ruling("reject", f"The score {candidate.score:g} is below {thresholds.reject:g}.")
    if candidate.outcome is not Outcome.SUCCESS or candidate.score < thresholds.accept:
        return Ruling("review", f"The score {candidate.score:g} tells too little.")
    if is_open(candidate.license):
        return Ruling("accept", f"The licence {candidate.license} was stated for this copy.")
    return _by_policy(candidate.version, policy, published, month)


def _about_the_file(candidate: Candidate, thresholds: Thresholds) -> str:
    """Return why no rule can decide, whatever the score and the licence are; empty when rules can."""
    if not thresholds.is_on:
        return "Rules are switched off."
    if candidate.outcome is Outcome.NO_TEXT:
        return "There is too little text to compare."
    return "It is an auxiliary file." if candidate.is_auxiliary else ""


def _by_policy(version: str, policy: Policy | None, published: str, month: str) -> Ruling:
    if policy is None:
        return Ruling("review", "Neither an open licence nor a policy is known.")
    if not version:
        return Ruling("review", "Which version it is was not told.")
    permissions = policy.for_version(version)
    if not permissions:
        return Ruling("review", f"The policy does not permit the {version} version in a repository.")
    doubts = [_doubt(each, published, month) for each in permissions]
    if "" in doubts:
        return Ruling("accept", f"The policy permits the {version} version in a repository now.")
    return Ruling("review", doubts[0])


def _doubt(permission: Permission, published: str, month: str) -> str:
    """Return why a permission is none now, as far as a rule can tell; empty when it is one."""
    if permission.embargo_months is None:
        return "The embargo is not a number of months."
    if permission.prerequisites:
        return f"It is permitted only {permission.prerequisites[0].replace('_', ' ')}."
    if unkept := [each for each in permission.conditions if not _KEPT.match(each)]:
        return f"A person must see whether this is kept: {unkept[0].rstrip('.')}."
    if permission.embargo_months and not published:
        return f"When the embargo of {permission.embargo_months} months ends is not known."
    if permission.embargo_months and _months(month) <= _end_of_embargo(published, permission.embargo_months):
        return f"The embargo of {permission.embargo_months} months is not over for certain."
    return ""


def _months(month: str) -> int:
    year, _, number = month.partition("-")
    return int(year) * _MONTHS + int(number)


def _end_of_embargo(published: str, months: int) -> int:
    """Return the month in which an embargo ends at the latest: only the year is known, so it begins with its end."""
    return _months(f"{published}-12") + months
