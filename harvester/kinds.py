"""How the requests of each source get out: the one place where kinds of source meet the network."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from time import time
from urllib.parse import urlsplit

from gateway.errors import StoreUnwritable
from gateway.settings import Settings
from harvester.credentials import credentials_from
from harvester.downloaded import FOLDER, Downloaded
from harvester.hours import opens_in
from harvester.local import Local
from harvester.sources import kind_of, kinds
from harvester.sources_file import SourceEntry, SourcesFile
from harvester.special_addresses import NAMEABLE, PUBLIC
from harvester.stopping import OutOfHours, Stop, breakable
from harvester.web import Access, Pace, Web, address_class, most_bytes, ports_of
from harvester.web.logged import logged
from harvester.web.proxies import Proxies
from harvester.web.urls import origin_of
from harvester.wire.http import Fetch, Fetched, Request

__all__ = ["fetcher", "kind_of", "kinds", "with_address", "with_address_of"]

log = logging.getLogger("harvester")

_FILES = frozenset(("password_file", "token_file", "value_file", "certificate", "key"))


@contextmanager
def fetcher(settings: Settings, entry: SourceEntry, stop: Stop, pace: Pace | None = None) -> Iterator[Fetch]:
    """Return what fetches for one source, with its credentials and at its pace, whatever a request says.

    Outside of the hours of the entry it raises OutOfHours. Asked to stop, it ends its pauses with StopAsked; insisted,
    its requests too, with a KeyboardInterrupt. `pace` is shared with the fetchers of other sources, which may be at the
    same host.
    """
    if entry.url.startswith("file:"):
        with Local(entry.url, most_bytes(settings)) as local:
            yield breakable(local, stop)
        return
    # Files lie in the instance folder unless their path is absolute, wherever the command was called.
    auth = {name: str(settings.instance / value) if name in _FILES else value for name, value in entry.auth.items()}
    entry = recorded(settings, entry)
    access = Access(
        entry.url,
        credentials_from(auth),
        entry.delay_seconds,
        entry.verify,
        (entry.address or PUBLIC,),
        entry.allow,
        entry.ca_bundle,
    )
    ports = ports_of(settings.text("discover_ports"))
    web = Web(settings, {entry.name: access}, sleep=stop.pause, pace=pace, ports=ports)
    with web, stop.breaking(web.break_off):
        fetch = breakable(partial(_in_hours, entry, logged(web.fetcher(entry.name))), stop)
        if entry.kind != "files":
            yield fetch
            return
        most, limit = settings.number("fetch_file_max_bytes"), most_bytes(settings)
        with Downloaded(settings.instance / FOLDER / entry.name, entry.url, fetch, most, limit) as there:
            yield there


def with_address(entry: SourceEntry) -> SourceEntry:
    """Return an entry with the class of address that its host has now, unless it tells one.

    It is left without one when the host has no address now, when only a proxy can tell, and when it has an address that
    nobody should name by accident: link-local, or a cloud's own.
    """
    if entry.address or entry.url.startswith("file:") or Proxies(os.environ).of(*origin_of(entry.url)):
        return entry
    found = address_class(entry.url)
    return replace(entry, address=found) if found in NAMEABLE else entry


def with_address_of(entry: SourceEntry, asked: SourceEntry) -> SourceEntry:
    """Return an entry that the answer of another one named: where both have one origin, with that one's class.

    At any other origin it must be public, even if its host has another class of address now.
    """
    is_same = urlsplit(entry.url)[:2] == urlsplit(asked.url)[:2]
    return replace(entry, address=asked.address if is_same else PUBLIC)


def recorded(settings: Settings, entry: SourceEntry) -> SourceEntry:
    """Return an entry with its class of address, which is written into sources.toml when the entry there has none.

    Where that file cannot be written, only a public address counts.
    """
    found = with_address(entry)
    if found.address == entry.address:
        return entry
    try:
        is_new = SourcesFile(settings.instance / "sources.toml").record_address(entry, found.address)
    except StoreUnwritable as error:
        log.warning('%s The entry of %s needs address = "%s".', error, entry.name, found.address)
        return entry
    if is_new and found.address != PUBLIC:
        log.warning("%s", words_of_address(found))
    return found


def words_of_address(entry: SourceEntry) -> str:
    """Return what an administrator should know about where a source is."""
    return (
        f"The host of {entry.name} has a {entry.address} address. Its requests may go there, at the port of its url; "
        f'this is recorded as address = "{entry.address}" in its entry in sources.toml.'
    )


def _in_hours(entry: SourceEntry, fetch: Fetch, request: Request) -> Fetched:
    if opens_in(entry.hours, time()):
        raise OutOfHours(f"{entry.name} is asked from {entry.hours} UTC only; the next run goes on from there.")
    return fetch(request)
