"""`harvester validate`: our strict check of any provider, without an instance."""

from __future__ import annotations

import click

from gateway.core.settings import instance_folder, load
from harvester.commands.options import FiniteRange, Given, access_options, access_table
from harvester.commands.output import json_option, write_json
from harvester.harvest.access import fetcher, with_address
from harvester.harvest.sources_toml import entry_from
from harvester.runtime.interrupts import Stop
from harvester.validate.client import Limits
from harvester.validate.run import validate as validated

_LIMITS = Limits()


@click.command()
@click.argument("base_url", metavar="BASEURL")
@click.option("--max-requests", "requests", default=_LIMITS.requests, show_default=True, type=click.IntRange(min=1))
@click.option("--max-seconds", "seconds", default=_LIMITS.seconds, show_default=True, type=FiniteRange(min=1))
@click.option(
    "--max-pages",
    "pages",
    default=_LIMITS.pages,
    show_default=True,
    type=click.IntRange(min=1),
    help="The most pages of one list.",
)
@access_options
@json_option
@click.pass_context
def validate(
    ctx: click.Context,
    /,
    base_url: str,
    as_json: bool,
    **given: Given,
) -> None:
    """Check whether a provider conforms to OAI-PMH 2.0 and to common practice.

    Exit status 0: it conforms. 3: there are warnings. 1: a check failed. The command needs no instance folder.
    """
    table = access_table(base_url, given)
    settings = load(instance_folder(ctx.obj))
    with fetcher(settings, with_address(entry_from("validate", table)), Stop()) as fetch:
        report = validated(base_url, fetch, limits=Limits(**given))
    if as_json:
        write_json(report.as_data())
    else:
        for line in report.lines():
            click.echo(line)
    ctx.exit(report.exit_code)
