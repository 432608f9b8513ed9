"""`oai_dc`: unqualified Dublin Core, which every item has (OAI-PMH 2.0 §2.5; oai_dc.xsd).

What arrives valid is carried as it came. What is not is made again from the statements that can be read in it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from gateway.errors import NotXml
from gateway.formats import MetadataFormat
from gateway.formats._statements import ELEMENTS, work_of
from gateway.model import Statement, Work
from gateway.xmlio import Element, parse, text_of
from gateway.xmltext import DC, OAI_DC, XML, XSI, clean, escape, escape_attribute

SCHEMA = "http://www.openarchives.org/OAI/2.0/oai_dc.xsd"

_ROOT = f"{{{OAI_DC}}}dc"
_LANGUAGE = f"{{{XML}}}lang"
_BY_TAG = {f"{{{DC}}}{name}": name for name in ELEMENTS}
_ROOT_ATTRIBUTES = frozenset({f"{{{XSI}}}schemaLocation", f"{{{XSI}}}noNamespaceSchemaLocation"})
_LANGUAGE_TAG = re.compile(r"[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*")  # xs:language
_OPENING = (
    f'<oai_dc:dc xmlns:oai_dc="{OAI_DC}" xmlns:dc="{DC}" xmlns:xsi="{XSI}" xsi:schemaLocation="{OAI_DC} {SCHEMA}">'
)


_START_TAG = re.compile(r"<[^<>]+>")
_REFERENCES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&"))  # `&amp;` is the last
_CONTROLS = bytes(set(range(0x20)) - {*b"\t\r\n"})  # XML 1.0 §2.2; U+FFFE and U+FFFF are the only others in UTF-8
_STRANGE_REFERENCE = re.compile("&(?!(?:amp|lt|gt|quot|apos);)")
_SPACE = " \t\r\n"  # XML 1.0 §2.3; what else Unicode calls space is text


class _Frame(NamedTuple):
    """What stands around the elements of a plain payload: the pattern that reads one, and the closing tag."""

    element: re.Pattern[str]
    closing: str


def glance(content: bytes) -> Work | None:
    """Read a valid payload that is as plain as nearly all are, without a tree, in half the time.

    None when anything in it is not plain (a reference beside XML's own five, a comment, an attribute beside xml:lang);
    `read` knows then.
    """
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None
    tag = _START_TAG.match(text)
    frame = _frame(tag[0]) if tag else None
    if tag is None or frame is None or not _is_plain(content, text):
        return None
    # Between the matches stands, in turn: what is beside the elements, and of each its name, language and text.
    beside, *parts = frame.element.split(text[tag.end() :])
    gaps = "".join((beside, *parts[3::4]))
    if not gaps.endswith(frame.closing) or gaps[: -len(frame.closing)].strip(_SPACE):
        return None
    statements = [
        Statement(element, words, language or "")
        for element, language, said in zip(parts[::4], parts[1::4], parts[2::4], strict=True)
        if (words := _folded(_resolved(said) if "&" in said else said))
    ]
    return work_of(tuple(statements), oai_dc=content)


def _is_plain(content: bytes, text: str) -> bool:
    """Tell whether there is nothing in the text that needs a parser: illegal characters, strange references, `]]>`."""
    return (
        len(content.translate(None, _CONTROLS)) == len(content)
        and "\ufffe" not in text
        and "\uffff" not in text
        and "]]>" not in text
        and ("&" not in text or _STRANGE_REFERENCE.search(text) is None)
    )


def _folded(said: str) -> str:
    """Return the text with white space folded; most has nothing to fold, which is seen faster than done."""
    if said.isascii() and "  " not in said and "\n" not in said and "\t" not in said and "\r" not in said:
        return said.strip(" ")
    return " ".join(said.split())


def _resolved(said: str) -> str:
    for reference, character in _REFERENCES:
        said = said.replace(reference, character)
    return said


@lru_cache(maxsize=1024)
def _frame(start_tag: str) -> _Frame | None:
    """Return the frame of all payloads with this start tag; None when it is not that of a valid oai_dc."""
    name = re.split(r"[\s>]", start_tag[1:], maxsplit=1)[0]
    closing = f"</{name}>"
    try:
        root = parse(f"{start_tag}{closing}".encode())
    except NotXml:
        return None
    prefix = next((prefix for prefix, uri in root.nsmap.items() if prefix and uri == DC), None)
    if root.tag != _ROOT or not _is_frame_valid(root) or prefix is None:
        return None
    dc = re.escape(prefix)
    language = rf'(?: xml:lang="({_LANGUAGE_TAG.pattern})")?'
    element = rf"<{dc}:({'|'.join(ELEMENTS)}){language}>([^<]*)</{dc}:\1>"
    return _Frame(re.compile(element), closing)


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
            is_valid = is_valid and not isinstance(tag, str) and not (child.tail or "").strip(_SPACE)
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
        if is_valid and (tail := child.tail) and tail.strip(_SPACE):
            is_valid = False
        if text:
            statements.append(Statement(element, text, language))
    return work_of(tuple(statements), oai_dc=content if is_valid else b"")


def _is_frame_valid(root: Element) -> bool:
    return _ROOT_ATTRIBUTES.issuperset(root.attrib) and not (root.text or "").strip(_SPACE)


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
    metadata_prefix="oai_dc",
    schema=SCHEMA,
    namespaces=(OAI_DC,),
    version=1,
    rank=10,
    read=read,
    write=write,
    glance=glance,
)
