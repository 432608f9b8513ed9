"""What may stand in a terminal: remote texts may hold anything, and a terminal obeys some of it."""

from __future__ import annotations

import re

# What commands a terminal, and what turns the direction of a line.
_COMMANDS = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")


def plain(text: str) -> str:
    """Return a text as it may stand in a terminal: in one line, and without what would command it."""
    return _COMMANDS.sub(" ", text)
