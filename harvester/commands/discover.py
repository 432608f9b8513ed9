"""`harvester discover` searches for full text, `explain` shows a search for one item, `recheck` checks files again."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import filterfalse
from time import monotonic, time
from typing import NamedTuple

import click

from gateway.core.errors import ConfigurationError
from gateway.core.logs import plain, sentence
from gateway.core.model import Decision, FileRecheck, Offer, Outcome, RunOutcome, SearchState
from gateway.core.model.published import NEVER_DUE
from gateway.core.names import source_of, upstream_identifier
from gateway.core.program import say, write_json
from gateway.core.states import of_search, of_tombstone
from gateway.fulltext.deciding import Withdrawn
from gateway.fulltext.explanation import explained
from gateway.fulltext.stored_files import Copies
from gateway.fulltext.stored_search import candidates_of, tried_of
from gateway.store.base import Discovery
from harvester.commands.common_words import compared
from harvester.commands.file_output import facts_of_offer, facts_of_recheck, words_of_offer, words_of_recheck
from harvester.commands.options import duration, flag, many, option, text
from harvester.commands.output import is_json, moment, show, with_json
from harvester.fulltext.pdf.extraction import extract
from harvester.fulltext.pdf.judge import expected
from harvester.fulltext.recheck import run as rechecks
from harvester.fulltext.recheck.one_file import Effect
from harvester.fulltext.run import Result
from harvester.fulltext.step_order import step_of, steps
from harvester.fulltext.works import found_of, work_of
from harvester.harvest.hidden_items import check_shown, shown
from harvester.harvest.instance import Instance, opened
from harvester.offer.files import offers_of_item
from harvester.runtime.durations import seconds_of
from harvester.runtime.exit_status import RunLifecycle
from harvester.runtime.interrupts import Stop, listening
from harvester.runtime.progress import LINE_INTERVAL_SECONDS, progress
from harvester.schedule.full_text_stage import SearchOrder, period_of, recheck_files, search_items

_UNKNOWN = "{} is no item that can be searched for; `harvester records` lists the identifiers."


@contextmanager
def searching(option: str | None) -> Iterator[tuple[Instance, Discovery]]:
    """Open the instance folder that the option names, and its searches."""
    with opened(option) as instance:
        yield instance, instance.discovery()


@click.command()
@click.argument("sources", nargs=-1)
@text("--item ID", "Only this item (its identifier in this repository), due or not.")
@many("--step NAME", "names", "Only this step, and write nothing; may be repeated.")
@option("--limit N", "Stop after N items.", type=click.IntRange(1))
@text("--recheck-older-than TIME", "Search again for items whose search is older, such as 90d.", callback=duration)
@flag("--dry-run", "is_dry", "Search, but store only the answers and which hosts refuse us.")
@with_json
def discover(
    ctx: click.Context,
    sources: tuple[str, ...],
    item: str,
    names: tuple[str, ...],
    limit: int | None,
    recheck_older_than: str,
    is_dry: bool,
) -> None:
    """Search for the full text of items that have none.

    Without SOURCES, items of every source are searched. Rules accept or reject a file, or leave it for review. Accepted
    files are published. `harvester explain` shows the search for one item.
    """
    chosen = tuple(map(step_of, names)) or steps()
    counts: Counter[str] = Counter()
    with opened(ctx.obj) as instance, listening(Stop()) as stop:
        instance.check_clock()
        before = int(time()) - seconds_of(recheck_older_than) if recheck_older_than and not item else 0
        order = SearchOrder(named_sources(instance, sources), item, limit, before, is_dry or bool(names))
        run = SearchRun(stop=stop)
        with run.recorded():
            search_items(instance, order, run, counts, _show, chosen=chosen, is_alone=True)
    if item and not counts["searched"] and run.outcome is RunOutcome.SUCCEEDED:
        raise ConfigurationError(_UNKNOWN.format(item))
    _end(ctx, run, counts, f"Searched for {counts.pop('searched', 0)} items")


@dataclass(slots=True)
class SearchRun(RunLifecycle):
    """The search of one `harvester discover`: its errors, its stop and its exit status are those of every run.

    It has no run log and locks no source, because it works on items of any number of sources at the same time. It can
    also search single items and store nothing. Each item is leased, so a stage at the same source may continue, and
    `harvester explain` shows what was done. So `harvester log` and `harvester status` do not show such a search.
    """

    reasons: list[str] = field(default_factory=list)

    def note_failure(self, reason: str) -> None:
        """Remember why the search failed."""
        self.reasons.append(reason)

    def end(self) -> None:
        """Record nothing: each result is committed with the lease of its item."""


def _end(ctx: click.Context, run: SearchRun, counts: Counter[str], what: str) -> None:
    """Write how a search or a recheck ended, and exit with its status."""
    for reason in run.reasons:
        click.echo(sentence(f"Error: {reason}", "error"), err=True)
    del counts["stamped"]
    words = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common()) or "nothing is due"
    say(f"{what}: {words}.")
    ctx.exit(int(run.status))


def named_sources(instance: Instance, sources: tuple[str, ...]) -> tuple[str, ...]:
    """Return the named sources, or all. Raise ConfigurationError for a source without records."""
    with instance.store.view() as view:
        known = tuple(source.name for source in view.sources() if not source.is_removed)
    if unknown := [name for name in sources if name not in known]:
        raise ConfigurationError(
            f"No records are held of {', '.join(unknown)}; there are: {', '.join(known) or 'no sources'}."
        )
    return sources or known


def _show(result: Result) -> None:
    """Write one result."""
    searched, telling = result.searched, (result.searched.outcome, Outcome.SUCCESS)
    candidates = [{**candidate._asdict(), "at": moment(candidate.at or None)} for candidate in searched.candidates]
    best = next((candidate.url for candidate in searched.candidates if candidate.outcome in telling), "")
    facts = {"identifier": result.identifier, "outcome": searched.outcome, "candidates": candidates}
    show(facts, f"{result.identifier}  {searched.outcome}  {best}".rstrip())


def facts_of_decision(decision: Decision) -> dict[str, object]:
    """Return a decision as data."""
    facts = {**decision._asdict(), "at": moment(decision.at)}
    del facts["number"]
    return facts


class SearchedItem(NamedTuple):
    """The search for one item, its decisions, offers and rechecks, without files that are taken down."""

    state: SearchState
    decisions: tuple[Decision, ...]
    offers: tuple[Offer, ...]
    rechecks: tuple[FileRecheck, ...]

    def lines(self) -> Iterator[str]:
        """Yield the search in lines for people: each step, each copy, each decision, each offer, each recheck."""
        yield from explained(self.state, self.decisions)
        yield from (*map(words_of_offer, self.offers), *map(words_of_recheck, self.rechecks))


def searched_item(instance: Instance, discovery: Discovery, identifier: str) -> SearchedItem:
    """Return the search for one item. Raise ConfigurationError if the item is taken down or unknown."""
    check_shown(instance, identifier)
    state = shown(instance, discovery.search(identifier))
    if state is None:
        with instance.store.view() as view:
            is_known = view.has_item(identifier)
        if not is_known:
            raise ConfigurationError(_UNKNOWN.format(identifier))
        state = SearchState(identifier, source_of(identifier), upstream_identifier(identifier))
    decisions = tuple(filterfalse(Withdrawn(instance.store, discovery).has, discovery.decisions(identifier)))
    takedowns = instance.store.takedowns()
    offers = offers_of_item(instance, identifier, state.source, state.upstream)
    rechecks = discovery.rechecks.of_item(identifier)
    return SearchedItem(
        state,
        decisions,
        tuple(offer for offer in offers if not takedowns.names_digest(offer.sha256)),
        tuple(
            recheck
            for recheck in rechecks
            if not (takedowns.names_digest(recheck.sha256) or takedowns.names_address(recheck.url))
        ),
    )


def facts_of_search(search: SearchedItem, compared: list[dict[str, object]] | None = None) -> dict[str, object]:
    """Return the search for one item as data, with what was compared of its stored copies."""
    state = search.state
    facts = state._asdict()
    search_json = facts.pop("search_json")
    return {
        **facts,
        "due": moment(state.due),
        "searched_at": moment(state.searched_at or None),
        "standing": of_search(tried_of(state, search.decisions)).facts(),
        "story": json.loads(search_json) if search_json else None,
        "decisions": [facts_of_decision(decision) for decision in search.decisions],
        "offers": [facts_of_offer(offer) for offer in search.offers],
        "compared": compared,
        "looks": [facts_of_recheck(recheck) for recheck in search.rechecks],
    }


def compared_files(instance: Instance, state: SearchState) -> list[dict[str, object]]:
    """Return how many words of the record are in each stored copy of an item, as Autoload compares them."""
    work = work_of(
        instance.store, state.identifier, state.upstream, found_of(instance.store, state.source, state.upstream)
    )
    metadata = expected(work).texts if work else ()
    copies = Copies(instance.folder)
    bodies = {one.url: copies.read(one.sha256) for one in candidates_of(state) if one.sha256}
    return [{"url": url, **compared(metadata, extract(body).text)._asdict()} for url, body in bodies.items() if body]


@click.command()
@click.argument("identifier")
@flag(
    "--compare",
    "is_compared",
    "Also compare the words of each stored copy with the record, by stems and cosine as Autoload does.",
)
@with_json
def explain(ctx: click.Context, identifier: str, is_compared: bool) -> None:
    """Show the search for one item: each step, each copy, and the reasons.

    It also shows to whom files were offered, and when published files were last checked. ID is the identifier of the
    item in this repository.
    """
    with searching(ctx.obj) as (instance, discovery):
        search = searched_item(instance, discovery, identifier)
        files = compared_files(instance, search.state) if is_compared else None
        with instance.store.view() as view:
            record, source = view.record(identifier, "oai_dc"), view.source(source_of(identifier))
    is_deleted = record is not None and record.is_deleted
    lines = [f"{identifier}: {of_tombstone(source).words}"] if is_deleted else []
    if not is_deleted or search.state.search_json:
        lines += search.lines()
        words = "  {url}: cosine {score}, {covered} of the words of the record"
        lines += [words.format(**file) for file in files or ()]
    show(facts_of_search(search, files), *lines)


# --- `harvester recheck` requests the published files again -----------------------------------------------------------


@click.command()
@click.argument("sources", nargs=-1)
@text("--item ID", "Only the files of this item (its identifier here), due or not.")
@option("--limit N", "Stop after N files.", type=click.IntRange(1))
@flag("--all", "is_all", "Check every file now, due or not.")
@flag("--dry-run", "is_dry", "Check, but store only which hosts refuse us.")
@with_json
def recheck(
    ctx: click.Context, sources: tuple[str, ...], item: str, limit: int | None, is_all: bool, is_dry: bool
) -> None:
    """Check published files again: which have changed, and which are gone.

    Without SOURCES, files of every source are checked. Files are due by the `recheck_every` of their source. Without
    it, all files of the source are due. A found file that is not the work any more is withdrawn; a file that a record
    names is only reported. After an interruption, the same command continues.
    """
    counts, reported_at = Counter[str](), monotonic()
    with opened(ctx.obj) as instance, listening(Stop()) as stop, progress() as reporter:
        instance.check_clock()
        order = rechecks.Order(_periods(instance, sources, item), item, limit, is_all, is_dry)
        run = SearchRun(stop=stop)

        def show(result: rechecks.Result) -> None:
            nonlocal reported_at
            _show_recheck(result)
            if monotonic() - reported_at >= LINE_INTERVAL_SECONDS:
                reported_at = monotonic()
                reporter.say(f"Looked at {counts['looked']} files.")

        with run.recorded():
            recheck_files(instance, order, run, counts, show, is_alone=True)
    if item and not counts["looked"] and run.outcome is RunOutcome.SUCCEEDED:
        raise ConfigurationError(f"No published file of {item} is known. `harvester records` shows the identifiers.")
    _end(ctx, run, counts, f"Looked at {counts.pop('looked', 0)} files")


def _periods(instance: Instance, sources: tuple[str, ...], item: str) -> dict[str, int]:
    """Return the sources, with their periods in seconds. Raise ConfigurationError for a source without records."""
    named = named_sources(instance, sources)
    if item:
        named = tuple(name for name in named if f":{name}/" in item) or named
    entries = instance.sources.entries()
    return {name: period_of(entries[name]) if name in entries else 0 for name in named}


def _show_recheck(result: rechecks.Result) -> None:
    """Write one recheck; for people, only those of files that are not as they were."""
    file = result.file
    if is_json():
        write_json(
            {
                "identifier": file.identifier,
                "url": file.url,
                "source": file.source,
                "effect": result.effect,
                "outcome": file.outcome,
                "verdict": result.verdict,
                "is_named": file.is_named,
                "is_overtaken": result.is_overtaken,
                "looked_at": moment(file.looked_at),
                "due": moment(file.due) if file.due < NEVER_DUE else None,
            }
        )
    elif result.effect is not Effect.UNCHANGED:
        words = " ".join(filter(None, (result.effect, file.outcome, result.verdict)))
        click.echo(plain(f"{file.identifier}  {words}  {file.url}"))
