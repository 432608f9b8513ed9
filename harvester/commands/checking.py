"""`harvester validate`, `lint-signposting`, `lint-resourcesync`: our checks of any server, without an instance."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from gateway.core.logs import plain
from gateway.core.program import write_json
from gateway.core.settings import instance_folder, load
from harvester.commands.options import DIRECTORY, Decorator, FiniteRange, Given, access_options, access_table, option
from harvester.commands.output import is_json, with_json
from harvester.harvest.access import fetcher, with_address
from harvester.harvest.sources_toml import entry_from
from harvester.http.messages import Fetch
from harvester.runtime.interrupts import Stop
from harvester.validate import client
from harvester.validate.check import Report
from harvester.validate.resourcesync import run as resourcesync
from harvester.validate.run import validate as validate_provider
from harvester.validate.signposting import run as signposting

_VALIDATE, _SIGNPOSTING, _RESOURCESYNC = client.Limits(), signposting.Limits(), resourcesync.Limits()


def limit(limits: object, name: str, sentence: str = "", least: int = 1) -> Decorator:
    """Return the option --max-NAME; its default is the field of that name in `limits`."""
    kind = FiniteRange(min=least) if name == "seconds" else click.IntRange(min=least)
    return option(f"--max-{name}", name, sentence, default=getattr(limits, name), show_default=True, type=kind)


@contextmanager
def requests_of(ctx: click.Context, url: str, given: dict[str, Given]) -> Iterator[Fetch]:
    """Lend what sends the requests of a command, and remove the options of access from `given`."""
    table = access_table(url, given)
    entry = with_address(entry_from(str(ctx.info_name), table))
    with fetcher(load(instance_folder(ctx.obj)), entry, Stop()) as fetch:
        yield fetch


@click.command()
@click.argument("base_url", metavar="BASEURL")
@limit(_VALIDATE, "requests")
@limit(_VALIDATE, "seconds")
@limit(_VALIDATE, "pages", "The most pages of one list.")
@access_options
@with_json
def validate(ctx: click.Context, /, base_url: str, **given: Given) -> None:
    """Check whether a provider conforms to OAI-PMH 2.0 and to common practice.

    Exit status 0: it conforms. 3: there are warnings. 1: a check failed. The command needs no instance folder.
    """
    with requests_of(ctx, base_url, given) as fetch:
        report = validate_provider(base_url, fetch, limits=client.Limits(**given))
    _end(ctx, report, report.as_data(), report.lines())


def _end(ctx: click.Context, report: Report, data: dict[str, object], lines: Iterable[str]) -> None:
    """Write a report, and exit with its status."""
    if is_json():
        write_json(data)
    else:
        for line in lines:
            click.echo(line)
    ctx.exit(report.exit_code)


@click.command()
@click.argument("url", metavar="URL")
@limit(_SIGNPOSTING, "requests")
@limit(_SIGNPOSTING, "seconds")
@limit(_SIGNPOSTING, "bytes", "The most bytes of all answers together.")
@limit(_SIGNPOSTING, "links", "The most targets of one relation that are visited.", least=0)
@access_options
@with_json
def lint_signposting(ctx: click.Context, /, url: str, **given: Given) -> None:
    """Check the typed links of a landing page against the FAIR Signposting Profile.

    If the address is that of content or metadata, the landing page that it names is checked. The command follows the
    links to metadata, content, link sets and the persistent identifier, and checks the FAIRiCat of the
    host if there is one. Exit status 0: no finding. 3: there are warnings. 1: a check failed. The command needs no
    instance folder.
    """
    with requests_of(ctx, url, given) as fetch:
        report = signposting.lint(url, fetch, limits=signposting.Limits(**given))
    levels, data = signposting.levels(report), report.as_data()
    words = "; ".join(f"{level}: {verdict}" for level, verdict in levels.items())
    data = {"url": data.pop("base_url"), "levels": levels, **data}
    _end(ctx, report, data, (*report.lines(), f"{words}."))


def _number(ctx: click.Context, parameter: click.Parameter, value: str) -> int | None:
    """Return the number of an option; None for `all`. Raise BadParameter for other texts."""
    return None if value == "all" else int(click.IntRange(min=0)(value, parameter, ctx))


@click.command()
@click.argument("url", metavar="URL")
@option(
    "--fetch N|all",
    "How many resources and packages of each list are requested, and compared with what the list states.",
    default=str(_RESOURCESYNC.fetch),
    show_default=True,
    callback=_number,
)
@option(
    "--again FOLDER",
    "Compare with the run before, and keep in this folder what the next run compares with.",
    type=DIRECTORY,
)
@limit(_RESOURCESYNC, "requests")
@limit(_RESOURCESYNC, "seconds")
@limit(_RESOURCESYNC, "bytes", "The most bytes of all answers together.")
@limit(_RESOURCESYNC, "lists", "The most Capability Lists of a Source Description that are read.")
@access_options
@with_json
def lint_resourcesync(ctx: click.Context, /, url: str, again: Path | None, **given: Given) -> None:
    """Check the documents of a ResourceSync source against version 1.1 of the standard.

    The address may be that of the site, of any document, or of a package. The command reads all lists of the source,
    and requests a sample of resources and packages. Exit status 0: no finding. 3: there are warnings.
    1: a rule is broken. The command needs no instance folder.
    """
    with requests_of(ctx, url, given) as fetch:
        linted = resourcesync.lint(url, fetch, limits=resourcesync.Limits(**given), again=again)
    _end(ctx, linted.report, linted.as_data(), map(plain, linted.lines()))
