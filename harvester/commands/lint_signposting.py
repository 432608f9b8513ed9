"""`harvester lint-signposting`: our check of anybody's typed links, without an instance."""

from __future__ import annotations

import click

from gateway.core.settings import instance_folder, load
from harvester.commands.options import FiniteRange, Given, access_options, access_table
from harvester.commands.output import json_option, write_json
from harvester.harvest.access import fetcher, with_address
from harvester.harvest.sources_toml import entry_from
from harvester.runtime.interrupts import Stop
from harvester.validate.signposting.run import Limits, levels, lint

_LIMITS = Limits()


@click.command()
@click.argument("url", metavar="URL")
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
    "--max-links",
    "links",
    default=_LIMITS.links,
    show_default=True,
    type=click.IntRange(min=0),
    help="The most targets of one relation that are visited.",
)
@access_options
@json_option
@click.pass_context
def lint_signposting(
    ctx: click.Context,
    /,
    url: str,
    as_json: bool,
    **given: Given,
) -> None:
    """Check the typed links of a landing page against the FAIR Signposting Profile.

    If the address is that of content or metadata, the landing page that it names is checked. The command follows the
    links to metadata, content, link sets and the persistent identifier, and checks the FAIRiCat of the
    host if there is one. Exit status 0: no finding. 3: there are warnings. 1: a check failed. The command needs no
    instance folder.
    """
    table = access_table(url, given)
    settings = load(instance_folder(ctx.obj))
    with fetcher(settings, with_address(entry_from("lint-signposting", table)), Stop()) as fetch:
        report = lint(url, fetch, limits=Limits(**given))
    if as_json:
        data = report.as_data()
        write_json({"url": data.pop("base_url"), "levels": levels(report), **data})
    else:
        for line in report.lines():
            click.echo(line)
        click.echo("; ".join(f"{level}: {verdict}" for level, verdict in levels(report).items()) + ".")
    ctx.exit(report.exit_code)
