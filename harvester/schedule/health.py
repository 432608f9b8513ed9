"""What `harvester check` adds to `gateway check`: the entries of sources, their runs, schedules and alarms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from gateway.core.finding import Finding
from gateway.core.xmltext import utc_datetime
from harvester.harvest.instance import Instance, opened, sources_file
from harvester.harvest.sources_toml import SourceEntry
from harvester.harvest.unattended import problems, without_schedules
from harvester.mirror.instance_memory import InstanceMemory
from harvester.schedule.notifications.reasons import FAILED, MOST_STOPPED, STAGES, TELLING


def findings(folder: Path) -> Iterator[Finding]:
    """Yield what keeps the harvester from working, and what needs attention. Raise GatewayError."""
    entries = sources_file(folder).entries()
    yield Finding("fine", f"The entries of sources can be read: {len(entries)}.")
    InstanceMemory(folder).read()
    with opened(str(folder), only_reads=True) as instance:
        sentences = (
            *without_schedules(instance, entries.values()),
            *problems(instance, entries),
            *_failures(instance, entries),
        )
    yield from (Finding("warning", sentence) for sentence in sentences)


def _failures(instance: Instance, entries: Mapping[str, SourceEntry]) -> Iterator[str]:
    """Yield a sentence for each stage of a source whose last run failed."""
    for name in entries:
        for stage, words in STAGES.items():
            runs = instance.inbox.runs(name, 1 + MOST_STOPPED, stage)
            last = next((run for run in runs if run.outcome in TELLING), None)
            if last is not None and last.outcome in FAILED:
                moment, reasons = utc_datetime(last.started_at), " ".join(last.reasons[:1])
                yield f"{name}: the last of its {words} failed, at {moment}. {reasons} See `harvester log {name}`."
