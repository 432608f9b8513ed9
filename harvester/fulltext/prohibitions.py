"""Prohibitions to pass a file on: `Not for redistribution`, `Confidential`, `For personal use only`. Pure.

A word such as `Confidential` counts alone on its line. A prohibition counts at the beginning of a line or sentence, or
with this very file as its subject. So data that are confidential, or a device for personal use only, do not count. The
words are a table (`words/prohibitions.toml`).
"""

import re
from collections.abc import Iterable, Iterator

from harvester.words import any_of, load

_WORDS = load("prohibitions")
_PARTS = _WORDS["parts"]
_CONFIDENTIAL_LINE = re.compile(
    rf"\A\W{{0,4}}+(?:{any_of(_WORDS['confidential'])})"
    r"(?:\W{0,4}|\s?[-\u2013\u2014:|/]\s?.{0,100}|,? (?:do not|not for|not to be) .{0,80})"
)
_FORBIDDEN_LINE = re.compile(rf"\A\W{{0,4}}+(?:{any_of(_WORDS['forbidden'], _PARTS)})")
_FORBIDDEN_HERE = re.compile(rf"\b(?:{any_of(_WORDS['forbidden_here'], _PARTS)})")
_CUT = re.compile(r"(?<=[.;:!|\u2013\u2014]) ")


def prohibiting(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines, in lower case, that forbid to pass the file on, or call it confidential."""
    return (line for line in lines if _CONFIDENTIAL_LINE.fullmatch(line) or _FORBIDDEN_LINE.match(line))


def prohibitions_in(text: str) -> Iterator[str]:
    """Yield the statements in a text, in lower case with single spaces, that forbid to pass the file on."""
    yield from (sentence for sentence in _CUT.split(text) if _FORBIDDEN_LINE.match(sentence))
    yield from (match[0] for match in _FORBIDDEN_HERE.finditer(text))
