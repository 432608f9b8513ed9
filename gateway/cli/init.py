"""`gateway init`: makes the folder of an instance."""

from pathlib import Path

import click

from gateway.core.program import json_option, say, write_json
from gateway.core.settings import Value

_IDENTITY = {"domain": "repository_domain", "name": "repository_name", "email": "admin_email"}


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
