"""A rehearsal: what a run would ask and read, of which nothing is kept (`harvester run --dry-run`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from gateway.errors import GatewayError
from harvester.admission import Admission
from harvester.descriptions import doubts_of_empty_set
from harvester.in_progress import HarvestInProgress
from harvester.instance import Instance
from harvester.outcomes import OF_ONE_QUESTION
from harvester.pipeline import Wishes, count, cursor_of, learned_of, lists_of, options_of
from harvester.progress import Progress, Silence
from harvester.sources import SourceKind, Step
from harvester.sources_file import SourceEntry
from harvester.stopping import Stop
from harvester.windows.kept import label_of
from harvester.wire.http import Fetch


def rehearse(
    instance: Instance,
    entry: SourceEntry,
    kind: SourceKind,
    wishes: Wishes,
    fetch: Fetch,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> Counter[str]:
    """Ask and read what a run would ask and read, keep nothing of it, and return the counts.

    A list that fails is doubtful; when all do, the last error is raised.
    """
    progress, stop = progress or Silence(), stop or Stop()
    overlap = instance.settings.number("harvest_overlap_seconds")
    options = options_of(entry, instance.settings, overlap, wishes)
    options = replace(options, known=learned_of(instance, kind, entry.name))
    description = kind.describe(options, fetch)
    options = options.after(description)
    door = Admission(instance, entry, kind, fetch, description, is_rehearsal=True).identified(options)
    for doubt in door.doubts:
        progress.say(f"{entry.name}: {doubt}")
    counts: Counter[str] = Counter(doubts=len(door.doubts))
    failures: list[GatewayError] = []
    lists = tuple(lists_of(entry, wishes))
    in_progress = HarvestInProgress(instance, entry.name, is_sure=wishes.is_sure)
    for metadata_prefix, set_spec in lists:
        cursor, before = cursor_of(instance, entry.name, metadata_prefix, set_spec, wishes), counts["received"]
        door.begin(options, cursor)
        for step in _until_it_fails(kind.changes(options, cursor, fetch), failures):
            door.admit(step)
            count(counts, step)
            is_empty = step.is_last and counts["received"] == before
            of_set = doubts_of_empty_set(set_spec, description.sets) if is_empty else ()
            doubts = (*step.doubts, *step.losses, *of_set)
            counts["doubts"] += len(doubts)
            counts["held_back"] += sum(each.waits for each in in_progress.marked(step))
            for doubt in doubts:
                progress.say(f"{entry.name} {label_of(step.cursor)}: {doubt}")
            progress.show(f"{entry.name} {label_of(step.cursor)}", step.received, step.announced[1])
            is_limit_reached = wishes.max_records and counts["received"] >= wishes.max_records
            if stop.is_asked or stop.is_time_over or is_limit_reached:
                return counts
    if len(failures) == len(lists):
        raise failures[-1]
    return counts + _told_of(failures, entry.name, progress)


def _until_it_fails(steps: Iterator[Step], failures: list[GatewayError]) -> Iterator[Step]:
    """Return the steps of a list; what ends it before its time says nothing about the others."""
    try:
        yield from steps
    except OF_ONE_QUESTION as error:
        failures.append(error)


def _told_of(failures: list[GatewayError], source: str, progress: Progress) -> Counter[str]:
    for error in failures:
        progress.fail(f"{source}: {error}")
    return Counter(doubts=len(failures))
