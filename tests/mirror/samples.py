"""Small whole files of many kinds, each another by its number."""

from __future__ import annotations

import gzip as compression
import io
import json
import random
import struct
import zipfile
import zlib


def _noise(number: int, size: int) -> bytes:
    return random.Random(number).randbytes(size)


def pdf(number: int, size: int = 6000) -> bytes:
    stream = zlib.compress(_noise(number, size))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R>>",
        b"<</Filter/FlateDecode/Length %d>>stream\n%s\nendstream" % (len(stream), stream),
    ]
    text, places = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", []
    for index, body in enumerate(objects, 1):
        places.append(len(text))
        text += b"%d 0 obj\n%s\nendobj\n" % (index, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer\n<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % len(text)
    return text + b"xref\n0 5\n0000000000 65535 f \n" + table + end


def png(number: int, side: int = 48) -> bytes:
    rows = b"".join(b"\x00" + _noise(number * 1000 + row, side * 3) for row in range(side))

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def jpeg(number: int, size: int = 6000) -> bytes:
    scan = _noise(number, size).replace(b"\xff", b"\xff\x00")
    segments = (
        (0xE0, b"JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"),
        (0xDB, b"\x00" + bytes(range(1, 65))),
        (0xC0, b"\x08\x00\x10\x00\x10\x01\x01\x11\x00"),
        (0xDA, b"\x01\x01\x00\x00\x3f\x00"),
    )
    text = b"".join(b"\xff" + bytes([marker]) + struct.pack(">H", len(body) + 2) + body for marker, body in segments)
    return b"\xff\xd8" + text + scan + b"\xff\xd9"


def gif(number: int, size: int = 3000) -> bytes:
    data = _noise(number, size).replace(b";", b":")
    blocks = b"".join(bytes([len(data[at : at + 200])]) + data[at : at + 200] for at in range(0, size, 200))
    return b"GIF89a\x10\x00\x10\x00\x00\x00\x00,\x00\x00\x00\x00\x10\x00\x10\x00\x00\x08" + blocks + b"\x00;"


def tiff(number: int, size: int = 6000) -> bytes:
    data = _noise(number, size)
    entries = ((256, 4, 1, 100), (257, 4, 1, 60), (273, 4, 1, 74), (279, 4, 1, size), (262, 3, 1, 1))
    table = b"".join(struct.pack("<HHII", *entry) for entry in entries)
    return (b"II*\x00\x08\x00\x00\x00" + struct.pack("<H", 5) + table + b"\x00" * 4).ljust(74, b"\x00") + data


def archive(number: int, name: str = "data.bin", size: int = 6000) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(zipfile.ZipInfo(name), _noise(number, size))
        made.writestr(zipfile.ZipInfo("readme.txt"), f"Number {number}")
    return file.getvalue()


def docx(number: int) -> bytes:
    return archive(number, "word/document.xml")


def gzipped(number: int, size: int = 6000) -> bytes:
    return compression.compress(_noise(number, size), mtime=0)


def mp4(number: int, size: int = 6000) -> bytes:
    boxes = ((b"ftyp", b"isom\x00\x00\x02\x00isom"), (b"moov", b"\x00" * 40), (b"mdat", _noise(number, size)))
    return b"".join(struct.pack(">I", len(body) + 8) + name + body for name, body in boxes)


def text(number: int, lines: int = 40) -> bytes:
    chance = random.Random(number)
    words = "the of letters corpus interviews village harbour spoken table recorded year north island".split()  # noqa: SIM905
    return "".join(" ".join(chance.choices(words, k=9)) + ".\n" for _ in range(lines)).encode()


def xml(number: int) -> bytes:
    rows = "".join(f"<p n='{line}'>{text(number + line, 1).decode().strip()}</p>\n" for line in range(60))
    return f"<?xml version='1.0' encoding='UTF-8'?>\n<TEI><text>{rows}</text></TEI>\n".encode()


def page(number: int) -> bytes:
    body = "".join(f"<p>{text(number + line, 2).decode()}</p>" for line in range(40))
    return f"<!DOCTYPE html><html><head><title>Interview {number}</title></head><body>{body}</body></html>".encode()


def data(number: int) -> bytes:
    rows = [{"line": line, "text": text(number + line, 1).decode()} for line in range(40)]
    return json.dumps({"number": number, "rows": rows}).encode()
