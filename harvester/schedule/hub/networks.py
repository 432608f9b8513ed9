"""Divides the threads of a round among the networks of subscribers: a slow network must not delay the others.

A network is that of the callback, and that from which the subscription was asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from time import monotonic
from typing import Final, TypeAlias

from gateway.core.address_rules import class_of, parse_address
from gateway.core.special_addresses import PUBLIC
from gateway.hub.callbacks import network_of
from harvester.schedule.hub.messages import host_of

Networks: TypeAlias = tuple[str, ...]

# With the deadline of a call, a round then takes 20 seconds because of one network, and the next one begins at once.
_CALL_SECONDS: Final = 5.0
_SHARE: Final = 4  # one network has a quarter of the threads
_LABELS: Final = 2  # of a name; subdomains cost nothing
_SECOND_LEVEL: Final = ("ac", "co", "com", "edu", "gob", "gov", "gv", "net", "or", "org")  # `ac.uk`, `edu.au`
_COUNTRY_LETTERS: Final = 2


def networks_of(callback: str, asked_from: str = "") -> Networks:
    """Return the networks of a subscription: of its callback, and the one from which it was asked for, if public.

    That of a name is its registered domain, as far as can be seen. A network that is not public is that of a proxy.
    """
    host = host_of(callback)
    networks = {network_of(host) or _domain(host)}
    if asked_from and class_of(parse_address(asked_from.partition("/")[0])) == PUBLIC:
        networks.add(asked_from)
    return tuple(sorted(networks))


def _domain(host: str) -> str:
    labels = host.lower().rstrip(".").split(".")
    is_deep = len(labels[-1]) == _COUNTRY_LETTERS and labels[-2:-1] and labels[-2] in _SECOND_LEVEL
    return ".".join(labels[-_LABELS - bool(is_deep) :])


class Shares:
    """What the networks have of one round: some threads, and some seconds. One thread uses it."""

    def __init__(self, threads: int, clock: Callable[[], float] = monotonic) -> None:
        """Take the number of threads; `clock` returns seconds."""
        self.threads = threads
        self._most, self._clock = max(1, threads // _SHARE), clock
        self._running: Counter[str] = Counter()
        self._begun: dict[str, float] = {}

    def is_over(self, networks: Networks) -> bool:
        """Return whether one of the networks has had its seconds: the rest of its calls is for the next round."""
        now = self._clock()
        return any(now - self._begun.get(network, now) >= _CALL_SECONDS for network in networks)

    def has_thread(self, networks: Networks) -> bool:
        """Return whether another call of these networks may begin now."""
        return all(self._running[network] < self._most for network in networks)

    def begin(self, networks: Networks) -> None:
        """Count a call that begins."""
        for network in networks:
            self._begun.setdefault(network, self._clock())
            self._running[network] += 1

    def end(self, networks: Networks) -> None:
        """Count a call that has ended."""
        self._running.subtract(networks)
