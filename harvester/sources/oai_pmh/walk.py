"""One list while a run walks it: its state, what has failed in this run, and the steps that it yields.

Other modules ask with its `fetch` and set its state. `step` refuses a transition that `transitions.py` does not list.
What outlives the run is in `state` (`list_state.py`); everything else is forgotten with the run.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from heapq import nlargest

from gateway.core.errors import AnswerError, FetchError, GatewayError, NotOaiPmh, RemoteError
from gateway.core.model import Cursor, RawPage, Slice
from harvester.http.dates import DAY, moment_of
from harvester.http.messages import Fetch
from harvester.sources import Compared, ListEnd, Options, Step
from harvester.sources.budget import Places, Spender
from harvester.sources.oai_pmh.answers import IdentifyAnswer, ListAnswer, parse_identify
from harvester.sources.oai_pmh.date_ranges import Window, halves, window_of, windows_of
from harvester.sources.oai_pmh.list_state import ListState, Phase, state_of, text_of
from harvester.sources.oai_pmh.loop_detection import PageRecords, ReceivedRecords
from harvester.sources.oai_pmh.profile import with_entry
from harvester.sources.oai_pmh.requests import Server, granularity_of, plain_url
from harvester.sources.oai_pmh.transitions import begun, check_transition
from harvester.sources.repeated_requests import PATIENCE, fetch_answer, raw_page
from harvester.sources.seen import Seen

MOST_FAILURES = 40  # in a row; from fifty years to one second it is thirty-one

# How often a record of a list may come again in smaller windows at no cost, and how many records in any case.
_MOST_AGAIN, _LEAST_AGAIN = 4, 200
_MUCH_SLOWER, _SLOW_MS = 10, 5000  # DSpace#12980: from 89 ms at first to 12,988 ms at record 151,200


class Walk:
    """One list, from its first request of this run to its end.

    state         the list as the next step commits it
    safe          the list before the failures in a row began; a run that gives up goes back to it
    failures      requests in a row that failed
    in_vain       fallback steps of this run
    idle          answers in a row without a record, in windows
    singly_tries  0; 1: all was asked for record by record; 2: that failed, so smaller windows are asked for
    trouble       the last error that led to a fallback step
    fatal_error   the error that ends the run: there were too many failures
    compared      with how much of ListIdentifiers the list was compared; None: not yet
    named         the identifiers with which it was compared
    places        dates of some of its pages, at random
    newest        the greatest dates of the part, half as many as the largest page has records
    is_end_shown  a number of the names, or a question by date, shows the end of the list
    disputed      the identifiers that came as living and as deleted with one date
    there         the identifiers of the day on which the list began, as named at its beginning, where that was asked
    losses        what recovery lost of the answer in hand
    notes         sentences for the run log since the last step
    """

    def __init__(self, options: Options, cursor: Cursor, fetch: Fetch) -> None:
        self.options, self.cursor = options, cursor
        before, note = state_of(cursor.state or options.known)
        known = state_of(options.known)[0].profile
        self.state = with_entry(options.own, begun(options, before)).learning(
            is_verb_first=known.is_verb_first, formats_failed=known.formats_failed, sets_failed=known.sets_failed
        )
        self.fetch = Spender(fetch, options.budget, is_plain=self.state.profile.is_damaged)
        self.server = Server(options, cursor, self.fetch)
        self.notes = [note] if note else []
        self.losses: tuple[str, ...] = ()  # of the answer in hand
        self.received = ReceivedRecords(self._earlier(), self.state.position.token)
        if self.state.position.phase is not Phase.PAGES:
            self.received.recall()
            self.received.begin_part()
        self.failures = self.idle = self.in_vain = self.singly_tries = self.again = 0
        self.safe = self.state
        self._phase = self.state.position.phase  # that of the last step
        self.fatal_error: GatewayError | None = None
        self.compared: Compared | None = None
        self.is_end_shown = False
        self.there: frozenset[str] = frozenset()
        self._has_windows = False
        self.trouble: GatewayError = NotOaiPmh("The answers do not follow the protocol.")
        self.has_other_granularity = self.has_slowed = False
        self.named = Seen()
        self.places = Places(options.answers.chance)
        self.newest: list[str] = []
        self.disputed: dict[str, None] = {}
        self.identity: tuple[RawPage, IdentifyAnswer] | None = None

    # -- how a walk changes --

    def note(self, sentence: str) -> None:
        """Add a sentence to the run log."""
        self.notes.append(sentence)

    def fail(self, error: GatewayError | None = None) -> None:
        """Count a failure; with an error, a fallback step follows."""
        self.failures += 1
        if error is not None:
            self.in_vain += 1
            self.trouble = error

    def give_up(self, error: GatewayError, page: RawPage) -> Step:
        """Go back to where the failures began, so that the next run tries from there; `error` ends this run."""
        self.note(f"The source answers no other request either. This run ends here. {error}")
        self.state, self.fatal_error = self.safe, error
        return self.step(page)

    # -- what has come --

    def begin_part(self, state: ListState) -> None:
        """Take the state before a request without a token. Its records may have come before."""
        self.state, self.newest = state, []
        self.received.begin_part()

    def add_page(self, slices: tuple[Slice, ...], since: str, state: ListState) -> PageRecords:
        """Add a page to the received records; return which of it to keep, and how much is new.

        `state` has the order of the list with this page.
        """
        dates = [record.datestamp for record in slices]
        self.places.add(dates[-1] if dates else "")
        self.newest = nlargest(max(len(self.newest), (len(dates) + 1) // 2), [*self.newest, *dates])
        return self.received.add_page(slices, since, state.position.first, is_ordered=bool(state.position.ordered))

    def note_disputed(self, slices: tuple[Slice, ...]) -> None:
        """Remember records that came as living and as deleted with one date: each is asked for at the end."""
        self.disputed |= dict.fromkeys(record.identifier for record in slices)
        for day in (record.datestamp[: len(DAY)] for record in slices):
            before = windows_of(self.state.evidence.disputed) or (window_of(day, day),)
            here = window_of(min(day, before[0].from_), max(day, before[0].until[: len(DAY)]))
            self.state = self.state.noted(disputed=str(here))

    def add_single_record(self, identifier: str, slices: tuple[Slice, ...]) -> None:
        """Add a record that was asked for by its identifier; no slice: it is gone."""
        again = 0 if self.received.add_single(identifier, slices) else len(slices)
        evidence = self.state.evidence
        self.state = self.state.noted(received=evidence.received + len(slices), repeated=evidence.repeated + again)

    # -- what is known of it --

    def _earlier(self) -> Callable[[], Iterable[str]] | None:
        """Return a function that gives the identifiers of earlier runs of this list; None if they are not known."""
        if not self.state.position.is_begun:
            return tuple
        if self.options.arrived is None or not self.state.position.began:
            return None
        position = self.state.position
        is_of_windows = position.phase is Phase.CHECK and not position.whole.covers(position.here)
        return partial(self.options.arrived, self.cursor, 0 if is_of_windows else position.began)

    @property
    def is_behind_windows(self) -> bool:
        """Whether windows have brought what lies before the list, and were not compared with what is named."""
        is_new = self.options.is_behind_new or not self.state.position.complete
        return self.options.windows_from is not None and is_new and not self.state.position.is_window

    @property
    def whole(self) -> Window:
        """The dates of the whole list, those of the windows before it, too."""
        if not self.is_behind_windows:
            return self.state.position.whole
        return window_of(self.options.windows_from or "", "")._replace(until=self.state.position.whole.until)

    def recall_all(self) -> bool:
        """Remember what came in earlier runs and in windows; tell whether that can be done. The list has ended."""
        if not self.is_behind_windows:
            return self.received.recall()
        if self.options.arrived is None:
            return False
        if not self._has_windows:
            for identifier in self.options.arrived(self.cursor, 0):
                self.received.all.add(identifier)
        self._has_windows = True
        return True

    def size(self) -> int | None:
        """Return how many records were announced of what is being walked."""
        return self.state.evidence.part_announced if self.state.position.window else self.state.evidence.announced

    def is_past(self) -> bool:
        """Tell whether exactly as many records have come as were announced. More than that: the number is wrong."""
        return self._part == self.size()

    @property
    def _part(self) -> int:
        """How many records of the part have come; a tombstone beside its living record counts if the size is larger."""
        evidence = self.state.evidence
        return evidence.part + (evidence.part_twins if (self.size() or 0) > evidence.part else 0)

    def is_surely_past(self, slices: tuple[Slice, ...] = ()) -> bool:
        """Return whether the number was announced before so many records had come.

        The number of one page, or of all records so far, proves nothing.

        `slices` are what the last token has brought.
        """
        is_behind_first = not slices and self.received.tokens == {self.state.position.token}
        return self.is_past() and self.has_size() and not is_behind_first

    def doubt(self) -> None:
        """Let the check decide when the list has ended."""
        self.state = self.state.noted(is_doubted=True)

    def doubt_end(self) -> None:
        """Let the check decide when a list has ended that broke off."""
        self.state = self.state.noted(is_doubted=True, breaks_off=True)

    def has_size(self) -> bool:
        """Return whether a number was announced that may be that of the list: not of one page, or of all so far."""
        size, evidence = self.size(), self.state.evidence
        is_steady = bool(self.state.position.window) or evidence.announced == evidence.announced_first
        return size is not None and is_steady and evidence.part <= size

    def is_short(self) -> bool:
        """Tell whether fewer records have come than were announced."""
        size = self.size()
        return size is not None and self._part < size

    def granularity(self) -> str:
        """Return the granularity at which this server takes dates."""
        return granularity_of(self.options, self.state)

    def note_time(self, seconds: float, answer: ListAnswer) -> None:
        """Remember the least time that a page of records took, and tell once when the pages become much slower."""
        if not answer.slices or not seconds:
            return
        best = self.state.profile.best_page_ms
        took = max(1, round(1000 * seconds))
        self.state = self.state.learning(best_page_ms=min(best or took, took))
        if not self.has_slowed and took > max(_SLOW_MS, _MUCH_SLOWER * best) and best:
            self.has_slowed = True
            self.notes.append(
                f"A page took {took / 1000:.1f} seconds where the fastest took {best / 1000:.1f}; "
                "where each page is slower than the one before, `slice` in the entry of the source helps."
            )

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
        return halves(self.state.here, self.granularity(), *span(*self.identified(error, is_fresh=False)))

    def note_records(self, slices: Iterable[Slice], new: int, fresh: int) -> None:
        """Note records that came, so many of them new to the list, and so many to this part of it.

        What is new to the run, too, renews its budget. What comes again is not counted, up to a limit.
        """
        came = self.options.came
        if new and (came is None or any(record.identifier not in came for record in slices)):
            self.fetch.gained()
            self.options.optional.renew()
            return
        self.again += fresh
        least = 0 if self.options.is_part else _LEAST_AGAIN
        if self.again <= max(least, _MOST_AGAIN * len(self.received.all)):
            self.fetch.spare()

    @property
    def may_ask_no_more(self) -> bool:
        """Whether the budget is spent on windows that were not made because anything failed: then a check ends them."""
        is_well = not (self.in_vain or self.failures or self.state.position.phase is Phase.SINGLY)
        return bool(self.state.position.window) and is_well and self.fetch.is_spent

    def check_budget(self) -> None:
        """Raise what is wrong with the list when its fallback steps may cost no more; it is kept where it stands."""
        is_plain = self.state.position.phase is Phase.PAGES and not self.failures
        if is_plain or not self.fetch.is_spent:
            return
        kind = NotOaiPmh if isinstance(self.trouble, RemoteError) else type(self.trouble)
        raise kind(f"{self.trouble} {self.fetch.sentence}")

    def step(
        self,
        page: RawPage,
        slices: tuple[Slice, ...] = (),
        end: ListEnd = ListEnd.MORE,
        doubts: tuple[str, ...] = (),
        of: ListState | None = None,
    ) -> Step:
        """Return one answer as a step, with the notes since.

        Raise UnlistedTransition, a fault of this program, when the list must not be in its new state.
        """
        phase = self.state.position.phase if end is ListEnd.MORE else Phase.OVER
        check_transition(self._phase, phase)
        self._phase = phase
        if end is ListEnd.MORE and not self.state.position.began:
            self.state = self.state.moved(began=page.received_at)
        self.idle = 0 if slices or not self.state.position.window else self.idle + 1
        self._note_coding()
        if not self.failures:
            self.safe = self.state
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
            names=state.evidence.distinct if is_whole else len(self.named),
        )

    def _compared(self, state: ListState) -> Compared:
        """Return with how much of what is named a list that has ended was compared: with all only from its beginning.

        Behind new windows it was compared from their beginning on; a server that ignores dates names all each time.
        """
        if self.compared is not Compared.WHOLE:
            return self.compared or Compared.NOTHING
        is_shown = self.is_end_shown or state.evidence.is_as_announced or not state.evidence.received
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
        if self.fetch.is_plain and not self.state.profile.is_damaged:
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
