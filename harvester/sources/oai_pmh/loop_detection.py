"""Remember the received records of a list and of its present part, to detect repeated records and lists that loop."""

from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import NamedTuple

from gateway.core.model import Slice
from harvester.sources.oai_pmh.date_ranges import Window
from harvester.sources.oai_pmh.list_identifiers import is_before
from harvester.sources.seen import Seen


class PageRecords(NamedTuple):
    """The slices of a page to keep. `news` are new to the list, `fresh` to the part; `repeated` are kept, not new.

    `twins` are kept, too: the other of a living record and a tombstone, of which `fresh_twins` are new to the part.
    `disputed` are those of them that may have the same date.
    """

    kept: tuple[Slice, ...]
    news: int
    fresh: int
    repeated: int
    twins: int
    fresh_twins: int
    disputed: tuple[Slice, ...]


class ReceivedRecords:
    """The identifiers, pages and tokens that came. A part begins with every request without a token.

    `earlier` returns the identifiers that came in earlier runs of the list; it is None if they are not known. It takes
    time, so it is called only when a fallback step is taken or a list is checked.
    """

    def __init__(self, earlier: Callable[[], Iterable[str]] | None, token: str = "") -> None:
        """Begin a list, or continue it with `token`."""
        self._earlier = earlier
        self.all = Seen()
        self.part = self.all
        self.tokens = {token} - {""}
        self.stale_pages = 0  # pages in a row with nothing new
        self._pages: set[bytes] = set()
        self._last_page = b""
        self._opening: tuple[Window, bytes] = Window(), b""
        self._deleted = Seen()  # tombstones: identifiers, and identifiers with their dates
        self._twins, self._twins_of_part = Seen(), Seen()
        self._living: dict[str, str] = {}  # the dates of the living records of this page and the one before
        self._singly = Seen()  # living records that GetRecord brought, with their dates
        self._unseen = Seen()  # identifiers of earlier runs, and those of which GetRecord brought no living record

    def add_single(self, identifier: str, slices: tuple[Slice, ...]) -> bool:
        """Add a record that was asked for by its identifier, and return whether it is new."""
        for record in slices:
            if not record.is_deleted:
                self._singly.add(f"{identifier}\0{record.datestamp}")
        if not any(record.datestamp and not record.is_deleted for record in slices):
            self._unseen.add(identifier)
        return self.all.add(identifier)

    def lacks(self, named: Slice) -> bool:
        """Return whether a named record has not come: nothing of it, or only a tombstone of one that is living."""
        name = named.identifier
        return name not in self.all or (not named.is_deleted and name in self._deleted and name not in self._twins)

    def recall(self) -> bool:
        """Remember the identifiers of earlier runs, too. Return whether that is possible."""
        if self._earlier is None:
            return False
        for identifier in self._earlier():
            if self.all.add(identifier):
                self._unseen.add(identifier)
        self._earlier = tuple
        return True

    @property
    def knows_all(self) -> bool:
        """Return whether all identifiers of the list are remembered, also those of earlier runs."""
        return self._earlier is tuple

    def forget(self) -> None:
        """Begin the list again, of which no record has come."""
        self.all = Seen()
        self._earlier = tuple
        self.begin_part()

    def begin_part(self) -> None:
        """Begin a part. Its records may have come before."""
        self.part = Seen() if len(self.all) else self.all
        self.tokens.clear()
        self._pages.clear()
        self._last_page = b""
        self.stale_pages = 0
        self._twins_of_part = Seen()

    def has(self, slices: tuple[Slice, ...]) -> bool:
        """Return whether all of these came before in this part; False where there are none."""
        return bool(slices) and all(record.identifier in self.part for record in slices)

    def repeats(self, slices: tuple[Slice, ...]) -> bool:
        """Return whether the same page came before in this part. A page of one record may come twice if pages shift."""
        if not slices:
            return False
        digest = _digest(slices)
        is_known = digest == self._last_page or (digest in self._pages and len(slices) > 1)
        self._pages.add(digest)
        self._last_page = digest
        return is_known

    def opens_like_another(self, window: Window, slices: tuple[Slice, ...]) -> bool:
        """Return whether the window before, which does not touch this one, began with the same page."""
        digest = _digest(slices)
        (before, opening), self._opening = self._opening, (window, digest)
        return bool(slices) and opening == digest and "" < before.until < window.from_

    def add_page(self, slices: tuple[Slice, ...], since: str, began: int, *, is_ordered: bool) -> PageRecords:
        """Add a page. Records that came in an earlier part are not kept, unless they may have changed `since`.

        `began` is the second in which the list began: a record dated before it has not moved since. `is_ordered`: the
        records come in the order of their dates.
        """
        kept, news, fresh, repeated, twins, fresh_twins = [], 0, 0, 0, 0, 0
        disputed = []
        living = {record.identifier: record.datestamp for record in slices if not record.is_deleted}
        near, self._living = self._living | living, living
        for record in slices:
            name, dated = record.identifier, f"{record.identifier}\0{record.datestamp}"
            is_twin = bool(name) and name in self.all and (name in self._deleted) != record.is_deleted
            is_twin = is_twin and not (record.is_deleted and name in self._unseen and name not in near)
            if is_twin and is_before(record, began):
                kept.append(record)
                is_first, is_new_here = self._twins.add(name), self.part.add(name)
                twins += is_first
                repeated += not is_first
                fresh += is_new_here
                fresh_twins += not is_new_here and self._twins_of_part.add(name)
                may_have_date = near.get(name, "" if is_ordered else record.datestamp) == record.datestamp
                may_have_date = may_have_date or dated in self._singly
                if (record.is_deleted and may_have_date) or (not record.is_deleted and dated in self._deleted):
                    disputed.append(record)
                continue
            if record.is_deleted:
                self._deleted.add(name)
                self._deleted.add(dated)
            is_new = not record.identifier or self.all.add(record.identifier)
            is_new_here = is_new if self.part is self.all else not record.identifier or self.part.add(record.identifier)
            news += is_new
            fresh += is_new_here
            if is_new or not is_new_here or record.datestamp[: len(since)] >= since:
                kept.append(record)
                repeated += not is_new
        self.stale_pages = 0 if fresh else self.stale_pages + 1
        return PageRecords(tuple(kept), news, fresh, repeated, twins, fresh_twins, tuple(disputed))


def _digest(slices: tuple[Slice, ...]) -> bytes:
    named = repr([(record.identifier, record.datestamp) for record in slices])
    return blake2b(named.encode("utf-8", "surrogatepass"), digest_size=16).digest()
