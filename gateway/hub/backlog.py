"""Which changes wait to be delivered: for the metrics, which are read even if nothing is delivered."""

from __future__ import annotations

from collections.abc import Iterable

from gateway.hub.topics import Topics
from gateway.model import Selection, Subscriber
from gateway.store.base import View

_Place = tuple[str, str | None]  # metadataPrefix and set of a list


class Backlog:
    """The changes that subscribers did not get, for all requests of a process."""

    def __init__(self, topics: Topics) -> None:
        """Take the topics of the site."""
        self._topics = topics
        # By list, a time that is known to have no changes: its first second, and the one behind its last.
        self._quiet: dict[_Place, tuple[int, int]] = {}

    def oldest(self, view: View, subscribers: Iterable[Subscriber]) -> int | None:
        """Return the datestamp of the oldest change that a subscriber did not get; None if there is none."""
        begins: dict[_Place, int] = {}
        for subscriber in subscribers:
            topic = self._topics.named(subscriber.topic)
            if topic is not None:
                place = (topic.metadata_prefix, topic.set_spec)
                begins[place] = min(begins.get(place, subscriber.delivered_until), subscriber.delivered_until)
        dates = (self._first_change(view, place, since) for place, since in begins.items())
        return min((date for date in dates if date is not None), default=None)

    def _first_change(self, view: View, place: _Place, since: int) -> int | None:
        """Return the datestamp of the first change of a list from the second `since` on, below the horizon."""
        prefix, horizon = place[0], view.horizon
        begin, end = self._quiet.get(place, (since, since))
        first = max(since, end) if begin <= since else since
        if view.changed_until(prefix, horizon - 1) <= first:
            return None
        changes = view.resource_changes(Selection(*place, first, horizon - 1), (0, 0), 1)
        if changes:
            return changes[0].datestamp
        self._quiet[place] = (since, horizon)
        return None
