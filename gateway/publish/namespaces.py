"""Makes a payload stand alone: it declares its namespaces itself, and takes none from the elements around it. Pure."""

import re

from gateway.core import xmlio
from gateway.core.xmltext import escape_attribute

# Every quantifier is possessive. Otherwise a hostile payload could make the match take for ever.
_START_TAG = re.compile(rb"(?s)(?>(?:\s++|<!--.*?-->|<\?.*?\?>)*)<[^\s/>]++")
_WHOLE_START_TAG = re.compile(_START_TAG.pattern + rb"(?>(?:\s++[^\s=/>]++\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'))*)")
_DECLARED = re.compile(rb"\sxmlns(?::([^\s=]+))?\s*=")


def standing_alone(content: bytes, declarations: tuple[tuple[str, str], ...]) -> bytes:
    """Return a payload with those of `declarations` (prefix, URI) that it uses and does not declare itself.

    An XML declaration at its beginning is removed.
    """
    content = content.strip()
    if content.startswith(b"<?xml "):  # it would be illegal inside an answer
        content = content.partition(b"?>")[2].lstrip()
    tag = _WHOLE_START_TAG.match(content) if declarations else None
    if tag is None:
        return content
    # `declarations` are those of the whole record; one part may need a prefix that another part declares or does not
    # use.
    own = _declared(tag[0])
    names = "".join(
        f' xmlns{":" * bool(prefix)}{prefix}="{escape_attribute(uri)}"'
        for prefix, uri in declarations
        if prefix not in own and (not prefix or f"{prefix}:".encode() in content)
    )
    return _with(content, names.encode()) if names else content


def _declared(start_tag: bytes) -> set[str]:
    """Return the prefixes that a start tag declares; that of the default namespace is empty."""
    return {(match[1] or b"").decode() for match in _DECLARED.finditer(start_tag)}


def _with(content: bytes, attributes: bytes) -> bytes:
    tag = _START_TAG.match(content)
    return content[: tag.end()] + attributes + content[tag.end() :] if tag else content


def guarded(content: bytes, root: xmlio.Element) -> bytes:
    """Return a payload that does not inherit the default namespace of our answers; `root` is its parsed root."""
    if None in root.nsmap or all("}" in element.tag for element in root.iter() if isinstance(element.tag, str)):
        return content
    tag = _WHOLE_START_TAG.match(content)
    return content if tag and "" in _declared(tag[0]) else _with(content, b' xmlns=""')
