"""How the identifier of an item is written in an address, and how it is read again. Pure.

The identifier comes last and as it is. Only `%` and `?` are escaped, and what RFC 3986 §3.3 does not allow in a path.
Slashes stay slashes: Apache refuses `%2F`, and other proxies decode it. Proxies may merge rows of slashes, so our own
spelling has single slashes, if no other item has it. Browsers resolve dot segments; an identifier with one is written
into the query.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote

_SAFE = "-_.!~*'();/:@&=+$,"
_ROW = re.compile(r"/{2,}")
_DOTS = re.compile(r"(?:^|/)\.{1,2}(?:/|$)")

# Of an identifier, the other items whose merged spelling is the same.
Rivals = Callable[[str], bool]


def merged(identifier: str) -> str:
    """Return an identifier in which each row of slashes is one slash."""
    return _ROW.sub("/", identifier)


def in_path(identifier: str) -> str:
    """Return an identifier as the end of a path."""
    return quote(identifier, safe=_SAFE)


def in_query(identifier: str) -> str:
    """Return an identifier as the value of an argument."""
    return quote(identifier, safe="-_.!~*'():/")


def address_of(folder: str, identifier: str, has_rivals: Rivals) -> str:
    """Return our spelling of the address of an item below a folder such as `/items/`.

    `has_rivals` says of an identifier with rows of slashes whether its merged spelling also means another item.
    """
    single = merged(identifier)
    if is_plain(single) and (single == identifier or not has_rivals(identifier)):
        return folder + in_path(single)
    return query_address(folder, identifier)


def plain_address(folder: str, identifier: str) -> str:
    """Return an address of an item that is right whatever other items there are: a row of slashes is in the query."""
    return address_of(folder, identifier, lambda _: True)


def query_address(folder: str, identifier: str) -> str:
    """Return an address that has the identifier in its query, where nothing changes it on the way."""
    return f"{folder}?identifier={in_query(identifier)}"


def is_plain(identifier: str) -> bool:
    """Return whether an identifier can stand in a path: browsers change dot segments (RFC 3986 §5.2.4)."""
    return not _DOTS.search(identifier)
