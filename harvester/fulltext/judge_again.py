"""Judges files that wait for a person again, once after the judge has changed, from what is stored. No request is sent.

The bytes are those of our copy, and the answers of services those in the cache. Decisions that were taken stay. A file
without a copy, and one of doubtful kind whose work no service describes any more, wait as before.
"""

import json
import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, takewhile

from gateway.core.errors import GatewayError
from gateway.core.model import Candidate, Decision, Outcome, SearchState
from gateway.core.xmltext import utc_datetime
from gateway.fulltext.decisions import decided
from gateway.fulltext.found_copies import copies_of_result, described
from gateway.fulltext.search_result import SearchResult
from gateway.fulltext.stored_search import (
    candidates_in,
    parsed_search,
    policy_in,
    published_of,
    retracted_of,
    traces_of,
)
from gateway.store.base import Findings
from harvester.fulltext.check_copy import judged
from harvester.fulltext.pdf.file_type import PDF, mime_type
from harvester.fulltext.pdf.judge import JUDGE
from harvester.fulltext.run import FullTextSearch, asked_for
from harvester.fulltext.search_outcome import retraction_of, silent_registry
from harvester.fulltext.steps import Known, known_of
from harvester.fulltext.works import found_of, work_of
from harvester.http.messages import Fetch
from harvester.http.urls import host_of

_BATCH = 100
_KEPT = "kept"  # in the counts: files that wait as before

log = logging.getLogger("harvester")


def judge_again(
    work: FullTextSearch,
    stored: Fetch,
    sources: Collection[str],
    most: int | None,
    is_asked_to_stop: Callable[[], bool],
) -> Counter[str]:
    """Judge at most `most` files again (None: all), and return how many are accepted, rejected, or wait.

    `stored` has only stored answers. Their numbers before and after are logged. Raise StoreError, and
    ConfigurationError when the process that reads PDF files cannot start.
    """
    before = work.discovery.count_copies_to_judge(JUDGE, sources)
    counts: Counter[str] = Counter()
    if not before:
        return counts
    log.info("%d files wait that an earlier judge has judged; they are judged again from what is stored.", before)
    files = takewhile(lambda _: not is_asked_to_stop(), _waiting(work, sources))
    counts.update(_judged(work, stored, *file) for file in islice(files, most))
    words = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    left = work.discovery.count_copies_to_judge(JUDGE, sources)
    log.info("%d of %d files were judged again: %s; %d are left.", counts.total(), before, words or "none", left)
    return counts


def _waiting(work: FullTextSearch, sources: Collection[str]) -> Iterator[tuple[str, str]]:
    after = ("", "")
    while files := work.discovery.copies_to_judge(JUDGE, sources, after, _BATCH):
        yield from files
        after = files[-1]


def _judged(work: FullTextSearch, stored: Fetch, identifier: str, url: str) -> str:
    """Judge a file again and return the verdict; after a fault of this program, or of our copy, it waits as before."""
    try:
        return _judge_one(work, stored, identifier, url)
    except (GatewayError, MemoryError):
        raise
    except Exception:
        log.exception("%s: %s could not be judged again; it waits as before.", identifier, url)
        work.discovery.note_judged(JUDGE, identifier, url)
        return _KEPT


def _judge_one(work: FullTextSearch, stored: Fetch, identifier: str, url: str) -> str:
    """Judge a file again, store what follows, and return the verdict."""
    state = work.discovery.search(identifier)
    candidate = next((one for one in candidates_in(parsed_search(state)) if one.url == url), None)
    known = _known(work, stored, state) if state is not None and state.state != "leased" else None
    body = work.copies.read(candidate.sha256) if candidate and candidate.sha256 and known else b""
    is_doubtful = candidate is None or candidate.is_auxiliary or bool(candidate.kind_doubt)
    if (
        state is None
        or candidate is None
        or candidate.is_supplement
        or known is None
        or mime_type(body) != PDF
        or (is_doubtful and not known.described)
    ):
        work.discovery.note_judged(JUDGE, identifier, url)
        return _KEPT
    at = int(work.clock())
    renewed = judged(candidate, body, known, utc_datetime(at)[:10], work.keep_text)
    conclude = partial(_concluded, work, state, known, renewed, at)
    last = [decision for decision in work.discovery.decisions(identifier) if decision.url == url]
    number = max((decision.number for decision in last), default=0)
    if not work.discovery.rechecks.judge_again(identifier, number, url, conclude, at):
        return _KEPT  # somebody has just decided
    (now,) = [one for one in work.discovery.decisions(identifier) if one.url == url][-1:]
    return now.verdict


def _known(work: FullTextSearch, stored: Fetch, state: SearchState) -> Known | None:
    """Return what is known of a work without a request: from its record, and from stored answers of the first steps."""
    published = found_of(work.store, state.source, state.upstream)
    described_work = work_of(work.store, state.identifier, state.upstream, published)
    if described_work is None:
        return None
    refused = frozenset(refusal.doi for refusal in work.discovery.refusals(state.identifier))
    known = replace(known_of(described_work, work.known), refused=refused)
    fetch = partial(asked_for, state.identifier, stored)
    for step in work.steps:
        if step.is_first and step.wants(known) and (not step.needs or known.settings.get(step.needs)):
            try:
                known = known.with_(step.find(known, fetch))
            except GatewayError:  # its answer is not stored any more
                continue
    return known


def _concluded(
    work: FullTextSearch,
    state: SearchState,
    known: Known,
    renewed: Candidate,
    at: int,
    decisions: Sequence[Decision],
    search_json: str,
) -> Findings:
    """Return the decision and the renewed story, given those that are stored now. The rules are those of a search."""
    story = json.loads(search_json)
    title, authors = described(known.work)
    searched = SearchResult(
        renewed.outcome,
        candidates=(renewed,),
        policy=policy_in(story),
        published=published_of(state),
        retracted=retracted_of(state) or retraction_of(known, (renewed,)),
        silent=silent_registry(traces_of(state)),
        title=title,
        authors=authors,
    )
    news = decided(state.identifier, searched, work.thresholds, at, decisions)
    candidates = [renewed if one.url == renewed.url else one for one in candidates_in(story)]
    copies = tuple(copies_of_result(state.identifier, state.source, searched, host_of))
    renewed_story = {**story, "candidates": [one._asdict() for one in candidates], "retracted": searched.retracted}
    outcome = str(Outcome.SUCCESS) if any(decision.verdict == "accept" for decision in news) else ""
    return Findings(tuple(news), json.dumps(renewed_story), copies, outcome)
