"""`harvester validate`: our strict check of any provider, without an instance."""

from __future__ import annotations

import click

from gateway.settings import instance_folder, load
from harvester.commands.options import Given, access_options, access_table
from harvester.commands.output import json_option, write_json
from harvester.conformance.conversation import Limits
from harvester.kinds import fetcher, with_address
from harvester.sources_file import entry_from
from harvester.stopping import Stop
from harvester.validate import validate as validated

_LIMITS = Limits()


@click.command()
@click.argument("base_url", metavar="BASEURL")
@click.option("--max-requests", "requests", default=_LIMITS.requests, show_default=True, type=click.IntRange(min=1))
@click.option("--max-seconds", "seconds", default=_LIMITS.seconds, show_default=True, type=click.FloatRange(min=1))
@click.option(
    "--max-pages", "pages", default=_LIMITS.pages, show_default=True, type=click.IntRange(min=1), help="Of one list."
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
    """Check strictly whether a provider keeps to OAI-PMH 2.0.

    And whether it does what the field expects. Exit status 0: it does. 3: there are warnings. 1: a check failed.
    Needs no instance folder.
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
