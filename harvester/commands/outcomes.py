"""`harvester outcomes`: count the ends of searches by source, step, host and month."""

import re
from collections import Counter

import click

from gateway.core.logs import plain
from gateway.core.program import say
from harvester.commands.discover import named_sources, searching
from harvester.commands.output import with_json, write_json
from harvester.fulltext.outcome_counts import WAY

# The names of empty groups.
_EMPTY = {"source": "", "step": "", "host": "", "month": "no month", "what": "step or copy"}


def _month(_ctx: click.Context, _option: click.Parameter, value: str | None) -> str | None:
    if value is not None and not re.fullmatch(r"\d{4}-(?:0[1-9]|1[0-2])", value):
        raise click.BadParameter("must be a month such as 2026-11")
    return value


@click.command()
@click.argument("sources", nargs=-1)
@click.option(
    "--by",
    "fields",
    multiple=True,
    type=click.Choice(("source", "step", "host", "month")),
    help="How to group the counts; may be repeated. Default: source and step.",
)
@click.option("--month", callback=_month, metavar="YYYY-MM", help="Only searches that ended in this month.")
@with_json
def outcomes(
    ctx: click.Context, sources: tuple[str, ...], fields: tuple[str, ...], month: str | None, as_json: bool
) -> None:
    """Count the outcomes of search steps and of the copies that they named.

    Without SOURCES, every source counts. Repeated searches count as well. A `step` line counts the ends of a
    step; its share is one of the searches that took the step. A `copy` line counts the ends of the copies that a step
    named; its share is one of copies. If steps are counted together, a share is one of all of them. Steps that asked
    nobody have no host: `--by host` leaves them out and says how many there are. Counts of releases before 0.5.0 have
    no month. `step or copy` marks counts of releases that did not distinguish steps from copies.
    """
    with searching(ctx.obj) as (instance, discovery):
        named = named_sources(instance, sources)
        endings = [
            (ending, count)
            for ending, count in discovery.endings()
            if ending.source in named and not ending.what.endswith(WAY)  # it is counted at its last host
        ]
    chosen = tuple(dict.fromkeys(fields)) or ("source", "step")
    counts: Counter[tuple[str, ...]] = Counter()
    totals: Counter[tuple[str, ...]] = Counter()
    nowhere = 0
    for ending, count in endings:
        group = (*(str(getattr(ending, field)) for field in chosen), ending.what)
        if month not in (None, ending.month):
            continue
        if "host" in chosen and not ending.host:
            nowhere += count
        else:
            counts[(*group, ending.outcome)] += count
            totals[group] += count
    for key, count in sorted(counts.items()):
        group, outcome = key[:-1], key[-1]
        share = count / totals[group]
        if as_json:
            facts = dict(zip((*chosen, "what"), group, strict=True))
            write_json({**facts, "outcome": outcome, "count": count, "share": round(share, 4)})
        else:
            shown = [value or _EMPTY[field] for field, value in zip((*chosen, "what"), group, strict=True)]
            click.echo(plain(f"{count:>8} {share:>7.1%}  {'  '.join((*shown, outcome))}"))
    if nowhere:
        say(f"{nowhere} more ended at no host: nobody was asked.")
