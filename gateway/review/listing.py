"""The copies that a user may see, page by page: those of the user's sources, and none that is taken down."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import filterfalse, groupby
from typing import Final, NamedTuple

from gateway.core.model import CopyFilter, Decision, ListedCopy, User
from gateway.fulltext.deciding import Withdrawn
from gateway.fulltext.decisions import RULE, standing
from gateway.fulltext.stored_search import candidates_of
from gateway.review.copy_rows import Row, row_of
from gateway.review.frame import number_in
from gateway.review.list_arguments import Asked
from gateway.store.base import Discovery, Store

_BATCH = 500
_NEAR = (3, 200)  # copies in which the next item is looked for: an item may have many


class Shown(NamedTuple):
    """A page of a list. `first` and `last` are the copies at its ends, and none is taken down; None: it is empty.

    `has_previous` and `has_next` say whether there are pages before and after it.
    """

    rows: tuple[Row, ...] = ()
    first: ListedCopy | None = None
    last: ListedCopy | None = None
    has_previous: bool = False
    has_next: bool = False


class Listing:
    """Reads the copies of an instance."""

    def __init__(self, store: Store, discovery: Callable[[], Discovery]) -> None:
        self._store, self._discovery = store, discovery

    def page(self, asked: Asked, user: User, limit: int) -> Shown:
        """Return the page of a list that is asked for, with at most `limit` rows. Raise StoreError."""
        copies = self._visible(asked, user, limit + 1)
        has_more = len(copies) > limit
        if asked.before is not None:
            copies = copies[-limit:]
            has_previous, has_next = has_more, True
        else:
            copies = copies[:limit]
            has_previous, has_next = asked.after is not None, has_more
        if not copies:
            return Shown()
        return Shown(self._rows(copies), copies[0], copies[-1], has_previous, has_next)

    def all(self, asked: Asked, user: User, limit: int) -> tuple[Row, ...]:
        """Return the first rows of a list, at most `limit`. Raise StoreError."""
        return self._rows(self._visible(asked._replace(after=None, before=None), user, limit)[:limit])

    def count(self, asked: Asked, user: User, most: int) -> int:
        """Return the number of copies of a list, those that are taken down included; `most` + 1 if there are more."""
        wanted = visible(asked.wanted, user)
        return 0 if wanted is None else self._discovery().count_copies(asked.verdict, wanted, most)

    def nearest(self, asked: Asked, user: User, identifier: str) -> ListedCopy | None:
        """Return the nearest copy of another item after or before a place; None if there is none among the next 200."""
        withdrawn = self._withdrawn()
        for limit in _NEAR:
            copies = self._copies(asked, user, limit)
            for listed in reversed(copies) if asked.before else copies:
                is_other = listed.copy.identifier != identifier
                if is_other and not withdrawn.has(_as_it_is_now(listed)):
                    return listed
            if len(copies) < limit:
                break
        return None

    def rows(self, copies: Sequence[ListedCopy]) -> tuple[Row, ...]:
        """Return the rows of copies that are not taken down. Raise StoreError."""
        return self._rows(self._shown(copies, self._withdrawn()))

    def _rows(self, copies: Sequence[ListedCopy]) -> tuple[Row, ...]:
        search, identifiers = self._discovery().search, dict.fromkeys(listed.copy.identifier for listed in copies)
        checked = {name: {one.url: one for one in candidates_of(search(name))} for name in identifiers}
        return tuple(row_of(listed, checked[listed.copy.identifier].get(listed.copy.url)) for listed in copies)

    def is_withdrawn(self, listed: ListedCopy) -> bool:
        """Return whether a copy or its item is taken down, so that nothing of it is shown. Raise StoreError."""
        return self._withdrawn().has(_as_it_is_now(listed))

    def _withdrawn(self) -> Withdrawn:
        return Withdrawn(self._store, self._discovery())

    def _shown(self, copies: Sequence[ListedCopy], withdrawn: Withdrawn) -> list[ListedCopy]:
        return [listed for listed in copies if not withdrawn.has(_as_it_is_now(listed))]

    def _visible(self, asked: Asked, user: User, least: int) -> list[ListedCopy]:
        """Return the next copies of a list that are not taken down, in its order: at least so many, if there are."""
        rows, limit, withdrawn = list[ListedCopy](), least, self._withdrawn()
        while len(rows) < least and (copies := self._copies(asked, user, limit)):
            shown = self._shown(copies, withdrawn)
            rows = [*shown, *rows] if asked.before else [*rows, *shown]
            if len(copies) < limit:
                break
            asked = asked._replace(before=copies[0]) if asked.before else asked._replace(after=copies[-1])
            limit = _BATCH
        return rows

    def _copies(self, asked: Asked, user: User, limit: int) -> tuple[ListedCopy, ...]:
        """Return the copies behind a place, or the last ones before it, in the order that is asked for."""
        wanted = visible(asked.wanted, user)
        if wanted is None:
            return ()
        place, is_back = asked.before or asked.after, asked.before is not None
        return self._discovery().listed_copies(asked.verdict, wanted, asked.order, place, limit, is_back=is_back)


def _as_it_is_now(listed: ListedCopy) -> Decision:
    """Return the decision on the bytes that a copy has now."""
    copy, decision = listed
    return decision._replace(identifier=copy.identifier, url=copy.url, sha256=copy.sha256 or decision.sha256)


def visible(wanted: CopyFilter, user: User) -> CopyFilter | None:
    """Return a filter that chooses only what a user may see; None if that is nothing."""
    sources = sources_of(user, wanted.source)
    if not sources:
        return None
    return wanted if sources == ("",) else wanted._replace(sources=sources)


def sources_of(user: User, source: str = "") -> tuple[str, ...]:
    """Return the sources whose copies a user sees, given the one that is asked for; an empty name stands for all."""
    if source:
        return (source,) if user.may_decide(source) else ()
    return ("",) if user.may_decide("") else user.sources


# --- What one person decided at once: entries of the list, and the message with a way to undo ------------------------

MOST: Final = 1_000  # files of one entry


class Entry(NamedTuple):
    """Decisions that were made at once, the newest first."""

    decisions: tuple[Decision, ...]

    @property
    def newest(self) -> Decision:
        """The newest decision. All have its person and second; if they undo others, their verdicts may differ."""
        return self.decisions[0]

    @property
    def oldest(self) -> Decision:
        """The oldest decision."""
        return self.decisions[-1]

    def without(self, is_hidden: Callable[[Decision], bool]) -> Entry | None:
        """Return the entry without its decisions on hidden files; None if no other is left."""
        left = tuple(filterfalse(is_hidden, self.decisions))
        return Entry(left) if left else None

    @property
    def is_of_person(self) -> bool:
        """Return whether a person decided, and did not undo."""
        return self.newest.decided_by != RULE and not self.newest.is_undoing


def entries_of(decisions: Iterable[tuple[Decision, int]]) -> Iterator[Entry]:
    """Yield the entries of decisions, given the newest first, each with the number of its entry."""
    for _, group in groupby(decisions, key=lambda entered: entered[1]):
        yield Entry(tuple(decision for decision, _ in group))


def can_undo(history: Iterable[Decision]) -> bool:
    """Return whether the last of all decisions on a copy can be taken back: there is one before it on these bytes."""
    *before, last = standing(history)
    return bool(before) and before[-1].sha256 == last.sha256


class Status(NamedTuple):
    """The last decision of the user: its verdict, on how many files, and its `number`.

    `is_undoing`: it took back another one, so `verdict` is in force again. `can_undo`: a further step back is possible.
    """

    verdict: str
    number: int
    files: int
    title: str
    is_undoing: bool
    can_undo: bool


def status_of(open_discovery: Callable[[], Discovery], listing: Listing, user: User, done: str) -> Status | None:
    """Return the decision whose number the address has (`done`).

    None if it is not the user's, or not in force, or if the file is taken down.
    """
    number = number_in(done)
    if not number:
        return None
    discovery = open_discovery()
    listed = next(iter(discovery.copies_of_decisions((number,))), None)
    if listed is None or listed.decision.number != number or listed.decision.decided_by != user.name:
        return None
    if listing.is_withdrawn(listed):
        return None
    copy, decision = listed
    count = len(discovery.decisions_of_entry(number))
    is_possible = can_undo(discovery.history(copy.identifier, copy.url))
    return Status(decision.verdict, number, count, copy.title or copy.identifier, decision.is_undoing, is_possible)
