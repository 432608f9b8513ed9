"""Files as they are offered for full text: right and wrong ones, of kinds that archives meet, made by this project.

`kinds` returns them all. A new kind is one function below `right` or `wrong` in the module that it is closest to.
"""

from __future__ import annotations

from tests.fulltext.corpus import articles, cut, heads, lookalikes, notices, others, parts, titles, unusual, versions
from tests.fulltext.corpus.cases import KINDS, Case, Kind

__all__ = ["Case", "Kind", "kinds"]
_MODULES = (
    articles,
    cut,
    versions,
    titles,
    lookalikes,
    heads,
    notices,
    parts,
    others,
    unusual,
)  # each adds its kinds when it is imported


def kinds() -> tuple[Kind, ...]:
    """Return every kind of file, right ones first."""
    assert _MODULES
    return tuple(sorted(KINDS, key=lambda kind: not kind.is_right))
