"""`harvester source audit`: what is held of a source, held against what its lists say it has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import click

from gateway.errors import ConfigurationError
from gateway.model import Cursor
from gateway.program import say
from harvester.commands.output import json_option, write_rows
from harvester.holdings import StoredHoldings
from harvester.instance import Instance, opened
from harvester.kinds import fetcher, kind_of
from harvester.locks import lock
from harvester.outcomes import Status
from harvester.pipeline import Wishes, options_of, told
from harvester.sources import Finding
from harvester.sources_file import SourceEntry
from harvester.stopping import Stop


@click.command()
@click.argument("name")
@json_option
@click.pass_context
def audit(ctx: click.Context, name: str, as_json: bool) -> None:
    """Compare what is held of a source with what its lists say: missing, changed, extra and corrupt resources.

    Only the lists are asked for, and nothing is changed: `run --full` fetches what is missing or different, `source
    sweep` deletes what is extra. The exit status is 3 when anything differs.
    """
    counts: Counter[str] = Counter()
    with opened(ctx.obj) as instance, lock(instance.folder, name):
        found = _counted(_findings(instance, instance.sources.entry(name)), counts)
        write_rows((each._asdict() for each in found), ("what", "identifier", "why"), as_json=as_json)
    say(f"{name}: {told(counts) if counts else 'what is held is what the lists say'}.")
    ctx.exit(int(Status.WITH_ERRORS if counts else Status.SUCCEEDED))


def _findings(instance: Instance, entry: SourceEntry) -> Iterator[Finding]:
    kind = kind_of(entry.kind)
    if kind.audit is None:
        raise ConfigurationError(f"A source of the kind {kind.name} cannot be audited.")
    held = StoredHoldings(instance.store, instance.inbox, entry.name)
    options = replace(options_of(entry, instance.settings, 0, Wishes()), holdings=held)
    with fetcher(instance.settings, entry, Stop()) as fetch:
        for metadata_prefix in entry.formats:
            for set_spec in entry.sets or ("",):
                yield from kind.audit(options, Cursor(entry.name, metadata_prefix, set_spec), fetch)


def _counted(findings: Iterator[Finding], counts: Counter[str]) -> Iterator[Finding]:
    for each in findings:
        counts[each.what] += 1
        yield each
