"""Sources that no schedule harvests: records are published, but `sources.toml` has no entry or no `every` for them.

The file belongs to the harvester. Here, only the names in it and their `every` are read.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gateway.core.model import Source


def entries(folder: Path) -> Mapping[str, Any] | None:
    """Return the tables of `sources.toml` by source name; empty if there is no file, None if it cannot be read."""
    try:
        return tomllib.loads((folder / "sources.toml").read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError):  # the harvester says what is wrong
        return None


def has_schedule(table: object) -> bool:
    """Return whether an entry says how often its source is harvested."""
    return isinstance(table, Mapping) and bool(table.get("every"))


def without_entry(source: Source) -> str:
    """Return the message about a source that has no entry: what is wrong, and what to do."""
    return (
        f"{source.name} has no entry in sources.toml, so nothing harvests it, but its records are published. "
        f"Write its entry again ({source.base_url}), or delete them with `harvester source remove {source.name}`."
    )


def without_schedule(*names: str) -> str:
    """Return the message about sources whose entries have no `every`: what is wrong, and what to do."""
    has, them = ("has", "it") if len(names) == 1 else ("have", "them")
    return (
        f"{', '.join(names)} {has} no `every` in sources.toml, so `harvester tend` never harvests {them}. "
        'Set it, for example `every = "1d"`, or `every = "never"`.'
    )
