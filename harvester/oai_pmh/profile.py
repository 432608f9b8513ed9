"""What was learned of a repository while its lists were walked, and what its entry says instead. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any

from gateway.errors import ConfigurationError
from gateway.model import Cursor
from harvester.sources import Option
from harvester.wire.dates import DAY, SECONDS
from harvester.wire.list_state import Dates, ListState, state_of, text_of

# By field of an entry: the field of a list's state for which it stands, and what may be said.
_TOLD: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "tokens": ("is_verbatim", {"encoded": False, "verbatim": True}),
    "prefix": ("wants_prefix", {"alone": False, "beside tokens": True}),
    "arguments": ("is_verb_first", {"own first": False, "verb first": True}),
    "dates": ("dates", {each.value: each.value for each in Dates if each}),
    "granularity": ("granularity", {each: each for each in (DAY, SECONDS)}),
    "compression": ("is_damaged", {"as offered": False, "refused": True}),
}

OPTIONS = (
    Option("tokens", "How a token is sent back: `encoded` or `verbatim`, as the source wrote it.", "text"),
    Option("prefix", "Where the metadataPrefix stands: `alone` or `beside tokens`, too.", "text"),
    Option("arguments", "Which arguments stand first: `own first`, those of the url, or `verb first`.", "text"),
    Option("compression", "Whether it may compress its answers: `as offered` or `refused`.", "text"),
    Option("dates", "Whether lists are asked for by date: `optional`, `needed` or `refused`.", "text"),
    Option("granularity", f"How dates are asked for: `{DAY}` or `{SECONDS}`.", "text"),
)


def as_told(own: Mapping[str, object], state: ListState) -> ListState:
    """Return a list with what the entry says of the repository. Raise ConfigurationError for what nobody can mean."""
    told: dict[str, Any] = {}
    for name, (field, known) in _TOLD.items():
        value = own.get(name)
        if value is None:
            continue
        if value not in known:
            raise ConfigurationError(f"{name}: {value!r} is none of {', '.join(known)}.")
        told[field] = known[str(value)]
    return replace(state, **told)


def learned(cursors: Iterable[Cursor]) -> str:
    """Return what any list of a repository has learned, as the state of one that has not begun."""
    return text_of(_together(state_of(each.state)[0].learned() for each in cursors))


def _together(states: Iterable[ListState]) -> ListState:
    """Return what several lists have learned: of each thing what the last that knows anything of it says."""
    together, plain = ListState(), ListState()
    for state in states:
        said = {each.name: getattr(state, each.name) for each in fields(ListState)}
        known = {name: value for name, value in said.items() if value != getattr(plain, name)}
        best = min(filter(None, (together.best_page_ms, state.best_page_ms)), default=0)
        together = replace(together, **{**known, "best_page_ms": best})
    return together


def profile(own: Mapping[str, object], cursors: Iterable[Cursor]) -> dict[str, object]:
    """Return what is known of a repository: what its entry says, else what any of its lists has learned."""
    known = as_told(own, state_of(learned(cursors))[0])
    is_ignored = known.ignores_dates and known.dates != Dates.REFUSED
    in_words = {name: _word(getattr(known, field), said) for name, (field, said) in _TOLD.items()}
    return {
        **in_words,
        "dates": "ignored" if is_ignored else in_words["dates"] or Dates.OPTIONAL.value,
        "granularity": in_words["granularity"] or "as announced",
        "without": [verb for verb, failed in _failed(known) if failed],
        "protocol": "1.x" if known.is_first_generation else "2.0",
        "best_page_seconds": known.best_page_ms / 1000 or None,
    }


def _failed(state: ListState) -> tuple[tuple[str, int], ...]:
    return ("ListMetadataFormats", state.formats_failed), ("ListSets", state.sets_failed)


def _word(value: object, said: Mapping[str, object]) -> str:
    return next((word for word, meant in said.items() if meant == value), "")
