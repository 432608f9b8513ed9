"""Sources that nobody looks after: published without an entry in `sources.toml`, or without a schedule there.

The file is the harvester's; here only the names in it are read, and which have an `every`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gateway.model import Source


def entries(folder: Path) -> Mapping[str, Any] | None:
    """Return the tables of `sources.toml`, none when there is no file; None when it cannot be read."""
    try:
        return tomllib.loads((folder / "sources.toml").read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError):  # the harvester says what is wrong
        return None


def has_schedule(table: object) -> bool:
    """Tell whether an entry says how often its source is harvested."""
    return isinstance(table, Mapping) and bool(table.get("every"))


def without_entry(source: Source) -> str:
    """Return what is wrong with a source that has no entry, and what to do, in words."""
    return (
        f"{source.name} has no entry in sources.toml, but its records are published and nothing harvests it. "
        f"`harvester source remove {source.name}` deletes them; else write its entry again ({source.base_url})."
    )


def without_schedule(*names: str) -> str:
    """Return what is wrong with sources whose entries do not say how often they are harvested, and what to do."""
    has, them = ("has", "it") if len(names) == 1 else ("have", "them")
    return (
        f"{', '.join(names)} {has} no `every` in sources.toml, so `harvester tend` never harvests {them}. "
        'Set it, for example `every = "1d"`, or `every = "never"`.'
    )
