"""`harvester alarms`: steps and hosts at which the search for full text succeeds far less often than before."""

from collections.abc import Collection
from time import time

import click

from gateway.core.errors import ConfigurationError
from gateway.core.logs import plain
from gateway.core.model import Alarm
from gateway.core.program import say
from gateway.fulltext.log_completion import whoever_calls
from harvester.commands.discover import named_sources
from harvester.commands.output import moment, with_json, write_json
from harvester.fulltext.substance import sentence, watch
from harvester.harvest.instance import Instance, opened
from harvester.harvest.unattended import alarms_of
from harvester.runtime.exit_status import status_of_end


@click.command()
@click.argument("sources", nargs=-1)
@click.option("--acknowledge", "numbers", multiple=True, type=int, metavar="NUMBER", help="Acknowledge this alarm.")
@click.option("--comment", default="", help="A comment that is stored with --acknowledge.")
@click.option("--all", "with_closed", is_flag=True, help="Also show the alarms that are over.")
@with_json
def alarms(
    ctx: click.Context,
    sources: tuple[str, ...],
    numbers: tuple[int, ...],
    comment: str,
    with_closed: bool,
    as_json: bool,
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
        _show(alarm, as_json=as_json)
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


def _show(alarm: Alarm, *, as_json: bool) -> None:
    if as_json:
        times = {name: moment(getattr(alarm, name) or None) for name in ("opened_at", "closed_at", "acknowledged_at")}
        write_json({**alarm._asdict(), **times, "is_open": alarm.is_open, "sentence": sentence(alarm)})
        return
    click.echo(plain(f"{alarm.number}  {_state(alarm)}  {sentence(alarm)}"))
    click.echo(plain(f"    after: {_counted(alarm.after)}"))
    click.echo(plain(f"    before: {_counted(alarm.before)}"))
    for identifier in alarm.examples:
        click.echo(plain(f"    harvester explain {identifier}"))


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
