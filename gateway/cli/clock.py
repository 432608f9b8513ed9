"""`gateway clock`: compares the clock of the store with that of this machine."""

from time import time

import click

from gateway.core.program import json_option, say, write_json
from gateway.core.statuses import Status


@click.command()
@click.option("--accept", "is_accepted", is_flag=True, help="Accept the clock of this machine as right.")
@json_option
@click.pass_context
def clock(context: click.Context, is_accepted: bool, as_json: bool) -> None:
    """Compare the clock of the store with that of this machine; exit status 1 if it prevents publication."""
    from gateway.core.xmltext import utc_datetime  # noqa: PLC0415
    from gateway.ops import upkeep  # noqa: PLC0415

    second, problem = upkeep.clock(context.obj, is_accepted=is_accepted)
    facts = {"store": utc_datetime(second), "machine": utc_datetime(int(time())), "problem": problem}
    if as_json:
        write_json(facts)
    else:
        say(f"The store serves everything up to {facts['store']}; this machine's clock shows {facts['machine']}.")
        if problem:
            click.echo(problem, err=True)
    context.exit(int(Status.FAILED if problem else Status.SUCCEEDED))
