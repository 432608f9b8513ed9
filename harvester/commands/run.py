"""`harvester run` and `harvester publish`: the work itself."""

from __future__ import annotations

from collections import Counter
from functools import partial

import click

from gateway.errors import ConfigurationError
from gateway.model import Run
from harvester.commands.options import Given, date_options, list_options, slice_option
from harvester.commands.output import json_option, moment, write_json
from harvester.crew import Crew, Job, host_of
from harvester.instance import Instance, opened
from harvester.kinds import kinds
from harvester.notifying.beside import Beside
from harvester.outcomes import Status, worst
from harvester.pipeline import Wishes
from harvester.progress import progress
from harvester.sources_file import SourceEntry
from harvester.stopping import Stop, listening
from harvester.web import Pace
from harvester.working import Done, Working

# They say what a harvest is to ask for; what is tried again is known.
_NOT_WITH_RETRY = ("is_full", "from_", "until", "slice", "is_sure")


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--all", "is_all", is_flag=True, help="Every source of sources.toml.")
@click.option("--full", "is_full", is_flag=True, help="The whole lists again, whatever was harvested before.")
@date_options
@list_options
@slice_option
@click.option("--yes", "is_sure", is_flag=True, help="Let deletions pass, however many, and release those that wait.")
@click.option("--retry-failed", is_flag=True, help="Only what earlier runs could not fetch, once more.")
@click.option("--dry-run", is_flag=True, help="Ask and read, but keep nothing.")
@click.option("--max-records", type=click.IntRange(min=1), help="Stop after the page that reaches so many records.")
@click.option(
    "--max-seconds",
    type=click.FloatRange(min=0, min_open=True),
    help="Stop after the page at which so many seconds are over; sources that have not begun do not begin.",
)
@json_option
@click.pass_context
def run(
    ctx: click.Context,
    /,
    names: tuple[str, ...],
    is_all: bool,
    retry_failed: bool,
    dry_run: bool,
    max_seconds: float | None,
    as_json: bool,
    **wishes: Given,
) -> None:
    """Harvest sources and publish what arrived.

    Without --from and --until a harvest goes on where the last one ended, and asks only for what has changed since.
    Sources at several hosts are harvested at once. Deletions beyond the share `sweep_most_share` wait for --yes.
    """
    if retry_failed and (dry_run or any(wishes[name] for name in _NOT_WITH_RETRY)):
        raise ConfigurationError("With --retry-failed go --format, --set, --max-records and --max-seconds only.")
    if wishes["is_sure"] and is_all:
        raise ConfigurationError("--yes is said of sources by NAME, not of --all.")
    with opened(ctx.obj) as instance, listening(Stop(max_seconds)) as stop, progress() as telling:
        entries = _chosen(instance, names, is_all)
        kinds()  # here, not in every thread
        working = Working(instance, telling, stop, Pace(), Wishes(**wishes))
        working.obeyed()
        work = working.retried if retry_failed else working.rehearsed if dry_run else working.harvested
        statuses = []
        with (
            Beside(working.notified) as notices,
            Crew(instance.settings.number("harvest_threads"), stop, working.failed) as crew,
        ):
            for entry in entries:
                crew.add(Job(entry.name, host_of(entry), partial(working.in_time, work, entry)))
            for name, done in crew.results():
                statuses.append(done.status)
                if not dry_run:
                    notices.put(name)
                if not crew.is_idle:
                    telling.end(name)
                if as_json:
                    write_done(name, done)
        if len(statuses) < len(entries):
            statuses.append(Status.STOPPED)  # some have not begun
        working.obeyed()
    ctx.exit(int(worst(statuses)))


def _chosen(instance: Instance, names: tuple[str, ...], is_all: bool) -> tuple[SourceEntry, ...]:
    if bool(names) is is_all:
        raise ConfigurationError("Name the sources, or say --all.")
    if is_all:
        return tuple(instance.sources.entries().values())
    return instance.sources.chosen(dict.fromkeys(names))


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@json_option
@click.pass_context
def publish(ctx: click.Context, names: tuple[str, ...], as_json: bool) -> None:
    """Publish what was harvested, and decided of files, and is not published yet.

    Every run and every search does it anyhow. Alone it is wanted after one whose publication failed, for want of disk
    space say.
    """
    with opened(ctx.obj) as instance, listening(Stop()) as stop, progress() as telling:
        working = Working(instance, telling, stop, Pace())
        working.obeyed()
        for entry in _chosen(instance, names, not names):
            done = working.published_whole(entry)
            if as_json:
                write_done(entry.name, done)
        working.obeyed()
    ctx.exit(int(Status.STOPPED if stop.is_asked else Status.SUCCEEDED))


def write_done(name: str, done: Done) -> None:
    """Write what was done with a source as a line of JSON; nothing when it never began."""
    if done.run is not None or done.counts is not None:
        write_json(facts_of_done(name, done))


def facts_of_done(name: str, done: Done) -> dict[str, object]:
    """Return what was done with a source as data."""
    if done.run is not None:
        return facts_of_run(done.run)
    counts = {} if done.counts is None else {"counts": done.counts}
    return {"source": name, **counts}


def facts_of_run(run: Run) -> dict[str, object]:
    """Return a run as data."""
    return {
        "source": run.source,
        "run": run.number,
        "stage": run.stage,
        "outcome": run.outcome.value,
        "is_complete": run.is_complete,
        "started_at": moment(run.started_at),
        "ended_at": moment(run.ended_at),
        "counts": dict(Counter(run.counts)),
        "reasons": list(run.reasons),
    }
