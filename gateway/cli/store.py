"""`gateway store`: moves the databases of a repository between files and PostgreSQL."""

from pathlib import Path

import click

from gateway.core.errors import ConfigurationError
from gateway.core.program import json_option, say, write_json
from gateway.core.settings import load


@click.group()
def store() -> None:
    """Copy the databases to another place."""


@store.command()
@click.argument("origin", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option("--dry-run", "is_rehearsal", is_flag=True, help="Count the rows, and write nothing.")
@json_option
@click.pass_obj
def copy(folder: Path, /, origin: str, target: str, is_rehearsal: bool, as_json: bool) -> None:
    """Copy all databases from one place to another: `files` (of the instance folder), or postgresql://USER@HOST/NAME.

    Identifiers, datestamps, tokens and cursors stay valid. Everything is compared. `gateway serve` goes on reading, and
    whatever writes waits; afterwards nothing can write to FROM any more. A copy that was stopped begins again.
    """
    from gateway.store.base import copy_databases as run  # noqa: PLC0415

    places = ("" if place == "files" else place for place in (origin, target))
    here, there = (load(folder, options={"store": place}) for place in places)
    if here["store"] == there["store"]:
        raise ConfigurationError("FROM and TO are the same place.")
    tables = rows = 0
    for done in run(here, there, is_rehearsal=is_rehearsal):
        tables, rows = tables + 1, rows + done.rows
        if as_json:
            write_json(done._asdict())
    if is_rehearsal:
        say(f"{rows} rows of {tables} tables would be copied.")
        return
    say(f"{rows} rows of {tables} tables were copied and compared. Nothing can write to the former place any more.")
    say("Set `store` in config.toml to the new place (empty: files), and start all services again.")
