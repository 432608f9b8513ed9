"""`harvester outcomes`: how searches ended, counted by source, step, host and month."""

from __future__ import annotations

import re
from collections import Counter

import click

from gateway.program import say
from gateway.terminal import plain
from harvester.commands.discover import named_sources, searching
from harvester.commands.output import json_option, write_json


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
    help="What is counted apart; repeatable. Sources and steps when nothing is said.",
)
@click.option("--month", callback=_month, metavar="YYYY-MM", help="What ended in this month alone.")
@json_option
@click.pass_context
def outcomes(
    ctx: click.Context, sources: tuple[str, ...], fields: tuple[str, ...], month: str | None, as_json: bool
) -> None:
    """Count how the steps of searches, and the copies that were looked at, ended, and which share that is.

    Of the sources named, or of all; every search counts, also those that were repeated. A share is that of an outcome
    among all of its source, step, host or month. Steps that asked nobody are at no host: counted by host they are left
    out, and how many they are is said. What releases before 0.5.0 have counted has no month.
    """
    with searching(ctx.obj) as (instance, desk):
        named = named_sources(instance, sources)
        endings = [(each, count) for each, count in desk.endings() if each.source in named]
    chosen = tuple(dict.fromkeys(fields)) or ("source", "step")
    counts: Counter[tuple[str, ...]] = Counter()
    totals: Counter[tuple[str, ...]] = Counter()
    nowhere = 0
    for ending, count in endings:
        group = tuple(str(getattr(ending, field)) for field in chosen)
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
            facts = dict(zip(chosen, group, strict=True))
            write_json({**facts, "outcome": outcome, "count": count, "share": round(share, 4)})
        else:
            shown = [
                value or "no month" if field == "month" else value for field, value in zip(chosen, group, strict=True)
            ]
            click.echo(plain(f"{count:>8} {share:>7.1%}  {'  '.join((*shown, outcome))}"))
    if nowhere:
        say(f"{nowhere} more ended at no host: nobody was asked.")
