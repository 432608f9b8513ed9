"""The Fetch of a search: polite, with a cache, and with shorter time limits than those of sources."""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields, replace
from hashlib import sha256
from time import time
from urllib.parse import urlsplit

from gateway.core.errors import ConfigurationError, TryLater
from gateway.core.names import source_of
from gateway.core.secret_arguments import without_secrets
from gateway.core.settings import Settings
from gateway.core.special_addresses import PUBLIC
from gateway.store.base import Discovery
from harvester.fulltext.pdf.file_type import PDF, mime_type
from harvester.fulltext.politeness import PoliteFetch
from harvester.http.address_guard import ports_of
from harvester.http.credentials import Access
from harvester.http.fetching import Web, logged
from harvester.http.messages import Fetch, Fetched, Request

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


def web_for_other_hosts(
    settings: Settings, sleep: Callable[[float], None], sources: Mapping[str, Access] | None = None
) -> Web:
    """Return a Web for files and services, wherever they are. Raise ConfigurationError when a setting is wrong.

    Requests for an item may go where `sources`, by name, says of its source, besides public addresses.
    """
    access = access_of(places_of(settings.text("discover_instead"))) | dict(sources or {})
    return Web(settings_for_other_hosts(settings), access, sleep=sleep, ports=ports_of(settings.text("discover_ports")))


def polite(web: Fetch, discovery: Discovery, settings: Settings, sleep: Callable[[float], None]) -> Fetch:
    """Return a polite Fetch over the web, with a cache in the search database `discovery`.

    Raise ConfigurationError for a wrong `discover_instead`.
    """
    return CachingFetch(polite_anew(web, discovery, settings, sleep), discovery, time, apart=_apart(web))


def only_stored(web: Fetch, discovery: Discovery) -> Fetch:
    """Return a Fetch that has only the stored answers, and sends no request: it raises TryLater for all others."""

    def refuse(_request: Request) -> Fetched:
        raise TryLater("No request is sent.")

    return CachingFetch(refuse, discovery, time, apart=_apart(web))


def _apart(web: Fetch) -> frozenset[str]:
    """Return the sources whose requests may go to other places than public ones."""
    access = web.access if isinstance(web, Web) else {}
    return frozenset(name for name, known in access.items() if known.allow or set(known.classes) - {PUBLIC})


def polite_anew(web: Fetch, discovery: Discovery, settings: Settings, sleep: Callable[[float], None]) -> PoliteFetch:
    """Return a polite Fetch over the web without a cache, but for robots.txt. Raise ConfigurationError as `polite`."""
    asked = logged(SubstituteHosts(web, places_of(settings.text("discover_instead"))))
    return PoliteFetch(
        asked,
        settings.seconds("discover_delay_seconds"),
        away=discovery,
        ask_robots=CachingFetch(asked, discovery, time, ROBOTS_HOLD, _apart(web)),
        sleep=sleep,
    )


# --- A Fetch that replaces some addresses: an institution uses its own mirrors of a service or a site ----------------


def places_of(text: str) -> dict[str, str]:
    """Return the substitutes in the setting `discover_instead`, by the beginnings of the addresses that they replace.

    Raise ConfigurationError for an entry that is not `address=address`.
    """
    pairs = [part.partition("=") for part in text.split()]
    for begin, _, instead in pairs:
        if not begin.startswith(("http://", "https://")) or not urlsplit(instead).hostname:
            raise ConfigurationError(
                f"discover_instead has the entry {begin!r}. Write address=address, with spaces between entries."
            )
    return {begin: instead for begin, _, instead in pairs}


def access_of(places: Mapping[str, str]) -> dict[str, Access]:
    """Return the access rule of each substitute: its own host and port, public or private, and no other."""
    return {instead: Access(instead) for instead in places.values()}


class SubstituteHosts:
    """A Fetch over another one."""

    def __init__(self, fetch: Fetch, places: Mapping[str, str]) -> None:
        self._fetch, self._places = fetch, places

    def __call__(self, request: Request) -> Fetched:
        """Return the answer, from the substitute if there is one. Raise the errors of the other Fetch."""
        for begin, instead in self._places.items():
            if request.url.startswith(begin):
                url = instead + request.url.removeprefix(begin)
                return replace(self._fetch(replace(request, url=url, source=instead)), url=request.url)
        return self._fetch(request)


# --- A Fetch with a cache: answers are stored while they are valid, negative ones too, but no files ------------------

_DAY = 86_400
HOLD = {200: 30 * _DAY, 301: 30 * _DAY, 302: _DAY, 303: _DAY, 307: _DAY, 308: 30 * _DAY, 404: 30 * _DAY, 410: 90 * _DAY}
ROBOTS_HOLD = dict.fromkeys((200, 401, 403, 404, 410), _DAY)
_MOST_BYTES = 5_000_000


class CachingFetch:
    """A Fetch over another one, with a cache of its answers."""

    def __init__(
        self,
        fetch: Fetch,
        answers: Discovery,
        clock: Callable[[], float],
        hold: Mapping[int, int] = HOLD,
        apart: Collection[str] = (),
    ) -> None:
        """Take a Fetch, the cache, the clock, and for how many seconds answers of each status are valid.

        Answers for the items of the sources `apart` are for them only: these may go where others may not.
        """
        self._fetch, self._answers, self._clock, self._hold, self._apart = fetch, answers, clock, hold, apart

    def __call__(self, request: Request) -> Fetched:
        """Return the stored answer, with its age, else that of the other Fetch. Raise its errors."""
        apart = [name for name in (source_of(request.source) or request.source,) if name in self._apart]
        key = repr((request.url, request.headers, request.follows, *apart))
        question = sha256(key.encode("utf-8", "replace")).digest()
        now = self._clock()
        held = self._answers.answer(question, int(now))
        if held is not None:
            return _unpacked(held, now)
        fetched = self._fetch(request)
        seconds = self._hold.get(fetched.status, 0)
        is_small = len(fetched.body) <= _MOST_BYTES
        is_door = bool(fetched.location and fetched.header("Set-Cookie"))  # to a page that needs the cookie
        if seconds and is_small and not is_door and mime_type(fetched.body) != PDF and request.suits(fetched):
            at = int(self._clock())
            self._answers.keep_answer(question, _packed(fetched, at), at + seconds)
        return fetched


_KEPT = tuple(field_.name for field_ in fields(Fetched) if field_.name not in ("body", "age_seconds"))


def _packed(fetched: Fetched, at: int) -> bytes:
    head = {name: getattr(fetched, name) for name in _KEPT}
    head |= {"url": without_secrets(fetched.url), "stored_at": at}
    return json.dumps(head).encode("ascii") + b"\n" + fetched.body


def _unpacked(content: bytes, now: float) -> Fetched:
    head, _, body = content.partition(b"\n")
    values = json.loads(head)
    age = max(0.0, now - values.pop("stored_at", values["received_at"]))  # releases before 0.6.0 stored no `stored_at`
    values["headers"] = tuple((name, value) for name, value in values["headers"])
    values["folded"] = tuple(values.get("folded", ()))
    return Fetched(**values, body=body, age_seconds=age)
