"""Answers of OAI-PMH 1.0 and 1.1, arranged as in 2.0, so that other modules read one protocol. Pure.

In 1.x the verb is the root and contains responseDate and requestURL. The record has the status deleted, not its header.
An empty list stands for an error of 2.0. Only the tree is changed, not the bytes.
"""

import re
from itertools import islice

from lxml import etree

from gateway.core.xmltext import OAI_PMH

VERBS = "GetRecord|Identify|ListIdentifiers|ListMetadataFormats|ListRecords|ListSets"
_TAG = re.compile(rf"\{{http://www\.openarchives\.org/OAI/(1\.[01])/OAI_(?:{VERBS})\}}({VERBS})")
LIFTED = ("responseDate", "requestURL")

# The error of 2.0 where the verb of 1.x is empty.
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
    """Return `1.0` or `1.1` for an answer whose root is, or contains, a verb of 1.x; else an empty text."""
    verb = _verb(root)
    match = None if verb is None else _TAG.fullmatch(str(verb.tag))
    return match[1] if match else ""


def arranged(root: etree._Element) -> etree._Element:
    """Return the tree of an answer of 1.x, rearranged in place as one of 2.0."""
    verb = _verb(root)
    assert verb is not None  # `version_of` found it
    outer = root
    if verb is root:
        outer = etree.Element("OAI-PMH")
        outer.append(verb)
    lifted = [child for child in verb if _local(child) in LIFTED]
    outer.extend(lifted)
    for record in verb.iterchildren("{*}record"):
        for header in record.iterchildren("{*}header"):
            header.set("status", record.get("status") or header.get("status") or "")
    if not _says_something(verb, lifted):
        _as_error(outer, verb)
    return outer


def _verb(root: etree._Element) -> etree._Element | None:
    return next((element for element in (root, *islice(root, 1)) if _TAG.fullmatch(str(element.tag))), None)


def _local(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _says_something(verb: etree._Element, lifted: list[etree._Element]) -> bool:
    """Return whether the verb has content, or is the empty last page of a list."""
    is_continued = any("resumptionToken=" in (element.text or "") for element in lifted)
    return is_continued or _local(verb) not in _NOTHING or any(isinstance(element.tag, str) for element in verb)


def _as_error(outer: etree._Element, verb: etree._Element) -> None:
    code, sentence = _NOTHING[_local(verb)]
    error = etree.SubElement(outer, "error", code=code)
    error.text = sentence
    outer.remove(verb)
