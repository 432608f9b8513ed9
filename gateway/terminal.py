"""What may stand in a terminal: remote texts may hold anything, and a terminal obeys some of it."""

from __future__ import annotations

import re

from gateway.secret_arguments import without_secrets

# What commands a terminal, and what turns the direction of a line.
_COMMANDS = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")


def plain(text: str) -> str:
    """Return a text as it may stand in a terminal: in one line, without what would command it, and without secrets."""
    return without_secrets(_COMMANDS.sub(" ", text))
