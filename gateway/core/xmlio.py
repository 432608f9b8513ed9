"""XML as trees: the hardened parser, functions on elements, and checks of fragments. No other module configures lxml.

No entity is resolved, no DTD is loaded, and no address is opened. Serving an answer uses nothing of this module.
"""

import threading
from collections.abc import Iterator
from copy import deepcopy
from typing import TypeAlias

from lxml import etree

from gateway.core.errors import NotXml

Element: TypeAlias = etree._Element  # noqa: SLF001 - lxml has no other name for it

MAX_BYTES = 200_000_000  # of one payload; answers of the network have a limit of their own
MAX_MEMORY = 120_000_000  # of one payload as a tree; its page, and the records made of it, need as much again
MAX_DEPTH = 200  # libxml2 reads 256, and the payload is served inside the elements of an answer and of a DIDL


def hardened_parser(*, recover: bool = False, encoding: str | None = None) -> etree.XMLParser:
    """Return a new hardened parser. With `recover`, it reads as much as it can of XML that is not well-formed."""
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=True,  # and never collect_ids=False: libxml2 2.14 then opens external DTDs, from our disk too
        recover=recover,
        encoding=encoding,
    )


def page_parser(encoding: str) -> etree.HTMLParser | None:
    """Return a new parser for HTML pages; None if libxml2 does not support the encoding."""
    try:
        return etree.HTMLParser(encoding=encoding, no_network=True, huge_tree=True)
    except LookupError:
        return None


def pull_parser(tag: str) -> etree.XMLPullParser:
    """Return a hardened parser that is fed part by part, with an event at the end of each element called `tag`."""
    return etree.XMLPullParser(
        events=("end",), tag=tag, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True
    )


class _Parsers(threading.local):
    """One parser per thread: parsers of lxml that are shared between threads wait for each other."""

    def __init__(self) -> None:
        self.strict = hardened_parser()


_parsers = _Parsers()


def parse(content: bytes, max_bytes: int = MAX_BYTES) -> Element:
    """Return the root of a document. Raise NotXml if it is not well-formed, too large, too deep, or has a DTD."""
    if len(content) > max_bytes:
        raise NotXml(f"The document has {len(content)} bytes, more than the {max_bytes} that are read.")
    if (needed := memory_of(content)) > MAX_MEMORY:
        raise NotXml(
            f"It needs {needed >> 20} MiB of memory, more than the {MAX_MEMORY >> 20} MiB that one record may."
        )
    try:
        root = etree.fromstring(content, _parsers.strict)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise NotXml(f"It is not well-formed XML: {error}.") from error
    if b"<!DOCTYPE" in content and root.getroottree().docinfo.internalDTD is not None:
        raise NotXml("The document has a document type declaration, which could hide entities.")
    # A deeper document has at least as many end tags; counting them is cheap, and walking the tree is not.
    if content.count(b"</") > MAX_DEPTH and depth_of(root) > MAX_DEPTH:
        raise NotXml(f"Its elements are nested deeper than {MAX_DEPTH}, which the parsers of harvesters refuse.")
    return root


# A document with fewer bytes stays below every limit: an element and its text take at least five bytes. A page of 500
# records has a million bytes. Counting in all of them took 4 % of the time of a harvest.
_LIGHT = 1_800_000
_NODE, _ATTRIBUTE = 128, 224  # bytes that libxml2 needs for an element or a text, and for an attribute with its value


def memory_of(content: bytes, element: int = _NODE, least: int = _LIGHT) -> int:
    """Return how many bytes of memory a document and its tree need at most; 0 if it has less than `least` bytes.

    `element` is the number of bytes per element, with everything that is made of it. Counting takes a hundredth of the
    time of parsing.
    """
    if len(content) < least:
        return 0
    tags, ends = content.count(b"<"), content.count(b"</")
    texts = tags - content.count(b"><")
    quotes = content.count(b'"') + content.count(b"'")
    attributes = min(content.count(b"="), quotes // 2)
    return 2 * len(content) + element * (tags - ends) + _NODE * texts + _ATTRIBUTE * attributes


def depth_of(root: Element) -> int:
    """Return the depth of the tree; `root` alone has the depth 1."""
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
    """Return all text in an element and its descendants, with white space folded."""
    text = "".join(map(str, element.itertext())) if len(element) else element.text or ""
    return " ".join(text.split())


def children(element: Element) -> Iterator[Element]:
    """Yield the child elements, without comments and processing instructions."""
    return element.iterchildren(etree.Element)


def renamed(root: Element, namespace: str, other: str) -> Element:
    """Return a copy of the tree in which the elements of one namespace (empty: of none) are in the other one."""
    same = deepcopy(root)
    before = f"{{{namespace}}}*" if namespace else "{}*"
    for element in list(same.iter(before)):
        element.tag = f"{{{other}}}{name_of(element)[1]}"
    return same
