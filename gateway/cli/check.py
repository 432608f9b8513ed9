"""`gateway check`: checks an instance."""

from itertools import chain

import click

from gateway.core.program import json_option

WHOLE = "Read every record, page and copy of a document, not a sample; name all damaged ones."


@click.command()
@click.option("--whole", "is_whole", is_flag=True, help=WHOLE)
@json_option
@click.pass_context
def check(context: click.Context, is_whole: bool, as_json: bool) -> None:
    """Check the whole instance, with `harvester check`; exit status 1 if there is a problem."""
    from gateway.core import finding  # noqa: PLC0415
    from gateway.ops import health  # noqa: PLC0415

    findings = chain(health.findings(context.obj, is_whole=is_whole), finding.of_harvester(context.obj))
    context.exit(int(finding.write_findings(findings, as_json=as_json)))
