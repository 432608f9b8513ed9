"""What was learned of a repository while its lists were walked, and what its entry says instead. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from gateway.errors import ConfigurationError
from gateway.model import Cursor
from harvester.sources import Option
from harvester.wire.dates import DAY, SECONDS
from harvester.wire.list_state import ListState, state_of

OPTIONS = (
    Option("tokens", "How a token is sent back: `encoded` or `verbatim`, as the source wrote it.", "text"),
    Option("granularity", f"How dates are asked for: `{DAY}` or `{SECONDS}`.", "text"),
)

_IS_VERBATIM = {"encoded": False, "verbatim": True}
_GRANULARITIES = (DAY, SECONDS)


def as_told(own: Mapping[str, object], state: ListState) -> ListState:
    """Return a list with what the entry says of the repository. Raise ConfigurationError for what nobody can mean."""
    tokens, granularity = own.get("tokens"), own.get("granularity")
    if tokens is not None:
        state = replace(state, is_verbatim=_IS_VERBATIM[_one_of("tokens", tokens, tuple(_IS_VERBATIM))])
    if granularity is not None:
        state = replace(state, granularity=_one_of("granularity", granularity, _GRANULARITIES))
    return state


def profile(own: Mapping[str, object], cursors: Iterable[Cursor]) -> dict[str, object]:
    """Return what is known of a repository: what its entry says, else what any of its lists has learned."""
    known = [as_told(own, state_of(each.state)[0]) for each in cursors] or [as_told(own, ListState())]
    is_verbatim = any(each.is_verbatim for each in known)
    return {
        "tokens": next(name for name, value in _IS_VERBATIM.items() if value is is_verbatim),
        "prefix_beside_token": any(each.wants_prefix for each in known),
        "ignores_dates": any(each.ignores_dates for each in known),
        "granularity": next((each.granularity for each in known if each.granularity), "as announced"),
    }


def _one_of(name: str, value: object, known: tuple[str, ...]) -> str:
    if value not in known:
        raise ConfigurationError(f"{name}: {value!r} is none of {', '.join(known)}.")
    return str(value)
