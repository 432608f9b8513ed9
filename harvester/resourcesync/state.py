"""How far the lists of one cursor have come, as the JSON text that it keeps. Pure.

What a cursor holds may be old, or have been edited: a state that cannot be read means from the start, which costs time
and loses nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

_VERSION = 1


@dataclass(frozen=True, slots=True)
class SetState:
    """One set of resources. Times are those that its documents say, as they wrote them.

    All that happened before `position` is held; of what happened in that very moment, what `seen` names (digests of
    entries). While a list is walked, `next` and `next_seen` are what they will be at its end, and all resources up to
    the address `after`, in the order of addresses, have been fetched. `is_whole`: the walk is one of everything.
    `failed` are the entries, as texts, of resources that could not be used and are to be asked for again: a line for
    its own entry, and one for each of its content.
    `validators` are of the list that was read last: its address, its ETag, its Last-Modified.
    `unnamed` are items that were held when all was compared, and that no list named.
    `gap` is where the Change Lists began that left out what happened before; a Resource List of then will tell.
    `package` is the package of a dump in which `after` stands, `packages` those of a baseline that are read already: by
    what tells them from others that may have their names later.
    """

    position: str = ""
    seen: tuple[str, ...] = ()
    next: str = ""
    next_seen: tuple[str, ...] = ()
    after: str = ""
    is_whole: bool = False
    received: int = 0
    failed: tuple[str, ...] = ()
    package: str = ""
    packages: tuple[str, ...] = ()
    validators: tuple[str, ...] = ()
    gap: str = ""
    unnamed: tuple[str, ...] = ()


def states_of(text: str) -> tuple[dict[str, SetState], str]:
    """Read the states of the sets, by address; with a sentence when they could not be read and nothing is known."""
    if not text:
        return {}, ""
    try:
        values = json.loads(text)
    except ValueError:
        return {}, "The state of this list could not be read; it begins anew."
    if not isinstance(values, dict) or values.get("version") != _VERSION or not _fits(values.get("sets")):
        return {}, "The state of this list is not one of ours; it begins anew."
    return {url: _state(state) for url, state in values["sets"].items()}, ""


def _state(values: dict[str, Any]) -> SetState:
    plain: dict[str, Any] = {name: tuple(each) if isinstance(each, list) else each for name, each in values.items()}
    return SetState(**plain)


def _fits(sets: object) -> bool:
    kinds = {each.name: type(each.default) for each in fields(SetState)}
    return isinstance(sets, dict) and all(
        isinstance(state, dict) and all(name in kinds and _is_a(value, kinds[name]) for name, value in state.items())
        for state in sets.values()
    )


def _is_a(value: object, kind: type) -> bool:
    if kind is tuple:
        return isinstance(value, list) and all(isinstance(each, str) for each in value)
    return type(value) is kind


def text_of(states: Mapping[str, SetState]) -> str:
    """Return states as the text of a cursor."""
    plain = asdict(SetState())
    sets = {
        url: {name: value for name, value in asdict(state).items() if value != plain[name]}
        for url, state in states.items()
    }
    return json.dumps({"version": _VERSION, "sets": sets}, ensure_ascii=False, sort_keys=True)
