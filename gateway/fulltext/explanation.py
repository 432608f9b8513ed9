"""Describes a search in words, for `harvester explain`, `harvester review` and the page of an item in review."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from gateway.core.model import Candidate, Decision, Outcome, SearchState, Trace
from gateway.core.xmltext import utc_datetime
from gateway.fulltext.search_result import NAMED, RECHECK, UNNAMED
from gateway.fulltext.stored_search import candidates_in, parsed_search, traces_in

_OK = 200
SENTENCES: dict[Outcome, str] = {
    Outcome.SUCCESS: "The work was found.",
    Outcome.ALREADY_HELD: "The record names its files itself.",
    Outcome.NO_DOI: "The record has no identifier or page to start from.",
    Outcome.NOT_OA: "No open copy is known.",
    Outcome.EMBARGOED_UNTIL: "It is under an embargo until a date.",
    Outcome.POLICY_FORBIDS: "The publisher does not permit this version.",
    Outcome.ROBOTS_DENIED: "robots.txt forbids the request.",
    Outcome.SKIP_HOST: "This site is not asked.",
    Outcome.TAKEN_DOWN: "It is taken down here, and is not fetched.",
    Outcome.PRIVATE_ADDRESS: "The address is in a private network, or its port is not allowed.",
    Outcome.BAD_SCHEME: "The address is not http or https.",
    Outcome.DNS_ERROR: "The name of the host cannot be resolved.",
    Outcome.TLS_ERROR: "The certificate of the server is not valid.",
    Outcome.TIMEOUT: "The server took too long.",
    Outcome.RATE_LIMITED: "The server limits or blocks our requests.",
    Outcome.FORBIDDEN: "The server refuses access.",
    Outcome.NOT_FOUND: "It is not known, or not there.",
    Outcome.GONE: "It was deleted.",
    Outcome.BAD_STATUS: "The server answered with an error, or not at all.",
    Outcome.REDIRECT_LOOP: "The redirects loop.",
    Outcome.TOO_MANY_REDIRECTS: "There are too many redirects.",
    Outcome.BLOCKED_COOKIE: "The site demands cookies.",
    Outcome.BLOCKED_CAPTCHA: "The site demands a captcha.",
    Outcome.BLOCKED_WALL: "The site demands a login.",
    Outcome.NO_PDF_LINK: "No link to a file was found.",
    Outcome.LINK_LOOP: "The links loop.",
    Outcome.MAX_HOPS: "The file is more pages away than are followed.",
    Outcome.BODY_TOO_LARGE: "It is larger than the limit.",
    Outcome.EMPTY_BODY: "The answer was empty.",
    Outcome.WRONG_MIMETYPE: "It is neither a PDF nor a page.",
    Outcome.NOT_PDF: "It is a page instead of a PDF.",
    Outcome.ENCRYPTED_PDF: "The PDF needs a password.",
    Outcome.BROKEN_PDF: "The PDF cannot be read.",
    Outcome.PARSE_TIMEOUT: "The PDF takes too long to read.",
    Outcome.PARSE_MEMORY: "The PDF takes too much memory to read.",
    Outcome.FULL_TEXT_XML: "It is the full text as XML. Only its address is stored.",
    Outcome.FULL_TEXT_HTML: "It is the full text as a page. Only its address is stored.",
    Outcome.NO_TEXT: "The PDF has too little text to compare; it may be scanned.",
    Outcome.WRONG_DOCUMENT: "It is another document.",
    Outcome.SUPPLEMENT: "It is a supplement, and not the work itself.",
    Outcome.LOW_SCORE: "A person must decide whether it is the work.",
    Outcome.FAULT: "A fault of this program; standard error says where.",
}
# The meaning of outcomes of a step, if it differs from that of a search or a copy.
_OF_STEPS = {
    Outcome.SUCCESS: "It names where a file may be.",
    Outcome.NOT_OA: "No open copy is known there.",
}


class ExplainedStep(NamedTuple):
    """A step of a search in words, with the files that it named. `step` is empty for those that the record names."""

    step: str
    sentence: str
    candidates: tuple[Candidate, ...] = ()


def explained(state: SearchState, decisions: Iterable[Decision] = ()) -> Iterator[str]:
    """Yield the description of the search for one item, and of the decisions on its files, line by line."""
    yield f"{state.identifier}: {standing_of(state)}"
    if not state.search_json:
        return
    search = parsed_search(state)
    if retracted := search.get("retracted"):
        yield f"  {retracted}"
    for step in steps_of(traces_in(search), candidates_in(search)):
        if step.step:
            yield f"  {step.step}: {step.sentence}"
        for candidate in step.candidates:
            yield from _of_candidate(candidate)
    if policy := policy_sentence(search):
        yield f"  {policy}"
    for decision in decisions:
        sentence = f"{decision.verdict} {decision.url}. {decision.reason}"
        yield f"  {utc_datetime(decision.at)} {decision.decided_by}: {sentence}"


def standing_of(state: SearchState) -> str:
    """Return the outcome of the search for an item, when it ended, and when it is repeated."""
    if not state.searched_at:
        return f"{state.state}, not searched for yet."
    when = utc_datetime(state.searched_at)
    again = f" To be searched again after {utc_datetime(state.due)}." if state.state == "waiting" else ""
    return f"{state.outcome}, {when}. {SENTENCES[Outcome(state.outcome)]}{again}"


def steps_of(traces: Sequence[Trace], candidates: Iterable[Candidate]) -> Iterator[ExplainedStep]:
    """Yield the steps of a search with the files that they named; first those that the record names."""
    steps = {trace.step for trace in traces}
    files = defaultdict[str, list[Candidate]](list)
    for candidate in candidates:
        is_of_step = candidate.found_by == NAMED or candidate.found_by in steps
        files[candidate.found_by if is_of_step else RECHECK].append(candidate)
    if files[NAMED]:
        yield ExplainedStep("", "", tuple(files[NAMED]))
    for trace in traces:
        counted = f", {trace.copies} {'copy' if trace.copies == 1 else 'copies'}" if trace.copies else ""
        sentence = trace.note or f"{trace.outcome}{counted}. {_meant(trace)}"
        yield ExplainedStep(trace.step, sentence, tuple(files[trace.step]))


def policy_sentence(search: Mapping[str, Any]) -> str:
    """Return the sentence about the policy of the publisher in a parsed search; empty if none is known."""
    policy = search.get("policy")
    return f"The policy of {policy['title'] or 'the publisher'} is {policy['colour']}." if policy else ""


def _meant(trace: Trace) -> str:
    """Return the meaning of the outcome of a step, which only names addresses where a file may be."""
    if trace.step == RECHECK:
        return SENTENCES[trace.outcome]
    return _OF_STEPS.get(trace.outcome, SENTENCES[trace.outcome])


def _of_candidate(candidate: Candidate) -> Iterator[str]:
    evidence = candidate.evidence or candidate.found_by
    yield f"    {candidate.url} ({evidence}): {candidate.outcome}. {meaning_of(candidate)}"
    if candidate.hops:
        yield f"      by way of {', '.join(candidate.hops)} to {candidate.final_url}"
    for sentence in warnings_of(candidate):
        yield f"      {sentence}"
    yield "      " + ", ".join(f"{name} {fact}" for name, fact in facts_of(candidate).items())


def meaning_of(candidate: Candidate) -> str:
    """Return the outcome of a file as a sentence."""
    is_there = candidate.found_by == NAMED and candidate.outcome is Outcome.SUCCESS
    return "It is there." if is_there else SENTENCES[candidate.outcome]


def warnings_of(candidate: Candidate) -> Iterator[str]:
    """Yield what speaks against a file: an address that is not encrypted, and claims of its page or text."""
    way = pairwise(url[:6].lower() for url in (*candidate.hops, candidate.final_url))
    if ("https:", "http:/") in way:
        yield "and on the way from an encrypted address to one that is not"
    yield from filter(None, (candidate.retracted, candidate.restriction, candidate.doubt, candidate.kind_doubt))


def facts_of(candidate: Candidate) -> dict[str, object]:
    """Return the known facts about a file by their names."""
    facts = {
        "version": candidate.version,
        "version by its text": candidate.text_version,
        "licence": candidate.license,
        "score": candidate.score or "",
        "covered": candidate.covered or "",
        "on its first pages": " and ".join(
            filter(None, ("the DOI" * candidate.has_doi, "the title" * candidate.has_title))
        ),
        "identified by": " and ".join(sign.replace("-", " ") for sign in candidate.identified_by)
        or "nothing" * bool(candidate.score and candidate.kind),  # releases without kinds did not check the signs
        "kind": candidate.kind or "auxiliary file" * candidate.is_auxiliary,
        "pages": candidate.pages or "",
        "not before": "a day that is not stated" if candidate.open_from == UNNAMED else candidate.open_from,
        "host": candidate.host_type,
        "robots.txt": candidate.robots,
        "status": "" if candidate.status in (0, _OK) else candidate.status,
        "type": candidate.mime_type,
        "bytes": candidate.size or "",
        "sha-256": candidate.sha256,
        "at": utc_datetime(candidate.at),
    }
    return {name: fact for name, fact in facts.items() if fact != ""}
