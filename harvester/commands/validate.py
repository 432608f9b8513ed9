"""`harvester validate`: our strict check of any provider, without an instance."""

import click

from harvester.commands.checking import limit, requesting, requests_of
from harvester.commands.options import Given
from harvester.commands.output import write_json
from harvester.validate.client import Limits
from harvester.validate.run import validate as validated

_LIMITS = Limits()


@click.command()
@click.argument("base_url", metavar="BASEURL")
@limit(_LIMITS, "requests")
@limit(_LIMITS, "seconds")
@limit(_LIMITS, "pages", "The most pages of one list.")
@requesting
def validate(ctx: click.Context, /, base_url: str, as_json: bool, **given: Given) -> None:
    """Check whether a provider conforms to OAI-PMH 2.0 and to common practice.

    Exit status 0: it conforms. 3: there are warnings. 1: a check failed. The command needs no instance folder.
    """
    with requests_of(ctx, base_url, given) as fetch:
        report = validated(base_url, fetch, limits=Limits(**given))
    if as_json:
        write_json(report.as_data())
    else:
        for line in report.lines():
            click.echo(line)
    ctx.exit(report.exit_code)
