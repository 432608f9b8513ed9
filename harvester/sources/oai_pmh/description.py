"""The description of a repository: Identify, ListMetadataFormats, ListSets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar
from urllib.parse import urlsplit

from gateway.errors import AnswerError, FetchError, GatewayError, RemoteError, TryLater
from gateway.model import Cursor, Format, SetDescription
from gateway.xmltext import utc_datetime
from harvester.http.dates import granularity_of, moment_of
from harvester.http.messages import Fetch, Fetched
from harvester.http.urls import base_url
from harvester.sources import Description, Options
from harvester.sources.oai_pmh.answers import (
    FormatsAnswer,
    IdentifyAnswer,
    SetsAnswer,
    parse_formats,
    parse_identify,
    parse_sets,
)
from harvester.sources.oai_pmh.identity import identity_of
from harvester.sources.oai_pmh.list_state import ListState, state_of, text_of
from harvester.sources.oai_pmh.profile import with_entry
from harvester.sources.oai_pmh.requests import plain_url
from harvester.sources.repeated_requests import PATIENCE, fetch_answer, raw_page

_SET_PAGES = 10_000
_DEADLINE_SECONDS = 30.0  # of an answer that a harvest can do without
_AGAIN_SECONDS = 7 * 86_400  # before a verb that failed is asked again

_Listed = TypeVar("_Listed", FormatsAnswer, SetsAnswer)


def describe(options: Options, fetch: Fetch) -> Description:
    """Ask Identify, ListMetadataFormats and ListSets. Only Identify must succeed; errors of the others are noted."""
    kept = partial(raw_page, options, Cursor(options.source))
    state, fetched, identify = _identified(options, fetch)
    pages = [kept("Identify", fetched)]
    notes = list(identify.repairs)
    if not identify.protocol_version.startswith("2"):
        notes.append(f"The source says it speaks version {identify.protocol_version!r} of the protocol, not 2.0.")
    now = fetched.received_at
    beside = _Beside(options, fetch, state, now)
    formats, sets = beside.formats(), beside.sets()
    pages += [kept(verb, page) for verb, page in beside.pages]
    notes += beside.notes
    state = beside.state
    return Description(
        tuple(pages),
        identify.repository_name,
        identify.base_url,
        granularity_of(identify.granularity),
        identify.earliest_datestamp,
        identify.deleted_record,
        formats,
        sets,
        tuple(notes),
        text_of(state),
        moment_of(identify.response_date),
        identity_of(identify),
    )


def _identified(options: Options, fetch: Fetch) -> tuple[ListState, Fetched, IdentifyAnswer]:
    """Ask Identify, and return the answer with what is known of the server.

    If the URL has arguments of its own and the answer cannot be read, the verb is written before them.
    """
    state = with_entry(options.own, state_of(options.known)[0])
    try:
        return state, *fetch_answer(options, fetch, plain_url(options, state, "Identify"), parse_identify)
    except AnswerError:
        if not urlsplit(base_url(options.url)).query or "arguments" in options.own:
            raise
        state = state.learning(is_verb_first=not state.profile.is_verb_first)
        return state, *fetch_answer(options, fetch, plain_url(options, state, "Identify"), parse_identify)


@dataclass(slots=True)
class _Beside:
    """ListMetadataFormats and ListSets, which a harvest can do without: asked briefly, and rarely if they failed."""

    options: Options
    fetch: Fetch
    state: ListState
    now: int
    pages: list[tuple[str, Fetched]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def formats(self) -> tuple[Format, ...]:
        """Return the formats that are listed; none where the verb fails."""
        if self._has_failed("ListMetadataFormats", self.state.profile.formats_failed):
            return ()
        try:
            listed = self._asked("ListMetadataFormats", parse_formats)
        except (AnswerError, FetchError) as error:
            self._note("ListMetadataFormats", error)
            self.state = self.state.learning(formats_failed=self._when(error))
            return ()
        self.state = self.state.learning(formats_failed=0)
        return listed.formats

    def sets(self) -> tuple[SetDescription, ...]:
        """Return the sets that are listed, or as many as came."""
        if self._has_failed("ListSets", self.state.profile.sets_failed):
            return ()
        sets: dict[str, SetDescription] = {}
        failed = 0
        try:
            for page in self._set_pages():
                sets |= {listed_set.spec: listed_set for listed_set in page}
        except (AnswerError, FetchError) as error:
            if not (isinstance(error, RemoteError) and "noSetHierarchy" in error.codes):
                self._note("ListSets", error)
                failed = self._when(error)
        self.state = self.state.learning(sets_failed=failed)
        return tuple(sets.values())

    def _has_failed(self, verb: str, when: int) -> bool:
        """Return whether a verb failed a short time ago, and is not asked again."""
        again = when + _AGAIN_SECONDS
        if not when or not when <= self.now < again or self.options.asks_anew:
            return False
        self.notes.append(
            f"{verb} failed on {utc_datetime(when)[:10]}. It is asked again from {utc_datetime(again)[:10]} on, or by "
            "`--full`."
        )
        return True

    def _when(self, error: GatewayError) -> int:
        """Return when a verb failed, to be remembered; 0 where the server is only overloaded."""
        return 0 if isinstance(error, TryLater) else self.now

    def _note(self, verb: str, error: GatewayError) -> None:
        self.notes.append(f"{verb}: {error}")

    def _asked(self, verb: str, parse: Callable[[bytes, str], _Listed], token: str = "") -> _Listed:
        url = plain_url(self.options, self.state, verb, ("resumptionToken", token))
        fetched, answer = fetch_answer(
            self.options, self.fetch, url, parse, patience=PATIENCE, deadline_seconds=_DEADLINE_SECONDS
        )
        self.pages.append((verb, fetched))
        self.notes += answer.repairs
        return answer

    def _set_pages(self) -> Iterator[tuple[SetDescription, ...]]:
        token = ""
        seen: set[str] = set()
        for _ in range(_SET_PAGES):
            answer = self._asked("ListSets", parse_sets, token)
            yield answer.sets
            token = answer.token.text if answer.token else ""
            if not token:
                return
            if token in seen or not answer.sets:
                break
            seen.add(token)
        self.notes.append("ListSets: the list of sets does not end properly; some sets may be missing.")
