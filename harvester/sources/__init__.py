"""One package per kind of source; each exports `SOURCE`, a `SourceKind`. A kind gets `fetch` and never connects itself.

`describe` asks what the source is. `changes` walks one list: every answer becomes a `Step`. The pipeline commits page,
slices and cursor of a step in one transaction before it takes the next.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from typing import NamedTuple, Protocol

from gateway.core.errors import ConfigurationError
from gateway.core.model import Cursor, Format, Identity, RawPage, SetDescription, Slice
from gateway.core.registry import members
from gateway.core.xmltext import DIDL
from harvester.http.dates import bound
from harvester.http.messages import Fetch, Fetched
from harvester.sources.budget import Answers, Budget, optional_budget
from harvester.sources.seen import Seen

# Modules that all kinds of source share.
SHARED = ("repeated_requests", "budget", "comparison_limit", "seen", "state", "websub")
# The start of the problem of a listed record that could not be fetched; `run --retry-failed` requests it again.
UNFETCHED = "It could not be fetched: "


class Option(NamedTuple):
    """One field of `sources.toml` that a kind of source reads: its name and one sentence.

    A field that only this kind has also needs a `type`, a key of `IS_A` in `harvest/source_fields.py`.
    """

    name: str
    sentence: str
    type: str = ""


class Held(NamedTuple):
    """The stored state of one item in one format: its last good payload and abouts."""

    identifier: str
    is_deleted: bool
    datestamp: str
    content: bytes
    abouts: tuple[bytes, ...]
    is_as_received: bool  # not repaired or converted to UTF-8
    page_url: str = ""  # the address of the page on which it arrived


class Holdings(Protocol):
    """The stored state of a source when a run begins, for kinds of source that find changes by comparison."""

    def item(self, identifier: str, metadata_prefix: str) -> Held | None:
        """Return one item in one format; None when it is not stored."""
        ...

    def items(self, metadata_prefix: str) -> Iterator[Held]:
        """Return every item that is stored in a format, deleted ones too."""
        ...

    def names(self, identifiers: Sequence[str], metadata_prefix: str) -> frozenset[str]:
        """Return which of these identifiers are stored in a format, deleted ones too."""
        ...


class NothingHeld:
    """Empty holdings: of a source before its first harvest, or where they may not be used."""

    def item(self, _identifier: str, _metadata_prefix: str) -> None:
        """Return None."""
        return

    def items(self, _metadata_prefix: str) -> Iterator[Held]:
        """Return nothing."""
        return iter(())

    def names(self, _identifiers: Sequence[str], _metadata_prefix: str) -> frozenset[str]:
        """Return nothing."""
        return frozenset()


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one harvest. Dates are UTCdatetimes as the administrator wrote them, or empty.

    `from_` and `until` bound every harvest of the source. `window` is for one run only (`--from`, `--until`): that list
    is walked on its own, and the cursor of the incremental harvest stays. `granularity` comes from `describe`.
    `holdings` is what is stored of the source, `own` the fields that only this kind of source has.
    `known` is what earlier lists have learned about the source, as the state of a list that has not begun.
    `arrived(cursor, since)` returns the identifiers of the cursor's list received since a second; None: not known.
    `most_bytes` limits the decompressed bytes of one document. `budget` limits the fallback steps of the run, `answers`
    the answers of ListIdentifiers that are read for comparison. `optional` limits all requests that a harvest can do
    without. `asks_anew`: requests that failed are repeated at once.
    `is_part`: the list is a window of another list, which is compared as a whole. `came` are the records that the run
    received in it and in the windows around it: they renew no budget. `windows_from` is the date since which windows
    have brought all records before `from_`; None: they have not. `is_behind_new`: in this same run.
    `announced_tolerance` is the share of the announced records that may be missing in a complete list.
    """

    source: str
    url: str
    overlap_seconds: int = 86_400
    from_: str = ""
    until: str = ""
    window: tuple[str, str] | None = None
    granularity: str = ""
    holdings: Holdings = NothingHeld()  # noqa: RUF009 - it has no state
    own: Mapping[str, object] = field(default_factory=dict)
    known: str = ""
    arrived: Callable[[Cursor, int], Iterable[str]] | None = None
    most_bytes: int = 200_000_000
    is_part: bool = False
    came: Seen | None = None
    windows_from: str | None = None
    is_behind_new: bool = False
    announced_tolerance: float = 0.0
    asks_anew: bool = False
    budget: Budget = field(default_factory=Budget, compare=False)
    answers: Answers = field(default_factory=Answers, compare=False)
    optional: Budget = field(default_factory=optional_budget, compare=False)

    def after(self, description: Description) -> Options:
        """Return the options of the lists, with the granularity and the knowledge of a description."""
        return replace(self, granularity=description.granularity, known=description.known)

    def bounds(self, granularity: str) -> tuple[str, str]:
        """Return the dates of the harvest, or of its window. Raise ConfigurationError for wrong ones."""
        first, last = self.window or ("", "")
        try:
            return bound(first or self.from_, granularity), bound(last or self.until, granularity, is_until=True)
        except ValueError as error:
            raise ConfigurationError(f"The dates to harvest are wrong: {error}.") from error


class Description(NamedTuple):
    """The description of a source by itself, and the answers to store.

    `notes` are sentences about unreadable parts; they do not prevent a harvest. `known` is the knowledge for its lists.
    `stated_at` is the second of the source's own clock at that time, if stated. `identity` says which repository it is;
    None for a kind of source without such a name. `proposed` are fields for its entry, unless they are given, and
    `reason` is a sentence that says why.
    """

    pages: tuple[RawPage, ...]
    repository_name: str
    base_url: str  # as the source states it; never used for requests
    granularity: str  # `YYYY-MM-DD` or `YYYY-MM-DDThh:mm:ssZ`
    earliest_datestamp: str
    deleted_record: str
    formats: tuple[Format, ...]
    sets: tuple[SetDescription, ...]
    notes: tuple[str, ...] = ()
    known: str = ""
    stated_at: int | None = None
    identity: Identity | None = None
    has_all_sets: bool = True
    proposed: Mapping[str, object] = {}
    reason: str = ""

    def with_sets(self, kind: SourceKind, options: Options, fetch: Fetch) -> Description:
        """Return it with the sets of the source, and with further pages and notes about them."""
        return self if kind.sets is None else kind.sets(options, self, fetch)


_REASON = "It offers {0}, which names the files of each work and has its metadata too, so {0} is proposed."


def proposal(formats: Iterable[Format]) -> tuple[dict[str, object], str]:
    """Return the fields that make an entry harvest DIDL, and why; nothing if it is not among the formats."""
    didl = next((offered.metadata_prefix for offered in formats if offered.namespace.strip() == DIDL), "")
    return ({"formats": [didl]}, _REASON.format(didl)) if didl else ({}, "")


class ListEnd(StrEnum):
    """How a list ended: a closed list. `MORE`: it has not ended."""

    MORE = "more"
    PROPER = "proper"  # the source said that this was the last page, and there is no doubt
    TOKEN_REPEATED = "token_repeated"  # noqa: S105 - no secret: the source gave the same token twice
    EMPTY_PAGES = "empty_pages"  # page after page without a record, each with a further token
    GAPS = "gaps"  # records are missing, or completeness cannot be shown


class Compared(StrEnum):
    """How much of the other list of a source was compared with the received records: a closed list."""

    NOTHING = "nothing"
    PART = "part"  # a few answers, because there was no doubt
    NAMES = "names"  # all names; neither a number nor a question by date shows that these are all
    CHANGES = "changes"  # all records of the requested dates only
    WHOLE = "whole"


class Step(NamedTuple):
    """One answer of a list: the page, the slices cut from it, and the cursor to commit with them.

    `received` counts the slices of the list so far, over all runs. `announced` is the first and the last
    completeListSize; None when not stated. `doubts` are reasons why completeness is not shown; `notes` are sentences
    for the log; `losses` say what repairs removed from records that are still used. `compared` belongs to the last
    step, where the source has another list to compare with; None: it has none. `left_out` counts listed resources that
    are not metadata and that no metadata describes. `names` counts the records that the other list was seen to name.
    """

    page: RawPage
    slices: tuple[Slice, ...]
    cursor: Cursor
    received: int
    announced: tuple[int | None, int | None] = (None, None)
    end: ListEnd = ListEnd.MORE
    doubts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    compared: Compared | None = None
    left_out: int = 0
    names: int = 0

    @property
    def is_last(self) -> bool:
        """Return whether the list ended with this step, in any way."""
        return self.end is not ListEnd.MORE

    @property
    def is_complete(self) -> bool:
        """Return whether the list ended properly and without doubts."""
        return self.end is ListEnd.PROPER and not self.doubts


class Listed(NamedTuple):
    """One answer of a list of current identifiers: headers only, as slices without a place.

    `received` counts them so far, `announced` is the number that the source states. `doubts` are reasons why the list
    may be incomplete. `has_slipped`: the list changed while it was read, so an absent record may still exist.
    """

    slices: tuple[Slice, ...]
    received: int
    announced: int | None
    is_last: bool
    doubts: tuple[str, ...] = ()
    has_slipped: bool = False


class Finding(NamedTuple):
    """A finding of an audit: `what` is missing, changed, extra, corrupt or a doubt; `why` is a sentence."""

    what: str
    identifier: str
    why: str


class Channel(NamedTuple):
    """A channel of change notifications: the topic, and the hub for subscriptions (WebSub)."""

    topic: str
    hub: str


def topic_and_hub(answer: Fetched, links: Iterable[tuple[str, str]] = ()) -> tuple[str, str]:
    """Return the topic and the hub that an answer names: in its headers, else in the links of its document (§4).

    `links` are (relation, address) of its document. Without a topic, return its URL; without a hub, an empty text.
    """
    stated: dict[str, str] = {}
    for rel, href in (*((link.rel, link.href) for link in answer.links), *links):
        stated.setdefault(rel, href)
    return stated.get("self", answer.url), stated.get("hub", "")


class Recognised(NamedTuple):
    """A source recognised at an address: one sentence, and the fields of its table in `sources.toml`.

    `is_beside`: the address itself is something else and only leads to the source.
    """

    sentence: str
    table: Mapping[str, object]
    is_beside: bool = False


@dataclass(frozen=True, slots=True)
class SourceKind:
    """One kind of source.

    `describe(options, fetch)` asks once what the source is. `sets(options, description, fetch)` asks for its sets where
    `describe` did not; a harvest does so after its records. `taught(cursor, known)` returns a cursor with what was
    learned then.

    `changes(options, cursor, fetch)` walks the list of the cursor's metadataPrefix and set from the cursor's state on.
    It raises a GatewayError when it cannot continue; the steps before that stay valid.

    `listed(options, cursor, fetch)` yields the current identifiers of the cursor's list. `single(options, cursor,
    identifier, fetch)` returns one record, without a slice when it is gone. A kind with both can be swept.
    `is_elsewhere(page)` returns whether such an answer without a slice says that the record exists in other formats.

    `left(cursor)` returns pairs of dates between which requests failed, so that they can be repeated.

    `learned(cursors)` returns the knowledge from the lists of the source, for lists that have not begun.
    `profile(own, cursors)` returns the same for people; the source's own fields override it.

    `recognise(fetched, fetch)` returns what an address of unknown kind is, from its answer and further requests; None:
    not of this kind.

    `audit(options, cursor, fetch)` compares the stored records with the lists of the source, without fetching records.

    `channels(options, lists, fetch)` returns the channels of change notifications of these (metadataPrefix, setSpec).

    `begins_anew(state)` returns whether the list with this state starts again from all records; `asks_for_all(page)`
    whether a page is the first of such a list. `is_repository`: its identifiers belong to one repository permanently;
    those in folders of files need not.

    `is_listed_anew`: a full harvest receives every record that the source lists, and does not ask for others.

    `fields_of(url)` returns default values of fields that the address itself states.
    """

    name: str
    sentence: str
    options: tuple[Option, ...]
    describe: Callable[[Options, Fetch], Description]
    changes: Callable[[Options, Cursor, Fetch], Iterator[Step]]
    sets: Callable[[Options, Description, Fetch], Description] | None = None
    taught: Callable[[Cursor, str], Cursor] = lambda cursor, _known: cursor
    listed: Callable[[Options, Cursor, Fetch], Iterator[Listed]] | None = None
    single: Callable[[Options, Cursor, str, Fetch], tuple[RawPage, tuple[Slice, ...]]] | None = None
    is_elsewhere: Callable[[RawPage], bool] = lambda _page: False
    left: Callable[[Cursor], tuple[tuple[str, str], ...]] = lambda _cursor: ()
    learned: Callable[[Iterable[Cursor]], str] = lambda _cursors: ""
    profile: Callable[[Mapping[str, object], Iterable[Cursor]], dict[str, object]] = lambda _own, _cursors: {}
    recognise: Callable[[Fetched, Fetch], Recognised | None] = lambda _fetched, _fetch: None
    audit: Callable[[Options, Cursor, Fetch], Iterator[Finding]] | None = None
    channels: Callable[[Options, Iterable[tuple[str, str]], Fetch], tuple[Channel, ...]] | None = None
    begins_anew: Callable[[str], bool] = lambda state: not state
    asks_for_all: Callable[[RawPage], bool] = lambda _page: False
    is_repository: bool = True
    is_listed_anew: bool = False
    fields_of: Callable[[str], Mapping[str, object]] = lambda _url: {}

    @property
    def can_be_swept(self) -> bool:
        """Return whether it has `listed` and `single`."""
        return self.listed is not None and self.single is not None

    @property
    def takes_dates(self) -> bool:
        """Return whether it can be harvested between two dates."""
        return any(option.name == "from" for option in self.options)

    @property
    def own(self) -> dict[str, str]:
        """The fields that only this kind has, with their types."""
        return {option.name: option.type for option in self.options if option.type}


@cache
def kinds() -> dict[str, SourceKind]:
    """Return every kind of source by its name."""
    kinds = members(sys.modules[__name__], "SOURCE", SourceKind, lambda kind: kind.name, beside=SHARED)
    return {kind.name: kind for kind in kinds}


def kind_of(name: str) -> SourceKind:
    """Return the kind of source with this name. Raise ConfigurationError when there is none."""
    if name not in kinds():
        raise ConfigurationError(f"There is no kind of source {name!r}. Write one of: {', '.join(kinds())}.")
    return kinds()[name]
