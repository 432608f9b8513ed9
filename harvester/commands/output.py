"""The output of commands: data on stdout (a table for people, JSON with --json), messages on stderr."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import click

from gateway.core.logs import plain
from gateway.core.program import json_option, write_json
from gateway.core.xmltext import utc_datetime

_JSON = "harvester.json"  # in the notes of a context of click: whether --json was given


def _note(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    ctx.meta[_JSON] = value


def with_json(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command that gets its context, and has the option --json, which `is_json` knows."""
    return json_option(click.pass_context(command), callback=_note, expose_value=False)


def is_json() -> bool:
    """Return whether the present command has the option --json. A thread of its own does not know it."""
    ctx = click.get_current_context(silent=True)
    return ctx is not None and bool(ctx.meta.get(_JSON))


def show(facts: Mapping[str, object], *lines: str) -> None:
    """Write facts as one object of JSON, or these lines for people."""
    if is_json():
        write_json(facts)
        return
    for line in lines:
        click.echo(plain(line))


def write_rows(rows: Iterable[Mapping[str, object]], columns: str) -> None:
    """Write rows as JSON lines with all fields, or as a table of some columns, named with spaces between them."""
    if is_json():
        for row in rows:
            write_json(row)
    elif cells := [[in_words(row.get(column)) for column in columns.split()] for row in rows]:
        write_table([[column.replace("_", " ") for column in columns.split()], *cells])


def write_table(lines: Sequence[Sequence[str]]) -> None:
    """Write lines of cells, each column as wide as its longest cell."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def write_facts(facts: Mapping[str, object]) -> None:
    """Write facts as one JSON object, or one per line without empty ones."""
    if is_json():
        write_json(facts)
        return
    shown = {name.replace("_", " "): in_words(value) for name, value in facts.items()}
    width = max(map(len, shown), default=0)
    for name, text in shown.items():
        if text:
            click.echo(f"{name.ljust(width)}  {text}")


def in_words(value: object) -> str:
    """Return a value as one line of text, without control characters."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (str, int)):  # most values, and checked faster than a Mapping
        return plain(str(value))
    if isinstance(value, Mapping):  # of the facts of a State, the headline is shown
        pairs = (f"{name} {in_words(inner)}" for name, inner in value.items())
        value = [value["headline"]] if "headline" in value else list(pairs)
    if isinstance(value, (list, tuple)):
        return ", ".join(in_words(inner) for inner in value)
    return plain(str(value))


def moment(second: int | None) -> str | None:
    """Return a second since 1970 as a UTCdatetime, or None."""
    return None if second is None else utc_datetime(second)
