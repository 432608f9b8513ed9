"""`harvester source check URL`: which kind of source an address is, and how its entry would be written."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import click

from gateway.errors import ConfigurationError
from gateway.program import say
from harvester.commands.output import write_json
from harvester.instance import Instance
from harvester.kinds import fetcher, kinds, with_address, with_address_of
from harvester.locks import lock
from harvester.outcomes import Status
from harvester.recognising import Found, recognised
from harvester.returning import former
from harvester.sources_file import SourceEntry, checked_name, checked_url, entry_from, shown, table_of
from harvester.stopping import Stop


def is_address(text: str) -> bool:
    """Tell whether this is an address, and no name of a source."""
    return "/" in text


def check_address(instance: Instance, url: str, name: str, every: str, *, is_sure: bool, as_json: bool) -> Status:
    """Tell what an address is; write its entry under a name if there is one, else show how it would be written.

    `every` is how often `tend` is to harvest it; empty when nothing was said. `is_sure`: a name may be used again.
    """
    place = checked_url(url)
    asked = with_address(SourceEntry(checked_name(name) if name else name_for(place), place))
    with fetcher(instance.settings, asked, Stop()) as fetch:
        found = recognised(asked.url, kinds().values(), fetch)
    for problem in found.problems:
        say(problem)
    if not found.recognised:
        click.echo(f"{url} is nothing that can be harvested, as far as can be seen.", err=True)
        return Status.FAILED
    kind, best = found.recognised[0]
    entry = entry_from(asked.name, {"kind": kind, **best.table, **({"every": every} if every else {})})
    entry = with_address_of(entry, asked)
    _write(url, entry, found, as_json=as_json)
    if name:
        add_entry(instance, entry, is_sure=is_sure)
        say(f"Added. `harvester run {entry.name}` harvests it.")
    else:
        say("With --add NAME this is written into sources.toml.")
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
        say(each["is"])
    click.echo(shown(entry), nl=False)


def confirm_name(instance: Instance, entry: SourceEntry, *, is_sure: bool) -> None:
    """Say which records would come to life again under a name that was used before.

    If they were another address's, ask. Raise ConfigurationError when the answer is no, or nobody is there to answer.
    """
    found = former(instance, entry.name, entry.url)
    if found is None:
        return
    say(found.sentence)
    if not found.is_other or is_sure:
        return
    if not is_confirmed(f"Use the name {entry.name} again?"):
        raise ConfigurationError(f"Nothing was added. Choose another name than {entry.name}, or confirm it with --yes.")


def is_confirmed(question: str) -> bool:
    """Ask on stderr, and tell whether the answer is yes."""
    try:
        return click.confirm(question, err=True)
    except click.Abort:  # nobody is there to answer
        return False


def add_entry(instance: Instance, entry: SourceEntry, *, is_sure: bool = False) -> None:
    """Write a new source. Raise ConfigurationError when its name is taken, or was used before and nobody is sure."""
    with lock(instance.folder, entry.name):
        if entry.name in instance.sources.entries():
            raise ConfigurationError(f"There is a source {entry.name!r} already.")
        confirm_name(instance, entry, is_sure=is_sure)
        instance.sources.add(entry)
        instance.store.add_source(entry.source)
