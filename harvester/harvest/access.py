"""The fetcher of each source: the only place that connects kinds of source with the network."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from time import time
from urllib.parse import urlsplit

from gateway.core.errors import StoreUnwritable
from gateway.core.settings import Settings
from gateway.core.special_addresses import NAMEABLE, PUBLIC
from harvester.harvest.sources_toml import SourceEntry, SourcesFile
from harvester.http.address_guard import Proxies, address_class, ports_of
from harvester.http.credentials import Access, credentials_from
from harvester.http.downloads import FOLDER, Downloaded
from harvester.http.fetching import Web, logged, most_bytes
from harvester.http.local_files import Local
from harvester.http.messages import Fetch, Fetched, Request
from harvester.http.retrying import Pace
from harvester.http.urls import origin_of
from harvester.runtime.durations import opens_in
from harvester.runtime.interrupts import OutOfHours, Stop, answered_soon, breakable
from harvester.sources import kind_of, kinds

__all__ = ["access_to_files", "fetcher", "inbox_fetcher", "kind_of", "kinds", "with_address", "with_address_of"]

log = logging.getLogger("harvester")

FILES = frozenset(("password_file", "token_file", "value_file", "certificate", "key"))


@contextmanager
def fetcher(settings: Settings, entry: SourceEntry, stop: Stop, pace: Pace | None = None) -> Iterator[Fetch]:
    """Return the fetcher of one source, with its credentials and its pace.

    It raises OutOfHours outside of the hours of the entry, StopAsked in a pause after a request to stop, and
    KeyboardInterrupt after `Stop.insist`. `pace` is shared with other sources, which may be at the same host. Raise
    ConfigurationError for wrong settings, credentials or a proxy.
    """
    if entry.url.startswith("file:"):
        with Local(entry.url, most_bytes(settings)) as local:
            yield breakable(local, stop)
        return
    with _web_fetcher(settings, entry, stop, pace) as fetch:
        if entry.kind != "files":
            yield fetch
            return
        most, limit = settings.number("fetch_file_max_bytes"), most_bytes(settings)
        with Downloaded(settings.instance / FOLDER / entry.name, entry.url, fetch, most, limit) as there:
            yield there


@contextmanager
def inbox_fetcher(settings: Settings, entry: SourceEntry, stop: Stop, pace: Pace | None = None) -> Iterator[Fetch]:
    """Return the fetcher for the inbox of a source, of any kind; it raises what that of `fetcher` raises.

    After a request to stop, it raises StopAsked if no answer comes within seconds: an announcement may be sent again.

    The inbox of a source that is a file on this machine must be at a public address, or in `allow`.
    """
    if entry.url.startswith("file:"):
        entry = replace(entry, url=entry.notify_inbox, auth={}, address=PUBLIC)
    with _web_fetcher(settings, entry, stop, pace, waits=False) as fetch:
        yield fetch


@contextmanager
def _web_fetcher(
    settings: Settings, entry: SourceEntry, stop: Stop, pace: Pace | None, *, waits: bool = True
) -> Iterator[Fetch]:
    # Relative paths are relative to the instance folder, not to the current folder.
    auth = {name: str(settings.instance / value) if name in FILES else value for name, value in entry.auth.items()}
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
        yield fetch if waits else answered_soon(fetch, stop, web.break_off)


def access_to_files(entries: Iterable[SourceEntry]) -> dict[str, Access]:
    """Return how the files of the items of sources are reached: as the sources, without their credentials.

    Files on this machine have no address of their own; `allow` counts for the items in them.
    """
    return {
        entry.name: Access(
            "" if entry.url.startswith("file:") else entry.url,
            verify=entry.verify,
            classes=(entry.address or PUBLIC,),
            allow=entry.allow,
            ca_bundle=entry.ca_bundle,
        )
        for entry in entries
    }


def with_address(entry: SourceEntry) -> SourceEntry:
    """Return an entry with the class of the present address of its host, unless it has one.

    It stays without one when the host has no address now, and when a proxy resolves it. Link-local addresses and those
    of cloud metadata services are not recorded either, because that must not happen by accident. Raise
    ConfigurationError for a wrong proxy in the environment.
    """
    if entry.address or entry.url.startswith("file:") or Proxies(os.environ).of(*origin_of(entry.url)):
        return entry
    class_ = address_class(entry.url)
    return replace(entry, address=class_) if class_ in NAMEABLE else entry


def with_address_of(entry: SourceEntry, asked: SourceEntry) -> SourceEntry:
    """Return an entry that the answer of source `asked` named. With the same origin it gets the same class of address.

    At any other origin its address must be public.
    """
    is_same = urlsplit(entry.url)[:2] == urlsplit(asked.url)[:2]
    return replace(entry, address=asked.address if is_same else PUBLIC)


def recorded(settings: Settings, entry: SourceEntry) -> SourceEntry:
    """Return an entry with its class of address, and write the class into sources.toml if it is missing there.

    If that file cannot be written, only a public address is allowed. Raise ConfigurationError for a sources.toml that
    cannot be read, and as `with_address` does.
    """
    addressed = with_address(entry)
    if addressed.address == entry.address:
        return entry
    try:
        is_new = SourcesFile(settings.instance / "sources.toml").record_address(entry, addressed.address)
    except StoreUnwritable as error:
        log.warning('%s The entry of %s needs address = "%s".', error, entry.name, addressed.address)
        return entry
    if is_new and addressed.address != PUBLIC:
        log.warning("%s", words_of_address(addressed))
    return addressed


def words_of_address(entry: SourceEntry) -> str:
    """Return a sentence for the administrator about the class of address of a source."""
    return (
        f"The host of {entry.name} has a {entry.address} address. Its requests may go there, at the port of its url; "
        f'this is recorded as address = "{entry.address}" in its entry in sources.toml.'
    )


def _in_hours(entry: SourceEntry, fetch: Fetch, request: Request) -> Fetched:
    if opens_in(entry.hours, time()):
        raise OutOfHours(f"{entry.name} is asked from {entry.hours} UTC only; the next run continues from there.")
    return fetch(request)
