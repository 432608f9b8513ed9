"""Small changes of answers: what quirks are made of."""

import re
from collections.abc import Callable
from html import unescape
from xml.sax.saxutils import escape

from tests.faults.site import Asked, Said
from tests.faults.source import error

_TOKEN = re.compile(rb"(<resumptionToken[^>]*?)(/>|>([^<]*)</resumptionToken>)")
_ANSWER = re.compile(rb"(?s)(<request[^>]*>[^<]*</request>\n).*(\n</OAI-PMH>)")
HTML = b"<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>Please wait &nbsp;</body></html>"


def edited(
    answer: Said, pattern: bytes, replacement: bytes | Callable[[re.Match[bytes]], bytes], count: int = 0
) -> Said:
    """Return the answer with a regular expression replaced in its body."""
    return answer._replace(body=re.sub(pattern, replacement, answer.body, count=count))


def token_of(answer: Said) -> str:
    """Return the resumptionToken of an answer; empty: none, or the last."""
    match = _TOKEN.search(answer.body)
    return unescape((match[3] or b"").decode()) if match else ""


def with_token(answer: Said, token: str) -> Said:
    """Return the answer with another resumptionToken; its attributes stay. An answer without one gets one."""
    written = escape(token).encode()
    if _TOKEN.search(answer.body):
        return edited(answer, _TOKEN.pattern, lambda match: b"%s>%s</resumptionToken>" % (match[1], written))
    return edited(
        answer, rb"</(ListRecords|ListIdentifiers)>", b"<resumptionToken>%s</resumptionToken></\\1>" % written
    )


def cursor_of(answer: Said) -> int:
    """Return the cursor of an answer; 0 when it tells none."""
    match = re.search(rb'cursor="(\d+)"', answer.body)
    return int(match[1]) if match else 0


def size_of(answer: Said) -> int:
    """Return how many records or headers an answer has."""
    return answer.body.count(b"</header>")


def refused(answer: Said, code: str, sentence: str = "") -> Said:
    """Return the answer with an error of the protocol instead of what it says."""
    return _saying(answer, error(code, sentence).encode())


def emptied(answer: Said, verb: str, token: str = "") -> Said:
    """Return the answer with an empty list instead of what it says."""
    element = f"<resumptionToken>{escape(token)}</resumptionToken>" if token else ""
    return _saying(answer, f"<{verb}>{element}</{verb}>".encode())


def _saying(answer: Said, body: bytes) -> Said:
    return edited(answer, _ANSWER.pattern, lambda match: match[1] + body + match[2])


def is_middle(asked: Asked, answer: Said) -> bool:
    """Tell whether this is a later page of a list of records, and not the last."""
    return asked.is_list and bool(asked.token and token_of(answer))


def is_last(asked: Asked, answer: Said) -> bool:
    """Tell whether this is the last page of several of a list of records."""
    return asked.is_list and bool(asked.token) and size_of(answer) > 0 and not token_of(answer)
