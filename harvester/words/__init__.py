"""Tables of words in the languages of the field, as data that translators can edit, and their one loader."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent


@cache
def load(name: str) -> dict[str, Any]:
    """Return the table of words in `<name>.toml` of this folder. It is parsed once, and must not be changed.

    Raise FileNotFoundError if there is no such file, and tomllib.TOMLDecodeError if it is not TOML.
    """
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text("utf-8"))


def words_of(table: Mapping[str, Any] | Iterable[str]) -> tuple[str, ...]:
    """Return all words of a table, a part of one or a list, in the order of the file."""
    if isinstance(table, Mapping):
        return tuple(word for part in table.values() for word in words_of(part))
    return tuple(table)


def any_of(table: Mapping[str, Any] | Iterable[str], parts: Mapping[str, str] | None = None) -> str:
    """Return a regular expression, without a group around it, that matches any of the words of a table.

    `{name}` in a word stands for the part with this name; a part may have the names of those after it.
    """
    pattern = "|".join(words_of(table))
    for name, part in (parts or {}).items():
        pattern = pattern.replace(f"{{{name}}}", part)
    return pattern
