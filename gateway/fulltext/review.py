"""The facts that a person needs to decide on a file: its record, its properties, and its stored copy."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from gateway.core.model import Candidate, CopyFilter, CopyOrder, Decision, FoundCopy, ListedCopy, Work
from gateway.core.settings import place_of_copy
from gateway.fulltext.stored_search import candidates_of, published_of
from gateway.store.base import Discovery

_BATCH = 500
_LAST = "\U0010ffff"  # after all addresses
_YEAR = 4  # digits
UNKNOWN = "unknown"  # stands for a licence, version or kind that is not known


class Reviewed(NamedTuple):
    """A file with the decision in force on it. `candidate` is None if the last search did not check the file."""

    decision: Decision
    source: str = ""
    candidate: Candidate | None = None
    work: Work | None = None  # None if the item is deleted
    published: str = ""  # the year, empty if it is not known
    copy: Path | None = None  # None if no copy is stored
    host: str = ""  # of the address that the file comes from

    @property
    def score(self) -> float | None:
        """The score of the file; None if this release has not read it."""
        return self.candidate.likeness if self.candidate and self.candidate.has_likeness else None

    @property
    def version(self) -> str:
        """The version: that stated for this copy, else that in the file itself; empty if it is not known."""
        return (self.candidate.version or self.candidate.text_version) if self.candidate else ""

    def statements(self, element: str) -> tuple[str, ...]:
        """Return the texts of the record in a Dublin Core element."""
        return self.work.texts(element) if self.work else ()

    @property
    def year(self) -> str:
        """The year of publication as the services state it, else as the record does; empty if it is not known."""
        dates = (self.published, *(date[:_YEAR] for date in self.statements("date")))
        return next((date for date in dates if len(date) == _YEAR and date.isdecimal()), "")


class _Item(NamedTuple):
    """An item, with all that its files share. `source` is empty if it was never searched for."""

    identifier: str
    source: str = ""
    candidates: Mapping[str, Candidate] = {}  # by address
    work: Work | None = None
    published: str = ""


class Review:
    """The facts about files that were decided on. An item is read once for files that follow one another."""

    def __init__(
        self,
        discovery: Discovery,
        instance: Path,
        *,
        work_of: Callable[[str, str], Work | None],
        host_of: Callable[[str], str],
    ) -> None:
        """Take the searches, the instance folder, and two functions.

        `work_of` returns the work of an item, given its identifier here and at its source, or None if it is deleted.
        `host_of` returns the host in an address.
        """
        self._discovery, self._instance, self._work_of, self._host_of = discovery, instance, work_of, host_of
        self._last = _Item("")

    def of(self, decision: Decision) -> Reviewed:
        """Return the facts about a file. Raise StoreError."""
        if self._last.identifier != decision.identifier:
            self._last = self._item(decision.identifier)
        item = self._last
        if not item.source:
            return Reviewed(decision, host=self._host_of(decision.url))
        candidate = item.candidates.get(decision.url)
        place = place_of_copy(self._instance, decision.sha256)
        return Reviewed(
            decision,
            item.source,
            candidate,
            item.work,
            item.published,
            place if decision.sha256 and place.is_file() else None,
            self._host_of((candidate and candidate.final_url) or decision.url),
        )

    def _item(self, identifier: str) -> _Item:
        state = self._discovery.search(identifier)
        if state is None:
            return _Item(identifier)
        candidates = {candidate.url: candidate for candidate in reversed(candidates_of(state))}  # the first one counts
        work = self._work_of(identifier, state.upstream)
        return _Item(identifier, state.source, candidates, work, published_of(state))


def copies_in_force(
    discovery: Discovery, verdict: str, wanted: CopyFilter, order: CopyOrder = CopyOrder.IDENTIFIER, item: str = ""
) -> Iterator[ListedCopy]:
    """Yield all copies on which the decision in force has a verdict, in an order.

    With `item`, only copies of items after this identifier; the order must be that of identifiers then.
    """
    after = ListedCopy(FoundCopy(item, _LAST, ""), Decision(item, _LAST, "", "", "", "", 0)) if item else None
    while batch := discovery.listed_copies(verdict, wanted, order, after, _BATCH):
        yield from batch
        after = batch[-1]
