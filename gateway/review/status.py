"""What the user has just decided, for the message above the next page, with a way to undo it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gateway.core.model import User
from gateway.review.entries import can_undo
from gateway.review.frame import number_in
from gateway.review.listing import Listing
from gateway.store.base import Discovery


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
