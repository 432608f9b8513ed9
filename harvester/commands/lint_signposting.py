"""`harvester lint-signposting`: our check of anybody's typed links, without an instance."""

import click

from harvester.commands.checking import limit, requesting, requests_of
from harvester.commands.options import Given
from harvester.commands.output import write_json
from harvester.validate.signposting.run import Limits, levels, lint

_LIMITS = Limits()


@click.command()
@click.argument("url", metavar="URL")
@limit(_LIMITS, "requests")
@limit(_LIMITS, "seconds")
@limit(_LIMITS, "bytes", "The most bytes of all answers together.")
@limit(_LIMITS, "links", "The most targets of one relation that are visited.", least=0)
@requesting
def lint_signposting(ctx: click.Context, /, url: str, as_json: bool, **given: Given) -> None:
    """Check the typed links of a landing page against the FAIR Signposting Profile.

    If the address is that of content or metadata, the landing page that it names is checked. The command follows the
    links to metadata, content, link sets and the persistent identifier, and checks the FAIRiCat of the
    host if there is one. Exit status 0: no finding. 3: there are warnings. 1: a check failed. The command needs no
    instance folder.
    """
    with requests_of(ctx, url, given) as fetch:
        report = lint(url, fetch, limits=Limits(**given))
    if as_json:
        data = report.as_data()
        write_json({"url": data.pop("base_url"), "levels": levels(report), **data})
    else:
        for line in report.lines():
            click.echo(line)
        click.echo("; ".join(f"{level}: {verdict}" for level, verdict in levels(report).items()) + ".")
    ctx.exit(report.exit_code)
