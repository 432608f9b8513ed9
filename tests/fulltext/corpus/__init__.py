"""Files as they are offered for full text: right and wrong ones, of kinds that archives meet, made by this project.

`kinds` returns them all. A new kind is a block of `kinds.txt`; `scripts.py` says what its lines mean.
"""

from pathlib import Path

from tests.fulltext.corpus.scripts import Case, Kind, read_kinds

__all__ = ["Case", "Kind", "kinds"]


def kinds() -> tuple[Kind, ...]:
    """Return every kind of file, right ones first."""
    text = Path(__file__).with_name("kinds.txt").read_text(encoding="utf-8")
    return tuple(sorted(read_kinds(text), key=lambda kind: not kind.is_right))
