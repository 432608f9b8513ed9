"""`harvester source check URL`: which kind of source an address is, and how its entry would be written."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import click

from gateway.errors import ConfigurationError
from gateway.model import Source
from harvester.commands.output import write_json
from harvester.instance import Instance
from harvester.kinds import fetcher, kinds
from harvester.locks import lock
from harvester.outcomes import Status
from harvester.recognising import Found, recognised
from harvester.sources_file import SourceEntry, checked_name, checked_url, entry_from, shown, table_of
from harvester.stopping import Stop


def is_address(text: str) -> bool:
    """Tell whether this is an address, and no name of a source."""
    return "/" in text


def check_address(instance: Instance, url: str, name: str, *, as_json: bool) -> Status:
    """Tell what an address is; write its entry under a name if there is one, else show how it would be written."""
    entry = SourceEntry(checked_name(name) if name else name_for(url), checked_url(url))
    with fetcher(instance.settings, entry, Stop()) as fetch:
        found = recognised(entry.url, kinds().values(), fetch)
    for problem in found.problems:
        click.echo(problem, err=True)
    if not found.recognised:
        click.echo(f"{url} is nothing that can be harvested, as far as can be seen.", err=True)
        return Status.FAILED
    kind, best = found.recognised[0]
    entry = entry_from(entry.name, {"kind": kind, **best.table})
    _write(url, entry, found, as_json=as_json)
    if name:
        add_entry(instance, entry)
        click.echo(f"Added. `harvester run {entry.name}` harvests it.", err=True)
    else:
        click.echo("With --add NAME this is written into sources.toml.", err=True)
    return Status.SUCCEEDED


def name_for(url: str) -> str:
    """Return a legal name for the source at an address, from its host."""
    host = urlsplit(url).netloc or "source"
    return re.sub(r"[^a-z0-9]+", "-", host.lower())[:32].strip("-")


def _write(url: str, entry: SourceEntry, found: Found, *, as_json: bool) -> None:
    seen = [{"kind": kind, "is": each.sentence} for kind, each in found.recognised]
    if as_json:
        write_json({"url": url, "recognised": seen, "name": entry.name, "entry": table_of(entry)})
        return
    for each in seen:
        click.echo(each["is"], err=True)
    click.echo(shown(entry), nl=False)


def add_entry(instance: Instance, entry: SourceEntry) -> None:
    """Write a new source. Raise ConfigurationError when its name is taken."""
    with lock(instance.folder, entry.name):
        if entry.name in instance.sources.entries():
            raise ConfigurationError(f"There is a source {entry.name!r} already.")
        instance.sources.add(entry)
        instance.store.add_source(Source(entry.name, entry.url, entry.kind))
