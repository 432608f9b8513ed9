"""`harvester log`: show the last runs, or the log of one run. It only reads."""

import re
from collections.abc import Iterator

import click

from gateway.core.errors import ConfigurationError
from harvester.commands.output import moment, with_json, write_rows
from harvester.commands.run import facts_of_run
from harvester.harvest.instance import Instance, opened

# Enough to see whether a source fails often.
RUNS_SHOWN = 20
_NUMBER = re.compile(r"[0-9]{1,18}")  # of a run


@click.command()
@click.argument("which", required=False, metavar="[NAME|RUN]")
@click.option(
    "--last", default=RUNS_SHOWN, show_default=True, type=click.IntRange(min=1), help="How many runs to show."
)
@with_json
def log(ctx: click.Context, which: str | None, last: int, as_json: bool) -> None:
    """Show the last runs, or the log of one run.

    The newest run is first. NAME limits the list to one source; RUN is the number of one run.
    """
    with opened(ctx.obj, only_reads=True) as instance:
        if which is not None and _NUMBER.fullmatch(which) and which not in instance.sources.entries():
            write_rows(_event_rows(instance, int(which)), ("at", "level", "text"), as_json=as_json)
            return
        runs = instance.inbox.runs(which, last)
        if which is not None and not runs:
            instance.sources.entry(which)
        rows = [facts_of_run(run, has_died=instance.inbox.has_died(run)) for run in runs]
        columns = ("run", "source", "stage", "started_at", "ended_at", "state", "counts", "reasons")
        write_rows(rows, columns, as_json=as_json)


def _event_rows(instance: Instance, number: int) -> Iterator[dict[str, object]]:
    events = tuple(instance.inbox.events(number))
    if not events:
        raise ConfigurationError(f"There is no run {number}, or nothing happened in it.")
    for event in events:
        yield {"run": event.run, "at": moment(event.at), "level": event.level, "text": event.text}
