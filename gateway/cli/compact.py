"""`gateway compact`: makes blocks of the store anew, and its file smaller."""

from functools import partial

import click

from gateway.core.program import json_option, progress, say, write_json
from gateway.core.statuses import Status


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
