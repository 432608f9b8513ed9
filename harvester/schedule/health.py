"""What `harvester check` adds to `gateway check`: the entries of sources, their runs, schedules and alarms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from gateway.core.finding import Finding
from gateway.core.states import ATTENTION, of_run, of_source
from harvester.harvest.facts import Facts
from harvester.harvest.instance import Instance, opened, sources_file
from harvester.harvest.sources_toml import SourceEntry
from harvester.harvest.unattended import problems, without_schedules
from harvester.mirror.instance_memory import InstanceMemory
from harvester.schedule.notifications.reasons import MOST_STOPPED, STAGES, TELLING


def findings(folder: Path) -> Iterator[Finding]:
    """Yield what keeps the harvester from working, and what needs attention. Raise GatewayError."""
    entries = sources_file(folder).entries()
    yield Finding("fine", f"The entries of sources can be read: {len(entries)}.")
    InstanceMemory(folder).read()
    with opened(str(folder), only_reads=True) as instance:
        sentences = (
            *without_schedules(Facts(instance), entries.values()),
            *problems(instance, entries),
            *_states(instance, entries),
        )
    yield from (Finding("warning", sentence) for sentence in sentences)


def _states(instance: Instance, entries: Mapping[str, SourceEntry]) -> Iterator[str]:
    """Yield the state of each source that was never harvested, and of each stage whose last run needs attention."""
    for name, entry in entries.items():
        for stage, words in STAGES.items():
            runs = instance.inbox.runs(name, 1 + MOST_STOPPED, stage)
            last = next((run for run in runs if run.outcome in TELLING), None)
            if stage == "harvest" and not runs:
                yield f"{name}: {of_source(entry.source, None).words}"
            elif last is not None and (state := of_run(last)).shape in ATTENTION:
                yield f"{name}, {words}: {state.words}"
