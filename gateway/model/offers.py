"""Offers of discovered files to the source of their item."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class OfferWay(StrEnum):
    """The way in which a file is offered: an announcement to an inbox (COAR Notify), or a package in a folder."""

    INBOX = "inbox"
    FOLDER = "folder"


class OfferOutcome(StrEnum):
    """The outcome of an offer.

    `waiting` is never stored: the file has no offer yet. Nor is `taken` stored, unless the offer was never answered.
    """

    WAITING = "waiting"
    CREATED = "created"  # the inbox has stored the announcement (201)
    ACCEPTED = "accepted"  # the inbox will decide on the announcement (202)
    PACKAGED = "packaged"  # the package is in the folder
    RETRYING = "retrying"  # no answer, or an error that may pass
    REFUSED = "refused"  # an answer that another try would get again
    TAKEN = "taken"  # the record of the source names a file with these bytes now
    WITHDRAWN = "withdrawn"  # the file was offered, and is not published any more


class Offer(NamedTuple):
    """The offer of one file of an item in one way.

    `at` is the second of the last try, `next_at` that of the next one (0: none), `status` the HTTP status (0: none).
    `place` is the inbox or the package, `location` the address that the inbox gave to the announcement.
    """

    identifier: str
    sha256: str
    way: OfferWay
    source: str
    outcome: OfferOutcome
    at: int = 0
    tries: int = 0
    next_at: int = 0
    status: int = 0
    place: str = ""
    location: str = ""
    problem: str = ""
