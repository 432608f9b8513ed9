"""The fields of the objects that commands write with --json, read from the `json.toml` of each program.

`JSON.md` is made from them, and tests compare them with what the commands write.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from gateway.core.words import table
from harvester.harvest.source_fields import FIELDS
from tests.conftest import ROOT

# The types of values. A `?` after a type: or null.
TYPES = {
    "text": "a text",
    "texts": "a list of texts",
    "integer": "a whole number",
    "number": "a number",
    "claim": "true or false",
    "time": "a UTCdatetime, such as 2026-11-22T12:00:00Z",
    "counts": "an object: numbers by name",
    "object": "an object",
    "list": "a list of objects",
    "any": "any value",
}
# How the types of `sources.toml` are in JSON; the entry of a source has its fields.
_TYPES = {"text": "text", "texts": "texts", "number": "number", "count": "integer", "claim": "claim", "table": "object"}
_ENTRY = "\n".join(
    f"{field.name}{'' if field.name == 'url' else '?'} | {_TYPES.get(field.kind, 'text')} | {field.sentence}"
    for field in FIELDS
)


class Field(NamedTuple):
    """One field of an object. `is_always`: it is in every such object."""

    name: str
    type: str
    sentence: str
    is_always: bool = True


Objects: TypeAlias = Mapping[str, Mapping[str, tuple[Field, ...]]]  # by command, and by what the object is


def _fields(text: str, parts: Mapping[str, str]) -> tuple[Field, ...]:
    while (whole := re.sub(r"(?m)^\{(\w+)\}$", lambda match: parts[match[1]].strip(), text)) != text:
        text = whole
    fields = []
    for line in text.strip().splitlines():
        name, kind, sentence = (cell.strip() for cell in line.split("|", 2))
        assert kind.removesuffix("?") in TYPES, f"There is no type {kind!r}: {line}"
        fields.append(Field(name.removesuffix("?"), kind, sentence, not name.endswith("?")))
    return tuple(fields)


def _objects(package: str) -> Objects:
    read: dict[str, Any] = table(str(ROOT / package / "json.toml"), "json")
    parts = {"entry": _ENTRY, **read.get("parts", {})}
    return {
        command: {what: _fields(text, parts) for what, text in kinds.items()}
        for command, kinds in read["objects"].items()
    }


OBJECTS: Objects = {**_objects("gateway/cli"), **_objects("harvester/commands")}
