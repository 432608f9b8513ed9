"""Slows down who fails to sign in: a name, and a network. Failures are in the database, for all processes.

A network is slowed down for all names. A name is slowed down for all networks, except those from which its user has
signed in before: there it is counted apart. So nobody can keep a user out by failing on purpose from elsewhere.
Failures of 10,000 names and networks are counted.
"""

from hashlib import blake2b
from ipaddress import IPv4Address, ip_address, ip_network
from typing import NamedTuple

from gateway.core.model import Account, name_key
from gateway.store.base import Slowing, Users

FAILURES = "failed sign-ins"  # the purpose of the key
SLOWING = Slowing()
_PREFIX = 64  # bits of an IPv6 address


class Counted(NamedTuple):
    """An attempt to sign in: the seconds to wait, 0: it was counted, and the password may be checked.

    `is_slowed`: with this attempt, failures begin to slow sign-ins down. It was counted under the keys `of_name` and
    `of_network`; which those are changes when the user signs in from a new network.
    """

    wait: int
    is_slowed: bool
    of_name: str
    of_network: str


class Throttle:
    """The failures to sign in of an instance. Names are stored as keyed hashes: people type passwords as names."""

    def __init__(self, users: Users, key: bytes, slowing: Slowing = SLOWING) -> None:
        self._users, self._key, self._slowing = users, key, slowing

    def attempt(self, name: str, account: Account | None, network: str, now: int) -> Counted:
        """Count an attempt as a failure, before the password is checked; or say how long to wait.

        A name without a user (`account` is None) is treated alike. Raise StoreError.
        """
        number = account.number if account else 0
        apart = network if self._users.knows_network(number, network, now) else ""
        keys = self._digest("name", name_key(name), apart), self._digest("network", network)
        return Counted(*self._users.attempt(keys, now, self._slowing), *keys)

    def forgive(self, attempt: Counted) -> None:
        """Take the failure of an attempt back, because the password could not be checked."""
        self._users.forgive((attempt.of_name, attempt.of_network))

    def succeeded(self, attempt: Counted) -> None:
        """Forget the failures of a name here. Those of the network stay, without this attempt: others share it."""
        self._users.forget_failures(attempt.of_name)
        self._users.forgive((attempt.of_network,))

    def forget(self, name: str) -> None:
        """Forget the failures of a name: its user has a new password."""
        self._users.forget_failures(self._digest("name", name_key(name)))

    def _digest(self, *parts: str) -> str:
        text = "\0".join(filter(None, parts)).encode("utf-8", "surrogatepass")
        return blake2b(text, key=self._key, digest_size=20).hexdigest()


def network_of(address: str) -> str:
    """Return the network by which sign-ins are counted: an IPv4 address alone, or the /64 of an IPv6 address.

    Many people can share an IPv4 /24, and one of them must not lock out the others. One IPv6 customer has a whole /64.
    An empty string stands for an unknown address, such as that of a Unix socket.
    """
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    parsed = getattr(parsed, "ipv4_mapped", None) or parsed
    if isinstance(parsed, IPv4Address):
        return str(parsed)
    return str(ip_network((parsed, _PREFIX), strict=False))
