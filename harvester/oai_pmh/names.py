"""What ListIdentifiers names between two dates, answer by answer, held against what has come of a list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

from gateway.errors import RemoteError, RemoteRefuses
from gateway.model import Slice
from gateway.xmltext import utc_datetime
from harvester.oai_pmh.naming import OF_EVERY_ITEM, Naming
from harvester.oai_pmh.notices import is_in
from harvester.oai_pmh.walk import Walk
from harvester.sources._asking import PATIENCE
from harvester.wire.dates import DAY, SECONDS, moment_of
from harvester.wire.oai_pmh import ListAnswer
from harvester.wire.windows import Window


class Names:
    """The names in a window, read only as far as is asked for.

    `dated` are the dates of the records that must have come. `count` is how many records were named, `answers` in how
    many answers, `unseen_date` how one is dated that has not come. `has_none`: the source has no ListIdentifiers, or
    one that says nothing of this format. `is_unknown`: nobody knows what came in earlier runs.
    """

    def __init__(self, walk: Walk, window: Window, dated: Window, deadline_seconds: float | None = None) -> None:
        """Take the list, and the window to ask for; `deadline_seconds` is that of each request."""
        self._walk, self._window, self._dated = walk, window, dated
        self._deadline_seconds = deadline_seconds
        self._answers = self._asked()
        self._naming: Naming | None = None
        self.answers = 0
        self.has_none = self.is_unknown = False
        self.unseen_date = ""

    @property
    def has_ended(self) -> bool:
        """Tell whether there is nothing more to be read."""
        return not self.is_unknown and (self.has_none or self._has_read_all)

    @property
    def _has_read_all(self) -> bool:
        return self._naming is not None and self._naming.has_ended

    @property
    def count(self) -> int:
        """How many records were named so far."""
        return len(self._naming.heard) if self._naming else 0

    @property
    def announced(self) -> int:
        """How many there are, as the source says, or at least."""
        return max(self.count, (self._naming and self._naming.announced) or 0)

    def unseen(self, most: int) -> str:
        """Read at most so many answers more, until one names what has not come; return that name, or none.

        Raise what may be wrong with one request.
        """
        for answer in islice(self._answers, max(0, most)):
            self.answers += 1
            named = {each.identifier: each for each in answer.slices if each.identifier and self._must_have_come(each)}
            unseen = unseen_of(self._walk, named)
            if unseen:
                self.unseen_date = named[unseen].datestamp
                return unseen
            self.is_unknown = unseen is None
            if self.is_unknown:
                break
        return ""

    def _asked(self) -> Iterator[ListAnswer]:
        """Ask for every answer. Where the dates are refused, in both granularities, there is nothing to be seen."""
        walk = self._walk
        state = replace(walk.state, window=str(self._window))
        if state.is_first_generation and walk.cursor.metadata_prefix != OF_EVERY_ITEM:
            self.has_none = True  # it names the records of every format
            return
        other = SECONDS if walk.granularity() == DAY else DAY
        for each in (state, replace(state, granularity=other)):
            self._naming = Naming(walk.options, walk.cursor, walk.fetch, each, PATIENCE, self._deadline_seconds)
            try:
                yield from self._naming.answers()
            except RemoteRefuses:
                self.has_none = True
            except RemoteError as error:
                if "badArgument" in str(error) and not self.answers:
                    continue
                self.has_none = not self.answers
            return
        self.has_none = not any(self._window)

    def _must_have_come(self, named: Slice) -> bool:
        """Tell whether a record is one of the list: of its dates and, where that is told, of its set."""
        state, set_spec = self._walk.state, self._walk.cursor.set_spec
        return is_dated(self._dated, named.datestamp) and not (state.names_set and not is_in(set_spec, named))


def unseen_of(walk: Walk, named: Mapping[str, Slice]) -> str | None:
    """Return the first of these names that has not come, if there is one; None where that is not known."""
    names = [each for each in named if each not in walk.arrivals.all]
    if not names or (walk.arrivals.knows_all and not walk.is_behind_windows):
        return names[0] if names else ""
    # What came in earlier runs, or in windows, is read from the store, for the inbox takes its time.
    held = walk.options.holdings.names(names, walk.cursor.metadata_prefix)
    names = [each for each in names if each not in held]
    if not names:
        return ""
    if not walk.recall_all():
        # A deleted record that was never held has left no trace here.
        return next((each for each in names if not named[each].is_deleted), "") if held else None
    return next((each for each in names if each not in walk.arrivals.all), "")


def is_dated(window: Window, datestamp: str) -> bool:
    """Tell whether a record is dated in a window; one without a date that can be read may be."""
    moment = moment_of(datestamp)
    if moment is None:
        return True
    written = utc_datetime(moment)[: len(datestamp)]
    from_, until = window.from_[: len(written)], window.until[: len(written)]
    return from_ <= written and (not until or written <= until)
