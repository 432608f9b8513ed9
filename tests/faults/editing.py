"""Small changes of answers: what quirks are made of."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from xml.sax.saxutils import escape

from tests.faults.site import Asked, Said
from tests.faults.source import error

_TOKEN = re.compile(rb"(<resumptionToken[^>]*?)(/>|>([^<]*)</resumptionToken>)")
_ANSWER = re.compile(rb"(?s)(<request[^>]*>[^<]*</request>\n).*(\n</OAI-PMH>)")
HTML = b"<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>Please wait &nbsp;</body></html>"


def edited(said: Said, pattern: bytes, replacement: bytes | Callable[[re.Match[bytes]], bytes], count: int = 0) -> Said:
    """Return the answer with a regular expression replaced in its body."""
    return said._replace(body=re.sub(pattern, replacement, said.body, count=count))


def token_of(said: Said) -> str:
    """Return the resumptionToken of an answer; empty: none, or the last."""
    found = _TOKEN.search(said.body)
    return unescape((found[3] or b"").decode()) if found else ""


def with_token(said: Said, token: str) -> Said:
    """Return the answer with another resumptionToken; its attributes stay. An answer without one gets one."""
    written = escape(token).encode()
    if _TOKEN.search(said.body):
        return edited(said, _TOKEN.pattern, lambda found: b"%s>%s</resumptionToken>" % (found[1], written))
    return edited(said, rb"</(ListRecords|ListIdentifiers)>", b"<resumptionToken>%s</resumptionToken></\\1>" % written)


def cursor_of(said: Said) -> int:
    """Return the cursor of an answer; 0 when it tells none."""
    found = re.search(rb'cursor="(\d+)"', said.body)
    return int(found[1]) if found else 0


def size_of(said: Said) -> int:
    """Return how many records or headers an answer has."""
    return said.body.count(b"</header>")


def refused(said: Said, code: str, sentence: str = "") -> Said:
    """Return the answer with an error of the protocol instead of what it says."""
    return _saying(said, error(code, sentence).encode())


def emptied(said: Said, verb: str, token: str = "") -> Said:
    """Return the answer with an empty list instead of what it says."""
    told = f"<resumptionToken>{escape(token)}</resumptionToken>" if token else ""
    return _saying(said, f"<{verb}>{told}</{verb}>".encode())


def _saying(said: Said, body: bytes) -> Said:
    return edited(said, _ANSWER.pattern, lambda found: found[1] + body + found[2])


def is_middle(asked: Asked, said: Said) -> bool:
    """Tell whether this is a later page of a list of records, and not the last."""
    return asked.is_list and bool(asked.token and token_of(said))


def is_last(asked: Asked, said: Said) -> bool:
    """Tell whether this is the last page of several of a list of records."""
    return asked.is_list and bool(asked.token) and size_of(said) > 0 and not token_of(said)
