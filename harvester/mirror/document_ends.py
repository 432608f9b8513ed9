"""Find the end of documents and texts. Each function returns its offset, or raises `Broken`; see `file_facts.py`."""

import json
import re
import struct
import zlib
from xml.parsers import expat

from harvester.mirror.file_types import CUT, HIGH, MOST, NEAR, PART, WIDE, Broken, Content, no_hole, whole

_OFF = 16  # bytes by which a real offset may be wrong
_XREF = re.compile(rb"xref|\d{1,10}\s+\d{1,5}\s+obj")
_STARTXREF = re.compile(rb"startxref\s{1,4}(\d{1,15})\s")
_BINARY_SHARE = 0.05
_TRANSFER = re.compile(rb"(?i)content-(?:type|length|disposition):|HTTP/\d|\A[0-9a-f]{1,8}\r\n")


def pdf(data: Content) -> int:
    """Return the end of a PDF: `startxref`, the offset of its cross-references, and `%%EOF` (ISO 32000-1 §7.5.5).

    Something else before it, a block of zeros or a stream that cannot be read is broken.
    """
    start, end = data.find(b"%PDF-"), data.rfind(b"%%EOF")
    marks = data.rfind(b"startxref")
    sample = data[:65536]
    is_binary = len(sample) - len(sample.translate(None, HIGH)) > len(sample) * _BINARY_SHARE
    if end < 0 or (is_binary and not 0 <= marks < end):
        raise Broken("It has no end: startxref and %%EOF are not there.")
    match = _STARTXREF.match(data[marks : marks + 40])
    offset = int(match[1]) if match else -1
    if start in range(1, 4) and data[:start].strip(b"\r\n\t ") == b"\xef\xbb\xbf":
        raise Broken("A byte order mark stands before its beginning.")
    if b"<" in data[: max(0, start)] or _TRANSFER.search(data[: max(0, start)]):
        raise Broken("Something else stands before its beginning.")
    offsets = [at for at in (offset, offset + start) if 0 <= at < len(data)]
    if is_binary and not any(_XREF.search(data[max(0, at - _OFF) : at + _OFF]) for at in offsets):
        raise Broken("Its table of cross-references is not where it should be: bytes were lost, added or changed.")
    no_hole(data)
    _check_streams(data)
    return end + len(b"%%EOF")


_STREAM = re.compile(rb"/Filter\s{0,4}(?:\[\s{0,4})?/FlateDecode\b[^\x00<>]{0,200}>>\s{0,4}stream\r?\n")
_MOST_STREAM = 4 << 20
_WRONG_SUM = "incorrect data check"


def _check_streams(data: Content) -> None:
    """Raise Broken when a compressed stream of a PDF cannot be read. Encrypted PDFs are not checked."""
    if len(data) > MOST or data.find(b"/Encrypt") >= 0:
        return
    for match in _STREAM.finditer(data):
        end = data.find(b"endstream", match.end())
        try:
            zlib.decompressobj().decompress(data[match.end() : end if end > 0 else len(data)], _MOST_STREAM)
        except zlib.error as error:
            if _WRONG_SUM in str(error):
                continue  # readers take no notice of it, and real files have it
            raise Broken(f"A stream of it cannot be read: {error}.") from error


_NO_SECTOR = 0xFFFFFFFA


def ole(data: Content) -> int:
    """Return the end of a compound file. Its header lists the sectors of the allocation table ([MS-CFB] §2.2)."""
    if len(data) < 512:  # noqa: PLR2004
        raise Broken("It ends in its header.")
    size = 1 << int.from_bytes(data[30:32], "little") % 16
    count, first = struct.unpack_from("<I", data, 44)[0], struct.unpack_from("<I", data, 48)[0]
    sectors = (*struct.unpack_from(f"<{min(count, 109)}I", data, 76), first)
    if any((sector + 1) * size >= len(data) for sector in sectors if sector < _NO_SECTOR):
        raise Broken("It ends in the middle: its table of sectors is not there.")
    used = 0
    for place, sector in enumerate(sectors[: min(count, 109)]):
        table = data[(sector + 1) * size : (sector + 2) * size] if sector < _NO_SECTOR else b""
        kept = table[: len(table) // 4 * 4].rstrip(b"\xff")
        used = max(used, place * size // 4 + (len(kept) + 3) // 4 if kept else 0)
    if used * size >= len(data):
        raise Broken("It ends in the middle: sectors of it are not there.")
    return len(data)


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
    """Return the end of an XML document: one closed root element. Unknown encodings and entities are allowed."""
    if b">" not in data[max(0, len(data) - NEAR) :].rstrip(b" \t\r\n\x00")[-2:]:  # two bytes in UTF-16
        raise Broken("It ends in the middle: its last element is not closed.")
    reader = expat.ParserCreate()
    try:
        for at in range(0, len(data), PART):
            reader.Parse(data[at : at + PART], at + PART >= len(data))
    except expat.ExpatError as error:
        if error.code not in _FORGIVEN:
            raise Broken(f"It is no well-formed XML: {error}.") from error
    except ValueError:  # an encoding of several bytes
        pass
    return len(data)


_MOST_JSON = 16 << 20


def json_(data: Content) -> int:
    """Return the end of a JSON text (RFC 8259).

    One value per line is allowed, and so are commas and comments that JSON does not have.
    """
    if len(data) > _MOST_JSON:
        return len(data)
    text = data[:].decode("utf-16" if data[:2] in WIDE else "utf-8-sig", "replace")
    try:
        json.loads(text)
    except RecursionError:
        pass
    except json.JSONDecodeError as error:
        lines = [line for line in text.splitlines() if line.strip()]
        # Commas and comments that JSON has not are found in the wild.
        is_closed = text.rstrip()[-1:] in ("}", "]") and error.pos < len(text.rstrip())
        if not is_closed and not all(_is_json(line) for line in lines):
            raise Broken(f"It is no JSON: {error}.") from error
    except ValueError:  # a number of thousands of digits, which Python does not read
        pass
    return len(data)


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


_MOST_HTML = 4 << 20
_CUT = re.compile(rb"<[/!a-zA-Z][^<>]*\Z")


def html(data: Content) -> int:
    """Return the end of an HTML page. End tags may be missing. One that ends in a tag or a script is broken."""
    last = data[-4096:]
    if last.rfind(b"<") > last.rfind(b">") and _CUT.search(last):
        raise Broken("It ends within a tag.")
    if len(data) <= _MOST_HTML:
        lowered = data[:].lower()
        for name in (b"script", b"style"):
            if lowered.rfind(b"<" + name) > lowered.rfind(b"</" + name):
                raise Broken(f"It ends within a {name.decode()}.")
        is_open = b"<body" in lowered and b"</body" not in lowered and b"</html" not in lowered
        if is_open and not last.endswith((b">", b"\n")):
            raise Broken("It ends within its body.")
    return len(data)


_ESCAPED = re.compile(rb"\\[\\{}]")


def rtf(data: Content) -> int:
    """Return the end of an RTF document: one closed group (RTF 1.9)."""
    if len(data) > MOST or b"\\bin" in data[:]:
        return len(data)
    plain = _ESCAPED.sub(b"", data[:])
    if plain.count(b"{") > plain.count(b"}"):
        raise Broken(CUT.format("its groups are not closed"))
    end = data.rfind(b"}") + 1
    return whole(data, end, "")


def postscript(data: Content) -> int:
    """Return the end of a PostScript document. With document structuring conventions, it ends with %%EOF."""
    last = data[max(0, len(data) - 64 * NEAR) :]
    if b"%%EndComments" in data[: 8 * NEAR] and b"%%EOF" not in last:
        raise Broken(CUT.format("%%EOF is not there"))
    return whole(data, data.rfind(b"%%EOF") + 5, "") if b"%%EOF" in last else len(data)


_BEGIN = re.compile(rb"(?m)^[^%\n]{0,200}\\begin\s{0,9}\{document\}")


def latex(data: Content) -> int:
    """Return the end of a LaTeX document: the end of its document environment. A web page may follow."""
    text = data[:] if len(data) <= MOST else b""
    end = text.rfind(b"\\end{document}")
    if end < 0 and _BEGIN.search(text):
        raise Broken(CUT.format("\\end{document} is not there"))
    return len(data) if end < 0 else whole(data, end + len(b"\\end{document}"), "")


_MARKS = b",;\t|"
_LEAST_ROWS = 8
_CELL = re.compile(rb"(?P<number>[-+]?\d[\d.,]*)|(?P<word>[^\s\d][^\s]*)|(?P<words>.*\S.*)")


def table(data: Content) -> int:
    """Return the end of a table of text, such as CSV (RFC 4180). Its rows have the same number of cells.

    A last row with fewer cells of the same kinds is broken, and so is a quotation mark that is not closed.
    """
    if len(data) > MOST or b"\x00" in data[:] or data[len(data) - 1 :] in (b"\n", b"\r"):
        return len(data)
    text = data[:]
    if text.count(b'"') % 2 and text.count(b'"') > 2 * _LEAST_ROWS:
        raise Broken(CUT.format("a quotation mark of it is not closed"))
    lines = text.splitlines()
    if b'"' in text or len(lines) < _LEAST_ROWS:
        return len(data)
    *rows, last = lines
    for mark in (bytes([mark]) for mark in _MARKS):
        counts = {row.count(mark) for row in rows}
        if len(counts) == 1 and max(counts) > 0:
            if last.count(mark) < max(counts) and _is_like(last.split(mark), rows[-1].split(mark)):
                raise Broken(CUT.format("its last row has fewer cells than every other"))
            break
    return len(data)


def _is_like(cut: list[bytes], row: list[bytes]) -> bool:
    """Return whether the cells of a row that was cut are of the kinds of another row's."""
    return all(_kind(one) == _kind(other) for one, other in zip(cut[:-1] or cut, row, strict=False))


def _kind(cell: bytes) -> str | None:
    match = _CELL.fullmatch(cell.strip())
    return match.lastgroup if match else None
