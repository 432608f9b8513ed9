"""`harvester discover` and `harvester explain`: full text is searched for, and the search for one item is told."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from time import time

import click

from gateway.errors import ConfigurationError
from gateway.model import SearchState
from gateway.settings import Settings
from gateway.store.sqlite_discovery import SqliteDiscovery, open_discovery
from harvester.commands.output import json_option, write_json
from harvester.due import seconds_of
from harvester.instance import Instance, opened
from harvester.outcomes import Status
from harvester.search.discovering import Discovering, Result
from harvester.search.manners import Manners
from harvester.search.remembering import Remembering
from harvester.search.steps import step_of, steps
from harvester.search.stories import told
from harvester.stopping import Stop, listening
from harvester.web import Web

# Strangers get less time than sources, and are not asked again and again.
_FOR_STRANGERS = {
    "fetch_retries": 1,
    "fetch_deadline_seconds": 60.0,
    "fetch_connect_timeout_seconds": 10.0,
    "fetch_read_timeout_seconds": 20.0,
    "fetch_max_wait_seconds": 10.0,
    "fetch_delay_seconds": 0.0,
}


@contextmanager
def searching(option: str | None) -> Iterator[tuple[Instance, SqliteDiscovery]]:
    """Open the instance folder that the option names, and its searches."""
    with opened(option) as instance:
        desk = open_discovery(instance.folder)
        try:
            yield instance, desk
        finally:
            desk.close()


def _duration(_ctx: click.Context, _option: click.Parameter, value: str | None) -> int | None:
    if value is not None and not re.fullmatch(r"[1-9]\d{0,5}[smhdw]", value):
        raise click.BadParameter("must be a whole number and one of s, m, h, d, w, such as 90d")
    return None if value is None else seconds_of(value)


@click.command()
@click.argument("sources", nargs=-1)
@click.option("--item", default="", metavar="ID", help="This item alone, by its identifier here, whether due or not.")
@click.option("--step", "names", multiple=True, metavar="NAME", help="This step alone; nothing is written. Repeatable.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="At most so many items.")
@click.option(
    "--recheck-older-than",
    metavar="TIME",
    callback=_duration,
    help="Search again what was searched longer ago, such as 90d.",
)
@click.option("--dry-run", "is_dry", is_flag=True, help="Search, and write nothing down but the answers.")
@json_option
@click.pass_context
def discover(
    ctx: click.Context,
    sources: tuple[str, ...],
    item: str,
    names: tuple[str, ...],
    limit: int | None,
    recheck_older_than: int | None,
    is_dry: bool,
    as_json: bool,
) -> None:
    """Search for the full text of items that lack it.

    Of the sources named, or of all. Rules decide on what is found, or leave it for review; nothing is published.
    `harvester explain` tells the search for one item.
    """
    chosen = tuple(map(step_of, names)) or steps()
    with searching(ctx.obj) as (instance, desk), listening(Stop()) as stop:
        named = _named(instance, sources)
        with Web(_settings(instance.settings), sleep=stop.pause) as web, stop.breaking(web.break_off):
            manners = Manners(web, instance.settings.seconds("discover_delay_seconds"), sleep=stop.pause)
            fetch = Remembering(manners, desk, time)
            work = Discovering(instance.store, desk, fetch, instance.settings, chosen)
            desk.forget_answers(int(time()))
            work.enlist(named)
            if recheck_older_than:
                desk.renew(int(time()) - recheck_older_than, named, int(time()))
            _known(desk, item)
            results = work.run(named, item, limit, is_dry=is_dry or bool(names), is_asked_to_stop=lambda: stop.is_asked)
            counts = Counter(_shown(result, as_json=as_json) for result in results)
    words = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common()) or "nothing is due"
    click.echo(f"Searched for {counts.total()} items: {words}.", err=True)
    ctx.exit(int(Status.STOPPED if stop.is_asked else Status.SUCCEEDED))


def _named(instance: Instance, sources: tuple[str, ...]) -> tuple[str, ...]:
    with instance.store.view() as view:
        known = tuple(each.name for each in view.sources() if not each.is_removed)
    if unknown := [name for name in sources if name not in known]:
        raise ConfigurationError(
            f"Nothing is held of {', '.join(unknown)}; there are: {', '.join(known) or 'no sources'}."
        )
    return sources or known


def _settings(settings: Settings) -> Settings:
    """Return the settings for fetching from strangers."""
    limits = {**_FOR_STRANGERS, "fetch_max_bytes": settings.number("discover_max_bytes")}
    return Settings(settings.instance, {**settings, **limits}, settings.origins)


def _known(desk: SqliteDiscovery, item: str) -> SearchState | None:
    if item and (state := desk.search(item)) is not None:
        return state
    if item:
        raise ConfigurationError(
            f"{item} is no item that lacks full text; identifiers are those of `harvester records`."
        )
    return None


def _shown(result: Result, *, as_json: bool) -> str:
    """Show one result, and return its outcome."""
    searched = result.searched
    if as_json:
        found = [each._asdict() for each in searched.candidates]
        write_json({"identifier": result.identifier, "outcome": searched.outcome, "candidates": found})
    else:
        best = next((each.url for each in searched.candidates if each.outcome == searched.outcome), "")
        click.echo(f"{result.identifier}  {searched.outcome}  {best}".rstrip())
    return str(searched.outcome)


@click.command()
@click.argument("identifier")
@json_option
@click.pass_context
def explain(ctx: click.Context, identifier: str, as_json: bool) -> None:
    """Tell the search for one item: each step, each copy, and why.

    The identifier is the item's here.
    """
    with searching(ctx.obj) as (_, desk):
        state = _known(desk, identifier)
        decisions = desk.decisions(identifier)
    assert state is not None
    if as_json:
        write_json({**state._asdict(), "decisions": [each._asdict() for each in decisions]})
        return
    for line in told(state, decisions):
        click.echo(line)
