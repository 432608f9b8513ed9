"""Describes a search in words, for `harvester explain`, `harvester review` and the page of an item in review."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from gateway.core.model import Candidate, Decision, Outcome, SearchState, Trace
from gateway.core.states import SENTENCES, of_search, of_step
from gateway.core.xmltext import utc_datetime
from gateway.fulltext.search_result import NAMED, RECHECK, UNNAMED
from gateway.fulltext.stored_search import candidates_in, parsed_search, traces_in, tried_of

_OK = 200


class ExplainedStep(NamedTuple):
    """A step of a search in words, with the files that it named. `step` is empty for those that the record names."""

    step: str
    sentence: str
    candidates: tuple[Candidate, ...] = ()


def explained(state: SearchState, decisions: Iterable[Decision] = ()) -> Iterator[str]:
    """Yield the description of the search for one item, and of the decisions on its files, line by line."""
    decisions = tuple(decisions)
    yield f"{state.identifier}: {standing_of(state, decisions)}"
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


def standing_of(state: SearchState, decisions: Iterable[Decision] = ()) -> str:
    """Return the state of the search for an item in words."""
    return of_search(tried_of(state, decisions)).words


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
    """Return the meaning of the outcome of a step."""
    return SENTENCES[trace.outcome] if trace.step == RECHECK else of_step(trace.outcome)


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
        "score": candidate.likeness if candidate.has_likeness else "",
        "on its first pages": " and ".join(
            filter(None, ("the DOI" * candidate.has_doi, "the title" * candidate.has_title))
        ),
        "identified by": " and ".join(sign.replace("-", " ") for sign in candidate.identified_by)
        or "nothing" * candidate.has_likeness,
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
