"""The stage of the search for full text: it searches some due items of one source.

One run searches at most `discover_items` items, so a large source takes days. Items whose services failed wait for a
later run. A process searches one source at a time, so that each server gets the requests of one polite client.
"""

from __future__ import annotations

from functools import partial
from threading import Lock
from time import time

from gateway.fulltext.release import BATCH, Releaser
from gateway.model import Outcome, RunOutcome
from harvester.fulltext.pdf.extraction import break_off
from harvester.fulltext.polite_fetch import polite, web_for_other_hosts
from harvester.fulltext.run import FullTextSearch
from harvester.fulltext.step_order import steps
from harvester.harvest.instance import Instance
from harvester.harvest.run_lifecycle import Conclusion, RunResult, SourceRun, run_lifecycle
from harvester.harvest.run_log import Clock, RunLog
from harvester.harvest.sources_toml import SourceEntry
from harvester.runtime.durations import seconds_of
from harvester.runtime.exit_status import SourceLocked
from harvester.runtime.interrupts import Stop, breakable
from harvester.runtime.progress import Progress

STAGE = "discovery"
_ONE = Lock()


def release(instance: Instance, entry: SourceEntry) -> int:
    """Publish the decided files of a source; return the number of records with a new datestamp. Raise StoreError."""
    return Releaser(instance.store, instance.inbox, instance.desk(), instance.settings).release((entry.name,))


def discover(instance: Instance, entry: SourceEntry, progress: Progress, stop: Stop, clock: Clock = time) -> RunResult:
    """Search for some items. Raise SourceLocked when the source is locked, or this process searches another.

    A GatewayError ends the run with its outcome and reason; the results until then are stored.
    """
    if not _ONE.acquire(blocking=False):
        raise SourceLocked("The works of another source are searched for.")
    try:
        with run_lifecycle(instance, entry.name, STAGE, progress, stop, clock=clock) as run:
            run.conclude = partial(_conclude, run)
            _search(instance, entry, stop, run.log, clock)
        return run.ran
    finally:
        _ONE.release()


def _conclude(run: SourceRun) -> Conclusion:
    if faults := run.log.counts[Outcome.FAULT]:
        run.fail(RunOutcome.SUCCEEDED_WITH_ERRORS, f"Faults of this program: {faults}, each in one item.")
    return Conclusion(run.outcome is RunOutcome.SUCCEEDED)


def _search(instance: Instance, entry: SourceEntry, stop: Stop, log: RunLog, clock: Clock) -> None:
    desk, settings, now = instance.desk(), instance.settings, int(clock())
    with web_for_other_hosts(settings, stop.pause) as web, stop.breaking(web.break_off), stop.breaking(break_off):
        fetch = breakable(polite(web, desk, settings, stop.pause), stop)
        work = FullTextSearch(instance.store, desk, fetch, settings, steps(), clock)
        desk.forget_answers(now)
        work.enlist((entry.name,))
        if entry.recheck_every:
            desk.renew(now - seconds_of(entry.recheck_every), (entry.name,), now)
        items = settings.number("discover_items")
        for result in work.run((entry.name,), limit=items, is_asked_to_stop=lambda: stop.is_asked):
            log.counts.update(("searched", str(result.searched.outcome)))
            log.record_progress(None)
            if log.counts["searched"] % BATCH == 0:
                log.counts["stamped"] += release(instance, entry)
    log.counts["stamped"] += release(instance, entry)
