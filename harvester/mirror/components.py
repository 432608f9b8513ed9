"""The files that a complex object names, whatever document names them. Pure: bytes in, Components out.

A Component is one datastream: where it can be had (its locations are equivalent), or its bytes when the document
carries them, and what the document says of it. What is not said is empty or None, never guessed.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple, TypeAlias

from gateway.addresses import address, is_address
from gateway.digests import GATEWAY, Digests, digest, is_strong, unread
from gateway.errors import GatewayError, UnusableRecord, unforeseen
from gateway.xmlio import Element, children, name_of, parse, text_of

OBJECT_FILE = "info:eu-repo/semantics/objectFile"
START_PAGE = "info:eu-repo/semantics/humanStartPage"
METADATA = "info:eu-repo/semantics/descriptiveMetadata"
_SEMANTICS = "info:eu-repo/semantics/"


class Component(NamedTuple):
    """One datastream of a complex object. `content` is None when it is delivered By-Reference.

    Delivered By-Value it may be markup, which was written anew, or broken: then there is no content to be had.
    """

    locations: tuple[str, ...] = ()  # as the document has them, relative ones too; equivalent
    content: bytes | None = None
    mime_type: str = ""
    identifier: str = ""
    type: str = ""  # a semantic type, or the document's own word: a role, the USE of a fileGrp
    size: int | None = None  # bytes
    digests: Digests = ()
    modified: str = ""
    is_markup: bool = False
    is_broken: bool = False
    unread: tuple[str, ...] = ()  # digests that are stated and cannot be read, and those that contradict another
    computed: tuple[str, ...] = ()  # algorithms of the digests that a gateway computed when it fetched the file

    @property
    def decisive(self) -> Digests:
        """The digests that bytes must have: what a gateway computed yields to what its source states of the file."""
        said = tuple(each for each in self.digests if each[0] not in self.computed)
        return said if is_strong(said) else self.digests

    @property
    def is_by_value(self) -> bool:
        """Tell whether the document carries its bytes, or should: what is broken may still be had elsewhere."""
        return self.content is not None or (self.is_broken and not self.locations)

    @property
    def says_something(self) -> bool:
        """Tell whether it holds or names anything."""
        return bool(self.locations) or self.is_by_value

    @property
    def addresses(self) -> tuple[str, ...]:
        """The locations that can be asked for on the Web, legally written."""
        return tuple(legal for each in self.locations if is_address(legal := address(each)))


Reader: TypeAlias = Callable[[Element], Iterator[Component]]


def components(document: bytes) -> tuple[Component, ...]:
    """Return the Components of a DIDL or METS document, in its order.

    Raise NotXml when it is no XML, UnusableRecord when it is another kind of document.
    """
    root = parse(document)
    reader = _readers().get(name_of(root))
    if reader is None:
        namespace, local = name_of(root)
        raise UnusableRecord(f"It is no complex object that is known: its root is {local} of {namespace or 'nothing'}.")
    try:
        return tuple(reader(root))
    except GatewayError:
        raise
    except Exception as error:
        raise UnusableRecord(unforeseen(error)) from error


def files(found: Iterable[Component]) -> tuple[Component, ...]:
    """Return the Components that are to be kept as files, each location once: all but those for people to look at.

    Where a document tells its files by info:eu-repo types, what it refers to without one is a page too, whatever
    MIME type it is given (the Dutch profile begins with such a link).
    """
    everything = tuple(found)
    is_typed = any(each.type.startswith(_SEMANTICS) for each in everything)
    kept: dict[object, Component] = {}
    for each in everything:
        if each.is_by_value or not _is_page(each, is_typed=is_typed):
            kept.setdefault(each.locations or (each.identifier, each.content or len(kept)), each)
    return tuple(kept.values())


def _is_page(component: Component, *, is_typed: bool) -> bool:
    if component.type:
        return component.type == START_PAGE
    return is_typed or "html" in component.mime_type.lower()


def _readers() -> dict[tuple[str, str], Reader]:
    from harvester.mirror import didl, mets  # noqa: PLC0415 - they need what stands above

    return {
        **{(namespace, "DIDL"): didl.read for namespace in didl.NAMESPACES},
        **{(namespace, "mets"): mets.read for namespace in mets.NAMESPACES},
    }


# --- what both kinds of document say in the same way ----------------------------------------------------------------

_MOST_DIGESTS = 100  # that are stated of one file
_MOST_UNREAD = 5  # digests of one file that are kept, to be named
_SIZE = re.compile(r"(\d{1,15})")
_EXTENT = re.compile(r"(?i)(\d{1,15})\s*(?:bytes?|octets?)")


def whole_number(text: str) -> int | None:
    """Return a number of bytes, or None."""
    match = _SIZE.fullmatch(text.strip())
    return int(match[1]) if match else None


def extent(text: str) -> int | None:
    """Return the bytes that a dcterms:extent speaks of; None when it speaks of pages or minutes."""
    match = _EXTENT.fullmatch(text.strip())
    return int(match[1]) if match else None


def decoded(text: str) -> bytes | None:
    """Return what base64 stands for, white space ignored; None when it is no base64."""
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return None


def with_premis(component: Component, holder: Element) -> Component:
    """Return the Component with the fixity and size that PREMIS, of whichever version, states below `holder`."""
    for fixity in islice(_named(holder, "fixity"), max(0, _MOST_DIGESTS - len(component.digests))):
        parts = {name_of(each)[1]: text_of(each) for each in children(fixity)}
        told = parts.get("messageDigestAlgorithm", ""), parts.get("messageDigest", "")
        found, component = digest(*told), with_unread(component, *told)
        computed = tuple(name for name, _ in found if parts.get("messageDigestOriginator") == GATEWAY)
        component = component._replace(
            digests=component.digests + found, computed=tuple(dict.fromkeys(component.computed + computed))
        )
    size = next((whole_number(text_of(each)) for each in _named(holder, "size")), None)
    return component._replace(size=component.size if component.size is not None else size)


def with_unread(component: Component, algorithm: str, value: str) -> Component:
    """Return the Component with a digest noted that is stated and cannot be read."""
    told = unread(algorithm, value)
    is_new = told and told not in component.unread and len(component.unread) < _MOST_UNREAD
    return component._replace(unread=(*component.unread, told)) if is_new else component


def _named(holder: Element, local: str) -> Iterator[Element]:
    return (each for each in holder.iter(f"{{*}}{local}") if "premis" in name_of(each)[0])
