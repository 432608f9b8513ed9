"""Pages and XML in UTF-16, which some servers and programs for Windows write. Pure."""

from __future__ import annotations

import codecs

_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def as_utf8(body: bytes) -> bytes:
    """Return bytes in UTF-8 if they begin with the byte order mark of UTF-16; else unchanged. Never raise an error."""
    if not body.startswith(_MARKS) or body.startswith(codecs.BOM_UTF32_LE):
        return body
    return body.decode("utf-16", "replace").encode("utf-8", "replace")
