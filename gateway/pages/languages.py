"""All texts of the pages, from `texts.toml`: one place to read and to translate them. Pure."""

from __future__ import annotations

import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from gateway.pages.shown import number

_FILE = Path(__file__).with_name("texts.toml")


def texts() -> SimpleNamespace:
    """Return the texts as a tree of attributes."""
    return _tree(tomllib.loads(_FILE.read_text("utf-8")))


def counted(count: int, forms: tuple[str, str]) -> str:
    """Return a text with a number in it; `forms` are the one for a single thing and the one for all other numbers."""
    return forms[count != 1].format(n=number(count))


def _tree(entries: dict[str, Any]) -> SimpleNamespace:
    return SimpleNamespace(
        **{name: _tree(value) if isinstance(value, dict) else value for name, value in entries.items()}
    )
