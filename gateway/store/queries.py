"""Loads named SQL. Every query is in a `.sql` file beside its module, with its name and one sentence above it.

    -- name: position
    -- The number of the last inbox page of a source that was published.
    select position from source where name = ?;

The file of every dialect has the same names; a test compares them with those that the code uses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

_QUERY = re.compile(
    r"^-- name: (?P<name>\w+)\n-- (?P<sentence>[^\n]+)\n(?P<text>.*?;)[ \t]*$", re.MULTILINE | re.DOTALL
)


def load(dialect: str) -> Mapping[str, str]:
    """Return the queries of the file `<dialect>.sql`, by name."""
    return load_file(Path(__file__).with_name(f"{dialect}.sql"))


def load_file(file: Path) -> Mapping[str, str]:
    """Return the queries of a file, by name. Raise OSError."""
    text = file.read_text("utf-8")
    return MappingProxyType({query["name"]: query["text"].removesuffix(";") for query in _QUERY.finditer(text)})
