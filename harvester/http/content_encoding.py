"""Decoding of Content-Encoding (RFC 9110 §8.4), even where the header is wrong or missing. Pure.

The size is limited while the body is decompressed, so that a few bytes cannot fill the memory.
"""

from __future__ import annotations

import zlib
from io import BytesIO
from typing import NamedTuple

from gateway.core.errors import AnswerTooLarge, ConnectionFailed

_GZIP = b"\x1f\x8b"
_ZLIB, _LEAST_ZLIB = 0x78, 6  # the first byte of zlib's frame with a window of 32 KiB; two bytes and four of a check
_STEP = 1 << 20  # bytes decompressed at once, at most
_TAKEN = 1 << 13  # compressed bytes taken at once: the rest after a member of gzip is copied with each of them
_MOST_CODINGS = 3  # one inside the other
_GZIP_WINDOW, _ZLIB_WINDOW, _RAW_WINDOW = 31, 15, -15  # zlib's numbers for the three forms

_PLAIN_NAMES = {"x-gzip": "gzip"}

# Media types of files that are compressed themselves. They are not decompressed.
_FILES = ("gzip", "x-gzip", "x-tar", "tgz", "x-compressed-tar", "zip")
_ANYTHING = ("octet-stream",)  # gzip in it belongs to the file, unless Content-Encoding names it


class Content(NamedTuple):
    """The decoded body of an answer, and a sentence when its Content-Encoding was wrong."""

    body: bytes
    note: str = ""


def decoded(body: bytes, content_encoding: str, content_type: str, limit: int) -> Content:
    """Return the decoded content of an answer, of at most `limit` bytes.

    The first bytes of the body decide its encoding, not the header. Raise AnswerTooLarge beyond the limit, and
    ConnectionFailed when the compressed form is damaged, truncated or unknown.
    """
    if content_encoding.count(",") >= _MOST_CODINGS:
        raise ConnectionFailed(f"The answer is encoded more than {_MOST_CODINGS} times.")
    codings = [part.strip().lower() for part in content_encoding.split(",") if part.strip()]
    undone: list[str] = []
    for coding in reversed(codings):
        if coding != "identity":
            body, form = _undone(body, coding, limit)
            undone += [form] if form else []
    for _ in range(_MOST_CODINGS):
        inner, form = (body, "") if _is_of(content_type, _FILES + _ANYTHING) else _recognised(body, limit)
        if not form:
            break
        body, undone = inner, [*undone, form]
    stated = [_PLAIN_NAMES.get(coding, coding) for coding in reversed(codings) if coding != "identity"]
    return Content(body, "" if stated == undone else _note(stated, undone))


def _note(stated: list[str], decoded: list[str]) -> str:
    named = ", ".join(reversed(stated)) or "nothing"
    are = f"encoded as {', '.join(reversed(decoded))}" if decoded else "not encoded"
    return f"The Content-Encoding of the answer says {named}; its bytes are {are}. They were read as such."


def _undone(body: bytes, coding: str, limit: int) -> tuple[bytes, str]:
    """Return the body without one encoding, and the name of that encoding: empty when there was none."""
    if not body:  # of a redirect, for example
        return body, _PLAIN_NAMES.get(coding, coding)
    if body.startswith(_GZIP):  # no other form begins like this
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
    """Return the body without the encoding that its first bytes prove. zlib has a checksum at its end."""
    if body.startswith(_GZIP):
        return _inflated(body, _GZIP_WINDOW, limit), "gzip"
    if len(body) > _LEAST_ZLIB and body[0] == _ZLIB and int.from_bytes(body[:2]) % 31 == 0:
        try:
            return _inflated(body, _ZLIB_WINDOW, limit), "deflate"
        except ConnectionFailed:
            return body, ""
    return body, ""


def is_compressed_file(content_type: str) -> bool:
    """Return whether files of this media type are compressed themselves, whatever Content-Encoding says.

    Many servers state the compression of such a file as Content-Encoding (Apache's `AddEncoding` for `.gz`).
    """
    return _is_of(content_type, _FILES)


def _is_of(content_type: str, endings: tuple[str, ...]) -> bool:
    return content_type.partition(";")[0].strip().lower().endswith(endings)


def _deflated(body: bytes, limit: int) -> tuple[bytes, str]:
    """Undo `deflate`: with the frame of zlib (RFC 9110 §8.4.1.2), without it, or not compressed at all."""
    for window in (_ZLIB_WINDOW, _RAW_WINDOW):
        try:
            return _inflated(body, window, limit), "deflate"
        except ConnectionFailed as error:
            damaged = error
    if _is_markup(body):
        return body, ""
    raise damaged


def _is_markup(body: bytes) -> bool:
    """Return whether this is not encoded at all. Some servers send a character set (`Content-Encoding: UTF-8`)."""
    return body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def _inflated(body: bytes, window: int, limit: int) -> bytes:
    whole = BytesIO()  # returns its content without a copy
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
            # gzip may have several members; any other bytes after one are padding
            if window != _GZIP_WINDOW or body[place : place + len(_GZIP)] != _GZIP:
                return whole.getvalue()
            engine = zlib.decompressobj(window)
        elif is_over and not part:
            raise ConnectionFailed("The compressed answer is truncated.")


def _step(engine: zlib._Decompress, data: bytes) -> bytes:
    try:
        return engine.decompress(data, _STEP)
    except zlib.error as error:
        raise ConnectionFailed(f"The compressed answer is damaged: {error}.") from error
