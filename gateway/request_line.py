"""Makes the query in the first line of a request legal, so that a client that forgot to escape it gets an OAI answer.

Many harvesters, and people with a command line, send other letters than ASCII unescaped. Only the query is changed: the
path must have the same meaning here as in the proxies before us.
"""

from __future__ import annotations

import re
from urllib.parse import quote_from_bytes

# RFC 9112 §3.2 and RFC 3986 §2: a request target is visible ASCII.
_FORBIDDEN = re.compile(rb"[^\x21-\x7e]")
_VISIBLE = bytes(range(0x21, 0x7F))


def escaped(line: bytes) -> bytes:
    """Return a request line in which bytes that HTTP forbids in a query are percent-encoded; the rest is unchanged."""
    method, _, rest = line.partition(b" ")
    target, _, version = rest.rpartition(b" ")
    path, mark, query = target.partition(b"?")
    if not mark:
        return line
    if _FORBIDDEN.search(query):
        query = quote_from_bytes(query, safe=_VISIBLE).encode()
    return b" ".join((method, path + mark + query, version))
