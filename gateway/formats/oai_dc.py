"""`oai_dc`: unqualified Dublin Core, which every item has (OAI-PMH 2.0 §2.5; oai_dc.xsd).

A valid payload is served unchanged. Any other one is made again from the statements that can be read in it.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from gateway.core.errors import NotXml
from gateway.core.model import Statement, Work
from gateway.core.xmlio import Element, parse, text_of
from gateway.core.xmltext import DC, OAI_DC, XML, XSI, clean, escape, escape_attribute
from gateway.formats import MetadataFormat
from gateway.formats._statements import ELEMENTS, LEADING, work_of

SCHEMA = "http://www.openarchives.org/OAI/2.0/oai_dc.xsd"

_ROOT = f"{{{OAI_DC}}}dc"
_LANGUAGE = f"{{{XML}}}lang"
_BY_TAG = {f"{{{DC}}}{name}": name for name in ELEMENTS}
_SCHEMA_LOCATION = f"{{{XSI}}}schemaLocation"
_ROOT_ATTRIBUTES = frozenset({_SCHEMA_LOCATION, f"{{{XSI}}}noNamespaceSchemaLocation"})
_LANGUAGE_TAG = re.compile(r"[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*")  # xs:language
_OPENING = (
    f'<oai_dc:dc xmlns:oai_dc="{OAI_DC}" xmlns:dc="{DC}" xmlns:xsi="{XSI}" xsi:schemaLocation="{OAI_DC} {SCHEMA}">'
)


_SPACE = " \t\r\n"  # XML 1.0 §2.3; other spaces of Unicode are text
_SPACES = rf"[{_SPACE}]*+"
_CONTROLS = bytes(set(range(0x20)) - {*b"\t\r\n"})  # XML 1.0 §2.2; U+FFFE and U+FFFF are the only others in UTF-8
_PERHAPS_NONE = b"\xef\xbf"  # they begin so
_STRANGE_REFERENCE = re.compile(b"&(?!(?:amp|lt|gt|quot|apos);)")
_LANGUAGE_STATED = (
    rf"""(?:[{_SPACE}]+xml:lang{_SPACES}={_SPACES}(?:"{_LANGUAGE_TAG.pattern}"|'{_LANGUAGE_TAG.pattern}'))?"""
)
_BRIEF = ("contributor", "creator", "date", "identifier", "subject", "title", "type")
_REFERENCES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&"))  # `&amp;` is the last


class _Frame(NamedTuple):
    """The patterns for plain payloads with one start tag: for what follows it, and for its elements.

    `leading` is for elements that can have links, `brief` for those that identify a work, `any_` for all.
    """

    rest: re.Pattern[bytes]
    leading: re.Pattern[str]
    brief: re.Pattern[str]
    any_: re.Pattern[str]


def skim(content: bytes, *, is_brief: bool = False) -> tuple[Statement, ...] | None:
    """Return the statements of a valid and plain payload, without their languages and without a tree.

    `is_brief`: only those that identify the work, which have the elements of `_BRIEF`. Descriptions and rights are most
    of a payload, and nobody searches for them.
    Return None if anything in it is not plain, as `glance` does. Then `read` reads it.
    """
    end = content.find(b">") + 1
    frame = _frame(content[:end])
    text = _plain(content) if frame and frame.rest.fullmatch(content, end) else ""
    if not frame or not text:
        return None
    elements = frame.brief if is_brief else frame.any_
    return tuple(Statement(element, words) for element, raw in elements.findall(text) if (words := _folded(raw)))


def glance(content: bytes) -> Work | None:
    """Return the Work of a valid and plain payload, as nearly all are, without a tree, in a tenth of the time.

    Return None if anything in it is not plain: another reference than the five of XML, a comment, another attribute
    than xml:lang. Then `read` reads it.
    """
    end = content.find(b">") + 1
    frame = _frame(content[:end])
    text = _plain(content) if frame and frame.rest.fullmatch(content, end) else ""
    if not frame or not text:
        return None
    leading = [(element, words) for element, raw in frame.leading.findall(text) if (words := _folded(raw))]
    return work_of((), oai_dc=content, leading=leading)


def _plain(content: bytes) -> str:
    """Return a payload as text; empty if it needs a parser: for illegal characters, other references, `]]>` in text."""
    if len(content.translate(None, _CONTROLS)) < len(content) or (b"]" in content and b"]]>" in content):
        return ""
    if b"&" in content and _STRANGE_REFERENCE.search(content):
        return ""
    try:
        return content.decode() if content.isascii() or _PERHAPS_NONE not in content else ""
    except UnicodeDecodeError:
        return ""


def _folded(text: str) -> str:
    """Return the text with its references resolved and white space folded."""
    if "&" in text:
        for reference, character in _REFERENCES:
            text = text.replace(reference, character)
    return " ".join(text.split())


@lru_cache(maxsize=1024)
def _frame(start_tag: bytes) -> _Frame | None:
    """Return the frame of all payloads with this start tag; None if it is not the tag of a valid oai_dc."""
    name = re.split(rb"[\s>]", start_tag[1:], maxsplit=1)[0]
    try:
        root = parse(b"%b</%b>" % (start_tag, name))
    except NotXml:
        return None
    prefix = next((prefix for prefix, uri in root.nsmap.items() if prefix and uri == DC), None)
    if root.tag != _ROOT or not _is_frame_valid(root) or prefix is None:
        return None
    dc, closing = re.escape(prefix), re.escape(name.decode())
    rest = f"(?:/>|>[^<]*+</{dc}:\\1{_SPACES}>)"
    element = f"<{dc}:({'|'.join(ELEMENTS)}){_LANGUAGE_STATED}{_SPACES}{rest}{_SPACES}"
    return _Frame(
        re.compile(f"{_SPACES}(?>(?:{element})*)</{closing}{_SPACES}>".encode()),
        re.compile(f"<{dc}:({'|'.join(LEADING)})(?=[{_SPACE}/>])[^>]*>([^<]*)"),
        re.compile(f"<{dc}:({'|'.join(_BRIEF)})(?=[{_SPACE}/>])[^>]*>([^<]*)"),
        re.compile(f"<{dc}:({'|'.join(ELEMENTS)})(?=[{_SPACE}/>])[^>]*>([^<]*)"),
    )


def read(root: Element, content: bytes) -> Work | None:
    """Return the Work of a payload; `Work.oai_dc` has its bytes if they are valid."""
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
    """Return whether the root is valid unchanged; a strict harvester requires the schema that we list (§3.4)."""
    named = root.get(_SCHEMA_LOCATION, "").split()
    is_listed = (OAI_DC, SCHEMA) in zip(named[::2], named[1::2], strict=False)
    return is_listed and _ROOT_ATTRIBUTES.issuperset(root.attrib) and not (root.text or "").strip(_SPACE)


def write(work: Work) -> bytes:
    """Return the oai_dc of a work in UTF-8: unchanged as it arrived, or made of its statements."""
    if work.oai_dc:
        return work.oai_dc
    return f"{_OPENING}{''.join(map(_element, work.statements))}</oai_dc:dc>".encode()


def naming(work: Work, urls: Iterable[str]) -> Work:
    """Return a work whose oai_dc also has these addresses, after its other statements."""
    added = tuple(Statement("identifier", url) for url in urls)
    before, end, after = work.oai_dc.rpartition(b"</")
    content = "".join(f'<identifier xmlns="{DC}">{escape(statement.text)}</identifier>' for statement in added).encode()
    oai_dc = b"".join((before, content, end, after)) if end else b""
    return work._replace(statements=work.statements + added, oai_dc=oai_dc)


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
    # 2: every about of an upstream is carried on, and no metadataNamespace is empty; 3: every format is read by its
    # standard, and what was made of it says more
    version=3,
    rank=10,
    read=read,
    write=write,
    glance=glance,
)
