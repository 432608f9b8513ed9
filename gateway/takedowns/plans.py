"""A takedown before it is carried out. Pure.

Its target is an item, a DOI, a file, an address or a host, read from what a person writes. A plan says what it would
touch; a protocol says what carries it out, which the application fills in.
"""

import re
from collections.abc import Callable
from typing import NamedTuple, Protocol

from gateway.core.addresses import address, uri_of
from gateway.core.errors import ConfigurationError
from gateway.core.states import State, of_takedown
from gateway.core.takedowns import Kind, Takedown, doi_of, place_of

_SHA256 = re.compile(r"(?i)(?:sha-?256[:=]?\s*)?([0-9a-f]{64})")
_HOST = re.compile(r"(\*\.)?([^\s/:@?#*]+\.[^\s/:@?#*]+)")
_SLASHES_OF_A_PATH = 3


def recognised(target: str, domain: str, source: str = "") -> Takedown:
    """Return the entry of a target; with `source` it is an identifier of that source (OAI-PMH 2.0 §2.4).

    Raise ConfigurationError for an invalid target.
    """
    text = target.strip()
    if source:
        return Takedown(Kind.UPSTREAM, text, source)
    if text.startswith(f"oai:{domain}:"):
        return Takedown(Kind.IDENTIFIER, text)
    for kind, read in _READERS:
        if value := read(text):
            return Takedown(kind, value)
    raise ConfigurationError(
        f"{target!r} is no identifier of this repository, DOI, URL (with * at its end: all that begin so), host or "
        "SHA-256. For an identifier of a source say --source NAME."
    )


def _digest(text: str) -> str:
    match = _SHA256.fullmatch(text)
    return match[1].lower() if match else ""


def _prefix(text: str) -> str:
    return place_of(text[:-1]) if text.endswith("*") and text.count("/") >= _SLASHES_OF_A_PATH else ""


def _url(text: str) -> str:
    return place_of(uri_of(text) or text)


def _host(text: str) -> str:
    match = None if text.startswith("oai:") else _HOST.fullmatch(text)
    host = place_of(address(f"http://{match[2]}/")).partition("/")[0] if match else ""
    return (match[1] or "") + host if match and host else ""


# The first that reads a target decides: the address of a DOI means the DOI.
_READERS: tuple[tuple[Kind, Callable[[str], str]], ...] = (
    (Kind.SHA256, _digest),
    (Kind.PREFIX, _prefix),
    (Kind.DOI, doi_of),
    (Kind.URL, _url),
    (Kind.HOST, _host),
)


class Plan(NamedTuple):
    """What an entry would touch, as far as it is known before all records are read.

    `items` are the items that become tombstones, or that have the file. `has_more`: there are more of them, or not all
    records could be read in time. Of an address, `hidden` are those of them that become tombstones. `files` are the
    SHA-256 of the files that are withdrawn. `before` is the same entry if it is in force already; `is_done`: what that
    one hits is withdrawn.
    """

    entry: Takedown
    items: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    has_more: bool = False
    before: Takedown | None = None
    is_done: bool = False
    hidden: tuple[str, ...] = ()


class Listed(NamedTuple):
    """An entry. `number` is its place in the file; `is_done`: everything that it hits is withdrawn.

    Of one that was removed, `is_done`: everything that it has withheld is published again.
    """

    entry: Takedown
    number: int
    is_done: bool

    @property
    def state(self) -> State:
        """How the takedown stands."""
        hits = len(self.entry.items) + len(self.entry.files) + len(self.entry.addresses)
        return of_takedown(is_removed=bool(self.entry.removed_at), is_done=self.is_done, hits=hits)

    @property
    def place(self) -> tuple[str, int]:
        """The place in the list, which begins with the highest one."""
        return self.entry.at, self.number


class Withdrawals(Protocol):
    """The list of takedowns of an instance. Every method may raise StoreError."""

    def plan(self, entry: Takedown, item: str = "") -> Plan:
        """Return what an entry would touch; nothing is changed.

        If it names an address, records are read for some seconds, and that of `item` in any case.
        """
        ...

    def add(self, entry: Takedown) -> bool:
        """Put an entry on the list, and carry the list out; return whether that was done within some seconds.

        The entry counts at once: nothing that is published later has what it names. The rest goes on in this process;
        after a kill, the next `harvester tend` does it.
        """
        ...

    def listed(self, *, with_removed: bool = False) -> tuple[Listed, ...]:
        """Return the entries in force, and the removed ones if they are wanted, the newest first."""
        ...

    def has_open_erasure(self) -> bool:
        """Return whether the files of the store still have what was taken down, because somebody reads an old state."""
        ...

    def damaged(self) -> int:
        """Return how many damaged blocks of the store may still have what the entries in force have withdrawn."""
        ...
