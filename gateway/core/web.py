"""What web server and application share: headers of every answer, and the address of the client behind proxies.

The client is the peer, or the one that a trusted proxy names in a header. Headers are read from the right, because each
proxy adds the address that connected to it. The first address from the right that is no trusted proxy is the client.
The client wrote everything to the left of it, so that is never read.
"""

import re
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import NamedTuple, TypeAlias

from gateway.core.errors import ConfigurationError

Network: TypeAlias = IPv4Network | IPv6Network
Address: TypeAlias = IPv4Address | IPv6Address

# No answer has scripts, forms or images, and none needs to be in a frame. Styles are allowed: Chrome shows XML by a
# style of its own that it writes into the document (seen 2026-11-22). Without it, a list is one line of text.
_POLICY = (
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
)
# These are on every answer, of the application or of the server itself.
SECURITY_HEADERS = (("X-Content-Type-Options", "nosniff"), ("Content-Security-Policy", "; ".join(_POLICY)))
_WITH_PORT = re.compile(r"\[([^\]]*)\](?::\d+)?|([^:]*):\d+")
_HEADERS = ("x-forwarded-for", "forwarded")
_MOST_BYTES = 4096  # of a header; chains of proxies are short


class Proxies(NamedTuple):
    """The trusted proxies, and the one header that they write; a client may have written the other one."""

    networks: tuple[Network, ...] = ()
    header: bytes = b"x-forwarded-for"


def proxies(text: str, header: str) -> Proxies:
    """Return the proxies of two settings: addresses or networks with spaces between, and the name of a header.

    Raise ConfigurationError if an address is wrong, or the header is neither X-Forwarded-For nor Forwarded.
    """
    if header.lower() not in _HEADERS:
        raise ConfigurationError(f"serve_proxy_header is {header!r}; set it to X-Forwarded-For or Forwarded.")
    try:
        return Proxies(tuple(ip_network(name) for name in text.split()), header.lower().encode())
    except ValueError as error:
        raise ConfigurationError(
            f"serve_trusted_proxies: {error}. Give addresses or networks, such as 10.0.0.0/8."
        ) from error


def client(peer: str, header: str, trusted: Proxies) -> str:
    """Return the address of the client: `peer` itself, unless it is a trusted proxy and `header` names another.

    `peer` is empty for a Unix socket; its other end is a local proxy, which is trusted if any proxy is. `header` is the
    value of the header that `trusted` names: X-Forwarded-For, or Forwarded (RFC 7239).
    """
    forwarded = peer
    if not trusted.networks or not _is_trusted(peer, trusted.networks):
        return forwarded
    for element in reversed(header[-_MOST_BYTES:].split(",")):  # the nearest proxy first
        address = _address(_forwarded_for(element) if trusted.header == b"forwarded" else element)
        if address is None:
            return forwarded
        forwarded = str(address)
        if not _is_trusted(forwarded, trusted.networks):
            return forwarded
    return forwarded


def _is_trusted(name: str, networks: Sequence[Network]) -> bool:
    address = _address(name)
    return not name or (address is not None and any(address in network for network in networks))


def _forwarded_for(element: str) -> str:
    """Return the value of `for` in one element of Forwarded (RFC 7239 §4, §5.2), or an empty string."""
    pairs = (pair.partition("=") for pair in element.split(";"))
    return next((value.strip().strip('"') for name, _, value in pairs if name.strip().lower() == "for"), "")


def _address(name: str) -> Address | None:
    name = name.strip()
    if with_port := _WITH_PORT.fullmatch(name):
        name = with_port[1] or with_port[2] or ""
    try:
        address = ip_address(name)
    except ValueError:
        return None
    if isinstance(address, IPv6Address):
        return None if address.scope_id else address.ipv4_mapped or address
    return address
