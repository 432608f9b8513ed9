"""The values of all packages: immutable, and without behaviour beyond their fields.

Times are whole seconds since 1970-01-01T00:00:00Z. A time in a string field is text, as its origin wrote it.
"""

from __future__ import annotations

from gateway.model.answers import FormatLine, OaiAnswer
from gateway.model.arrived import Cursor, RawPage, Removal, Restoration, Slice, StoredPage, WindowOutcome
from gateway.model.descriptions import Description, Hop
from gateway.model.discovery import (
    Alarm,
    Candidate,
    Decision,
    DocumentKind,
    Ending,
    Lease,
    Match,
    Outcome,
    Refusal,
    SearchState,
    Trace,
    Tried,
    Unpublished,
)
from gateway.model.identity import Identity, KnownIdentity, SourceClock
from gateway.model.lists import Key, Page, Selection, StoredRecord
from gateway.model.offers import Offer, OfferOutcome, OfferWay
from gateway.model.published import (
    ChangeLine,
    Content,
    Deletion,
    Format,
    Intent,
    ItemChange,
    ItemFiles,
    ItemState,
    Payload,
    Publication,
    Quarantined,
    Record,
    Resource,
    ResourceChange,
    SetDescription,
    Source,
    SourceCounts,
)
from gateway.model.runs import Event, Run, RunOutcome, RunTotal
from gateway.model.subscriptions import HubDenial, HubMode, HubRequest, Subscriber, Subscription, SubscriptionState
from gateway.model.works import FileLink, FileOrigin, Statement, Work

__all__ = [
    "Alarm",
    "Candidate",
    "ChangeLine",
    "Content",
    "Cursor",
    "Decision",
    "Deletion",
    "Description",
    "DocumentKind",
    "Ending",
    "Event",
    "FileLink",
    "FileOrigin",
    "Format",
    "FormatLine",
    "Hop",
    "HubDenial",
    "HubMode",
    "HubRequest",
    "Identity",
    "Intent",
    "ItemChange",
    "ItemFiles",
    "ItemState",
    "Key",
    "KnownIdentity",
    "Lease",
    "Match",
    "OaiAnswer",
    "Offer",
    "OfferOutcome",
    "OfferWay",
    "Outcome",
    "Page",
    "Payload",
    "Publication",
    "Quarantined",
    "RawPage",
    "Record",
    "Refusal",
    "Removal",
    "Resource",
    "ResourceChange",
    "Restoration",
    "Run",
    "RunOutcome",
    "RunTotal",
    "SearchState",
    "Selection",
    "SetDescription",
    "Slice",
    "Source",
    "SourceClock",
    "SourceCounts",
    "Statement",
    "StoredPage",
    "StoredRecord",
    "Subscriber",
    "Subscription",
    "SubscriptionState",
    "Trace",
    "Tried",
    "Unpublished",
    "WindowOutcome",
    "Work",
]
