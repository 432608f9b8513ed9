"""The requests of a list, as its server accepts them, and a parser for their answers. Pure."""

from collections.abc import Callable
from functools import partial

from gateway.core.errors import NotOaiPmh
from gateway.core.model import Cursor
from harvester.http.dates import DAY, bound
from harvester.http.urls import base_url, request_url
from harvester.sources import Options
from harvester.sources.oai_pmh.answers import ListAnswer, parse_list
from harvester.sources.oai_pmh.date_ranges import Window
from harvester.sources.oai_pmh.list_state import Dates, ListState

_ALL = Window(until="2999-12-31T23:59:59Z")


def granularity_of(options: Options, state: ListState) -> str:
    """Return the granularity in which this server accepts dates."""
    return state.profile.granularity or options.granularity or DAY


def url_of(options: Options, cursor: Cursor, state: ListState, verb: str, token: str) -> str:
    """Return the URL of the next page of the present window; without a token, that of its first page."""
    prefix = ("metadataPrefix", cursor.metadata_prefix)
    if token:
        beside = (prefix,) if state.profile.wants_prefix else ()
        return plain_url(
            options, state, verb, *beside, ("resumptionToken", token), is_verbatim=state.profile.is_verbatim
        )
    granularity, here = granularity_of(options, state), _dates(state)
    if state.profile.is_first_generation and verb == "ListIdentifiers":
        prefix = ("metadataPrefix", "")
    return plain_url(
        options,
        state,
        verb,
        prefix,
        ("from", bound(here.from_, granularity)),
        ("until", bound(here.until, granularity)),
        ("set", cursor.set_spec),
    )


def _dates(state: ListState) -> Window:
    """Return the dates to send: those of the present window, unless the server refuses dates or needs some."""
    if state.profile.dates == Dates.REFUSED:
        return Window()
    if state.profile.dates == Dates.NEEDED and not any(state.here):
        return _ALL
    return state.here


def single_url(options: Options, cursor: Cursor, state: ListState, identifier: str) -> str:
    """Return the URL of one record."""
    arguments = ("identifier", identifier), ("metadataPrefix", cursor.metadata_prefix)
    return plain_url(options, state, "GetRecord", *arguments)


def plain_url(
    options: Options, state: ListState, verb: str, *arguments: tuple[str, str], is_verbatim: bool = False
) -> str:
    """Return the URL of a request, with its arguments in the order that the server needs."""
    base = base_url(options.url)
    return request_url(base, verb, *arguments, is_verbatim=is_verbatim, is_verb_first=state.profile.is_verb_first)


def only(verb: str) -> Callable[[bytes, str], ListAnswer]:
    """Return a parser for answers to this verb. It raises NotOaiPmh for an answer to another verb."""
    return partial(_only, verb)


def _only(verb: str, body: bytes, content_type: str) -> ListAnswer:
    answer = parse_list(body, content_type)
    if answer.verb not in ("", verb):
        raise NotOaiPmh(f"The answer is OAI-PMH but {answer.verb} where {verb} was asked for.")
    return answer
