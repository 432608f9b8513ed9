"""Files as they are offered for full text: right and wrong ones, of kinds that archives meet, made by this project.

`kinds` returns them all. A new kind is a block of `kinds.txt`, or a function below `right` or `wrong` in the module that it
is closest to.
"""

from __future__ import annotations

from pathlib import Path

from tests.fulltext.corpus import articles, cut, heads, lookalikes, notices, others, parts, titles, versions
from tests.fulltext.corpus.cases import KINDS, Case, Kind
from tests.fulltext.corpus.scripts import read_kinds

__all__ = ["Case", "Kind", "kinds"]
_MODULES = (articles, cut, versions, titles, lookalikes, heads, notices, parts, others)  # each adds its kinds
read_kinds((Path(__file__).parent / "kinds.txt").read_text(encoding="utf-8"))


def kinds() -> tuple[Kind, ...]:
    """Return every kind of file, right ones first."""
    assert _MODULES
    return tuple(sorted(KINDS, key=lambda kind: not kind.is_right))
