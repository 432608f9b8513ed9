"""What is drawn at random is drawn anew for each state of the program, and for the same state in the same way.

So a build that was green stays green, and every change of the program tries something else.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from zlib import crc32

_PACKAGES = ("gateway", "harvester")


def seed_of(variable: str) -> int:
    """Return the seed that this environment variable names, else the one of the program's present state."""
    return int(os.environ.get(variable, "") or _of_the_program())


@cache
def _of_the_program() -> int:
    root = Path(__file__).parent.parent
    checksum = 0
    for package in _PACKAGES:
        for file in sorted((root / package).rglob("*.py")):
            checksum = crc32(file.read_bytes(), checksum)
    return checksum
