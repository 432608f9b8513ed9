"""The topics of our hub, and the callbacks that a request may name (WebSub, 2018, §4). Pure.

Topics are the open Change Lists, and the ListRecords requests of sets. The fetcher of the harvester judges the
addresses of the names of callbacks later.
"""

import re
from collections.abc import Collection, Iterable
from ipaddress import IPv6Address, ip_network
from typing import Final, NamedTuple
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

from gateway.core.address_rules import Address, Allowed, class_of, is_local_name, parse_address
from gateway.core.addresses import is_address
from gateway.core.model import Selection, Subscriber
from gateway.core.names import SOURCES
from gateway.core.special_addresses import PUBLIC
from gateway.core.typed_links import Link, header
from gateway.resourcesync.addresses import Addresses, ResourceSet
from gateway.resourcesync.periods import OPEN
from gateway.store.base import View

MOST_TEXT: Final = 2_000  # characters of a topic, and of a callback
_LEGAL: Final = re.compile(r"[A-Za-z0-9\-._~:/?@!$&'()*+,;=%]*")  # no character that could end a header or a link
_VERB: Final = ("verb", "ListRecords")
_SAFE: Final = "-_.!~*'():"
_LEGAL_CALLBACK: Final = re.compile(r"[A-Za-z0-9\-._~:/?@!$&'()*+,;=%\[\]]*")
_NUMBER: Final = re.compile(r"(?i)\d+|0x[0-9a-f]*")
_PORTS: Final = {"http": 80, "https": 443}
_FIRST_FREE_PORT: Final = 1024  # below it are the services of a machine, such as mail


class Topic(NamedTuple):
    """A topic: its address as the subscriber writes it, and the list whose changes are its news.

    `set_spec` is None for all records, as in a `Selection`. `content_type` is that of the answer at the address.
    """

    url: str
    metadata_prefix: str
    set_spec: str | None
    content_type: str


class Topics:
    """The topics of one site. `url` is the address of `/` without the slash."""

    def __init__(self, url: str, base_url: str, sets: Iterable[ResourceSet]) -> None:
        self.hub = f"{url}/hub"
        self._base_url = base_url
        addresses = Addresses(url)
        self._lists = {addresses.of(resources, f"changelist-{OPEN}"): resources for resources in sets}

    def named(self, url: str) -> Topic | None:
        """Return the topic at an address; None if it is none. Whether its set exists is not asked."""
        if len(url) > MOST_TEXT or not _LEGAL.fullmatch(url):
            return None
        if resources := self._lists.get(url):
            return Topic(url, resources.metadata_prefix, resources.selected, "application/xml; charset=UTF-8")
        base, mark, query = url.partition("?")
        if base != self._base_url or not mark:
            return None
        pairs = parse_qsl(query, keep_blank_values=True)
        given = dict(pairs)
        prefix, spec = given.get("metadataPrefix", ""), given.get("set", SOURCES)
        if len(given) < len(pairs) or _VERB not in pairs or not (prefix and spec):
            return None
        if given.keys() - {"verb", "metadataPrefix", "set"}:
            return None
        return Topic(url, prefix, None if spec == SOURCES else spec, "text/xml; charset=UTF-8")

    def resources_of(self, topic: Topic) -> ResourceSet | None:
        """Return the set of resources whose open Change List a topic is; None for a list of records."""
        return self._lists.get(topic.url)

    def of_change_list(self, metadata_prefix: str, set_spec: str) -> Topic | None:
        """Return the topic of the open Change List of a set of resources."""
        wanted = ResourceSet(metadata_prefix, set_spec)
        return next((self.named(url) for url, resources in self._lists.items() if resources == wanted), None)

    def of_list_records(self, query: bytes) -> Topic | None:
        """Return the topic of the first request of a list, by its query; None if it is no topic.

        Its address is always the same, whatever the order and the escaping of the arguments.
        """
        topic = self.named(f"{self._base_url}?{query.decode('ascii', 'replace')}")
        if topic is None:
            return None
        arguments = dict(parse_qsl(topic.url.partition("?")[2], keep_blank_values=True))
        in_order = [(name, arguments[name]) for name in ("verb", "metadataPrefix", "set") if name in arguments]
        return self.named(f"{self._base_url}?{urlencode(in_order, safe=_SAFE)}")

    def links(self, topic: Topic) -> str:
        """Return the Link header of a topic, and of what is delivered of it (§4, §7)."""
        return header([Link(topic.url, "hub", self.hub), Link(topic.url, "self", topic.url)], topic.url)


# --- Which changes wait to be delivered: for the metrics, which are read even if nothing is delivered ----------------

_Place = tuple[str, str | None]  # metadataPrefix and set of a list


class Backlog:
    """The changes that subscribers did not get, for all requests of a process."""

    def __init__(self, topics: Topics) -> None:
        self._topics = topics
        # By list, a time that is known to have no changes: its first second, and the one behind its last.
        self._quiet: dict[_Place, tuple[int, int]] = {}

    def oldest(self, view: View, subscribers: Iterable[Subscriber]) -> int | None:
        """Return the datestamp of the oldest change that a subscriber did not get; None if there is none."""
        begins: dict[_Place, int] = {}
        for subscriber in subscribers:
            topic = self._topics.named(subscriber.topic)
            if topic is not None:
                place = (topic.metadata_prefix, topic.set_spec)
                begins[place] = min(begins.get(place, subscriber.delivered_until), subscriber.delivered_until)
        dates = (self._first_change(view, place, since) for place, since in begins.items())
        return min((date for date in dates if date is not None), default=None)

    def _first_change(self, view: View, place: _Place, since: int) -> int | None:
        """Return the datestamp of the first change of a list from the second `since` on, below the horizon."""
        prefix, horizon = place[0], view.horizon
        begin, end = self._quiet.get(place, (since, since))
        first = max(since, end) if begin <= since else since
        if view.changed_until(prefix, horizon - 1) <= first:
            return None
        changes = view.resource_changes(Selection(*place, first, horizon - 1), (0, 0), 1)
        if changes:
            return changes[0].datestamp
        self._quiet[place] = (since, horizon)
        return None


def refusal(callback: str, own: Collection[str], allow: Allowed) -> str:
    """Return why a callback is refused, as a sentence; empty if it may be tried.

    `own` are addresses of this site. `allow` has the hosts, addresses and networks that may be private. A host that it
    has by itself may also be that of this site, where another site may be.
    """
    if len(callback) > MOST_TEXT or not _LEGAL_CALLBACK.fullmatch(callback) or not is_address(callback):
        return f"hub.callback is no legal http or https address of at most {MOST_TEXT} characters."
    place = _place(callback)
    if place is None or "@" in urlsplit(callback).netloc:
        return "hub.callback must have a host and a possible port, and no user."
    if allow.name(*place):
        return ""
    if any(_is_same(place, _place(address)) for address in own):
        return "hub.callback leads back to this hub."
    address = _literal(place[0])
    return "" if address is not None and allow.address(place[0], address, place[1]) else _doubt(*place)


def _doubt(host: str, port: int) -> str:
    """Return why a host is no public one; empty if it may be."""
    if port < _FIRST_FREE_PORT and port not in _PORTS.values():
        return f"hub.callback has the port {port}, where no subscriber listens."
    return "" if _is_public(host) else "hub.callback is in a private network."


def _place(url: str) -> tuple[str, int] | None:
    """Return host and port of an address; None if it has none."""
    try:
        parts: SplitResult = urlsplit(url)
        port = parts.port or _PORTS.get(parts.scheme, 0)
        return ((parts.hostname or "").rstrip("."), port) if parts.hostname and parts.port != 0 else None
    except ValueError:
        return None


def _is_same(place: tuple[str, int], other: tuple[str, int] | None) -> bool:
    """Return whether two places are one server; a server at port 80 is the one at port 443."""
    return other is not None and (place == other or (place[0] == other[0] and {place[1], other[1]} == {80, 443}))


def _is_public(host: str) -> bool:
    """Return whether a host may be public: a name that is not local, or a literal address that is."""
    address = _literal(host)
    if address is not None:
        return class_of(address) == PUBLIC
    if ":" in host or _NUMBER.fullmatch(host.rpartition(".")[2]):  # `127.1`, `0x7f000001` and the like
        return False
    return not is_local_name(host)


def _literal(host: str) -> Address | None:
    try:
        return parse_address(host)
    except ValueError:
        return None


def network_of(address: str) -> str:
    """Return the network of a client, as far as one customer has it: /24, or /48; empty without an address."""
    parsed = _literal(address)
    if parsed is None:
        return ""
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    return str(ip_network(f"{parsed}/{24 if parsed.version == 4 else 48}", strict=False))  # noqa: PLR2004
