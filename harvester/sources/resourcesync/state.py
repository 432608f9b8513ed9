"""The progress of the lists of one cursor, as its JSON text. Pure.

The text of a cursor may be old or edited. An unreadable state means from the start, which takes time but loses nothing.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

_VERSION = 1


@dataclass(frozen=True, slots=True)
class SetState:
    """The state of one set of resources. Times are as its documents wrote them.

    All changes before `position` are stored; of those at that exact time, the ones in `seen` (digests of entries).
    During a walk, `next` and `next_seen` are their values at its end. All resources up to the URL `after`, in the order
    of URLs, have been fetched. `is_whole`: the walk has all resources of the source. `failed` are the entries of
    unusable resources to request again, as texts: a line for the resource, and one for each of its content.
    `validators` are URL, ETag and Last-Modified of the list that was read last. `is_open`: it is a Change List that
    covers the time until now, so it still does if it is unchanged. `unnamed` are stored items that no list
    named in the last full comparison. `gap` is the start of Change Lists that left out earlier changes; a Resource List
    of that time covers them. `package` is the package of a dump that contains `after`, `packages` those of a baseline
    that were read. Their marks distinguish them from later packages of the same name.
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
    is_open: bool = False
    gap: str = ""
    unnamed: tuple[str, ...] = ()


def states_of(text: str) -> tuple[dict[str, SetState], str]:
    """Return the states of the sets by URL, and a sentence when the text was unreadable; then there are none."""
    if not text:
        return {}, ""
    try:
        values = json.loads(text)
    except ValueError:
        return {}, "The state of this list could not be read, so it starts again."
    if not isinstance(values, dict) or values.get("version") != _VERSION or not _fits(values.get("sets")):
        return {}, "The state of this list has another form, so it starts again."
    return {url: _state(state) for url, state in values["sets"].items()}, ""


def _state(values: dict[str, Any]) -> SetState:
    plain: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    return SetState(**plain)


def _fits(sets: object) -> bool:
    kinds = {field_.name: type(field_.default) for field_ in fields(SetState)}
    return isinstance(sets, dict) and all(
        isinstance(state, dict) and all(name in kinds and _is_a(value, kinds[name]) for name, value in state.items())
        for state in sets.values()
    )


def _is_a(value: object, kind: type) -> bool:
    if kind is tuple:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return type(value) is kind


def text_of(states: Mapping[str, SetState]) -> str:
    """Return states as the text of a cursor."""
    plain = asdict(SetState())
    sets = {
        url: {name: value for name, value in asdict(state).items() if value != plain[name]}
        for url, state in states.items()
    }
    return json.dumps({"version": _VERSION, "sets": sets}, ensure_ascii=False, sort_keys=True)
