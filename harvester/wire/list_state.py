"""How far one OAI-PMH list has come, as the JSON text that its cursor keeps. Pure.

What a cursor holds may be old, or have been edited: every field is checked, and a state that cannot be read means from
the start, which costs time and loses nothing.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields

_VERSION = 1


@dataclass(frozen=True, slots=True)
class ListState:
    """A list in progress (`token` is not empty), or at rest.

    `complete` is the responseDate of the first answer of the last list that was shown to be whole, in seconds; 0: none.
    The rest describes the list in progress: what was asked, when its first answer was given, what came so far.
    `is_window` marks a list of its own, asked for by `--from` and `--until`; `paused` is the state of the list that was
    in progress before it, which goes on when the window is over.
    """

    complete: int = 0
    token: str = ""
    from_: str = ""
    until: str = ""
    is_window: bool = False
    paused: str = ""
    first: int = 0  # seconds: the responseDate of the first answer of the list in progress
    received: int = 0
    announced_first: int | None = None
    announced: int | None = None
    is_verbatim: bool = False  # whether this server wants its tokens back as they are written


def state_of(text: str) -> tuple[ListState, str]:
    """Read the state of a cursor; with a sentence when it could not be read and a new one stands for it."""
    if not text:
        return ListState(), ""
    try:
        values = json.loads(text)
    except ValueError:
        return ListState(), "The state of this list could not be read; it begins anew."
    if not isinstance(values, dict) or values.pop("version", None) != _VERSION or not _fits(values):
        return ListState(), "The state of this list is not one of ours; it begins anew."
    return ListState(**values), ""


def _fits(values: dict[str, object]) -> bool:
    kinds = {each.name: type(each.default) for each in fields(ListState)}
    return all(
        name in kinds
        and (type(value) is kinds[name] or (kinds[name] is type(None) and type(value) in (int, type(None))))
        for name, value in values.items()
    )


def text_of(state: ListState) -> str:
    """Return a state as the text of a cursor."""
    plain = asdict(ListState())
    values = {name: value for name, value in asdict(state).items() if value != plain[name]}
    return json.dumps({"version": _VERSION, **values}, ensure_ascii=False, sort_keys=True)
