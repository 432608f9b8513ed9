"""The program `gateway`: it makes, checks, backs up and serves an instance. Data goes to stdout, messages to stderr.

What takes long to import is imported inside the commands, so that `gateway --help` answers at once.
"""

import click

from gateway.cli.store import store
from gateway.cli.upkeep import backup, check, clock, compact, hub, index, init, rebuild, restore, serve, settings
from gateway.cli.user import user
from gateway.core.permissions import private
from gateway.core.program import Program, program_options
from gateway.core.settings import VERSION, instance_folder

COMMANDS = (init, serve, check, clock, rebuild, index, compact, backup, restore, store, user, hub, settings)


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--instance", "folder", metavar="DIR", help="Use this instance folder; default: GATEWAY_INSTANCE, else `instance`."
)
@program_options
@click.version_option(VERSION)
@click.pass_context
def main(context: click.Context, folder: str | None) -> None:
    """Serve many sources as one OAI-PMH 2.0 repository."""
    context.obj = instance_folder(folder)
    context.with_resource(private(context.obj))


for command in COMMANDS:
    main.add_command(command)
