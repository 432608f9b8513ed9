"""Sources without an entry or a schedule, and those that wait for a confirmation."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from gateway.core.errors import ConfigurationError
from gateway.core.model import Alarm, Source
from gateway.ops.clocks import ahead_of_machine
from harvester.fulltext.substance import sentence
from harvester.harvest.clock import wrong_clock
from harvester.harvest.facts import Facts
from harvester.harvest.hidden_items import is_named
from harvester.harvest.instance import Instance
from harvester.harvest.repository_identity import in_words
from harvester.harvest.sources_toml import SourceEntry


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
