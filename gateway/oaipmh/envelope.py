"""The elements around every answer (OAI-PMH 2.0 §3.2), as bytes; the records inside were made at publication.

Each part of an answer is a line. The first part ends with the responseDate, so all further parts do not
depend on the time of the request.
"""

from collections.abc import Iterable

from gateway.core.errors import OaiError
from gateway.core.xmltext import OAI_PMH, XSI, clean, escape, escape_attribute, utc_datetime

_HEAD = (
    f'<?xml version="1.0" encoding="UTF-8"?>\n'
    f'<OAI-PMH xmlns="{OAI_PMH}" xmlns:xsi="{XSI}" '
    f'xsi:schemaLocation="{OAI_PMH} http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd">\n'
)
CLOSING = b"</OAI-PMH>"


def opening(second: int) -> bytes:
    """Return the answer up to and including the responseDate, which is `second` (since 1970, UTC)."""
    return f"{_HEAD}<responseDate>{utc_datetime(second)}</responseDate>".encode()


def request(base_url: str, given: Iterable[tuple[str, str]]) -> bytes:
    """Return the `<request>` element; `given` must be empty after badVerb and badArgument (OAI-PMH 2.0 §3.2)."""
    attributes = "".join(f' {name}="{escape_attribute(value)}"' for name, value in given)
    return f"<request{attributes}>{escape(base_url)}</request>".encode()


def error(mistake: OaiError) -> bytes:
    """Return one `<error>` element (OAI-PMH 2.0 §3.6)."""
    return f'<error code="{mistake.code}">{escape(clean(str(mistake)))}</error>'.encode()


def element(name: str, text: str) -> bytes:
    """Return an element with text, in which illegal characters are removed and markup is escaped."""
    return f"<{name}>{escape(clean(text))}</{name}>".encode()


def resumption_token(text: str, cursor: int, total: int, expires: int) -> bytes:
    """Return a `<resumptionToken>` (OAI-PMH 2.0 §3.5), empty if `text` is; `expires` is its last second, 0: none.

    An empty element has a start tag and an end tag: harvesters that use regular expressions fail at the short form.
    """
    date = f' expirationDate="{utc_datetime(expires)}"' if expires and text else ""
    return f'<resumptionToken{date} completeListSize="{total}" cursor="{cursor}">{text}</resumptionToken>'.encode()
