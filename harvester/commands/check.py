"""`harvester check`: checks an instance, with everything that `gateway check` looks at."""

from __future__ import annotations

from itertools import chain

import click

from gateway.core.finding import ONLY_HARVESTS, guarded, write_findings
from gateway.core.settings import instance_folder
from harvester.commands.output import json_option


@click.command()
@click.option("--whole", "is_whole", is_flag=True, help="Read every record, page and copy of a document, not a sample.")
@click.option(ONLY_HARVESTS, "has_only_harvests", is_flag=True, hidden=True)
@json_option
@click.pass_context
def check(ctx: click.Context, is_whole: bool, has_only_harvests: bool, as_json: bool) -> None:
    """Check the whole instance; exit status 1 if there is a problem.

    It checks everything that serving, harvesting, schedules and backups need, and names what needs attention. `gateway
    check` does the same.
    """
    from gateway.ops import health  # noqa: PLC0415
    from harvester.schedule.health import findings  # noqa: PLC0415

    folder = instance_folder(ctx.obj)
    of_gateway = () if has_only_harvests else health.findings(folder, is_whole=is_whole)
    ctx.exit(int(write_findings(chain(of_gateway, guarded(findings(folder))), as_json=as_json)))
