"""`harvester source accept-identity`: a person accepts the present identity of a source."""

from __future__ import annotations

import click

from gateway.core.program import say
from harvester.commands.output import json_option, write_facts
from harvester.harvest.instance import opened
from harvester.harvest.repository_identity import accept, differences, known_identity
from harvester.harvest.unattended import entry_of
from harvester.runtime.locks import lock


@click.command(name="accept-identity")
@click.argument("name")
@json_option
@click.pass_context
def accept_identity(ctx: click.Context, name: str, as_json: bool) -> None:
    """Accept the present repositoryIdentifier, repositoryName, baseURL and records of a source.

    The identity that was accepted before is shown beside it. After that, runs continue. Records that the repository
    does not have any more stay until `harvester source sweep` deletes them.
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
        "changes": [{"what": change.what, "was": change.was, "is_now": change.is_now} for change in changes],
        "records": strange,
    }
    write_facts(facts, as_json=as_json)
    if strange or changes:
        say(f"Accepted. `harvester run {name}` continues where it stopped; with --full it harvests everything.")
    else:
        say(f"The identity of {name} is accepted already.")
