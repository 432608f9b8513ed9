"""Selectors of CSS as XPath, as many of them as the table of platforms (`landing_rules`) needs. Pure.

It supports a name, `.class`, `#id`, `[attribute]`, `[attribute='value']` with `=`, `*=` or `^=`, and ` i` for letters
of any case. It also supports elements inside others, and several selectors with commas between.
"""

from __future__ import annotations

import re
from functools import cache

from lxml import etree

_STEP = re.compile(r"(?>(?:[^ \[]++|\[[^\[\]]*+\])+)")  # spaces between brackets end none
_NAME = re.compile(r"[a-z][\w-]*")
_TEST = re.compile(
    r"\.(?P<word>[\w-]+)|#(?P<id>[\w-]+)|\[(?P<name>[\w-]+)(?:(?P<sign>[*^]?=)'(?P<value>[^']*)'( i)?)?\]"
)
_LETTERS = "'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'"
_ANY_CASE = ("type",)  # attributes of which HTML compares values so
_SIGNS = {"=": "{0} = {1}", "*=": "contains({0}, {1})", "^=": "starts-with({0}, {1})"}


@cache
def compiled(selector: str) -> etree.XPath:
    """Return a function that finds the elements of a CSS selector, in their order."""
    return etree.XPath(" | ".join(map(_path, selector.split(", "))))


def _path(selector: str) -> str:
    return "".join(f"//{_step(step)}" for step in _STEP.findall(selector))


def _step(selector: str) -> str:
    name = _NAME.match(selector)
    return f"{name[0] if name else '*'}{''.join(f'[{_test(match)}]' for match in _TEST.finditer(selector))}"


def _test(match: re.Match[str]) -> str:
    if match["word"]:
        return f"contains(concat(' ', normalize-space(@class), ' '), ' {match['word']} ')"
    if match["id"]:
        return f"@id = '{match['id']}'"
    place, value = f"@{match['name']}", match["value"]
    if value is None:
        return place
    if match[match.re.groups] or match["name"] in _ANY_CASE:
        place, value = f"translate({place}, {_LETTERS})", value.lower()
    return _SIGNS[match["sign"]].format(place, f"'{value}'")
