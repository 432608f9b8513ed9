"""Tables as CSV (RFC 4180) in which no cell is a formula. Pure."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

CSV_TYPE = "text/csv; charset=UTF-8"
# A spreadsheet would run a cell that begins so. Some read the full-width forms of East Asian texts like the others.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def as_csv(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    """Return rows of named values as CSV; a list is one cell, None is an empty one."""
    target = io.StringIO()
    table = csv.writer(target)
    table.writerow(columns)
    for row in rows:
        table.writerow([_cell(row[name]) for name in columns])
    return target.getvalue()


def _cell(value: object) -> str:
    text = "; ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)
    text = " ".join(text.replace("\0", "").split())
    return f"'{text}" if text.startswith(_FORMULA) else text
