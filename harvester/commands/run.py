"""`harvester run` and `harvester publish`: the work itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from traceback import format_exception
from typing import NamedTuple

import click

from gateway.errors import ConfigurationError, GatewayError
from gateway.model import Run
from harvester import pipeline
from harvester.commands.options import Given, date_options, list_options
from harvester.commands.output import in_words, json_option, moment, write_json
from harvester.crew import Crew, Job, host_of
from harvester.instance import Instance, opened
from harvester.kinds import fetcher, kind_of, kinds
from harvester.locks import lock
from harvester.outcomes import Status, status_of_error, worst
from harvester.pipeline import Wishes
from harvester.progress import Progress, progress
from harvester.publication import Publication
from harvester.sources_file import SourceEntry
from harvester.stopping import Stop, TimeIsOver, listening
from harvester.web import Pace


class Done(NamedTuple):
    """How the work on one source ended: the status it gives to the shell, and what there is to tell as data."""

    status: Status
    facts: dict[str, object] | None = None


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--all", "is_all", is_flag=True, help="Every source of sources.toml.")
@click.option("--full", "is_full", is_flag=True, help="The whole lists again, whatever was harvested before.")
@date_options
@list_options
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
    dry_run: bool,
    max_seconds: float | None,
    as_json: bool,
    **wishes: Given,
) -> None:
    """Harvest sources and publish what arrived.

    Without --from and --until a harvest goes on where the last one ended, and asks only for what has changed since.
    Sources at several hosts are harvested at once.
    """
    with opened(ctx.obj) as instance, listening(Stop(max_seconds)) as stop, progress() as telling:
        entries = _chosen(instance, names, is_all)
        kinds()  # here, not in every thread
        harvesting = Harvesting(instance, Wishes(**wishes), telling, stop, Pace())
        work = harvesting.rehearsed if dry_run else harvesting.harvested
        statuses = []
        with Crew(instance.settings.number("harvest_threads"), stop, harvesting.failed) as crew:
            for entry in entries:
                crew.add(Job(entry.name, host_of(entry), partial(harvesting.in_time, work, entry)))
            for name, done in crew.results():
                statuses.append(done.status)
                if not crew.is_idle:
                    telling.end(name)
                if as_json and done.facts:
                    write_json(done.facts)
    ctx.exit(int(worst(statuses)))


def _chosen(instance: Instance, names: tuple[str, ...], is_all: bool) -> tuple[SourceEntry, ...]:
    if bool(names) is is_all:
        raise ConfigurationError("Name the sources, or say --all.")
    if is_all:
        return tuple(instance.sources.entries().values())
    return tuple(instance.sources.entry(name) for name in dict.fromkeys(names))


@dataclass(frozen=True, slots=True)
class Harvesting:
    """What the work on every source of one command shares. Its methods run in threads, one source in each."""

    instance: Instance
    wishes: Wishes
    telling: Progress
    stop: Stop
    pace: Pace

    def in_time(self, work: Callable[[SourceEntry], Done], entry: SourceEntry) -> Done:
        """Work on one source unless the time that was given is over."""
        try:
            if not self.stop.is_time_over:
                return work(entry)
        except TimeIsOver:  # a rehearsal has nothing to write down
            pass
        self.telling.say(f"{entry.name}: the time is over.")
        return Done(Status.SUCCEEDED)

    def harvested(self, entry: SourceEntry) -> Done:
        """Run one source."""
        with fetcher(self.instance.settings, entry, self.stop, self.pace) as fetch:
            kind = kind_of(entry.kind)
            ran = pipeline.run(self.instance, entry, kind, self.wishes, fetch, self.telling, self.stop)
        return Done(ran.status, facts_of_run(ran.run))

    def rehearsed(self, entry: SourceEntry) -> Done:
        """Rehearse the run of one source."""
        with fetcher(self.instance.settings, entry, self.stop, self.pace) as fetch:
            kind = kind_of(entry.kind)
            counts = pipeline.rehearse(self.instance, entry, kind, self.wishes, fetch, self.telling, self.stop)
        self.telling.say(f"{entry.name}: {in_words(counts)}; nothing was kept.")
        status = Status.WITH_ERRORS if counts["doubts"] or counts["unusable"] else Status.SUCCEEDED
        return Done(Status.STOPPED if self.stop.is_asked else status, {"source": entry.name, "counts": counts})

    def failed(self, name: str, error: BaseException) -> Done:
        """Tell what ended the work on one source; the others go on."""
        if isinstance(error, KeyboardInterrupt):
            return Done(Status.STOPPED)
        if isinstance(error, GatewayError):
            self.telling.say(f"{name}: {error}")
            return Done(status_of_error(error))
        self.telling.say(f"{name}: a fault of this program.\n{''.join(format_exception(error)).rstrip()}")
        return Done(Status.FAILED)


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
