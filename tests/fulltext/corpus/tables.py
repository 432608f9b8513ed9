"""Tables of words: labels of other documents, lines around titles of articles, and what works are made of.

Rules are developed on those at even places of a part. Those at odd places are held back.
"""

from __future__ import annotations

import re
from pathlib import Path


def table(name: str, between: str = "\n") -> dict[str, tuple[str, ...]]:
    """Return the parts of a table by their names."""
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    parts = re.split(r"^\[(\w+)\]$", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE), flags=re.MULTILINE)
    lines = (between.join(part.strip().split("\n")).split(between) for part in parts[2::2])
    return dict(zip(parts[1::2], map(tuple, lines), strict=True))


LABELS, HEADS = table("labels.txt", " | "), table("heads.txt")
