"""How the requests of each source get out: the one place where kinds of source meet the network."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from time import time

from gateway.errors import GatewayError
from gateway.settings import Settings
from harvester.credentials import credentials_from
from harvester.downloaded import FOLDER, Downloaded
from harvester.hours import opens_in
from harvester.local import Local
from harvester.sources import kind_of, kinds
from harvester.sources_file import SourceEntry
from harvester.stopping import OutOfHours, Stop
from harvester.web import Access, Pace, Web
from harvester.wire.http import Fetch, Fetched, Request

__all__ = ["fetcher", "kind_of", "kinds"]

_FILES = frozenset(("password_file", "token_file", "value_file", "certificate", "key"))


@contextmanager
def fetcher(
    settings: Settings, entry: SourceEntry, stop: Stop, pace: Pace | None = None, allow: Iterable[str] = ()
) -> Iterator[Fetch]:
    """Return what fetches for one source, with its credentials and at its pace, whatever a request says.

    Outside of the hours of the entry it raises OutOfHours. Asked to stop, it ends its pauses with StopAsked; insisted,
    its requests too, with a KeyboardInterrupt. `pace` is shared with the fetchers of other sources, which may be at the
    same host; `allow` names hosts and networks besides public ones.
    """
    if entry.url.startswith("file:"):
        with Local(entry.url, settings.number("fetch_max_bytes")) as local:
            yield _breakable(local, stop)
        return
    # Files lie in the instance folder unless their path is absolute, wherever the command was called.
    auth = {name: str(settings.instance / value) if name in _FILES else value for name, value in entry.auth.items()}
    access = Access(entry.url, credentials_from(auth), entry.delay_seconds, entry.verify)
    web = Web(settings, {entry.name: access}, sleep=stop.pause, pace=pace, allow=allow)
    with web, stop.breaking(web.break_off):
        fetch = _breakable(partial(_in_hours, entry, web.fetcher(entry.name)), stop)
        if entry.kind != "files":
            yield fetch
            return
        most, limit = settings.number("fetch_file_max_bytes"), settings.number("fetch_max_bytes")
        with Downloaded(settings.instance / FOLDER / entry.name, entry.url, fetch, most, limit) as there:
            yield there


def _in_hours(entry: SourceEntry, fetch: Fetch, request: Request) -> Fetched:
    if opens_in(entry.hours, time()):
        raise OutOfHours(f"{entry.name} is asked from {entry.hours} UTC only; the next run goes on from there.")
    return fetch(request)


def _breakable(fetch: Fetch, stop: Stop) -> Fetch:
    """Let an error be a KeyboardInterrupt once somebody insisted: then it was us who broke the connection."""

    def fetched(request: Request) -> Fetched:
        try:
            return fetch(request)
        except GatewayError as error:
            if stop.is_insisted:
                raise KeyboardInterrupt from error
            raise

    return fetched
