"""`harvester discover` searches for full text; `harvester explain` shows the search for one item."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from time import time
from typing import NamedTuple

import click

from gateway.errors import ConfigurationError
from gateway.fulltext.explanation import explained
from gateway.fulltext.release import BATCH as PUBLISHED_AT_ONCE
from gateway.fulltext.release import Releaser
from gateway.model import Decision, Outcome, SearchState
from gateway.program import say
from gateway.store.base import Discovery
from gateway.store.opening import open_discovery
from gateway.terminal import plain
from harvester.commands.output import json_option, moment, write_json
from harvester.fulltext.pdf.extraction import break_off
from harvester.fulltext.polite_fetch import polite, web_for_other_hosts
from harvester.fulltext.run import FullTextSearch, Result
from harvester.fulltext.step_order import step_of, steps
from harvester.harvest.instance import Instance, opened
from harvester.harvest.takedowns.hide import check_shown, is_withdrawn, shown
from harvester.runtime.durations import seconds_of
from harvester.runtime.exit_status import Status
from harvester.runtime.interrupts import Stop, breakable, insisting, listening

_UNKNOWN = (
    "{} is no item that was or is to be searched for; identifiers are those of `harvester records`, and "
    "`harvester discover` must have come to it."
)


@contextmanager
def searching(option: str | None) -> Iterator[tuple[Instance, Discovery]]:
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
@click.option(
    "--item", default="", metavar="ID", help="Only this item (its identifier in this repository), due or not."
)
@click.option(
    "--step", "names", multiple=True, metavar="NAME", help="Only this step, and write nothing; may be repeated."
)
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Stop after N items.")
@click.option(
    "--recheck-older-than",
    metavar="TIME",
    callback=_duration,
    help="Search again for items whose search is older, such as 90d.",
)
@click.option("--dry-run", "is_dry", is_flag=True, help="Search, but store only the answers and which hosts refuse us.")
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
    """Search for the full text of items that have none.

    Without SOURCES, items of every source are searched. Rules accept or reject a file, or leave it for review. Accepted
    files are published. `harvester explain` shows the search for one item.
    """
    chosen = tuple(map(step_of, names)) or steps()
    with searching(ctx.obj) as (instance, desk), listening(Stop()) as stop:
        instance.check_clock()
        named = named_sources(instance, sources)
        with (
            web_for_other_hosts(instance.settings, stop.pause) as web,
            stop.breaking(web.break_off),
            stop.breaking(break_off),
        ):
            fetch = breakable(polite(web, desk, instance.settings, stop.pause), stop)
            work = FullTextSearch(instance.store, desk, fetch, instance.settings, chosen)
            is_dry = is_dry or bool(names)
            before = int(time()) - recheck_older_than if recheck_older_than and not item else 0
            if not is_dry:
                _prepare(work, named, before)
            begin = partial(work.try_out, before=before) if is_dry else work.run
            results = begin(named, item, limit, is_asked_to_stop=lambda: stop.is_asked)
            releasing = Releaser(instance.store, instance.inbox, desk, instance.settings)
            counts: Counter[str] = Counter()
            with closing(results), insisting(stop):
                for result in results:
                    counts[_shown(result, as_json=as_json)] += 1
                    if not is_dry and counts.total() % PUBLISHED_AT_ONCE == 0:
                        releasing.release(named)
            if not is_dry:
                releasing.release(named)
    if item and not counts and not stop.is_asked:
        raise ConfigurationError(_UNKNOWN.format(item))
    words = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common()) or "nothing is due"
    say(f"Searched for {counts.total()} items: {words}.")
    ctx.exit(int(_status(counts, stop)))


def _status(counts: Counter[str], stop: Stop) -> Status:
    if stop.is_asked:
        return Status.STOPPED
    return Status.WITH_ERRORS if counts[Outcome.FAULT] else Status.SUCCEEDED


def named_sources(instance: Instance, sources: tuple[str, ...]) -> tuple[str, ...]:
    """Return the named sources, or all. Raise ConfigurationError for a source without records."""
    with instance.store.view() as view:
        known = tuple(source.name for source in view.sources() if not source.is_removed)
    if unknown := [name for name in sources if name not in known]:
        raise ConfigurationError(
            f"No records are held of {', '.join(unknown)}; there are: {', '.join(known) or 'no sources'}."
        )
    return sources or known


def _prepare(work: FullTextSearch, sources: tuple[str, ...], before: int) -> None:
    """Add due items to the queue, and items searched before a second since 1970; 0: none of these."""
    work.desk.forget_answers(int(time()))
    work.enlist(sources)
    if before:
        work.desk.renew(before, sources, int(time()))


def _shown(result: Result, *, as_json: bool) -> str:
    """Write one result, and return its outcome."""
    searched = result.searched
    if as_json:
        candidates = [{**candidate._asdict(), "at": moment(candidate.at or None)} for candidate in searched.candidates]
        write_json({"identifier": result.identifier, "outcome": searched.outcome, "candidates": candidates})
    else:
        telling = (searched.outcome, Outcome.SUCCESS)
        best = next((candidate.url for candidate in searched.candidates if candidate.outcome in telling), "")
        click.echo(plain(f"{result.identifier}  {searched.outcome}  {best}".rstrip()))
    return str(searched.outcome)


def facts_of_decision(decision: Decision) -> dict[str, object]:
    """Return a decision as data."""
    return {**decision._asdict(), "at": moment(decision.at)}


class SearchedItem(NamedTuple):
    """The search for one item, and its decisions, without files that are taken down."""

    state: SearchState
    decisions: tuple[Decision, ...]

    def tell(self) -> None:
        """Write the search for people: each step, each copy, each decision."""
        for line in explained(self.state, self.decisions):
            click.echo(plain(line))


def searched_item(instance: Instance, desk: Discovery, identifier: str) -> SearchedItem:
    """Return the search for one item. Raise ConfigurationError if it is taken down or was never searched for."""
    check_shown(instance, identifier)
    state = shown(instance, desk.search(identifier))
    if state is None:
        raise ConfigurationError(_UNKNOWN.format(identifier))
    decisions = desk.decisions(identifier)
    return SearchedItem(state, tuple(decision for decision in decisions if not is_withdrawn(instance, decision)))


def facts_of_search(search: SearchedItem) -> dict[str, object]:
    """Return the search for one item as data."""
    state = search.state
    facts = state._asdict()
    search_json = facts.pop("search_json")
    return {
        **facts,
        "due": moment(state.due),
        "searched_at": moment(state.searched_at or None),
        "story": json.loads(search_json) if search_json else None,
        "decisions": [facts_of_decision(decision) for decision in search.decisions],
    }


@click.command()
@click.argument("identifier")
@json_option
@click.pass_context
def explain(ctx: click.Context, identifier: str, as_json: bool) -> None:
    """Show the search for one item: each step, each copy, and the reasons.

    ID is the identifier of the item in this repository.
    """
    with searching(ctx.obj) as (instance, desk):
        search = searched_item(instance, desk, identifier)
    if as_json:
        write_json(facts_of_search(search))
    else:
        search.tell()
