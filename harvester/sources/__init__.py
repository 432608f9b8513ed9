"""One file per kind of source; each exports `SOURCE`, a `SourceKind`. A source is handed `fetch`, it never reaches out.

A source describes itself (`describe`) and walks one list at a time (`changes`): every answer becomes a `Step`, which
the pipeline commits whole, page, slices and cursor in one transaction, before it asks for the next.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from typing import NamedTuple, Protocol

from gateway.errors import ConfigurationError
from gateway.model import Cursor, Format, Identity, RawPage, SetDescription, Slice
from gateway.registry import members
from harvester.sources._answers import Answers
from harvester.sources._budget import Budget
from harvester.wire.http import Fetch, Fetched
from harvester.wire.seen import Seen

# How the problem of a record begins that is known and could not be fetched; `run --retry-failed` asks for it again.
UNFETCHED = "It could not be fetched: "


class Option(NamedTuple):
    """One field of `sources.toml` that a kind of source reads: its name and one sentence.

    A field that other kinds do not have says its `type`, in the words of `sources_file.FIELDS`.
    """

    name: str
    sentence: str
    type: str = ""


class Held(NamedTuple):
    """What is held of one item in the format of a list: its last good payload, and what was said about it."""

    identifier: str
    is_deleted: bool
    datestamp: str
    content: bytes
    abouts: tuple[bytes, ...]
    is_as_received: bool  # and not repaired, or brought into UTF-8
    page_url: str = ""  # the address of the page on which it arrived


class Holdings(Protocol):
    """What is held of a source when a run begins, for sources that do not tell themselves what changed."""

    def item(self, identifier: str, metadata_prefix: str) -> Held | None:
        """Return one item in one format; None when nothing of it is held."""
        ...

    def items(self, metadata_prefix: str) -> Iterator[Held]:
        """Return every item that is held in a format, deleted ones too."""
        ...

    def names(self, identifiers: Sequence[str], metadata_prefix: str) -> frozenset[str]:
        """Return which of these are held in a format, deleted ones too."""
        ...


class NothingHeld:
    """The holdings of a source that is harvested for the first time, or of which nobody may know."""

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
    """What a source is told about its harvest. Dates are UTCdatetimes as the administrator wrote them, or empty.

    `from_` and `until` bound every harvest of the source. `window` is for one run only (`--from`, `--until`): that list
    is walked on its own and leaves the incremental harvest where it was. `granularity` is what `describe` found.
    `holdings` is what is held of the source, `own` the fields that only this kind of source has.
    `known` is what was learned of the source before, as the state of a list that has not begun.
    `arrived(cursor, since)` names the records of the cursor's list that have come since a second; None: nobody knows.
    `most_bytes` is how many bytes one document may have that is packed in its answer. `budget` is what the fallback
    steps of the run may cost, `answers` how many of ListIdentifiers it may read to compare its lists. `asks_anew`: what
    failed before is asked for again, however short a time ago that was.
    `is_part`: the list is one of the windows of another, which is compared as a whole. `came` are the records that the
    run has had of it and of the windows that it is a part of: they renew no budget. `windows_from` is the date from
    which on windows have brought all that lies before `from_`; None: they have not. `is_behind_new`: in this very run.
    `announced_tolerance` is the share of the announced records that may be missing in a list that is whole.
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

    def after(self, description: Description) -> Options:
        """Return the options of the lists: what the source has said of itself counts from there on."""
        return replace(self, granularity=description.granularity, known=description.known)


class Description(NamedTuple):
    """What a source says about itself, and the answers it said it in, to be kept.

    `notes` are sentences about what could not be read; they do not hinder a harvest. `known` is what is known of the
    source by then, for its lists. `told_at` is the second of its own clock at which it said so, if it tells. `identity`
    is which repository it says it is; None for a kind of source that has no name of its own.
    """

    pages: tuple[RawPage, ...]
    repository_name: str
    base_url: str  # as the source gives it; never used for requests
    granularity: str  # `YYYY-MM-DD` or `YYYY-MM-DDThh:mm:ssZ`
    earliest_datestamp: str
    deleted_record: str
    formats: tuple[Format, ...]
    sets: tuple[SetDescription, ...]
    notes: tuple[str, ...] = ()
    known: str = ""
    told_at: int | None = None
    identity: Identity | None = None


class ListEnd(StrEnum):
    """How a list ended: a closed list. `MORE`: it has not."""

    MORE = "more"
    PROPER = "proper"  # the source said that this was the last page, and nothing speaks against it
    TOKEN_REPEATED = "token_repeated"  # noqa: S105 - no secret: the source gave the same token twice
    EMPTY_PAGES = "empty_pages"  # page after page without a record, and always a further token
    GAPS = "gaps"  # something is missing, or it cannot be shown that nothing is


class Compared(StrEnum):
    """With how much of what the source names beside its list was compared what came: a closed list."""

    NOTHING = "nothing"
    PART = "part"  # at most four answers, as nothing spoke against the list
    CHANGES = "changes"  # all of the dates that were asked for, which are not all
    WHOLE = "whole"


class Step(NamedTuple):
    """One answer of a list: what arrived, what was cut from it, and the cursor to commit together with them.

    `received` counts the slices of the list so far, over all runs that walked it. `announced` is what the source said
    the whole list has: first and last completeListSize, None when it said nothing. `doubts` are the reasons why it is
    not shown that the list is whole; `notes` are sentences for the log; `losses` tell what mending this answer has cost
    of records that are used nevertheless. `compared` is said of a last step where the source has another list of what
    it has; None: it has none. `left_out` counts listed resources that are no metadata, and that none describes.
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

    @property
    def is_last(self) -> bool:
        """Tell whether the list ended with this step, properly or not."""
        return self.end is not ListEnd.MORE

    @property
    def is_complete(self) -> bool:
        """Tell whether the list ended properly and nothing speaks against its being whole."""
        return self.end is ListEnd.PROPER and not self.doubts


class Listed(NamedTuple):
    """One answer that names what a source still has: headers only, as slices without a place.

    `received` counts them so far, `announced` is what the source said there are. `doubts` are the reasons why it is not
    shown that all are named. `has_slipped`: the list moved while it was read, so what it does not name may be there.
    """

    slices: tuple[Slice, ...]
    received: int
    announced: int | None
    is_last: bool
    doubts: tuple[str, ...] = ()
    has_slipped: bool = False


class Finding(NamedTuple):
    """What an audit found: `what` is missing, changed, extra or corrupt, or a doubt; `why` is a sentence."""

    what: str
    identifier: str
    why: str


class Channel(NamedTuple):
    """Where a source tells of its changes: the topic, and the hub at which one subscribes to it."""

    topic: str
    hub: str


class Recognised(NamedTuple):
    """What an address was seen to be: in one sentence, and as the fields of its table in `sources.toml`.

    `is_beside`: the address is something else, and only leads there.
    """

    sentence: str
    table: Mapping[str, object]
    is_beside: bool = False


@dataclass(frozen=True, slots=True)
class SourceKind:
    """One kind of source.

    `describe(options, fetch)` asks once what the source is. `changes(options, cursor, fetch)` walks the list of the
    cursor's metadataPrefix and set from where its state says, and raises an error of ours when it cannot go on;
    what it yielded before remains good.

    `listed(options, cursor, fetch)` names everything that the cursor's list has now, and `single(options, cursor,
    identifier, fetch)` brings one record, without a slice when it is gone. A kind that has both can be swept.
    `is_elsewhere(page)` tells of such an answer without a slice whether the source says in it that it has the record,
    and in other formats only.

    `left(cursor)` tells between which dates nothing could be had, so that it can be asked for again.

    `learned(cursors)` returns what the lists of the source have taught, for lists that have not begun; `profile(own,
    cursors)` the same for people, with what the source's own fields say instead.

    `recognise(fetched, fetch)` tells whether an address of unknown kind, whose answer is given, is one of this kind; it
    may ask it for more. None: it is not.

    `audit(options, cursor, fetch)` compares what is held with what the source says that it has, without fetching that.

    `channels(options, fetch)` returns where the source tells of its changes.

    `begins_anew(state)` tells whether the list with this state begins again, with the whole of what the source has;
    `asks_for_all(page)` whether a page is the first of such a list, however it has come to that.
    `is_repository`: what it holds bears the identifiers of one repository for ever; folders of files need not.

    `fields_of(url)` returns the fields of an entry that the address itself says, for those that are left out.
    """

    name: str
    sentence: str
    options: tuple[Option, ...]
    describe: Callable[[Options, Fetch], Description]
    changes: Callable[[Options, Cursor, Fetch], Iterator[Step]]
    listed: Callable[[Options, Cursor, Fetch], Iterator[Listed]] | None = None
    single: Callable[[Options, Cursor, str, Fetch], tuple[RawPage, tuple[Slice, ...]]] | None = None
    is_elsewhere: Callable[[RawPage], bool] = lambda _page: False
    left: Callable[[Cursor], tuple[tuple[str, str], ...]] = lambda _cursor: ()
    learned: Callable[[Iterable[Cursor]], str] = lambda _cursors: ""
    profile: Callable[[Mapping[str, object], Iterable[Cursor]], dict[str, object]] = lambda _own, _cursors: {}
    recognise: Callable[[Fetched, Fetch], Recognised | None] = lambda _fetched, _fetch: None
    audit: Callable[[Options, Cursor, Fetch], Iterator[Finding]] | None = None
    channels: Callable[[Options, Fetch], tuple[Channel, ...]] | None = None
    begins_anew: Callable[[str], bool] = lambda state: not state
    asks_for_all: Callable[[RawPage], bool] = lambda _page: False
    is_repository: bool = True
    fields_of: Callable[[str], Mapping[str, object]] = lambda _url: {}

    @property
    def can_be_swept(self) -> bool:
        """Tell whether it can name everything it has, and bring one record."""
        return self.listed is not None and self.single is not None

    @property
    def takes_dates(self) -> bool:
        """Tell whether it can be asked for what lies between two dates."""
        return any(each.name == "from" for each in self.options)

    @property
    def own(self) -> dict[str, str]:
        """The fields that only this kind has, with their types."""
        return {each.name: each.type for each in self.options if each.type}


@cache
def kinds() -> dict[str, SourceKind]:
    """Return every kind of source by its name."""
    return {each.name: each for each in members(sys.modules[__name__], "SOURCE", SourceKind, lambda each: each.name)}


def kind_of(name: str) -> SourceKind:
    """Return one kind of source. Raise ConfigurationError when there is none of that name."""
    if name not in kinds():
        raise ConfigurationError(f"There is no kind of source {name!r}; there are: {', '.join(kinds())}.")
    return kinds()[name]
