"""Normal forms of Unicode, for texts of strangers.

`unicodedata.normalize` sorts the marks on a letter. The time grows with the square of their number: a title of 400 kB
takes minutes, and the process does nothing else meanwhile.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal
from unicodedata import combining, normalize

_MOST_MARKS: Final = 30  # on a letter: UAX #15 §13, Stream-Safe Text Format
_POSSIBLE: Final = re.compile(rf"[^\w\s]{{{_MOST_MARKS + 1},}}")  # no mark is a letter, a digit or a space


def normalized(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    """Return a text in a normal form of Unicode; no letter keeps more than 30 marks."""
    return text if text.isascii() else normalize(form, _POSSIBLE.sub(_bounded, text))


def _bounded(signs: re.Match[str]) -> str:
    kept, marks = [], 0
    for sign in signs[0]:
        marks = marks + 1 if combining(sign) else 0
        if marks <= _MOST_MARKS:
            kept.append(sign)
    return "".join(kept)


_MOST_CHARACTERS: Final = 4_000_000  # some characters become eighteen others


def letters(text: str) -> str:
    """Return only the letters and digits of a text, in lower case, without accents, for the comparison of titles."""
    folded = normalized("NFKD", text)[:_MOST_CHARACTERS].casefold()
    return "".join(filter(str.isalnum, folded))


# --- Tables as CSV (RFC 4180) in which no cell is a formula. Pure ----------------------------------------------------

CSV_TYPE = "text/csv; charset=UTF-8"
# A spreadsheet would run a cell that begins so. Some read the full-width forms of East Asian texts like the others.
# Where commas are decimal signs, a semicolon begins a new cell.
_FORMULA = re.compile(r"((?:^|;)[\s\"]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")


def as_csv(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    """Return rows of named values as CSV; a list is one cell, None is an empty one."""
    lines = (csv_line(cells) for cells in (columns, *([row[name] for name in columns] for row in rows)))
    return "".join(f"{line}\r\n" for line in lines)


def csv_line(cells: Iterable[object]) -> str:
    """Return one line of a table without its line end; a list is one cell, None is an empty one."""
    written = io.StringIO()
    csv.writer(written, lineterminator="").writerow(map(_cell, cells))
    return written.getvalue()


def _cell(value: object) -> str:
    text = "; ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)
    return harmless(text)


def harmless(text: str) -> str:
    """Return a text in one line, without NUL, and with an apostrophe before what a spreadsheet would run."""
    return _FORMULA.sub(r"\1'", " ".join(text.replace("\0", "").split()))
