"""Counts the records of recorded pages again, by other means than the harvester's: what must come out in the end.

A page that lxml reads is counted in its tree; one that no strict parser reads is counted by its header tags.
"""

import html
import re
from functools import cache
from typing import NamedTuple

from lxml import etree

_HEADER = re.compile(rb"<(?:\w+:)?header\b([^>]*)>(.*?)</(?:\w+:)?header\s*>", re.DOTALL)
_IDENTIFIER = re.compile(rb"<(?:\w+:)?identifier\b[^>]*>(.*?)</", re.DOTALL)
_PARSER = etree.XMLParser(huge_tree=True, resolve_entities=False)


class Counted(NamedTuple):
    """One record of a page. `payload` is its metadata's only element, None when it was not read by a strict parser."""

    identifier: str
    is_deleted: bool
    payload: etree._Element | None


@cache
def counted(body: bytes) -> list[Counted]:
    """Return the records of a ListRecords answer in their order."""
    try:
        root = etree.fromstring(body, _PARSER)
    except etree.XMLSyntaxError:
        return [_by_tags(*match.groups()) for match in _HEADER.finditer(body)]
    return [_by_tree(record) for record in root.iterfind("{*}ListRecords/{*}record")]


def _by_tree(record: etree._Element) -> Counted:
    header = record.find("{*}header")
    identifier = "" if header is None else (header.findtext("{*}identifier") or "")
    payloads = [child for child in record.iterfind("{*}metadata/*") if isinstance(child.tag, str)]
    return Counted(
        " ".join(identifier.split()),
        header is not None and header.get("status") == "deleted",
        payloads[0] if len(payloads) == 1 else None,
    )


def _by_tags(attributes: bytes, content: bytes) -> Counted:
    match = _IDENTIFIER.search(content)
    identifier = html.unescape(match[1].decode(errors="replace")).strip() if match else ""
    return Counted(identifier, b"deleted" in attributes, None)


def same(one: etree._Element, other: etree._Element) -> bool:
    """Tell whether two elements say the same: names, attributes, text and children, whatever their prefixes."""
    if one.tag != other.tag or dict(one.attrib) != dict(other.attrib) or (one.text or "") != (other.text or ""):  # type: ignore[misc]
        return False
    if len(one) != len(other):
        return False
    pairs = zip(one, other, strict=True)
    return all((first.tail or "") == (second.tail or "") and same(first, second) for first, second in pairs)
