"""One list in one run: its committed state, what has come of it, and the steps that its strategies yield.

What outlives the run is in `state` (`list_state.py`), and is committed with every answer. So a killed harvest continues
in the same strategy. Everything else is forgotten with the run.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from heapq import nlargest
from urllib.parse import parse_qsl, urlsplit

from gateway.core.errors import AnswerError, ConfigurationError, FetchError, GatewayError, NotOaiPmh, RemoteError
from gateway.core.model import Cursor, RawPage, Slice
from harvester.http.dates import DAY, moment_of, written
from harvester.http.messages import Fetch
from harvester.sources import Compared, ListEnd, Options, Step
from harvester.sources.budget import Places, Spender
from harvester.sources.oai_pmh.answers import IdentifyAnswer, parse_identify
from harvester.sources.oai_pmh.date_ranges import Window, halves, window_of
from harvester.sources.oai_pmh.list_state import (
    Dates,
    Evidence,
    ListState,
    Part,
    Phase,
    Position,
    Profile,
    state_of,
    text_of,
)
from harvester.sources.oai_pmh.loop_detection import ReceivedRecords
from harvester.sources.oai_pmh.profile import with_entry
from harvester.sources.oai_pmh.requests import Server, granularity_of, plain_url
from harvester.sources.repeated_requests import PATIENCE, fetch_answer, raw_page
from harvester.sources.seen import Seen

MOST_FAILURES = 40  # in a row; from fifty years to one second it is thirty-one

# How often a record of a list may come again in smaller windows at no cost, and how many records in any case.
_MOST_AGAIN, _LEAST_AGAIN = 4, 200


@dataclass(slots=True)
class Failures:
    """What has failed in this run, and which fallback steps it led to.

    `safe` is the list before the failures in a row began; a run that gives up goes back to it. `in_vain` are the
    fallback steps of this run, `idle` the answers in a row without a record, in windows. `singly_tries` is 1 when all
    was asked for record by record, and 2 when that failed, so that smaller windows are asked for. `again` are the
    records that came again in smaller windows. `trouble` is the last error that led to a fallback step, `fatal` the one
    that ends the run: there were too many failures.
    """

    safe: ListState
    in_a_row: int = 0
    in_vain: int = 0
    idle: int = 0
    singly_tries: int = 0
    again: int = 0
    trouble: GatewayError = field(default_factory=lambda: NotOaiPmh("The answers do not follow the protocol."))
    fatal: GatewayError | None = None

    def add(self, error: GatewayError) -> None:
        """Count a failure that a fallback step follows."""
        self.in_a_row += 1
        self.in_vain += 1
        self.trouble = error


@dataclass(slots=True)
class Comparison:
    """With what the list was compared in this run.

    `compared` is how much of ListIdentifiers; None: not yet. `named` are the identifiers with which it was compared.
    `is_end_shown`: a number of the names, or a question by date, shows the end of the list. `places` are dates of some
    of its pages, at random; `newest` the greatest dates of the part, half as many as the largest page has records.
    `disputed` are the identifiers that came as living and as deleted with one date. `has_windows`: the records of the
    windows before the list are among the received ones.
    """

    places: Places
    compared: Compared | None = None
    named: Seen = field(default_factory=Seen)
    is_end_shown: bool = False
    newest: list[str] = field(default_factory=list)
    disputed: dict[str, None] = field(default_factory=dict)
    has_windows: bool = False

    def add_dates(self, dates: list[str]) -> None:
        """Add the dates of a page."""
        self.places.add(dates[-1] if dates else "")
        self.newest = nlargest(max(len(self.newest), (len(dates) + 1) // 2), [*self.newest, *dates])


@dataclass(slots=True)
class Pages:
    """What the pages of ListRecords have shown in this run.

    `has_slowed`: they became much slower. `has_other_granularity`: dates were sent in the other granularity. `there`
    are the identifiers of the day on which the list began, as named at its beginning, where that was asked.
    """

    has_slowed: bool = False
    has_other_granularity: bool = False
    there: frozenset[str] = frozenset()


class ListRun:
    """One list, from its first request of this run to its end.

    `state` is the list as the next step commits it, `losses` what recovery lost of the answer in hand, and `notes` are
    sentences for the run log since the last step.
    """

    def __init__(self, options: Options, cursor: Cursor, fetch: Fetch) -> None:
        self.options, self.cursor = options, cursor
        before, note = state_of(cursor.state or options.known)
        known = state_of(options.known)[0].profile
        self.state = with_entry(options.own, begun(options, before)).learning(
            is_verb_first=known.is_verb_first, formats_failed=known.formats_failed, sets_failed=known.sets_failed
        )
        self.fetch = Spender(fetch, options.budget, is_plain=self.profile.is_damaged)
        self.server = Server(options, cursor, self.fetch)
        self.notes = [note] if note else []
        self.losses: tuple[str, ...] = ()
        self.received = ReceivedRecords(self._earlier(), self.position.token)
        if self.position.phase is not Phase.PAGES:
            self.received.recall()
            self.received.begin_part()
        self.failures = Failures(self.state)
        self.comparison = Comparison(Places(options.answers.chance))
        self.pages = Pages()
        self.identity: tuple[RawPage, IdentifyAnswer] | None = None

    # -- how it changes --

    def note(self, sentence: str) -> None:
        """Add a sentence to the run log."""
        self.notes.append(sentence)

    def give_up(self, error: GatewayError, page: RawPage) -> Step:
        """Go back to where the failures began, so that the next run tries from there; `error` ends this run."""
        self.note(f"The source answers no other request either. This run ends here. {error}")
        self.state, self.failures.fatal = self.failures.safe, error
        return self.step(page)

    # -- what has come --

    def begin_part(self, state: ListState) -> None:
        """Take the state before a request without a token. Its records may have come before."""
        self.state, self.comparison.newest = state, []
        self.received.begin_part()

    # -- what is known of it --

    def _earlier(self) -> Callable[[], Iterable[str]] | None:
        """Return a function that gives the identifiers of earlier runs of this list; None if they are not known."""
        if not self.position.is_begun:
            return tuple
        if self.options.arrived is None or not self.position.began:
            return None
        position = self.position
        is_of_windows = position.phase is Phase.CHECK and not position.whole.covers(position.here)
        return partial(self.options.arrived, self.cursor, 0 if is_of_windows else position.began)

    @property
    def is_behind_windows(self) -> bool:
        """Whether windows have brought what lies before the list, and were not compared with what is named."""
        is_new = self.options.is_behind_new or not self.position.complete
        return self.options.windows_from is not None and is_new and not self.position.is_window

    @property
    def whole(self) -> Window:
        """The dates of the whole list, those of the windows before it, too."""
        if not self.is_behind_windows:
            return self.position.whole
        return window_of(self.options.windows_from or "", "")._replace(until=self.position.whole.until)

    def recall_all(self) -> bool:
        """Remember what came in earlier runs and in windows; tell whether that can be done. The list has ended."""
        if not self.is_behind_windows:
            return self.received.recall()
        if self.options.arrived is None:
            return False
        if not self.comparison.has_windows:
            for identifier in self.options.arrived(self.cursor, 0):
                self.received.all.add(identifier)
        self.comparison.has_windows = True
        return True

    @property
    def position(self) -> Position:
        """Where the list stands."""
        return self.state.position

    @property
    def evidence(self) -> Evidence:
        """What speaks for and against its completeness."""
        return self.state.evidence

    @property
    def part(self) -> Part:
        """What has come since the last request without a token."""
        return self.state.part

    @property
    def profile(self) -> Profile:
        """What is known of the server."""
        return self.state.profile

    @property
    def granularity(self) -> str:
        """The granularity in which this server takes dates."""
        return granularity_of(self.options, self.state)

    def doubt(self) -> None:
        """Let the check decide when the list has ended."""
        self.state = self.state.noted(is_doubted=True)

    def doubt_end(self) -> None:
        """Let the check decide when a list has ended that broke off."""
        self.state = self.state.noted(is_doubted=True, breaks_off=True)

    def identified(self, error: GatewayError, *, is_fresh: bool) -> tuple[RawPage, IdentifyAnswer]:
        """Return what the source says it is. Raise `error` when it does not answer even that."""
        if self.identity is None or is_fresh:
            url = plain_url(self.options, self.state, "Identify")
            try:
                fetched, identity = fetch_answer(self.options, self.fetch, url, parse_identify, patience=PATIENCE)
            except (AnswerError, FetchError) as dead:
                raise error from dead
            self.identity = raw_page(self.options, self.cursor, "Identify", fetched), identity
        return self.identity

    def halves(self, error: GatewayError) -> tuple[Window, Window] | None:
        """Return the two halves of the window that is being walked, None when it is but one day or second.

        Raise as `identified` does.
        """
        return halves(self.state.here, self.granularity, *span(*self.identified(error, is_fresh=False)))

    def note_records(self, slices: Iterable[Slice], new: int, fresh: int) -> None:
        """Note records that came, so many of them new to the list, and so many to this part of it.

        What is new to the run, too, renews its budget. What comes again is not counted, up to a limit.
        """
        came = self.options.came
        if new and (came is None or any(record.identifier not in came for record in slices)):
            self.fetch.gained()
            self.options.optional.renew()
            return
        self.failures.again += fresh
        least = 0 if self.options.is_part else _LEAST_AGAIN
        if self.failures.again <= max(least, _MOST_AGAIN * len(self.received.all)):
            self.fetch.spare()

    @property
    def may_ask_no_more(self) -> bool:
        """Whether the budget is spent on windows that were not made because anything failed: then a check ends them."""
        is_well = not (self.failures.in_vain or self.failures.in_a_row or self.position.phase is Phase.SINGLY)
        return bool(self.position.window) and is_well and self.fetch.is_spent

    def check_budget(self) -> None:
        """Raise what is wrong with the list when its fallback steps may cost no more; it is kept where it stands."""
        is_plain = self.position.phase is Phase.PAGES and not self.failures.in_a_row
        if is_plain or not self.fetch.is_spent:
            return
        trouble = self.failures.trouble
        kind = NotOaiPmh if isinstance(trouble, RemoteError) else type(trouble)
        raise kind(f"{trouble} {self.fetch.sentence}")

    def step(
        self,
        page: RawPage,
        slices: tuple[Slice, ...] = (),
        end: ListEnd = ListEnd.MORE,
        doubts: tuple[str, ...] = (),
        of: ListState | None = None,
    ) -> Step:
        """Return one answer as a step, with the notes since."""
        if end is ListEnd.MORE and not self.position.began:
            self.state = self.state.moved(began=page.received_at)
        self.failures.idle = 0 if slices or not self.position.window else self.failures.idle + 1
        self._note_coding()
        if not self.failures.in_a_row:
            self.failures.safe = self.state
        state = of or self.state
        notes, self.notes = tuple(self.notes), []
        losses, self.losses = self.losses, ()
        compared = None if end is ListEnd.MORE else self._compared(state)
        is_whole = compared in (Compared.NAMES, Compared.CHANGES, Compared.WHOLE)
        return Step(
            page,
            slices,
            replace(self.cursor, state=text_of(self.state)),
            state.evidence.received,
            _of_the_list(state),
            end,
            doubts,
            notes,
            losses,
            compared,
            names=state.evidence.distinct if is_whole else len(self.comparison.named),
        )

    def _compared(self, state: ListState) -> Compared:
        """Return with how much of what is named a list that has ended was compared: with all only from its beginning.

        Behind new windows it was compared from their beginning on; a server that ignores dates names all each time.
        """
        if self.comparison.compared is not Compared.WHOLE:
            return self.comparison.compared or Compared.NOTHING
        is_shown = self.comparison.is_end_shown or state.evidence.is_as_announced or not state.evidence.received
        whole = Compared.WHOLE if is_shown else Compared.NAMES
        if self.options.windows_from is not None:
            is_all = self.options.is_behind_new or not state.position.complete
        else:
            is_all = (moment_of(state.position.whole.from_) or 0) <= (moment_of(self.options.from_) or 0)
        is_all = state.profile.ignores_dates or (is_all and not state.position.is_window)
        return whole if is_all else Compared.CHANGES

    def _note_coding(self) -> None:
        """Remember what was seen of the encodings of answers."""
        self.notes += self.fetch.new_notes()
        if self.fetch.is_plain and not self.profile.is_damaged:
            self.notes.append("Its compressed answers are damaged; from here on it is asked for none.")
            self.state = self.state.learning(is_damaged=True)


def _of_the_list(state: ListState) -> tuple[int | None, int | None]:
    """Return how many records were announced, first and last, without those that came in windows before the list."""
    announced = state.evidence.announced_first, state.evidence.announced
    first, last = (None if size is None else max(0, size - state.evidence.in_windows) for size in announced)
    return first, last


def span(page: RawPage, identity: IdentifyAnswer) -> tuple[int, int]:
    """Return the earliest and the latest second that a record may be dated."""
    return moment_of(identity.earliest_datestamp) or 0, moment_of(identity.response_date) or page.received_at


# --- Which list is walked, the one in progress or a new one, and between which dates ---------------------------------


def begun(options: Options, state: ListState) -> ListState:
    """Return the list to run: the one in progress if it is the one that is wanted, else a new one.

    Raise ConfigurationError when the dates to harvest are wrong.
    """
    is_window, (from_, until) = options.window is not None, _dates(options)
    if state.position.is_window and not is_window:
        state = state_of(state.position.paused)[0] if state.position.paused else state.at_rest()
    if state.position.is_begun and _has_dates(state) and _is_wanted(options, state, Window(from_, until)):
        return state
    if is_window:
        paused = state.position.paused or (
            text_of(state) if state.position.is_begun and not state.position.is_window else ""
        )
        return state.at_rest().moved(from_=from_, until=until, is_window=True, paused=paused)
    state = state.within(from_)
    if state.position.complete:
        since = written(state.position.complete - options.overlap_seconds, options.granularity or DAY)
        # A `from` later than `until` is no legal request.
        from_ = max(from_, min(since, until) if until else since)
    return state.at_rest().moved(from_=from_, until=until)


def begins_anew(text: str) -> bool:
    """Return whether the list with this state begins with all records: it has not begun, and none was complete before.

    A server that refuses or ignores dates sends all records each time.
    """
    state, _ = state_of(text)
    has_no_dates = state.profile.dates == Dates.REFUSED or state.profile.ignores_dates
    return not state.position.is_begun and (not state.position.complete or has_no_dates)


def asks_for_all(page: RawPage) -> bool:
    """Return whether a page answers a request for the whole list: one without `from` and without a token."""
    given = dict(parse_qsl(urlsplit(page.url).query))
    return page.verb == "ListRecords" and not given.keys() & {"from", "resumptionToken"}


def _dates(options: Options) -> Window:
    """Return the dates to ask for, in the granularity of the source. Raise ConfigurationError for wrong ones."""
    from_, until = options.bounds(options.granularity or DAY)
    if until and from_ > until:
        raise ConfigurationError(f"Nothing is dated from {from_} until {until}: from is later than until.")
    return Window(from_, until)


def _is_wanted(options: Options, state: ListState, wanted: Window) -> bool:
    """Return whether the list in progress brings what is wanted: this window, or all that the entry now asks for."""
    if options.window is not None:
        return state.position.is_window and (state.position.from_, state.position.until) == wanted
    is_to_its_end = window_of("", state.position.until).covers(window_of("", wanted.until))
    return state.position.reaches(wanted.from_) and is_to_its_end


def _has_dates(state: ListState) -> bool:
    """Return whether the dates of a list in progress can be read; a cursor may have been edited."""
    try:
        return bool(state.position.whole)
    except ValueError:
        return False
