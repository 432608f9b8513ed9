"""`harvester lint-resourcesync`: our check of anybody's ResourceSync documents, without an instance."""

from __future__ import annotations

from pathlib import Path

import click

from gateway.core.logs import plain
from gateway.core.settings import instance_folder, load
from harvester.commands.options import FiniteRange, Given, access_options, access_table
from harvester.commands.output import json_option, write_json
from harvester.harvest.access import fetcher, with_address
from harvester.harvest.sources_toml import entry_from
from harvester.runtime.interrupts import Stop
from harvester.validate.resourcesync.run import Limits, lint

_LIMITS = Limits()


def _number(ctx: click.Context, parameter: click.Parameter, value: str) -> int | None:
    """Return the number of an option; None for `all`. Raise BadParameter for other texts."""
    return None if value == "all" else int(click.IntRange(min=0)(value, parameter, ctx))


@click.command()
@click.argument("url", metavar="URL")
@click.option(
    "--fetch",
    metavar="N|all",
    default=str(_LIMITS.fetch),
    show_default=True,
    callback=_number,
    help="How many resources and packages of each list are requested, and compared with what the list states.",
)
@click.option(
    "--again",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Compare with the run before, and keep in this folder what the next run compares with.",
)
@click.option("--max-requests", "requests", default=_LIMITS.requests, show_default=True, type=click.IntRange(min=1))
@click.option("--max-seconds", "seconds", default=_LIMITS.seconds, show_default=True, type=FiniteRange(min=1))
@click.option(
    "--max-bytes",
    "bytes",
    default=_LIMITS.bytes,
    show_default=True,
    type=click.IntRange(min=1),
    help="The most bytes of all answers together.",
)
@click.option(
    "--max-lists",
    "lists",
    default=_LIMITS.lists,
    show_default=True,
    type=click.IntRange(min=1),
    help="The most Capability Lists of a Source Description that are read.",
)
@access_options
@json_option
@click.pass_context
def lint_resourcesync(
    ctx: click.Context,
    /,
    url: str,
    again: Path | None,
    as_json: bool,
    **given: Given,
) -> None:
    """Check the documents of a ResourceSync source against version 1.1 of the standard.

    The address may be that of the site, of any document, or of a package. The command reads all lists of the source,
    and requests a sample of resources and packages. Exit status 0: no finding. 3: there are warnings.
    1: a rule is broken. The command needs no instance folder.
    """
    table = access_table(url, given)
    settings = load(instance_folder(ctx.obj))
    with fetcher(settings, with_address(entry_from("lint-resourcesync", table)), Stop()) as fetch:
        linted = lint(url, fetch, limits=Limits(**given), again=again)
    if as_json:
        write_json(linted.as_data())
    else:
        for line in linted.lines():
            click.echo(plain(line))
    ctx.exit(linted.report.exit_code)
