"""`harvester review`: what rules left to people, and what people decide. Nothing decided is ever overwritten."""

from __future__ import annotations

import getpass
from time import time

import click

from gateway.errors import ConfigurationError
from gateway.model import Decision
from gateway.store.sqlite_discovery import SqliteDiscovery
from harvester.commands.discover import explain, searching
from harvester.commands.output import json_option, moment, write_rows

_SHOWN = 1000  # decisions of one list
_COLUMNS = ("identifier", "url", "verdict", "reason", "decided_by", "at")


@click.group()
def review() -> None:
    """List, accept and reject files that were found."""


@review.command("list")
@click.option(
    "--verdict", type=click.Choice(["review", "accept", "reject"]), default="review", help="Those with this verdict."
)
@click.option("--after", default="", metavar="ID", help="Items behind this one; a list shows 1,000 files.")
@json_option
@click.pass_context
def list_(ctx: click.Context, verdict: str, after: str, as_json: bool) -> None:
    """List the files that wait for a person."""
    with searching(ctx.obj) as (_, desk):
        found = desk.decided(verdict, after, _SHOWN)
    write_rows(({**each._asdict(), "at": moment(each.at)} for each in found), _COLUMNS, as_json=as_json)


review.add_command(explain, "show")


@review.command()
@click.argument("identifier")
@click.argument("url", required=False)
@click.option("--reason", default="", help="Why; it is kept with the decision.")
@click.pass_context
def accept(ctx: click.Context, identifier: str, url: str | None, reason: str) -> None:
    """Accept a file of an item; of one alone the URL need not be given."""
    _decide(ctx.obj, identifier, url, "accept", reason)


@review.command()
@click.argument("identifier")
@click.argument("url", required=False)
@click.option("--reason", default="", help="Why; it is kept with the decision.")
@click.pass_context
def reject(ctx: click.Context, identifier: str, url: str | None, reason: str) -> None:
    """Reject a file of an item; of one alone the URL need not be given."""
    _decide(ctx.obj, identifier, url, "reject", reason)


@review.command()
@click.argument("identifier")
@click.argument("url", required=False)
@click.pass_context
def undo(ctx: click.Context, identifier: str, url: str | None) -> None:
    """Take the last decision on a file back: the one before it is in force again."""
    with searching(ctx.obj) as (_, desk):
        history = _of_one(desk, identifier, url)
        if len(history) < 2:  # noqa: PLR2004 - the last one, and the one before
            raise ConfigurationError(f"There is only one decision on {history[-1].url}; accept or reject it instead.")
        _add(desk, history[-1], history[-2].verdict, f"Undone: {history[-1].verdict}. {history[-2].reason}")


def _decide(option: str | None, identifier: str, url: str | None, verdict: str, reason: str) -> None:
    with searching(option) as (_, desk):
        _add(desk, _of_one(desk, identifier, url)[-1], verdict, reason or "No reason was given.")


def _add(desk: SqliteDiscovery, last: Decision, verdict: str, reason: str) -> None:
    desk.decide(last._replace(verdict=verdict, reason=reason, decided_by=getpass.getuser(), at=int(time())))
    click.echo(f"{last.identifier}: {verdict} {last.url}", err=True)


def _of_one(desk: SqliteDiscovery, identifier: str, url: str | None) -> list[Decision]:
    """Return the decisions on one copy. Raise ConfigurationError when it is not told which, or there is none."""
    found = desk.decisions(identifier)
    urls = sorted({each.url for each in found})
    if not urls or (url and url not in urls):
        raise ConfigurationError(f"No file {url or ''} was found for {identifier}.".replace("  ", " "))
    if url is None and len(urls) > 1:
        raise ConfigurationError(f"{identifier} has several files; name one: {', '.join(urls)}.")
    return [each for each in found if each.url == (url or urls[0])]
