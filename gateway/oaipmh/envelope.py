"""The frame around every answer (OAI-PMH 2.0 §3.2), as bytes; what is inside was made at publication.

The parts of an answer are joined with newlines; the first ends with the responseDate, so that everything after it is
what the answer says, whenever it is asked.
"""

from __future__ import annotations

from collections.abc import Iterable

from gateway.errors import OaiError
from gateway.xmltext import OAI_PMH, XSI, clean, escape, escape_attribute, utc_datetime

_HEAD = (
    f'<?xml version="1.0" encoding="UTF-8"?>\n'
    f'<OAI-PMH xmlns="{OAI_PMH}" xmlns:xsi="{XSI}" '
    f'xsi:schemaLocation="{OAI_PMH} http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd">\n'
)
CLOSING = b"</OAI-PMH>\n"


def opening(second: int) -> bytes:
    """Return everything up to and with the responseDate."""
    return f"{_HEAD}<responseDate>{utc_datetime(second)}</responseDate>".encode()


def request(base_url: str, given: Iterable[tuple[str, str]]) -> bytes:
    """Return the `<request>` element; `given` must be empty after badVerb and badArgument."""
    attributes = "".join(f' {name}="{escape_attribute(value)}"' for name, value in given)
    return f"<request{attributes}>{escape(base_url)}</request>".encode()


def error(mistake: OaiError) -> bytes:
    """Return one `<error>` element."""
    return f'<error code="{mistake.code}">{escape(clean(str(mistake)))}</error>'.encode()


def element(name: str, text: str) -> bytes:
    """Return an element with text, which is cleaned and escaped."""
    return f"<{name}>{escape(clean(text))}</{name}>".encode()


def resumption_token(text: str, cursor: int, total: int, expires: int) -> bytes:
    """Return a `<resumptionToken>`, empty when `text` is; `expires` is its last second, 0 for none (§3.5).

    An empty one has both its tags: harvesters that read answers with regular expressions stumble over the short form.
    """
    date = f' expirationDate="{utc_datetime(expires)}"' if expires and text else ""
    return f'<resumptionToken{date} completeListSize="{total}" cursor="{cursor}">{text}</resumptionToken>'.encode()
