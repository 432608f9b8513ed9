"""`harvester matches`: compare the DOIs that were found for records without one, and reject wrong ones."""

from collections.abc import Iterator
from time import time

import click

from gateway.core.errors import ConfigurationError
from gateway.core.model import Match, Refusal, SearchState
from gateway.core.program import say, write_json
from gateway.fulltext.decisions import words
from gateway.fulltext.log_completion import whoever_calls
from gateway.fulltext.release import Releaser
from gateway.fulltext.stored_search import matches_of
from gateway.store.base import Discovery
from harvester.commands.discover import searching
from harvester.commands.options import text
from harvester.commands.output import is_json, moment, with_json, write_rows
from harvester.fulltext.matched_dois import agrees
from harvester.fulltext.works import found_of, work_of
from harvester.harvest.hidden_items import check_shown, shown
from harvester.harvest.instance import Instance
from harvester.runtime.exit_status import status_of_end

_ITEMS_PER_QUERY = 1000
_COLUMNS = "identifier doi service title similarity author year agrees"


@click.group()
def matches() -> None:
    """List and reject the DOIs that were found by title, author and year."""


@matches.command("list")
@click.argument("sources", nargs=-1)
@with_json
def list_(ctx: click.Context, sources: tuple[str, ...]) -> None:
    """List the DOIs that were matched, and compare each with its record as it is now.

    Without SOURCES, matches of every source are listed. No service is asked. The exit status is 3 if a match does not
    agree with its record any more.
    """
    with searching(ctx.obj) as (instance, discovery):
        rows = list(_rows(instance, discovery, sources))
    disagreeing = sum(not row["agrees"] for row in rows)
    write_rows(rows, _COLUMNS)
    say(f"{len(rows)} DOIs were matched; {disagreeing} of them do not agree with their records any more.")
    ctx.exit(int(status_of_end(has_findings=disagreeing > 0)))


def _rows(instance: Instance, discovery: Discovery, sources: tuple[str, ...]) -> Iterator[dict[str, object]]:
    after = ""
    while states := discovery.searches(after, _ITEMS_PER_QUERY):
        after = states[-1].identifier
        for state in states:
            if (not sources or state.source in sources) and shown(instance, state) is not None:
                yield from _of_item(instance, discovery, state)


def _of_item(instance: Instance, discovery: Discovery, state: SearchState) -> Iterator[dict[str, object]]:
    matches = matches_of(state)
    if not matches:
        return
    published = found_of(instance.store, state.source, state.upstream)
    work = work_of(instance.store, state.identifier, state.upstream, published)
    refused = {refusal.doi for refusal in discovery.refusals(state.identifier)}
    for match in matches:
        if match.doi not in refused:
            still = work is not None and agrees(match, work)
            yield {"identifier": state.identifier, **match._asdict(), "agrees": still}


@matches.command()
@click.argument("identifier")
@click.argument("doi", required=False)
@text("--reason", "The reason; it is stored.")
@with_json
def reject(ctx: click.Context, identifier: str, doi: str | None, reason: str) -> None:
    """Reject the DOI that was matched with an item. It is never matched with that item again.

    The accepted files of the item go to review, and the item is searched for again. If the item has one match, the DOI
    may be left out.
    """
    with searching(ctx.obj) as (instance, discovery):
        check_shown(instance, identifier)
        match = _one(discovery.search(identifier), identifier, doi)
        refusal = Refusal(identifier, match.doi, reason or "No reason was given.", whoever_calls(), int(time()))
        because = f"It was found through the DOI {match.doi}, which is not that of this work. {refusal.reason}"
        decisions = [
            word._replace(
                verdict="review", reason=because, decided_by=refusal.decided_by, at=refusal.at, is_undoing=False
            )
            for word in words(discovery.decisions(identifier)).values()
            if word.verdict == "accept"
        ]
        discovery.refuse(refusal, decisions)
        releasing = Releaser(instance.store, instance.inbox, discovery, instance.settings)
        stamped = releasing.release_items((identifier,)).total()
    if is_json():
        write_json({**refusal._asdict(), "at": moment(refusal.at), "files": len(decisions), "stamped_records": stamped})
    say(f"{identifier}: {match.doi} is rejected; {len(decisions)} files wait for review.")


def _one(state: SearchState | None, identifier: str, doi: str | None) -> Match:
    """Return the chosen match. Raise ConfigurationError when there is none, or several."""
    matches = [match_ for match_ in matches_of(state) if not doi or match_.doi == doi.lower()]
    if not matches:
        raise ConfigurationError(f"No DOI {doi or ''} was matched with {identifier}.".replace("  ", " "))
    if len(matches) > 1:
        raise ConfigurationError(
            f"{identifier} has several matches; name one: {', '.join(match_.doi for match_ in matches)}."
        )
    return matches[0]
