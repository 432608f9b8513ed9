"""The requests of a list, as its server accepts them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from gateway.core.errors import NotOaiPmh
from gateway.core.model import Cursor, RawPage
from harvester.http.dates import DAY, bound
from harvester.http.messages import Fetch
from harvester.http.urls import base_url, request_url
from harvester.sources import Options
from harvester.sources.oai_pmh.answers import ListAnswer, parse_list
from harvester.sources.oai_pmh.date_ranges import Window
from harvester.sources.oai_pmh.list_state import Dates, ListState
from harvester.sources.repeated_requests import PATIENCE, fetch_answer, raw_page

_ALL = Window(until="2999-12-31T23:59:59Z")


class Answered(NamedTuple):
    """The answer to one request: as a page to store, and its content."""

    page: RawPage
    answer: ListAnswer
    seconds: float


@dataclass(frozen=True, slots=True)
class Server:
    """One repository, asked for one list. `patience` and `deadline_seconds` are those of each request."""

    options: Options
    cursor: Cursor
    fetch: Fetch
    patience: int | None = PATIENCE
    deadline_seconds: float | None = None

    def list_page(
        self, state: ListState, verb: str, token: str = "", is_doubtful: Callable[[ListAnswer], bool] = lambda _: False
    ) -> Answered:
        """Return the next page of the window in which `state` stands; without a token, its first page.

        Raise NotOaiPmh for an answer to another verb, and the errors of `fetch_answer`.
        """
        return self._ask(verb, self._list_url(state, verb, token), is_doubtful)

    def record(self, state: ListState, identifier: str) -> Answered:
        """Return the answer to GetRecord. Raise as `list_page` does."""
        return self._ask("GetRecord", self.record_url(state, identifier))

    def record_url(self, state: ListState, identifier: str) -> str:
        """Return the URL of one record."""
        arguments = ("identifier", identifier), ("metadataPrefix", self.cursor.metadata_prefix)
        return plain_url(self.options, state, "GetRecord", *arguments)

    def _ask(self, verb: str, url: str, is_doubtful: Callable[[ListAnswer], bool] = lambda _: False) -> Answered:
        fetched, answer = fetch_answer(
            self.options,
            self.fetch,
            url,
            partial(_parsed, verb),
            is_doubtful,
            patience=self.patience,
            deadline_seconds=self.deadline_seconds,
        )
        return Answered(raw_page(self.options, self.cursor, verb, fetched, answer), answer, fetched.seconds)

    def _list_url(self, state: ListState, verb: str, token: str) -> str:
        prefix = ("metadataPrefix", self.cursor.metadata_prefix)
        if token:
            beside = (prefix,) if state.profile.wants_prefix else ()
            is_verbatim = state.profile.is_verbatim
            return plain_url(self.options, state, verb, *beside, ("resumptionToken", token), is_verbatim=is_verbatim)
        granularity, here = granularity_of(self.options, state), _dates(state)
        if state.profile.is_first_generation and verb == "ListIdentifiers":
            prefix = ("metadataPrefix", "")
        dates = ("from", bound(here.from_, granularity)), ("until", bound(here.until, granularity))
        return plain_url(self.options, state, verb, prefix, *dates, ("set", self.cursor.set_spec))


def granularity_of(options: Options, state: ListState) -> str:
    """Return the granularity in which this server accepts dates."""
    return state.profile.granularity or options.granularity or DAY


def _dates(state: ListState) -> Window:
    """Return the dates to send: those of the present window, unless the server refuses dates or needs some."""
    if state.profile.dates == Dates.REFUSED:
        return Window()
    if state.profile.dates == Dates.NEEDED and not any(state.here):
        return _ALL
    return state.here


def plain_url(
    options: Options, state: ListState, verb: str, *arguments: tuple[str, str], is_verbatim: bool = False
) -> str:
    """Return the URL of a request, with its arguments in the order that the server needs."""
    base = base_url(options.url)
    return request_url(base, verb, *arguments, is_verbatim=is_verbatim, is_verb_first=state.profile.is_verb_first)


def _parsed(verb: str, body: bytes, content_type: str) -> ListAnswer:
    answer = parse_list(body, content_type)
    if answer.verb not in ("", verb):
        raise NotOaiPmh(f"The answer is OAI-PMH but {answer.verb} where {verb} was asked for.")
    return answer
