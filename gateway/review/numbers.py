"""Numbers of decisions, as forms and addresses have them. Pure."""

from __future__ import annotations

from collections.abc import Iterable

_MOST_DIGITS = 15


def number_in(text: str) -> int:
    """Return the number of a decision in a text; 0 if it is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else 0


def numbers_in(texts: Iterable[str], most: int) -> tuple[int, ...]:
    """Return the numbers in texts, without repetitions, in their order; at most `most`."""
    numbers = (number_in(word) for text in texts for word in text.split())
    return tuple(dict.fromkeys(filter(None, numbers)))[:most]
