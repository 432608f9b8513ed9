"""`gateway hub`: shows and removes subscriptions at our WebSub hub."""

from pathlib import Path

import click

from gateway.core.program import json_option, say, write_json


@click.group()
def hub() -> None:
    """Show and remove subscriptions at our WebSub hub."""


@hub.command(name="list")
@json_option
@click.pass_obj
def hub_list(folder: Path, /, as_json: bool) -> None:
    """List the subscriptions at our hub, the oldest first. Secrets are never shown."""
    from gateway.hub.subscribers import known, line  # noqa: PLC0415

    subscribers, waiting = known(folder)
    for facts in subscribers:
        if as_json:
            write_json(facts)
        else:
            click.echo(line(facts))
    say(f"{len(subscribers)} subscriptions; {waiting} requests wait until `harvester tend` verifies them.")


@hub.command(name="remove")
@click.argument("numbers", metavar="NUMBER...", nargs=-1, required=True, type=int)
@json_option
@click.pass_obj
def hub_remove(folder: Path, /, numbers: tuple[int, ...], as_json: bool) -> None:
    """Remove subscriptions by their numbers, which `gateway hub list` shows.

    The next `harvester tend` informs the subscribers.
    """
    from gateway.hub.subscribers import remove  # noqa: PLC0415

    for number in numbers:
        remove(folder, number)
        say(f"The subscription {number} was removed.")
        if as_json:
            write_json({"number": number})
