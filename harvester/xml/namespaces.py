"""Namespaces of a payload cut out of its page: the declarations that it needs, and repair of wrong ones. Pure.

Two faults make libxml2 refuse a whole page although only one record has them. They are a prefix without a declaration,
and a name that is not a URI (`http://ww w.w3.org/…`, seen with 499 good records around it). Both are repaired in the
bytes of the element that has them, and only there. See Namespaces in XML 1.0 §3, §5.
"""

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import quote
from xml.parsers import expat

from lxml import etree

from gateway.core.xmltext import DC, DCTERMS, DIDL, DII, OAI_DC, OAI_PMH, PROVENANCE, RDF, XSI, escape_attribute
from harvester.xml.parsing import CONTAINERS, feed, tag_end

_OWN = re.compile(rb"\sxmlns(?::([^\s=]+))?\s*=\s*(?:\"[^\"]*\"|'[^']*')")
# One attribute of a well-formed start tag, in their order.
_ATTRIBUTE = re.compile(rb"\s([^\s=/>\"']++)\s*+=\s*+(\"[^\"]*+\"|'[^']*+')")

# The usual meaning of prefixes that are used without a declaration.
_MEANT: Mapping[str, str] = {
    "dc": DC,
    "dcterms": DCTERMS,
    "dct": DCTERMS,
    "didl": DIDL,
    "dii": DII,
    "gco": "http://www.isotc211.org/2005/gco",
    "gmd": "http://www.isotc211.org/2005/gmd",
    "gml": "http://www.opengis.net/gml",
    "marc": "http://www.loc.gov/MARC21/slim",
    "mets": "http://www.loc.gov/METS/",
    "mods": "http://www.loc.gov/mods/v3",
    "oai": OAI_PMH,
    "oai_dc": OAI_DC,
    "oaiProvenance": PROVENANCE,
    "rdf": RDF,
    "xlink": "http://www.w3.org/1999/xlink",
    "xsi": XSI,
}
_RESERVED = ("xml", "xmlns")
_RECORD_LEVEL = 3


def own_prefixes(tag: bytes) -> frozenset[str]:
    """Return the prefixes that a start tag declares; the empty text is the default namespace."""
    return frozenset((match[1] or b"").decode("utf-8") for match in _OWN.finditer(tag))


def needed(
    payload: bytes, own: frozenset[str], scope: Mapping[str, str], *, uses_default: bool
) -> tuple[tuple[str, str], ...]:
    """Return the declarations of `scope` that `payload` needs and does not make on its own root.

    Any prefix before a colon counts as used, also in values such as `dcterms:W3CDTF`. An extra declaration does no
    harm. `uses_default` says whether the payload has elements in the inherited default namespace.
    """
    return tuple(
        (prefix, uri)
        for prefix, uri in scope.items()
        if prefix not in own and (prefix.encode() + b":" in payload if prefix else uses_default)
    )


@lru_cache(maxsize=512)
def _is_accepted(uri: str) -> bool:
    try:
        etree.fromstring(f'<a xmlns:p="{escape_attribute(uri)}"/>')
    except etree.XMLSyntaxError:
        return False
    return True


def _is_wrong(key: str, value: str) -> bool:
    """Return whether an attribute declares a namespace that libxml2 refuses: no URI, or a prefix without one."""
    return key.startswith("xmlns:") if not value else key.startswith("xmlns") and not _is_accepted(value)


def _mended_uri(prefix: str, uri: str) -> str:
    """Return the URI that was probably meant: without white space, percent-encoded, or the usual one of the prefix."""
    joined = "".join(uri.split())
    candidates = (joined, quote(joined, safe="%/:?#@!$&'()*+,;=~"))
    return next((candidate for candidate in candidates if candidate and _is_accepted(candidate)), _meant(prefix))


def _meant(prefix: str) -> str:
    return _MEANT.get(prefix) or "urn:x-undeclared:" + quote(prefix, safe="")


class _Mender:
    """Parses a document, tracks the scopes, and collects edits of its bytes."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.names: list[str] = []
        self.scopes: list[set[str]] = [set(_RESERVED)]
        self.declared = Counter(_RESERVED)  # how many of the scopes have each prefix
        self.starts: list[int] = []
        self.edits: list[tuple[int, int, bytes]] = []
        self.notes: dict[str, None] = {}
        self.record = 0
        self.anchor = 0  # level of the payload's root while inside one, else 0: the document's root
        self.parser = expat.ParserCreate("utf-8")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end

    def run(self) -> tuple[bytes, tuple[str, ...]]:
        feed(self.parser, self.data)
        parts, position = [], 0
        for start, stop, replacement in sorted(self.edits):
            parts += [self.data[position:start], replacement]
            position = stop
        return b"".join([*parts, self.data[position:]]), tuple(self.notes)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        level = len(self.names)
        self.record += level == _RECORD_LEVEL - 1 and name.rpartition(":")[2] == "record"
        if not self.anchor and level and self.names[-1].rpartition(":")[2] in CONTAINERS:
            self.anchor = level
        self.names.append(name)
        self.starts.append(self.parser.CurrentByteIndex)
        declared = {key[6:]: value for key, value in attributes.items() if key.startswith("xmlns:")}
        self.scopes.append(set(declared))
        self.declared.update(declared.keys())
        wrong = {key: value for key, value in attributes.items() if _is_wrong(key, value)}
        if wrong:
            self._replace(wrong)
        for used in (name, *attributes):
            prefix, colon, _ = used.partition(":")
            if colon and not self.declared[prefix]:
                self._declare(prefix)

    def _end(self, _: str) -> None:
        self.names.pop()
        self.starts.pop()
        self.declared.subtract(self.scopes.pop())
        if len(self.names) == self.anchor:
            self.anchor = 0

    def _replace(self, wrong: Mapping[str, str]) -> None:
        """Repair wrong declarations, given by attribute name, in the current start tag."""
        start = self.starts[-1]
        tag = self.data[start : tag_end(self.data, start)]
        for attribute in _ATTRIBUTE.finditer(tag):
            key = attribute[1].decode()
            if key in wrong:
                uri = _mended_uri(key.partition(":")[2], wrong[key])
                quoted = b'"' + escape_attribute(uri).encode() + b'"'
                self.edits.append((start + attribute.start(2), start + attribute.end(2), quoted))
                self._note(f"the namespace {wrong[key]!r} is not a URI; it was replaced by {uri}")

    def _declare(self, prefix: str) -> None:
        level = self.anchor
        at = self.starts[level] + 1 + len(self.names[level].encode())
        uri = _meant(prefix)
        self.edits.append((at, at, f' xmlns:{prefix}="{escape_attribute(uri)}"'.encode()))
        self.scopes[level + 1].add(prefix)
        self.declared[prefix] += 1
        self._note(f"the prefix {prefix!r} is not declared; {uri} was declared for it")

    def _note(self, sentence: str) -> None:
        place = f"Record {self.record} of the page" if self.anchor and self.record else "Around the records"
        self.notes[f"{place}: {sentence}."] = None


def mended(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Return well-formed UTF-8 `data` with repaired namespace declarations, and notes. Raise Broken otherwise."""
    return _Mender(data).run()
