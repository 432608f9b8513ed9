"""The name of the person who calls a command, for decisions, takedowns and the log."""

from __future__ import annotations

import getpass
import os

from gateway.fulltext.decisions import RULE
from gateway.model import name_key


def whoever_calls() -> str:
    """Return the name of the calling user, or the number of a user without a name that can be stored.

    `rule` is no name: what rules decide is under it.
    """
    try:
        name = getpass.getuser()
    except (KeyError, OSError):  # as Python 3.13 has it
        name = ""
    return name if name.isprintable() and name_key(name) not in ("", RULE) else f"user {os.getuid()}"
