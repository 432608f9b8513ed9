"""XML as trees: the one hardened parser, element helpers, fragment checks. Nobody else configures lxml.

No entity is resolved, no DTD loaded, no address opened. What is served never passes through here.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from copy import deepcopy
from typing import TypeAlias

from lxml import etree

from gateway.errors import NotXml

Element: TypeAlias = etree._Element  # noqa: SLF001 - lxml has no other name for it

MAX_BYTES = 200_000_000  # one payload or page; what the network may bring has its own limit
MAX_DEPTH = 200  # libxml2 reads 256, and the envelope and a DIDL stand around what we re-expose


def hardened_parser(*, recover: bool = False, encoding: str | None = None) -> etree.XMLParser:
    """Return a new parser of the one kind that is used here. `recover` reads what it can of what is not well-formed."""
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=True,  # and never collect_ids=False: libxml2 2.14 then opens external DTDs, from our disk too
        recover=recover,
        encoding=encoding,
    )


class _Parsers(threading.local):
    """One parser a thread: lxml's are not shared between threads without a lock."""

    def __init__(self) -> None:
        self.strict = hardened_parser()


_parsers = _Parsers()


def parse(content: bytes, max_bytes: int = MAX_BYTES) -> Element:
    """Return the root of a document. Raise NotXml when it is not well-formed, too large, too deep or has a DTD."""
    if len(content) > max_bytes:
        raise NotXml(f"The document has {len(content)} bytes, more than the {max_bytes} that are read.")
    try:
        root = etree.fromstring(content, _parsers.strict)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise NotXml(f"It is not well-formed XML: {error}.") from error
    if b"<!DOCTYPE" in content and root.getroottree().docinfo.internalDTD is not None:
        raise NotXml("The document has a document type declaration, which could hide entities.")
    # Whoever nests deeper has as many closing tags; counting them costs nothing, walking does.
    if content.count(b"</") > MAX_DEPTH and depth_of(root) > MAX_DEPTH:
        raise NotXml(f"Its elements are nested deeper than {MAX_DEPTH}, which the parsers of harvesters refuse.")
    return root


def depth_of(root: Element) -> int:
    """Return how deep the elements below `root` are nested; `root` alone is 1."""
    deepest = depth = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        deepest = max(deepest, depth)
    return deepest


def name_of(element: Element) -> tuple[str, str]:
    """Return (namespace, local name) of an element; both empty for a comment or a processing instruction."""
    tag = element.tag
    if not isinstance(tag, str):
        return "", ""
    if tag[0] == "{":
        namespace, _, local = tag[1:].partition("}")
        return namespace, local
    return "", tag


def text_of(element: Element) -> str:
    """Return all text in an element, its descendants' included, with white space folded."""
    text = "".join(map(str, element.itertext())) if len(element) else element.text or ""
    return " ".join(text.split())


def children(element: Element) -> Iterator[Element]:
    """Return the child elements, without comments and processing instructions."""
    return element.iterchildren(etree.Element)


def renamed(root: Element, namespace: str, other: str) -> Element:
    """Return the same tree with the elements of one namespace, or of none, in another."""
    same = deepcopy(root)
    before = f"{{{namespace}}}*" if namespace else "{}*"
    for each in list(same.iter(before)):
        each.tag = f"{{{other}}}{name_of(each)[1]}"
    return same
