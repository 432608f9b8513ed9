"""`gateway check`: checks an instance."""

from __future__ import annotations

import click

from gateway.core.program import is_quiet, json_option, write_json
from gateway.core.statuses import Status


@click.command()
@click.option("--whole", "is_whole", is_flag=True, help="Read every record, not a sample; name all damaged ones.")
@json_option
@click.pass_context
def check(context: click.Context, is_whole: bool, as_json: bool) -> None:
    """Check the configuration and the store; exit status 1 if there is a problem."""
    from gateway.ops import health  # noqa: PLC0415

    status = Status.SUCCEEDED
    for finding in health.findings(context.obj, is_whole=is_whole):
        if as_json:
            write_json(finding._asdict())
        elif finding.level == "problem" or not is_quiet():
            click.echo(f"{finding.level:8} {finding.sentence}", err=True)
        status = Status.FAILED if finding.level == "problem" else status
    context.exit(int(status))
