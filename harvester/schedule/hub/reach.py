"""How the hub reaches subscribers, who must be at public addresses, and the topics, which are our own."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from gateway.core.address_rules import Allowed
from gateway.core.settings import Settings
from gateway.core.special_addresses import PUBLIC
from gateway.hub.topics import Topic
from harvester.http.credentials import Access
from harvester.http.fetching import Web
from harvester.http.messages import Fetch, Fetched, Request
from harvester.http.own_servers import elsewhere
from harvester.runtime.interrupts import Stop, breakable

_HUB: Final = "hub"  # the name of our requests


@contextmanager
def to_subscribers(settings: Settings, own: Collection[str], stop: Stop) -> Iterator[Fetch]:
    """Return the fetcher for callbacks. It refuses private addresses, and those of the site, whose URLs are `own`.

    The setting `hub_allow` makes exceptions. Raise ConfigurationError if the setting is wrong.
    """
    allow = settings.text("hub_allow").split()
    access = Access(next(iter(own)), delay_seconds=0.0, classes=(PUBLIC,))
    resolve = elsewhere(own, Allowed(allow))
    web = Web(settings, {_HUB: access}, allow=allow, sleep=stop.pause, resolve=resolve)
    with web, stop.breaking(web.break_off):
        yield breakable(web.fetcher(_HUB), stop)


def to_topic(settings: Settings, stop: Stop, topic: Topic) -> Fetch:
    """Return the fetcher for a topic, which may be at a private address, since it is our own."""

    def fetch(request: Request) -> Fetched:
        with Web(settings, {_HUB: Access(topic.url, delay_seconds=0.0)}, sleep=stop.pause) as web:
            return web(replace(request, source=_HUB))

    return fetch
