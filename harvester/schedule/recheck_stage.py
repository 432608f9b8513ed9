"""The recheck of published files: the loop of every recheck, and the stage that rechecks the due files of one source.

One run of the stage lasts some minutes at most, so that the other stages of the source have their turn. The rest is due
at once. `harvester recheck` calls the same loop, with a lifecycle of its own.
"""

from collections import Counter
from collections.abc import Callable
from contextlib import closing, nullcontext
from time import time

from gateway.core.model import RunOutcome
from gateway.fulltext.release import BATCH, Releaser
from harvester.fulltext.pdf.extraction import break_off
from harvester.fulltext.polite_fetch import polite_anew, web_for_other_hosts
from harvester.fulltext.recheck.one_file import Effect
from harvester.fulltext.recheck.run import Order, Recheck, Result
from harvester.fulltext.substance import watch
from harvester.harvest.access import access_to_files
from harvester.harvest.instance import Instance
from harvester.harvest.run_lifecycle import Clock, RunResult, run_lifecycle
from harvester.harvest.sources_toml import SourceEntry
from harvester.harvest.takedowns import finish_opened
from harvester.runtime.durations import seconds_of
from harvester.runtime.exit_status import RunLifecycle, SourceLocked
from harvester.runtime.interrupts import Stop, breakable, insisting
from harvester.runtime.progress import Progress
from harvester.schedule.full_text_stage import ONE_SOURCE

STAGE = "recheck"
_LONGEST_SECONDS = 600.0  # of one run of the stage
# Effects that change what is published, or may soon do so.
_NEWS = frozenset((Effect.CHANGED, Effect.LOST, Effect.RETURNED))


def period_of(entry: SourceEntry) -> int:
    """Return the period of the rechecks of a source in seconds; 0: there is none."""
    return seconds_of(entry.recheck_every) if entry.recheck_every else 0


def recheck_files(
    instance: Instance,
    order: Order,
    run: RunLifecycle,
    counts: Counter[str],
    shown: Callable[[Result], None],
    *,
    clock: Clock = time,
    is_over: Callable[[], bool] = lambda: False,
    is_alone: bool = False,
) -> None:
    """Recheck files, publish what was decided, and call `shown` with each result.

    `counts` gets the rechecks, their effects, and the records that were stamped for their files. `is_over` ends them
    early. `is_alone`: no other work shares the `stop` of the run, so an error breaks off all requests at once. Raise a
    GatewayError when the recheck cannot continue; the results until then are stored.
    """
    discovery, settings, stop = instance.discovery(), instance.settings, run.stop
    releaser = Releaser(instance.store, instance.inbox, discovery, settings)
    sources = tuple(order.every)
    news, flagged = 0, list[str]()
    access = access_to_files(instance.sources.entries().values())
    web_of_files = web_for_other_hosts(settings, stop.pause, access)
    with web_of_files as web, stop.breaking(web.break_off), stop.breaking(break_off):
        polite = polite_anew(web, discovery, settings, stop.pause)
        work = Recheck(instance.store, discovery, breakable(polite, stop), settings, wait=polite.wait, clock=clock)
        results = work.run(order, is_asked_to_stop=lambda: stop.is_asked or is_over())
        try:
            with closing(results), insisting(stop) if is_alone else nullcontext():
                for result in results:
                    counts.update(("looked", str(result.effect)))
                    shown(result)
                    news += result.effect in _NEWS
                    flagged += [result.file.url] * result.is_flagged
                    if news >= BATCH and not order.is_dry:
                        counts["stamped"] += releaser.release(sources)
                        news = 0
        finally:
            if faults := counts[Effect.FAULT]:
                run.fail(RunOutcome.SUCCEEDED_WITH_ERRORS, f"Faults of this program: {faults}, each at one file.")
            if flagged:
                reason = f"Files that records name are not there any more: {len(flagged)}, such as {flagged[0]}."
                run.fail(RunOutcome.SUCCEEDED_WITH_ERRORS, reason)
    if counts["looked"] and not order.is_dry:
        counts["stamped"] += releaser.release(sources)
        finish_opened(instance)
        watch(discovery, int(clock()))


def recheck(instance: Instance, entry: SourceEntry, progress: Progress, stop: Stop, clock: Clock = time) -> RunResult:
    """Recheck due files. Raise SourceLocked when the source is locked, or this process searches or rechecks another.

    A GatewayError ends the run with its outcome and reason; the results until then are stored.
    """
    if not ONE_SOURCE.acquire(blocking=False):
        raise SourceLocked("The files of another source are looked at.")
    try:
        with run_lifecycle(instance, entry.name, STAGE, progress, stop, clock=clock) as run:
            end = clock() + _LONGEST_SECONDS
            order = Order({entry.name: period_of(entry)})
            recheck_files(
                instance,
                order,
                run,
                run.log.counts,
                lambda _result: run.log.record_progress(None),
                clock=clock,
                is_over=lambda: clock() > end,
            )
        return run.ran
    finally:
        ONE_SOURCE.release()
