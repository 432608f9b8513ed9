"""`harvester lint-resourcesync`: our check of anybody's ResourceSync documents, without an instance."""

from pathlib import Path

import click

from gateway.core.logs import plain
from harvester.commands.checking import limit, requesting, requests_of
from harvester.commands.options import Given
from harvester.commands.output import write_json
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
@limit(_LIMITS, "requests")
@limit(_LIMITS, "seconds")
@limit(_LIMITS, "bytes", "The most bytes of all answers together.")
@limit(_LIMITS, "lists", "The most Capability Lists of a Source Description that are read.")
@requesting
def lint_resourcesync(ctx: click.Context, /, url: str, again: Path | None, as_json: bool, **given: Given) -> None:
    """Check the documents of a ResourceSync source against version 1.1 of the standard.

    The address may be that of the site, of any document, or of a package. The command reads all lists of the source,
    and requests a sample of resources and packages. Exit status 0: no finding. 3: there are warnings.
    1: a rule is broken. The command needs no instance folder.
    """
    with requests_of(ctx, url, given) as fetch:
        linted = lint(url, fetch, limits=Limits(**given), again=again)
    if as_json:
        write_json(linted.as_data())
    else:
        for line in linted.lines():
            click.echo(plain(line))
    ctx.exit(linted.report.exit_code)
