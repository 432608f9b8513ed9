"""`gateway check`, `clock`, `rebuild`, `index` and `compact`: keep an instance in order."""

import gc
import sys
from functools import partial
from itertools import chain
from pathlib import Path
from time import time

import click

from gateway.core.program import is_quiet, json_option, progress, say, write_json
from gateway.core.settings import load
from gateway.core.statuses import Status


@click.command()
@click.option("--format", "prefix", metavar="PREFIX", help="Rebuild this metadata format; default: all that we write.")
@click.option("--from-inbox", is_flag=True, help="Publish what the inbox has and the store lacks, after a loss.")
@click.option("--anew", is_flag=True, help="Move the existing store aside and make a new one; with --from-inbox.")
@click.option("--withdraw-non-works", is_flag=True, help="Make tombstones of items that describe no work.")
@json_option
@click.pass_obj
def rebuild(
    folder: Path, /, prefix: str | None, from_inbox: bool, anew: bool, withdraw_non_works: bool, as_json: bool
) -> None:
    """Make every record again from the harvested data; changed records get a new datestamp.

    Published items that describe no work, such as persons, stay as they are; the command says how many there are, and
    with --withdraw-non-works it makes tombstones of them. With --from-inbox the store itself is made again, with every
    tombstone. The command may be stopped and repeated.
    """
    if (from_inbox and (prefix or withdraw_non_works)) or (anew and not from_inbox):
        raise click.UsageError(
            "Give --format and --withdraw-non-works without --from-inbox, and --anew only with --from-inbox."
        )
    from gateway.ops import upkeep  # noqa: PLC0415
    from gateway.search import indexing  # noqa: PLC0415

    gc.set_threshold(indexing.OBJECTS_BEFORE_COLLECTION)
    if from_inbox:
        _rebuild_from_inbox(folder, anew=anew, as_json=as_json)
        return

    for sentence in upkeep.changed_formats(folder):
        say(sentence)
    bar = click.progressbar(length=upkeep.count_items(folder), label="Items", file=sys.stderr, hidden=is_quiet())
    with bar:
        changed = upkeep.rebuild(folder, prefix, lambda seen: bar.update(seen - bar.pos))
    say(f"{changed} records changed and got a new datestamp.")
    withdrawn, others = upkeep.non_works(folder, withdraws=withdraw_non_works)
    if withdraw_non_works:
        say(f"{withdrawn} items that describe no work became tombstones.")
    for sentence in others:
        say(sentence)
    if as_json:
        more = {"withdrawn_items": withdrawn} if withdraw_non_works else {}
        write_json({"changed_records": changed, **more, **({"non_works": list(others)} if others else {})})


def _rebuild_from_inbox(folder: Path, *, anew: bool, as_json: bool) -> None:
    from gateway.ops import recovery, upkeep  # noqa: PLC0415

    if anew and (aside := upkeep.put_store_aside(folder)):
        say(f"The former store is in {aside}; delete it when you no longer need it.")
    with progress("Pages") as show:
        made = upkeep.rebuild_from_inbox(folder, partial(show, "Pages"))
    for sentence in recovery.words(made):
        say(sentence)
    if as_json:
        counts = {"published_pages": made.counts.pages, "changed_records": made.counts.stamped}
        write_json({**counts, "sources_without_note": made.guessed, "pages_lost_until": made.lost_until})


@click.command()
@click.option("--anew", is_flag=True, help="Delete the existing index and make a new one.")
@json_option
@click.pass_obj
def index(folder: Path, /, anew: bool, as_json: bool) -> None:
    """Complete the search index, or rebuild it. Every command that publishes completes it too.

    The command may be stopped and repeated. Until a new index is complete, there is no search.
    """
    from gateway.core.xmltext import utc_datetime  # noqa: PLC0415
    from gateway.search import indexing  # noqa: PLC0415

    with progress("Changes") as show:
        state = indexing.make(load(folder), is_anew=anew, progress=partial(show, "Changes"))
    say(f"The search index is complete up to {utc_datetime(state.reached)}: {state.items} items, {state.bytes} bytes.")
    if as_json:
        write_json({"items": state.items, "bytes": state.bytes, "reached": utc_datetime(state.reached)})


@click.command()
@click.option("--anew", is_flag=True, help="Then rewrite the whole file, so that it can become smaller.")
@json_option
@click.pass_context
def compact(context: click.Context, /, anew: bool, as_json: bool) -> None:
    """Rewrite the blocks of the store that have holes or could be smaller; `harvester tend` does this too.

    Ctrl-C stops the command, and the next one continues. Answers and datestamps stay the same. At the end, the file of
    the store becomes smaller if at least a hundredth of it, and 1 MiB, is free.

    The file of an earlier release becomes smaller only with --anew. This needs twice the space of the file, and
    publishers wait meanwhile: about 15 seconds for a million items. Afterwards, --anew is not needed any more.
    """
    from gateway.ops import upkeep  # noqa: PLC0415

    with progress("Blocks") as show:
        done = upkeep.compact(context.obj, partial(show, "Blocks"), is_anew=anew)
    say(f"{done.blocks} blocks were made anew, which freed {done.bytes} bytes.")
    if done.smaller_by:
        say(f"The file of the store is {done.smaller_by} bytes smaller.")
    if done.kept_free:
        say(f"{done.kept_free} bytes of the file are free. `gateway compact --anew` gives them back to the disk.")
    if done.damaged:
        say(f"{done.damaged} blocks are damaged and stay as they are; `gateway check` names them.")
    if not done.is_complete:
        say("A long reader, such as a backup, keeps the log of the store from being emptied. Repeat the command later.")
    if as_json:
        write_json(done._asdict())
    context.exit(int(Status.SUCCEEDED if done.is_complete and not done.damaged else Status.WITH_ERRORS))


@click.command()
@click.option("--accept", "is_accepted", is_flag=True, help="Accept the clock of this machine as right.")
@json_option
@click.pass_context
def clock(context: click.Context, is_accepted: bool, as_json: bool) -> None:
    """Compare the clock of the store with that of this machine; exit status 1 if it prevents publication."""
    from gateway.core.xmltext import utc_datetime  # noqa: PLC0415
    from gateway.ops import upkeep  # noqa: PLC0415

    second, problem = upkeep.clock(context.obj, is_accepted=is_accepted)
    facts = {"store": utc_datetime(second), "machine": utc_datetime(int(time())), "problem": problem}
    if as_json:
        write_json(facts)
    else:
        say(f"The store serves everything up to {facts['store']}; this machine's clock shows {facts['machine']}.")
        if problem:
            click.echo(problem, err=True)
    context.exit(int(Status.FAILED if problem else Status.SUCCEEDED))


@click.command()
@click.option(
    "--whole",
    "is_whole",
    is_flag=True,
    help="Read every record, page and copy of a document, not a sample; name all damaged ones, and unused elements.",
)
@json_option
@click.pass_context
def check(context: click.Context, is_whole: bool, as_json: bool) -> None:
    """Check the whole instance, with `harvester check`; exit status 1 if there is a problem."""
    from gateway.core import finding  # noqa: PLC0415
    from gateway.ops import health  # noqa: PLC0415

    findings = chain(health.findings(context.obj, is_whole=is_whole), finding.of_harvester(context.obj))
    context.exit(int(finding.write_findings(findings, as_json=as_json)))
