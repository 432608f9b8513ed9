"""`gateway serve`: serves the repository."""

from pathlib import Path

import click

from gateway.core import signals
from gateway.core.program import say
from gateway.core.settings import load


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
    from gateway.server.conversion import convert_first  # noqa: PLC0415
    from gateway.server.serve import serve as run  # noqa: PLC0415
    from gateway.store.opening import needs_conversion  # noqa: PLC0415

    opened = convert_first(load(folder), host, port) if needs_conversion(folder) else None
    check_store(folder)
    if doubt := complete_takedowns(folder):
        say(doubt)
    signals.release()  # the server has handlers of its own, and a longer grace period
    run(load(folder), create_app, host, port, access_log, opened)
