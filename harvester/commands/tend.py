"""`harvester tend`: does whatever is due, once or for ever."""

from collections import Counter
from contextlib import ExitStack
from functools import partial

import click

from gateway.core.program import write_json
from harvester.commands.options import flag
from harvester.commands.output import is_json, with_json
from harvester.commands.run import facts_of_done
from harvester.harvest.access import kinds
from harvester.harvest.instance import opened
from harvester.http.retrying import Pace
from harvester.runtime.exit_status import Status, status_of_end, worst
from harvester.runtime.interrupts import Stop, listening
from harvester.runtime.progress import progress
from harvester.runtime.worker_pool import GRACE_SECONDS, WorkerPool
from harvester.schedule.hub.rounds import Rounds
from harvester.schedule.kept_files import KeptFilesRounds
from harvester.schedule.notifications.send import BackgroundNotifier
from harvester.schedule.rounds import CompactionRounds
from harvester.schedule.source_work import SourceWork
from harvester.schedule.stages import Scheduler, StageResult


@click.command()
@flag("--watch", "is_watch", "Do not exit: work until a signal arrives.")
@with_json
def tend(ctx: click.Context, is_watch: bool) -> None:
    """Run whatever is due: harvests, publication, sweeps, searches for full text, the hub, compaction, dumps.

    `every` in the entry of a source says how often it is harvested, `sweep_every` how often it is swept. Call this
    command every few minutes, or once with --watch.
    """
    with opened(ctx.obj) as instance, listening(Stop()) as stop, progress(is_dated=True) as reporter:
        kinds()  # here, not in every thread
        source_work = SourceWork(instance, reporter, stop, Pace())
        source_work.complete_takedowns()
        statuses: dict[tuple[str, str], Status] = {}  # the last of each stage of a source: it may have been repaired
        hub = Rounds(instance, reporter, stop, ended=partial(_written, "hub", is_json()))
        kept_files = KeptFilesRounds(instance, reporter, stop)
        compaction = CompactionRounds(instance, reporter, stop, partial(_written, "compaction", is_json()))
        rounds = (hub, compaction, kept_files)
        threads = instance.settings.number("harvest_threads")
        with (
            BackgroundNotifier(source_work.notified) as notices,
            WorkerPool[None, tuple[StageResult, ...]](
                threads,
                stop,
                failed=lambda name, error: (StageResult("", source_work.failed(name, error)),),
                grace_seconds=GRACE_SECONDS,
            ) as pool,
            ExitStack() as repeated,
        ):
            for work in rounds if is_watch else ():
                repeated.enter_context(work.repeated())
            scheduler = Scheduler(source_work, pool)
            for name, tended in scheduler.watch() if is_watch else scheduler.once():
                statuses[name, tended.stage] = _of_parallel(tended.done.status)
                reporter.end(name)
                notices.put(name)
                if is_watch:
                    assert instance.index is not None
                    instance.index.complete(lambda: stop.is_asked)
                if is_json():
                    write_json({"stage": tended.stage, **facts_of_done(name, tended.done)})
        source_work.complete_takedowns()
        if not is_watch:
            hub.run_all()
            compaction.run()
            kept_files.run()
    of_rounds = (_of_parallel(compaction.status), _of_parallel(kept_files.status))
    ended = (*of_rounds, status_of_end(is_stopped=stop.is_asked))
    ctx.exit(int(worst([*statuses.values(), *ended])))


def _written(stage: str, as_json: bool, counts: Counter[str]) -> None:  # in a thread, which does not know `is_json`
    if as_json:
        write_json({"stage": stage, "counts": dict(sorted(counts.items()))})


def _of_parallel(status: Status) -> Status:
    """Return the status that counts: another process at the same work is as good as this one."""
    return Status.SUCCEEDED if status is Status.LOCKED else status
