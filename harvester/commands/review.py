"""`harvester review`: what rules left to people, and what people decide. Nothing decided is ever overwritten."""

from __future__ import annotations

import getpass
import os
from time import time

import click

from gateway.addresses import address
from gateway.errors import ConfigurationError
from gateway.model import Decision
from gateway.program import say
from gateway.store.sqlite_discovery import SqliteDiscovery
from harvester.commands.discover import explain, facts_of_decision, searching
from harvester.commands.output import json_option, write_json, write_rows
from harvester.instance import Instance
from harvester.search.deciding import standing
from harvester.search.releasing import Releasing
from harvester.takedowns.hiding import is_withdrawn

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
    with searching(ctx.obj) as (instance, desk):
        found = [each for each in desk.decided(verdict, after, _SHOWN) if not is_withdrawn(instance, each)]
    write_rows(map(facts_of_decision, found), _COLUMNS, as_json=as_json)


review.add_command(explain, "show")


@review.command()
@click.argument("identifier")
@click.argument("url", required=False)
@click.option("--reason", default="", help="Why; it is kept with the decision.")
@json_option
@click.pass_context
def accept(ctx: click.Context, identifier: str, url: str | None, reason: str, as_json: bool) -> None:
    """Accept a file of an item; of one alone the URL need not be given."""
    _decide(ctx.obj, identifier, url, "accept", reason, as_json=as_json)


@review.command()
@click.argument("identifier")
@click.argument("url", required=False)
@click.option("--reason", default="", help="Why; it is kept with the decision.")
@json_option
@click.pass_context
def reject(ctx: click.Context, identifier: str, url: str | None, reason: str, as_json: bool) -> None:
    """Reject a file of an item; of one alone the URL need not be given."""
    _decide(ctx.obj, identifier, url, "reject", reason, as_json=as_json)


@review.command()
@click.argument("identifier")
@click.argument("url", required=False)
@json_option
@click.pass_context
def undo(ctx: click.Context, identifier: str, url: str | None, as_json: bool) -> None:
    """Take the last decision on a file back: the one before it is in force again.

    Each time it goes one step further back.
    """
    with searching(ctx.obj) as (instance, desk):
        *before, last = standing(_of_one(desk, identifier, url))
        if not before:
            raise ConfigurationError(f"Nothing is left to undo on {last.url}: {last.verdict} was the first decision.")
        if before[-1].sha256 != last.sha256:
            raise ConfigurationError(
                f"The decision before, {before[-1].verdict}, was on other bytes of {last.url}; accept or reject these."
            )
        reason = f"Undone: {last.verdict}. {before[-1].reason}"
        _add(instance, desk, before[-1]._replace(reason=reason, is_undoing=True), as_json=as_json)


def _decide(option: str | None, identifier: str, url: str | None, verdict: str, reason: str, *, as_json: bool) -> None:
    with searching(option) as (instance, desk):
        last = _of_one(desk, identifier, url)[-1]
        reason = reason or "No reason was given."
        _add(instance, desk, last._replace(verdict=verdict, reason=reason, is_undoing=False), as_json=as_json)


def _add(instance: Instance, desk: SqliteDiscovery, decision: Decision, *, as_json: bool) -> None:
    """Write a decision in the name of the user who calls, and publish what it means at once.

    Raise ConfigurationError for a file that is taken down, or that of an item that is: nothing accepts it.
    """
    if decision.verdict == "accept" and is_withdrawn(instance, decision):
        raise ConfigurationError(
            f"{decision.url} is taken down, or its item is, and cannot be accepted; `harvester takedown list` says why."
        )
    decision = decision._replace(decided_by=_whoever_calls(), at=int(time()))
    desk.decide(decision)
    releasing = Releasing(instance.store, instance.inbox, desk, instance.settings)
    stamped = releasing.release(identifier=decision.identifier)
    if as_json:
        write_json({**facts_of_decision(decision), "stamped_records": stamped})
    told = f"{decision.identifier}: {decision.verdict} {decision.url}"
    say(f"{told}; {stamped} records have a new datestamp.")


def _whoever_calls() -> str:
    """Return the name of the user, or the number of one that this machine has no name for."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # as Python 3.13 has it
        return f"user {os.getuid()}"


def _of_one(desk: SqliteDiscovery, identifier: str, url: str | None) -> list[Decision]:
    """Return the decisions on one copy, whose URL may be written as DIDLs have it.

    Raise ConfigurationError when it is not told which, or there is none.
    """
    found = desk.decisions(identifier)
    urls = sorted({each.url for each in found})
    chosen = [url] if url in urls else [each for each in urls if not url or address(each) == url]
    if not chosen:
        raise ConfigurationError(f"No file {url or ''} was found for {identifier}.".replace("  ", " "))
    if len(chosen) > 1:
        raise ConfigurationError(f"{identifier} has several files; name one: {', '.join(chosen)}.")
    return [each for each in found if each.url == chosen[0]]
