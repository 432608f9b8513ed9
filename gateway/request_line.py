"""The first line of a request, made legal where only its query is not: who forgot to escape it gets an OAI answer.

Many harvesters, and people with a command line, send letters beyond ASCII as they are. Nothing but the query is
touched: a path means to proxies in front of us what it means here.
"""

from __future__ import annotations

import re
from urllib.parse import quote_from_bytes

# RFC 9112 §3.2 and RFC 3986 §2: a request target is visible ASCII.
_FORBIDDEN = re.compile(rb"[^\x21-\x7e]")
_VISIBLE = bytes(range(0x21, 0x7F))


def escaped(line: bytes) -> bytes:
    """Return a request line with what HTTP forbids in a query percent-encoded; everything else stays as it is."""
    method, _, rest = line.partition(b" ")
    target, _, version = rest.rpartition(b" ")
    path, mark, query = target.partition(b"?")
    if not mark:
        return line
    if _FORBIDDEN.search(query):
        query = quote_from_bytes(query, safe=_VISIBLE).encode()
    return b" ".join((method, path + mark + query, version))
