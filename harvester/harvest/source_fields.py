"""The fields of a source's table in `sources.toml`: names, types and sentences, and what each type accepts."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import NamedTuple, cast

from gateway.core.address_rules import are_allowable
from gateway.core.special_addresses import CLASSES
from gateway.core.words import table
from harvester.harvest.windows import UNITS
from harvester.runtime.durations import are_hours, is_duration, is_schedule

MOST_CONNECTIONS = 32  # to one host; more would overload a repository


class Field(NamedTuple):
    """One field of a source's table: its type in TOML, in words, and one sentence."""

    name: str
    kind: str
    sentence: str


_FILLED = {"{most}": str(MOST_CONNECTIONS), "{classes}": ", ".join(CLASSES)}


def _filled(text: str) -> str:
    return reduce(lambda filled, pair: filled.replace(*pair), _FILLED.items(), text)


FIELDS = tuple(
    Field(name, kind, _filled(sentence))
    for name, (kind, sentence) in table(__file__, "source_fields")["fields"].items()
)

# By the kind of a field: the check of a value.
IS_A: dict[str, Callable[[object], bool]] = {
    "text": lambda value: isinstance(value, str),
    "texts": lambda value: isinstance(value, list) and all(isinstance(item, str) and item for item in value),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0,
    "count": lambda value: type(value) is int and 1 <= value <= MOST_CONNECTIONS,
    "claim": lambda value: isinstance(value, bool),
    "unit": lambda value: value in UNITS,
    "duration": lambda value: isinstance(value, str) and is_duration(value),
    "schedule": lambda value: isinstance(value, str) and is_schedule(value),
    "hours": lambda value: isinstance(value, str) and are_hours(value),
    "class": lambda value: value in CLASSES,
    "allowed": lambda value: IS_A["texts"](value) and are_allowable(cast("list[str]", value)),
    "table": lambda value: isinstance(value, dict) and all(isinstance(item, str) for item in value.values()),
}
IN_WORDS = {kind: _filled(words) for kind, words in table(__file__, "source_fields")["kinds"].items()}
