"""`harvester quarantine`: show the records that could not be used, and the reasons. It only reads."""

import click

from harvester.commands.output import moment, with_json, write_rows
from harvester.harvest.hidden_items import is_named
from harvester.harvest.instance import opened
from harvester.harvest.unattended import unlisted


@click.command()
@click.argument("name", required=False)
@with_json
def quarantine(ctx: click.Context, name: str | None, as_json: bool) -> None:
    """Show the records that could not be used, and the reasons.

    The version that was published before stays published. If a fault of this program put a record there, `harvester run
    NAME --full` reads it again after an upgrade.
    """
    with opened(ctx.obj, only_reads=True) as instance:
        if name is not None and all(source.name != name for source in unlisted(instance)):
            instance.sources.entry(name)
        rows = [
            {
                "source": record.source,
                "identifier": record.identifier,
                "format": record.metadata_prefix,
                "page": record.page,
                "slice": record.slice,
                "at": moment(record.at),
                "reason": record.reason,
            }
            for record in instance.store.quarantined(name)
            if not is_named(instance, record.source, record.identifier)
        ]
        write_rows(rows, ("source", "identifier", "format", "page", "slice", "at", "reason"), as_json=as_json)
