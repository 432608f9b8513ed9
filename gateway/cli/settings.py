"""`gateway init` and `gateway settings`: make the folder of an instance, and print every setting."""

import json
from pathlib import Path

import click

from gateway.core.program import json_option, say, write_json
from gateway.core.settings import SETTINGS, Setting, Settings, Value, load

_IDENTITY = {"domain": "repository_domain", "name": "repository_name", "email": "admin_email"}


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


@click.command()
@click.option(
    "--domain",
    help="Set the namespace of the identifiers, such as repository.example.org; fixed once something is published.",
)
@click.option("--name", help="Set the name of the repository.")
@click.option("--email", help="Set the e-mail address of the administrator.")
@click.option("--group", help="Let this group of the machine use the folder, besides its owner (2770, files 0660).")
@json_option
@click.pass_obj
def init(folder: Path, /, group: str | None, as_json: bool, **identity: str | None) -> None:
    """Make the instance folder: config.toml, a secret, both databases. If repeated, it repairs file modes."""
    from gateway.ops import upkeep  # noqa: PLC0415

    given = {setting: identity[option] for option, setting in _IDENTITY.items()}
    options: dict[str, Value] = {key: value for key, value in given.items() if value is not None}
    made = upkeep.make(folder, options, group)
    say(f"The instance of {made['repository_name']} ({made['repository_domain']}) is in {folder}.")
    if doubt := upkeep.doubt_of_store(folder):
        say(doubt)
    if as_json:
        write_json({"folder": str(folder), **{key: made[key] for key in ("repository_domain", "repository_name")}})
