# ruff: noqa: E501 - heads of files have long lines
"""Small whole files of the kinds that repositories hold, each another by its number."""

import gzip
import io
import json
import random
import struct
import tarfile
import zipfile
import zlib

WORDS = """
    archive survey village harbour letter corpus speech tide salt mineral table figure method result sample river
    parish register court dialect song weaver loom season market price wage field furrow cattle northern southern
    measured compared observed recorded described between during after within against about under several earlier
    later because although however therefore which where when while many few most each every other first second
""".split()  # noqa: SIM905


def noise(number: int, size: int) -> bytes:
    return random.Random(number).randbytes(size)


def prose(number: int, sentences: int = 60) -> str:
    chance = random.Random(number)
    made = (" ".join(chance.choices(WORDS, k=chance.randint(6, 16))).capitalize() + "." for _ in range(sentences))
    return "\n".join(made) + "\n"


def text(number: int) -> bytes:
    return prose(number).encode()


def rows(number: int, count: int = 150) -> bytes:
    chance = random.Random(number)
    made = ["id,place,year,value,remark"]
    for row in range(count):
        values = (row, chance.choice(WORDS), chance.randint(1700, 2020), f"{chance.random():.4f}", chance.choice(WORDS))
        made.append(",".join(map(str, values)))
    return ("\r\n".join(made) + "\r\n").encode()


def tei(number: int) -> bytes:
    body = "".join(f"<p n='{row}'>{prose(number + row, 3)}</p>" for row in range(30))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc>'
        f"<titleStmt><title>Letter {number}</title></titleStmt></fileDesc></teiHeader><text><body>{body}</body></text></TEI>\n"
    ).encode()


def data(number: int) -> bytes:
    observations = [{"id": row, "note": prose(number + row, 1).strip(), "value": row / 7} for row in range(60)]
    return json.dumps({"dataset": number, "observations": observations}, indent=1).encode()


def article(number: int) -> bytes:
    body = "".join(f"<h2>{row}. Section</h2><p>{prose(number + row, 6)}</p>" for row in range(12))
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Study {number} of tides</title></head>'
        f"<body><article><h1>Study {number} of tides</h1>{body}</article></body></html>\n"
    ).encode()


def svg(number: int) -> bytes:
    chance = random.Random(number)
    lines = "".join(f'<path d="M{row} {chance.random():.3f}L{row} {chance.random() * 90:.3f}"/>' for row in range(120))
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 90">{lines}</svg>'.encode()


def rtf(number: int) -> bytes:
    body = prose(number).replace("\n", "\\par\n")
    return (r"{\rtf1\ansi\deff0{\fonttbl{\f0 Times New Roman;}}\f0\fs24 " + body + "}").encode()


def latex(number: int) -> bytes:
    head = "\\documentclass[a4paper]{article}\n\\usepackage[utf8]{inputenc}\n\\begin{document}\n\\section{Tides}\n"
    return (head + prose(number, 120) + "\\end{document}\n").encode()


# -- documents --


def pdf(number: int, pages: int = 6, text_lines: tuple[str, ...] = (), image: bytes = b"") -> bytes:
    """Make a PDF of pages of text: made up, or the lines that are said."""
    kids = " ".join(f"{4 + 2 * page} 0 R" for page in range(pages))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {pages}>>".encode(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for page in range(pages):
        lines = text_lines or prose(number * 100 + page, 40).splitlines()
        shown = "BT /F1 11 Tf 14 TL 60 780 Td " + "".join(f"({line}) Tj T* " for line in lines) + "ET"
        stream = zlib.compress(shown.encode("latin-1", "replace"))
        font, text = "/Resources<</Font<</F1 3 0 R>>>>", f"/Contents {5 + 2 * page} 0 R"
        objects += [
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]{font}{text}>>".encode(),
            b"<</Filter/FlateDecode/Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        ]
    if image:
        objects.append(b"<</Filter/DCTDecode/Length %d>>stream\n%s\nendstream" % (len(image), image))
    made, places = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", []
    for index, body in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (index, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    end = b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (size, len(made))
    return made + b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table) + end


def packed(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        for name, content in members.items():
            made.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return file.getvalue()


TYPES = b'<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
RELS = b'<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"/>'


def docx(number: int) -> bytes:
    body = f'<?xml version="1.0"?><x:body xmlns:x="urn:x">{prose(number, 300)}</x:body>'.encode()
    parts = {"word/document.xml": body, "word/media/image1.png": noise(number, 4000)}
    return packed({"[Content_Types].xml": TYPES, "_rels/.rels": RELS, **parts})


def postscript(number: int) -> bytes:
    lines = "".join(f"72 {700 - 12 * row} moveto ({prose(number + row, 1).strip()}) show\n" for row in range(50))
    return f"%!PS-Adobe-3.0\n%%Pages: 1\n%%EndComments\n/Times-Roman findfont 10 scalefont setfont\n{lines}showpage\n%%EOF\n".encode()


def djvu(number: int) -> bytes:
    info = struct.pack(">HHBBHBB", 800, 600, 24, 0, 300, 22, 1)
    scan = noise(number, 5000)
    body = b"DJVUINFO" + struct.pack(">I", len(info)) + info + b"Sjbz" + struct.pack(">I", len(scan)) + scan
    return b"AT&TFORM" + struct.pack(">I", len(body)) + body


# -- images --


def png(number: int, width: int = 60, height: int = 50, colour: int = 2, depth: int = 8, fill: bytes = b"") -> bytes:
    line = (width * depth * {0: 1, 2: 3}[colour] + 7) // 8
    raw = b"".join(b"\x00" + (fill * line if fill else noise(number * 1000 + row, line)) for row in range(height))

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")


def jpeg(number: int, size: int = 9000, *, progressive: bool = False) -> bytes:
    frame = 0xC2 if progressive else 0xC0
    segments = [
        (0xE0, b"JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"),
        (0xDB, b"\x00" + bytes(range(1, 65))),
        (frame, b"\x08" + struct.pack(">HH", 120, 120) + b"\x01\x01\x11\x00"),
        (0xC4, b"\x00" + bytes((0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0)) + bytes(range(12))),
        (0xC4, b"\x10" + bytes((0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125)) + bytes(range(162))),
    ]
    made = b"\xff\xd8" + b"".join(_segment(marker, body) for marker, body in segments)
    for part in range(3 if progressive else 1):
        scan = noise(number + part, size // (3 if progressive else 1)).replace(b"\xff", b"\xff\x00")
        made += _segment(0xDA, b"\x01\x01\x00\x00\x3f\x00") + scan
    return made + b"\xff\xd9"


def _segment(marker: int, body: bytes) -> bytes:
    return b"\xff" + bytes([marker]) + struct.pack(">H", len(body) + 2) + body


def gif(number: int, side: int = 64) -> bytes:
    scan = noise(number, 4000)
    blocks = b"".join(bytes([len(scan[at : at + 255])]) + scan[at : at + 255] for at in range(0, len(scan), 255))
    head = struct.pack("<HHBBB", side, side, 0xF7, 0, 0) + noise(number, 768)
    return b"GIF89a" + head + b"," + struct.pack("<HHHHB", 0, 0, side, side, 0) + b"\x08" + blocks + b"\x00;"


def tiff(number: int, size: int = 6000) -> bytes:
    values = (100, size // 100, 8, 1, 1, 8 + 2 + 8 * 12 + 4, size // 100, size)
    tags = zip((256, 257, 258, 259, 262, 273, 278, 279), values, strict=True)
    table = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags)
    return b"II*\x00" + struct.pack("<IH", 8, 8) + table + bytes(4) + noise(number, size)


def _box(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body) + 8) + name + body


def jp2(number: int) -> bytes:
    size = struct.pack(">HHIIIIIIIIHBBB", 41, 0, 64, 64, 0, 0, 64, 64, 0, 0, 1, 7, 1, 1)
    tile = noise(number, 5000).replace(b"\xff", b"\xfe")
    stream = b"\xff\x4f\xff\x51" + size + b"\xff\x52\x00\x0c" + bytes(10) + b"\xff\x5c\x00\x04\x40\x40"
    stream += b"\xff\x90" + struct.pack(">HHIBB", 10, 0, len(tile) + 14, 0, 1) + b"\xff\x93" + tile + b"\xff\xd9"
    head = _box(b"ihdr", struct.pack(">IIHBBBB", 64, 64, 1, 7, 7, 0, 0)) + _box(
        b"colr", b"\x01\x00\x00" + struct.pack(">I", 17)
    )
    sign = _box(b"jP  ", b"\r\n\x87\n") + _box(b"ftyp", b"jp2 \x00\x00\x00\x00jp2 ")
    return sign + _box(b"jp2h", head) + _box(b"jp2c", stream)


def _riff(kind: bytes, body: bytes) -> bytes:
    return b"RIFF" + struct.pack("<I", len(body) + 4) + kind + body


def webp(number: int) -> bytes:
    return _riff(b"WEBP", b"VP8L" + struct.pack("<I", 5000) + b"\x2f" + noise(number, 4999))


# -- sound and film --


def wav(number: int, size: int = 8000, *, silent: bool = False) -> bytes:
    form = b"fmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 8000, 1, 8)
    sound = b"\x00" * size if silent else noise(number, size)
    return _riff(b"WAVE", form + b"data" + struct.pack("<I", size) + sound)


def mp3(number: int, frames: int = 30) -> bytes:
    head = b"\xff\xfb\x90\x64"
    sound = b"".join(head + noise(number + frame, 413).replace(b"\xff", b"\xfe") for frame in range(frames))
    info = head + bytes(32) + b"Info" + struct.pack(">III", 3, frames, 417 * (frames + 1))
    return info.ljust(417, b"\x00") + sound


def mp4(number: int) -> bytes:
    index = _box(b"moov", _box(b"mvhd", bytes(100)) + _box(b"trak", bytes(200)))
    return _box(b"ftyp", b"isom\x00\x00\x02\x00isomiso2mp41") + index + _box(b"mdat", noise(number, 7000))


def fragmented(number: int) -> bytes:
    parts = b"".join(_box(b"moof", bytes(60)) + _box(b"mdat", noise(number + part, 2000)) for part in range(4))
    return _box(b"ftyp", b"iso5\x00\x00\x02\x00iso5dash") + _box(b"moov", _box(b"mvhd", bytes(100))) + parts


# -- archives --


def archive(number: int) -> bytes:
    return packed({"data/a.csv": rows(number), "data/b.bin": noise(number, 5000), "README.txt": text(number)})


def tarred(number: int) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as made:
        for index in range(3):
            member = tarfile.TarInfo(f"data/{index}.bin")
            member.size = 3000
            made.addfile(member, io.BytesIO(noise(number + index, 3000)))
    return file.getvalue()


def gzipped(number: int) -> bytes:
    return gzip.compress(noise(number, 6000), mtime=0)


def seven_zip(number: int) -> bytes:
    """Make an archive with one file, stored."""
    content = noise(number, 6000)
    size = b"\x97\x70"  # 6000, as 7z writes it
    name = b"\x00" + "data.bin".encode("utf-16-le") + b"\x00\x00"
    streams = b"\x04\x06\x00\x01\x09" + size + b"\x00\x07\x0b\x01\x00\x01\x01\x00\x0c" + size + b"\x00"
    streams += b"\x08\x0a\x01" + struct.pack("<I", zlib.crc32(content)) + b"\x00\x00"
    index = b"\x01" + streams + b"\x05\x01\x11" + bytes([len(name)]) + name + b"\x00\x00"
    start = struct.pack("<QQI", len(content), len(index), zlib.crc32(index))
    return b"7z\xbc\xaf\x27\x1c\x00\x04" + struct.pack("<I", zlib.crc32(start)) + start + content + index


def rar(number: int) -> bytes:
    """Make an archive of the fourth version with one file, stored."""
    content, name = noise(number, 6000), b"data.bin"

    def block(body: bytes) -> bytes:
        return struct.pack("<H", zlib.crc32(body) & 0xFFFF) + body

    main = block(b"\x73" + struct.pack("<HH", 0, 13) + bytes(6))
    about = struct.pack("<IIBIIBBHI", 6000, 6000, 2, zlib.crc32(content), 0, 20, 0x30, len(name), 32)
    member = block(b"\x74" + struct.pack("<HH", 0x8000, 7 + len(about) + len(name)) + about + name)
    return b"Rar!\x1a\x07\x00" + main + member + content + b"\xc4\x3d\x7b\x00\x40\x07\x00"


# -- data of programs --


def netcdf(number: int) -> bytes:
    count = 1500
    dims = struct.pack(">II", 10, 1) + struct.pack(">I", 1) + b"x\x00\x00\x00" + struct.pack(">I", count)
    variable = (
        struct.pack(">I", 1) + b"v\x00\x00\x00" + struct.pack(">II", 1, 0) + bytes(8) + struct.pack(">II", 5, 4 * count)
    )
    head = b"CDF\x01" + bytes(4) + dims + bytes(8) + struct.pack(">II", 11, 1) + variable
    return head + struct.pack(">I", len(head) + 4) + noise(number, 4 * count)


def hdf5(number: int) -> bytes:
    body = noise(number, 6000)
    size = 96 + len(body)
    nowhere = b"\xff" * 8
    head = b"\x89HDF\r\n\x1a\n" + bytes((0, 0, 0, 0, 0, 8, 8, 0)) + struct.pack("<HHI", 4, 16, 0)
    head += struct.pack("<Q", 0) + nowhere + struct.pack("<Q", size) + nowhere
    head += struct.pack("<QQII", 0, 96, 1, 0) + bytes(16)
    return head + body


def fits(number: int) -> bytes:
    cards = ("SIMPLE  =                    T", "BITPIX  =                   16", "NAXIS   =                    2")
    cards += ("NAXIS1  =                   60", f"NAXIS2  = {60:20d}", "END")  # type: ignore[assignment]
    head = "".join(card.ljust(80) for card in cards).encode().ljust(2880)
    body = noise(number, 60 * 60 * 2)
    return head + body + bytes(-len(body) % 2880)


def sav(number: int) -> bytes:
    chance, cases = random.Random(number), 200
    head = b"$FL2" + b"@(#) SPSS DATA FILE MS Windows Release 14.0 spssio32.dll".ljust(60)
    head += struct.pack("<IIIIId", 2, 3, 0, 0, cases, 100.0) + b"01 Jan 2012:00:00" + b"Interviews".ljust(64) + bytes(3)
    variables = b"".join(
        struct.pack("<IIIIII", 2, 0, 0, 0, 0x050802, 0x050802) + name
        for name in (b"AGE     ", b"WAGE    ", b"PARISH  ")
    )
    values = struct.pack(f"<{3 * cases}d", *(chance.random() * 90 for _ in range(3 * cases)))
    return head + variables + struct.pack("<II", 999, 0) + values


def dta(number: int) -> bytes:
    cases = 700
    head = (
        b"<stata_dta><header><release>118</release><byteorder>LSF</byteorder><K>\x01\x00</K><N>"
        + struct.pack("<Q", cases)
        + b"</N><label>\x00\x00</label><timestamp>\x00</timestamp></header><map>"
    )
    data_at = len(head) + 112 + 6 + 300
    middle = b"</map><variable_types>\xf6\xff</variable_types><varnames>" + b"wage".ljust(129, b"\x00") + b"</varnames>"
    values = b"<data>" + noise(number, 8 * cases) + b"</data><strls></strls><value_labels></value_labels></stata_dta>"
    end = len(head) + 112 + len(middle) + len(values)
    places = struct.pack("<14Q", 0, len(head), *([data_at] * 11), end)
    return head + places + middle + values
