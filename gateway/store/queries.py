"""Loads named SQL. Every query is in a `.sql` file, with its name and one sentence above it.

    -- name: position
    -- The number of the last inbox page of a source that was published.
    select position from source where name = ?;

Those of the databases of an instance are in `sql/`. Both SQLite and PostgreSQL accept them, but for what
`postgres/dialect.py` rewrites by rule; a test prepares each of them on both.
"""

from collections.abc import Mapping
from pathlib import Path

from gateway.core.working_file import load_file


def load(database: str) -> Mapping[str, str]:
    """Return the queries of the file `sql/<database>.sql`, by name; none if it is missing."""
    file = Path(__file__).parent / "sql" / f"{database}.sql"
    return load_file(file) if file.exists() else {}
