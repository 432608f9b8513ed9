"""The requests of a list, as its server accepts them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from gateway.core.errors import GatewayError, NotOaiPmh, RemoteError
from gateway.core.model import Cursor, RawPage, Slice
from gateway.core.xmltext import utc_datetime
from harvester.http.dates import DAY, bound
from harvester.http.messages import Fetch
from harvester.http.urls import base_url, request_url
from harvester.sources import UNFETCHED, Options
from harvester.sources.oai_pmh.answers import ListAnswer, parse_list
from harvester.sources.oai_pmh.date_ranges import Window
from harvester.sources.oai_pmh.list_state import Dates, ListState
from harvester.sources.repeated_requests import PATIENCE, fetch_answer, raw_page

OF_EVERY_ITEM = "oai_dc"  # the format that every item has
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


# --- One record, which was named and has not come ---

# Codes that say that there is no such record, or none in this format.
GONE = frozenset(("idDoesNotExist", "cannotDisseminateFormat"))


class Missing(NamedTuple):
    """A record that was named and has not come. `dated` is its datestamp in seconds since 1970."""

    identifier: str
    is_deleted: bool
    dated: int | None = None


def get_record(server: Server, state: ListState, named: Missing) -> tuple[RawPage, tuple[Slice, ...], tuple[str, ...]]:
    """Fetch one record. Return the answer, the slice of the record, and what was lost when the answer was repaired.

    A record that is refused, or for which another one comes, is returned with a problem. It was named a moment ago, so
    an error does not show that it was deleted (ufal/clarin-dspace#977), unless it was named as deleted. There is no
    slice for a record that exists in other formats only. Raise the errors of `asked`.
    """
    identifier = named.identifier
    page, answer, _ = server.record(state, identifier)
    if answer.slices and answer.slices[0].identifier in (identifier, ""):
        slice_ = answer.slices[0]._replace(
            identifier=identifier
        )  # a record without an identifier is the one that was asked for
        return page, (slice_,), answer.losses
    codes = {code for code, _ in answer.errors}
    if named.is_deleted and codes and codes <= GONE:
        return page, (Slice(identifier, utc_datetime(page.received_at), (), True, 0, 0),), ()
    if is_of_another_format(
        server.cursor.metadata_prefix, codes, is_first_generation=state.profile.is_first_generation
    ):
        return page, (), ()
    return page, (_without(identifier, _refusal(answer)),), ()


def is_denied(page: RawPage) -> bool:
    """Return whether an answer to GetRecord says idDoesNotExist."""
    body = page.repaired or page.body
    return bool(body) and {code for code, _ in parse_list(body).errors} == {"idDoesNotExist"}


def is_of_another_format(metadata_prefix: str, codes: set[str], *, is_first_generation: bool) -> bool:
    """Return whether a record exists in other formats only: some sources name the items of every format."""
    if is_first_generation:
        return codes == {"idDoesNotExist"}
    return codes == {"cannotDisseminateFormat"} and metadata_prefix != OF_EVERY_ITEM


def _refusal(answer: ListAnswer) -> GatewayError:
    if answer.slices:
        return NotOaiPmh(f"GetRecord brings {answer.slices[0].identifier} instead.")
    return RemoteError(answer.errors) if answer.errors else NotOaiPmh("GetRecord brings nothing.")


def unfetched(page: RawPage, url: str, identifier: str, error: GatewayError) -> tuple[RawPage, tuple[Slice, ...]]:
    """Return a page and a slice that say that a record could not be fetched; `page` is any answer of the source."""
    empty = replace(page, verb="GetRecord", url=url, status=0, headers=(), body=b"", repaired=b"", repairs=())
    return empty, (_without(identifier, error),)


def _without(identifier: str, error: GatewayError) -> Slice:
    return Slice(identifier, "", (), False, 0, 0, problem=f"{UNFETCHED}{error}")
