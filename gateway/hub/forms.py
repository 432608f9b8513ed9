"""Reads the form of a subscriber (WebSub, 2018, §5.1). Pure."""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple
from urllib.parse import parse_qsl

from gateway.model import HubMode

MOST_BYTES: Final = 16_384  # of a form
LEAST_LEASE: Final = 300
MOST_LEASE: Final = 30 * 86_400
_MOST_FIELDS: Final = 100
_MOST_SECRET: Final = 200  # bytes; a secret must be shorter
_MOST_DIGITS: Final = 12
_OURS: Final = ("hub.callback", "hub.mode", "hub.topic", "hub.lease_seconds", "hub.secret")


class Form(NamedTuple):
    """What a subscriber asks for. `lease_seconds` is within our bounds; an empty secret: no signatures."""

    callback: str
    topic: str
    mode: HubMode
    secret: str
    lease_seconds: int


def read(body: bytes, lease_seconds: int) -> Form | str:
    """Return the form in a body, or a sentence that says what is wrong.

    `lease_seconds` is the lease if the subscriber names none. Fields that WebSub does not know are ignored.
    """
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict")
    except ValueError:
        return f"The body is no form in UTF-8, percent-encoded, of at most {_MOST_FIELDS} fields."
    counts = Counter(name for name, _ in pairs)
    if repeated := [name for name in _OURS if counts[name] > 1]:
        return f"{repeated[0]} is repeated."
    given = dict(pairs)
    secret = given.get("hub.secret", "")
    if given.get("hub.mode") not in tuple(HubMode):
        return "hub.mode must be subscribe or unsubscribe."
    if len(secret.encode()) >= _MOST_SECRET:
        return f"hub.secret must have less than {_MOST_SECRET} bytes."
    lease = _lease(given.get("hub.lease_seconds", ""), lease_seconds)
    if lease is None:
        return "hub.lease_seconds must be a positive number."
    return Form(given.get("hub.callback", ""), given.get("hub.topic", ""), HubMode(given["hub.mode"]), secret, lease)


def _lease(text: str, usual: int) -> int | None:
    """Return the lease within our bounds; None if the text is no positive number."""
    if not text:
        return usual
    if not (text.isascii() and text.isdigit()) or len(text) > _MOST_DIGITS or not int(text):
        return None
    return min(max(int(text), LEAST_LEASE), MOST_LEASE)
