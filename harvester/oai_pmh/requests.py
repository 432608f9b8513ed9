"""The requests of a list, as its server was found to want them, and the reading of what answers them. Pure."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from gateway.errors import NotOaiPmh
from gateway.model import Cursor
from harvester.sources import Options
from harvester.wire.dates import DAY, bound
from harvester.wire.list_state import Dates, ListState
from harvester.wire.oai_pmh import ListAnswer, parse_list
from harvester.wire.urls import base_url, request_url
from harvester.wire.windows import Window

_ALL = Window(until="2999-12-31T23:59:59Z")


def granularity_of(options: Options, state: ListState) -> str:
    """Return the granularity at which this server takes dates."""
    return state.granularity or options.granularity or DAY


def url_of(options: Options, cursor: Cursor, state: ListState, verb: str, token: str) -> str:
    """Return the address of the next page of the window in which the list stands: of its first without a token."""
    prefix = ("metadataPrefix", cursor.metadata_prefix)
    if token:
        beside = (prefix,) if state.wants_prefix else ()
        return plain_url(options, state, verb, *beside, ("resumptionToken", token), is_verbatim=state.is_verbatim)
    granularity, here = granularity_of(options, state), _dates(state)
    if state.is_first_generation and verb == "ListIdentifiers":
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
    """Return between which dates is asked: those that are being walked, unless the server wants none, or some."""
    if state.dates == Dates.REFUSED:
        return Window()
    if state.dates == Dates.NEEDED and not any(state.here):
        return _ALL
    return state.here


def single_url(options: Options, cursor: Cursor, state: ListState, identifier: str) -> str:
    """Return the address of one record."""
    arguments = ("identifier", identifier), ("metadataPrefix", cursor.metadata_prefix)
    return plain_url(options, state, "GetRecord", *arguments)


def plain_url(
    options: Options, state: ListState, verb: str, *arguments: tuple[str, str], is_verbatim: bool = False
) -> str:
    """Return the address of a request, with its arguments in the order that the server wants."""
    base = base_url(options.url)
    return request_url(base, verb, *arguments, is_verbatim=is_verbatim, is_verb_first=state.is_verb_first)


def only(verb: str) -> Callable[[bytes, str], ListAnswer]:
    """Return what reads an answer to this verb, and takes an answer to another for none."""
    return partial(_only, verb)


def _only(verb: str, body: bytes, content_type: str) -> ListAnswer:
    answer = parse_list(body, content_type)
    if answer.verb not in ("", verb):
        raise NotOaiPmh(f"The answer is OAI-PMH but {answer.verb} where {verb} was asked for.")
    return answer
