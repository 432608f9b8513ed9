"""The facts that schedules and states of sources depend on, and what needs a person.

They are facts of one source when it is asked for, or of all at once; sources without an entry or a schedule, and those
that wait for a confirmation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import product
from time import time
from typing import Final

from gateway.core.errors import ConfigurationError
from gateway.core.model import Alarm, Run, RunOutcome, Source, Subscription
from gateway.core.xmltext import utc_datetime
from gateway.ops.clocks import ahead_of_machine
from harvester.fulltext.substance import sentence
from harvester.harvest.clock import is_past, wrong_clock
from harvester.harvest.hidden_items import is_named
from harvester.harvest.instance import Instance
from harvester.harvest.repository_identity import in_words
from harvester.harvest.sources_toml import SourceEntry

# Enough of the last runs to count the failures in a row.
RECENT_RUNS: Final = 20

_NOTHING: Final = dict.fromkeys(("items", "deleted", "fulltext", "quarantined", "waiting"), 0)


class Facts:
    """The facts about sources, each read when it is first asked for: of all sources at once, or of one alone.

    Later changes are not seen. Every method may raise StoreError.
    """

    def __init__(self, instance: Instance, source: str = "") -> None:
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


# --- What needs a person ----------------------------------------------------------------------------------------------


def without_entry(source: Source) -> str:
    """Return the message about a source that has no entry: what is wrong, and what to do."""
    return (
        f"{source.name} has no entry in sources.toml, so nothing harvests it, but its records are published. "
        f"Write its entry again ({source.base_url}), or delete them with `harvester source remove {source.name}`."
    )


def without_schedule(*names: str) -> str:
    """Return the message about sources whose entries have no `every`: what is wrong, and what to do."""
    has, them = ("has", "it") if len(names) == 1 else ("have", "them")
    return (
        f"{', '.join(names)} {has} no `every` in sources.toml, so `harvester tend` never harvests {them}. "
        'Set it, for example `every = "1d"`, or `every = "never"`.'
    )


def unlisted(instance: Instance, entries: Collection[str] | None = None) -> tuple[Source, ...]:
    """Return the sources whose records are published and that have no entry in sources.toml.

    `entries` are the names in the file, where they were read before. Raise ConfigurationError when the file cannot be
    read.
    """
    entries = instance.sources.entries() if entries is None else entries
    with instance.store.view() as view:
        return tuple(source for source in view.sources() if not source.is_removed and source.name not in entries)


def entry_of(instance: Instance, name: str) -> SourceEntry:
    """Return the entry of a source. Raise ConfigurationError when it has none, which says if it is published."""
    entries = instance.sources.entries()
    for source in unlisted(instance, entries) if name not in entries else ():
        if source.name == name:
            raise ConfigurationError(without_entry(source))
    return instance.sources.entry(name)


def without_schedules(facts: Facts, entries: Iterable[SourceEntry]) -> tuple[str, ...]:
    """Return the message about the sources whose entries have no `every`, except those that announce their changes."""
    silent = (entry.name for entry in entries if not entry.every)
    names = [name for name in silent if name not in facts.subscriptions]
    return (without_schedule(*names),) if names else ()


def problems(instance: Instance, entries: Mapping[str, SourceEntry]) -> tuple[str, ...]:
    """Return a sentence, with what to do, for each kind of problem, and for each source with a changed identity."""
    abandoned = map(without_entry, unlisted(instance, entries))
    differing = instance.inbox.differing_identities()
    changed = filter(None, (in_words(name, differing.get(name)) for name in entries))
    clock = filter(None, (wrong_clock(instance), ahead_of_machine(instance.store)))
    alarms = tuple(sentence(alarm) for alarm in alarms_of(instance) if alarm.is_open)
    shown = f"{alarms[0]} Open alarms: {len(alarms)}; `harvester alarms` shows them." if alarms else ""
    return (*abandoned, *changed, *clock, *filter(None, (shown,)))


# --- The substance alarms of an instance (see `harvester.fulltext.substance`), without what is taken down ------------

_EVER = 1 << 62  # a day after all others


def alarms_of(instance: Instance, sources: Collection[str] = (), *, with_closed: bool = False) -> tuple[Alarm, ...]:
    """Return the alarms in force of some sources, or all that ever were; no sources: of all. Raise StoreError."""
    if not instance.has_searched:
        return ()
    alarms = instance.discovery().alarms(with_closed=with_closed)
    return tuple(_without_hidden(instance, alarm) for alarm in alarms if not sources or alarm.source in sources)


def close_alarms(instance: Instance, source: str, now: int) -> None:
    """Close the alarms in force of a source that is removed; its counts lose their days. Raise StoreError."""
    if instance.has_searched:
        instance.discovery().add_up_endings(_EVER, source)
    for alarm in alarms_of(instance, (source,)):
        instance.discovery().close_alarm(alarm.number, now)


def _without_hidden(instance: Instance, alarm: Alarm) -> Alarm:
    states = filter(None, map(instance.discovery().search, alarm.examples))
    return alarm._replace(
        examples=tuple(state.identifier for state in states if not is_named(instance, state.source, state.upstream))
    )
