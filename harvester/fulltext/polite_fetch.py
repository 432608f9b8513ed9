"""The Fetch of a search: polite, with a cache, and with shorter time limits than those of sources."""

from __future__ import annotations

from collections.abc import Callable
from time import time

from gateway.settings import Settings
from gateway.store.base import Discovery
from harvester.fulltext.answer_cache import ROBOTS_HOLD, CachingFetch
from harvester.fulltext.politeness import PoliteFetch
from harvester.fulltext.substitute_hosts import SubstituteHosts, access_of, places_of
from harvester.http.address_guard import ports_of
from harvester.http.fetching import Web
from harvester.http.messages import Fetch
from harvester.http.request_log import logged

_LIMITS = {
    "fetch_retries": 1,
    "fetch_deadline_seconds": 60.0,
    "fetch_connect_timeout_seconds": 10.0,
    "fetch_read_timeout_seconds": 20.0,
    "fetch_max_wait_seconds": 10.0,
    "fetch_min_bytes_per_second": 1024,
    "fetch_delay_seconds": 0.0,
}


def settings_for_other_hosts(settings: Settings) -> Settings:
    """Return the settings for hosts that are not sources."""
    most = settings.number("discover_max_bytes")
    limits = {**_LIMITS, "fetch_max_bytes": most, "fetch_document_max_bytes": most}
    return Settings(settings.instance, {**settings, **limits}, settings.origins)


def web_for_other_hosts(settings: Settings, sleep: Callable[[float], None]) -> Web:
    """Return a Web for hosts that are not sources. Raise ConfigurationError when a setting is wrong."""
    access = access_of(places_of(settings.text("discover_instead")))
    return Web(settings_for_other_hosts(settings), access, sleep=sleep, ports=ports_of(settings.text("discover_ports")))


def polite(web: Fetch, desk: Discovery, settings: Settings, sleep: Callable[[float], None]) -> Fetch:
    """Return a polite Fetch over the web, with a cache in the search database `desk`.

    Raise ConfigurationError for a wrong `discover_instead`.
    """
    return CachingFetch(polite_anew(web, desk, settings, sleep), desk, time)


def polite_anew(web: Fetch, desk: Discovery, settings: Settings, sleep: Callable[[float], None]) -> PoliteFetch:
    """Return a polite Fetch over the web without a cache, but for robots.txt. Raise ConfigurationError as `polite`."""
    web = logged(SubstituteHosts(web, places_of(settings.text("discover_instead"))))
    return PoliteFetch(
        web,
        settings.seconds("discover_delay_seconds"),
        away=desk,
        ask_robots=CachingFetch(web, desk, time, ROBOTS_HOLD),
        sleep=sleep,
    )
