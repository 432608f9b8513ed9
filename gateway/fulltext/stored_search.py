"""The stored form of a search: JSON in the column `story`."""

import json
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from threading import Lock
from time import monotonic
from typing import Any, Final, TypeVar

from gateway.core.errors import StoreError
from gateway.core.instance_folder import DISCOVERY
from gateway.core.model import Candidate, Decision, Match, Outcome, SearchState, Trace, Tried
from gateway.core.settings import Settings
from gateway.fulltext.policies import Colour, Permission, Policy
from gateway.fulltext.search_result import NAMED, REVIEWED, Identity, SearchResult
from gateway.store.base import Databases, Discovery


def search_as_json(result: SearchResult) -> str:
    """Return the JSON of a search."""
    policy = result.policy
    return json.dumps(
        {
            "traces": [trace._asdict() for trace in result.traces],
            "candidates": [candidate._asdict() for candidate in result.candidates],
            "published": result.published,
            "identity": result.identity,
            "matches": [match._asdict() for match in result.matches],
            "open_from": result.open_from,
            "retracted": result.retracted,
            "subjects": result.subjects,
            "policy": policy and {**policy._asdict(), "permissions": [one._asdict() for one in policy.permissions]},
        }
    )


def parsed_search(state: SearchState | None) -> dict[str, Any]:
    """Return the parsed JSON of a search; empty if the item was not searched for."""
    return json.loads(state.search_json) if state is not None and state.search_json else {}


def candidates_of(state: SearchState | None) -> tuple[Candidate, ...]:
    """Return the copies that the last search for an item has checked."""
    return candidates_in(parsed_search(state))


def candidates_in(search: dict[str, Any]) -> tuple[Candidate, ...]:
    """Return the copies that a parsed search has checked."""
    return tuple(map(_candidate, search.get("candidates", ())))


def policy_in(search: dict[str, Any]) -> Policy | None:
    """Return the policy of the publisher in a parsed search; None if it was not asked for, or is not known."""
    stored = search.get("policy")
    if not stored:
        return None
    permissions = tuple(Permission(**_with_tuples(permission)) for permission in stored["permissions"])
    return Policy(**{**_with_tuples(stored), "colour": Colour(stored["colour"]), "permissions": permissions})


def _candidate(stored: dict[str, Any]) -> Candidate:
    """Return a stored candidate. Fields that an earlier release did not store are empty."""
    return Candidate(**{**_with_tuples(stored), "outcome": Outcome(stored["outcome"])})


def _with_tuples(stored: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in stored.items()}


def traces_of(state: SearchState | None) -> tuple[Trace, ...]:
    """Return the results of the steps of the last search, in their order."""
    return traces_in(parsed_search(state))


def traces_in(search: dict[str, Any]) -> tuple[Trace, ...]:
    """Return the results of the steps in a parsed search, in their order."""
    stored = search.get("traces", ())
    return tuple(Trace(**{**_with_tuples(trace), "outcome": Outcome(trace["outcome"])}) for trace in stored)


def identity_of_search(state: SearchState | None) -> Identity | None:
    """Return the identity of the work at the last decision on its files; None if it was not stored."""
    identity = parsed_search(state).get("identity")
    return None if identity is None else Identity(*map(tuple, identity))


def open_from_of(state: SearchState | None) -> str:
    """Return the day (`2027-01-31`) on which an embargo ends and the item is searched for again, or an empty string."""
    return str(parsed_search(state).get("open_from", ""))


def published_of(state: SearchState | None) -> str:
    """Return the year of publication as the services of the last search state it, or an empty string."""
    return str(parsed_search(state).get("published", ""))


def retracted_of(state: SearchState | None) -> str:
    """Return the sentence about the retraction of the work from the last search, or an empty string."""
    return str(parsed_search(state).get("retracted", ""))


def matches_of(state: SearchState | None) -> tuple[Match, ...]:
    """Return the matches of the last search with a DOI that the record lacks."""
    return tuple(Match(**match) for match in parsed_search(state).get("matches", ()))


def tried_of(state: SearchState | None, decisions: Iterable[Decision] = ()) -> Tried | None:
    """Return the last search for an item as readers see it; None if it was not searched for.

    `decisions` are the last ones on its files. A file that a person may decide on, and nobody has, waits.
    """
    if state is None or not state.searched_at:
        return None
    verdicts = {decision.url: decision.verdict for decision in decisions}
    for candidate in candidates_of(state):
        if candidate.is_supplement:
            verdicts.pop(candidate.url, None)  # the decision on it is not about the full text
        elif candidate.outcome in REVIEWED and candidate.found_by != NAMED:
            verdicts.setdefault(candidate.url, "review")
    counts = Counter(verdicts.values())
    return Tried(
        state.searched_at,
        Outcome(state.outcome),
        tuple((trace.step, trace.outcome) for trace in traces_of(state)),
        state.due if state.state == "waiting" else 0,
        counts["review"],
        counts["reject"],
    )


# --- The last searches for full text, for the pages of items: read where the harvester writes them -------------------

T = TypeVar("T")
_COUNTED_SECONDS: Final = 10.0
_UNREADABLE: Final = Tried(0, Outcome.FAULT)

log = logging.getLogger("gateway")


class PastSearches:
    """The searches of an instance. They are not needed: a page is shown without them if they cannot be read."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = monotonic) -> None:
        """Open nothing: the database is opened when it is there and asked for."""
        self._settings, self._clock = settings, clock
        self._lock = Lock()
        self._discovery: Discovery | None = None
        self._is_broken = False
        self._counted: tuple[float, Mapping[str, int]] | None = None

    def tried(self, identifier: str) -> Tried | None:
        """Return the last search for an item; None if there was none. Its second is 0 if searches cannot be read."""
        return self._read(
            lambda known: tried_of(known.search(identifier), known.decisions(identifier)), None, _UNREADABLE
        )

    def searched(self) -> Mapping[str, int]:
        """Return how many items of each source were searched for. The numbers are at most ten seconds old."""
        now = self._clock()
        if self._counted is None or now - self._counted[0] > _COUNTED_SECONDS:
            self._counted = now, self._read(lambda known: known.searched(), {}, {})
        return self._counted[1]

    def _read(self, read: Callable[[Discovery], T], absent: T, unreadable: T) -> T:
        try:
            discovery = self._opened()
            return absent if discovery is None else read(discovery)
        except (
            StoreError,
            ValueError,
            LookupError,
            TypeError,
            AttributeError,
        ) as error:  # because of what a damaged row may contain
            if not self._is_broken:
                log.warning("The pages show no searches, because these cannot be read: %s", error)
            self._is_broken = True
            return unreadable

    def _opened(self) -> Discovery | None:
        with self._lock:
            if self._discovery is None and Databases(self._settings).has(DISCOVERY):
                self._discovery = Databases(self._settings).discovery(only_reads=True)
            return self._discovery

    def close(self) -> None:
        """Close the file."""
        if self._discovery is not None:
            self._discovery.close()
