"""`harvester`: the group, and the table of its commands, which names the file of each in `commands/`.

A command's file is imported when the command is started, so that `harvester --help` answers at once. Every error of
ours becomes one sentence on stderr and the exit status that `runtime/exit_status.py` gives it.
"""

from importlib import import_module
from typing import Any, NamedTuple

import click

from gateway.core.permissions import private
from gateway.core.program import Program, program_options
from gateway.core.settings import VERSION, instance_folder


class Row(NamedTuple):
    """One command: where it is, and the sentence that the help shows. A test compares it with the command's own."""

    place: str  # module of `harvester.commands`:name
    sentence: str


COMMANDS: dict[str, Row] = {
    "source": Row("source:source", "Add, list, show, check, audit, sweep and remove sources."),
    "run": Row("run:run", "Harvest sources and publish their records."),
    "tend": Row(
        "tend:tend",
        "Run whatever is due: harvests, publication, sweeps, searches for full text, the hub, compaction, dumps.",
    ),
    "discover": Row("discover:discover", "Search for the full text of items that have none."),
    "recheck": Row("discover:recheck", "Check published files again: which have changed, and which are gone."),
    "outcomes": Row("outcomes:outcomes", "Count the outcomes of search steps and of the copies that they named."),
    "alarms": Row(
        "outcomes:alarms", "Show at which steps and hosts the search for full text succeeds far less often than before."
    ),
    "explain": Row("discover:explain", "Show the search for one item: each step, each copy, and the reasons."),
    "offer": Row("offer:offer", "Offer discovered files to the sources of their items, each file once."),
    "review": Row("review:review", "List, accept and reject the files that searches found."),
    "matches": Row("matches:matches", "List and reject the DOIs that were found by title, author and year."),
    "takedown": Row("takedown:takedown", "Withdraw items and files, list the withdrawn ones, and restore them."),
    "graph": Row("graph:graph", "Export what was gathered as a property graph, load it, and query it."),
    "publish": Row("run:publish", "Publish harvested records and decided files that are not published yet."),
    "status": Row("status:status", "Show the state of every source."),
    "check": Row("check:check", "Check the whole instance; exit status 1 if there is a problem."),
    "log": Row("run:log", "Show the last runs, or the log of one run."),
    "records": Row("records:records", "Show the stored items of a source as JSON, one per line."),
    "quarantine": Row("records:quarantine", "Show the records that could not be used, and the reasons."),
    "dump": Row("dump:dump", "Harvest a repository into one XML file."),
    "mirror": Row("mirror:mirror", "Mirror complex objects (DIDL, METS) and their files in a folder."),
    "audit": Row("audit:audit", "Compare the stored records with those that Crossref knows."),
    "validate": Row("checking:validate", "Check whether a provider conforms to OAI-PMH 2.0 and to common practice."),
    "lint-signposting": Row(
        "checking:lint_signposting", "Check the typed links of a landing page against the FAIR Signposting Profile."
    ),
    "lint-resourcesync": Row(
        "checking:lint_resourcesync",
        "Check the documents of a ResourceSync source against version 1.1 of the standard.",
    ),
}


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
