"""Ask for what ListIdentifiers names behind the place where it broke off. A sweep and the check of a list use it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gateway.core.errors import NotOaiPmh
from harvester.http.dates import moment_of
from harvester.sources.oai_pmh.answers import ListAnswer
from harvester.sources.oai_pmh.date_ranges import Window
from harvester.sources.oai_pmh.list_identifiers import IdentifierPages

Ask = Callable[[Window], IdentifierPages]


def broken_off(count: int) -> str:
    """Return the sentence for a list of so many identifiers whose end nothing shows."""
    return f"ListIdentifiers breaks off after {count} records, so it does not show that these are all."


class IdentifiersBehindBreak:
    """What is named from the last date of a list that broke off, and again from there while this breaks off, too.

    `is_end_shown`: the last question named some of the identifiers and nothing new, and ended properly or in one answer
    that was not full. A list out of the order of its dates is not asked for.
    """

    def __init__(self, pages: IdentifierPages, window: Window, ask: Ask) -> None:
        """Take the list that broke off, its dates, and how to ask for others. What is named is added to `pages`."""
        self._known, self._full, self._ask = pages.identifiers, pages.largest, ask
        self._rest = pages.rest(window)
        self.is_end_shown = False

    def answers(self) -> Iterator[ListAnswer]:
        """Yield every answer.

        Raise NotOaiPmh for losses and for records of other dates than were asked for, and what asking raises.
        """
        while self._rest is not None:
            rest, self._rest = self._rest, None
            yield from self._answers(rest)

    def _answers(self, rest: Window) -> Iterator[ListAnswer]:
        pages, known = self._ask(rest), len(self._known)
        for answer in pages.answers():
            check_names(answer, rest)
            for record in answer.slices:
                self._known.add(record.identifier)
            yield answer
        self._full = max(self._full, pages.largest)
        is_some = len(self._known) == known and 0 < len(pages.identifiers) < known
        self.is_end_shown = is_some and pages.shows_end(self._full)
        following = pages.rest(rest)
        if pages.has_ended and not self.is_end_shown and following != rest:
            self._rest = following


def check_names(answer: ListAnswer, window: Window) -> None:
    """Raise NotOaiPmh for losses, and for records that are not dated in a window."""
    if answer.losses:
        raise NotOaiPmh(f"ListIdentifiers: {answer.losses[0]}")
    if not all(_is_in(window, record.datestamp) for record in answer.slices):
        raise NotOaiPmh(f"ListIdentifiers names what is not dated {window.in_words}.")


def _is_in(window: Window, datestamp: str) -> bool:
    moment, from_, until = (moment_of(text) for text in (datestamp, window.from_, window.until))
    return moment is not None and (from_ is None or from_ <= moment) and (until is None or moment <= until)
