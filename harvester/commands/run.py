"""`harvester run` and `harvester publish`: the work itself."""

from __future__ import annotations

from collections import Counter

import click

from gateway.errors import ConfigurationError, GatewayError
from gateway.model import Run
from harvester import pipeline
from harvester.commands.options import Given, date_options, list_options
from harvester.commands.output import in_words, json_option, moment, write_json
from harvester.instance import Instance, opened
from harvester.kinds import fetcher, kind_of
from harvester.locks import lock
from harvester.outcomes import Status, status_of_error, worst
from harvester.pipeline import Wishes
from harvester.progress import Progress, progress
from harvester.publication import Publication
from harvester.sources_file import SourceEntry
from harvester.stopping import Stop, listening


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--all", "is_all", is_flag=True, help="Every source of sources.toml.")
@click.option("--full", "is_full", is_flag=True, help="The whole lists again, whatever was harvested before.")
@date_options
@list_options
@click.option("--dry-run", is_flag=True, help="Ask and read, but keep nothing.")
@click.option("--max-records", type=click.IntRange(min=1), help="Stop after the page that reaches so many records.")
@json_option
@click.pass_context
def run(
    ctx: click.Context, /, names: tuple[str, ...], is_all: bool, dry_run: bool, as_json: bool, **wishes: Given
) -> None:
    """Harvest sources and publish what arrived.

    Without --from and --until a harvest goes on where the last one ended, and asks only for what has changed since.
    """
    with opened(ctx.obj) as instance, listening(Stop()) as stop, progress() as telling:
        statuses = []
        for entry in _chosen(instance, names, is_all):
            if stop.is_asked:
                break
            work = _rehearse if dry_run else _run
            statuses.append(work(instance, entry, Wishes(**wishes), telling, stop, as_json))
    ctx.exit(int(worst(statuses)))


def _chosen(instance: Instance, names: tuple[str, ...], is_all: bool) -> tuple[SourceEntry, ...]:
    if bool(names) is is_all:
        raise ConfigurationError("Name the sources, or say --all.")
    if is_all:
        return tuple(instance.sources.entries().values())
    return tuple(instance.sources.entry(name) for name in dict.fromkeys(names))


def _run(
    instance: Instance, entry: SourceEntry, wishes: Wishes, telling: Progress, stop: Stop, as_json: bool
) -> Status:
    """Run one source; an error before the run begins ends only this one."""
    try:
        with fetcher(instance.settings, entry, stop) as fetch:
            ran = pipeline.run(instance, entry, kind_of(entry.kind), wishes, fetch, telling, stop)
    except GatewayError as error:
        telling.say(f"{entry.name}: {error}")
        return status_of_error(error)
    if as_json:
        write_json(facts_of_run(ran.run))
    return ran.status


def _rehearse(
    instance: Instance, entry: SourceEntry, wishes: Wishes, telling: Progress, stop: Stop, as_json: bool
) -> Status:
    """Rehearse the run of one source; an error ends only this one."""
    try:
        with fetcher(instance.settings, entry, stop) as fetch:
            counts = pipeline.rehearse(instance, entry, kind_of(entry.kind), wishes, fetch, telling, stop)
    except GatewayError as error:
        telling.say(f"{entry.name}: {error}")
        return status_of_error(error)
    telling.say(f"{entry.name}: {in_words(counts)}; nothing was kept.")
    if as_json:
        write_json({"source": entry.name, "counts": counts})
    if stop.is_asked:
        return Status.STOPPED
    return Status.WITH_ERRORS if counts["doubts"] or counts["unusable"] else Status.SUCCEEDED


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@json_option
@click.pass_context
def publish(ctx: click.Context, names: tuple[str, ...], as_json: bool) -> None:
    """Publish what was harvested and is not published yet.

    Every run does it anyhow. Alone it is wanted after a run whose publication failed, for want of disk space say.
    """
    with opened(ctx.obj) as instance, listening(Stop()) as stop, progress() as telling:
        for entry in _chosen(instance, names, not names):
            with lock(instance.folder, entry.name), Publication(instance, entry, telling, stop) as publication:
                publication.finish()
            found = publication.counts
            telling.say(f"{entry.name}: {in_words(found) or 'everything is published already'}.")
            if as_json:
                write_json({"source": entry.name, "counts": found})
    ctx.exit(int(Status.STOPPED if stop.is_asked else Status.SUCCEEDED))


def facts_of_run(run: Run) -> dict[str, object]:
    """Return a run as data."""
    return {
        "source": run.source,
        "run": run.number,
        "outcome": run.outcome.value,
        "is_complete": run.is_complete,
        "started_at": moment(run.started_at),
        "ended_at": moment(run.ended_at),
        "counts": dict(Counter(run.counts)),
        "reasons": list(run.reasons),
    }
