"""Find the end of documents and texts, as `file_ends.py` does for other types."""

import json
import re
import struct
import zlib
from xml.parsers import expat

from harvester.mirror.file_ends import number
from harvester.mirror.file_types import HIGH, MOST, NEAR, PART, WIDE, Broken, Content, no_hole, whole

_OFF = 16  # bytes by which a real offset may be wrong
_XREF = re.compile(rb"xref|\d{1,10}\s+\d{1,5}\s+obj")
_STARTXREF = re.compile(rb"startxref\s{1,4}(\d{1,15})\s")
_BINARY_SHARE = 0.05
_TRANSFER = re.compile(rb"(?i)content-(?:type|length|disposition):|HTTP/\d|\A[0-9a-f]{1,8}\r\n")


def pdf(data: Content) -> int:
    """Return `%%EOF` behind `startxref`, the offset of its cross-references (ISO 32000-1 §7.5.5).

    Something else before it, a block of zeros or a stream that cannot be read is broken.
    """
    start, end, marks = data.find(b"%PDF-"), data.rfind(b"%%EOF"), data.rfind(b"startxref")
    sample = data[:65536]
    is_binary = len(sample) - len(sample.translate(None, HIGH)) > len(sample) * _BINARY_SHARE
    if end < 0 or (is_binary and not 0 <= marks < end):
        raise Broken("It has no end: startxref and %%EOF are not there.")
    before = data[: max(0, start)]
    if b"<" in before or _TRANSFER.search(before) or before.strip() == b"\xef\xbb\xbf":
        raise Broken("Something else stands before its beginning.")
    match = _STARTXREF.match(data[marks : marks + 40])
    offset = int(match[1]) if match else -1
    offsets = [at for at in (offset, offset + start) if 0 <= at < len(data)]
    if is_binary and not any(_XREF.search(data[max(0, at - _OFF) : at + _OFF]) for at in offsets):
        raise Broken("Its table of cross-references is not where it should be: bytes were lost, added or changed.")
    no_hole(data)
    _check_streams(data)
    return end + len(b"%%EOF")


_STREAM = re.compile(rb"/Filter\s{0,4}(?:\[\s{0,4})?/FlateDecode\b[^\x00<>]{0,200}>>\s{0,4}stream\r?\n")
_MOST_STREAM = 4 << 20


def _check_streams(data: Content) -> None:
    """Raise Broken when a compressed stream of a PDF cannot be read. Encrypted PDFs are not checked."""
    if len(data) > MOST or data.find(b"/Encrypt") >= 0:
        return
    for match in _STREAM.finditer(data):
        end = data.find(b"endstream", match.end())
        try:
            zlib.decompressobj().decompress(data[match.end() : end if end > 0 else len(data)], _MOST_STREAM)
        except zlib.error as error:
            if "incorrect data check" not in str(error):  # readers take no notice of it, and real files have it
                raise Broken(f"A stream of it cannot be read: {error}.") from error


_NO_SECTOR = 0xFFFFFFFA


def ole(data: Content) -> int:
    """Return the end of a compound file. Its head lists the sectors of the allocation table ([MS-CFB] §2.2)."""
    size = 1 << number(data, 30, 2, "little") % 16
    count, first = min(number(data, 44, 4, "little"), 109), number(data, 48, 4, "little")
    sectors = struct.unpack_from(f"<{count}I", data, 76)
    used = 0
    for place, sector in enumerate((*sectors, first)):
        if sector < _NO_SECTOR:
            whole(data, (sector + 1) * size + 1)
            table = data[(sector + 1) * size : (sector + 2) * size] if place < count else b""
            kept = table[: len(table) // 4 * 4].rstrip(b"\xff")
            used = max(used, place * size // 4 + (len(kept) + 3) // 4 if kept else 0)
    return whole(data, used * size + 1)


# Faults of real documents that were there when they were written. So they are no sign of a damaged file.
_FORGIVEN = frozenset(
    expat.errors.codes[name]
    for name in (
        expat.errors.XML_ERROR_UNKNOWN_ENCODING,
        expat.errors.XML_ERROR_INCORRECT_ENCODING,
        expat.errors.XML_ERROR_UNDEFINED_ENTITY,
        expat.errors.XML_ERROR_INVALID_TOKEN,
        expat.errors.XML_ERROR_MISPLACED_XML_PI,
        expat.errors.XML_ERROR_AMPLIFICATION_LIMIT_BREACH,
    )
)


def xml(data: Content) -> int:
    """Return the end of one closed root element. Unknown encodings and entities are allowed."""
    if b">" not in data[max(0, len(data) - NEAR) :].rstrip(b" \t\r\n\x00")[-2:]:  # two bytes in UTF-16
        raise Broken
    reader = expat.ParserCreate()
    try:
        for at in range(0, len(data), PART):
            reader.Parse(data[at : at + PART], at + PART >= len(data))
    except expat.ExpatError as error:
        if error.code not in _FORGIVEN:
            raise Broken(f"It is no well-formed XML: {error}.") from error
    except (ValueError, LookupError):  # an encoding of several bytes, or one that Python does not know
        pass
    return len(data)


_MOST_JSON = 16 << 20


def json_(data: Content) -> int:
    """Return the end of a JSON text (RFC 8259), or of lines with one value each.

    Commas and comments that JSON does not have are found in the wild, and allowed.
    """
    if len(data) > _MOST_JSON:
        return len(data)
    text = data[:].decode("utf-16" if data[:2] in WIDE else "utf-8-sig", "replace")
    if (problem := _not_json(text)) is not None:
        is_closed = text.rstrip()[-1:] in ("}", "]") and problem.pos < len(text.rstrip())
        if not is_closed and any(_not_json(line) for line in text.splitlines() if line.strip()):
            raise Broken(f"It is no JSON: {problem}.")
    return len(data)


def _not_json(text: str) -> json.JSONDecodeError | None:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error
    except (RecursionError, ValueError):  # also a number of thousands of digits, which Python does not read
        pass
    return None


_MOST_HTML = 4 << 20
_CUT = re.compile(rb"<[/!a-zA-Z][^<>]*\Z")


def html(data: Content) -> int:
    """Return the end of a page. End tags may be missing. One that ends in a tag, a script or its body is broken."""
    last = data[-4096:]
    if last.rfind(b"<") > last.rfind(b">") and _CUT.search(last):
        raise Broken
    if len(data) <= _MOST_HTML:
        lowered = data[:].lower()
        is_open = b"<body" in lowered and b"</body" not in lowered and b"</html" not in lowered
        if (is_open and not last.endswith((b">", b"\n"))) or any(
            lowered.rfind(b"<" + name) > lowered.rfind(b"</" + name) for name in (b"script", b"style")
        ):
            raise Broken
    return len(data)


_ESCAPED = re.compile(rb"\\[\\{}]")


def rtf(data: Content) -> int:
    """Return the end of one closed group (RTF 1.9)."""
    if len(data) > MOST or b"\\bin" in data[:]:
        return len(data)
    plain = _ESCAPED.sub(b"", data[:])
    if plain.count(b"{") > plain.count(b"}"):
        raise Broken
    return whole(data, data.rfind(b"}") + 1)


_BEGIN = re.compile(rb"(?m)^[^%\n]{0,200}\\begin\s{0,9}\{document\}")


def latex(data: Content) -> int:
    """Return the end of the document environment. A web page may follow."""
    text = data[:] if len(data) <= MOST else b""
    end = text.rfind(b"\\end{document}")
    if end < 0 and _BEGIN.search(text):
        raise Broken
    return len(data) if end < 0 else whole(data, end + len(b"\\end{document}"))


_LEAST_ROWS = 8


def table(data: Content) -> int:
    """Return the end of a table of text, such as CSV (RFC 4180), whose rows have the same number of cells."""
    text = data[:] if len(data) <= MOST and data[len(data) - 1 :] not in (b"\n", b"\r") else b""
    *rows, last = text.splitlines() or [b""]
    if text.count(b'"') % 2 and text.count(b'"') > 2 * _LEAST_ROWS:
        raise Broken
    for mark in (b",", b";", b"\t", b"|") if len(rows) >= _LEAST_ROWS and b'"' not in text else ():
        counts = {row.count(mark) for row in rows}
        if len(counts) == 1 and last.count(mark) < max(counts):
            raise Broken
    return len(data)
