"""Loads named SQL. Every query is in a `.sql` file, with its name and one sentence above it.

    -- name: position
    -- The number of the last inbox page of a source that was published.
    select position from source where name = ?;

Those of the databases of an instance are in `sql/`. Both SQLite and PostgreSQL accept them, but for what
`postgres/dialect.py` rewrites by rule; a test prepares each of them on both.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

_QUERY = re.compile(
    r"^-- name: (?P<name>\w+)\n-- (?P<sentence>[^\n]+)\n(?P<text>.*?;)[ \t]*$", re.MULTILINE | re.DOTALL
)


def load(database: str) -> Mapping[str, str]:
    """Return the queries of the file `sql/<database>.sql`, by name; none if it is missing."""
    file = Path(__file__).parent / "sql" / f"{database}.sql"
    return load_file(file) if file.exists() else {}


def load_file(file: Path) -> Mapping[str, str]:
    """Return the queries of a file, by name. Raise OSError."""
    text = file.read_text("utf-8")
    return MappingProxyType({query["name"]: query["text"].removesuffix(";") for query in _QUERY.finditer(text)})
