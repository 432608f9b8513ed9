"""`gateway rebuild`: makes records again, or the store."""

import gc
import sys
from functools import partial
from pathlib import Path

import click

from gateway.core.program import is_quiet, json_option, progress, say, write_json


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
