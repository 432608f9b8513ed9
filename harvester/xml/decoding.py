"""From bytes to text: the real encoding of an answer. The first step for answers that are not plain UTF-8. Pure.

The byte order marks of UTF-16 and UTF-32 come first, then UTF-8 if the bytes are valid UTF-8. Its byte order mark
proves nothing: templates contain it. The next are the XML declaration (XML 1.0 §4.3.3) and the charset of Content-Type.
The last is UTF-8 with the invalid bytes read as windows-1252, which copy and paste leaves behind. Each deviation from
the declared encoding is noted in a sentence.
"""

import codecs
import re
from typing import NamedTuple

_DECLARED = re.compile(rb"\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*[\"']([A-Za-z][A-Za-z0-9._-]*)[\"']")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([A-Za-z][A-Za-z0-9._-]*)", re.IGNORECASE)

_MARKS_OF_UTF_8 = re.compile(rb"\A(?>(?:\xef\xbb\xbf)+)")

# Byte order marks, the longer ones first.
_MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
)

# Codecs of real answers. Python has others (`idna`, `unicode_escape`) that no answer may choose.
_KNOWN = re.compile(r"ascii|big5|cp|euc|gb|hz|iso|johab|koi8|kz|latin|mac|ptcp|shift|tis|utf-(?:8|16|32)")

# The characters of `windows-1252` in place of the control characters of ISO 8859-1; five places are unchanged.
_WESTERN = {byte: bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(0x80, 0xA0)}
_WESTERN_ESCAPED = {0xDC00 + byte: _WESTERN.get(byte, chr(byte)) for byte in range(0x80, 0x100)}
_ESCAPED = re.compile("[\udc80-\udcff]")
_HIGH_CONTROL = re.compile("[\x80-\x9f]")


class Decoded(NamedTuple):
    """The text of an answer, without byte order mark, and a sentence about each assumption.

    `losses` are the repairs that lost characters.
    """

    text: str
    repairs: tuple[str, ...]
    losses: tuple[str, ...] = ()


def is_plain(body: bytes) -> bool:
    """Return whether the bytes are probably UTF-8, so that a parser may try them unchanged."""
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, b"\0", b"<\0")):
        return False
    declared = _declared(body)
    return declared in ("", "utf-8") or (body.isascii() and declared in ("ascii", "iso8859-1", "cp1252"))


def decode(body: bytes, content_type: str = "") -> Decoded:
    """Return the text of `body` in any encoding; never raise an error."""
    marked = next((codec for mark, codec in _MARKS if body.startswith(mark)), "")
    if marked:
        return _marked(body, marked)
    body = _MARKS_OF_UTF_8.sub(b"", body)
    declared, charset = _declared(body), _charset(content_type)
    text = _strictly(body, "utf-8")
    if text is not None:
        other = declared not in ("", "utf-8", "ascii")
        return Decoded(text, (f"The answer is declared as {declared} and is UTF-8.",) if other else ())
    for codec in (declared, charset):
        text = None if codec in ("", "utf-8") else _strictly(body, codec)
        if text is not None:
            return Decoded(text, (f"The answer was read as {codec} and is kept as UTF-8.",))
    return _mixed(body)


def _marked(body: bytes, codec: str) -> Decoded:
    text = _strictly(body, codec)
    if text is None:
        lost = f"Some bytes are not {codec}, as the byte order mark has it; U+FFFD stands for them."
        return Decoded(body.decode(codec, "replace"), (lost,), (lost,))
    return Decoded(text, (f"The answer was read as {codec} and is kept as UTF-8.",))


def _mixed(body: bytes) -> Decoded:
    try:  # Java's own UTF-8 writes characters above U+FFFF as two surrogates
        text = body.decode("utf-8", "surrogatepass").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    except UnicodeDecodeError:
        escaped = body.decode("utf-8", "surrogateescape")
        count = len(_ESCAPED.findall(escaped))
        remark = f"Bytes that are not UTF-8 were read as windows-1252: {count}."
        return Decoded(escaped.translate(_WESTERN_ESCAPED), (remark,))
    return Decoded(text, ("Characters written as surrogates in UTF-8 were put together.",))


def _strictly(body: bytes, codec: str) -> str | None:
    try:
        text = body.decode("cp1252" if codec == "cp1252" else codec)
    except (UnicodeDecodeError, UnicodeError):
        return None
    if codec == "iso8859-1" and _HIGH_CONTROL.search(text):
        return text.translate(_WESTERN)
    return text


def _declared(body: bytes) -> str:
    match = _DECLARED.match(body, 3 if body.startswith(codecs.BOM_UTF8) else 0)
    return _codec(match[1].decode("ascii")) if match else ""


def _charset(content_type: str) -> str:
    match = _CHARSET.search(content_type)
    return _codec(match[1]) if match else ""


def _codec(name: str) -> str:
    """Return Python's name of the encoding; empty for an unknown one or one that no answer may use."""
    try:
        encoding = codecs.lookup(name).name
    except LookupError:
        return ""
    return encoding if _KNOWN.match(encoding) else ""
