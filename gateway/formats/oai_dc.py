"""`oai_dc`: unqualified Dublin Core, which every item has (OAI-PMH 2.0 §2.5; oai_dc.xsd).

What arrives valid is carried as it came. What is not is made again from the statements that can be read in it.
"""

from __future__ import annotations

import re

from gateway.formats import MetadataFormat
from gateway.formats._statements import ELEMENTS, work_of
from gateway.model import Statement, Work
from gateway.xmlio import Element, text_of
from gateway.xmltext import DC, OAI_DC, XML, XSI, clean, escape, escape_attribute

SCHEMA = "http://www.openarchives.org/OAI/2.0/oai_dc.xsd"

_ROOT = f"{{{OAI_DC}}}dc"
_LANGUAGE = f"{{{XML}}}lang"
_BY_TAG = {f"{{{DC}}}{name}": name for name in ELEMENTS}
_ROOT_ATTRIBUTES = frozenset({f"{{{XSI}}}schemaLocation", f"{{{XSI}}}noNamespaceSchemaLocation"})
_LANGUAGE_TAG = re.compile(r"[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*")  # xs:language
_OPENING = (
    f'<oai_dc:dc xmlns:oai_dc="{OAI_DC}" xmlns:dc="{DC}" xmlns:xsi="{XSI}" xsi:schemaLocation="{OAI_DC} {SCHEMA}">'
)


def read(root: Element, content: bytes) -> Work | None:
    """Read a payload; `Work.oai_dc` keeps its bytes when the schema allows everything in it."""
    if root.tag != _ROOT:
        return None
    is_valid = _is_frame_valid(root)
    statements = []
    for child in root:
        tag = child.tag
        element = _BY_TAG.get(tag)  # a comment has a function for its tag, which is no key
        if element is None:
            is_valid = is_valid and not isinstance(tag, str) and not (child.tail or "").strip()
            continue
        language = ""
        if attributes := child.keys():  # unlike `attrib` it makes no object of its own
            language = child.get(_LANGUAGE, "")
            is_valid = is_valid and len(attributes) == 1 and _LANGUAGE_TAG.fullmatch(language) is not None
        if len(child):
            is_valid = is_valid and not any(isinstance(inner.tag, str) for inner in child)
            text = text_of(child)
        else:
            text = " ".join((child.text or "").split())
        if is_valid and (tail := child.tail) and tail.strip():
            is_valid = False
        if text:
            statements.append(Statement(element, text, language))
    return work_of(tuple(statements), oai_dc=content if is_valid else b"")


def _is_frame_valid(root: Element) -> bool:
    return _ROOT_ATTRIBUTES.issuperset(root.attrib) and not (root.text or "").strip()


def write(work: Work) -> bytes:
    """Return the oai_dc of a work: as it arrived, or made of its statements."""
    if work.oai_dc:
        return work.oai_dc
    return f"{_OPENING}{''.join(map(_element, work.statements))}</oai_dc:dc>".encode()


def _element(statement: Statement) -> str:
    name, text, language = statement
    attribute = ""
    if language and _LANGUAGE_TAG.fullmatch(language):
        attribute = f' xml:lang="{escape_attribute(language)}"'
    return f"<dc:{name}{attribute}>{escape(clean(text))}</dc:{name}>"


FORMAT = MetadataFormat(
    metadata_prefix="oai_dc", schema=SCHEMA, namespaces=(OAI_DC,), version=1, rank=10, read=read, write=write
)
