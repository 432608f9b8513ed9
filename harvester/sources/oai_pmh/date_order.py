"""The order of the dates in a list of identifiers, and so the dates at which a list that broke off may go on. Pure."""

from __future__ import annotations

from gateway.model import Slice
from gateway.xmltext import utc_datetime
from harvester.http.dates import moment_of
from harvester.sources.oai_pmh.date_ranges import Window


class DateOrder:
    """The order of the datestamps so far: the oldest first, the newest first, or none."""

    def __init__(self) -> None:
        """Begin without any datestamp."""
        self._last: int | None = None
        self._rises = self._falls = True

    def add(self, slices: tuple[Slice, ...]) -> None:
        """Add the identifiers of one answer. One whose datestamp cannot be read ends the order."""
        for record in slices:
            moment = moment_of(record.datestamp)
            self._add(moment)
            self._last = moment

    def _add(self, moment: int | None) -> None:
        if moment is None:
            self._rises = self._falls = False
        elif self._last is not None:
            self._rises = self._rises and self._last <= moment
            self._falls = self._falls and self._last >= moment

    def rest(self, window: Window) -> Window | None:
        """Return the part of `window` from the last datestamp on; None where there is no order."""
        if self._last is None or not (self._rises or self._falls):
            return None
        last = utc_datetime(self._last)
        return Window(last, window.until) if self._rises else Window(window.from_, last)
