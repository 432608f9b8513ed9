"""The commands of `gateway` that make an instance, serve it, back it up, and keep it in order."""

import gc
import json
import sys
from functools import partial
from itertools import chain
from pathlib import Path
from time import time

import click

from gateway.core import signals
from gateway.core.program import is_quiet, json_option, progress, say, write_json
from gateway.core.settings import SETTINGS, Setting, Settings, Value, load
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


# --- gateway serve ---------------------------------------------------------------------------------------------------


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Listen on this address.")
@click.option(
    "--port", default=8080, show_default=True, type=click.IntRange(0, 65535), help="Listen on this port; 0: a free one."
)
@click.option("--access-log", default="", metavar="FILE", help="Write a line per request into FILE; `-` is stdout.")
@click.pass_obj
def serve(folder: Path, host: str, port: int, access_log: str) -> None:
    """Serve the repository until Ctrl-C or SIGTERM."""
    from gateway import create_app  # noqa: PLC0415
    from gateway.ops.upkeep import check_store, complete_takedowns  # noqa: PLC0415
    from gateway.server.serve import convert_first  # noqa: PLC0415
    from gateway.server.serve import serve as run  # noqa: PLC0415
    from gateway.store.base import Databases  # noqa: PLC0415

    settings = load(folder)
    opened = convert_first(settings, host, port) if Databases(settings).need_conversion() else None
    check_store(folder)
    if doubt := complete_takedowns(folder):
        say(doubt)
    signals.release()  # the server has handlers of its own, and a longer grace period
    run(settings, create_app, host, port, access_log, opened)


# --- gateway backup and gateway restore ------------------------------------------------------------------------------


@click.command()
@click.argument("target", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@json_option
@click.pass_obj
def backup(folder: Path, target: Path, as_json: bool) -> None:
    """Copy every file of the instance folder into DIR while everything runs.

    DIR contains one backup: the former one, until the new one is complete and verified. DIR must be outside of the
    instance folder.
    """
    from gateway.core.instance_folder import STORE  # noqa: PLC0415
    from gateway.ops.backup import back_up, words  # noqa: PLC0415
    from gateway.ops.upkeep import check_store  # noqa: PLC0415
    from gateway.store.base import Databases  # noqa: PLC0415

    settings = load(folder)
    if not Databases(settings).are_on_server() and Databases(settings).has(STORE):
        check_store(folder)  # a new store must not replace the backup of the one that was lost
    with progress("Backup") as show:
        done = back_up(settings, target, show)
    for sentence in words(done):
        say(sentence)
    if as_json:
        write_json(done.facts())
    raise SystemExit(int(Status.WITH_ERRORS if done.damaged_copies else Status.SUCCEEDED))


@click.command()
@click.argument("source", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--missing", is_flag=True, help="Restore only files that are missing or empty.")
@click.option("--replace", is_flag=True, help="Replace files that were changed after the backup; they are moved aside.")
@json_option
@click.pass_obj
def restore(folder: Path, source: Path, missing: bool, replace: bool, as_json: bool) -> None:
    """Restore the instance folder from the backup in DIR. No other program may use the instance meanwhile."""
    from gateway.ops.restore import Choice, words  # noqa: PLC0415
    from gateway.ops.restore import restore as run  # noqa: PLC0415

    if missing and replace:
        raise click.UsageError("Choose --missing or --replace, not both.")
    choice = Choice.ONLY_MISSING if missing else Choice.REPLACE if replace else Choice.REFUSE_NEWER
    done = run(folder, source.absolute(), choice)
    for sentence in words(done):
        say(sentence)
    if as_json:
        write_json(done.facts())
    raise SystemExit(int(Status.WITH_ERRORS if done.damaged_copies else Status.SUCCEEDED))


# --- gateway init and gateway settings -------------------------------------------------------------------------------

_IDENTITY = {"domain": "repository_domain", "name": "repository_name", "email": "admin_email", "store": "store"}


@click.command()
@json_option
@click.pass_obj
def settings(folder: Path, as_json: bool) -> None:
    """Print every setting: its value and where it comes from. Secrets are never shown."""
    values = load(folder)
    rows: list[dict[str, Value]] = [
        {"name": setting.name, "value": _shown(values, setting), "origin": values.origins[setting.name]}
        for setting in SETTINGS
    ]
    if as_json:
        for row in rows:
            write_json(row)
        return
    width = max(len(str(row["name"])) for row in rows)
    for row in rows:
        value = json.dumps(row["value"], ensure_ascii=False)
        click.echo(f"{row['name']:{width}}  {value:28}  {row['origin']}")


def _shown(values: Settings, setting: Setting) -> Value:
    if not setting.is_secret:
        return values[setting.name]
    empty = "(in the file `secret`)" if setting.name == "secret" else ""
    return "(given)" if values.text(setting.name) else empty


@click.command()
@click.option(
    "--domain",
    help="Set the namespace of the identifiers, such as repository.example.org; fixed once something is published.",
)
@click.option("--name", help="Set the name of the repository.")
@click.option("--email", help="Set the e-mail address of the administrator.")
@click.option("--store", metavar="URL", help="Make the databases on PostgreSQL: postgresql://USER@HOST/DATABASE.")
@click.option("--group", help="Let this group of the machine use the folder, besides its owner (2770, files 0660).")
@json_option
@click.pass_obj
def init(folder: Path, /, group: str | None, as_json: bool, **identity: str | None) -> None:
    """Make the instance folder: config.toml, a secret, both databases. If repeated, it repairs file modes."""
    from gateway.ops import upkeep  # noqa: PLC0415

    given = {setting: identity[option] for option, setting in _IDENTITY.items()}
    options: dict[str, Value] = {key: value for key, value in given.items() if value is not None}
    made = upkeep.make(folder, options, group)
    say(f"The instance of {made['repository_name']} ({made['repository_domain']}) is in {folder}.")
    if doubt := upkeep.doubt_of_store(folder):
        say(doubt)
    if as_json:
        write_json({"folder": str(folder), **{key: made[key] for key in ("repository_domain", "repository_name")}})


# --- gateway hub -----------------------------------------------------------------------------------------------------


@click.group()
def hub() -> None:
    """Show and remove subscriptions at our WebSub hub."""


@hub.command(name="list")
@json_option
@click.pass_obj
def hub_list(folder: Path, /, as_json: bool) -> None:
    """List the subscriptions at our hub, the oldest first. Secrets are never shown."""
    from gateway.hub.subscribers import known, line  # noqa: PLC0415

    subscribers, waiting = known(load(folder))
    for facts in subscribers:
        if as_json:
            write_json(facts)
        else:
            click.echo(line(facts))
    say(f"{len(subscribers)} subscriptions; {waiting} requests wait until `harvester tend` verifies them.")


@hub.command(name="remove")
@click.argument("numbers", metavar="NUMBER...", nargs=-1, required=True, type=int)
@json_option
@click.pass_obj
def hub_remove(folder: Path, /, numbers: tuple[int, ...], as_json: bool) -> None:
    """Remove subscriptions by their numbers, which `gateway hub list` shows.

    The next `harvester tend` informs the subscribers.
    """
    from gateway.hub.subscribers import remove  # noqa: PLC0415

    settings = load(folder)
    for number in numbers:
        remove(settings, number)
        say(f"The subscription {number} was removed.")
        if as_json:
            write_json({"number": number})
