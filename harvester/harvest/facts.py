"""The facts that schedules and states of sources depend on: of one source when it is asked for, or of all at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import product
from time import time
from typing import Final

from gateway.core.model import Run, RunOutcome, Subscription
from gateway.core.xmltext import utc_datetime
from harvester.harvest.clock import is_past
from harvester.harvest.instance import Instance

# Enough of the last runs to count the failures in a row.
RECENT_RUNS: Final = 20

_NOTHING: Final = dict.fromkeys(("items", "deleted", "fulltext", "quarantined", "waiting"), 0)


class Facts:
    """The facts about sources, each read when it is first asked for: of all sources at once, or of one alone.

    Later changes are not seen. Every method may raise StoreError.
    """

    def __init__(self, instance: Instance, source: str = "") -> None:
        """Take the instance. With `source`, only facts about this source can be asked for."""
        self.instance, self._source = instance, source

    def runs(self, source: str, stage: str) -> Sequence[Run]:
        """Return the last runs of a stage, the newest first: one, or after a failure enough to count the failures.

        There are none, so that the stage is due, if the last one is dated in the future.
        """
        last = self.last_runs.get((source, stage))
        if last is None or not is_past(last):
            return ()
        if last.outcome in (RunOutcome.SUCCEEDED, RunOutcome.SUCCEEDED_WITH_ERRORS):
            return (last,)
        return [run for run in self.instance.inbox.runs(source, RECENT_RUNS, stage) if is_past(run)]

    def announced_at(self, source: str) -> int:
        """Return the second of the last announcement of changes; 0: there was none. It is never in the future."""
        notified_at = max((subscription.notified_at for subscription in self.subscriptions.get(source, ())), default=0)
        return min(notified_at, int(time()))  # a wrong clock may have dated it in the future

    def counts(self, source: str) -> dict[str, int]:
        """Return the counts of a source; `Store.counts` has the promise."""
        return self._standings.get(source, (0, _NOTHING))[1]

    def has_unpublished_pages(self, source: str) -> bool:
        """Return whether pages of a source were harvested and not published."""
        position, _ = self._standings.get(source, (0, {}))  # read first: what arrives meanwhile is not published
        return self._last_pages.get(source, 0) > position

    @cached_property
    def _last_pages(self) -> dict[str, int]:
        return self.instance.inbox.last_pages(self._source)

    @cached_property
    def _standings(self) -> dict[str, tuple[int, dict[str, int]]]:
        store, source = self.instance.store, self._source
        return {source: (store.position(source), store.counts(source))} if source else store.standings()

    @cached_property
    def last_runs(self) -> dict[tuple[str, str], Run]:
        """The last run of each stage of each source."""
        return {(run.source, run.stage): run for run in self.instance.inbox.last_runs(self._source)}

    @cached_property
    def subscriptions(self) -> dict[str, list[Subscription]]:
        """The subscriptions of each source."""
        known, subscriptions = self.instance.subscriptions, defaultdict[str, list[Subscription]](list)
        for subscription in known.of_source(self._source) if self._source else known.all():
            subscriptions[subscription.source].append(subscription)
        return subscriptions

    @cached_property
    def unpublished_files(self) -> frozenset[str]:
        """The sources with decisions on files that may not be published yet."""
        if not self.instance.has_searched:
            return frozenset()
        if self._source:
            return frozenset(item.source for item in self.instance.discovery().unpublished("", 1, (self._source,)))
        return self.instance.discovery().unpublished_sources()

    @cached_property
    def next_rechecks(self) -> dict[str, int]:
        """The second at which the next published file is due, of each source that has files."""
        if not self.instance.has_searched:
            return {}
        rechecks = self.instance.discovery().rechecks
        if not self._source:
            return rechecks.next_of_all()
        at = rechecks.next_at(self._source)
        return {} if at is None else {self._source: at}


_STAGES: Final = ("harvest", "sweep", "discovery")  # stages with a period


def runs_in_future(facts: Facts, names: Iterable[str]) -> tuple[str, ...]:
    """Return a sentence for each source and stage whose last run is dated in the future."""
    descriptions = []
    for name, stage in product(names, _STAGES):
        last = facts.last_runs.get((name, stage))
        if last is not None and not is_past(last):
            at = utc_datetime(max(last.started_at, last.ended_at or 0))
            descriptions.append(
                f"{name}: its last {stage} is dated {at}, in the future: a clock was wrong. It counts as due."
            )
    return tuple(descriptions)
