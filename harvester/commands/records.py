"""`harvester records` and `harvester quarantine`: show the stored items of a source, and what could not be used."""

import click

from gateway.core.model import ItemState
from gateway.core.program import say, write_json
from harvester.commands.options import flag
from harvester.commands.output import moment, with_json, write_rows
from harvester.harvest.facts import unlisted
from harvester.harvest.hidden_items import is_hidden, is_named
from harvester.harvest.instance import Instance, opened

_ITEMS_PER_QUERY = 1000


@click.command()
@click.argument("name")
@flag("--json", "as_json", "No effect: the output is JSON, one object per line.")
@click.pass_context
def records(ctx: click.Context, name: str, as_json: bool) -> None:  # noqa: ARG001 - every command takes --json
    """Show the stored items of a source as JSON, one per line.

    Deleted items are included.
    """
    with opened(ctx.obj, only_reads=True) as instance:
        after, items, count = 0, instance.store.items(name, 0, _ITEMS_PER_QUERY), 0
        if not items:
            instance.sources.entry(name)
        while items:
            for _, state in items:
                if is_hidden(instance, name, state):
                    count += 1
                else:
                    write_json(_item(instance, name, state))
                after = state.number
            items = instance.store.items(name, after, _ITEMS_PER_QUERY)
    if count:
        say(f"{count} items are taken down and not shown; `harvester takedown list` says why.")


def _item(instance: Instance, source: str, state: ItemState) -> dict[str, object]:
    deletions = instance.store.deletions_of(source, (state.upstream,))
    waiting = {deletion.metadata_prefix for deletion in deletions if deletion.waits}
    return {
        "identifier": state.identifier,
        "upstream": state.upstream,
        "is_deleted": state.is_deleted,
        "sets": list(instance.store.item_sets(state.number)),
        "records": {prefix: "deleted" if is_deleted else "published" for prefix, _, is_deleted in state.records},
        "payloads": [
            {
                "format": payload.metadata_prefix,
                "page": payload.page,
                "slice": payload.slice,
                "is_deleted": payload.is_deleted,
                "waits": payload.metadata_prefix in waiting,
            }
            for payload in state.payloads
        ],
    }


@click.command()
@click.argument("name", required=False)
@with_json
def quarantine(ctx: click.Context, name: str | None) -> None:
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
        write_rows(rows, "source identifier format page slice at reason")
