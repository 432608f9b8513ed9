"""Recognition of the full text of an article as XML: JATS, TEI, and formats of some publishers. Pure.

Nothing is parsed: a search finds the name of the root and the beginning of a body, so no entity is ever read.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from html import unescape

# Longer prologues than any that was recorded: a schema's DOCTYPE with entities of its own has some kilobytes.
_MOST_BEFORE = 65_536
_BEFORE = re.compile(
    rb"\A(?>(?:\xef\xbb\xbf)?(?:\s++|<\?[^>]{0,2000}+>|<!--(?>(?:[^-]|-(?!->)){0,20000})-->"
    rb"|<![Dd][Oo][Cc][Tt][Yy][Pp][Ee][^\[>]{0,2000}+(?>(?:\[[^\]]{0,50000}+\]\s{0,100}+)?)>){0,200})"
)
_ROOT = re.compile(rb"<(?:[A-Za-z][\w.-]{0,40}:)?([A-Za-z][\w.-]{0,60})[\s>]")
# JATS and BITS, PMC's sets and OAI-PMH of JATS, TEI, Elsevier, Wiley, Springer's A++.
_ROOTS = frozenset(
    (
        *(b"article", b"book", b"book-part-wrapper", b"pmc-articleset", b"oai-pmh"),
        *(b"tei", b"teicorpus", b"full-text-retrieval-response", b"component", b"publisher"),
    )
)
# The beginning of the text; a record of metadata alone has none, or an empty one.
_BODY = re.compile(rb"(?i)<(?:[a-z][\w.-]{0,40}:)?(?:body|sections|rawtext)(?:\s[^<>]{0,1000}(?<!/))?>(?!\s{0,1000}</)")


# The text of an article begins in these bytes: title, authors and abstract come first.
_MOST_READ = 200_000
_TAG = re.compile(r"<[^<>]{0,5000}>")
_LINE_END = re.compile(
    r"</(?:[A-Za-z][\w.-]{0,40}:)?(?:abstract|article-title|contrib|head|journal-title|name|p|sec|title)\s{0,20}>"
)


def is_article_xml(body: bytes) -> bool:
    """Return whether these bytes are the text of an article as XML, not only its metadata."""
    body = as_utf8(body)
    before = _BEFORE.match(body[:_MOST_BEFORE])
    root = _ROOT.match(body, before.end() if before else 0)
    return root is not None and root[1].lower() in _ROOTS and _BODY.search(body, root.end()) is not None


def text_of_article(body: bytes) -> str:
    """Return the beginning of the text of an article in XML, a line for each title, name and paragraph.

    References to characters are resolved, but no other entities, and nothing is parsed.
    """
    body = as_utf8(body)
    before = _BEFORE.match(body[:_MOST_BEFORE])
    text = " ".join(body[before.end() if before else 0 :][:_MOST_READ].decode("utf-8", "ignore").split())
    text = "".join(_without_comments(text)).replace("<![CDATA[", "").replace("]]>", "")
    return unescape(_TAG.sub(" ", _LINE_END.sub("\n", text)))


def _without_comments(text: str) -> Iterator[str]:
    """Yield the parts of a text between its comments; a comment without an end has the rest."""
    first, *others = text.split("<!--")
    yield first
    for part in others:
        yield part.partition("-->")[2]


# --- Pages and XML in UTF-16, which some servers and programs for Windows write. Pure --------------------------------

_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def as_utf8(body: bytes) -> bytes:
    """Return bytes in UTF-8 if they begin with the byte order mark of UTF-16; else unchanged. Never raise an error."""
    if not body.startswith(_MARKS) or body.startswith(codecs.BOM_UTF32_LE):
        return body
    return body.decode("utf-16", "replace").encode("utf-8", "replace")
