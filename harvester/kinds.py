"""How the requests of each source get out: the one place where kinds of source meet the network."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from gateway.errors import GatewayError
from gateway.settings import Settings
from harvester.credentials import credentials_from
from harvester.local import Local
from harvester.sources import kind_of, kinds
from harvester.sources_file import SourceEntry
from harvester.stopping import Stop
from harvester.web import Access, Pace, Web
from harvester.wire.http import Fetch, Fetched, Request

__all__ = ["fetcher", "kind_of", "kinds"]

_FILES = frozenset(("password_file", "token_file", "value_file", "certificate", "key"))


@contextmanager
def fetcher(
    settings: Settings, entry: SourceEntry, stop: Stop, pace: Pace | None = None, allow: Iterable[str] = ()
) -> Iterator[Fetch]:
    """Return what fetches for one source, with its credentials and at its pace, whatever a request says.

    Asked to stop, it ends its pauses with StopAsked; insisted, its requests too, with a KeyboardInterrupt. `pace` is
    shared with the fetchers of other sources, which may be at the same host; `allow` names hosts and networks besides
    public ones.
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
        yield _breakable(web.fetcher(entry.name), stop)


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
