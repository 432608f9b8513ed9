"""How far one OAI-PMH list has come, as the JSON text that its cursor keeps. Pure.

What a cursor holds may be old, or have been edited: every field is checked, and a state that cannot be read means from
the start, which costs time and loses nothing.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum

from harvester.wire.dates import moment_of
from harvester.wire.windows import Window, window_of, windows_of

_VERSION = 2
_READ = (1, _VERSION)


class Rung(StrEnum):
    """How the present window is being harvested: a closed list."""

    PAGES = ""  # page by page, from token to token
    SINGLY = "singly"  # what ListIdentifiers names and has not come, record by record
    CHECK = "check"  # the same for the whole list, after its end: whether anything is missing


class Dates(StrEnum):
    """Whether a server must be given dates: a closed list."""

    UNKNOWN = ""
    OPTIONAL = "optional"  # as the standard has it: without them, everything comes
    NEEDED = "needed"  # without them, nothing comes
    REFUSED = "refused"  # with them, nothing comes: every harvest is of the whole list


@dataclass(frozen=True, slots=True)
class ListState:
    """A list in progress, or at rest.

    `complete` is the responseDate of the first answer of the last list that was shown to be whole, in seconds; 0: none.
    `reach` is the `from` of the list that it stands on, behind which it says nothing; empty: there was none.
    `left` are the windows that could not be had in any way.

    The last ones, from `is_verbatim` on, are what was learned of this server; the others describe the list in progress:
    what was asked, when its first answer was given, what came so far. `is_window` marks a list of its own, asked for by
    `--from` and `--until`; `paused` is the state of the list that was in progress before it, which goes on when the
    window is over. `window` is the part that is being walked when the list could not be walked in one piece, `windows`
    are those to come after it; `rung` is how, `last` the last datestamp of it when they have come in order so far.
    """

    complete: int = 0
    token: str = ""
    from_: str = ""
    until: str = ""
    is_window: bool = False
    paused: str = ""
    first: int = 0  # seconds: the responseDate of the first answer of the list in progress
    received: int = 0  # of the whole list; a record that came twice counts twice
    repeated: int = 0  # how many of those had come before
    late: int = 0  # how many were dated after the first answer, so that they were not there when it was given
    announced_first: int | None = None
    announced: int | None = None
    began: int = 0  # seconds of our own clock at the first answer
    refused: int = 0  # in how many ways the token was sent and not taken
    window: str = ""
    windows: str = ""
    rung: str = Rung.PAGES.value
    part: int = 0  # different records that came since the last request without a token
    part_announced: int | None = None
    cursor_first: int | None = None  # what the first answer of the part said
    tally: int = 0  # what was announced of the windows that are over
    unsized: int = 0  # how many did not bring exactly what they announced
    names_set: bool = False  # whether all that came without a token says that it is in the set that was asked for
    keeps_dates: bool = False  # whether all that came without a token lies between the dates that were asked for
    last: str = ""
    is_unordered: bool = False
    certain: str = ""  # up to when it came in order before it broke off, and was not asked for again
    is_sliced: bool = False  # it was asked for in windows, from its beginning
    reach: str = ""
    is_doubted: bool = False  # something about it did not fit
    has_gaps: bool = False  # a window of it was left
    restarts: int = 0
    in_windows: int = 0  # how many different records came before it in windows, where that was counted
    has_pages: bool = False  # whether ListRecords has brought any record of it
    left: str = ""
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

    @property
    def distinct(self) -> int:
        """How many different records have come, in the windows before it, too, where they were counted."""
        return self.received - self.repeated + self.in_windows

    def reaches(self, from_: str) -> bool:
        """Tell whether it began at this date or before, with the lists on which it stands."""
        reach, begin = moment_of(self.reach), moment_of(from_)
        return reach is None or (begin is not None and begin >= reach)

    def within(self, from_: str) -> ListState:
        """Return it with what `complete` says of a list from this date on: nothing, when its reach is not so far."""
        return self if self.complete and self.reaches(from_) else replace(self, complete=0, reach=from_)

    def at_rest(self) -> ListState:
        """Return what remains of it when the list in progress is over or given up."""
        return ListState(
            self.complete,
            reach=self.reach,
            left=self.left,
            is_verbatim=self.is_verbatim,
            wants_prefix=self.wants_prefix,
            ignores_dates=self.ignores_dates,
            dates=self.dates,
            granularity=self.granularity,
            is_first_generation=self.is_first_generation,
            is_verb_first=self.is_verb_first,
            best_page_ms=self.best_page_ms,
            is_damaged=self.is_damaged,
            formats_failed=self.formats_failed,
            sets_failed=self.sets_failed,
        )

    def learned(self) -> ListState:
        """Return a list that has not begun, with what is known of its server."""
        return replace(self.at_rest(), complete=0, reach="", left="")


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
    state = ListState(**values)
    # Of a list that an earlier release began, all that came stands in one part.
    return (state if version == _VERSION else replace(state, part=state.received)), ""


def _fits(values: dict[str, object]) -> bool:
    kinds = {each.name: type(each.default) for each in fields(ListState)}
    typed = all(
        name in kinds
        and (type(value) is kinds[name] or (kinds[name] is type(None) and type(value) in (int, type(None))))
        for name, value in values.items()
    )
    are_known = values.get("rung", "") in tuple(Rung) and values.get("dates", "") in tuple(Dates)
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
    plain = asdict(ListState())
    values = {name: value for name, value in asdict(state).items() if value != plain[name]}
    return json.dumps({"version": _VERSION, **values}, ensure_ascii=False, sort_keys=True)
