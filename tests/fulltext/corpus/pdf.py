"""A small writer of PDFs: lines of text at places on sheets, in the standard fonts or in one with a ToUnicode table."""

import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

FONTS = {"Times": "Times-Roman", "TimesBold": "Times-Bold", "Sans": "Helvetica", "SansBold": "Helvetica-Bold"}
_NARROW, _WIDE = frozenset("iljtfrI.,;:'|!()[]- "), frozenset("mwMW@%—")
_WIDE_SCRIPTS = 0x2E80  # from here on, characters are as wide as high


class Run(NamedTuple):
    """A line of text at a place."""

    x: float
    y: float
    size: float
    text: str
    font: str = "Times"


@dataclass
class Sheet:
    """One page."""

    width: float = 595.0
    height: float = 842.0
    runs: list[Run] = field(default_factory=list)


def width_of(text: str, size: float) -> float:
    """Return about how wide a text is: near enough to break lines."""
    return size * sum(map(_width, text))


@cache
def _width(character: str) -> float:
    if ord(character) >= _WIDE_SCRIPTS and character not in "ﬁﬂﬀﬃ":
        return 1.0
    return 0.3 if character in _NARROW else 0.8 if character in _WIDE else 0.66 if character.isupper() else 0.48


def written(sheets: Iterable[Sheet]) -> bytes:
    """Return a PDF of these sheets."""
    return _Writer().pdf(list(sheets))


class _Writer:
    """One file under way: its objects, and the characters of the font with a ToUnicode table."""

    def __init__(self) -> None:
        self.objects: list[bytes] = [b"", b""]  # the catalogue and the tree of pages are filled in last
        self.codes: dict[str, int] = {}

    def pdf(self, sheets: list[Sheet]) -> bytes:
        contents = [self._stream(self._content(sheet)) for sheet in sheets]
        fonts = b"".join(
            b"/%s %d 0 R"
            % (name.encode(), self._add(f"<</Type/Font/Subtype/Type1/BaseFont/{base}/Encoding/WinAnsiEncoding>>"))
            for name, base in FONTS.items()
        )
        resources = b"<</Font<<%s/Wide %d 0 R>>>>" % (fonts, self._wide_font())
        pages = [
            self._add(
                b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 %d %d]/Contents %d 0 R/Resources %s>>"
                % (sheet.width, sheet.height, content, resources)
            )
            for sheet, content in zip(sheets, contents, strict=True)
        ]
        kids = b" ".join(b"%d 0 R" % number for number in pages)
        self.objects[0] = b"<</Type/Catalog/Pages 2 0 R>>"
        self.objects[1] = b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, len(pages))
        return self._file()

    def _add(self, content: bytes | str) -> int:
        self.objects.append(content if isinstance(content, bytes) else content.encode())
        return len(self.objects)

    def _stream(self, content: bytes, more: bytes = b"") -> int:
        packed = zlib.compress(content, 1)
        head = b"<</Length %d/Filter/FlateDecode%s>>" % (len(packed), more)
        return self._add(head + b"stream\n" + packed + b"\nendstream")

    def _content(self, sheet: Sheet) -> bytes:
        return b"\n".join(map(self._run, sheet.runs))

    def _run(self, run: Run) -> bytes:
        try:
            plain = run.text.encode("cp1252")
        except UnicodeEncodeError:
            font, shown = "Wide", "<" + "".join(f"{self._code(c):04x}" for c in run.text) + ">"
        else:
            font = run.font
            shown = "(" + "".join(chr(b) if 32 <= b < 127 and b not in b"()\\" else f"\\{b:03o}" for b in plain) + ")"
        return f"BT /{font} {run.size:g} Tf 1 0 0 1 {run.x:.1f} {run.y:.1f} Tm {shown} Tj ET".encode()

    def _code(self, character: str) -> int:
        return self.codes.setdefault(character, len(self.codes) + 1)

    def _wide_font(self) -> int:
        widths = " ".join(f"{code}[{1000 * _width(character):.0f}]" for character, code in self.codes.items())
        pairs = [f"<{code:04x}> <{character.encode('utf-16-be').hex()}>" for character, code in self.codes.items()]
        blocks = [pairs[start : start + 100] for start in range(0, len(pairs), 100)]
        table = "".join(f"{len(block)} beginbfchar\n" + "\n".join(block) + "\nendbfchar\n" for block in blocks)
        to_unicode = self._stream(
            b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Own def /CMapType 2 def\n"
            b"1 begincodespacerange <0000> <ffff> endcodespacerange\n"
            + table.encode()
            + b"endcmap CMapName currentdict /CMap defineresource pop end end"
        )
        descriptor = self._add(
            b"<</Type/FontDescriptor/FontName/Own/Flags 4/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 800/Descent -200"
            b"/CapHeight 700/StemV 80>>"
        )
        below = self._add(
            f"<</Type/Font/Subtype/CIDFontType2/BaseFont/Own/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)"
            f"/Supplement 0>>/FontDescriptor {descriptor} 0 R/DW 500/W[{widths}]>>"
        )
        return self._add(
            f"<</Type/Font/Subtype/Type0/BaseFont/Own/Encoding/Identity-H/DescendantFonts[{below} 0 R]"
            f"/ToUnicode {to_unicode} 0 R>>"
        )

    def _file(self) -> bytes:
        body, places = b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n", []
        for number, content in enumerate(self.objects, 1):
            places.append(len(body))
            body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
        table = b"".join(b"%010d 00000 n \n" % place for place in places)
        count = len(self.objects) + 1
        return body + b"xref\n0 %d\n0000000000 65535 f \n%strailer<</Root 1 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF\n" % (
            count, table, count, len(body)
        )  # fmt: skip
