"""The address guard: which addresses a foreign answer may send us to. Pure; `connections` asks it before connecting.

Whoever controls a repository, or a redirect of it, controls the names we look up. Without a guard they could make the
harvester read what only this machine's network may read. An administrator's own word (`url` of a source, or the list
of allowed hosts and networks) stands above it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

# What the standard library of Python 3.11 does not know yet: relays of 6to4 (RFC 7526), documentation (RFC 9637).
_RESERVED = (IPv4Network("192.88.99.0/24"), IPv6Network("3fff::/20"))

# What an address is called that the internet does not reach, or must not; the first row that fits is told.
_KINDS: tuple[tuple[str, Callable[[Address], bool]], ...] = (
    ("unspecified", lambda address: address.is_unspecified),
    ("loopback", lambda address: address.is_loopback),
    ("link-local", lambda address: address.is_link_local),
    ("multicast", lambda address: address.is_multicast),
    ("private", lambda address: address.is_private),
    ("reserved", lambda address: address.is_reserved or any(address in each for each in _RESERVED)),
    ("not public", lambda address: not address.is_global or getattr(address, "is_site_local", False)),
)
_TRANSLATED = IPv6Network("64:ff9b::/96")  # RFC 6052: an IPv4 address in the last 32 bits


def parse_address(text: str) -> Address:
    """Return an address as the system's resolver writes it, without its zone."""
    return ip_address(text.partition("%")[0])


def why_refused(address: Address) -> str:
    """Return what kind of address it is that strangers may not send us to; empty when it is a public one.

    An IPv6 address that only carries an IPv4 address is judged by that one.
    """
    carried = _carried(address)
    if carried is not None:
        return why_refused(carried)
    return next((kind for kind, is_so in _KINDS if is_so(address)), "")


def _carried(address: Address) -> IPv4Address | None:
    if isinstance(address, IPv4Address):
        return None
    if address in _TRANSLATED:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


class Allowed:
    """The hosts and networks that the administrator allows whatever kind of address they are."""

    def __init__(self, entries: Iterable[str] = ()) -> None:
        """Take host names, addresses and networks (`repo.example.org`, `10.1.0.0/16`)."""
        self.hosts: set[str] = set()
        self.networks: list[Network] = []
        for entry in entries:
            try:
                self.networks.append(ip_network(entry, strict=False))
            except ValueError:
                self.hosts.add(entry.lower().rstrip("."))

    def has_host(self, host: str) -> bool:
        """Tell whether this host may be at any address."""
        return host.lower().rstrip(".") in self.hosts

    def refusal(self, address: Address) -> str:
        """Return why this address is refused; empty when it is public or in an allowed network."""
        return "" if any(address in network for network in self.networks) else why_refused(address)
