"""Words of error messages and of forms to log in, in the languages of repositories (`words/error_words.toml`)."""

from __future__ import annotations

import re

from harvester.words import any_of, load

_WORDS = load("error_words")
_LANGUAGES = ("english", "programs", "dutch", "german", "french", "romance", "northern", "eastern")
_WITHIN = (
    *(re.compile(rf"\b(?:{any_of(_WORDS[name])})\b".replace(" ", r"\s")) for name in _LANGUAGES),
    re.compile(any_of(_WORDS["without_spaces"])),
)
_AT_FIRST = re.compile(rf"\s*(?:{any_of(_WORDS['first'])})(?:\b|\Z)")


def has_error_words(text: str) -> bool:
    """Return whether a text has the words of an error, in any case."""
    return has_error_words_within(text) or _AT_FIRST.match(text.lower()) is not None


def has_error_words_within(text: str) -> bool:
    """Return whether a text has words of an error that no title has: the title of a study may begin with `Error`."""
    lowered = text.lower()
    return any(words.search(lowered) for words in _WITHIN)
