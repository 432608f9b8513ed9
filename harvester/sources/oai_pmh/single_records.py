"""Record by record: fetch what ListIdentifiers names and has not come, and decide whether the list is whole.

This comparison decides where the numbers of a source do not fit. It also finds records that no page of ListRecords had.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sized
from itertools import islice
from math import floor
from tempfile import TemporaryFile
from typing import IO

from gateway.core.errors import GatewayError, NoContent, NotOaiPmh
from gateway.core.model import RawPage, Slice
from gateway.core.xmltext import utc_datetime
from harvester.http.dates import moment_of
from harvester.sources import Compared, Step
from harvester.sources.budget import MOST_ANSWERS, Spender
from harvester.sources.oai_pmh.date_ranges import Window, is_outside, text_of_windows, windows_of
from harvester.sources.oai_pmh.identifiers_between_dates import IdentifiersBetweenDates
from harvester.sources.oai_pmh.list_identifiers import (
    LEAST_SHARE,
    LOOPS,
    Datestamps,
    IdentifierPages,
    IdentifiersBehindBreak,
    Parts,
    broken_off,
)
from harvester.sources.oai_pmh.list_run import MOST_FAILURES, ListRun
from harvester.sources.oai_pmh.list_state import ListState, Phase
from harvester.sources.oai_pmh.next_part import (
    complete_part,
    dispute_in,
    end_list,
    end_part,
    misfit_in_words,
    take_fallback,
)
from harvester.sources.oai_pmh.requests import Missing, Server, get_record, is_denied, unfetched
from harvester.sources.repeated_requests import PASSING
from harvester.sources.seen import Seen

MOST_GONE = 50  # records that came and are not named any more, each of which is asked for


def record_by_record(run: ListRun) -> Iterator[Step]:
    """Fetch the missing records one by one; the last step says what follows for the list.

    Raise as `take_fallback` does, and the errors of `asked` for a refused request.
    """
    with TemporaryFile() as waiting:
        listing = IdentifierList(run.server, run.fetch, run.state, waiting)
        listing.read(run.received.all, run.received.lacks)
        in_vain = 0
        for named in listing.missing():
            step = _record_step(run, listing, named)
            yield step
            in_vain = in_vain + 1 if any(record.problem for record in step.slices) else 0
            if in_vain == MOST_FAILURES:
                last = f"the last of them {named.identifier}."
                listing.fail(NotOaiPmh(f"GetRecord failed for {in_vain} records in a row, {last}"))
                break
        for identifier in islice(run.comparison.disputed, MOST_GONE):
            yield _record_step(run, listing, Missing(identifier, is_deleted=True))
        yield _after_listing(run, listing)


def _record_step(run: ListRun, listing: IdentifierList, named: Missing) -> Step:
    """Return a step with one record, or with the reason why it could not be fetched.

    A record that is not named at its date any more has been deleted in the meantime.
    """
    run.check_budget()
    identifier = named.identifier
    try:
        page, slices, losses = get_record(run.server, run.state, named)
        run.losses = losses
    except PASSING as error:
        run.failures.trouble = error
        proof, _ = run.identified(error, is_fresh=True)
        page, slices = unfetched(proof, run.server.record_url(run.state, identifier), identifier, error)
    if any(not record.problem for record in slices):
        run.note_records(slices, 1, 1)
    elif slices and is_denied(page) and _is_gone(listing, named):
        run.note(f"{identifier} was named, and is gone by now: it is not named any more, and not known.")
        slices = ()
    again = 0 if run.received.add_single(identifier, slices) else len(slices)
    evidence = run.evidence
    run.state = run.state.noted(received=evidence.received + len(slices), repeated=evidence.repeated + again)
    return run.step(page, slices)


def _is_gone(listing: IdentifierList, named: Missing) -> bool:
    """Return whether a record that GetRecord does not know is not named at its date any more, either."""
    if named.dated is None or not listing.is_in_parts:
        return False
    dated = utc_datetime(named.dated)
    try:
        return not listing.parts.names(Window(dated, dated), named.identifier)
    except PASSING:
        return False


def _after_listing(run: ListRun, listing: IdentifierList) -> Step:
    """Return the step after a list of identifiers, which decides whether its window is whole."""
    page = listing.pages.page or run.identified(listing.trouble, is_fresh=True)[0]
    run.note(
        f"ListIdentifiers names {listing.count} records {run.state.here.in_words}; {listing.missing_count} of them "
        "had not come and were asked for one by one."
    )
    if listing.is_in_parts:
        why = "It breaks off" if listing.pages.breaks_off else "Records changed in the meantime"
        parts = f"{listing.parts.number} parts, each of which is shown to be whole"
        run.note(f"{why}, so ListIdentifiers was read once more in {parts}.")
        if listing.came > listing.count:
            listing.came -= _count_gone(run, listing)
    if run.position.phase is Phase.CHECK:
        return _end_check(run, listing, page)
    if listing.is_outside:
        run.note("The source ignores from and until, so its list has all records.")
        run.state = run.state.moved(window="", windows="").learning(ignores_dates=True)
    if listing.is_whole and not run.position.window:
        if doubt := _doubt_about_end(run, listing):
            return end_list(run, page, (), (doubt,))
        run.comparison.compared = Compared.WHOLE
    elif listing.is_whole and listing.beyond != run.state.here and (doubt := _doubt_about_end(run, listing)):
        run.note(doubt)
        run.doubt()
    if listing.is_whole or (listing.has_ended and run.position.window):
        run.state = run.state.noted(is_doubted=run.evidence.is_doubted or not listing.is_whole)
        return complete_part(run, page)
    run.note(str(listing.trouble))
    return _leave_window(run, listing.trouble, page)


def _count_gone(run: ListRun, listing: IdentifierList) -> int:
    """Return how many records came that are deleted or changed by now: not named, and asked for by GetRecord.

    Return 0 where they are too many to be asked for, or where one of them is there unchanged.
    """
    came = run.options.arrived(run.cursor, run.position.began) if run.options.arrived else ()
    unnamed = list(islice(dict.fromkeys(name for name in came if name not in listing.named), MOST_GONE + 1))
    if len(unnamed) > MOST_GONE:
        return 0
    for identifier in unnamed:
        try:
            page, slices, _ = get_record(run.server, run.state, Missing(identifier, False))
        except PASSING:
            return 0
        changed = (record.is_deleted or (moment_of(record.datestamp) or 0) > listing.parts.last for record in slices)
        if not is_denied(page) and not any(changed):
            return 0
    run.note(f"Records that came and are gone or changed by now: {len(unnamed)}.")
    return len(unnamed)


def _doubt_about_end(run: ListRun, listing: IdentifierList) -> str:
    """Return the reason to doubt the end of a list of identifiers that named missing records; empty for none.

    Where no number is announced, a list that was cut looks like a whole one. So the dates from its last identifier on
    are asked for once more, also where one answer names just what came of a doubted list. Where that shows nothing,
    identifiers in one answer are no proof for a list that broke off, if they are more than came. A list that was read
    in parts was asked for by its dates already.
    """
    state, beyond = run.state, listing.beyond
    is_open = (
        not state.evidence.is_as_announced
        if listing.missing_count
        else state.evidence.is_doubted and listing.count and listing.answers == 1
    )
    is_shown = listing.keeps_its_number or listing.is_in_parts or listing.is_end_shown
    if not is_open or is_shown or state.profile.is_first_generation:
        return ""
    unseen, is_end = "", False
    if beyond and not state.profile.ignores_dates:
        names = IdentifiersBetweenDates(run, beyond)
        try:
            unseen = names.unseen(MOST_ANSWERS)
        except PASSING as error:
            run.note(f"ListIdentifiers could not be asked for what is dated {beyond.in_words}. {error}")
        is_end = 0 < names.count < listing.count  # as many: it may not look at dates
    if beyond and unseen:
        return f"ListIdentifiers names {unseen} {beyond.in_words}, and does not name it {state.here.in_words}."
    is_broken = state.evidence.has_pages and (
        state.evidence.is_doubted or bool(state.position.certain) or bool(state.position.restarts)
    )
    is_part = bool(state.position.window) and not (state.evidence.breaks_off or state.evidence.is_unread)
    is_explained = not (listing.missing_count or state.evidence.is_unread)
    if is_end or listing.answers > 1 or not is_broken or is_explained or is_part:
        return ""
    return f"Nothing shows that the {listing.count} records that ListIdentifiers names in one answer are all."


def _leave_window(run: ListRun, error: GatewayError, page: RawPage) -> Step:
    """Leave a window that cannot be harvested in any way, and remember it."""
    run.failures.in_a_row += 1
    state = run.state
    if not (state.evidence.received or state.position.window):
        run.failures.safe = run.failures.safe.restarted()
        if run.failures.singly_tries == 1 and not isinstance(error, NoContent):
            run.failures.singly_tries += 1  # even the names of all may be too much for one answer
            return take_fallback(run, error, page)
    if not state.evidence.received or (state.position.window and run.failures.in_a_row > MOST_FAILURES):
        return run.give_up(error, page)
    if not state.position.window:
        return end_list(run, page, (), (str(error),))
    run.state = state.moved(left=text_of_windows(*windows_of(state.position.left), state.here)).noted(has_gaps=True)
    return end_part(run, page)


def _end_check(run: ListRun, listing: IdentifierList, page: RawPage) -> Step:
    """End a list as its identifiers decide; where they are not whole themselves, walk it in windows first."""
    state = run.state
    disputed, dispute = len(run.comparison.disputed), dispute_in(state)
    if dispute and not 0 < disputed <= MOST_GONE:
        doubt = f"Records came as living and as deleted with one date, and {disputed} of them are too many to ask for."
        return end_list(run, page, (), (doubt,))
    if dispute == state.here != run.whole:
        run.note(f"GetRecord decided which of them are living: {disputed}.")
        return end_list(run, page, (), ())
    if listing.is_whole and state.here == run.whole:
        run.comparison.compared = Compared.WHOLE
        shows = listing.keeps_its_number or listing.is_end_shown or listing.is_in_parts
        run.comparison.is_end_shown = shows or run.comparison.is_end_shown
    tolerance = run.options.announced_tolerance
    is_kept = listing.keeps_its_number or listing.has_entries(state.evidence.promised)
    # Windows, each of which brought exactly what it announced, overrule the number of the list.
    is_in_windows = state.position.is_sliced and not state.profile.ignores_dates and state.evidence.distinct > 0
    are_kept = is_in_windows and not (state.evidence.unsized or state.evidence.has_gaps)
    is_overruled = not state.evidence.is_short(tolerance) or is_kept or are_kept
    if listing.is_whole and is_overruled:
        doubt = _doubt_about_end(run, listing)
        run.comparison.compared = Compared.PART if doubt else run.comparison.compared
        return end_list(run, page, (), (doubt,) if doubt else ())
    uncounted = f"ListIdentifiers names {listing.count} as well, but does not announce that number itself."
    trouble = uncounted if listing.is_whole else str(listing.trouble)
    parts = run.halves(listing.trouble) if state.evidence.is_short(tolerance) else None
    if parts and not (state.position.is_sliced or state.evidence.in_windows or state.profile.ignores_dates):
        run.note(f"{trouble} The list is asked for in windows.")
        run.begin_part(state.moved(is_sliced=True).in_window(*parts))
        return run.step(page)
    return end_list(run, page, (), (misfit_in_words(state), trouble))


_LIVE, _DELETED = b" ", b"-"


class IdentifierList:
    """The identifiers of a window. Those of missing records wait in a temporary file.

    `named` are the different identifiers, of `came` records at least that came of the window. `trouble` is the reason
    why the list is not known to be whole. `is_in_parts`: it was read in parts, each of which was shown to be whole.
    `is_end_shown`: it broke off, and a question by date shows that this was its end. `is_outside`: an identifier is
    dated more than a day outside of the window.
    """

    def __init__(self, server: Server, fetch: Spender, state: ListState, waiting: IO[bytes]) -> None:
        self._fetch, self._state, self._waiting = fetch, state, waiting
        self._tolerance = server.options.announced_tolerance
        self._lacks: Callable[[Slice], bool] = lambda _named: True
        self.named, self._wanted, self._deleted, self._twins = Seen(), Seen(), Seen(), Seen()
        self.came = self.answers = self.missing_count = 0
        self.pages = IdentifierPages(server, state)
        self._dated = Datestamps()
        self.parts = Parts(server, fetch, state, self._dated, self._note)
        self.is_in_parts = self.is_end_shown = self.has_ended = self.is_outside = False
        self.trouble: GatewayError = NotOaiPmh("ListIdentifiers was not asked.")

    @property
    def announced(self) -> int:
        """How many records the source announces; 0: none."""
        return (self.parts.announced if self.is_in_parts else self.pages.announced) or 0

    @property
    def count(self) -> int:
        """How many different records were named."""
        return len(self.named)

    @property
    def beyond(self) -> Window | None:
        """The dates from that of the last identifier on; None where the order of the dates is not known."""
        first, last = self.pages.order.first, self.pages.order.last
        if first is None or last is None:
            return None
        here = self._state.here
        return Window(utc_datetime(last), here.until) if first <= last else Window(here.from_, utc_datetime(last))

    @property
    def expected(self) -> int:
        """How many it must name at least: as many as it announces, and as many as came of its window."""
        twins = self.pages.twins if self.announced > self.count else 0
        return max(self.announced - floor(self.announced * self._tolerance) - twins, self.came)

    @property
    def keeps_its_number(self) -> bool:
        """Return whether it names exactly as many as it announces. Such a count needs no further proof."""
        is_kept = self.parts.keeps_its_number if self.is_in_parts else self.pages.names(self.pages.announced)
        return self.is_whole and is_kept and not self.pages.breaks_off

    def has_entries(self, number: int) -> bool:
        """Return whether it has so many entries, where some records are named as living and as deleted."""
        return number == self.count + len(self._twins) > self.count

    @property
    def breaks_off(self) -> bool:
        """Return whether it broke off, and nothing else shows that it is all."""
        return self.pages.breaks_off and not (self.is_end_shown or self.is_in_parts)

    @property
    def _has_slipped(self) -> bool:
        """Return whether records changed meanwhile, so that others may be missing from its pages."""
        return self.pages.has_slipped and not self.is_in_parts

    @property
    def is_whole(self) -> bool:
        """Return whether it ended properly, did not change, and names as many records as are expected."""
        return self.has_ended and not (self._has_slipped or self.breaks_off) and self.count >= self.expected

    def fail(self, trouble: GatewayError) -> None:
        """Note that it does not show what is missing."""
        self.has_ended, self.trouble = False, trouble

    def read(self, seen: Seen, lacks: Callable[[Slice], bool]) -> None:
        """Read every page, and note what `lacks` says has not come; `seen` are the identifiers that came.

        A record that comes twice with two dates has moved to the end meanwhile. If pages are counted by offset, another
        record has then moved to a page that was read before. So the list is read again in parts, also if too few
        records are named. A list that broke off is asked for from its last date on, and in parts if that shows nothing.
        """
        self._lacks = lacks
        self.came = _came_at_least(self._state, seen)
        try:
            self._read_pages()
            self._read_rest()
            if self.has_ended and not self.is_whole and self._may_have_changed:
                self.is_in_parts = self.parts.read()
        except PASSING as error:
            self.fail(NotOaiPmh(f"{broken_off(self.count)} {error}") if self.breaks_off else error)
        if self.has_ended and self.breaks_off:
            self.trouble = NotOaiPmh(broken_off(self.count))
        elif self.has_ended and self._has_slipped:
            self.trouble = NotOaiPmh("Records changed while ListIdentifiers was read, and no part of it stood still.")
        elif self.has_ended and self.came and not self.count:
            self.trouble = NotOaiPmh(f"ListIdentifiers names nothing {self._state.here.in_words}, where records came.")
        elif self.has_ended and not self.is_whole:
            self.trouble = NotOaiPmh(f"ListIdentifiers names {self.count} records, where there are {self.expected}.")

    @property
    def _may_have_changed(self) -> bool:
        """Return whether changes in the meantime may explain the difference, so that reading in parts helps.

        They do not explain a number that is much too high. A list that breaks off may be read in parts in any case.
        """
        is_near = self.count >= LEAST_SHARE * max(self.announced, self.came)
        is_cut = self._state.position.is_sliced and self.count < self.came  # windows brought what its list hides
        return (is_near or is_cut or self.breaks_off) and self.parts.can_be_read

    def missing(self) -> Iterator[Missing]:
        """Return the missing records, in the order in which they were named."""
        self._waiting.seek(0)
        for line in self._waiting:
            dated, _, name = line[1:].rstrip(b"\n").partition(b" ")
            moment = moment_of(dated.decode()) if dated else None
            identifier = name.decode("utf-8", "surrogatepass")
            yield Missing(identifier, line[:1] == _DELETED and identifier not in self._twins, moment)

    def _read_pages(self) -> None:
        for answer in self.pages.answers():
            self._fetch.spare()
            if answer.losses:
                raise NotOaiPmh(f"ListIdentifiers: {answer.losses[0]}")
            self.answers += 1
            self.is_outside = self.is_outside or is_outside(self._state.here, answer.slices)
            self._dated.add(answer.slices)
            self._note(answer.slices)
        self.has_ended = self.pages.has_ended
        if self.pages.loops:
            self.trouble = NotOaiPmh(LOOPS)

    def _read_rest(self) -> None:
        """Ask for what is named from its last date on, if no number shows the end."""
        if self.pages.is_open and self.parts.can_take_dates:
            rest = IdentifiersBehindBreak(self.pages, self._state.here, self.parts.pages)
            for answer in rest.answers():
                self._fetch.spare()
                self._note(answer.slices)
            self.is_end_shown = rest.is_end_shown

    def _note(self, slices: tuple[Slice, ...]) -> None:
        for record in slices:
            if not record.identifier:
                continue
            was_deleted = record.identifier in self._deleted
            if not self.named.add(record.identifier) and was_deleted != record.is_deleted:
                self._twins.add(record.identifier)
            if record.is_deleted:
                self._deleted.add(record.identifier)
            if self._lacks(record) and self._wanted.add(record.identifier):
                name = record.identifier.replace("\n", " ").encode("utf-8", "surrogatepass")
                moment = moment_of(record.datestamp)
                dated = b"" if moment is None else utc_datetime(moment).encode()
                self._waiting.write(b"%b%b %b\n" % (_DELETED if record.is_deleted else _LIVE, dated, name))
                self.missing_count += 1


def _came_at_least(state: ListState, seen: Sized) -> int:
    """Return how many records are known to have come of a window. For a part of a list, this is at most 1."""
    if state.position.phase is not Phase.CHECK:
        begins_at_one = state.position.certain and state.position.certain == state.here.from_
        return 1 if state.part.count or begins_at_one else 0
    if state.here == state.position.whole:
        return min(len(seen), state.evidence.distinct)
    return min(1, state.evidence.distinct if state.position.whole.covers(state.here) else len(seen))
