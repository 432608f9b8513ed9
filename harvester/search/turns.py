"""A turn of the search for full text: some items of one source, as a stage that the source goes through.

A turn takes what is due, as many items as `discover_items` says, so that a large source is searched over days; what was
ill waits for a later turn. One source is searched at a time in a process: strangers see one polite asker.
"""

from __future__ import annotations

from threading import Lock
from time import time

from gateway.model import Outcome, RunOutcome
from harvester.instance import Instance
from harvester.locks import lock
from harvester.outcomes import SourceLocked, gravest, noting, status_of
from harvester.pipeline import Ran, told
from harvester.progress import Progress
from harvester.search.asking import polite, strangers
from harvester.search.discovering import Discovering
from harvester.search.releasing import BATCH, Releasing
from harvester.search.steps import steps
from harvester.sources_file import SourceEntry
from harvester.stopping import Stop, breakable
from harvester.story import Clock, Story, bury
from harvester.tending.due import seconds_of
from harvester.verification.extraction import break_off

STAGE = "discovery"
_ONE = Lock()


def release(instance: Instance, entry: SourceEntry) -> int:
    """Publish what is decided of the files of a source; return how many records were stamped."""
    return Releasing(instance.store, instance.inbox, instance.desk(), instance.settings).release((entry.name,))


def discover(instance: Instance, entry: SourceEntry, progress: Progress, stop: Stop, clock: Clock = time) -> Ran:
    """Take a turn. Raise SourceLocked when another process is at the source, or this one searches for another.

    Every error of ours ends it with its outcome and reason; what was searched until then is kept.
    """
    if not _ONE.acquire(blocking=False):
        raise SourceLocked("The works of another source are searched for.")
    try:
        with lock(instance.folder, entry.name):
            instance.check_clock()
            bury(instance.inbox, entry.name)
            return _told(instance, entry, stop, Story(instance.inbox, entry.name, progress, clock, STAGE), clock)
    finally:
        _ONE.release()


def _told(instance: Instance, entry: SourceEntry, stop: Stop, story: Story, clock: Clock) -> Ran:
    outcomes = [RunOutcome.SUCCEEDED]

    def ended(outcome: RunOutcome, reason: str) -> None:
        outcomes.append(outcome)
        story.fail(reason)

    try:
        with noting(ended):
            _search(instance, entry, stop, story, clock)
        if faults := story.counts[Outcome.FAULT]:
            ended(RunOutcome.SUCCEEDED_WITH_ERRORS, f"Faults of this program: {faults}, each in one item.")
    finally:
        outcome = gravest([*outcomes, *[RunOutcome.STOPPED] * stop.is_asked])
        story.note(f"The search ended: {outcome.value.replace('_', ' ')} ({told(story.counts)}).")
        ran = Ran(story.end(outcome, outcome is RunOutcome.SUCCEEDED), status_of(outcome))
    return ran


def _search(instance: Instance, entry: SourceEntry, stop: Stop, story: Story, clock: Clock) -> None:
    desk, settings, now = instance.desk(), instance.settings, int(clock())
    with strangers(settings, stop.pause) as web, stop.breaking(web.break_off), stop.breaking(break_off):
        fetch = breakable(polite(web, desk, settings, stop.pause), stop)
        work = Discovering(instance.store, desk, fetch, settings, steps(), clock)
        desk.forget_answers(now)
        work.enlist((entry.name,))
        if entry.recheck_every:
            desk.renew(now - seconds_of(entry.recheck_every), (entry.name,), now)
        items = settings.number("discover_items")
        for result in work.run((entry.name,), limit=items, is_asked_to_stop=lambda: stop.is_asked):
            story.counts.update(("searched", str(result.searched.outcome)))
            story.tell(None)
            if story.counts["searched"] % BATCH == 0:
                story.counts["stamped"] += release(instance, entry)
    story.counts["stamped"] += release(instance, entry)
