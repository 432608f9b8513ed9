"""What a repository still has: the headers of a whole list, by ListIdentifiers, and single records, by GetRecord."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from gateway.errors import NotOaiPmh, RemoteError
from gateway.model import Cursor, RawPage, Slice
from harvester.oai_pmh.naming import RINGS, Naming
from harvester.oai_pmh.profile import as_told
from harvester.oai_pmh.requests import single_url
from harvester.oai_pmh.roll import GONE, is_of_another_format
from harvester.sources import Listed, Options
from harvester.sources._asking import PATIENCE, asked, raw
from harvester.wire.http import Fetch
from harvester.wire.list_state import ListState, state_of
from harvester.wire.oai_pmh import ListAnswer, parse_list


def listed(options: Options, cursor: Cursor, fetch: Fetch) -> Iterator[Listed]:
    """List the headers of the cursor's whole list, whatever dates bound its harvest.

    The cursor is only asked how this server wants its tokens. Raise what `changes` raises; what does not end properly
    ends with doubts.
    """
    naming = Naming(options, cursor, fetch, _known(options, cursor))
    for answer in naming.answers():
        yield Listed(
            answer.slices,
            len(naming.heard),
            naming.announced,
            naming.has_ended or naming.goes_in_rings,
            tuple(_doubts(naming, answer)),
            naming.has_slipped,
        )


def _doubts(naming: Naming, answer: ListAnswer) -> Iterator[str]:
    """Return why it is not shown that all are named."""
    if naming.goes_in_rings:
        yield RINGS
    yield from answer.losses
    yield from (f"ListIdentifiers: {code}: {text}" for code, text in answer.errors if answer.slices)
    if naming.has_ended and naming.announced is not None and len(naming.heard) < naming.announced:
        yield f"ListIdentifiers announced {naming.announced} records and named {len(naming.heard)}."
    yield from islice((f"A header cannot be read: {each.problem}" for each in answer.slices if each.problem), 1)


def single(options: Options, cursor: Cursor, identifier: str, fetch: Fetch) -> tuple[RawPage, tuple[Slice, ...]]:
    """Fetch one record in the cursor's format; without a slice when the source says that there is none.

    Raise RemoteError for any other error of the protocol, and NotOaiPmh when it sends another record.
    """
    url = single_url(options, cursor, _known(options, cursor), identifier)
    fetched, answer = asked(options, fetch, url, parse_list, patience=PATIENCE)
    page = raw(options, cursor, "GetRecord", fetched, answer)
    if not answer.slices and {code for code, _ in answer.errors} <= GONE:
        return page, ()
    if not answer.slices:
        raise RemoteError(answer.errors)
    if answer.slices[0].identifier != identifier:
        raise NotOaiPmh(
            f"It was asked for {identifier} and sent {answer.slices[0].identifier or 'a record without name'}."
        )
    return page, answer.slices[:1]


def is_elsewhere(page: RawPage) -> bool:
    """Tell whether an answer without the record says that there is one in other formats only."""
    answer = parse_list(page.repaired or page.body)
    codes = {code for code, _ in answer.errors}
    return is_of_another_format(page.metadata_prefix, codes, is_first_generation=answer.version.startswith("1"))


def _known(options: Options, cursor: Cursor) -> ListState:
    """Return a list that has not begun, with what is known of the server."""
    return as_told(options.own, state_of(cursor.state or options.known)[0].learned())
