"""What `--json` writes is what `JSON.md` documents: one object per line, with these fields of these types."""

import json
import re

import pytest

from tests.commands.calls import CALLS, ON_SERVER, WITHOUT_DATA, commands
from tests.commands.conftest import called
from tests.json_contract import OBJECTS, Field
from tests.rows import each_row

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _is_counts(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(count, int) for count in value.values())


IS_A = {
    "text": lambda value: isinstance(value, str),
    "texts": _is_texts,
    "integer": lambda value: type(value) is int,
    "number": lambda value: type(value) in (int, float),
    "claim": lambda value: isinstance(value, bool),
    "time": lambda value: isinstance(value, str) and bool(_TIME.fullmatch(value)),
    "counts": _is_counts,
    "object": lambda value: isinstance(value, dict),
    "list": lambda value: isinstance(value, list) and all(isinstance(entry, dict) for entry in value),
    "any": lambda _: True,
}


def _is_of(value: object, kind: str) -> bool:
    return (kind.endswith("?") and value is None) or IS_A[kind.removesuffix("?")](value)


def _wrong(written: dict[str, object], wanted: tuple[Field, ...]) -> list[str]:
    """Return how an object differs from its documentation."""
    known = {field.name: field for field in wanted}
    return [
        *(f"{name} is not documented" for name in written if name not in known),
        *(f"{field.name} is missing" for field in wanted if field.is_always and field.name not in written),
        *(f"{name} is no {known[name].type}: {value!r}" for name, value in written.items()
          if name in known and not _is_of(value, known[name].type)),
    ]  # fmt: skip


def test_every_command_that_writes_data_has_json():
    takers = {name for name, command in commands() if any("--json" in parameter.opts for parameter in command.params)}
    assert takers == {name for name, _ in commands()} - WITHOUT_DATA


def test_every_command_that_writes_data_is_documented_and_called_here():
    assert set(OBJECTS) == {*CALLS, *ON_SERVER} == {name for name, _ in commands()} - WITHOUT_DATA


@pytest.mark.slow
@each_row("command", CALLS)
def test_a_command_writes_the_objects_that_are_documented(command, fresh, site):
    kinds = dict(OBJECTS[command])
    seen = set()
    for arguments in CALLS[command]:
        result = called(command, *arguments, "--json", tmp=fresh(), oai=site.oai)
        for line in result.stdout.splitlines():
            fitting = {what: _wrong(json.loads(line), wanted) for what, wanted in kinds.items()}
            assert [] in fitting.values(), fitting
            seen |= {what for what, wrong in fitting.items() if not wrong}
    assert seen == set(kinds), result.stderr
