"""One list of a repository, walked page by page from where its cursor stands.

A list is walked from its first request to the empty resumptionToken. What servers do wrong on the way is either
mended and told, or ends the list as not shown to be whole; it never ends it as whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from hashlib import blake2b

from gateway.errors import ConfigurationError, RemoteError
from gateway.model import Cursor, Slice
from gateway.xmltext import utc_datetime
from harvester.sources import ListEnd, Options, Step
from harvester.sources._asking import asked, raw
from harvester.wire.dates import DAY, SECONDS, bound, moment_of, written
from harvester.wire.http import Fetch, Fetched
from harvester.wire.list_state import ListState, state_of, text_of
from harvester.wire.oai_pmh import ListAnswer, parse_list
from harvester.wire.urls import base_url, request_url

_RESTARTS = 2  # of a list in one run, when its tokens are not taken
_EMPTY_PAGES = 10  # in a row, each with a further token
_DAY_SECONDS = 86_400


def changes(options: Options, cursor: Cursor, fetch: Fetch) -> Iterator[Step]:
    """Walk one list from where its cursor stands.

    Raise ConfigurationError for dates that are none, RemoteError for errors of the protocol that mean no end of the
    list, NotXml, NotOaiPmh and what `fetch` raises.
    """
    yield from _Walk(options, cursor, fetch).steps()


def _begun(options: Options, state: ListState) -> ListState:
    """Return the list to walk: the one in progress if it is the one that is asked for, else a new one."""
    granularity = options.granularity or DAY
    try:
        if options.window is None:
            from_, until = bound(options.from_, granularity), bound(options.until, granularity, is_until=True)
        else:
            from_ = bound(options.window[0] or options.from_, granularity)
            until = bound(options.window[1] or options.until, granularity, is_until=True)
    except ValueError as error:
        raise ConfigurationError(f"The dates to harvest are wrong: {error}.") from error
    is_window = options.window is not None
    if state.complete and not is_window:
        since = written(state.complete - options.overlap_seconds, granularity)
        # A `from` behind the last date that is wanted is no legal request.
        from_ = max(from_, min(since, until) if until else since)
    if state.token and state.is_window == is_window and (not is_window or (state.from_, state.until) == (from_, until)):
        return state
    if state.is_window and not is_window and state.paused:
        return state_of(state.paused)[0]
    paused = state.paused or (text_of(state) if state.token and not state.is_window else "")
    begun = ListState(state.complete, from_=from_, until=until, is_window=is_window, is_verbatim=state.is_verbatim)
    return replace(begun, paused=paused) if is_window else begun


class _Walk:
    """One list, from its first request of this run to its end."""

    def __init__(self, options: Options, cursor: Cursor, fetch: Fetch) -> None:
        self.options, self.cursor, self.fetch = options, cursor, fetch
        self.base = base_url(options.url)
        before, note = state_of(cursor.state)
        self.state = _begun(options, before)
        self.notes = [note] if note else []
        self.tokens = {self.state.token} - {""}
        self.pages: dict[bytes, int] = {}
        self.empties = self.restarts = 0
        self.has_other_granularity = False

    def steps(self) -> Iterator[Step]:
        """Yield the answers of the list."""
        while True:
            fetched, answer = asked(self.options, self.fetch, self._url(), parse_list, self._is_doubtful)
            if answer.errors and not answer.slices:
                step = self._after_errors(fetched, answer)
                if step is None:
                    continue
            else:
                step = self._after_page(fetched, answer)
            yield step
            if step.is_last:
                return

    def _url(self) -> str:
        state = self.state
        if state.token:
            token = ("resumptionToken", state.token)
            return request_url(self.base, "ListRecords", token, is_verbatim=state.is_verbatim)
        return request_url(
            self.base,
            "ListRecords",
            ("metadataPrefix", self.cursor.metadata_prefix),
            ("from", state.from_),
            ("until", state.until),
            ("set", self.cursor.set_spec),
        )

    def _is_doubtful(self, answer: ListAnswer) -> bool:
        """Tell whether this answer ends the list with nothing in it where more was announced: that may pass."""
        is_end = not answer.errors and not answer.slices and not (answer.token and answer.token.text)
        return is_end and bool(self.state.token) and self._is_short()

    def _is_short(self) -> bool:
        return self.state.announced is not None and self.state.received < self.state.announced

    # -- errors of the protocol --

    def _after_errors(self, fetched: Fetched, answer: ListAnswer) -> Step | None:
        """Return the last step when the errors mean the end of the list; None when it is to be asked in another way."""
        codes = {code for code, _ in answer.errors}
        state = self.state
        if codes == {"noRecordsMatch"}:
            self._note_first(fetched, answer)
            return self._ended(fetched, answer, ListEnd.PROPER)
        if not state.token:
            self._ask_otherwise(codes, answer)
            return None
        if state.announced is not None and state.received >= state.announced:
            self.notes.append(f"The token after the last record was refused ({', '.join(sorted(codes))}).")
            return self._ended(fetched, answer, ListEnd.PROPER)
        if not state.is_verbatim and self._url() != self._url_verbatim():
            self.notes.append("The token was refused; it was sent again as the source had written it.")
            self.state = replace(state, is_verbatim=True)
            return None
        if self.restarts == _RESTARTS:
            raise RemoteError(answer.errors)
        self.restarts += 1
        self.notes.append(f"The token was refused ({', '.join(sorted(codes))}); the list begins anew.")
        self._restart()
        return None

    def _url_verbatim(self) -> str:
        return request_url(self.base, "ListRecords", ("resumptionToken", self.state.token), is_verbatim=True)

    def _restart(self) -> None:
        state = self.state
        begun = ListState(state.complete, from_=state.from_, until=state.until, is_window=state.is_window)
        self.state = replace(begun, paused=state.paused)
        self.tokens.clear()
        self.pages.clear()
        self.empties = 0

    def _ask_otherwise(self, codes: set[str], answer: ListAnswer) -> None:
        """Ask at the other granularity, once: some servers announce one and take only the other."""
        state = self.state
        if "badArgument" not in codes or self.has_other_granularity or not (state.from_ or state.until):
            raise RemoteError(answer.errors)
        self.has_other_granularity = True
        first, last = (moment_of(each) for each in (state.from_, state.until))
        other = DAY if "T" in (state.from_ or state.until) else SECONDS
        end = _DAY_SECONDS - 1 if other == SECONDS else 0
        self.notes.append(f"The dates were refused; they were sent again as {other}.")
        self.state = replace(
            state,
            from_="" if first is None else written(first, other),
            until="" if last is None else written(last + end, other),
        )

    # -- pages --

    def _after_page(self, fetched: Fetched, answer: ListAnswer) -> Step:
        self._note_first(fetched, answer)
        if self._repeats(answer.slices):
            self.notes.append("The answer has the records of an earlier one.")
            return self._ended(fetched, replace(answer, slices=()), ListEnd.PAGE_REPEATED)
        self._note_announced(answer)
        self.state = replace(self.state, received=self.state.received + len(answer.slices))
        if answer.errors:
            self.notes.append("The answer has records and errors: " + str(RemoteError(answer.errors)))
        token = answer.token.text if answer.token else ""
        self.empties = 0 if answer.slices else self.empties + 1
        if not token:
            return self._ended(fetched, answer, ListEnd.PROPER)
        if token in self.tokens:
            is_whole = self.state.announced is not None and not self._is_short()
            return self._ended(fetched, answer, ListEnd.PROPER if is_whole else ListEnd.TOKEN_REPEATED)
        if self.empties == _EMPTY_PAGES:
            return self._ended(fetched, answer, ListEnd.EMPTY_PAGES)
        self.tokens.add(token)
        self.state = replace(self.state, token=token)
        return self._step(fetched, answer, ListEnd.MORE, ())

    def _note_first(self, fetched: Fetched, answer: ListAnswer) -> None:
        """At the first answer of a list, remember when it was given: the next harvest goes on from there."""
        if self.state.first:
            return
        given, received = moment_of(answer.response_date), fetched.received_at
        if given is None:
            ours = utc_datetime(received)
            self.notes.append(f"The responseDate {answer.response_date!r} is none; our own time {ours} stands for it.")
        elif given > received + _DAY_SECONDS:
            self.notes.append(f"The responseDate {answer.response_date!r} lies in the future; our own time is used.")
            given = None
        self.state = replace(self.state, first=received if given is None else given)
        self._note_outside(answer.slices)

    def _note_outside(self, slices: tuple[Slice, ...]) -> None:
        """Tell when the source does not keep to the dates it was asked for; its records are taken nevertheless."""
        from_ = self.state.from_
        outside = sum(each.datestamp[: len(from_)] < from_[: len(each.datestamp)] for each in slices if each.datestamp)
        if outside:
            self.notes.append(
                f"Records older than from={from_} were sent: {outside} of {len(slices)} on the first page."
            )

    def _note_announced(self, answer: ListAnswer) -> None:
        size = answer.token.complete_list_size if answer.token else None
        if size is None:
            return
        state = self.state
        if state.announced is not None and state.announced != size:
            self.notes.append(f"The completeListSize changed from {state.announced} to {size}.")
        first = size if state.announced_first is None else state.announced_first
        self.state = replace(state, announced_first=first, announced=size)

    def _repeats(self, slices: tuple[Slice, ...]) -> bool:
        """Tell whether these very records came before in this list; a single record may, on pages that shift."""
        if not slices:
            return False
        digest = blake2b(repr([(each.identifier, each.datestamp) for each in slices]).encode(), digest_size=16).digest()
        last = next(reversed(self.pages), b"")
        is_known = digest == last or (digest in self.pages and len(slices) > 1)
        self.pages[digest] = len(slices)
        return is_known

    # -- steps --

    def _ended(self, fetched: Fetched, answer: ListAnswer, end: ListEnd) -> Step:
        state = self.state
        doubts = [] if end is ListEnd.PROPER else [_SENTENCES[end]]
        if self._is_short():
            doubts.append(f"The source announced {state.announced} records and sent {state.received}.")
        elif state.announced is not None and state.received > state.announced:
            self.notes.append(f"The source announced {state.announced} records and sent {state.received}.")
        complete = state.complete if doubts or state.is_window else state.first
        rest = ListState(complete, is_verbatim=state.is_verbatim)
        self.state = state_of(state.paused)[0] if state.paused else rest
        return self._step(fetched, answer, end, tuple(doubts), of=state)

    def _step(
        self, fetched: Fetched, answer: ListAnswer, end: ListEnd, doubts: tuple[str, ...], of: ListState | None = None
    ) -> Step:
        state = of or self.state
        notes, self.notes = tuple(self.notes), []
        return Step(
            raw(self.options, self.cursor, "ListRecords", fetched, answer),
            answer.slices,
            replace(self.cursor, state=text_of(self.state)),
            state.received,
            (state.announced_first, state.announced),
            end,
            doubts,
            notes,
        )


# Why a list that ended so is not shown to be whole.
_SENTENCES = {
    ListEnd.TOKEN_REPEATED: "The source gave a resumptionToken it had given before, so the list would never end.",
    ListEnd.PAGE_REPEATED: "The source sent the same records again, so the list would never end.",
    ListEnd.EMPTY_PAGES: f"The source sent {_EMPTY_PAGES} empty pages in a row, each with a further resumptionToken.",
}
