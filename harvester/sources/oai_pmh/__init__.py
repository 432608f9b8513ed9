"""OAI-PMH repositories: what they say of themselves, and their lists.

A list is walked from its first request to the empty resumptionToken, by one strategy after the other: as a whole, in
windows of dates, record by record (`_STRATEGIES`). Where a source does not give what it promised, the next one is tried
(`next_part`). Every step is committed with the answer that caused it. Where the source's numbers do not fit what
came, ListIdentifiers decides (`single_records`). A list never ends as whole because nothing more came.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice

from gateway.core.errors import NotOaiPmh, RemoteError
from gateway.core.model import Cursor, RawPage, Slice
from harvester.http.messages import Fetch
from harvester.sources import Listed, Option, Options, SourceKind, Step
from harvester.sources.oai_pmh.answers import ListAnswer, parse_list
from harvester.sources.oai_pmh.date_ranges import Window
from harvester.sources.oai_pmh.description import channels, describe, recognise, with_sets
from harvester.sources.oai_pmh.list_identifiers import LOOPS, IdentifierPages, IdentifiersBehindBreak, broken_off
from harvester.sources.oai_pmh.list_records import next_page
from harvester.sources.oai_pmh.list_run import ListRun, asks_for_all, begins_anew
from harvester.sources.oai_pmh.list_state import ListState, Phase, state_of
from harvester.sources.oai_pmh.next_part import left
from harvester.sources.oai_pmh.profile import OPTIONS, learned, profile, taught, with_entry
from harvester.sources.oai_pmh.requests import GONE, Server, is_of_another_format
from harvester.sources.oai_pmh.single_records import record_by_record
from harvester.sources.repeated_requests import PASSING

# In the order in which they are tried. CHECK follows the end of a list, where something contradicts it.
_STRATEGIES: Mapping[Phase, Callable[[ListRun], Iterable[Step]]] = {
    Phase.PAGES: lambda run: (next_page(run),),
    Phase.WINDOW: lambda run: (next_page(run),),
    Phase.SINGLY: record_by_record,
    Phase.CHECK: record_by_record,
}


def changes(options: Options, cursor: Cursor, fetch: Fetch) -> Iterator[Step]:
    """Walk one list from where its cursor stands.

    Raise ConfigurationError for dates that are none, RemoteError for errors of the protocol that mean no end of the
    list, NotXml, NotOaiPmh and what `fetch` raises.
    """
    run = ListRun(options, cursor, fetch)
    is_over = False
    while not is_over:
        if not run.may_ask_no_more:
            run.check_budget()
        for step in _STRATEGIES[run.position.phase](run):
            yield step
            is_over = step.is_last
        if run.failures.fatal is not None:
            raise run.failures.fatal


# --- A sweep: the headers of a whole list, by ListIdentifiers, and single records, by GetRecord ---


def listed(options: Options, cursor: Cursor, fetch: Fetch) -> Iterator[Listed]:
    """List the headers of the cursor's whole list. The dates of its harvest do not matter.

    Only the profile of the server is used from the cursor. Raise the errors of `changes`. A list that does not end
    properly ends with doubts. One whose end no number shows is asked for once more, from its last date on.
    """
    server = Server(options, cursor, fetch, patience=None)
    pages = IdentifierPages(server, _known(options, cursor))
    for answer in pages.answers():
        yield Listed(
            answer.slices,
            len(pages.identifiers),
            pages.announced,
            (pages.has_ended and not pages.is_open) or pages.loops,
            tuple(_doubts(pages, answer)),
            pages.has_slipped,
        )
    if pages.is_open:
        yield from _rest(server, pages)


def _rest(server: Server, pages: IdentifierPages) -> Iterator[Listed]:
    """List what is named behind a break; the end has a doubt if it does not show all, or a token was not understood."""
    state = _known(server.options, server.cursor)
    rest = IdentifiersBehindBreak(
        pages, Window(), lambda window: IdentifierPages(server, state.moved(window=str(window)))
    )
    trouble = ""
    try:
        for answer in rest.answers():
            yield Listed(answer.slices, len(pages.identifiers), pages.announced, is_last=False)
    except PASSING as error:
        trouble = f" {error}"
    count = len(pages.identifiers)
    # Lists by date prove nothing about pages behind a token that was not understood: each may hide other records.
    is_doubted = pages.is_unread or (pages.breaks_off and not rest.is_end_shown)
    doubts = (broken_off(count) + trouble,) if is_doubted else _doubts_of_number(pages)
    yield Listed((), count, pages.announced, True, tuple(doubts), pages.has_slipped)


def _doubts(pages: IdentifierPages, answer: ListAnswer) -> Iterator[str]:
    """Yield the reasons to doubt that all records are named."""
    if pages.loops:
        yield LOOPS
    yield from answer.losses
    yield from (f"ListIdentifiers: {code}: {text}" for code, text in answer.errors if answer.slices)
    if pages.has_ended and not pages.breaks_off:
        yield from _doubts_of_number(pages)
    yield from islice((f"A header cannot be read: {record.problem}" for record in answer.slices if record.problem), 1)


def _doubts_of_number(pages: IdentifierPages) -> Iterator[str]:
    if pages.announced is not None and len(pages.identifiers) + pages.twins < pages.announced:
        yield f"ListIdentifiers announced {pages.announced} records and named {len(pages.identifiers)}."


def single(options: Options, cursor: Cursor, identifier: str, fetch: Fetch) -> tuple[RawPage, tuple[Slice, ...]]:
    """Fetch one record in the cursor's format; without a slice when the source says that there is none.

    Raise RemoteError for any other error of the protocol, NotOaiPmh when the source sends another record, and the
    errors of `asked`.
    """
    page, answer, _ = Server(options, cursor, fetch).record(_known(options, cursor), identifier)
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
    """Return whether an answer without the record says that it exists in other formats only."""
    answer = parse_list(page.repaired or page.body)
    codes = {code for code, _ in answer.errors}
    return is_of_another_format(page.metadata_prefix, codes, is_first_generation=answer.version.startswith("1"))


def _known(options: Options, cursor: Cursor) -> ListState:
    """Return a list that has not begun, with what is known of the server."""
    state, _ = state_of(cursor.state or options.known)
    return with_entry(options.own, ListState(profile=state.profile))


SOURCE = SourceKind(
    name="oai_pmh",
    sentence="A repository that speaks OAI-PMH 2.0, 1.1 or 1.0.",
    options=(
        Option("url", "The base URL; arguments of the protocol in it are dropped, the server's own are kept."),
        Option("formats", "The metadataPrefixes to harvest, each as a list of its own."),
        Option("sets", "The setSpecs to harvest, each as a list of its own; none: the whole repository."),
        Option("from", "Nothing older is asked for."),
        Option("until", "Nothing newer is asked for."),
        Option("overlap_seconds", "How far a harvest reaches back before the first answer of the last complete one."),
        *OPTIONS,
    ),
    describe=describe,
    sets=with_sets,
    taught=taught,
    changes=changes,
    listed=listed,
    is_listed_anew=True,
    single=single,
    is_elsewhere=is_elsewhere,
    left=left,
    learned=learned,
    profile=profile,
    recognise=recognise,
    channels=channels,
    begins_anew=begins_anew,
    asks_for_all=asks_for_all,
)
