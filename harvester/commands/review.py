"""`harvester review`: what rules left to people, and what people decide. Nothing decided is ever overwritten."""

from __future__ import annotations

import getpass
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from itertools import islice
from time import time
from typing import Any, TypeVar

import click

from gateway.addresses import address
from gateway.errors import ConfigurationError
from gateway.model import Decision, DocumentKind
from gateway.program import say
from gateway.store.sqlite_discovery import SqliteDiscovery
from harvester.commands.discover import facts_of_decision, facts_of_search, searched_item, searching
from harvester.commands.output import json_option, write_json
from harvester.commands.review_output import facts_of_file, facts_of_text, show_file, show_text
from harvester.instance import Instance
from harvester.search.deciding import standing
from harvester.search.releasing import Releasing
from harvester.search.reviewing import UNKNOWN, Filter, Reviewed, decisions_in_force, review_of
from harvester.takedowns.hiding import is_withdrawn
from harvester.wire.policies import VERSIONS

_SHOWN = 1000  # files of one list
_PREVIEWED = 20  # files of a preview
_Command = TypeVar("_Command", bound=Callable[..., Any])

_FILTERS = (
    click.option("--source", default="", metavar="NAME", help="Files of items of this source."),
    click.option("--host", default="", metavar="HOST", help="Files at this host."),
    click.option("--step", default="", metavar="NAME", help="Files that this step of the search found."),
    click.option("--license", default="", metavar="NAME", help="Files with this licence, such as cc-by, or unknown."),
    click.option("--version", type=click.Choice((*VERSIONS, UNKNOWN)), help="Files of this version."),
    click.option("--kind", type=click.Choice([kind.value for kind in DocumentKind]), help="Documents of this kind."),
    click.option("--reason-has", "reason_has", default="", metavar="TEXT", help="The reason has these words."),
    click.option("--least-score", type=click.FloatRange(0, 1), metavar="N", help="The score is N or more."),
    click.option("--most-score", type=click.FloatRange(0, 1), metavar="N", help="The score is N or less."),
)
_BULK = (
    click.option("--all", "is_all", is_flag=True, help="Every file that waits for a person."),
    click.option("--yes", "is_sure", is_flag=True, help="Do not ask for confirmation."),
    click.option("--dry-run", "is_dry", is_flag=True, help="Show the files that are meant, and decide nothing."),
)


def _with(options: Iterable[Callable[[_Command], _Command]]) -> Callable[[_Command], _Command]:
    def decorated(command: _Command) -> _Command:
        for option in reversed(tuple(options)):
            command = option(command)
        return command

    return decorated


def _filter(ctx: click.Context) -> Filter:
    """Return the filter that the options of a command describe."""
    options = {**ctx.params, "reason": ctx.params["reason_has"]}
    names = [field.name for field in fields(Filter)]
    given: dict[str, Any] = {name: options[name] for name in names if options[name] is not None}
    return Filter(**given)


@click.group()
def review() -> None:
    """List, accept and reject files that were found."""


@review.command("list")
@click.option(
    "--verdict", type=click.Choice(["review", "accept", "reject"]), default="review", help="Those with this verdict."
)
@click.option("--after", default="", metavar="ID", help="Items behind this one; a list shows 1,000 files.")
@_with(_FILTERS)
@json_option
@click.pass_context
def list_(ctx: click.Context, /, verdict: str, after: str, as_json: bool, **_options: object) -> None:
    """List the files that wait for a person: the work, what is known of the file, and why no rule decided."""
    with searching(ctx.obj) as (instance, desk):
        last, count = "", 0
        for file in _files(instance, desk, verdict, _filter(ctx), after):
            identifier = file.decision.identifier
            if count >= _SHOWN and identifier != last:
                say(f"There are more: `harvester review list --after {last}` goes on.")
                break
            last, count = identifier, count + 1
            if as_json:
                write_json(facts_of_file(file))
            else:
                show_file(file)


def _files(
    instance: Instance, desk: SqliteDiscovery, verdict: str, wanted: Filter, after: str = ""
) -> Iterator[Reviewed]:
    """Return the files with a verdict that a filter means; none that is taken down."""
    for decision in decisions_in_force(desk, verdict, after):
        file = review_of(instance.store, desk, instance.folder, decision)
        if wanted.fits(file) and not is_withdrawn(instance, decision):
            yield file


@review.command()
@click.argument("identifier")
@json_option
@click.pass_context
def show(ctx: click.Context, identifier: str, as_json: bool) -> None:
    """Show the search for one item, and the record beside the first 20 lines of each file that is kept."""
    with searching(ctx.obj) as (instance, desk):
        search = searched_item(instance, desk, identifier)
        last = {each.url: each for each in search.decisions}
        files = [review_of(instance.store, desk, instance.folder, each) for each in last.values()]
        if as_json:
            write_json({**facts_of_search(search), "files": [facts_of_text(each) for each in files]})
            return
        search.tell()
        for file in files:
            show_text(file)


@review.command()
@click.argument("identifier", required=False)
@click.argument("url", required=False)
@click.option("--reason", default="", help="Why; it is kept with the decision.")
@_with((*_FILTERS, *_BULK))
@json_option
@click.pass_context
def accept(ctx: click.Context, /, **_options: object) -> None:
    """Accept a file of an item, or all files that wait and that the options describe.

    Of an item with one file the URL need not be given. Without an item the files are shown first, and confirmed.
    """
    _decide(ctx, "accept")


@review.command()
@click.argument("identifier", required=False)
@click.argument("url", required=False)
@click.option("--reason", default="", help="Why; it is kept with the decision.")
@_with((*_FILTERS, *_BULK))
@json_option
@click.pass_context
def reject(ctx: click.Context, /, **_options: object) -> None:
    """Reject a file of an item, or all files that wait and that the options describe.

    Of an item with one file the URL need not be given. Without an item the files are shown first, and confirmed.
    """
    _decide(ctx, "reject")


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
        _add(instance, desk, [before[-1]._replace(reason=reason, is_undoing=True)], as_json=as_json)


def _decide(ctx: click.Context, verdict: str) -> None:
    """Decide on one file of an item, or on all that wait and that the options describe."""
    options, wanted = ctx.params, _filter(ctx)
    identifier: str | None = options["identifier"]
    if identifier is not None and (options["is_all"] or options["is_dry"] or not wanted.is_empty):
        raise click.UsageError("Name an item, or describe files by options: not both.")
    if identifier is None and wanted.is_empty and not options["is_all"]:
        raise click.UsageError("Name an item, describe files by options such as --host, or say --all.")
    with searching(ctx.obj) as (instance, desk):
        if identifier is not None:
            chosen: Sequence[Decision] = _of_one(desk, identifier, options["url"])[-1:]
        else:
            chosen = _previewed(_files(instance, desk, "review", wanted), verdict)
            if options["is_dry"] or not chosen:
                return
            if not options["is_sure"]:
                click.confirm(f"{verdict.capitalize()} these files?", abort=True, err=True)
        reason = options["reason"] or "No reason was given."
        decisions = [decision._replace(verdict=verdict, reason=reason, is_undoing=False) for decision in chosen]
        _add(instance, desk, decisions, as_json=options["as_json"])


def _previewed(files: Iterator[Reviewed], verdict: str) -> list[Decision]:
    """Show the first files on standard error, and how many there are in all; return the decisions on all of them."""
    chosen: list[Decision] = []
    for file in islice(files, _PREVIEWED):
        show_file(file, is_data=False)
        chosen.append(file.decision)
    shown = len(chosen)
    chosen += [file.decision for file in files]
    more = f" {len(chosen) - shown} of them are not shown; `harvester review list` shows all." * (len(chosen) > shown)
    say(f"To {verdict}: {len(chosen)} {'file' if len(chosen) == 1 else 'files'}.{more}")
    return chosen


def _add(instance: Instance, desk: SqliteDiscovery, decisions: Sequence[Decision], *, as_json: bool) -> None:
    """Write decisions in the name of the user who calls, and publish what they mean at once.

    Raise ConfigurationError for a file that is taken down, or that of an item that is: nothing accepts it.
    """
    releasing = Releasing(instance.store, instance.inbox, desk, instance.settings)
    name = whoever_calls()
    for decision in decisions:
        if decision.verdict == "accept" and is_withdrawn(instance, decision):
            raise ConfigurationError(
                f"{decision.url} is taken down, or its item is, and cannot be accepted; "
                "`harvester takedown list` says why."
            )
        decided = decision._replace(decided_by=name, at=int(time()))
        desk.decide(decided)
        stamped = releasing.release(identifier=decided.identifier)
        if as_json:
            write_json({**facts_of_decision(decided), "stamped_records": stamped})
        told = f"{decided.identifier}: {decided.verdict} {decided.url}"
        say(f"{told}; {stamped} records have a new datestamp.")


def whoever_calls() -> str:
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
