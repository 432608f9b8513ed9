"""Combine the facts learned of a repository with the fields of its entry, which have precedence. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any

from gateway.core.errors import ConfigurationError
from gateway.core.model import Cursor
from harvester.http.dates import DAY, SECONDS
from harvester.sources import Option
from harvester.sources.oai_pmh.list_state import Dates, ListState, Profile, state_of, text_of

# By field of an entry: the field of the profile that it sets, and its values.
_ENTRY_FIELDS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "tokens": ("is_verbatim", {"encoded": False, "verbatim": True}),
    "prefix": ("wants_prefix", {"alone": False, "beside tokens": True}),
    "arguments": ("is_verb_first", {"own first": False, "verb first": True}),
    "dates": ("dates", {date.value: date.value for date in Dates if date}),
    "granularity": ("granularity", {granularity: granularity for granularity in (DAY, SECONDS)}),
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


def with_entry(own: Mapping[str, object], state: ListState) -> ListState:
    """Return the list with the profile fields that the entry sets. Raise ConfigurationError for an unknown value."""
    fields_: dict[str, Any] = {}
    for name, (field, known) in _ENTRY_FIELDS.items():
        value = own.get(name)
        if value is None:
            continue
        if value not in known:
            raise ConfigurationError(f"{name}: {value!r} is none of {', '.join(known)}.")
        fields_[field] = known[str(value)]
    return state.learning(**fields_)


def learned(cursors: Iterable[Cursor]) -> str:
    """Return the learned facts of a repository, as the text of a list that has not begun."""
    together, plain = Profile(), asdict(Profile())
    for cursor in cursors:  # the last list that knows a field decides it
        profile = state_of(cursor.state)[0].profile
        known = {name: value for name, value in asdict(profile).items() if value != plain[name]}
        best = min(filter(None, (together.best_page_ms, profile.best_page_ms)), default=0)
        together = replace(together, **{**known, "best_page_ms": best})
    return text_of(ListState(profile=together))


def taught(cursor: Cursor, known: str) -> Cursor:
    """Return the cursor of a list with what is known of the verbs that a harvest can do without."""
    profile = state_of(known)[0].profile
    state = state_of(cursor.state)[0].learning(formats_failed=profile.formats_failed, sets_failed=profile.sets_failed)
    return replace(cursor, state=text_of(state)) if cursor.state else cursor


def profile(own: Mapping[str, object], cursors: Iterable[Cursor]) -> dict[str, object]:
    """Return the known facts of a repository: from its entry, else learned from any of its lists.

    Raise ConfigurationError for an unknown value in the entry.
    """
    known = with_entry(own, state_of(learned(cursors))[0]).profile
    is_ignored = known.ignores_dates and known.dates != Dates.REFUSED
    in_words = {
        name: next((word for word, meant in words.items() if meant == getattr(known, field)), "")
        for name, (field, words) in _ENTRY_FIELDS.items()
    }
    failed = {"ListMetadataFormats": known.formats_failed, "ListSets": known.sets_failed}
    return {
        **in_words,
        "dates": "ignored" if is_ignored else in_words["dates"] or Dates.OPTIONAL.value,
        "granularity": in_words["granularity"] or "as announced",
        "without": [verb for verb, when in failed.items() if when],
        "protocol": "1.x" if known.is_first_generation else "2.0",
        "best_page_seconds": known.best_page_ms / 1000 or None,
    }
