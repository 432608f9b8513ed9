"""Tables as TOML files, most of words in a language that translators can edit, and their one loader. Pure."""

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any


@cache
def table(module: str, name: str) -> dict[str, Any]:
    """Return the table in `<name>.toml` next to a module: `table(__file__, "relators")`.

    It is parsed once, and must not be changed. Raise FileNotFoundError if there is no such file, and
    tomllib.TOMLDecodeError if it is not TOML.
    """
    return tomllib.loads(Path(module).with_name(f"{name}.toml").read_text("utf-8"))


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
