"""Sources that nobody looks after, as `gateway.unattended` says, or that wait for a person's word."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from gateway.clocks import ahead_of_machine
from gateway.errors import ConfigurationError
from gateway.model import Source
from gateway.unattended import without_entry, without_schedule
from harvester.clock import wrong_clock
from harvester.identity import waiting
from harvester.instance import Instance
from harvester.sources_file import SourceEntry


def unlisted(instance: Instance, entries: Collection[str] | None = None) -> tuple[Source, ...]:
    """Return the sources whose records are published and that have no entry in sources.toml.

    `entries` are the names in the file, where they were read before.
    """
    entries = instance.sources.entries() if entries is None else entries
    with instance.store.view() as view:
        return tuple(each for each in view.sources() if not each.is_removed and each.name not in entries)


def entry_of(instance: Instance, name: str) -> SourceEntry:
    """Return the entry of a source. Raise ConfigurationError when it has none, which says if it is published."""
    entries = instance.sources.entries()
    for source in unlisted(instance, entries) if name not in entries else ():
        if source.name == name:
            raise ConfigurationError(without_entry(source))
    return instance.sources.entry(name)


def unscheduled(instance: Instance, entries: Iterable[SourceEntry]) -> tuple[str, ...]:
    """Return the names of those whose entries do not say how often `tend` harvests them. Some tell it themselves."""
    silent = (each.name for each in entries if not each.every)
    return tuple(name for name in silent if not instance.subscriptions.of_source(name))


def problems(instance: Instance, entries: Mapping[str, SourceEntry]) -> tuple[str, ...]:
    """Return a sentence for each kind of neglect among all sources, and for each that has changed, and what to do."""
    names = unscheduled(instance, entries.values())
    abandoned = map(without_entry, unlisted(instance, entries))
    changed = filter(None, (waiting(instance.inbox, name) for name in entries))
    clock = filter(None, (wrong_clock(instance), ahead_of_machine(instance.store)))
    return (*((without_schedule(*names),) if names else ()), *abandoned, *changed, *clock)
