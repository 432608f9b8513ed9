"""Text for a terminal: texts from outside may contain control characters, and a terminal obeys them."""

from __future__ import annotations

import re

from gateway.secret_arguments import without_secrets

# Control characters, and characters that change the direction of a line.
_COMMANDS = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")


def plain(text: str) -> str:
    """Return a text for a terminal: in one line, without control characters, and without secrets in addresses."""
    return without_secrets(_COMMANDS.sub(" ", text))
