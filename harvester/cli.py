"""`harvester`: the group, and the table of its commands, `commands.toml`, which names the file of each in `commands/`.

A command's file is imported when the command is started, so that `harvester --help` answers at once. Every error of
ours becomes one sentence on stderr and the exit status that `runtime/exit_status.py` gives it.
"""

from importlib import import_module
from typing import Any, NamedTuple

import click

from gateway.core.permissions import private
from gateway.core.program import Program, program_options
from gateway.core.settings import VERSION, instance_folder
from gateway.core.words import table


class Row(NamedTuple):
    """One command: where it is, and the sentence that the help shows. A test compares it with the command's own."""

    place: str  # module of `harvester.commands`:name
    sentence: str


COMMANDS = {name: Row(*row) for name, row in table(__file__, "commands").items()}


# Others read the output of these commands, so the user's own umask decides.
FOR_OTHERS = ("dump", "mirror")


def status_of_error(error: Exception) -> Any:  # noqa: ANN401 - a `Status`
    """Return the exit status of a command that ended with this error. `--help` need not load the table of these."""
    return import_module("harvester.runtime.exit_status").status_of_error(error)


class Commands(Program):
    """The program: its commands are imported when they are asked for."""

    status_of_error = staticmethod(status_of_error)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Import the command, or return None when there is none of that name."""
        row = COMMANDS.get(cmd_name)
        if row is None:
            return None
        module, _, name = row.place.partition(":")
        command: click.Command = getattr(import_module(f"harvester.commands.{module}"), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """List the commands from the table, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, row.sentence) for name, row in COMMANDS.items()])


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--instance",
    metavar="DIR",
    help="The instance folder; else GATEWAY_INSTANCE, else `instance` in the working directory.",
)
@program_options
@click.version_option(VERSION)
@click.pass_context
def main(ctx: click.Context, instance: str | None) -> None:
    """Harvest repositories: keep what arrives, and publish it again."""
    ctx.obj = instance
    if ctx.invoked_subcommand not in FOR_OTHERS:
        ctx.with_resource(private(instance_folder(instance)))
