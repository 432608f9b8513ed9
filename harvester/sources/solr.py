"""Solr indexes, harvested as LARO was: by cursorMark, in the order of the unique key, up to a fixed timestamp.

The newest timestamp in the index is where a list ends and where the next one goes on, less an overlap: commits are
soft, so that a document appears later than its stamp, and stamps tie. No clock of ours is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from urllib.parse import urlsplit

from gateway.errors import ConfigurationError, GatewayError, NotSolr, RemoteError
from gateway.formats.solr import LARO
from gateway.model import Cursor, RawPage, Slice
from gateway.xmltext import SOLR, utc_datetime
from harvester.sources import UNFETCHED, Description, Listed, ListEnd, Option, Options, SourceKind, Step
from harvester.sources._asking import PASSING, PATIENCE, asked, raw
from harvester.sources._solr_recognising import recognise
from harvester.wire.dates import SECONDS, bound, http_date, moment_of, written
from harvester.wire.http import Fetch, Fetched
from harvester.wire.list_state import ListState, state_of, text_of
from harvester.wire.solr import Document, SolrAnswer, parse
from harvester.wire.solr_query import Index, select_url

_BEGINNING = "*"  # the first cursorMark
_ROWS = 500
_ROWS_OF_NAMES = 5000
_FEWER = 5  # times as few documents are asked for where a page does not come
_MOST_FAILURES = 200  # documents in a row that do not come
_EMPTY_PAGES = 10
_TOO_OLD = "{} has no nextCursorMark; the index must be of Solr 4.7 or newer."


def _fields(options: Options) -> dict[str, str]:
    """Return how the fields are called. Raise ConfigurationError for one that nobody knows."""
    own = options.own.get("fields", {})
    assert isinstance(own, Mapping)
    if unknown := sorted(own.keys() - LARO.keys()):
        raise ConfigurationError(f"fields: there is no {unknown[0]!r}; there are: {', '.join(LARO)}.")
    return {**LARO, **own}


def _index(options: Options) -> Index:
    fields = _fields(options)
    wt = str(options.own.get("wt", "xml"))
    if wt not in ("xml", "json"):
        raise ConfigurationError(f"wt is xml or json, not {wt!r}.")
    query = str(options.own.get("query", "*:*"))
    sets = options.own.get("set_fields", ())
    assert isinstance(sets, (tuple, list))
    return Index(select_url(options.url), query, fields["identifier"], fields["timestamp"], wt, tuple(map(str, sets)))


def _rows(options: Options) -> int:
    rows = options.own.get("rows", _ROWS)
    assert isinstance(rows, (int, float))
    return max(1, int(rows))


def _ask(
    options: Options, fetch: Fetch, index: Index, url: str, patience: int | None = None
) -> tuple[Fetched, SolrAnswer]:
    return asked(options, fetch, url, partial(parse, names=index.read), patience=patience)


# --- what it is ---------------------------------------------------------------------------------------------------


def describe(options: Options, fetch: Fetch) -> Description:
    """Ask for one document by its identifier, and for the newest.

    Raise ConfigurationError when the index has no identifier or no timestamp to walk it by.
    """
    index = _index(options)
    first, by_identifier = _sorted(options, fetch, index, "identifier", index.page(_BEGINNING, 1))
    oldest, by_timestamp = _sorted(options, fetch, index, "timestamp", index.oldest())
    if not by_identifier.next_cursor_mark:
        raise NotSolr(_TOO_OLD.format(first.url))
    if by_identifier.documents and not by_timestamp.documents:
        raise ConfigurationError(f"The index cannot be harvested: none of its documents has a {index.timestamp}.")
    kept = partial(raw, options, Cursor(options.source), "select")
    core = urlsplit(index.select).path.rpartition("/")[0].rpartition("/")[2]
    stamp = by_timestamp.documents[0].first(index.timestamp) if by_timestamp.documents else ""
    return Description(
        pages=(kept(first, by_identifier), kept(oldest, by_timestamp)),
        repository_name=f"Solr index {core}: {by_identifier.num_found} documents",
        base_url=index.select,
        granularity=SECONDS,
        earliest_datestamp=_second(stamp),
        deleted_record="no",
        formats=(),
        sets=(),
    )


def _sorted(options: Options, fetch: Fetch, index: Index, role: str, url: str) -> tuple[Fetched, SolrAnswer]:
    """Return an answer whose documents have the field that they are sorted by; raise ConfigurationError if not."""
    name = _fields(options)[role]
    told = f"The index cannot be harvested by its {role}, which is said to be the field {name!r}"
    try:
        fetched, answer = _ask(options, fetch, index, url)
    except RemoteError as error:
        if _is_fault_of_server(error):
            raise
        raise ConfigurationError(f"{told}: {error}. fields.{role} may name another.") from error
    if answer.documents and not answer.documents[0].first(name):
        raise ConfigurationError(f"{told}: its documents do not show it. fields.{role} may name another.")
    return fetched, answer


# --- its list -----------------------------------------------------------------------------------------------------


def changes(options: Options, cursor: Cursor, fetch: Fetch) -> Iterator[Step]:
    """Walk the documents up to the newest timestamp, from where the cursor stands."""
    yield from _Walk(options, cursor, fetch).steps()


class _Walk:
    """One list, from its first request of this run to its end."""

    def __init__(self, options: Options, cursor: Cursor, fetch: Fetch) -> None:
        self.options, self.cursor, self.fetch = options, cursor, fetch
        self.index = _index(options)
        before, note = state_of(cursor.state)
        self.notes = [note] if note else []
        self.state = self._begun(before)
        self.marks: set[str] = set()
        self.empties = self.failures = 0
        self.rows = _rows(options)
        self.has_restarted = False

    def _begun(self, state: ListState) -> ListState:
        """Return the list to walk: the one in progress if it is the one that is asked for, else a new one."""
        is_window = self.options.window is not None
        if state.is_window and not is_window and state.paused:
            state = state_of(state.paused)[0]
        wanted, _ = self._bounds(ListState())
        is_enough = state.token and state.reaches(wanted)
        state = state if is_window or is_enough else state.within(wanted)
        from_, until = self._bounds(state)
        is_same = (state.from_, state.until) == (from_, until) if is_window else is_enough
        if state.token and state.is_window == is_window and is_same:
            return state
        paused = text_of(state) if state.token and not state.is_window else state.paused
        fetched, answer = _ask(self.options, self.fetch, self.index, self.index.newest(until))
        newest = answer.documents[0].first(self.index.timestamp) if answer.documents else ""
        return ListState(
            state.complete,
            _BEGINNING,
            from_,
            until if is_window else newest or until,
            is_window,
            paused if is_window else "",
            min(moment_of(newest) or state.complete, _asked_at(fetched)),
            reach=state.reach,
        )

    def _bounds(self, state: ListState) -> tuple[str, str]:
        """Return what is asked for, as Solr wants its dates; an `until` holds its whole last second."""
        options = self.options
        first, last = options.window or ("", "")
        try:
            from_ = bound(first or options.from_, SECONDS)
            until = bound(last or options.until, SECONDS, is_until=True)
        except ValueError as error:
            raise ConfigurationError(f"The dates to harvest are wrong: {error}.") from error
        if state.complete and options.window is None:
            from_ = max(from_, written(state.complete - options.overlap_seconds, SECONDS))
        return from_, until.replace("Z", ".999Z")

    def steps(self) -> Iterator[Step]:
        """Yield the answers of the list."""
        while True:
            try:
                found = self._asked(self.rows, "*")
            except PASSING as error:
                if isinstance(error, RemoteError) and not _is_fault_of_server(error):
                    self._restart(error)
                    continue
                step = self._around(error)
            else:
                self.rows, self.failures = min(2 * self.rows, _rows(self.options)), 0
                step = self._step(*found)
            if step is not None:
                yield step
                if step.is_last:
                    return

    def _asked(self, rows: int, fields: str) -> tuple[Fetched, SolrAnswer]:
        """Ask for documents behind the mark; with patience where a whole page is asked for."""
        state = self.state
        within = self.index.between(state.from_, state.until) if state.from_ or state.until else ""
        url = self.index.page(state.token, rows, within=within, fields=fields)
        patience = None if rows == _rows(self.options) and fields == "*" else PATIENCE
        return _ask(self.options, self.fetch, self.index, url, patience)

    def _around(self, error: GatewayError) -> Step | None:
        """Ask for fewer documents where a page does not come; the one that does not come alone is named, and left out.

        Raise the error where the index does not even name its documents, and behind too many of them.
        """
        try:
            fetched, named = self._asked(1, ",".join(self.index.read))
        except PASSING:
            raise error from None
        if self.rows > 1:
            self.notes.append(f"{self.rows} documents at once do not come, so fewer are asked for. {error}")
            self.rows = max(1, self.rows // _FEWER)
            return None
        self.failures += 1
        if self.failures == _MOST_FAILURES or not named.documents:
            raise error
        return self._step(fetched, named, f"{UNFETCHED}{error}")

    def _restart(self, error: RemoteError) -> None:
        """Begin anew with a mark that was not taken, as after a change of the index; raise any other error."""
        if self.state.token == _BEGINNING or self.has_restarted:
            raise error
        self.has_restarted = True
        self.notes.append(f"The cursorMark was refused ({error}); the list begins anew.")
        self.state = replace(self.state, token=_BEGINNING, received=0, announced_first=None, announced=None)
        self.marks.clear()

    def _step(self, fetched: Fetched, answer: SolrAnswer, problem: str = "") -> Step:
        """Return an answer as a step; `problem` is why nothing but the names of its documents came."""
        state, mark = self.state, answer.next_cursor_mark
        if not mark:
            raise NotSolr(_TOO_OLD.format(fetched.url))
        first = answer.num_found if state.announced_first is None else state.announced_first
        received = state.received + len(answer.documents)
        state = replace(state, token=mark, received=received, announced_first=first, announced=answer.num_found)
        self.empties = 0 if answer.documents else self.empties + 1
        end = self._end(mark)
        self.state = state
        self.marks.add(mark)
        doubts = tuple(self._doubts(end)) if end is not ListEnd.MORE else ()
        is_whole = end is ListEnd.PROPER and received >= answer.num_found
        after = state if end is ListEnd.MORE else self._rest(is_whole=is_whole)
        notes, self.notes = tuple(self.notes), []
        return Step(
            raw(self.options, self.cursor, "select", fetched, answer),
            tuple(_slice(each, self.index, problem) for each in answer.documents),
            replace(self.cursor, state=text_of(after)),
            received,
            (first, answer.num_found),
            end,
            doubts,
            notes,
        )

    def _end(self, mark: str) -> ListEnd:
        """Tell whether the list ended: Solr gives the mark that was sent when there is nothing behind it."""
        if mark == self.state.token:
            return ListEnd.PROPER
        if mark in self.marks:
            return ListEnd.TOKEN_REPEATED
        return ListEnd.EMPTY_PAGES if self.empties == _EMPTY_PAGES else ListEnd.MORE

    def _doubts(self, end: ListEnd) -> Iterator[str]:
        state = self.state
        assert state.announced is not None
        if end is not ListEnd.PROPER:
            yield "The index gave marks that lead nowhere, so the list would never end."
        if state.received < state.announced:
            yield f"The index has {state.announced} such documents and sent {state.received}."
        _, undated = _ask(self.options, self.fetch, self.index, self.index.undated())
        if undated.num_found:
            yield f"Documents without a {self.index.timestamp} are never found by it: {undated.num_found}."

    def _rest(self, *, is_whole: bool) -> ListState:
        state = self.state
        if state.paused:
            return state_of(state.paused)[0]
        complete = state.first if is_whole and not state.is_window else state.complete
        return ListState(complete, reach=state.reach)


def _is_fault_of_server(error: RemoteError) -> bool:
    return any(code.startswith("5") for code in error.codes)


def _slice(document: Document, index: Index, problem: str = "") -> Slice:
    """Return a document as a record; it gets the namespace that Solr does not give it."""
    identifier = document.first(index.identifier)
    return Slice(
        identifier,
        _second(document.first(index.timestamp)),
        tuple(
            f"{name}:{' '.join(value.split())}" for name in index.set_fields for value in document.values.get(name, ())
        ),
        False,
        document.start,
        document.stop,
        declarations=(("", SOLR),),
        problem=problem if identifier else f"The document has no {index.identifier}.",
    )


def _asked_at(fetched: Fetched) -> int:
    """Return when the server answered, by its clock: a document may be stamped with a moment that is still to come."""
    return moment_of(http_date(fetched.header("Date"))) or fetched.received_at


def _second(stamp: str) -> str:
    """Return a timestamp as a UTCdatetime; empty when it is none."""
    moment = moment_of(stamp)
    return "" if moment is None else utc_datetime(moment)


# --- what it still has --------------------------------------------------------------------------------------------


def listed(options: Options, cursor: Cursor, fetch: Fetch) -> Iterator[Listed]:  # noqa: ARG001 - there is one list
    """Name every document that the index has now."""
    index = _index(options)
    mark, received = "", 0
    while True:
        sent = mark or _BEGINNING
        url = index.page(sent, _ROWS_OF_NAMES, fields=index.identifier)
        _, answer = _ask(options, fetch, index, url)
        mark = answer.next_cursor_mark
        slices = tuple(_slice(each, index)._replace(start=0, stop=0) for each in answer.documents)
        received += len(slices)
        is_last = mark in ("", sent) or not slices
        is_short = is_last and received < answer.num_found
        doubts = (f"The index has {answer.num_found} documents and named {received}.",) if is_short else ()
        yield Listed(slices, received, answer.num_found, is_last, doubts)
        if is_last:
            return


def single(options: Options, cursor: Cursor, identifier: str, fetch: Fetch) -> tuple[RawPage, tuple[Slice, ...]]:
    """Fetch one document; without a slice when it is gone."""
    index = _index(options)
    fetched, answer = _ask(options, fetch, index, index.one(identifier))
    slices = tuple(_slice(each, index) for each in answer.documents if each.first(index.identifier) == identifier)
    return raw(options, cursor, "select", fetched, answer), slices[:1]


SOURCE = SourceKind(
    name="solr",
    sentence="An index of Solr 4.7 or newer, whose documents have a unique key and a timestamp.",
    options=(
        Option("url", "The address of the core, or of its `select`; an `fq` in it chooses documents."),
        Option("from", "Nothing older is asked for."),
        Option("until", "Nothing newer is asked for."),
        Option("overlap_seconds", "How far a harvest reaches back before the newest timestamp of the last one."),
        Option("query", "Which documents are wanted, in Solr's words; none: all of them.", "text"),
        Option("fields", "How the fields of the index are called, as in the table below.", "table"),
        Option("set_fields", "Which fields tell the sets of a document, each value one; none: it is in none.", "texts"),
        Option("rows", "How many documents are asked for at once; 500 when nothing is said.", "number"),
        Option("wt", "The form of the answers, `xml` or `json`; `xml` when nothing is said.", "text"),
    ),
    describe=describe,
    changes=changes,
    listed=listed,
    single=single,
    recognise=recognise,
)
