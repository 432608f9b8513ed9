"""What is kept of a search, and how it is told: as JSON, and in words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from gateway.model import Candidate, Decision, Ending, Match, Outcome, SearchState, Trace
from gateway.xmltext import utc_datetime
from harvester.search.checking import NAMED
from harvester.search.identity import Identity
from harvester.search.searching import RECHECK, Searched
from harvester.wire.access import UNNAMED
from harvester.wire.urls import host_of

_OK = 200
SENTENCES: dict[Outcome, str] = {
    Outcome.SUCCESS: "The work was found.",
    Outcome.ALREADY_HELD: "The record names its files itself.",
    Outcome.NO_DOI: "The record has no identifier or page to begin with.",
    Outcome.NOT_OA: "Unpaywall knows no open copy.",
    Outcome.EMBARGOED_UNTIL: "It may not be had before a date.",
    Outcome.POLICY_FORBIDS: "The publisher does not permit this version.",
    Outcome.ROBOTS_DENIED: "robots.txt asks us to stay away.",
    Outcome.SKIP_HOST: "Nothing is asked of this site.",
    Outcome.TAKEN_DOWN: "It is taken down here, and is not fetched.",
    Outcome.PRIVATE_ADDRESS: "The address leads into a private network, or to a port that is not asked.",
    Outcome.BAD_SCHEME: "The address is none of the web.",
    Outcome.DNS_ERROR: "No address belongs to the host's name.",
    Outcome.TLS_ERROR: "The server could not prove who it is.",
    Outcome.TIMEOUT: "The server took too long.",
    Outcome.RATE_LIMITED: "The server asks for patience, or has blocked us.",
    Outcome.FORBIDDEN: "The server refuses.",
    Outcome.NOT_FOUND: "Nothing is known or there.",
    Outcome.GONE: "It is there no more.",
    Outcome.BAD_STATUS: "The server answered with an error, or not at all.",
    Outcome.REDIRECT_LOOP: "The redirects go round.",
    Outcome.TOO_MANY_REDIRECTS: "There are too many redirects.",
    Outcome.BLOCKED_COOKIE: "The site wants cookies.",
    Outcome.BLOCKED_CAPTCHA: "The site asks whether we are human.",
    Outcome.BLOCKED_WALL: "The site wants a login.",
    Outcome.NO_PDF_LINK: "No link to a file was found.",
    Outcome.LINK_LOOP: "The links go round.",
    Outcome.MAX_HOPS: "The file is more pages away than are followed.",
    Outcome.BODY_TOO_LARGE: "It is larger than what is fetched.",
    Outcome.EMPTY_BODY: "The answer was empty.",
    Outcome.WRONG_MIMETYPE: "It is no PDF and no page.",
    Outcome.NOT_PDF: "It is a page where a PDF was promised.",
    Outcome.ENCRYPTED_PDF: "The PDF asks for a password.",
    Outcome.BROKEN_PDF: "The PDF cannot be read.",
    Outcome.PARSE_TIMEOUT: "The PDF takes too long to read.",
    Outcome.PARSE_MEMORY: "The PDF takes too much memory to read.",
    Outcome.FULL_TEXT_XML: "It is the full text as XML, which is not taken in; the address is kept.",
    Outcome.FULL_TEXT_HTML: "It is the full text as a page, which is not taken in; the address is kept.",
    Outcome.NO_TEXT: "The PDF has too little text to tell; it may be scanned.",
    Outcome.WRONG_DOCUMENT: "It is another document.",
    Outcome.SUPPLEMENT: "It is a supplement, and not the work itself.",
    Outcome.LOW_SCORE: "A person must tell whether it is the work.",
    Outcome.FAULT: "A fault of this program; what it wrote to standard error says where.",
}


def kept(searched: Searched) -> str:
    """Return what is kept of a search, as JSON."""
    policy = searched.policy
    return json.dumps(
        {
            "traces": [each._asdict() for each in searched.traces],
            "candidates": [each._asdict() for each in searched.candidates],
            "published": searched.published,
            "identity": searched.identity,
            "matches": [each._asdict() for each in searched.matches],
            "open_from": searched.open_from,
            "retracted": searched.retracted,
            "policy": policy and {**policy._asdict(), "permissions": [each._asdict() for each in policy.permissions]},
        }
    )


def candidates_of(state: SearchState | None) -> tuple[Candidate, ...]:
    """Return the copies that the last search for an item has looked at."""
    found = json.loads(state.story)["candidates"] if state is not None and state.story else ()
    return tuple(_candidate(each) for each in found)


def _candidate(kept: dict[str, Any]) -> Candidate:
    """Return a candidate as it was kept, also by an earlier release: what that one did not know is empty."""
    told: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in kept.items()}
    told["outcome"] = Outcome(told["outcome"])
    return Candidate(**told)


def identity_of_story(state: SearchState | None) -> Identity | None:
    """Return by what the work was known when it was decided on its files last; None: nobody noted it."""
    told = json.loads(state.story).get("identity") if state is not None and state.story else None
    return None if told is None else Identity(*map(tuple, told))


def open_from_of(state: SearchState | None) -> str:
    """Return the day on which an item is searched for again, because something of it may be had then; or none."""
    return str(json.loads(state.story).get("open_from", "")) if state is not None and state.story else ""


def retracted_of(state: SearchState | None) -> str:
    """Return the sentence that says that the work was retracted, as the last search learned it; empty: it was not."""
    return str(json.loads(state.story).get("retracted", "")) if state is not None and state.story else ""


def matches_of(state: SearchState | None) -> tuple[Match, ...]:
    """Return by which matches the last search found a DOI that the record lacks."""
    held = json.loads(state.story).get("matches", ()) if state is not None and state.story else ()
    return tuple(Match(**each) for each in held)


def endings(source: str, searched: Searched, at: int) -> Iterator[Ending]:
    """Return how each step ended, and each copy at its host: what is counted of a search that ended in a second."""
    month = utc_datetime(at)[:7]
    for trace in searched.traces:
        yield Ending(source, trace.step, trace.host, trace.outcome, month)
    for each in searched.candidates:
        yield Ending(source, each.found_by, host_of(each.final_url or each.url), each.outcome, month)


def told(state: SearchState, decisions: Iterable[Decision] = ()) -> Iterator[str]:
    """Return the search for one item in words, and what was decided, a line each."""
    yield f"{state.identifier}: {_standing(state)}"
    if not state.story:
        return
    story = json.loads(state.story)
    candidates = candidates_of(state)
    traces = [Trace(**{**each, "outcome": Outcome(each["outcome"])}) for each in story["traces"]]
    steps = {each.step for each in traces}
    if retracted := retracted_of(state):
        yield f"  {retracted}"
    for each in candidates:
        if each.found_by == NAMED:
            yield from _of_candidate(each)
    for trace in traces:
        counted = f", {trace.copies} {'copy' if trace.copies == 1 else 'copies'}" if trace.copies else ""
        yield f"  {trace.step}: {trace.note or f'{trace.outcome}{counted}. {SENTENCES[trace.outcome]}'}"
        for each in candidates:
            if each.found_by == trace.step or (trace.step == RECHECK and each.found_by not in steps):
                yield from _of_candidate(each)
    if story["policy"]:
        yield f"  The policy of {story['policy']['title'] or 'the publisher'} is {story['policy']['colour']}."
    for decision in decisions:
        said = f"{decision.verdict} {decision.url}. {decision.reason}"
        yield f"  {utc_datetime(decision.at)} {decision.decided_by}: {said}"


def _standing(state: SearchState) -> str:
    if not state.searched_at:
        return f"{state.state}, not searched for yet."
    when = utc_datetime(state.searched_at)
    again = f" To be searched again after {utc_datetime(state.due)}." if state.state == "waiting" else ""
    return f"{state.outcome}, {when}. {SENTENCES[Outcome(state.outcome)]}{again}"


def _of_candidate(each: Candidate) -> Iterator[str]:
    meant = "It is there." if each.found_by == NAMED and each.outcome is Outcome.SUCCESS else SENTENCES[each.outcome]
    yield f"    {each.url} ({each.evidence or each.found_by}): {each.outcome}. {meant}"
    if each.hops:
        yield f"      by way of {', '.join(each.hops)} to {each.final_url}"
    way = pairwise(url[:6].lower() for url in (*each.hops, each.final_url))
    if ("https:", "http:/") in way:
        yield "      and on the way from an encrypted address to one that is not"
    facts = {
        "version": each.version,
        "version by its text": each.text_version,
        "licence": each.license,
        "score": each.score or "",
        "covered": each.covered or "",
        "on its first pages": " and ".join(filter(None, ("the DOI" * each.has_doi, "the title" * each.has_title))),
        "identified by": " and ".join(each.replace("-", " ") for each in each.identified_by)
        or "nothing" * bool(each.score and each.kind),  # a release that knew no kinds did not ask for it
        "kind": each.kind or "auxiliary file" * each.is_auxiliary,
        "pages": each.pages or "",
        "not before": "a day that nobody names" if each.open_from == UNNAMED else each.open_from,
        "host": each.host_type,
        "robots.txt": each.robots,
        "status": "" if each.status in (0, _OK) else each.status,
        "type": each.mime_type,
        "bytes": each.size or "",
        "sha-256": each.sha256,
        "at": utc_datetime(each.at),
    }
    yield "      " + ", ".join(f"{name} {fact}" for name, fact in facts.items() if fact != "")
