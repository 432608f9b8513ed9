"""Payloads that describe no work, by a closed list of roots and namespaces: people, organizations, configurations."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from gateway.core.errors import NotAWork
from gateway.core.xmlio import Element, name_of

_TABLE: dict[str, Any] = tomllib.loads(Path(__file__).with_name("not_works.toml").read_text("utf-8"))
_ROOTS: tuple[tuple[str, frozenset[str]], ...] = tuple(
    (entry["namespace"], frozenset(entry["names"])) for entry in _TABLE["root"]
)


def refuse_other_things(root: Element) -> None:
    """Raise NotAWork if the root of a payload is in the closed list (`not_works.toml`)."""
    namespace, local = name_of(root)
    for beginning, names in _ROOTS:
        is_there = namespace.startswith(beginning) if beginning else not namespace
        if is_there and (local in names or "*" in names):
            raise NotAWork(f"something else ({local})" if "*" in names or not beginning else f"a {local} (CERIF)")
