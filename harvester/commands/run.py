"""`harvester run`, `publish` and `log`: harvest sources, publish their records, and show the last runs."""

import re
from collections import Counter
from collections.abc import Iterator

import click

from gateway.core.errors import ConfigurationError
from gateway.core.model import Run
from gateway.core.program import write_json
from gateway.core.states import DIED, compared, is_ended, of_run
from harvester.commands.options import FiniteRange, Given, date_options, flag, list_options, option, slice_option
from harvester.commands.output import is_json, moment, with_json, write_rows
from harvester.harvest.access import kinds
from harvester.harvest.instance import Instance, opened
from harvester.harvest.run_lifecycle import RunOptions
from harvester.harvest.sources_toml import SourceEntry
from harvester.http.retrying import Pace
from harvester.runtime.exit_status import Status, status_of_end, worst
from harvester.runtime.interrupts import Stop, listening
from harvester.runtime.progress import progress
from harvester.runtime.worker_pool import GRACE_SECONDS, Job, WorkerPool, without_resource
from harvester.schedule.notifications.send import BackgroundNotifier
from harvester.schedule.source_work import SourceWork, WorkResult

# Options of a harvest; a retry does not use them.
_NOT_WITH_RETRY = ("is_full", "from_", "until", "slice", "is_sure")


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@flag("--all", "is_all", "Harvest every source of sources.toml.")
@flag("--full", "is_full", "Harvest the whole lists again.")
@date_options
@list_options
@slice_option
@flag("--yes", "is_sure", "Apply all deletions, waiting ones too.")
@flag("--retry-failed", "Only fetch again what earlier runs could not fetch.")
@flag("--dry-run", "Harvest, but store nothing.")
@option("--max-records", "Stop after the page that reaches this number of records.", type=click.IntRange(min=1))
@option(
    "--max-seconds",
    "Stop after the page during which this time passes; no further source begins.",
    type=FiniteRange(min=0, min_open=True),
)
@with_json
def run(
    ctx: click.Context,
    /,
    names: tuple[str, ...],
    is_all: bool,
    retry_failed: bool,
    dry_run: bool,
    max_seconds: float | None,
    **run_options: Given,
) -> None:
    """Harvest sources and publish their records.

    Without --from and --until, a harvest is incremental: it asks for the records that changed since the last one.
    Sources at different hosts are harvested in parallel. Deletions beyond the share `sweep_most_share` wait for --yes.
    """
    if retry_failed and (dry_run or any(run_options[name] for name in _NOT_WITH_RETRY)):
        raise ConfigurationError("--retry-failed allows only --format, --set, --max-records and --max-seconds.")
    if run_options["is_sure"] and is_all:
        raise ConfigurationError("--yes confirms deletions of named sources. Give NAME instead of --all.")
    with opened(ctx.obj) as instance, listening(Stop(max_seconds)) as stop, progress() as reporter:
        entries = _chosen(instance, names, is_all)
        kinds()  # here, not in every thread
        source_work = SourceWork(instance.at_prompt(), reporter, stop, Pace(), RunOptions(**run_options))
        source_work.complete_takedowns()
        work = source_work.retried if retry_failed else source_work.rehearsed if dry_run else source_work.harvested
        statuses = []
        with (
            BackgroundNotifier(source_work.notified) as notices,
            WorkerPool[None, WorkResult](
                instance.settings.number("harvest_threads"),
                stop,
                failed=source_work.failed,
                grace_seconds=GRACE_SECONDS,
            ) as pool,
        ):
            for entry in entries:
                pool.add(Job(entry.name, entry.host, without_resource(source_work.in_time, work, entry)))
            for name, done in pool.results():
                statuses.append(done.status)
                if not dry_run:
                    notices.put(name)
                if not pool.is_idle:
                    reporter.end(name)
                if is_json():
                    write_done(name, done)
        if len(statuses) < len(entries):
            statuses.append(Status.STOPPED)  # some have not begun
        source_work.complete_takedowns()
    ctx.exit(int(worst(statuses)))


def _chosen(instance: Instance, names: tuple[str, ...], is_all: bool) -> tuple[SourceEntry, ...]:
    if bool(names) is is_all:
        raise ConfigurationError("Name the sources, or give --all.")
    if is_all:
        return tuple(instance.sources.entries().values())
    return instance.sources.chosen(dict.fromkeys(names))


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@with_json
def publish(ctx: click.Context, names: tuple[str, ...]) -> None:
    """Publish harvested records and decided files that are not published yet.

    Every run and every search publishes. This command is for a run whose publication failed, for example because the
    disk was full.
    """
    with opened(ctx.obj) as instance, listening(Stop()) as stop, progress() as reporter:
        source_work = SourceWork(instance, reporter, stop, Pace())
        source_work.complete_takedowns()
        statuses = []
        for entry in _chosen(instance, names, not names):
            done = source_work.published_whole(entry)
            statuses.append(done.status)
            if is_json():
                write_done(entry.name, done)
        source_work.complete_takedowns()
    ctx.exit(int(worst([*statuses, status_of_end(is_stopped=stop.is_asked)])))


def write_done(name: str, done: WorkResult) -> None:
    """Write the result of a source as a line of JSON; nothing when it did not begin."""
    if done.run is not None or done.counts is not None:
        write_json(facts_of_done(name, done))


def facts_of_done(name: str, done: WorkResult) -> dict[str, object]:
    """Return the result of a source as data."""
    if done.run is not None:
        return facts_of_run(done.run)
    counts = {} if done.counts is None else {"counts": done.counts}
    return {"source": name, **counts}


def facts_of_run(run: Run, *, has_died: bool = False) -> dict[str, object]:
    """Return a run as data; `has_died` as in `states.of_run`."""
    return {
        "source": run.source,
        "run": run.number,
        "stage": run.stage,
        "outcome": DIED if has_died or is_ended(run) else run.outcome.value,
        "is_complete": run.is_complete,
        "compared": compared(run),
        "started_at": moment(run.started_at),
        "ended_at": moment(run.ended_at),
        "counts": dict(Counter(run.counts)),
        "reasons": list(run.reasons),
        "state": of_run(run, has_died=has_died).facts(),
    }


# --- `harvester log`: show the last runs, or the log of one run -------------------------------------------------------

# Enough to see whether a source fails often.
RUNS_SHOWN = 20
_NUMBER = re.compile(r"[0-9]{1,18}")  # of a run


@click.command()
@click.argument("which", required=False, metavar="[NAME|RUN]")
@option("--last", "How many runs to show.", default=RUNS_SHOWN, show_default=True, type=click.IntRange(min=1))
@with_json
def log(ctx: click.Context, which: str | None, last: int) -> None:
    """Show the last runs, or the log of one run.

    The newest run is first. NAME limits the list to one source; RUN is the number of one run.
    """
    with opened(ctx.obj, only_reads=True) as instance:
        if which is not None and _NUMBER.fullmatch(which) and which not in instance.sources.entries():
            write_rows(_event_rows(instance, int(which)), "at level text")
            return
        runs = instance.inbox.runs(which, last)
        if which is not None and not runs:
            instance.sources.entry(which)
        rows = [facts_of_run(run, has_died=instance.inbox.has_died(run)) for run in runs]
        write_rows(rows, "run source stage started_at ended_at state counts reasons")


def _event_rows(instance: Instance, number: int) -> Iterator[dict[str, object]]:
    events = tuple(instance.inbox.events(number))
    if not events:
        raise ConfigurationError(f"There is no run {number}, or nothing happened in it.")
    for event in events:
        yield {"run": event.run, "at": moment(event.at), "level": event.level, "text": event.text}
