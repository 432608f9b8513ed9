"""One Component, and the statements that DIDL (ISO/IEC 21000-2) and METS documents share. Pure.

A Component is one datastream: its equivalent locations, or its bytes when the document carries them, and the statements
of the document. A value that is not stated is empty or None, never guessed.
"""

import base64
import binascii
import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from gateway.core.addresses import address, is_address
from gateway.core.digests import GATEWAY, Digests, digest, is_strong, unread
from gateway.core.xmlio import Element, children, name_of, text_of

_MOST_DIGESTS = 100  # that are stated of one file
_MOST_UNREAD = 5  # unreadable digests of one file that are reported
_SIZE = re.compile(r"(\d{1,15})")
_EXTENT = re.compile(r"(?i)(\d{1,15})\s*(?:bytes?|octets?)")


class Component(NamedTuple):
    """One datastream of a complex object. `content` is None when it is delivered By-Reference.

    By-Value content may be XML (`is_markup`), which was serialised again, or invalid (`is_broken`): then it is None.
    """

    locations: tuple[str, ...] = ()  # as in the document, also relative ones; equivalent
    content: bytes | None = None
    mime_type: str = ""
    identifier: str = ""
    type: str = ""  # a semantic type, or a role, or the USE of a fileGrp (METS)
    size: int | None = None  # bytes
    digests: Digests = ()
    modified: str = ""
    is_markup: bool = False
    is_broken: bool = False
    unread: tuple[str, ...] = ()  # stated digests that cannot be read or contradict another
    computed: tuple[str, ...] = ()  # algorithms of digests that a gateway computed

    @property
    def decisive(self) -> Digests:
        """The digests that bytes must have: those of the source take precedence over those that a gateway computed."""
        stated = tuple(digest for digest in self.digests if digest[0] not in self.computed)
        return stated if is_strong(stated) else self.digests

    @property
    def is_by_value(self) -> bool:
        """Return whether the document carries its bytes; also when they are invalid and there is no location."""
        return self.content is not None or (self.is_broken and not self.locations)

    @property
    def says_something(self) -> bool:
        """Return whether it has content or a location."""
        return bool(self.locations) or self.is_by_value

    @property
    def addresses(self) -> tuple[str, ...]:
        """The locations that are HTTP addresses, correctly escaped."""
        return tuple(legal for location in self.locations if is_address(legal := address(location)))


def whole_number(text: str) -> int | None:
    """Return a number of bytes, or None."""
    match = _SIZE.fullmatch(text.strip())
    return int(match[1]) if match else None


def extent(text: str) -> int | None:
    """Return the bytes in a dcterms:extent; None when its unit is not bytes."""
    match = _EXTENT.fullmatch(text.strip())
    return int(match[1]) if match else None


def decoded(text: str) -> bytes | None:
    """Return the bytes of a base64 text (RFC 4648), white space ignored; None when it is invalid."""
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return None


def with_premis(component: Component, holder: Element) -> Component:
    """Return the Component with the fixity and the size in PREMIS, of any version, below `holder`."""
    for fixity in islice(_named(holder, "fixity"), max(0, _MOST_DIGESTS - len(component.digests))):
        parts = {name_of(child)[1]: text_of(child) for child in children(fixity)}
        stated = parts.get("messageDigestAlgorithm", ""), parts.get("messageDigest", "")
        digest_, component = digest(*stated), with_unread(component, *stated)
        computed = tuple(name for name, _ in digest_ if parts.get("messageDigestOriginator") == GATEWAY)
        component = component._replace(
            digests=component.digests + digest_, computed=tuple(dict.fromkeys(component.computed + computed))
        )
    size = next((whole_number(text_of(element)) for element in _named(holder, "size")), None)
    return component._replace(size=component.size if component.size is not None else size)


def with_unread(component: Component, algorithm: str, value: str) -> Component:
    """Return the Component; a stated digest that cannot be read is noted."""
    unread_digest = unread(algorithm, value)
    is_new = unread_digest and unread_digest not in component.unread and len(component.unread) < _MOST_UNREAD
    return component._replace(unread=(*component.unread, unread_digest)) if is_new else component


def _named(holder: Element, local: str) -> Iterator[Element]:
    return (element for element in holder.iter(f"{{*}}{local}") if "premis" in name_of(element)[0])
