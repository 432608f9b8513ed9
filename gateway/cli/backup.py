"""`gateway backup` and `gateway restore`: copy an instance while everything runs, and bring it back."""

from pathlib import Path

import click

from gateway.core.program import json_option, progress, say, write_json
from gateway.core.settings import load
from gateway.core.statuses import Status


@click.command()
@click.argument("target", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@json_option
@click.pass_obj
def backup(folder: Path, target: Path, as_json: bool) -> None:
    """Copy every file of the instance folder into DIR while everything runs.

    DIR contains one backup: the former one, until the new one is complete and verified. DIR must be outside of the
    instance folder.
    """
    from gateway.ops.backup import back_up, words  # noqa: PLC0415
    from gateway.ops.upkeep import check_store  # noqa: PLC0415
    from gateway.store.instance import STORE, Instance  # noqa: PLC0415

    settings = load(folder)
    if Instance(folder).has(STORE):
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
