"""The state of one OAI-PMH list: its position, the evidence of its completeness, the profile of its server. Pure.

The fields of all three are written into one JSON text, which is stored in a cursor, as in earlier releases. The text of
a cursor may be old or edited, so every field is checked. If a state cannot be read, the list begins again: that takes
time and loses nothing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any

from harvester.http.dates import moment_of
from harvester.sources.oai_pmh.date_ranges import Window, text_of_windows, window_of, windows_of

_VERSION = 2
_READ = (1, _VERSION)


class Phase(StrEnum):
    """The phase of a list: a closed list, in the order in which its strategies are tried."""

    PAGES = "pages"  # the whole list, page by page
    WINDOW = "window"  # a part of it between two dates, page by page
    SINGLY = "singly"  # record by record: ListIdentifiers names those that have not come
    CHECK = "check"  # the same after the end of the list, to find missing records
    OVER = "over"  # it has ended; nothing is asked for any more


# The phases that a stored state names; the other two follow from its `window`.
_STORED_PHASES = ("", Phase.SINGLY, Phase.CHECK)


class Dates(StrEnum):
    """Whether a server must be given dates: a closed list."""

    UNKNOWN = ""
    OPTIONAL = "optional"  # as in the standard: without them, all records come
    NEEDED = "needed"  # without them, no record comes
    REFUSED = "refused"  # with them, no record comes: every harvest is of the whole list


@dataclass(frozen=True, slots=True)
class Position:
    """The position in a list, and the dates that earlier lists have shown to be complete.

    `complete` is the responseDate of the first answer of the last list that was shown to be whole, in seconds since
    1970; 0: none. `reach` is the `from` of the list on which it builds: it says nothing about earlier dates; empty:
    there was none. `left` are the windows that could not be harvested in any way.

    The others describe the list in progress. `is_window` marks a separate list, requested by `--from` and `--until`.
    `paused` is the state of the list that was in progress before it, and continues after it. If the list could not be
    walked as a whole, `window` is the part that is being walked, and `windows` are the next ones. `phase` is the way of
    walking. `last` is the last datestamp, as long as the datestamps have come in order.
    """

    complete: int = 0
    reach: str = ""
    left: str = ""
    token: str = ""
    from_: str = ""
    until: str = ""
    is_window: bool = False
    paused: str = ""
    first: int = 0  # seconds: the responseDate of the first answer of the list in progress
    began: int = 0  # seconds of our own clock at the first answer
    refused: int = 0  # in how many ways the token was sent and refused
    restarts: int = 0
    window: str = ""
    windows: str = ""
    phase: Phase = Phase.PAGES
    is_sliced: bool = False  # it was requested in windows from its beginning
    last: str = ""
    least: str = ""  # the last datestamp, as long as the datestamps have come from the newest to the oldest
    certain: str = ""  # until this date it came in order before it broke off, and was not requested again

    @property
    def is_begun(self) -> bool:
        """Return whether a list is in progress."""
        return bool(self.began or self.token)

    @property
    def here(self) -> Window:
        """The dates that are being walked: those of the window, or of the whole list."""
        return windows_of(self.window)[0] if self.window else self.whole

    @property
    def ordered(self) -> str:
        """The last datestamp of a list in order, from the oldest to the newest or the other way; empty for no order."""
        return self.last or self.least

    def from_last(self, date: str = "") -> Window:
        """Return the dates from the last one on, or from another one on, in the order of the list."""
        here, date = self.here, date or self.ordered
        return Window(here.from_, date) if self.least and not self.last else Window(date, here.until)

    @property
    def whole(self) -> Window:
        """The dates of the whole list. Raise ValueError when they are none."""
        return window_of(self.from_, self.until)

    def reaches(self, from_: str) -> bool:
        """Return whether it began at this date or before, with the lists on which it builds."""
        reach, begin = moment_of(self.reach), moment_of(from_)
        return reach is None or (begin is not None and begin >= reach)

    def at_rest(self) -> Position:
        """Return what remains of it when the list in progress is over or given up."""
        return Position(self.complete, self.reach, self.left)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence for and against the completeness of the list in progress: announced and received numbers."""

    received: int = 0  # of the whole list; a record that came twice counts twice
    repeated: int = 0  # how many of those had come before
    late: int = 0  # how many are dated after the first answer, and so were not counted in it
    announced_first: int | None = None
    announced: int | None = None
    twins: int = 0  # how many came as living and as deleted, each counted once in `received` beside the first
    uneven: int = 0  # pages in the middle that had fewer records than another one
    short: str = ""  # the dates around some of these pages
    is_settled: bool = False  # whether ListIdentifiers, or ListRecords, was asked for these dates
    mixed: int = 0  # so many records the whole list had then, if it was in no order
    disputed: str = ""  # the window of records that came as living and as deleted with one date
    in_windows: int = 0  # different records of the windows before it, if counted
    tally: int = 0  # the sum of announced sizes of the windows that are over
    unsized: int = 0  # how many windows did not bring exactly the announced number
    names_set: bool = False  # whether all records of requests without a token name the requested set
    keeps_dates: bool = False  # whether all records of requests without a token have a requested date
    is_doubted: bool = False  # some numbers or dates contradict
    breaks_off: bool = False  # it ended otherwise than the standard says, and no number shows that this was its end
    is_unread: bool = False  # something not understood stood where a token belongs
    has_gaps: bool = False  # a window of it failed
    has_pages: bool = False  # whether ListRecords has brought any record of it

    @property
    def distinct(self) -> int:
        """How many different records have come, also in the windows before it, if they were counted."""
        return self.received - self.repeated - self.twins + self.in_windows

    @property
    def counted(self) -> int:
        """The number to compare with the announced one, which may count a living record and its tombstone as two."""
        return self.distinct + (self.twins if self.promised > self.distinct else 0)

    @property
    def is_as_announced(self) -> bool:
        """Return whether the number of different records is the announced one, at the beginning and at the end."""
        return self.counted == self.announced == self.announced_first

    @property
    def promised(self) -> int:
        """The largest announced number of records, at the beginning or at the end of the list; 0: none."""
        return max(self.announced_first or 0, self.announced or 0)

    @property
    def in_words(self) -> str:
        """The sentence for an announced number that was not reached."""
        return f"The source announced {self.promised} records and sent {self.distinct}."

    @property
    def has_less(self) -> bool:
        """Return whether fewer records came than were announced, or than must remain of those in the first count.

        With counted pages, one record may be deleted and one added during the list. Then all numbers stay as they are,
        and a third record is not seen.
        """
        if self.announced is None:
            return False
        there = min(self.announced, self.counted - self.late)
        return self.counted < self.announced or there < (self.announced_first or 0)

    def is_short(self, tolerance: float = 0.0) -> bool:
        """Return whether more than this share of the announced records is missing."""
        return self.promised - self.counted > tolerance * self.promised


@dataclass(frozen=True, slots=True)
class Part:
    """What has come of a part of the list: it begins again with every request without a token."""

    count: int = 0  # different records
    twins: int = 0
    announced: int | None = None
    cursor_first: int | None = None  # the cursor of the first answer
    most: int = 0  # records of the largest page
    previous: int | None = None  # records of the last page, if there was one
    edge: str = ""  # the last datestamp of the page before that, and of that page itself
    edge_after: str = ""
    is_unordered: bool = False
    is_unfalling: bool = False


@dataclass(frozen=True, slots=True)
class Profile:
    """The facts learned of a server. They stay valid after the list."""

    is_verbatim: bool = False  # whether this server wants its tokens as they are written, without decoding
    wants_prefix: bool = False  # whether it wants the metadataPrefix beside a token
    ignores_dates: bool = False  # whether it sends the same records for any `from` and `until`
    dates: str = Dates.UNKNOWN.value  # whether it needs dates
    granularity: str = ""  # the one that it accepts, if it is not the announced one
    is_first_generation: bool = False  # whether it speaks OAI-PMH 1.x, whose ListIdentifiers has no metadataPrefix
    is_verb_first: bool = False  # whether the verb is before the arguments of its own address
    best_page_ms: int = 0  # the shortest time of a page of records; 0: not known
    is_damaged: bool = False  # whether its compressed answers are damaged; then none is requested
    formats_failed: int = 0  # seconds: when ListMetadataFormats failed the last time; 0: it did not
    sets_failed: int = 0  # the same of ListSets


@dataclass(frozen=True, slots=True)
class ListState:
    """A list in progress, or at rest."""

    position: Position = Position()
    evidence: Evidence = Evidence()
    profile: Profile = Profile()
    part: Part = Part()

    @property
    def here(self) -> Window:
        """The dates that are being walked: those of the window, or of the whole list."""
        return self.position.here

    def moved(self, **changes: Any) -> ListState:  # noqa: ANN401 - as the fields are
        """Return it with these fields of its position changed."""
        return replace(self, position=replace(self.position, **changes))

    def noted(self, **changes: Any) -> ListState:  # noqa: ANN401 - as the fields are
        """Return it with these fields of its evidence changed."""
        return replace(self, evidence=replace(self.evidence, **changes))

    def of_part(self, **changes: Any) -> ListState:  # noqa: ANN401 - as the fields are
        """Return it with these fields of its part changed."""
        return replace(self, part=replace(self.part, **changes))

    def learning(self, **changes: Any) -> ListState:  # noqa: ANN401 - as the fields are
        """Return it with these fields of the server's profile changed."""
        return replace(self, profile=replace(self.profile, **changes))

    def within(self, from_: str) -> ListState:
        """Return it with `complete` for a list from this date on: 0 if its reach is not far enough."""
        is_of_it = self.position.complete and self.position.reaches(from_)
        return self if is_of_it else self.moved(complete=0, reach=from_)

    def at_rest(self) -> ListState:
        """Return what remains of it when the list in progress is over or given up."""
        return ListState(self.position.at_rest(), profile=self.profile)

    # -- which strategy walks it --

    def restarted(self) -> ListState:
        """Return it before a request without a token and without a window (PAGES)."""
        begun = self.moved(token="", refused=0, window="", windows="", phase=Phase.PAGES, last="", least="")
        return replace(begun, part=Part())

    def without_windows(self) -> ListState:
        """Return it walked as one from here on (PAGES)."""
        return self.moved(window="", windows="", phase=Phase.PAGES)

    def in_window(self, window: Window, *others: Window) -> ListState:
        """Return it at the beginning of a window (WINDOW); `others` follow it, before those that wait already."""
        waiting = " ".join(filter(None, (text_of_windows(*others), self.position.windows)))
        return self.restarted().moved(window=str(window), windows=waiting, phase=Phase.WINDOW)

    def in_next_window(self) -> ListState | None:
        """Return it at the beginning of its next window, None after the last."""
        waiting = windows_of(self.position.windows)
        return self.moved(windows=text_of_windows(*waiting[1:])).in_window(waiting[0]) if waiting else None

    def singly(self) -> ListState:
        """Return it before its records are asked for one by one (SINGLY)."""
        return self.moved(phase=Phase.SINGLY)

    def checked(self, window: Window) -> ListState:
        """Return it, which has ended, before it is compared with ListIdentifiers between two dates (CHECK)."""
        return self.moved(token="", window=str(window), phase=Phase.CHECK)

    # -- how many records of the part have come, and how many were announced --

    @property
    def has_moved(self) -> bool:
        """Whether records changed in a list without numbers and out of the order of its dates.

        Then others may have moved between pages, unseen. If dates are in order, changed records come again at the end.
        """
        return bool(self.evidence.late) and self.evidence.announced is None and self.part.is_unordered

    @property
    def size(self) -> int | None:
        """How many records were announced of what is being walked."""
        return self.part.announced if self.position.window else self.evidence.announced

    @property
    def _count(self) -> int:
        """How many records of the part have come; a tombstone beside its living record counts if the size is larger."""
        return self.part.count + (self.part.twins if (self.size or 0) > self.part.count else 0)

    @property
    def is_past(self) -> bool:
        """Whether exactly as many records have come as were announced. More than that: the number is wrong."""
        return self._count == self.size

    @property
    def is_short(self) -> bool:
        """Whether fewer records have come than were announced."""
        return self.size is not None and self._count < self.size

    @property
    def has_size(self) -> bool:
        """Whether a number was announced that may be that of the list: not of one page, or of all so far."""
        is_steady = bool(self.position.window) or self.evidence.announced == self.evidence.announced_first
        return self.size is not None and is_steady and self.part.count <= self.size


_VALUES = {"position": Position, "evidence": Evidence, "profile": Profile, "part": Part}
# The fields of a stored state by their stored names, where they are, and their types.
_STORED_NAMES = {("part", "count"): "part", ("part", "twins"): "part_twins", ("part", "announced"): "part_announced"}
_STORED_NAMES |= {("position", "phase"): "rung"}  # its name in earlier releases
_FIELDS = {
    _STORED_NAMES.get((name, field.name), field.name): (name, field)
    for name, value in _VALUES.items()
    for field in fields(value)
}
_KINDS = {name: type(field.default) for name, (_, field) in _FIELDS.items()} | {"rung": str}


def made_of(**values: Any) -> ListState:  # noqa: ANN401 - as the fields are
    """Return a new list with these fields changed, by their stored names."""
    changes: dict[str, dict[str, Any]] = {name: {} for name in _VALUES}
    for name, value in values.items():
        part, field = _FIELDS[name]
        changes[part][field.name] = value
    return ListState(**{name: _VALUES[name](**changed) for name, changed in changes.items()})


def state_of(text: str) -> tuple[ListState, str]:
    """Read the state of a cursor. If it cannot be read, return a new state and a sentence."""
    if not text:
        return ListState(), ""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return ListState(), "The state of this list could not be read; it begins anew."
    version = values.pop("version", None) if isinstance(values, dict) else None
    if version not in _READ or not _fits(values):
        return ListState(), "The state of this list is not one of ours; it begins anew."
    phase = values.pop("rung", "") or (Phase.WINDOW if values.get("window") else Phase.PAGES)
    state = made_of(**values, rung=Phase(phase))
    # If an earlier release began the list, all its records are in one part.
    return (state if version == _VERSION else state.of_part(count=state.evidence.received)), ""


def _fits(values: dict[str, object]) -> bool:
    typed = all(
        name in _KINDS
        and (type(value) is _KINDS[name] or (_KINDS[name] is type(None) and type(value) in (int, type(None))))
        for name, value in values.items()
    )
    are_known = values.get("rung", "") in _STORED_PHASES and values.get("dates", "") in tuple(Dates)
    return typed and are_known and _are_windows(values)


def _are_windows(values: dict[str, object]) -> bool:
    """Return whether all windows can be read as such."""
    try:
        for name in ("window", "windows", "left", "short", "disputed"):
            windows_of(str(values.get(name, "")))
        window_of(str(values.get("certain", "")), str(values.get("last", "")))
        window_of("", str(values.get("least", "")))
    except ValueError:
        return False
    return True


def text_of(state: ListState) -> str:
    """Return a state as the text of a cursor."""
    plain = _flat(ListState())
    values = {name: value for name, value in _flat(state).items() if value != plain[name]}
    return json.dumps({"version": _VERSION, **values}, ensure_ascii=False, sort_keys=True)


def _flat(state: ListState) -> dict[str, object]:
    values = {name: getattr(getattr(state, value), field.name) for name, (value, field) in _FIELDS.items()}
    phase = state.position.phase
    return values | {"rung": phase.value if phase in _STORED_PHASES else ""}
