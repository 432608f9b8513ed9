"""XML as trees: the one hardened parser, element helpers, fragment checks. Nobody else configures lxml.

No entity is resolved, no DTD loaded, no address opened. What is served never passes through here.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator
from copy import deepcopy
from typing import TypeAlias

from lxml import etree

from gateway.errors import NotXml

Element: TypeAlias = etree._Element  # noqa: SLF001 - lxml has no other name for it

MAX_BYTES = 200_000_000  # one payload; what the network may bring has its own limit
MAX_MEMORY = 120_000_000  # of one payload as a tree; the page that it stands in, and what is made of it, need as much
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


def pull_parser(tag: str) -> etree.XMLPullParser:
    """Return a parser of the same kind that is fed part by part, and tells where each element of this name ends."""
    return etree.XMLPullParser(
        events=("end",), tag=tag, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True
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
    # Whoever nests deeper has as many closing tags; counting them costs nothing, walking does.
    if content.count(b"</") > MAX_DEPTH and depth_of(root) > MAX_DEPTH:
        raise NotXml(f"Its elements are nested deeper than {MAX_DEPTH}, which the parsers of harvesters refuse.")
    return root


# Bytes of which no markup makes a tree near any limit: an element and its text take five bytes at least. A page of 500
# records has one million; to count in each of them took 4 % of a harvest.
_LIGHT = 1_800_000
_NODE, _ATTRIBUTE = 128, 224  # bytes that libxml2 takes for an element or a text, and for an attribute with its value


def memory_of(content: bytes, element: int = _NODE, least: int = _LIGHT) -> int:
    """Return how many bytes of memory a document and its tree take at most; 0 for one of less than `least` bytes.

    `element` is what each element takes, with what else is made of it. Counting costs a hundredth of parsing.
    """
    if len(content) < least:
        return 0
    tags, ends = content.count(b"<"), content.count(b"</")
    texts = tags - content.count(b"><")
    quotes = content.count(b'"') + content.count(b"'")
    attributes = min(content.count(b"="), quotes // 2)
    return 2 * len(content) + element * (tags - ends) + _NODE * texts + _ATTRIBUTE * attributes


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


def outermost(root: Element, namespaces: Collection[str], names: Collection[str]) -> Iterator[Element]:
    """Return the elements of these namespaces and local names, but none inside another: each text is read once."""
    walk = etree.iterwalk(root, events=("start",))
    for _, each in walk:
        namespace, name = name_of(each)
        if name in names and namespace in namespaces:
            yield each
            walk.skip_subtree()


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
