"""Solr indexes, harvested as LARO was: by cursorMark, in the order of the unique key, up to a fixed timestamp.

A list ends at the newest timestamp in the index, and the next one begins there, less an overlap. With soft commits a
document appears later than its timestamp, and timestamps can be equal. The clock of this machine is not used.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from urllib.parse import urlsplit

from gateway.core.errors import AnswerError, ConfigurationError, GatewayError, NotSolr, RemoteError
from gateway.core.model import Cursor, RawPage, Slice
from gateway.core.xmltext import SOLR, utc_datetime
from gateway.formats.solr import LARO
from harvester.http.dates import SECONDS, http_date, moment_of, written
from harvester.http.messages import Fetch, Fetched, Request
from harvester.sources import UNFETCHED, Description, Listed, ListEnd, Option, Options, Recognised, SourceKind, Step
from harvester.sources.oai_pmh.list_state import ListState, Position, state_of, text_of
from harvester.sources.repeated_requests import PASSING, PATIENCE, fetch_answer, raw_page
from harvester.sources.solr.select import Document, Index, SolrAnswer, parse, select_url

_BEGINNING = "*"  # the first cursorMark
_ROWS = 500
_ROWS_OF_NAMES = 5000
_FEWER = 5  # the number of documents is divided by this when a page cannot be fetched
_MOST_FAILURES = 200  # consecutive documents that cannot be fetched
_EMPTY_PAGES = 10
_TOO_OLD = "{} has no nextCursorMark. The index must run Solr 4.7 or newer."

# Names of fields in real indexes: Blacklight, DSpace, Hydra, Islandora, VuFind. The first match wins.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "identifier": ("recID", "id", "search.uniqueid", "handle", "PID", "identifier"),
    "timestamp": ("timestamp", "last_indexed", "lastModified", "SolrIndexer.lastIndexed", "system_modified_dtsi"),
    "title": ("displayTitle", "title", "title_display", "title_full", "title_tesim", "title_t", "dc.title"),
    "creator": ("displayName", "author", "creator", "author_display", "author_tesim", "creator_tesim", "dc.creator"),
    "doi": ("doi", "doi_str_mv", "dc.identifier.doi"),
    "url": ("url", "fulltext_url", "url_fulltext_display"),
    "date": ("date", "publishDate", "pub_date", "dc.date.issued"),
}
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z")
_NEEDED = ("identifier", "timestamp")


def recognise(fetched: Fetched, fetch: Fetch) -> Recognised | None:
    """Return the index from the answer, or from one document of its `select` if the URL looks like Solr; else None.

    Raise NotSolr for an index without an identifier or a timestamp: it cannot be harvested.
    """
    select = select_url(fetched.url)
    if _read(fetched) is None and not re.search(r"(?i)solr|/select$", urlsplit(fetched.url).path):
        return None
    index = Index(select, "*:*", "", "", "xml")
    answer = _read(fetch(Request(index.url(("rows", 1), ("fl", "*")))))
    if answer is None:
        return None
    held = answer.documents[0].values if answer.documents else {}
    fields = {role: _called(role, held) for role in _NAMES}
    if missing := [role for role in _NEEDED if held and not fields[role]]:
        raise NotSolr(f"{select} is a Solr index, but its documents have no {missing[0]}.")
    other = {role: name for role, name in fields.items() if name and name not in LARO[role].split()}
    table: dict[str, object] = {"url": select} | ({"fields": other} if other else {})
    return Recognised(f"A Solr index with {answer.num_found} documents.", table)


def _read(fetched: Fetched) -> SolrAnswer | None:
    try:
        return parse(fetched.body, fetched.header("Content-Type"))
    except AnswerError:
        return None


def _called(role: str, held: Mapping[str, Iterable[str]]) -> str:
    """Return the name of a field for a role; a timestamp may have any name that suggests one."""
    known = next((name for name in _NAMES[role] if name in held), "")
    if known or role != "timestamp":
        return known
    moments = [name for name, values in held.items() if all(map(_MOMENT.fullmatch, values)) and values]
    return next((name for name in moments if re.search(r"(?i)stamp|index|modif|updat", name)), "")


def _fields(options: Options) -> dict[str, str]:
    """Return the names of the fields by role. Raise ConfigurationError for an unknown role."""
    own = options.own.get("fields", {})
    assert isinstance(own, Mapping)
    if unknown := sorted(own.keys() - LARO.keys()):
        raise ConfigurationError(f"fields has an unknown name {unknown[0]!r}. Write one of: {', '.join(LARO)}.")
    return {**LARO, **own}


def _index(options: Options) -> Index:
    fields = _fields(options)
    wt = str(options.own.get("wt", "xml"))
    if wt not in ("xml", "json"):
        raise ConfigurationError(f"wt is {wt!r}. Write xml or json.")
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
    return fetch_answer(options, fetch, url, partial(parse, names=index.read), patience=patience)


# --- what it is ---------------------------------------------------------------------------------------------------


def describe(options: Options, fetch: Fetch) -> Description:
    """Return the description from one document by identifier, and from the newest one.

    Raise ConfigurationError when the index has no usable identifier or timestamp, NotSolr when it is too old, and the
    errors of `asked`.
    """
    index = _index(options)
    first, by_identifier = _sorted(options, fetch, index, "identifier", index.page(_BEGINNING, 1))
    oldest, by_timestamp = _sorted(options, fetch, index, "timestamp", index.oldest())
    if not by_identifier.next_cursor_mark:
        raise NotSolr(_TOO_OLD.format(first.url))
    if by_identifier.documents and not by_timestamp.documents:
        raise ConfigurationError(f"The index cannot be harvested: no document has the field {index.timestamp}.")
    kept = partial(raw_page, options, Cursor(options.source), "select")
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
    """Return an answer sorted by a field that its documents have; raise ConfigurationError if not."""
    name = _fields(options)[role]
    message = f"The index cannot be harvested by its {role}, which is configured as the field {name!r}"
    try:
        fetched, answer = _ask(options, fetch, index, url)
    except RemoteError as error:
        if _is_fault_of_server(error):
            raise
        raise ConfigurationError(f"{message}: {error}. Set fields.{role} to another field.") from error
    if answer.documents and not answer.documents[0].first(name):
        raise ConfigurationError(f"{message}: its documents do not have it. Set fields.{role} to another field.")
    return fetched, answer


# --- its list -----------------------------------------------------------------------------------------------------


def changes(options: Options, cursor: Cursor, fetch: Fetch) -> Iterator[Step]:
    """Yield the documents up to the newest timestamp, from the cursor on.

    Raise ConfigurationError for wrong dates, NotSolr for an old Solr, and the errors of `asked`.
    """
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
        """Return the list to walk: the one in progress if its dates are those requested, else a new one."""
        is_window = self.options.window is not None
        if state.position.is_window and not is_window and state.position.paused:
            state = state_of(state.position.paused)[0]
        wanted, _ = self._bounds(ListState())
        is_enough = state.position.token and state.position.reaches(wanted)
        state = state if is_window or is_enough else state.within(wanted)
        from_, until = self._bounds(state)
        is_same = (state.position.from_, state.position.until) == (from_, until) if is_window else is_enough
        if state.position.token and state.position.is_window == is_window and is_same:
            return state
        paused = text_of(state) if state.position.token and not state.position.is_window else state.position.paused
        fetched, answer = _ask(self.options, self.fetch, self.index, self.index.newest(until))
        newest = answer.documents[0].first(self.index.timestamp) if answer.documents else ""
        return ListState(
            Position(
                state.position.complete,
                state.position.reach,
                token=_BEGINNING,
                from_=from_,
                until=until if is_window else newest or until,
                is_window=is_window,
                paused=paused if is_window else "",
                first=min(moment_of(newest) or state.position.complete, _asked_at(fetched)),
            )
        )

    def _bounds(self, state: ListState) -> tuple[str, str]:
        """Return the bounds as dates of Solr; an `until` includes its whole last second."""
        options = self.options
        from_, until = options.bounds(SECONDS)
        if state.position.complete and options.window is None:
            from_ = max(from_, written(state.position.complete - options.overlap_seconds, SECONDS))
        return from_, until.replace("Z", ".999Z")

    def steps(self) -> Iterator[Step]:
        """Yield the answers of the list."""
        while True:
            try:
                answer = self._asked(self.rows, "*")
            except PASSING as error:
                if isinstance(error, RemoteError) and not _is_fault_of_server(error):
                    self._restart(error)
                    continue
                step = self._around(error)
            else:
                self.rows, self.failures = min(2 * self.rows, _rows(self.options)), 0
                step = self._step(*answer)
            if step is not None:
                yield step
                if step.is_last:
                    return

    def _asked(self, rows: int, fields: str) -> tuple[Fetched, SolrAnswer]:
        """Return the documents after the mark; a whole page is repeated more often."""
        state = self.state
        within = (
            self.index.between(state.position.from_, state.position.until)
            if state.position.from_ or state.position.until
            else ""
        )
        url = self.index.page(state.position.token, rows, within=within, fields=fields)
        patience = None if rows == _rows(self.options) and fields == "*" else PATIENCE
        return _ask(self.options, self.fetch, self.index, url, patience)

    def _around(self, error: GatewayError) -> Step | None:
        """Reduce the number of documents when a page fails. A document that fails alone is left out by its identifier.

        Raise the error when the index cannot even name its documents, and after too many failures.
        """
        try:
            fetched, named = self._asked(1, ",".join(self.index.read))
        except PASSING:
            raise error from None
        if self.rows > 1:
            self.notes.append(f"{self.rows} documents at once cannot be fetched, so fewer are requested. {error}")
            self.rows = max(1, self.rows // _FEWER)
            return None
        self.failures += 1
        if self.failures == _MOST_FAILURES or not named.documents:
            raise error
        return self._step(fetched, named, f"{UNFETCHED}{error}")

    def _restart(self, error: RemoteError) -> None:
        """Start again when the mark is refused, as after a change of the index; raise any other error."""
        if self.state.position.token == _BEGINNING or self.has_restarted:
            raise error
        self.has_restarted = True
        self.notes.append(f"The cursorMark was refused ({error}), so the list starts again.")
        self.state = self.state.moved(token=_BEGINNING).noted(received=0, announced_first=None, announced=None)
        self.marks.clear()

    def _step(self, fetched: Fetched, answer: SolrAnswer, problem: str = "") -> Step:
        """Return an answer as a step; `problem` says why only the identifiers of its documents were fetched."""
        state, mark = self.state, answer.next_cursor_mark
        if not mark:
            raise NotSolr(_TOO_OLD.format(fetched.url))
        first = answer.num_found if state.evidence.announced_first is None else state.evidence.announced_first
        received = state.evidence.received + len(answer.documents)
        state = state.moved(token=mark).noted(received=received, announced_first=first, announced=answer.num_found)
        self.empties = 0 if answer.documents else self.empties + 1
        end = self._end(mark)
        self.state = state
        self.marks.add(mark)
        doubts = tuple(self._doubts(end)) if end is not ListEnd.MORE else ()
        is_whole = end is ListEnd.PROPER and received >= answer.num_found
        after = state if end is ListEnd.MORE else self._rest(is_whole=is_whole)
        notes, self.notes = tuple(self.notes), []
        return Step(
            raw_page(self.options, self.cursor, "select", fetched, answer),
            tuple(_slice(document, self.index, problem) for document in answer.documents),
            replace(self.cursor, state=text_of(after)),
            received,
            (first, answer.num_found),
            end,
            doubts,
            notes,
        )

    def _end(self, mark: str) -> ListEnd:
        """Return how the list ended: after the last document Solr returns the mark that was sent."""
        if mark == self.state.position.token:
            return ListEnd.PROPER
        if mark in self.marks:
            return ListEnd.TOKEN_REPEATED
        return ListEnd.EMPTY_PAGES if self.empties == _EMPTY_PAGES else ListEnd.MORE

    def _doubts(self, end: ListEnd) -> Iterator[str]:
        state = self.state
        assert state.evidence.announced is not None
        if end is not ListEnd.PROPER:
            yield "The index repeats its marks without documents, so the list would never end."
        if state.evidence.received < state.evidence.announced:
            yield f"The index announced {state.evidence.announced} documents and sent {state.evidence.received}."
        _, undated = _ask(self.options, self.fetch, self.index, self.index.undated())
        if undated.num_found:
            yield f"Documents without the field {self.index.timestamp} cannot be harvested: {undated.num_found}."

    def _rest(self, *, is_whole: bool) -> ListState:
        state = self.state
        if state.position.paused:
            return state_of(state.position.paused)[0]
        complete = state.position.first if is_whole and not state.position.is_window else state.position.complete
        return ListState(Position(complete, state.position.reach))


def _is_fault_of_server(error: RemoteError) -> bool:
    return any(code.startswith("5") for code in error.codes)


def _slice(document: Document, index: Index, problem: str = "") -> Slice:
    """Return a document as a record, with a namespace, which Solr does not write."""
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
        problem=problem if identifier else f"The document has no field {index.identifier}.",
    )


def _asked_at(fetched: Fetched) -> int:
    """Return the second of an answer by the server's clock: a timestamp may be in the future."""
    return moment_of(http_date(fetched.header("Date"))) or fetched.received_at


def _second(stamp: str) -> str:
    """Return a timestamp as a UTCdatetime; empty when it is not a date."""
    moment = moment_of(stamp)
    return "" if moment is None else utc_datetime(moment)


# --- what it still has --------------------------------------------------------------------------------------------


def listed(options: Options, cursor: Cursor, fetch: Fetch) -> Iterator[Listed]:  # noqa: ARG001 - there is one list
    """Yield every current document by its identifier. Raise the errors of `changes`."""
    index = _index(options)
    mark, received = "", 0
    while True:
        sent = mark or _BEGINNING
        url = index.page(sent, _ROWS_OF_NAMES, fields=index.identifier)
        _, answer = _ask(options, fetch, index, url)
        mark = answer.next_cursor_mark
        slices = tuple(_slice(document, index)._replace(start=0, stop=0) for document in answer.documents)
        received += len(slices)
        is_last = mark in ("", sent) or not slices
        is_short = is_last and received < answer.num_found
        doubts = (f"The index announced {answer.num_found} documents and listed {received}.",) if is_short else ()
        yield Listed(slices, received, answer.num_found, is_last, doubts)
        if is_last:
            return


def single(options: Options, cursor: Cursor, identifier: str, fetch: Fetch) -> tuple[RawPage, tuple[Slice, ...]]:
    """Return one document; without a slice when it is gone. Raise the errors of `asked`."""
    index = _index(options)
    fetched, answer = _ask(options, fetch, index, index.one(identifier))
    slices = tuple(
        _slice(document, index) for document in answer.documents if document.first(index.identifier) == identifier
    )
    return raw_page(options, cursor, "select", fetched, answer), slices[:1]


SOURCE = SourceKind(
    name="solr",
    sentence="An index of Solr 4.7 or newer, whose documents have a unique key and a timestamp.",
    options=(
        Option("url", "The address of the core, or of its `select`; an `fq` in it chooses documents."),
        Option("from", "The date of the oldest documents to request."),
        Option("until", "The date of the newest documents to request."),
        Option("overlap_seconds", "How far a harvest reaches back before the newest timestamp of the last one."),
        Option("query", "Which documents are wanted, in Solr's syntax; none: all of them.", "text"),
        Option("fields", "The names of the fields in the index, where they differ from those of LARO.", "table"),
        Option("set_fields", "Fields whose values are the sets of a document; none: no sets.", "texts"),
        Option("rows", "How many documents are requested at once; 500 by default.", "number"),
        Option("wt", "The form of the answers, `xml` or `json`; `xml` by default.", "text"),
    ),
    describe=describe,
    changes=changes,
    listed=listed,
    single=single,
    recognise=recognise,
)
