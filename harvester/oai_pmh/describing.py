"""What a repository says of itself: Identify, ListMetadataFormats, ListSets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from urllib.parse import urlsplit

from gateway.errors import AnswerError, FetchError, RemoteError
from gateway.model import Cursor, Format, SetDescription
from harvester.oai_pmh.profile import as_told
from harvester.oai_pmh.requests import plain_url
from harvester.sources import Description, Options
from harvester.sources._asking import asked, raw
from harvester.wire.dates import granularity_of, moment_of
from harvester.wire.http import Fetch, Fetched
from harvester.wire.identity import identity_of
from harvester.wire.list_state import ListState, state_of, text_of
from harvester.wire.oai_pmh import IdentifyAnswer, parse_formats, parse_identify, parse_sets
from harvester.wire.urls import base_url

_SET_PAGES = 10_000


def describe(options: Options, fetch: Fetch) -> Description:
    """Ask Identify, ListMetadataFormats and ListSets. Only Identify must succeed; trouble with the others is noted."""
    kept = partial(raw, options, Cursor(options.source))
    state, fetched, identify = _identified(options, fetch)
    pages = [kept("Identify", fetched)]
    notes = list(identify.repairs)
    if not identify.protocol_version.startswith("2"):
        notes.append(f"The source says it speaks version {identify.protocol_version!r} of the protocol, not 2.0.")
    formats: tuple[Format, ...] = ()
    sets: list[SetDescription] = []
    try:
        fetched, listed = asked(options, fetch, plain_url(options, state, "ListMetadataFormats"), parse_formats)
        formats = listed.formats
        pages.append(kept("ListMetadataFormats", fetched))
        notes += listed.repairs
    except (AnswerError, FetchError) as error:
        notes.append(f"ListMetadataFormats: {error}")
    try:
        for page, found in _set_pages(options, fetch, state, notes):
            pages.append(kept("ListSets", page))
            sets += found
    except (AnswerError, FetchError) as error:
        if not (isinstance(error, RemoteError) and "noSetHierarchy" in error.codes):
            notes.append(f"ListSets: {error}")
    return Description(
        tuple(pages),
        identify.repository_name,
        identify.base_url,
        granularity_of(identify.granularity),
        identify.earliest_datestamp,
        identify.deleted_record,
        formats,
        tuple({each.spec: each for each in sets}.values()),
        tuple(notes),
        text_of(state),
        moment_of(identify.response_date),
        identity_of(identify),
    )


def _identified(options: Options, fetch: Fetch) -> tuple[ListState, Fetched, IdentifyAnswer]:
    """Ask Identify, and return what is known of the server with the answer.

    Where the address has arguments of its own and nothing is answered so, the verb stands before them.
    """
    state = as_told(options.own, state_of(options.known)[0])
    try:
        return state, *asked(options, fetch, plain_url(options, state, "Identify"), parse_identify)
    except AnswerError:
        if not urlsplit(base_url(options.url)).query or "arguments" in options.own:
            raise
        state = replace(state, is_verb_first=not state.is_verb_first)
        return state, *asked(options, fetch, plain_url(options, state, "Identify"), parse_identify)


def _set_pages(
    options: Options, fetch: Fetch, state: ListState, notes: list[str]
) -> Iterator[tuple[Fetched, tuple[SetDescription, ...]]]:
    token = ""
    seen: set[str] = set()
    for _ in range(_SET_PAGES):
        url = plain_url(options, state, "ListSets", ("resumptionToken", token))
        fetched, answer = asked(options, fetch, url, parse_sets)
        notes += answer.repairs
        yield fetched, answer.sets
        token = answer.token.text if answer.token else ""
        if not token:
            return
        if token in seen or not answer.sets:
            break
        seen.add(token)
    notes.append("ListSets: the list of sets does not end properly; some sets may be missing.")
