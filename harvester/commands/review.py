"""`harvester review`: list and decide on the files that rules left to people. A decision is never overwritten."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from time import time

import click

from gateway.core.addresses import address
from gateway.core.errors import ConfigurationError
from gateway.core.model import CopyFilter, CopyOrder, Decision, DocumentKind, Outcome
from gateway.core.program import say, write_json
from gateway.fulltext.deciding import Decide, Deciding, Withdrawn, undoing
from gateway.fulltext.decisions import RULE
from gateway.fulltext.log_completion import whoever_calls
from gateway.fulltext.policies import VERSIONS, Colour
from gateway.fulltext.precision import precisions_of, since
from gateway.fulltext.release import BATCH, Releaser
from gateway.fulltext.review import UNKNOWN, Review, copies_in_force
from gateway.store.base import Discovery
from harvester.commands import output
from harvester.commands.discover import facts_of_decision, facts_of_search, searched_item, searching
from harvester.commands.options import FiniteRange, flag, option, options, text
from harvester.commands.output import is_json, with_json
from harvester.commands.review_output import facts_of_file, facts_of_text, show_file, show_text
from harvester.fulltext.list_copies import complete
from harvester.fulltext.works import work_of
from harvester.harvest.instance import Instance, sources_file
from harvester.http.urls import host_of
from harvester.runtime.exit_status import status_of_end

_SETTING = "review_accept_score"


@click.command()
@with_json
def precision(ctx: click.Context) -> None:
    """Show how often each rule accepts the right file, with the interval (95 %).

    People judge a random sample of each month on the page /review/sample. The judgements of the last year count.
    """
    with searching(ctx.obj) as (instance, discovery):
        score = instance.settings.share(_SETTING)
        for figures in precisions_of(discovery.samples.judgements(since(int(time())))):
            facts = {**figures._asdict(), "words": figures.words, _SETTING: score}
            output.show(facts, f"{figures.rule}: {figures.words}")
    say(f"The setting {_SETTING} is {score:g}.")


_SHOWN = 1000  # files of one list
_PREVIEWED = 20  # files of a preview
_MOST_AT_ONCE = 1_000  # files of one transaction; an item of many is published once for so many
_DECIDED = ("accept", "reject")
_reason = text("--reason", "The reason; it is stored with the decision.")

_filters = options(
    text("--source NAME", "Files of items of this source."),
    text("--host HOST", "Files at this host."),
    text("--step NAME", "Files that this step of the search found."),
    text("--license NAME", "Files with this licence, such as cc-by, or unknown."),
    option("--version", "Files of this version.", type=click.Choice((*VERSIONS, UNKNOWN))),
    option("--kind", "Documents of this kind.", type=click.Choice([kind.value for kind in DocumentKind])),
    option("--colour", "The RoMEO colour of the journal.", type=click.Choice([*map(str, Colour), UNKNOWN])),
    option("--outcome", "The last check had this outcome.", type=click.Choice(list(map(str, Outcome)))),
    text("--decided-by NAME", "This person decided last, or a rule (`rule`)."),
    text("--reason-has TEXT", "reason_has", "The reason contains these words."),
    option("--least-score N", "The score is N or more.", type=FiniteRange(0, 1)),
    option("--most-score N", "The score is N or less.", type=FiniteRange(0, 1)),
)
# How the files are named on which a command decides.
_chosen_files = options(
    click.argument("identifier", required=False),
    click.argument("url", required=False),
    _filters,
    flag("--all", "is_all", "Choose all files that wait for a decision."),
    flag("--yes", "is_sure", "Do not ask for confirmation."),
    flag("--dry-run", "is_dry", "Show the selected files, and decide nothing."),
)


def _filter(ctx: click.Context) -> CopyFilter:
    """Return the filter that the options of a command describe."""
    given = {**ctx.params, "reason": ctx.params["reason_has"]}
    return CopyFilter(**{name: given[name] for name in CopyFilter._fields if given.get(name) is not None})


@click.group()
def review() -> None:
    """List, accept and reject the files that searches found."""


review.add_command(precision)


@review.command("list")
@option("--verdict", "Files with this verdict.", type=click.Choice(["review", "accept", "reject"]), default="review")
@text("--after ID", "Only items after this one; a list shows 1,000 files.")
@option(
    "--order",
    "The order. The highest score, or the last decision, comes first.",
    type=click.Choice([order.value for order in CopyOrder]),
    default=CopyOrder.IDENTIFIER.value,
)
@_filters
@with_json
def list_(ctx: click.Context, /, verdict: str, after: str, order: str, **_options: object) -> None:
    """List the files that wait for a decision: the work, the file, and why no rule decided."""
    is_by_item = order == CopyOrder.IDENTIFIER
    if after and not is_by_item:
        raise click.UsageError("--after continues a list by identifier; it cannot be given with another --order.")
    with searching(ctx.obj) as (instance, discovery):
        last, count = "", 0
        facts = _review(instance, discovery)
        for decision in _decisions(instance, discovery, (verdict,), _filter(ctx), CopyOrder(order), after):
            identifier = decision.identifier
            if count >= _SHOWN and identifier != last:
                say(
                    f"There are more: `harvester review list --after {last}` continues."
                    if is_by_item
                    else "There are more; options such as --most-score choose among them."
                )
                break
            last, count = identifier, count + 1
            if is_json():
                write_json(facts_of_file(facts.of(decision)))
            else:
                show_file(facts.of(decision))


def _decisions(
    instance: Instance,
    discovery: Discovery,
    verdicts: Iterable[str],
    wanted: CopyFilter,
    order: CopyOrder = CopyOrder.IDENTIFIER,
    after: str = "",
) -> Iterator[Decision]:
    """Yield the decisions in force on the files with these verdicts that a filter chooses.

    Files that are taken down are left out.

    Raise ConfigurationError at the end if there are none, and the filter names a source that does not exist.
    """
    if listed := complete(instance.store, discovery):
        say(f"The list of files was made after the upgrade, of {listed:,} searches.")
    is_empty, withdrawn = True, Withdrawn(instance.store, discovery)
    for verdict in verdicts:
        for copy in copies_in_force(discovery, verdict, wanted, order, after):
            if not withdrawn.has(copy.decision):
                is_empty = False
                yield copy.decision
    if is_empty and wanted.source:
        sources_file(instance.folder).chosen((wanted.source,))


def _review(instance: Instance, discovery: Discovery) -> Review:
    return Review(discovery, instance.folder, work_of=partial(work_of, instance.store), host_of=host_of)


@review.command()
@click.argument("identifier")
@with_json
def show(ctx: click.Context, identifier: str) -> None:
    """Show the search for one item: its record next to the first 20 lines of each stored file."""
    with searching(ctx.obj) as (instance, discovery):
        search = searched_item(instance, discovery, identifier)
        last = {decision.url: decision for decision in search.decisions}
        files = list(map(_review(instance, discovery).of, last.values()))
        if is_json():
            write_json({**facts_of_search(search), "files": [facts_of_text(file) for file in files]})
            return
        output.show({}, *search.lines())
        for file in files:
            show_text(file)


@review.command()
@_reason
@_chosen_files
@with_json
def accept(ctx: click.Context, /, **_options: object) -> None:
    """Accept a file of an item, or every waiting file that the options describe.

    If the item has one file, the URL may be left out. Without an item, the files are shown first and need confirmation.
    """
    _decide(ctx, "accept")


@review.command()
@_reason
@_chosen_files
@with_json
def reject(ctx: click.Context, /, **_options: object) -> None:
    """Reject a file of an item, or every waiting file that the options describe.

    If the item has one file, the URL may be left out. Without an item, the files are shown first and need confirmation.
    """
    _decide(ctx, "reject")


@review.command()
@option("--verdict", "Files that were accepted, or rejected.", type=click.Choice(_DECIDED))
@_chosen_files
@with_json
def undo(ctx: click.Context, /, verdict: str | None, **_options: object) -> None:
    """Undo the last decision on a file, or that of a person on every file that the options describe.

    The decision before it is in force again. For one file, each call undoes one more decision. Without an item, the
    files are shown first and need confirmation; decisions of rules are not undone.
    """
    verdicts = (verdict,) if verdict else _DECIDED
    _change(ctx, "undo", verdicts, lambda discovery, last: undoing(_history(discovery, last)), _is_of_person)


def _decide(ctx: click.Context, verdict: str) -> None:
    """Decide on one file of an item, or on all waiting files that the options choose."""
    reason = ctx.params["reason"] or "No reason was given."
    _change(
        ctx,
        verdict,
        ("review",),
        lambda _discovery, last: last._replace(verdict=verdict, reason=reason, is_undoing=False),
    )


def _change(
    ctx: click.Context,
    verb: str,
    verdicts: Iterable[str],
    following: Callable[[Discovery, Decision], Decision],
    is_meant: Callable[[Decision], bool] = lambda _: True,
) -> None:
    """Store the decision `following` the last one: on one file of an item, or on all files that the options choose.

    The options choose among the decisions in force with these verdicts for which `is_meant` returns True.
    """
    given, wanted = ctx.params, _filter(ctx)
    identifier: str | None = given["identifier"]
    is_narrowed = wanted != CopyFilter() or given.get("verdict") is not None
    if identifier is not None and (given["is_all"] or given["is_dry"] or is_narrowed):
        raise click.UsageError("Name an item, or choose files by options, not both.")
    if identifier is None and not is_narrowed and not given["is_all"]:
        raise click.UsageError("Name an item, choose files by options such as --host, or give --all.")
    with searching(ctx.obj) as (instance, discovery):
        if identifier is not None:
            chosen: Sequence[Decision] = _of_one(discovery, identifier, given["url"])[-1:]
        else:
            facts = _review(instance, discovery)
            meant = _possible(filter(is_meant, _decisions(instance, discovery, verdicts, wanted)), discovery, following)
            is_preview_json = given["is_dry"] and is_json()
            chosen = _previewed(_written(meant, facts) if is_preview_json else meant, facts, verb)
            if given["is_dry"]:
                return
            if chosen and not given["is_sure"]:
                count = f"{len(chosen):,} {'file' if len(chosen) == 1 else 'files'}"
                click.confirm(f"{verb.capitalize()} {count}?", abort=True, err=True)
            # What a killed command has decided and not published.
            if stamped := Releaser(instance.store, instance.inbox, discovery, instance.settings).release():
                say(f"Earlier decisions are published: {stamped} records have a new datestamp.")
        decide = Deciding(instance.store, instance.inbox, discovery, instance.settings)
        skipped = 0
        done = 0
        for batch in _batches(chosen):
            decisions = [
                following(discovery, decision)._replace(number=decision.number)
                for decision in batch
                if _is_in_force(discovery, decision)
            ]
            skipped += len(batch) - _add(decide, decisions)
            done += len(batch)
            if len(chosen) > BATCH:
                say(f"{done:,} of {len(chosen):,} files.")
    ctx.exit(int(status_of_end(has_findings=skipped > 0)))


def _batches(chosen: Sequence[Decision]) -> Iterator[list[Decision]]:
    """Yield decisions in batches: each is stored in one transaction, and its items are published once."""
    batch: list[Decision] = []
    items = set[str]()
    for decision in chosen:
        is_full = len(batch) == _MOST_AT_ONCE or (len(items) == BATCH and decision.identifier not in items)
        if is_full:
            yield batch
            batch, items = [], set()
        batch.append(decision)
        items.add(decision.identifier)
    if batch:
        yield batch


def _is_of_person(decision: Decision) -> bool:
    """Return whether a person made a decision, and it is not the result of an `undo`."""
    return decision.decided_by != RULE and not decision.is_undoing


def _possible(
    decisions: Iterable[Decision], discovery: Discovery, following: Callable[[Discovery, Decision], Decision]
) -> Iterator[Decision]:
    """Yield the decisions that another one can follow; write why it cannot on the others."""
    for decision in decisions:
        try:
            following(discovery, decision)
        except ConfigurationError as error:
            say(f"{decision.identifier} is skipped. {error}")
        else:
            yield decision


def _history(discovery: Discovery, decision: Decision) -> Sequence[Decision]:
    """Return all decisions on the file of a decision, the oldest first."""
    return discovery.history(decision.identifier, decision.url)


def _is_in_force(discovery: Discovery, decision: Decision) -> bool:
    """Return whether a decision is still the last one on its file; if not, write that the file is skipped."""
    history = _history(discovery, decision)
    if history and history[-1] == decision:
        return True
    decision = history[-1] if history else decision
    say(
        f"{decision.identifier}: {decision.url} is skipped, because there is a new decision on it: "
        f"{decision.verdict} by {decision.decided_by}."
    )
    return False


def _written(decisions: Iterable[Decision], facts: Review) -> Iterator[Decision]:
    """Yield decisions, each after the facts of its file are written to standard output."""
    for decision in decisions:
        write_json(facts_of_file(facts.of(decision)))
        yield decision


def _previewed(decisions: Iterator[Decision], facts: Review, verb: str) -> list[Decision]:
    """Show the first files and the number of files on standard error; return the decisions on all of them."""
    chosen: list[Decision] = []
    for decision in islice(decisions, _PREVIEWED):
        show_file(facts.of(decision), is_data=False)
        chosen.append(decision)
    shown = len(chosen)
    chosen += decisions
    more = f" {len(chosen) - shown} of them are not shown; `harvester review list` shows all." * (len(chosen) > shown)
    say(f"To {verb}: {len(chosen)} {'file' if len(chosen) == 1 else 'files'}.{more}")
    return chosen


def _add(decide: Decide, decisions: Sequence[Decision]) -> int:
    """Store decisions in the name of the calling user in one transaction, and publish the results at once.

    A file on which somebody else has decided meanwhile is skipped. Return the number of the others. Raise
    DecisionRefused, and store nothing, if a file is taken down, or its item is.
    """
    name, at = whoever_calls(), int(time())
    decided = decide(*(decision._replace(decided_by=name, at=at) for decision in decisions))
    for problem in decided.problems:
        say(problem)
    stamped = dict(decided.stamped_of)
    for decision in decided.written:
        count = stamped.pop(decision.identifier, 0)  # an item of several files is published once
        if is_json():
            write_json({**facts_of_decision(decision), "stamped_records": count})
        say(f"{decision.identifier}: {decision.verdict} {decision.url}; {count} records have a new datestamp.")
    return len(decided.written)


def _of_one(discovery: Discovery, identifier: str, url: str | None) -> list[Decision]:
    """Return the decisions on one copy; the URL may be written as in a DIDL.

    Raise ConfigurationError when there is no such copy, or several.
    """
    decisions = discovery.decisions(identifier)
    urls = sorted({decision.url for decision in decisions})
    chosen = (
        [url] if url in urls else [candidate_url for candidate_url in urls if not url or address(candidate_url) == url]
    )
    if not chosen:
        raise ConfigurationError(f"No file {url or ''} was found for {identifier}.".replace("  ", " "))
    if len(chosen) > 1:
        raise ConfigurationError(f"{identifier} has several files; name one: {', '.join(chosen)}.")
    return [decision for decision in decisions if decision.url == chosen[0]]
