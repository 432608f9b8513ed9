"""The rules that accept or reject a discovered file in clear cases; a person decides on all others. Pure.

A rule accepts a file with an open licence that was stated for this copy. It also accepts one with a policy that permits
this version in an institutional repository now. A RoMEO colour is no reason: green permits some version, somewhere,
perhaps later. The title, the DOI or another identifier of the work must also be on the first pages of the file.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from gateway.core.model import Candidate, Decision, DocumentKind, Outcome
from gateway.core.settings import Settings
from gateway.core.xmltext import utc_datetime
from gateway.fulltext.licenses import is_open
from gateway.fulltext.policies import Policy
from gateway.fulltext.search_result import NAMED, SearchResult, Sign, is_identified

log = logging.getLogger("gateway")

RULE = "rule"
DOCUMENTS = (Outcome.SUCCESS, Outcome.LOW_SCORE, Outcome.WRONG_DOCUMENT, Outcome.NO_TEXT, Outcome.SUPPLEMENT)
# Outcomes that say nothing about an existing file: it may not be fetched now.
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
# The file exists but cannot be read: a person must check whether it is still the work.
_UNREADABLE = frozenset((Outcome.ENCRYPTED_PDF, Outcome.BROKEN_PDF, Outcome.PARSE_TIMEOUT, Outcome.PARSE_MEMORY))
# The file may exist, but access is refused, for everybody or for a time.
_SHUT = frozenset((Outcome.FORBIDDEN, Outcome.BLOCKED_WALL, Outcome.EMBARGOED_UNTIL))
# There is something else at the address of the file.
_REPLACED = frozenset(
    (Outcome.NOT_PDF, Outcome.WRONG_MIMETYPE, Outcome.FULL_TEXT_HTML, Outcome.FULL_TEXT_XML, Outcome.NO_PDF_LINK)
)
# The file may not be the work that the record describes now.
_DOUBTFUL = UNSEEN | {Outcome.LOW_SCORE, Outcome.WRONG_DOCUMENT, Outcome.NO_TEXT, Outcome.SUPPLEMENT}
_ANOTHER = (
    "It was accepted for another work: the record has another DOI or title now, and the file does not clearly belong "
    "to the work."
)
_REPLACING = "It was accepted, and there is another document at its address now."
_UNIDENTIFIED = "Neither the title nor an identifier of the work stands where the file names itself."
# What else is missing, by whether the title is on the first pages, and an author at their top.
_MISSING = {
    (True, True): " The title is on its first pages, but not as the heading of the work itself.",
    (True, False): " The title is on its first pages; an author near it is missing, or it is not a heading.",
    (False, True): " An author of the work is named there; the title is missing.",
    (False, False): "",
}
_DOI_ELSEWHERE = " The DOI is on its first pages; it must be stated as its own, with the title or an abstract."
_OF_ANOTHER_DOI = "The file states another DOI as its own: it may be another version, or another work."
_NOTHING = "Nothing on its first pages is of the work: no title, no identifier, and no author."
_LINKED = "A page of the work links to it as a supplement."
_WITHOUT_EFFECT = "review_reject_score"
# The beginnings of the reasons of the two rules that accept.
BY_LICENSE = "The licence "
BY_POLICY = "The policy permits "
_SILENT = "The step {} got no answer, so a retraction is not excluded."

# The descriptions of files that are not of the kind of their record.
KINDS = {
    DocumentKind.NOTICE: "a notice: an erratum, a retraction, a comment, or something else about the work",
    DocumentKind.FRONT_MATTER: "front matter: contents, a cover alone, or one that says that not everybody may have it",
    DocumentKind.PREVIEW: "a preview: the first page of the work, or some",
    DocumentKind.SUPPLEMENT: "a supplement to the work",
    DocumentKind.REVIEW: "a peer review of the work",
    DocumentKind.POSTER: "a poster or slides",
    DocumentKind.THESIS: "a thesis",
    DocumentKind.VOLUME: "a whole volume, issue or book",
}


class Thresholds(NamedTuple):
    """Whether rules decide at all, and the score from which on they accept what an earlier release has read."""

    accept: float = 0.25
    is_on: bool = True


class Ruling(NamedTuple):
    """The verdict of a rule on a copy (accept, reject, review), and its reason as a sentence."""

    verdict: str
    reason: str


def thresholds_of(settings: Settings) -> Thresholds:
    """Return the thresholds in force; warn once about the setting that has no effect any more."""
    if settings.origins.get(_WITHOUT_EFFECT, "default") != "default":
        _warn()
    return Thresholds(settings.share("review_accept_score"), settings.is_on("review_rules"))


@cache
def _warn() -> None:
    log.warning(
        "The setting %s is ignored: a file is rejected if nothing on its first pages is of the work.", _WITHOUT_EFFECT
    )


def decided(
    identifier: str, searched: SearchResult, thresholds: Thresholds, at: int, earlier: Iterable[Decision] = ()
) -> tuple[Decision, ...]:
    """Return the new decisions on the copies of a work, given the `earlier` ones; none is repeated.

    Only copies that are documents are decided on. A decision of a person on the same bytes stays, and so does an
    acceptance while the bytes are the same. An accepted copy that no longer exists is rejected. `at` is the second.
    """
    last = words(earlier)
    now = dict(last)
    news = []
    for candidate in sorted(searched.candidates, key=lambda candidate: candidate.is_supplement):
        before = last.get(candidate.url)
        opinion = None
        if candidate.found_by != NAMED:
            opinion = _decision(identifier, candidate, searched, thresholds, at, before, now)
        if opinion is not None and _is_news(opinion, before):
            news.append(opinion)
            now[opinion.url] = opinion
    if searched.lost:
        decided_now = {decision.url for decision in news}
        accepted = [
            decision for decision in last.values() if decision.verdict == "accept" and decision.decided_by == RULE
        ]
        left = [decision for decision in accepted if decision.url not in decided_now]
        reason = f"The DOI {searched.lost[0].doi}, by which it was found, does not agree with the record any more."
        news += [decision._replace(verdict="review", reason=reason, decided_by=RULE, at=at) for decision in left]
    if not searched.is_another or searched.lost:
        return tuple(news)
    seen = {candidate.url for candidate in searched.candidates}
    unseen = [decision for url, decision in last.items() if decision.verdict == "accept" and url not in seen]
    return (
        *news,
        *(decision._replace(verdict="review", reason=_ANOTHER, decided_by=RULE, at=at) for decision in unseen),
    )


def words(decisions: Iterable[Decision]) -> dict[str, Decision]:
    """Return the decision in force on each copy, by address.

    Undoing a decision of a rule is a decision of a person; undoing one of a person brings back the one before it.
    """
    histories: dict[str, list[Decision]] = defaultdict(list)
    for decision in decisions:
        histories[decision.url].append(decision)
    return {url: _word(history) for url, history in histories.items()}


def _word(history: Sequence[Decision]) -> Decision:
    *before, last = history
    is_own = not last.is_undoing or standing(before)[-1].decided_by == RULE
    return last if is_own else standing(history)[-1]


def standing(history: Iterable[Decision]) -> list[Decision]:
    """Return the decisions on one copy that were not taken back, the oldest first; the last one is in force."""
    standing: list[Decision] = []
    for decision in history:
        if decision.is_undoing:
            standing.pop()
        else:
            standing.append(decision)
    return standing


def _is_news(decision: Decision, before: Decision | None) -> bool:
    return before is None or decision[:5] != before[:5]  # all but who decided it, and when


def _decision(
    identifier: str,
    candidate: Candidate,
    searched: SearchResult,
    thresholds: Thresholds,
    at: int,
    before: Decision | None,
    now: Mapping[str, Decision],
) -> Decision | None:
    """Return the decision on a copy, or None if there is nothing to decide; `now` are those in force on all copies."""
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
    elif candidate.is_supplement:
        ruling = _of_supplement(candidate, thresholds, now)
    else:
        ruling = rule(candidate, searched.policy, searched.published, thresholds, utc_datetime(at)[:7])
        if ruling.verdict == "reject" and _is_replaced(before, candidate):
            ruling = Ruling("review", f"{_REPLACING} {ruling.reason}")
    if searched.retracted and ruling.verdict != "reject":
        ruling, by = _of_retracted(ruling, searched.retracted), RULE
    elif searched.silent and ruling.verdict == "accept":
        ruling, by = Ruling("review", _SILENT.format(searched.silent)), RULE
    return Decision(identifier, candidate.url, candidate.sha256, ruling.verdict, ruling.reason, by, at)


def _is_doubted(before: Decision, retracted: str) -> bool:
    """Return whether a rule accepted a file before the work was known to be retracted."""
    return bool(retracted) and before.decided_by == RULE and before.verdict == "accept"


def _is_replaced(before: Decision | None, candidate: Candidate) -> bool:
    """Return whether a document is at the address of an accepted one, and no person has decided on it."""
    if before is None:
        return False
    is_other = before.verdict == "accept" and before.sha256 != candidate.sha256
    return is_other or before.reason.startswith(_REPLACING)


def _of_retracted(ruling: Ruling, retracted: str) -> Ruling:
    """Return the ruling on a file of a retracted work: a person decides, and sees why no rule does."""
    return Ruling("review", retracted if ruling.verdict == "accept" else f"{retracted} {ruling.reason}")


def _instead_of(before: Decision, candidate: Candidate) -> tuple[Ruling, str]:
    """Return the ruling on an accepted copy that is no longer a document, and the SHA-256 that it applies to."""
    if candidate.outcome in _UNREADABLE:
        reason = f"It was accepted, and has other bytes now that cannot be read: {candidate.outcome}."
        return Ruling("review", reason), candidate.sha256
    if candidate.outcome in _SHUT:
        return Ruling(
            "review", f"It was accepted, and is not shown to us any more: {candidate.outcome}."
        ), before.sha256
    if candidate.outcome in _REPLACED:
        reason = f"It was accepted, and there is something else at its address now: {candidate.outcome}."
        return Ruling("review", reason), before.sha256
    return Ruling("reject", f"It was accepted and is not there any more: {candidate.outcome}."), before.sha256


def _stays(before: Decision, candidate: Candidate) -> bool:
    """Return whether a person decided on these bytes, or a rule accepted them and would not hesitate now.

    Earlier releases accepted files without signs of the work, and did not read all claims; those are decided on again.
    """
    is_accepted = before.verdict == "accept" and is_identified(candidate.identified_by)
    is_doubted = bool(candidate.doubt) and before.reason.startswith(BY_LICENSE)
    is_plain = not (candidate.is_auxiliary or _about_the_kind(candidate) or is_doubted)
    return before.sha256 == candidate.sha256 and (before.decided_by != RULE or (is_accepted and is_plain))


def _after_a_person(before: Decision, candidate: Candidate, thresholds: Thresholds) -> tuple[Ruling, str]:
    """Return the ruling on new bytes at an address that a person decided on, and who takes this decision.

    If no rule would decide on these bytes, the person is asked again.
    """
    is_plain = not (
        _about_the_file(candidate, thresholds)
        or _about_the_work(candidate, thresholds)
        or _about_the_version(candidate)
        or _about_the_kind(candidate)
    )
    if before.verdict == "accept" and is_plain:
        return Ruling("accept", "The file was replaced by another one that is the work too."), before.decided_by
    return Ruling("review", f"The file has changed since {before.decided_by} decided: {before.verdict}."), RULE


def rule(candidate: Candidate, policy: Policy | None, published: str, thresholds: Thresholds, month: str) -> Ruling:
    """Return the ruling on a copy in a month (`2026-11`). `published` is the year of the work, empty if not known."""
    if doubt := _about_the_file(candidate, thresholds):
        return Ruling("review", doubt)
    if candidate.judge and candidate.outcome is Outcome.WRONG_DOCUMENT:
        return Ruling("reject", _NOTHING)
    doubt = _about_the_work(candidate, thresholds) or _about_the_version(candidate) or _about_the_kind(candidate)
    if doubt:
        return Ruling("review", doubt)
    if is_open(candidate.license):
        return Ruling("accept", f"{BY_LICENSE}{candidate.license} was stated for this copy.")
    ruling = _by_policy(candidate.version or candidate.text_version, policy, published, month)
    return Ruling("review", candidate.doubt) if candidate.doubt and policy is None else ruling


def _of_supplement(candidate: Candidate, thresholds: Thresholds, now: Mapping[str, Decision]) -> Ruling:
    """Return the ruling on a supplement: it follows a file that a rule accepts under the licence of their page."""
    if not thresholds.is_on:
        return Ruling("review", _about_the_file(candidate, thresholds))
    if doubt := candidate.doubt or _about_the_kind(candidate):
        return Ruling("review", f"{_LINKED} {doubt}")
    beside = [now[url] for url in candidate.beside if url in now]
    reason = f"{BY_LICENSE}{candidate.license} "
    if is_open(candidate.license) and any(
        (file.verdict, file.decided_by) == ("accept", RULE) and file.reason.startswith(reason) for file in beside
    ):
        return Ruling("accept", f"{_LINKED} It follows the file there: {candidate.license} was stated for both.")
    return Ruling("review", f"{_LINKED} No rule accepted a file of that page under an open licence that it states.")


def _about_the_file(candidate: Candidate, thresholds: Thresholds) -> str:
    """Return why no rule can decide, for any score and licence; empty if rules can."""
    if not thresholds.is_on:
        return "Rules are switched off."
    if candidate.is_auxiliary and candidate.outcome is not Outcome.WRONG_DOCUMENT:
        if candidate.kind not in KINDS:  # an article, or a file kept by an earlier release without kinds
            return candidate.kind_doubt or "It is an auxiliary file."
        return f"The file seems to be {KINDS[DocumentKind(candidate.kind)]}; the record describes something else."
    if candidate.outcome is Outcome.NO_TEXT:
        return "There is too little text that can be read."
    return ""


def _about_the_kind(candidate: Candidate) -> str:
    """Return why not everybody may have a file, or why it may be another kind of document; empty if neither is so."""
    return candidate.restriction or candidate.kind_doubt


def _about_the_work(candidate: Candidate, thresholds: Thresholds) -> str:
    """Return why it is not certain that a file is the work; empty if it is."""
    if Sign.ANOTHER_DOI in candidate.identified_by:
        return _OF_ANOTHER_DOI
    if not is_identified(candidate.identified_by):
        missing = _MISSING[candidate.has_title, Sign.AUTHOR in candidate.identified_by]
        return _UNIDENTIFIED + missing + _DOI_ELSEWHERE * candidate.has_doi
    if candidate.outcome is not Outcome.SUCCESS or (not candidate.judge and candidate.score < thresholds.accept):
        return "An earlier release has read it, and found too few words of the work to decide."
    return ""


def _about_the_version(candidate: Candidate) -> str:
    """Return a sentence if the text says that it is another version than the stated one, else an empty string."""
    stated, own = candidate.version, candidate.text_version
    if not stated or not own or stated == own:
        return ""
    return f"It was stated to be the {stated} version, and its text says that it is the {own} one."


def _by_policy(version: str, policy: Policy | None, published: str, month: str) -> Ruling:
    if policy is None:
        return Ruling("review", "Neither an open licence nor a policy is known.")
    if not version:
        return Ruling("review", "No source states which version it is.")
    permissions = policy.for_version(version)
    if not permissions:
        return Ruling("review", f"The policy does not permit the {version} version in a repository.")
    doubts = [permission.doubt(published, month) for permission in permissions]
    if "" in doubts:
        return Ruling("accept", f"{BY_POLICY}the {version} version in a repository now.")
    return Ruling("review", doubts[0])
