"""A dry run: the requests of a run without storing anything (`harvester run --dry-run`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from gateway.core.errors import GatewayError
from harvester.harvest.accounting import count_step
from harvester.harvest.admission import Admission
from harvester.harvest.descriptions import doubts_of_empty_set
from harvester.harvest.instance import Instance
from harvester.harvest.list_progress import HarvestInProgress
from harvester.harvest.run_options import (
    RunOptions,
    learned_of,
    lists_of,
    source_options,
    start_cursor,
)
from harvester.harvest.sources_toml import SourceEntry
from harvester.harvest.windows.plan import label_of
from harvester.http.messages import Fetch
from harvester.runtime.exit_status import ERRORS_OF_ONE_REQUEST
from harvester.runtime.interrupts import Stop
from harvester.runtime.progress import Progress, Silence
from harvester.sources import SourceKind, Step


def rehearse(
    instance: Instance,
    entry: SourceEntry,
    kind: SourceKind,
    run_options: RunOptions,
    fetch: Fetch,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> Counter[str]:
    """Send the requests of a run, store nothing, and return the counts.

    A list that fails counts as doubtful. Raise the last GatewayError when all lists fail.
    """
    progress, stop = progress or Silence(), stop or Stop()
    overlap = instance.settings.number("harvest_overlap_seconds")
    options = source_options(entry, instance.settings, overlap, run_options)
    options = replace(options, known=learned_of(instance, kind, entry.name))
    description = kind.describe(options, fetch)
    options = options.after(description)
    admission = Admission(instance, entry, kind, fetch, description, is_rehearsal=True).identified(options)
    for doubt in admission.doubts:
        progress.say(f"{entry.name}: {doubt}")
    counts: Counter[str] = Counter(doubts=len(admission.doubts))
    failures: list[GatewayError] = []
    lists = tuple(lists_of(entry, run_options))
    in_progress = HarvestInProgress(instance, entry.name, is_sure=run_options.is_sure)
    for metadata_prefix, set_spec in lists:
        cursor, before = start_cursor(instance, entry.name, metadata_prefix, set_spec, run_options), counts["received"]
        admission.begin(options, cursor)
        for step in _until_it_fails(kind.changes(options, cursor, fetch), failures):
            admission.admit(step)
            count_step(counts, step)
            is_empty = step.is_last and counts["received"] == before
            of_set = doubts_of_empty_set(set_spec, description.with_sets(kind, options, fetch).sets) if is_empty else ()
            doubts = (*step.doubts, *step.losses, *of_set)
            counts["doubts"] += len(doubts)
            counts["held_back"] += sum(slice_.waits for slice_ in in_progress.marked(step))
            for doubt in doubts:
                progress.say(f"{entry.name} {label_of(step.cursor)}: {doubt}")
            progress.show(f"{entry.name} {label_of(step.cursor)}", step.received, step.announced[1])
            is_limit_reached = run_options.max_records and counts["received"] >= run_options.max_records
            if stop.is_asked or stop.is_time_over or is_limit_reached:
                return counts
    if len(failures) == len(lists):
        raise failures[-1]
    return counts + _report_failures(failures, entry.name, progress)


def _until_it_fails(steps: Iterator[Step], failures: list[GatewayError]) -> Iterator[Step]:
    """Return the steps of a list. An error that ends it is noted, and does not stop the others."""
    try:
        yield from steps
    except ERRORS_OF_ONE_REQUEST as error:
        failures.append(error)


def _report_failures(failures: list[GatewayError], source: str, progress: Progress) -> Counter[str]:
    for error in failures:
        progress.fail(f"{source}: {error}")
    return Counter(doubts=len(failures))
