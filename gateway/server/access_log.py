"""The access log: one line per request, in the Combined Log Format or as a JSON object.

Text of clients is cut, and every character except visible ASCII is escaped. So no client can end a line or a quote,
send control characters to a terminal, or write bytes that are not UTF-8.
"""

import json
import time
from typing import NamedTuple

_MOST = 2000  # characters of what a client wrote


class Entry(NamedTuple):
    """One request and its answer. `code` is the HTTP status, 0 if there was no answer; `seconds` is the duration.

    `sent_bytes` counts the bytes of the body that were written.
    """

    client: str
    request_line: bytes
    code: int
    sent_bytes: int
    seconds: float
    referer: bytes = b""
    user_agent: bytes = b""


def escaped(sent: bytes) -> str:
    r"""Return the first 2,000 bytes as visible ASCII without quotes; every other byte becomes `\xNN`."""
    shown = "".join(_ESCAPES[byte] for byte in sent[:_MOST])
    return shown + ("..." if len(sent) > _MOST else "")


_ESCAPES = [chr(byte) if 0x20 <= byte < 0x7F and byte not in b'"\\' else f"\\x{byte:02x}" for byte in range(256)]  # noqa: PLR2004


def line(entry: Entry, now: float) -> str:
    """Return an entry in the Combined Log Format, without a line end; `now` is in seconds since 1970."""
    when = time.strftime("%d/%b/%Y:%H:%M:%S %z", time.localtime(now))
    asked, referer, agent = (escaped(sent) or "-" for sent in (entry.request_line, entry.referer, entry.user_agent))
    return f'{entry.client or "-"} - - [{when}] "{asked}" {entry.code:03} {entry.sent_bytes} "{referer}" "{agent}"'


def json_line(entry: Entry, now: float) -> str:
    """Return an entry as a JSON object, without a line end; `now` is in seconds since 1970 and written in UTC."""
    return json.dumps(
        {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now)),
            "client": entry.client,
            "request": escaped(entry.request_line),
            "status": entry.code,
            "bytes": entry.sent_bytes,
            "seconds": round(entry.seconds, 6),
            "referer": escaped(entry.referer),
            "user_agent": escaped(entry.user_agent),
        }
    )
