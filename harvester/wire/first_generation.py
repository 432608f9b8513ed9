"""Answers of OAI-PMH 1.0 and 1.1, arranged as 2.0 has them, so that all else reads one protocol.

There the verb is the root, with responseDate and requestURL in it; a record is deleted, not its header; and an empty
list says what an error of the protocol says in 2.0. The bytes stay as they are: only the tree is arranged.
"""

from __future__ import annotations

import re
from itertools import islice

from lxml import etree

from gateway.xmltext import OAI_PMH

VERBS = "GetRecord|Identify|ListIdentifiers|ListMetadataFormats|ListRecords|ListSets"
_TAG = re.compile(rf"\{{http://www\.openarchives\.org/OAI/(1\.[01])/OAI_(?:{VERBS})\}}({VERBS})")
_LIFTED = ("responseDate", "requestURL")

# What 2.0 says where 1.x has nothing inside of the verb.
_NOTHING = {
    "GetRecord": ("idDoesNotExist", "There is no such record."),
    "ListIdentifiers": ("noRecordsMatch", "The list is empty."),
    "ListMetadataFormats": ("noMetadataFormats", "There are no formats."),
    "ListRecords": ("noRecordsMatch", "The list is empty."),
    "ListSets": ("noSetHierarchy", "There are no sets."),
}


def opening(prefix: str) -> str:
    """Return the start tag of a root around an answer of 1.x; `prefix` is that of its elements, with the colon."""
    declared = f"xmlns:{prefix[:-1]}" if prefix else "xmlns"
    return f'<{prefix}OAI-PMH {declared}="{OAI_PMH}">'


def version_of(root: etree._Element) -> str:
    """Return the version of an answer whose root is a verb of 1.x, or holds one; else nothing."""
    verb = _verb(root)
    found = None if verb is None else _TAG.fullmatch(str(verb.tag))
    return found[1] if found else ""


def arranged(root: etree._Element) -> etree._Element:
    """Return an answer of 1.x as the tree of one of 2.0."""
    verb = _verb(root)
    assert verb is not None  # its version was told from it
    outer = root
    if verb is root:
        outer = etree.Element("OAI-PMH")
        outer.append(verb)
    lifted = [child for child in verb if _local(child) in _LIFTED]
    outer.extend(lifted)
    for record in verb.iterchildren("{*}record"):
        for header in record.iterchildren("{*}header"):
            header.set("status", record.get("status") or header.get("status") or "")
    if not _says_something(verb, lifted):
        _as_error(outer, verb)
    return outer


def _verb(root: etree._Element) -> etree._Element | None:
    return next((each for each in (root, *islice(root, 1)) if _TAG.fullmatch(str(each.tag))), None)


def _local(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _says_something(verb: etree._Element, lifted: list[etree._Element]) -> bool:
    """Tell whether the verb has content, or is the empty last page of a list."""
    is_continued = any("resumptionToken=" in (each.text or "") for each in lifted)
    return is_continued or _local(verb) not in _NOTHING or any(isinstance(each.tag, str) for each in verb)


def _as_error(outer: etree._Element, verb: etree._Element) -> None:
    code, sentence = _NOTHING[_local(verb)]
    error = etree.SubElement(outer, "error", code=code)
    error.text = sentence
    outer.remove(verb)
