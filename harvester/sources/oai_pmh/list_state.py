"""How far one OAI-PMH list has come: its position, the evidence of its completeness, the profile of its server. Pure.

The fields of all three are written into one JSON text, which a cursor keeps, as earlier releases did. What a cursor
holds may be old, or have been edited: every field is checked. Where a state cannot be read, the list begins anew, which
costs time and loses nothing.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from typing import Any

from harvester.http.dates import moment_of
from harvester.sources.oai_pmh.date_ranges import Window, window_of, windows_of

_VERSION = 2
_READ = (1, _VERSION)


class Phase(StrEnum):
    """The state of a list: a closed list. `transitions.py` says how it gets from one to another."""

    PAGES = "pages"  # the whole list, page by page
    WINDOW = "window"  # a part of it between two dates, page by page
    SINGLY = "singly"  # record by record, as ListIdentifiers names what has not come
    CHECK = "check"  # the same behind the end of the list: whether anything is missing
    OVER = "over"  # it has ended; nothing is asked for any more


# The phases that a stored state names; the other two follow from its `window`.
_STORED_PHASES = ("", Phase.SINGLY, Phase.CHECK)


class Dates(StrEnum):
    """Whether a server must be given dates: a closed list."""

    UNKNOWN = ""
    OPTIONAL = "optional"  # as the standard has it: without them, everything comes
    NEEDED = "needed"  # without them, nothing comes
    REFUSED = "refused"  # with them, nothing comes: every harvest is of the whole list


@dataclass(frozen=True, slots=True)
class Position:
    """Where a list stands, and what the lists before it have shown.

    `complete` is the responseDate of the first answer of the last list that was shown to be whole, in seconds since
    1970; 0: none. `reach` is the `from` of the list that it stands on, behind which it says nothing; empty: there was
    none. `left` are the windows that could not be had in any way.

    The others describe the list in progress. `is_window` marks a list of its own, asked for by `--from` and `--until`;
    `paused` is the state of the list that was in progress before it, which goes on when the window is over. `window` is
    the part that is being walked when the list could not be walked in one piece, `windows` are those to come after it;
    `phase` is how, `last` the last datestamp of it when they have come in order so far.
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
    refused: int = 0  # in how many ways the token was sent and not taken
    restarts: int = 0
    window: str = ""
    windows: str = ""
    phase: Phase = Phase.PAGES
    is_sliced: bool = False  # it was asked for in windows, from its beginning
    last: str = ""
    certain: str = ""  # up to when it came in order before it broke off, and was not asked for again

    @property
    def is_begun(self) -> bool:
        """Tell whether a list is in progress."""
        return bool(self.began or self.token)

    @property
    def here(self) -> Window:
        """The dates that are being walked: those of the window, or of the whole list."""
        return windows_of(self.window)[0] if self.window else self.whole

    @property
    def whole(self) -> Window:
        """The dates of the whole list. Raise ValueError when they are none."""
        return window_of(self.from_, self.until)

    def reaches(self, from_: str) -> bool:
        """Tell whether it began at this date or before, with the lists on which it stands."""
        reach, begin = moment_of(self.reach), moment_of(from_)
        return reach is None or (begin is not None and begin >= reach)

    def at_rest(self) -> Position:
        """Return what remains of it when the list in progress is over or given up."""
        return Position(self.complete, self.reach, self.left)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for and against the completeness of the list in progress: what was announced, and what came."""

    received: int = 0  # of the whole list; a record that came twice counts twice
    repeated: int = 0  # how many of those had come before
    late: int = 0  # how many were dated after the first answer, so that they were not there when it was given
    announced_first: int | None = None
    announced: int | None = None
    part: int = 0  # different records that came since the last request without a token
    part_announced: int | None = None
    cursor_first: int | None = None  # what the first answer of the part said
    in_windows: int = 0  # how many different records came before it in windows, where that was counted
    tally: int = 0  # what was announced of the windows that are over
    unsized: int = 0  # how many did not bring exactly what they announced
    names_set: bool = False  # whether all that came without a token says that it is in the set that was asked for
    keeps_dates: bool = False  # whether all that came without a token lies between the dates that were asked for
    is_unordered: bool = False
    is_doubted: bool = False  # something about it did not fit
    has_gaps: bool = False  # a window of it was left
    has_pages: bool = False  # whether ListRecords has brought any record of it

    @property
    def distinct(self) -> int:
        """How many different records have come, in the windows before it, too, where they were counted."""
        return self.received - self.repeated + self.in_windows

    @property
    def is_as_announced(self) -> bool:
        """Whether exactly as many different records have come as were announced, at the beginning and at the end."""
        return self.distinct == self.announced == self.announced_first

    @property
    def promised(self) -> int:
        """How many records were announced of the list at most, at its beginning or at its end; 0: none."""
        return max(self.announced_first or 0, self.announced or 0)

    @property
    def in_words(self) -> str:
        """The sentence for a number that was not kept."""
        return f"The source announced {self.promised} records and sent {self.distinct}."

    @property
    def has_less(self) -> bool:
        """Whether fewer came than were announced, or than there must be of those that the first answer counted.

        Where pages are counted, one record that goes and one that comes meanwhile leave all numbers as they are, and a
        third record unseen.
        """
        if self.announced is None:
            return False
        there = min(self.announced, self.distinct - self.late)
        return self.distinct < self.announced or there < (self.announced_first or 0)

    @property
    def has_moved(self) -> bool:
        """Whether records changed in a list without numbers and out of the order of its dates.

        Others may have slipped from page to page then. Where dates are in order, what changed comes again at the end.
        """
        return bool(self.late) and self.announced is None and self.is_unordered

    def is_short(self, tolerance: float = 0.0) -> bool:
        """Tell whether more than this share is missing of the records that were announced."""
        return self.promised - self.distinct > tolerance * self.promised


@dataclass(frozen=True, slots=True)
class Profile:
    """What was learned of a server, which outlives the list."""

    is_verbatim: bool = False  # whether this server wants its tokens back as they are written
    wants_prefix: bool = False  # whether it wants the metadataPrefix beside a token
    ignores_dates: bool = False  # whether it sends the same, whatever from and until are
    dates: str = Dates.UNKNOWN.value  # whether it must be given some
    granularity: str = ""  # the one that it takes, where it is not the one it announces
    is_first_generation: bool = False  # whether it speaks OAI-PMH 1.x, whose ListIdentifiers has no metadataPrefix
    is_verb_first: bool = False  # whether the verb stands before the arguments that its own address has
    best_page_ms: int = 0  # the least time in which a page of records came; 0: not known
    is_damaged: bool = False  # whether its compressed answers are damaged, so that it is asked for none
    formats_failed: int = 0  # seconds: when ListMetadataFormats failed the last time; 0: it did not
    sets_failed: int = 0  # the same of ListSets


@dataclass(frozen=True, slots=True)
class ListState:
    """A list in progress, or at rest."""

    position: Position = Position()
    evidence: Evidence = Evidence()
    profile: Profile = Profile()

    @property
    def here(self) -> Window:
        """The dates that are being walked: those of the window, or of the whole list."""
        return self.position.here

    def moved(self, **changes: Any) -> ListState:  # noqa: ANN401 - as the fields are
        """Return it with another position, of which these fields are others."""
        return replace(self, position=replace(self.position, **changes))

    def noted(self, **changes: Any) -> ListState:  # noqa: ANN401 - as the fields are
        """Return it with other evidence, of which these fields are others."""
        return replace(self, evidence=replace(self.evidence, **changes))

    def learning(self, **changes: Any) -> ListState:  # noqa: ANN401 - as the fields are
        """Return it with another profile of the server, of which these fields are others."""
        return replace(self, profile=replace(self.profile, **changes))

    def within(self, from_: str) -> ListState:
        """Return it with what `complete` says of a list from this date on: nothing, when its reach is not so far."""
        is_of_it = self.position.complete and self.position.reaches(from_)
        return self if is_of_it else self.moved(complete=0, reach=from_)

    def at_rest(self) -> ListState:
        """Return what remains of it when the list in progress is over or given up."""
        return ListState(self.position.at_rest(), profile=self.profile)


_VALUES = {"position": Position, "evidence": Evidence, "profile": Profile}
# The fields of a stored state and their types. Its `rung` is the phase, in the words of earlier releases.
_KINDS = {field.name: type(field.default) for value in _VALUES.values() for field in fields(value)} | {"rung": str}
del _KINDS["phase"]


def made_of(**values: Any) -> ListState:  # noqa: ANN401 - as the fields are
    """Return a list of which these fields, of whichever of the three values, are not as at the beginning."""
    return ListState(
        *(
            value(**{field.name: values[field.name] for field in fields(value) if field.name in values})
            for value in _VALUES.values()
        )
    )


def state_of(text: str) -> tuple[ListState, str]:
    """Read the state of a cursor; with a sentence when it could not be read and a new one stands for it."""
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
    state = made_of(**values, phase=Phase(phase))
    # Of a list that an earlier release began, all that came stands in one part.
    return (state if version == _VERSION else state.noted(part=state.evidence.received)), ""


def _fits(values: dict[str, object]) -> bool:
    typed = all(
        name in _KINDS
        and (type(value) is _KINDS[name] or (_KINDS[name] is type(None) and type(value) in (int, type(None))))
        for name, value in values.items()
    )
    are_known = values.get("rung", "") in _STORED_PHASES and values.get("dates", "") in tuple(Dates)
    return typed and are_known and _are_windows(values)


def _are_windows(values: dict[str, object]) -> bool:
    """Tell whether all windows can be read as such."""
    try:
        for name in ("window", "windows", "left"):
            windows_of(str(values.get(name, "")))
        window_of(str(values.get("certain", "")), str(values.get("last", "")))
    except ValueError:
        return False
    return True


def text_of(state: ListState) -> str:
    """Return a state as the text of a cursor."""
    plain = _flat(ListState())
    values = {name: value for name, value in _flat(state).items() if value != plain[name]}
    return json.dumps({"version": _VERSION, **values}, ensure_ascii=False, sort_keys=True)


def _flat(state: ListState) -> dict[str, object]:
    values = {name: value for values in asdict(state).values() for name, value in values.items()}
    phase = values.pop("phase")
    return values | {"rung": phase.value if phase in _STORED_PHASES else ""}
