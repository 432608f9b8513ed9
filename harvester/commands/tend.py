"""`harvester tend`: does whatever is due, once or for ever."""

from __future__ import annotations

import click

from harvester.commands.output import json_option, write_json
from harvester.commands.run import facts_of_done
from harvester.crew import Crew
from harvester.instance import opened
from harvester.kinds import kinds
from harvester.notifying.beside import Beside
from harvester.outcomes import Status, worst
from harvester.progress import progress
from harvester.stopping import Stop, listening
from harvester.tending.stages import Tended, Tending
from harvester.web import Pace
from harvester.working import Working


@click.command()
@click.option("--watch", "is_watch", is_flag=True, help="For ever, instead of once: until a signal ends it.")
@json_option
@click.pass_context
def tend(ctx: click.Context, is_watch: bool, as_json: bool) -> None:
    """Do whatever is due: harvest, publish, sweep, search for full text.

    A source is harvested as often as `every` in its entry says, and swept as often as `sweep_every` does. To be called
    every few minutes, or once with --watch.
    """
    with opened(ctx.obj) as instance, listening(Stop()) as stop, progress(is_dated=True) as telling:
        kinds()  # here, not in every thread
        working = Working(instance, telling, stop, Pace())
        working.obeyed()
        status = Status.SUCCEEDED
        threads = instance.settings.number("harvest_threads")
        with (
            Beside(working.notified) as notices,
            Crew[tuple[Tended, ...]](
                threads, stop, lambda name, error: (Tended("", working.failed(name, error)),)
            ) as crew,
        ):
            tending = Tending(working, crew)
            for name, tended in tending.watch() if is_watch else tending.once():
                status = worst([status, _counted(tended)])
                telling.end(name)
                notices.put(name)
                if as_json:
                    write_json({"stage": tended.stage, **facts_of_done(name, tended.done)})
        working.obeyed()
    ctx.exit(int(Status.STOPPED if stop.is_asked else status))


def _counted(tended: Tended) -> Status:
    """Return the status that counts: another process at a source is as good as this one."""
    return Status.SUCCEEDED if tended.done.status is Status.LOCKED else tended.done.status
