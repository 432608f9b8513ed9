"""`gateway index`: completes the search index."""

from functools import partial
from pathlib import Path

import click

from gateway.core.program import json_option, progress, say, write_json
from gateway.core.settings import load


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
