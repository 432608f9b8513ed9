"""A payload cut from its answer stands alone: it takes no namespace from what stands around it, there or here. Pure."""

from __future__ import annotations

import re

from gateway import xmlio
from gateway.xmltext import escape_attribute

# Every quantifier is possessive: a payload that is made for it could take for ever otherwise.
_START_TAG = re.compile(rb"(?s)(?:\s++|<!--.*?-->|<\?.*?\?>)*+<[^\s/>]++")
_WHOLE_START_TAG = re.compile(
    _START_TAG.pattern + rb"(?:\s++[^\s=/>]++\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'))*+",
)
_DECLARED = re.compile(rb"\sxmlns(?::([^\s=]+))?\s*=")


def standing_alone(content: bytes, declarations: tuple[tuple[str, str], ...]) -> bytes:
    """Return a payload with the declarations that it took from what stood around it."""
    content = content.strip()
    if content.startswith(b"<?xml "):  # a declaration can stand nowhere in an answer of ours
        content = content.partition(b"?>")[2].lstrip()
    tag = _WHOLE_START_TAG.match(content) if declarations else None
    if tag is None:
        return content
    # They are the whole record's: of two parts, one may need what the other declares itself, or does not use.
    own = _declared(tag[0])
    names = "".join(
        f' xmlns{":" * bool(prefix)}{prefix}="{escape_attribute(uri)}"'
        for prefix, uri in declarations
        if prefix not in own and (not prefix or f"{prefix}:".encode() in content)
    )
    return _with(content, names.encode()) if names else content


def _declared(start_tag: bytes) -> set[str]:
    """Return the prefixes that a start tag declares; the default namespace's is empty."""
    return {(match[1] or b"").decode() for match in _DECLARED.finditer(start_tag)}


def _with(content: bytes, attributes: bytes) -> bytes:
    tag = _START_TAG.match(content)
    return content[: tag.end()] + attributes + content[tag.end() :] if tag else content


def guarded(content: bytes, root: xmlio.Element) -> bytes:
    """Return a payload that would not take up our envelope's default namespace, even where it has none."""
    if None in root.nsmap or all("}" in each.tag for each in root.iter() if isinstance(each.tag, str)):
        return content
    tag = _WHOLE_START_TAG.match(content)
    return content if tag and "" in _declared(tag[0]) else _with(content, b' xmlns=""')
