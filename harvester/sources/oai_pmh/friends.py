"""Which repositories a document names: the friends of an Identify, or the answer of a registry (ListFriends). Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from gateway.errors import NotXml
from gateway.xmlio import name_of
from gateway.xmltext import FRIENDS
from harvester.xml.decoding import decode
from harvester.xml.parsing import lenient
from harvester.xml.repair import legal_references

_DECLARATION = re.compile(r"\A\s*<\?xml[^>]{0,200}\?>")  # what it says of the encoding is past


class Friend(NamedTuple):
    """One repository: its base URL, and the name that a registry has for it; empty when there is none."""

    base_url: str
    name: str = ""


def parse(body: bytes, content_type: str = "") -> tuple[Friend, ...]:
    """Return the repositories that a document names, each once. Raise NotXml when it cannot be read."""
    text = _DECLARATION.sub("", decode(body, content_type).text)
    root, complaints = lenient(legal_references(text).encode("utf-8", "replace"))
    if root is None:
        raise NotXml(f"The answer is no XML: {'; '.join(complaints)}")
    by_url: dict[str, Friend] = {}
    for element in _named(root):
        url = (element.text or "").strip()
        if url.lower().startswith(("http://", "https://")):
            by_url.setdefault(url, Friend(url, (element.get("id") or "").strip()))
    return tuple(by_url.values())


def _named(root: etree._Element) -> Iterator[etree._Element]:
    """Return the elements that name repositories: all of a registry's answer, else what stands in `friends`."""
    if name_of(root)[1] == "BaseURLs":
        yield from root.iter("{*}baseURL")
    else:
        yield from (url for friends in root.iter(f"{{{FRIENDS}}}friends") for url in friends.iter("{*}baseURL"))
