"""Undoing Content-Encoding, whatever the header claims: announced and not done, done and not announced, mislabelled.

The size of what comes out is limited while it comes out, so that a few bytes cannot fill the memory.
"""

from __future__ import annotations

import zlib
from io import BytesIO
from typing import NamedTuple

from gateway.errors import AnswerTooLarge, ConnectionFailed

_GZIP = b"\x1f\x8b"
_ZLIB, _LEAST_ZLIB = 0x78, 6  # the first byte of zlib's frame with a window of 32 KiB; two bytes and four of a check
_STEP = 1 << 20  # bytes decompressed at once, at most
_TAKEN = 1 << 13  # compressed bytes taken at once: what stands behind a member of gzip is copied with each of them
_MOST_CODINGS = 3  # one inside the other
_GZIP_WINDOW, _ZLIB_WINDOW, _RAW_WINDOW = 31, 15, -15  # zlib's numbers for the three forms

_PLAIN_NAMES = {"x-gzip": "gzip"}

# Media types of files that are gzip themselves: what they hold is not ours to open.
_FILES = ("gzip", "x-gzip", "x-tar", "tgz", "x-compressed-tar", "zip")
_ANYTHING = ("octet-stream",)  # gzip in it is a file's own, unless the answer says that it is the encoding


class Content(NamedTuple):
    """What an answer holds, and a sentence when its Content-Encoding does not say what its bytes are."""

    body: bytes
    note: str = ""


def decoded(body: bytes, content_encoding: str, content_type: str, limit: int) -> Content:
    """Return the content of an answer of at most `limit` bytes.

    What the bytes are shows in their first ones, and counts more than what Content-Encoding says. Raise AnswerTooLarge
    beyond the limit, ConnectionFailed when the compressed form is damaged or breaks off.
    """
    if content_encoding.count(",") >= _MOST_CODINGS:
        raise ConnectionFailed(f"The answer is encoded more than {_MOST_CODINGS} times.")
    codings = [each.strip().lower() for each in content_encoding.split(",") if each.strip()]
    found: list[str] = []
    for coding in reversed(codings):
        if coding != "identity":
            body, form = _undone(body, coding, limit)
            found += [form] if form else []
    for _ in range(_MOST_CODINGS):
        inner, form = (body, "") if _is_of(content_type, _FILES + _ANYTHING) else _recognised(body, limit)
        if not form:
            break
        body, found = inner, [*found, form]
    stated = [_PLAIN_NAMES.get(each, each) for each in reversed(codings) if each != "identity"]
    return Content(body, "" if stated == found else _note(stated, found))


def _note(stated: list[str], found: list[str]) -> str:
    said = ", ".join(reversed(stated)) or "nothing"
    are = f"encoded as {', '.join(reversed(found))}" if found else "not encoded"
    return f"The Content-Encoding of the answer says {said}; its bytes are {are}, and were read so."


def _undone(body: bytes, coding: str, limit: int) -> tuple[bytes, str]:
    """Undo one encoding, and return which one it was: empty when there was none."""
    if not body:  # that of a redirect, say
        return body, _PLAIN_NAMES.get(coding, coding)
    if body.startswith(_GZIP):  # which no other form begins with
        return _inflated(body, _GZIP_WINDOW, limit), "gzip"
    if coding == "deflate":
        return _deflated(body, limit)
    if _is_markup(body):
        return body, ""
    other = _recognised(body, limit)
    if other[1] or coding in ("gzip", "x-gzip"):
        return other
    raise ConnectionFailed(f"The answer is encoded as {coding!r}, which was not asked for.")


def _recognised(body: bytes, limit: int) -> tuple[bytes, str]:
    """Undo the encoding that the first bytes show beyond doubt: that of zlib has a check at its end."""
    if body.startswith(_GZIP):
        return _inflated(body, _GZIP_WINDOW, limit), "gzip"
    if len(body) > _LEAST_ZLIB and body[0] == _ZLIB and int.from_bytes(body[:2]) % 31 == 0:
        try:
            return _inflated(body, _ZLIB_WINDOW, limit), "deflate"
        except ConnectionFailed:
            return body, ""
    return body, ""


def is_compressed_file(content_type: str) -> bool:
    """Tell whether this type is that of files which are compressed themselves, whatever the answer calls its encoding.

    Many servers announce the compression of such a file as that of the answer (Apache's `AddEncoding` for `.gz`).
    """
    return _is_of(content_type, _FILES)


def _is_of(content_type: str, endings: tuple[str, ...]) -> bool:
    return content_type.partition(";")[0].strip().lower().endswith(endings)


def _deflated(body: bytes, limit: int) -> tuple[bytes, str]:
    """Undo `deflate`: with zlib's frame as RFC 9110 has it, without as others do, or not compressed at all."""
    for window in (_ZLIB_WINDOW, _RAW_WINDOW):
        try:
            return _inflated(body, window, limit), "deflate"
        except ConnectionFailed as error:
            damaged = error
    if _is_markup(body):
        return body, ""
    raise damaged


def _is_markup(body: bytes) -> bool:
    """Tell whether this is not encoded at all; some call the character set an encoding (`Content-Encoding: UTF-8`)."""
    return body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def _inflated(body: bytes, window: int, limit: int) -> bytes:
    whole = BytesIO()  # which gives what it holds without a copy
    engine = zlib.decompressobj(window)
    place, rest = 0, b""
    while True:
        if not rest:
            rest, place = body[place : place + _TAKEN], place + _TAKEN
        part = _step(engine, rest)
        whole.write(part)
        if whole.tell() > limit:
            raise AnswerTooLarge(f"The answer has more than {limit} bytes, decompressed.")
        is_over = place >= len(body) and not engine.unconsumed_tail
        rest = engine.unconsumed_tail
        if engine.eof:
            place, rest = min(place, len(body)) - len(engine.unused_data), b""
            # gzip may have several members; anything else behind one is padding
            if window != _GZIP_WINDOW or body[place : place + len(_GZIP)] != _GZIP:
                return whole.getvalue()
            engine = zlib.decompressobj(window)
        elif is_over and not part:
            raise ConnectionFailed("The compressed answer breaks off.")


def _step(engine: zlib._Decompress, data: bytes) -> bytes:
    try:
        return engine.decompress(data, _STEP)
    except zlib.error as error:
        raise ConnectionFailed(f"The compressed answer is damaged: {error}.") from error
