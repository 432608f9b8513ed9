"""Tables of words in the languages of the field, as data that translators can edit: one file for each subject."""

from __future__ import annotations

from typing import Any

from gateway.core.words import any_of, table, words_of

__all__ = ["any_of", "load", "words_of"]


def load(name: str) -> dict[str, Any]:
    """Return the table of words in `<name>.toml` of this folder, as `gateway.core.words.table` does."""
    return table(__file__, name)
