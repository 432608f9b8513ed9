"""What a repository says of itself: Identify, ListMetadataFormats, ListSets."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from gateway.errors import AnswerError, FetchError, RemoteError
from gateway.model import Cursor, Format, SetDescription
from harvester.sources import Description, Options
from harvester.sources._asking import asked, raw
from harvester.wire.dates import granularity_of
from harvester.wire.http import Fetch, Fetched
from harvester.wire.oai_pmh import parse_formats, parse_identify, parse_sets
from harvester.wire.urls import base_url, request_url

_SET_PAGES = 10_000


def describe(options: Options, fetch: Fetch) -> Description:
    """Ask Identify, ListMetadataFormats and ListSets. Only Identify must succeed; trouble with the others is noted."""
    base = base_url(options.url)
    kept = partial(raw, options, Cursor(options.source))
    fetched, identify = asked(options, fetch, request_url(base, "Identify"), parse_identify)
    pages = [kept("Identify", fetched)]
    notes = list(identify.repairs)
    if not identify.protocol_version.startswith("2"):
        notes.append(f"The source says it speaks version {identify.protocol_version!r} of the protocol, not 2.0.")
    formats: tuple[Format, ...] = ()
    sets: list[SetDescription] = []
    try:
        fetched, listed = asked(options, fetch, request_url(base, "ListMetadataFormats"), parse_formats)
        formats = listed.formats
        pages.append(kept("ListMetadataFormats", fetched))
        notes += listed.repairs
    except (AnswerError, FetchError) as error:
        notes.append(f"ListMetadataFormats: {error}")
    try:
        for page, found in _set_pages(options, fetch, base, notes):
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
    )


def _set_pages(
    options: Options, fetch: Fetch, base: str, notes: list[str]
) -> Iterator[tuple[Fetched, tuple[SetDescription, ...]]]:
    token = ""
    seen: set[str] = set()
    for _ in range(_SET_PAGES):
        fetched, answer = asked(options, fetch, request_url(base, "ListSets", ("resumptionToken", token)), parse_sets)
        notes += answer.repairs
        yield fetched, answer.sets
        token = answer.token.text if answer.token else ""
        if not token:
            return
        if token in seen or not answer.sets:
            break
        seen.add(token)
    notes.append("ListSets: the list of sets does not end properly; some sets may be missing.")
