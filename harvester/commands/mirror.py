"""`harvester mirror`: mirror complex objects and their files in a folder, as OCFL."""

from __future__ import annotations

from pathlib import Path

import click

from harvester.commands.mirror_accept import accept
from harvester.commands.mirror_audit import audit
from harvester.commands.mirror_import import import_
from harvester.commands.mirror_recheck import recheck
from harvester.commands.mirror_session import DIRECTORY, mirror_run, remote_of, remote_options, report, session
from harvester.commands.options import Given
from harvester.commands.output import json_option
from harvester.mirror.folder import Order
from harvester.mirror.harvest_objects import MirrorRun
from harvester.mirror.open_folder import check
from harvester.schedule.notifications.mirrors import notify_of_mirror


class _Mirror(click.Group):
    """A group that mirrors when its first argument is not one of its commands."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Add `run` when the first argument is not a command."""
        if args and args[0] not in (*self.commands, *ctx.help_option_names):
            args = ["run", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_Mirror, subcommand_metavar="BASEURL DIR | COMMAND")
def mirror() -> None:
    """Mirror complex objects (DIDL, METS) and their files in a folder.

    `harvester mirror BASEURL DIR` updates DIR to the state of the provider: the first time with all records, then with
    those that changed. `harvester mirror run --help` shows its options. The command needs no instance folder.
    """


@mirror.command()
@click.argument("base_url", metavar="BASEURL")
@click.argument("folder", metavar="DIR", type=DIRECTORY)
@click.option(
    "--format",
    "metadata_prefix",
    default="oai_didl",
    show_default=True,
    metavar="PREFIX",
    help="The metadataPrefix to harvest.",
)
@click.option("--set", "sets", multiple=True, metavar="SPEC", help="Harvest this setSpec only; may be repeated.")
@click.option("--incremental/--full", default=True, help="Harvest the records that changed since the last run, or all.")
@click.option(
    "--robots/--no-robots",
    "obeys_robots",
    default=None,
    help="Obey robots.txt for files (the default). The choice is stored.",
)
@click.option("--retry-failed", is_flag=True, help="Only fetch the missing files again.")
@click.option("--yes", is_flag=True, help="Apply deletions, waiting ones too, and accept much shorter lists.")
@click.option(
    "--accept-identity", is_flag=True, help="Continue although the provider identifies itself as another repository."
)
@remote_options
@json_option
@click.pass_context
def run(
    ctx: click.Context,
    /,
    base_url: str,
    folder: Path,
    incremental: bool,
    retry_failed: bool,
    as_json: bool,
    **given: Given,
) -> None:
    """Update DIR to the state of the provider at BASEURL.

    DIR/ocfl has the objects. The last line on stderr is the receipt; DIR/receipts has it as a document. The exit status
    is 3 if something is missing. After an interruption, the same command continues.
    """
    if retry_failed:
        if not incremental:
            raise click.UsageError("--full requests all records, --retry-failed none. Give only one of them.")
        check(folder)
    with session(ctx, folder, may_begin=True) as work:
        remote = remote_of(work, base_url, given)
        place = work.opened(Order(remote.entry.url, given["metadata_prefix"], given["sets"]))
        remote = remote.of(place)
        if given["obeys_robots"] is not None:
            place.obeys_robots = given["obeys_robots"]
        name = "mirror --retry-failed" if retry_failed else "mirror" if incremental else "mirror --full"
        place.ready(name)
        place.save()
        guard = work.guard(place, lets_deletions_pass=given["yes"], accepts_identity=given["accept_identity"])
        with mirror_run(remote, place, name, guard, MirrorRun) as mirroring:
            if retry_failed:
                mirroring.retried()
            else:
                mirroring.whole(is_full=not incremental)
        notify_of_mirror(place, work.settings, is_whole=not retry_failed)
    report(ctx, place, mirroring, as_json=as_json)


for _command in (audit, import_, accept, recheck):
    mirror.add_command(_command)
