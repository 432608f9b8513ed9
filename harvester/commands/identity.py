"""`harvester source accept-identity`: a person says that a source is rightly what it says that it is by now."""

from __future__ import annotations

import click

from gateway.program import say
from harvester.commands.output import json_option, write_facts
from harvester.identity import accept, differences, known_identity
from harvester.instance import opened
from harvester.locks import lock
from harvester.unattended import entry_of


@click.command(name="accept-identity")
@click.argument("name")
@json_option
@click.pass_context
def accept_identity(ctx: click.Context, name: str, as_json: bool) -> None:
    """Accept what a source says that it is by now: its repositoryIdentifier, repositoryName, baseURL and records.

    What it said when it was accepted last is shown beside it. The next run goes on. Records that the repository does
    not have any more stay until `harvester source sweep` deletes them.
    """
    with opened(ctx.obj) as instance, lock(instance.folder, name):
        entry_of(instance, name)
        known = known_identity(instance.inbox, name)
        changes = differences(known) if known else ()
        strange = known.strange if known else ""
        if changes or strange:
            accept(instance.inbox, name)
    facts: dict[str, object] = {
        "name": name,
        "accepted": bool(changes or strange),
        "changes": [{"what": each.what, "was": each.was, "is_now": each.is_now} for each in changes],
        "records": strange,
    }
    write_facts(facts, as_json=as_json)
    if strange or changes:
        say(f"Accepted. `harvester run {name}` goes on where it stopped, and with --full takes everything.")
    else:
        say(f"Nothing about the identity of {name} waits to be accepted.")
