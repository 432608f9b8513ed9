"""What becomes of a file that was found: rules accept or reject where that is plain, all else is for people. Pure.

A colour never accepts: green permits some version, somewhere, perhaps later. What accepts is an open licence that was
stated for this very copy, or a policy that permits this version in an institutional repository now. Neither does for
a file that nothing identifies: the title, the DOI or another identifier must stand where it names itself.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gateway.errors import ConfigurationError
from gateway.model import Candidate, Decision, DocumentKind, Outcome
from gateway.settings import Settings
from gateway.xmltext import utc_datetime
from harvester.search.checking import NAMED
from harvester.search.searching import Searched
from harvester.verification.evidence import Sign, is_identified, least_score
from harvester.wire.licenses import is_open
from harvester.wire.policies import Permission, Policy

RULE = "rule"
DOCUMENTS = (Outcome.SUCCESS, Outcome.LOW_SCORE, Outcome.WRONG_DOCUMENT, Outcome.NO_TEXT, Outcome.SUPPLEMENT)
# What says nothing of a file that was there before: we may not look.
UNSEEN = frozenset(
    (
        Outcome.ROBOTS_DENIED,
        Outcome.SKIP_HOST,
        Outcome.TAKEN_DOWN,
        Outcome.RATE_LIMITED,
        Outcome.BLOCKED_CAPTCHA,
        Outcome.BLOCKED_COOKIE,
        Outcome.PRIVATE_ADDRESS,
    )
)
# What a file may become without being gone: nobody but a person can tell whether it is the work still.
_UNREADABLE = frozenset((Outcome.ENCRYPTED_PDF, Outcome.BROKEN_PDF, Outcome.PARSE_TIMEOUT, Outcome.PARSE_MEMORY))
# What is there, perhaps, and is not shown to us: a door that was shut for everybody, or for a moment.
_SHUT = frozenset((Outcome.FORBIDDEN, Outcome.BLOCKED_WALL, Outcome.EMBARGOED_UNTIL))
# What leaves open, or denies, that a file is the work that its record has become.
_DOUBTFUL = UNSEEN | {Outcome.LOW_SCORE, Outcome.WRONG_DOCUMENT, Outcome.NO_TEXT, Outcome.SUPPLEMENT}
_ANOTHER = "It was accepted for another work: the record has another DOI or title now, and the file is not plainly its."
_UNIDENTIFIED = "Neither the title nor an identifier of the work stands where the file names itself."
_OF_ANOTHER_DOI = "The file states another DOI as its own: it may be another version, or another work."
_SILENT = "The step {} had no answer: whether the work was retracted is not known."
_MONTHS = 12

# What a file is called that is not of the kind of its record.
KINDS = {
    DocumentKind.NOTICE: "a notice: an erratum, a retraction, or a comment on the work",
    DocumentKind.FRONT_MATTER: "front matter: contents, a cover alone, or one that says that not everybody may have it",
    DocumentKind.PREVIEW: "a preview: the first page of the work, or some",
    DocumentKind.SUPPLEMENT: "a supplement to the work",
    DocumentKind.REVIEW: "a peer review of the work",
    DocumentKind.POSTER: "a poster or slides",
    DocumentKind.THESIS: "a thesis",
    DocumentKind.VOLUME: "a whole volume, issue or book",
}

# Conditions that every record of ours keeps: it names the source and links to the publisher by its identifier.
_KEPT = re.compile(
    r"(?i)^(?:upon publication )?(?:"
    r"(?:publisher |published )?(?:copyright and )?source must be acknowledged(?: with citation)?"
    r"|must link to (?:publisher version|published article)(?: with doi)?"
    r")\.?$"
)


class Thresholds(NamedTuple):
    """From which score on a rule accepts, below which it rejects, and whether rules decide at all."""

    accept: float = 0.25  # what identifies the work counts for more
    reject: float = 0.1
    is_on: bool = True


class Ruling(NamedTuple):
    """What a rule says of a copy, and why."""

    verdict: str
    reason: str


def thresholds_of(settings: Settings) -> Thresholds:
    """Return the thresholds in force. Raise ConfigurationError when what may be accepted would be rejected."""
    accept, reject = settings.share("review_accept_score"), settings.share("review_reject_score")
    if accept < reject:
        raise ConfigurationError(
            f"review_accept_score ({accept:g}) must not be below review_reject_score ({reject:g})."
        )
    return Thresholds(accept, reject, settings.is_on("review_rules"))


def decided(
    identifier: str, searched: Searched, thresholds: Thresholds, at: int, earlier: Iterable[Decision] = ()
) -> tuple[Decision, ...]:
    """Return what is to be decided of the copies of a work, after what was decided before; nothing twice.

    Copies that are documents are decided on; what was never a document needs no decision. What a person decided of the
    same bytes stays, and what was accepted stays while its bytes do. An accepted copy that is gone is rejected.
    """
    last = words(earlier)
    found = (
        _decision(identifier, each, searched, thresholds, at, last.get(each.url))
        for each in searched.candidates
        if each.found_by != NAMED
    )
    news = [each for each in found if each is not None and _is_news(each, last.get(each.url))]
    if searched.lost:
        decided_now = {each.url for each in news}
        accepted = [each for each in last.values() if each.verdict == "accept" and each.decided_by == RULE]
        left = [each for each in accepted if each.url not in decided_now]
        reason = f"The DOI {searched.lost[0].doi}, by which it was found, does not agree with the record any more."
        news += [each._replace(verdict="review", reason=reason, decided_by=RULE, at=at) for each in left]
    if not searched.is_another or searched.lost:
        return tuple(news)
    seen = {each.url for each in searched.candidates}
    unseen = [each for url, each in last.items() if each.verdict == "accept" and url not in seen]
    return (*news, *(each._replace(verdict="review", reason=_ANOTHER, decided_by=RULE, at=at) for each in unseen))


def words(decisions: Iterable[Decision]) -> dict[str, Decision]:
    """Return the last word on each copy. Who takes back what a rule decided has decided; else the one before stands."""
    histories: dict[str, list[Decision]] = defaultdict(list)
    for each in decisions:
        histories[each.url].append(each)
    return {url: _word(history) for url, history in histories.items()}


def _word(history: Sequence[Decision]) -> Decision:
    *before, last = history
    is_own = not last.is_undoing or standing(before)[-1].decided_by == RULE
    return last if is_own else standing(history)[-1]


def standing(history: Iterable[Decision]) -> list[Decision]:
    """Return the decisions on one copy that were not taken back, in their order; the last one is in force."""
    found: list[Decision] = []
    for each in history:
        if each.is_undoing:
            found.pop()
        else:
            found.append(each)
    return found


def _is_news(decision: Decision, before: Decision | None) -> bool:
    return before is None or decision[:5] != before[:5]  # all but who decided it, and when


def _decision(
    identifier: str, candidate: Candidate, searched: Searched, thresholds: Thresholds, at: int, before: Decision | None
) -> Decision | None:
    """Return the decision on a copy; None when there is nothing to decide."""
    by = RULE
    if searched.is_another and before is not None and before.verdict == "accept" and candidate.outcome in _DOUBTFUL:
        return Decision(identifier, candidate.url, candidate.sha256 or before.sha256, "review", _ANOTHER, by, at)
    if candidate.outcome not in DOCUMENTS or not candidate.sha256:
        if before is None or before.verdict != "accept" or candidate.outcome in UNSEEN:
            return None
        ruling, digest = _instead_of(before, candidate)
        candidate = candidate._replace(sha256=digest)
    elif before is not None and _stays(before, candidate) and not _is_doubted(before, searched.retracted):
        return None
    elif before is not None and before.decided_by != RULE:
        ruling, by = _after_a_person(before, candidate, thresholds)
    else:
        ruling = rule(candidate, searched.policy, searched.published, thresholds, utc_datetime(at)[:7])
    if searched.retracted and ruling.verdict != "reject":
        ruling, by = _of_retracted(ruling, searched.retracted), RULE
    elif searched.silent and ruling.verdict == "accept":
        ruling, by = Ruling("review", _SILENT.format(searched.silent)), RULE
    return Decision(identifier, candidate.url, candidate.sha256, ruling.verdict, ruling.reason, by, at)


def _is_doubted(before: Decision, retracted: str) -> bool:
    """Tell whether a rule accepted a file before the work was known to be retracted; a person knew what they did."""
    return bool(retracted) and before.decided_by == RULE and before.verdict == "accept"


def _of_retracted(ruling: Ruling, retracted: str) -> Ruling:
    """Return the ruling on a file of a retracted work: a person decides, and sees why no rule does."""
    return Ruling("review", retracted if ruling.verdict == "accept" else f"{retracted} {ruling.reason}")


def _instead_of(before: Decision, candidate: Candidate) -> tuple[Ruling, str]:
    """Return what becomes of an accepted copy that is no document any more, and of which bytes that is said."""
    if candidate.outcome in _UNREADABLE:
        reason = f"It was accepted, and has other bytes now that cannot be read: {candidate.outcome}."
        return Ruling("review", reason), candidate.sha256
    if candidate.outcome in _SHUT:
        return Ruling(
            "review", f"It was accepted, and is not shown to us any more: {candidate.outcome}."
        ), before.sha256
    return Ruling("reject", f"It was accepted and is not there any more: {candidate.outcome}."), before.sha256


def _stays(before: Decision, candidate: Candidate) -> bool:
    """Tell whether these bytes were decided on by a person, or accepted by a rule and show that they are the work.

    Releases before 0.5.0 accepted files that show nothing of it; those are decided on again.
    """
    is_accepted = before.verdict == "accept" and is_identified(candidate.identified_by) and not candidate.is_auxiliary
    return before.sha256 == candidate.sha256 and (before.decided_by != RULE or is_accepted)


def _after_a_person(before: Decision, candidate: Candidate, thresholds: Thresholds) -> tuple[Ruling, str]:
    """Return what becomes of other bytes in the place of those that a person decided on, and who says so.

    A rule says so: where it would not decide on these bytes, the person is asked again.
    """
    is_plain = not (
        _about_the_file(candidate, thresholds)
        or _about_the_work(candidate, thresholds)
        or _about_the_version(candidate)
    )
    if before.verdict == "accept" and is_plain:
        return Ruling("accept", "The file was replaced by another one that is the work too."), before.decided_by
    return Ruling("review", f"The file has changed since {before.decided_by} decided: {before.verdict}."), RULE


def rule(candidate: Candidate, policy: Policy | None, published: str, thresholds: Thresholds, month: str) -> Ruling:
    """Return what the rules say of a copy in a month (`2026-11`) of a work published in a year."""
    if doubt := _about_the_file(candidate, thresholds):
        return Ruling("review", doubt)
    if candidate.score < thresholds.reject and not candidate.has_doi:  # with its DOI it may be in another language
        return Ruling("reject", f"The score {candidate.score:g} is below {thresholds.reject:g}.")
    if doubt := _about_the_work(candidate, thresholds) or _about_the_version(candidate):
        return Ruling("review", doubt)
    if is_open(candidate.license):
        return Ruling("accept", f"The licence {candidate.license} was stated for this copy.")
    return _by_policy(candidate.version or candidate.text_version, policy, published, month)


def _about_the_file(candidate: Candidate, thresholds: Thresholds) -> str:
    """Return why no rule can decide, whatever the score and the licence are; empty when rules can."""
    if not thresholds.is_on:
        return "Rules are switched off."
    if candidate.is_auxiliary and candidate.outcome is not Outcome.WRONG_DOCUMENT:
        if candidate.kind not in KINDS:  # kept by an earlier release, which had no kinds
            return "It is an auxiliary file."
        return f"The file seems to be {KINDS[DocumentKind(candidate.kind)]}; the record describes something else."
    if candidate.outcome is Outcome.NO_TEXT:
        return "There is too little text to compare."
    return ""


def _about_the_work(candidate: Candidate, thresholds: Thresholds) -> str:
    """Return why it is not certain that a file is the work; else nothing."""
    if Sign.ANOTHER_DOI in candidate.identified_by:
        return _OF_ANOTHER_DOI
    if not is_identified(candidate.identified_by):
        return _UNIDENTIFIED
    least = least_score(candidate.identified_by, candidate.covered, thresholds.accept)
    if candidate.outcome is not Outcome.SUCCESS or candidate.score < least:
        return f"The score {candidate.score:g} tells too little."
    return ""


def _about_the_version(candidate: Candidate) -> str:
    """Return a sentence where the text says that it is another version than was stated; else nothing."""
    stated, own = candidate.version, candidate.text_version
    if not stated or not own or stated == own:
        return ""
    return f"It was stated to be the {stated} version, and its text says that it is the {own} one."


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
