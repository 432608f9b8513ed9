"""Writes the decisions of people on files, and publishes them at once: on the command line and on pages alike.

A decision names the one that the person looked at. If there is a newer one, or if the file has other bytes now, nothing
is written for this file. If the process is killed before the publication, the next release publishes the decision.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from gateway.core.errors import DecisionRefused, StoreBusy
from gateway.core.model import Decision
from gateway.core.settings import Settings
from gateway.fulltext.decisions import standing
from gateway.fulltext.release import Releaser
from gateway.store.base import Discovery, Inbox, Store

_MET = "{}: {} is skipped, because there is a new decision on it: {} by {}."
_CHANGED = "{}: {} is skipped, because it has other bytes now, or is not listed any more. Look at it again."

_LATER = (
    "The decisions are stored, and not published yet, because another process publishes others. `harvester tend` or "
    "`harvester publish` publishes them."
)
_PATIENCE_SECONDS = 20.0  # a person waits


class Decided(NamedTuple):
    """What became of decisions.

    `written` are those in force now. `met` are the newer decisions of others, which stay in force instead. `changed`
    are those whose file has other bytes now, or is unknown. `stamped` counts the records with a new datestamp, and
    `stamped_of` those of each item. Without `is_published`, the next release publishes the written ones.
    """

    written: tuple[Decision, ...]
    met: tuple[Decision, ...] = ()
    stamped: int = 0
    changed: tuple[Decision, ...] = ()
    stamped_of: Mapping[str, int] = {}
    is_published: bool = True

    @property
    def problems(self) -> tuple[str, ...]:
        """Return a sentence for each decision that was not written, and one if nothing is published yet."""
        return (
            *(_MET.format(last.identifier, last.url, last.verdict, last.decided_by) for last in self.met),
            *(_CHANGED.format(decision.identifier, decision.url) for decision in self.changed),
            *((_LATER,) * (not self.is_published)),
        )


# It is called with the decisions that were written, before they are published.
Note: TypeAlias = Callable[[Sequence[Decision]], None]


def unnoted(_: Sequence[Decision]) -> None:
    """Note nothing of decisions."""


class Decide(Protocol):
    """A function that writes decisions and publishes them at once.

    Each has the `number` and the SHA-256 of the decision that the person looked at. `note` is called with those that
    were written, before they are published. Raise DecisionRefused, and write nothing, if a file that is to be accepted
    is taken down, or its item is. Raise StoreError.
    """

    def __call__(self, *decisions: Decision, note: Note = unnoted) -> Decided:
        """Return what became of the decisions."""
        ...


class Deciding:
    """The function `Decide` of an instance."""

    def __init__(self, store: Store, inbox: Inbox, discovery: Discovery, settings: Settings) -> None:
        """Take the store to publish in, its inbox, the search database (`discovery`), and the settings."""
        self._store, self._inbox, self._discovery, self._settings = store, inbox, discovery, settings

    def __call__(self, *decisions: Decision, note: Note = unnoted) -> Decided:
        """Write decisions and publish them; `Decide` has the promise."""
        self._check_allowed([decision for decision in decisions if decision.verdict == "accept"])
        result = self._discovery.decide_next(*(decision for decision in decisions if decision.number))
        unknown = tuple(decision for decision in decisions if not decision.number)
        decided = Decided(result.written, result.met, changed=(*unknown, *result.changed))
        note(result.written)
        try:
            stamped = self._released({decision.identifier for decision in result.written})
        except StoreBusy:
            return decided._replace(is_published=False)
        return decided._replace(stamped=stamped.total(), stamped_of=stamped)

    def _released(self, identifiers: Collection[str]) -> Counter[str]:
        return self._releaser().release_items(identifiers) if identifiers else Counter()

    def _releaser(self) -> Releaser:
        """Return a new one: the store may have been made again since."""
        return Releaser(self._store, self._inbox, self._discovery, self._settings, _PATIENCE_SECONDS)

    def _check_allowed(self, accepted: Sequence[Decision]) -> None:
        if not accepted:
            return  # what is rejected may be taken down, and the list need not be readable
        withdrawn = Withdrawn(self._store, self._discovery)
        for decision in accepted:
            if withdrawn.has(decision):
                raise DecisionRefused(
                    f"{decision.url} is taken down, or its item is, and cannot be accepted; "
                    "`harvester takedown list` says why."
                )


class Withdrawn:
    """Which files are taken down, or their items: for many files, since each item is looked up once."""

    def __init__(self, store: Store, discovery: Discovery) -> None:
        """Take the store and the searches. Raise TakedownsUnreadable."""
        self._store, self._discovery, self._takedowns = store, discovery, store.takedowns()
        self._items: dict[str, bool] = {}

    def has(self, decision: Decision) -> bool:
        """Return whether a file that was decided on, or its item, is taken down."""
        takedowns, identifier = self._takedowns, decision.identifier
        if takedowns.is_empty:
            return False
        if takedowns.names_address(decision.url) or takedowns.names_digest(decision.sha256):
            return True
        if identifier not in self._items:
            self._items[identifier] = self._has_item(identifier)
        return self._items[identifier]

    def _has_item(self, identifier: str) -> bool:
        searched = self._discovery.search(identifier)
        if searched is None:
            return False
        if self._takedowns.names_item(identifier, searched.source, searched.upstream):
            return True
        state = self._store.states(searched.source, (searched.upstream,)).get(searched.upstream)
        return state is not None and state.is_hidden


def is_withdrawn(store: Store, discovery: Discovery, decision: Decision) -> bool:
    """Return whether a file that was decided on, or its item, is taken down. Raise TakedownsUnreadable."""
    return Withdrawn(store, discovery).has(decision)


def undoing(history: Iterable[Decision]) -> Decision:
    """Return the decision that takes back the last one on a file, given all of them, the oldest first.

    It has the `number` of the last one. Raise DecisionRefused if nothing is left to undo, or if the decision before was
    on other bytes.
    """
    decisions = tuple(history)
    *before, last = standing(decisions)
    if not before:
        raise DecisionRefused(f"Nothing is left to undo on {last.url}: {last.verdict} was the first decision.")
    if before[-1].sha256 != last.sha256:
        raise DecisionRefused(
            f"The decision before, {before[-1].verdict}, was on other bytes of {last.url}; accept or reject these."
        )
    reason = f"Undone: {last.verdict}. {before[-1].reason}"
    return before[-1]._replace(reason=reason, is_undoing=True, number=decisions[-1].number)
