"""`harvester recheck` requests the published files again."""

from collections import Counter
from time import monotonic

import click

from gateway.core.errors import ConfigurationError
from gateway.core.logs import plain, sentence
from gateway.core.model import RunOutcome
from gateway.core.model.rechecks import NEVER_DUE
from gateway.core.program import say
from harvester.commands.discover import SearchRun, named_sources
from harvester.commands.output import moment, with_json, write_json
from harvester.fulltext.recheck.one_file import Effect
from harvester.fulltext.recheck.run import Order, Result
from harvester.harvest.instance import Instance, opened
from harvester.runtime.interrupts import Stop, listening
from harvester.runtime.progress import LINE_INTERVAL_SECONDS, progress
from harvester.schedule.full_text_stage import period_of, recheck_files


@click.command()
@click.argument("sources", nargs=-1)
@click.option("--item", default="", metavar="ID", help="Only the files of this item (its identifier here), due or not.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Stop after N files.")
@click.option("--all", "is_all", is_flag=True, help="Check every file now, due or not.")
@click.option("--dry-run", "is_dry", is_flag=True, help="Check, but store only which hosts refuse us.")
@with_json
def recheck(
    ctx: click.Context,
    sources: tuple[str, ...],
    item: str,
    limit: int | None,
    is_all: bool,
    is_dry: bool,
    as_json: bool,
) -> None:
    """Check published files again: which have changed, and which are gone.

    Without SOURCES, files of every source are checked. Files are due by the `recheck_every` of their source. Without
    it, all files of the source are due. A found file that is not the work any more is withdrawn; a file that a record
    names is only reported. After an interruption, the same command continues.
    """
    counts, reported_at = Counter[str](), monotonic()
    with opened(ctx.obj) as instance, listening(Stop()) as stop, progress() as reporter:
        instance.check_clock()
        order = Order(_periods(instance, sources, item), item, limit, is_all, is_dry)
        run = SearchRun(stop=stop)

        def show(result: Result) -> None:
            nonlocal reported_at
            _show(result, as_json=as_json)
            if monotonic() - reported_at >= LINE_INTERVAL_SECONDS:
                reported_at = monotonic()
                reporter.say(f"Looked at {counts['looked']} files.")

        with run.recorded():
            recheck_files(instance, order, run, counts, show, is_alone=True)
    if item and not counts["looked"] and run.outcome is RunOutcome.SUCCEEDED:
        raise ConfigurationError(f"No published file of {item} is known. `harvester records` shows the identifiers.")
    for reason in run.reasons:
        click.echo(sentence(f"Error: {reason}", "error"), err=True)
    effects = Counter({name: count for name, count in counts.items() if name not in ("looked", "stamped")})
    words = ", ".join(f"{count} {effect}" for effect, count in effects.most_common()) or "nothing is due"
    say(f"Looked at {counts['looked']} files: {words}.")
    ctx.exit(int(run.status))


def _periods(instance: Instance, sources: tuple[str, ...], item: str) -> dict[str, int]:
    """Return the sources, with their periods in seconds. Raise ConfigurationError for a source without records."""
    named = named_sources(instance, sources)
    if item:
        named = tuple(name for name in named if f":{name}/" in item) or named
    entries = instance.sources.entries()
    return {name: period_of(entries[name]) if name in entries else 0 for name in named}


def _show(result: Result, *, as_json: bool) -> None:
    """Write one recheck; for people, only those of files that are not as they were."""
    file = result.file
    if as_json:
        write_json(
            {
                "identifier": file.identifier,
                "url": file.url,
                "source": file.source,
                "effect": result.effect,
                "outcome": file.outcome,
                "verdict": result.verdict,
                "is_named": file.is_named,
                "is_overtaken": result.is_overtaken,
                "looked_at": moment(file.looked_at),
                "due": moment(file.due) if file.due < NEVER_DUE else None,
            }
        )
    elif result.effect is not Effect.UNCHANGED:
        words = " ".join(filter(None, (result.effect, file.outcome, result.verdict)))
        click.echo(plain(f"{file.identifier}  {words}  {file.url}"))
