"""Compare the identifiers of ListIdentifiers between two dates, answer by answer, with the records of a list."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

from gateway.core.errors import RemoteError, RemoteRefuses
from gateway.core.model import Slice
from gateway.core.xmltext import utc_datetime
from harvester.http.dates import DAY, SECONDS, moment_of
from harvester.sources.budget import Optional
from harvester.sources.oai_pmh.answers import ListAnswer
from harvester.sources.oai_pmh.date_ranges import Window
from harvester.sources.oai_pmh.list_identifiers import OF_EVERY_ITEM, IdentifierPages
from harvester.sources.oai_pmh.observations import is_in
from harvester.sources.oai_pmh.walk import Walk


class IdentifiersBetweenDates:
    """The identifiers in a window, read only as far as needed.

    `dated` is the window of the records that must have come. `deadline_seconds` is the time limit of each request.
    `pages` is what is known of their list. `answers` is the number of answers, `unseen_date` the datestamp of a record
    that has not come. `has_none`: the source has no ListIdentifiers, or it does not distinguish formats. `is_unknown`:
    it is not known what came in earlier runs.
    """

    def __init__(self, walk: Walk, window: Window, dated: Window, deadline_seconds: float | None = None) -> None:
        self._walk, self._window, self._dated = walk, window, dated
        self._server = walk.server
        if deadline_seconds:
            fetch = Optional(walk.fetch, walk.options.optional)
            self._server = replace(self._server, fetch=fetch, deadline_seconds=deadline_seconds)
        self._answers = self._asked()
        self.pages = IdentifierPages(self._server, walk.state.moved(window=str(window)))
        self.answers = 0
        self.has_none = self.is_unknown = False
        self.unseen_date = ""

    @property
    def has_ended(self) -> bool:
        """Return whether there is nothing more to be read."""
        return not self.is_unknown and (self.has_none or self.pages.has_ended)

    @property
    def keeps_its_number(self) -> bool:
        """Return whether it has named exactly as many records as it announces."""
        return self.pages.has_ended and self.pages.names(self.pages.announced)

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
            named: dict[str, Slice] = {}
            for record in answer.slices:
                is_twin = record.is_deleted and record.identifier in named
                if record.identifier and not is_twin and self._must_have_come(record):
                    named[record.identifier] = record
            unseen = unseen_of(self._walk, named)
            if unseen:
                self.unseen_date = named[unseen].datestamp
                return unseen
            self.is_unknown = unseen is None
            if self.is_unknown:
                break
            for identifier in named:
                self._walk.named.add(identifier)
        return ""

    def _asked(self) -> Iterator[ListAnswer]:
        """Request every answer. If dates are refused in both granularities, there is none."""
        walk = self._walk
        state = walk.state.moved(window=str(self._window))
        if state.profile.is_first_generation and walk.cursor.metadata_prefix != OF_EVERY_ITEM:
            self.has_none = True  # it names the records of every format
            return
        other = SECONDS if walk.granularity() == DAY else DAY
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

    def _must_have_come(self, named: Slice) -> bool:
        """Return whether a record belongs to the list: to its dates and, where records name their sets, to its set."""
        state, set_spec = self._walk.state, self._walk.cursor.set_spec
        return is_dated(self._dated, named.datestamp) and not (state.evidence.names_set and not is_in(set_spec, named))


def unseen_of(walk: Walk, named: Mapping[str, Slice]) -> str | None:
    """Return the first of these identifiers that has not come, empty for none; None where it is not known."""
    names = [identifier for identifier, record in named.items() if walk.received.lacks(record)]
    if not names or (walk.received.knows_all and not walk.is_behind_windows):
        return names[0] if names else ""
    # Records of earlier runs, or of windows, are read from the store, because the inbox is slow.
    held = walk.options.holdings.names(names, walk.cursor.metadata_prefix)
    names = [name for name in names if name not in held]
    if not names:
        return ""
    if not walk.recall_all():
        # A deleted record that was never stored has left no trace here.
        return next((name for name in names if not named[name].is_deleted), "") if held else None
    return next((name for name in names if walk.received.lacks(named[name])), "")


def is_dated(window: Window, datestamp: str) -> bool:
    """Return whether a record is dated in a window; one without a date that can be read may be."""
    moment = moment_of(datestamp)
    if moment is None:
        return True
    written = utc_datetime(moment)[: len(datestamp)]
    from_, until = window.from_[: len(written)], window.until[: len(written)]
    return from_ <= written and (not until or written <= until)
