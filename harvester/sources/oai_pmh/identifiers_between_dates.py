"""Compare the identifiers of ListIdentifiers between two dates, answer by answer, with the records of a list."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

from gateway.core.errors import RemoteError, RemoteRefuses
from gateway.core.model import Slice
from gateway.core.xmltext import utc_datetime
from harvester.http.dates import DAY, SECONDS, moment_of
from harvester.sources.budget import Optional
from harvester.sources.oai_pmh.answers import ListAnswer, is_in
from harvester.sources.oai_pmh.date_ranges import Window
from harvester.sources.oai_pmh.list_identifiers import IdentifierPages
from harvester.sources.oai_pmh.list_run import ListRun
from harvester.sources.oai_pmh.requests import OF_EVERY_ITEM


class IdentifiersBetweenDates:
    """The identifiers in a window, read only as far as needed.

    `dated` is the window of the records that must have come; None: those of `window` until the list began.
    `deadline_seconds` is the time limit of each request. `pages` is what is known of their list. `answers` is the
    number of answers, `unseen_date` the datestamp of a record that has not come. `has_none`: the source has no
    ListIdentifiers, or it does not distinguish formats. `is_unknown`: it is not known what came in earlier runs.
    """

    def __init__(
        self, run: ListRun, window: Window, deadline_seconds: float | None = None, dated: Window | None = None
    ) -> None:
        self._run, self._window, self._dated = run, window, dated or until_begin(run, window)
        self._server = run.server
        if deadline_seconds:
            fetch = Optional(run.fetch, run.options.optional)
            self._server = replace(self._server, fetch=fetch, deadline_seconds=deadline_seconds)
        self._answers = self._asked()
        self.pages = IdentifierPages(self._server, run.state.moved(window=str(window)))
        self.answers = 0
        self.has_none = self.is_unknown = False
        self.unseen_date = ""

    @property
    def has_ended(self) -> bool:
        """Return whether there is nothing more to be read."""
        return not self.is_unknown and (self.has_none or self.pages.has_ended)

    def shows_end(self, full: int = 0) -> bool:
        """Return whether it has named all. `full` is the number of identifiers in full answers, if it is known."""
        if not full or self.has_none:
            return self.has_ended and not self.pages.breaks_off
        return self.has_ended and self.pages.shows_end(full)

    @property
    def count(self) -> int:
        """How many records were named so far."""
        return len(self.pages.identifiers)

    @property
    def announced(self) -> int:
        """How many records the source announces; at least as many as it has named."""
        return max(self.count, self.pages.announced or 0)

    def unseen(self, most: int) -> str:
        """Read at most so many further answers, until one names a record that has not come; return it, or empty.

        Raise the errors of a single request.
        """
        for answer in islice(self._answers, max(0, most)):
            self.answers += 1
            named = self._must_have_come(answer.slices)
            unseen = _unseen_of(self._run, named)
            if unseen:
                self.unseen_date = named[unseen].datestamp
                return unseen
            self.is_unknown = unseen is None
            if self.is_unknown:
                break
            for identifier in named:
                self._run.comparison.named.add(identifier)
        return ""

    def _must_have_come(self, slices: tuple[Slice, ...]) -> dict[str, Slice]:
        """Return the records of the list: of its dates and, where records name their sets, of its set.

        Of a living record and its tombstone, the living one is returned.
        """
        set_spec = self._run.cursor.set_spec if self._run.evidence.names_set else ""
        named: dict[str, Slice] = {}
        for record in slices:
            is_twin = record.is_deleted and record.identifier in named
            is_of_it = _is_dated(self._dated, record.datestamp) and (not set_spec or is_in(set_spec, record))
            if record.identifier and not is_twin and is_of_it:
                named[record.identifier] = record
        return named

    def _asked(self) -> Iterator[ListAnswer]:
        """Request every answer. If dates are refused in both granularities, there is none."""
        run = self._run
        state = run.state.moved(window=str(self._window))
        if state.profile.is_first_generation and run.cursor.metadata_prefix != OF_EVERY_ITEM:
            self.has_none = True  # it names the records of every format
            return
        other = SECONDS if run.granularity == DAY else DAY
        for variant in (state, state.learning(granularity=other)):
            self.pages = IdentifierPages(self._server, variant)
            try:
                yield from self.pages.answers()
            except RemoteRefuses:
                self.has_none = True
            except RemoteError as error:
                if "badArgument" in str(error) and not self.answers:
                    continue
                self.has_none = not self.answers
            return
        self.has_none = not any(self._window)


def _unseen_of(run: ListRun, named: Mapping[str, Slice]) -> str | None:
    """Return the first of these identifiers that has not come, empty for none; None where it is not known."""
    names = [identifier for identifier, record in named.items() if run.received.lacks(record)]
    if not names or (run.received.knows_all and not run.is_behind_windows):
        return names[0] if names else ""
    # Records of earlier runs, or of windows, are read from the store, because the inbox is slow.
    held = run.options.holdings.names(names, run.cursor.metadata_prefix)
    names = [name for name in names if name not in held]
    if not names:
        return ""
    if not run.recall_all():
        # A deleted record that was never stored has left no trace here.
        return next((name for name in names if not named[name].is_deleted), "") if held else None
    return next((name for name in names if run.received.lacks(named[name])), "")


def _is_dated(window: Window, datestamp: str) -> bool:
    """Return whether a record is dated in a window; one without a date that can be read may be."""
    moment = moment_of(datestamp)
    if moment is None:
        return True
    written = utc_datetime(moment)[: len(datestamp)]
    from_, until = window.from_[: len(written)], window.until[: len(written)]
    return from_ <= written and (not until or written <= until)


def until_begin(run: ListRun, window: Window) -> Window:
    """Return a window that ends when the list began: the next harvest brings what was added since."""
    return Window(window.from_, min(filter(None, (utc_datetime(run.position.first), window.until))))
