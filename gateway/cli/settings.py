"""`gateway settings`: prints every setting."""

import json
from pathlib import Path

import click

from gateway.core.program import json_option, write_json
from gateway.core.settings import SETTINGS, Setting, Settings, Value, load


@click.command()
@json_option
@click.pass_obj
def settings(folder: Path, as_json: bool) -> None:
    """Print every setting: its value and where it comes from. Secrets are never shown."""
    rows = _rows(load(folder))
    if as_json:
        for row in rows:
            write_json(row)
        return
    width = max(len(str(row["name"])) for row in rows)
    for row in rows:
        value = json.dumps(row["value"], ensure_ascii=False)
        click.echo(f"{row['name']:{width}}  {value:28}  {row['origin']}")


def _rows(values: Settings) -> list[dict[str, Value]]:
    return [
        {"name": setting.name, "value": _shown(values, setting), "origin": values.origins[setting.name]}
        for setting in SETTINGS
    ]


def _shown(values: Settings, setting: Setting) -> Value:
    if not setting.is_secret:
        return values[setting.name]
    empty = "(in the file `secret`)" if setting.name == "secret" else ""
    return "(given)" if values.text(setting.name) else empty
