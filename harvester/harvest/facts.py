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
RUNS_LOOKED_AT: Final = 20

_NOTHING: Final = dict.fromkeys(("items", "deleted", "fulltext", "quarantined", "waiting"), 0)


class Facts:
    """The facts about sources as they are now. Every method may raise StoreError."""

    def __init__(self, instance: Instance) -> None:
        """Take the instance."""
        self.instance = instance

    def last_run(self, source: str, stage: str) -> Run | None:
        """Return the last run of a stage of a source."""
        return next(iter(self.instance.inbox.runs(source, 1, stage)), None)

    def runs(self, source: str, stage: str) -> Sequence[Run]:
        """Return the last runs of a stage, the newest first: one, or after a failure enough to count the failures.

        There are none, so that the stage is due, if the last one is dated in the future.
        """
        last = self.last_run(source, stage)
        if last is None or not is_past(last):
            return ()
        if last.outcome in (RunOutcome.SUCCEEDED, RunOutcome.SUCCEEDED_WITH_ERRORS):
            return (last,)
        return [run for run in self.instance.inbox.runs(source, RUNS_LOOKED_AT, stage) if is_past(run)]

    def subscriptions(self, source: str) -> Sequence[Subscription]:
        """Return the subscriptions of a source."""
        return self.instance.subscriptions.of_source(source)

    def announced_at(self, source: str) -> int:
        """Return the second of the last announcement of changes; 0: there was none. It is never in the future."""
        notified_at = max((subscription.notified_at for subscription in self.subscriptions(source)), default=0)
        return min(notified_at, int(time()))  # a wrong clock may have dated it in the future

    def counts(self, source: str) -> dict[str, int]:
        """Return the counts of a source; `Store.counts` has the promise."""
        return self.instance.store.counts(source)

    def has_unpublished_pages(self, source: str) -> bool:
        """Return whether pages of a source were harvested and not published."""
        return bool(self.instance.inbox.extents(source, self.instance.store.position(source), 1))

    def has_unpublished_files(self, source: str) -> bool:
        """Return whether decisions on files of a source may not be published yet."""
        return self.instance.has_searched and bool(self.instance.discovery().unpublished("", 1, (source,)))

    def next_look_at(self, source: str) -> int | None:
        """Return the second at which the next published file of a source is due; None: it has no files."""
        return self.instance.discovery().rechecks.next_at(source) if self.instance.has_searched else None


class Snapshot(Facts):
    """The same facts, read for all sources at once, each when it is first asked for; later changes are not seen."""

    def last_run(self, source: str, stage: str) -> Run | None:
        """Return the last run of a stage of a source."""
        return self.last_runs.get(source, {}).get(stage)

    def subscriptions(self, source: str) -> Sequence[Subscription]:
        """Return the subscriptions of a source."""
        return self._subscriptions.get(source, ())

    def counts(self, source: str) -> dict[str, int]:
        """Return the counts of a source; `Store.counts` has the promise."""
        return self._standings.get(source, (0, _NOTHING))[1]

    def has_unpublished_pages(self, source: str) -> bool:
        """Return whether pages of a source were harvested and not published."""
        return self._last_pages.get(source, 0) > self._standings.get(source, (0,))[0]

    def has_unpublished_files(self, source: str) -> bool:
        """Return whether decisions on files of a source may not be published yet."""
        return source in self._unpublished

    def next_look_at(self, source: str) -> int | None:
        """Return the second at which the next published file of a source is due; None: it has no files."""
        return self._looks.get(source)

    @cached_property
    def last_runs(self) -> dict[str, dict[str, Run]]:
        """The last run of each stage of each source, by source and stage."""
        runs: defaultdict[str, dict[str, Run]] = defaultdict(dict)
        for run in self.instance.inbox.last_runs():
            runs[run.source][run.stage] = run
        return dict(runs)

    @cached_property
    def _subscriptions(self) -> dict[str, list[Subscription]]:
        subscriptions: defaultdict[str, list[Subscription]] = defaultdict(list)
        for subscription in self.instance.subscriptions.all():
            subscriptions[subscription.source].append(subscription)
        return dict(subscriptions)

    @cached_property
    def _last_pages(self) -> dict[str, int]:
        self._standings  # noqa: B018 - read first: pages that are published later count as not published
        return self.instance.inbox.last_pages()

    @cached_property
    def _standings(self) -> dict[str, tuple[int, dict[str, int]]]:
        return self.instance.store.standings()

    @cached_property
    def _unpublished(self) -> frozenset[str]:
        return self.instance.discovery().unpublished_sources() if self.instance.has_searched else frozenset()

    @cached_property
    def _looks(self) -> dict[str, int]:
        return self.instance.discovery().rechecks.next_of_all() if self.instance.has_searched else {}


_STAGES: Final = ("harvest", "sweep", "discovery")  # stages with a period


def runs_in_future(facts: Facts, names: Iterable[str]) -> tuple[str, ...]:
    """Return a sentence for each source and stage whose last run is dated in the future."""
    descriptions = []
    for name, stage in product(names, _STAGES):
        last = facts.last_run(name, stage)
        if last is not None and not is_past(last):
            at = utc_datetime(max(last.started_at, last.ended_at or 0))
            descriptions.append(
                f"{name}: its last {stage} is dated {at}, in the future: a clock was wrong. It counts as due."
            )
    return tuple(descriptions)
