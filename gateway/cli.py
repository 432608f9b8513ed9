"""The command `gateway`: make an instance, look after it, serve it. Data goes to stdout, words to stderr.

Modules that take long to import are imported inside the commands, so that `gateway --help` answers at once.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from gateway.errors import GatewayError
from gateway.settings import SETTINGS, Settings, Value, instance_folder, load


class _Commands(click.Group):
    """Commands whose failures that we know are one sentence and exit status 1."""

    def invoke(self, context: click.Context) -> Any:  # noqa: ANN401 - click's own signature
        try:
            return super().invoke(context)
        except GatewayError as error:
            raise click.ClickException(str(error)) from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--instance", "folder", metavar="DIR", help="The instance folder; else GATEWAY_INSTANCE, else `instance`."
)
@click.version_option(package_name="oai-gateway")
@click.pass_context
def main(context: click.Context, folder: str | None) -> None:
    """Serve many sources as one OAI-PMH 2.0 repository."""
    context.obj = instance_folder(folder)


@main.command()
@click.option("--domain", help="The namespace of our identifiers, such as repository.example.org; fixed for ever.")
@click.option("--name", help="The repository's name.")
@click.option("--email", help="The administrator's e-mail address.")
@click.pass_obj
def init(folder: Path, domain: str | None, name: str | None, email: str | None) -> None:
    """Make the instance folder: config.toml, a secret, both databases. May be repeated."""
    from gateway import upkeep  # noqa: PLC0415

    given = {"repository_domain": domain, "repository_name": name, "admin_email": email}
    options: dict[str, Value] = {key: value for key, value in given.items() if value is not None}
    made = upkeep.make(folder, options)
    click.echo(f"{made['repository_name']} ({made['repository_domain']}) lives in {folder}.", err=True)


@main.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=8080, show_default=True, type=click.IntRange(0, 65535), help="The port; 0: a free one.")
@click.option("--access-log", default="", metavar="FILE", help="Write a line for every request; `-` is stdout.")
@click.pass_obj
def serve(folder: Path, host: str, port: int, access_log: str) -> None:
    """Serve the repository until Ctrl-C or SIGTERM."""
    from gateway.serve import serve as run  # noqa: PLC0415

    run(load(folder), host, port, access_log)


@main.command()
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.pass_context
def check(context: click.Context, as_json: bool) -> None:
    """Say in words whether the configuration and the store are sound; exit status 1 when they are not."""
    from gateway import health  # noqa: PLC0415

    findings = list(health.findings(context.obj))
    if as_json:
        click.echo(json.dumps([finding._asdict() for finding in findings], ensure_ascii=False, indent=2))
    else:
        for level, sentence in findings:
            click.echo(f"{level:8} {sentence}", err=True)
    context.exit(1 if any(finding.level == "problem" for finding in findings) else 0)


@main.command()
@click.option("--format", "prefix", metavar="PREFIX", help="Only this metadata format; else all of ours.")
@click.pass_obj
def rebuild(folder: Path, prefix: str | None) -> None:
    """Make every record again from what was harvested; what changes gets a new datestamp."""
    from gateway import upkeep  # noqa: PLC0415

    with click.progressbar(length=upkeep.count_items(folder), label="Items", file=sys.stderr) as bar:
        changed = upkeep.rebuild(folder, prefix, lambda seen: bar.update(seen - bar.pos))
    click.echo(f"{changed} records changed and got a new datestamp.", err=True)


@main.command()
@click.option("--json", "as_json", is_flag=True, help="Print the settings as JSON.")
@click.pass_obj
def settings(folder: Path, as_json: bool) -> None:
    """Print every setting: its value and where it comes from. Secrets are never shown."""
    rows = _rows(load(folder))
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    width = max(len(str(row["name"])) for row in rows)
    for row in rows:
        value = json.dumps(row["value"], ensure_ascii=False)
        click.echo(f"{row['name']:{width}}  {value:28}  {row['origin']}")


def _rows(values: Settings) -> list[dict[str, Value]]:
    return [
        {"name": setting.name, "value": _shown(values, setting.name), "origin": values.origins[setting.name]}
        for setting in SETTINGS
    ]


def _shown(values: Settings, name: str) -> Value:
    if name == "secret":
        return "(given)" if values.text(name) else "(in the file `secret`)"
    return values[name]
