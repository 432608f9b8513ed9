"""The web as a search sees it: asked politely, nothing twice, and with less patience than sources are given."""

from __future__ import annotations

from collections.abc import Callable
from time import time

from gateway.settings import Settings
from gateway.store.sqlite_discovery import SqliteDiscovery
from harvester.search.elsewhere import Elsewhere, access_of, places_of
from harvester.search.manners import Manners
from harvester.search.remembering import ROBOTS_HOLD, Remembering
from harvester.web import Web, ports_of
from harvester.web.logged import logged
from harvester.wire.http import Fetch

_LIMITS = {
    "fetch_retries": 1,
    "fetch_deadline_seconds": 60.0,
    "fetch_connect_timeout_seconds": 10.0,
    "fetch_read_timeout_seconds": 20.0,
    "fetch_max_wait_seconds": 10.0,
    "fetch_min_bytes_per_second": 1024,
    "fetch_delay_seconds": 0.0,
}


def for_strangers(settings: Settings) -> Settings:
    """Return the settings for fetching from strangers."""
    most = settings.number("discover_max_bytes")
    limits = {**_LIMITS, "fetch_max_bytes": most, "fetch_document_max_bytes": most}
    return Settings(settings.instance, {**settings, **limits}, settings.origins)


def strangers(settings: Settings, sleep: Callable[[float], None]) -> Web:
    """Return the web itself, for strangers. Raise ConfigurationError when a setting is wrong."""
    access = access_of(places_of(settings.text("discover_instead")))
    return Web(for_strangers(settings), access, sleep=sleep, ports=ports_of(settings.text("discover_ports")))


def polite(web: Fetch, desk: SqliteDiscovery, settings: Settings, sleep: Callable[[float], None]) -> Fetch:
    """Return a Fetch over the web that has manners, and remembers at the desk what it was answered."""
    web = logged(Elsewhere(web, places_of(settings.text("discover_instead"))))
    manners = Manners(
        web,
        settings.seconds("discover_delay_seconds"),
        away=desk,
        ask_robots=Remembering(web, desk, time, ROBOTS_HOLD),
        sleep=sleep,
    )
    return Remembering(manners, desk, time)
