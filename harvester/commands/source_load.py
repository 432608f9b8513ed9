"""`harvester source load`: read the first harvest of a source from a delivered dump; OAI-PMH follows."""

from dataclasses import replace

import click

from gateway.core.errors import ConfigurationError
from gateway.core.program import say
from gateway.core.xmltext import parse_utc_datetime, utc_datetime
from harvester.commands.options import date_option
from harvester.commands.output import with_json, write_json
from harvester.commands.run import facts_of_run
from harvester.harvest.access import fetcher, kind_of
from harvester.harvest.instance import Instance, opened
from harvester.harvest.repository_identity import former
from harvester.harvest.run import run
from harvester.harvest.run_lifecycle import RunOptions, lists_of
from harvester.harvest.sources_toml import SourceEntry, checked_url
from harvester.runtime.interrupts import Stop, listening
from harvester.runtime.progress import progress
from harvester.sources.files import as_of, is_reading
from harvester.sources.oai_pmh.list_state import ListState, Position, text_of


@click.command(name="load")
@click.argument("name")
@click.argument("path", type=click.Path(exists=True, resolve_path=True))
@date_option("--as-of", "stated", help="The date at which the files were made.")
@with_json
def load(ctx: click.Context, name: str, path: str, stated: str, as_json: bool) -> None:
    """Load the first harvest of an OAI-PMH source from files. PATH is a file, a folder or an archive.

    The next harvest asks for changes since --as-of; without it, since the first responseDate in the files; without
    that, since their newest datestamp. The overlap is subtracted.
    """
    with opened(ctx.obj) as instance, listening(Stop()) as stop, progress() as telling:
        entry = instance.sources.entry(name)
        if entry.kind != "oai_pmh":
            raise ConfigurationError(f"{entry.name} is {entry.kind}; files can be loaded for a source of OAI-PMH only.")
        for cursor in instance.inbox.cursors(entry.name):
            if cursor.state and not is_reading(cursor.state):
                raise ConfigurationError(f"{entry.name} has been harvested already; files are for the first harvest.")
        if former_url := former(instance, entry.name, entry.url):
            say(former_url.sentence)
        files = replace(entry, url=checked_url(path), kind="files", slice="", own={"base_url": entry.url})
        try:
            with fetcher(instance.settings, files, stop) as fetch:
                ran = run(instance, files, kind_of("files"), RunOptions(), fetch, telling, stop)
        finally:
            instance.store.add_source(entry.source)
        if ran.run.is_complete:
            _go_on(instance, entry, stated)
        if as_json:
            write_json(facts_of_run(ran.run))
    ctx.exit(int(ran.status))


def _go_on(instance: Instance, entry: SourceEntry, stated: str) -> None:
    """Let each list go on from when its files were made."""
    for metadata_prefix, set_spec in lists_of(entry, RunOptions()):
        cursor = instance.inbox.cursor(entry.name, metadata_prefix, set_spec)
        moment = parse_utc_datetime(stated)[0] if stated else as_of(cursor.state)
        instance.inbox.put_cursor(
            replace(cursor, state=text_of(ListState(Position(complete=moment))) if moment else "")
        )
        since = f"asks for what has changed since {utc_datetime(moment)}" if moment else "asks for everything"
        say(f"{entry.name} {metadata_prefix} {set_spec}".rstrip() + f": the next harvest {since}.")
