"""The copies that a user may see, page by page: those of the user's sources, and none that is taken down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gateway.fulltext.deciding import is_withdrawn
from gateway.model import CopyFilter, ListedCopy, User
from gateway.review.copy_rows import Candidates, Row, row_of
from gateway.review.list_arguments import Asked
from gateway.store.base import Discovery, Store

_BATCH = 500
_NEAR = (3, 200)  # copies in which the next item is looked for: an item may have many


class Shown(NamedTuple):
    """A page of a list. `first` and `last` are its ends, also if they are not shown; None: it is empty.

    `has_previous` and `has_next` say whether there are pages before and after it.
    """

    rows: tuple[Row, ...] = ()
    first: ListedCopy | None = None
    last: ListedCopy | None = None
    has_previous: bool = False
    has_next: bool = False


class Listing:
    """Reads the copies of an instance."""

    def __init__(self, store: Store, desk: Callable[[], Discovery]) -> None:
        """Take the store, and the function that opens the searches."""
        self._store, self._desk = store, desk

    def page(self, asked: Asked, user: User, limit: int) -> Shown:
        """Return the page of a list that is asked for, with at most `limit` rows. Raise StoreError."""
        copies = self._copies(asked, user, limit + 1)
        has_more = len(copies) > limit
        if asked.before is not None:
            copies = copies[-limit:]
            has_previous, has_next = has_more, True
        else:
            copies = copies[:limit]
            has_previous, has_next = asked.after is not None, has_more
        if not copies:
            return Shown()
        return Shown(self.rows(copies), copies[0], copies[-1], has_previous, has_next)

    def all(self, asked: Asked, user: User, limit: int) -> tuple[Row, ...]:
        """Return the first rows of a list, at most `limit`. Raise StoreError."""
        rows: list[Row] = []
        place = asked._replace(after=None, before=None)
        while len(rows) < limit and (copies := self._copies(place, user, _BATCH)):
            rows += self.rows(copies)
            place = place._replace(after=copies[-1])
        return tuple(rows[:limit])

    def count(self, asked: Asked, user: User, most: int) -> int:
        """Return the number of copies of a list, those that are taken down included; `most` + 1 if there are more."""
        wanted = visible(asked.wanted, user)
        return 0 if wanted is None else self._desk().count_copies(asked.verdict, wanted, most)

    def nearest(self, asked: Asked, user: User, identifier: str) -> ListedCopy | None:
        """Return the nearest copy of another item after or before a place; None if there is none among the next 200."""
        for limit in _NEAR:
            copies = self._copies(asked, user, limit)
            for listed in reversed(copies) if asked.before else copies:
                is_other = listed.copy.identifier != identifier
                if is_other and not self.is_withdrawn(listed):
                    return listed
            if len(copies) < limit:
                break
        return None

    def rows(self, copies: Sequence[ListedCopy]) -> tuple[Row, ...]:
        """Return the rows of copies that are not taken down. Raise StoreError."""
        candidates = Candidates(self._desk().search)
        return tuple(
            row_of(listed, candidates.of(listed.copy.identifier, listed.copy.url))
            for listed in copies
            if not self.is_withdrawn(listed)
        )

    def is_withdrawn(self, listed: ListedCopy) -> bool:
        """Return whether a copy or its item is taken down, so that nothing of it is shown. Raise StoreError."""
        copy, decision = listed
        # The decision on the bytes that the copy has now.
        now = decision._replace(identifier=copy.identifier, url=copy.url, sha256=copy.sha256 or decision.sha256)
        return is_withdrawn(self._store, self._desk(), now)

    def _copies(self, asked: Asked, user: User, limit: int) -> tuple[ListedCopy, ...]:
        """Return the copies behind a place, or the last ones before it, in the order that is asked for."""
        wanted = visible(asked.wanted, user)
        if wanted is None:
            return ()
        place, is_back = asked.before or asked.after, asked.before is not None
        return self._desk().listed_copies(asked.verdict, wanted, asked.order, place, limit, is_back=is_back)


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
