"""`harvester outcomes` counts the ends of searches; `harvester alarms` shows where they succeed far less often."""

import re
from collections import Counter
from collections.abc import Collection
from time import time

import click

from gateway.core.errors import ConfigurationError
from gateway.core.model import Alarm
from gateway.core.program import say
from gateway.fulltext.log_completion import whoever_calls
from harvester.commands.discover import named_sources, searching
from harvester.commands.options import checked, flag, many, text
from harvester.commands.output import moment, show, with_json
from harvester.fulltext.substance import WAY, sentence, watch
from harvester.harvest.facts import alarms_of
from harvester.harvest.instance import Instance, opened
from harvester.runtime.exit_status import status_of_end

# The names of empty groups.
_EMPTY = {"source": "", "step": "", "host": "", "month": "no month", "what": "step or copy"}


_month = checked(re.compile(r"\d{4}-(?:0[1-9]|1[0-2])").fullmatch, "must be a month such as 2026-11")


@click.command()
@click.argument("sources", nargs=-1)
@many(
    "--by",
    "fields",
    "How to group the counts; may be repeated. Default: source and step.",
    type=click.Choice(("source", "step", "host", "month")),
)
@text("--month YYYY-MM", "Only searches that ended in this month.", callback=_month)
@with_json
def outcomes(ctx: click.Context, sources: tuple[str, ...], fields: tuple[str, ...], month: str) -> None:
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
        if month not in ("", ending.month):
            continue
        if "host" in chosen and not ending.host:
            nowhere += count
        else:
            counts[(*group, ending.outcome)] += count
            totals[group] += count
    for key, count in sorted(counts.items()):
        group, outcome = key[:-1], key[-1]
        share = count / totals[group]
        facts = dict(zip((*chosen, "what"), group, strict=True))
        words = "  ".join((*(value or _EMPTY[field] for field, value in facts.items()), outcome))
        counted = {**facts, "outcome": outcome, "count": count, "share": round(share, 4)}
        show(counted, f"{count:>8} {share:>7.1%}  {words}")
    if nowhere:
        say(f"{nowhere} more ended at no host: nobody was asked.")


@click.command()
@click.argument("sources", nargs=-1)
@many("--acknowledge NUMBER", "numbers", "Acknowledge this alarm.", type=int)
@text("--comment", "A comment that is stored with --acknowledge.")
@flag("--all", "with_closed", "Also show the alarms that are over.")
@with_json
def alarms(
    ctx: click.Context, sources: tuple[str, ...], numbers: tuple[int, ...], comment: str, with_closed: bool
) -> None:
    """Show at which steps and hosts the search for full text succeeds far less often than before.

    An alarm compares the last week with the eight weeks before. It is closed when the share of successes has recovered.
    One that is acknowledged stays in the list until then. The exit status is 3 while an alarm is open.
    """
    if comment and not numbers:
        raise ConfigurationError("A comment is stored with an alarm. Name it with --acknowledge NUMBER.")
    with opened(ctx.obj) as instance:
        named = named_sources(instance, sources) if sources else ()
        clock_problem = instance.store.clock_problem()
        if numbers:
            instance.check_clock()
        if instance.has_searched and not clock_problem:
            watch(instance.discovery(), int(time()))
        _acknowledge(instance, named, numbers, comment)
        shown = alarms_of(instance, named, with_closed=with_closed)
    for alarm in shown:
        _show(alarm)
    is_open = sum(alarm.is_open for alarm in shown)
    if clock_problem:
        say(f"The alarms are those of the last run. {clock_problem}")
    say(f"Open alarms: {is_open}.")
    ctx.exit(int(status_of_end(has_findings=is_open > 0)))


def _acknowledge(instance: Instance, sources: Collection[str], numbers: tuple[int, ...], comment: str) -> None:
    known = {alarm.number for alarm in alarms_of(instance, sources)}
    of_them = f" of {', '.join(sorted(sources))}" if sources else ""
    for number in numbers:
        if number not in known:
            raise ConfigurationError(f"There is no alarm {number} in force{of_them}; `harvester alarms` lists them.")
    for number in numbers:
        if not instance.discovery().acknowledge_alarm(number, int(time()), whoever_calls(), comment):
            say(f"Alarm {number} is acknowledged already.")


def _show(alarm: Alarm) -> None:
    times = {name: moment(getattr(alarm, name) or None) for name in ("opened_at", "closed_at", "acknowledged_at")}
    show(
        {**alarm._asdict(), **times, "is_open": alarm.is_open, "sentence": sentence(alarm)},
        f"{alarm.number}  {_state(alarm)}  {sentence(alarm)}",
        f"    after: {_counted(alarm.after)}",
        f"    before: {_counted(alarm.before)}",
        *(f"    harvester explain {identifier}" for identifier in alarm.examples),
    )


def _state(alarm: Alarm) -> str:
    if alarm.closed_at:
        return f"closed {moment(alarm.closed_at)}"
    if alarm.acknowledged_at:
        because = f": {alarm.comment}" if alarm.comment else ""
        return f"acknowledged {moment(alarm.acknowledged_at)} by {alarm.acknowledged_by}{because}"
    return f"open since {moment(alarm.opened_at)}"


def _counted(outcomes: dict[str, int]) -> str:
    """Return counts of outcomes in words, the most frequent first."""
    most_first = sorted(outcomes.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{outcome} {count}" for outcome, count in most_first) or "nothing"
