"""Special addresses: the special-purpose registries of IANA, and the internal addresses of clouds.

The rows of `special_addresses.toml` are those of the IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890).
Addresses that other registries of IANA reserve follow, and those that clouds use for themselves. They are read when the
first address is judged. The `ipaddress` modules of
Python 3.11, 3.12 and 3.13 disagree about several rows, so they are not used. If several blocks contain an address, the
longest decides.
"""

from functools import cache
from typing import NamedTuple

from gateway.core.words import table

PUBLIC, PRIVATE, SHARED, LOOPBACK, LINK_LOCAL = "public", "private", "shared", "loopback", "link-local"
MULTICAST, DOCUMENTATION, CLOUD = "multicast", "documentation", "cloud"
UNSPECIFIED, RESERVED = "unspecified", "reserved"
# The host of a source that an administrator names may have one of these classes, and no other.
NAMEABLE = (PUBLIC, PRIVATE, SHARED, LOOPBACK)
CLASSES = (*NAMEABLE, LINK_LOCAL, MULTICAST, DOCUMENTATION, CLOUD, UNSPECIFIED, RESERVED)


class Block(NamedTuple):
    """A block of addresses, its class, its name, and its source. PUBLIC: globally reachable in the registry."""

    network: str
    address_class: str
    name: str
    source: str


class Embedding(NamedTuple):
    """A block of IPv6 addresses that embed IPv4 addresses: how far each is shifted left; `is_inverted`: bit by bit."""

    network: str
    shifts: tuple[tuple[int, bool], ...]
    source: str


@cache
def blocks() -> tuple[Block, ...]:
    """Return all blocks."""
    return tuple(Block(*row) for row in table(__file__, "special_addresses")["blocks"])


@cache
def embedding() -> tuple[Embedding, ...]:
    """Return the blocks whose addresses are judged by those that they embed."""
    rows = table(__file__, "special_addresses")["embedding"]
    return tuple(Embedding(network, tuple(map(tuple, shifts)), source) for network, shifts, source in rows)


@cache
def local_names() -> tuple[str, ...]:
    """Return the names with another meaning on each machine or in each network."""
    return tuple(name for name, _source in table(__file__, "special_addresses")["local_names"])
