"""`harvester source audit`: compare the stored resources of a source with its lists."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import click

from gateway.core.errors import ConfigurationError
from gateway.core.model import Cursor
from gateway.core.program import say
from harvester.commands.output import with_json, write_rows
from harvester.harvest.access import fetcher, kind_of
from harvester.harvest.held_records import StoredHoldings
from harvester.harvest.instance import Instance, opened
from harvester.harvest.run_lifecycle import summary
from harvester.harvest.run_options import RunOptions, source_options
from harvester.harvest.sources_toml import SourceEntry
from harvester.runtime.exit_status import status_of_end
from harvester.runtime.interrupts import Stop
from harvester.runtime.locks import lock
from harvester.sources import Finding


@click.command()
@click.argument("name")
@with_json
def audit(ctx: click.Context, name: str, as_json: bool) -> None:
    """Compare the stored resources of a source with its lists: missing, changed, extra and corrupt ones.

    Only the lists are requested, and nothing is changed. `run --full` fetches missing and changed resources, `source
    sweep` deletes extra ones. The exit status is 3 if anything differs.
    """
    counts: Counter[str] = Counter()
    with opened(ctx.obj) as instance, lock(instance.folder, name):
        findings = _counted(_findings(instance, instance.sources.entry(name)), counts)
        write_rows((finding._asdict() for finding in findings), ("what", "identifier", "why"), as_json=as_json)
    say(f"{name}: {summary(counts) if counts else 'the held resources agree with the lists'}.")
    ctx.exit(int(status_of_end(has_findings=bool(counts))))


def _findings(instance: Instance, entry: SourceEntry) -> Iterator[Finding]:
    kind = kind_of(entry.kind)
    if kind.audit is None:
        raise ConfigurationError(f"A source of the kind {kind.name} cannot be audited.")
    held = StoredHoldings(instance.store, instance.inbox, entry.name)
    options = replace(source_options(entry, instance.settings, 0, RunOptions()), holdings=held)
    with fetcher(instance.settings, entry, Stop()) as fetch:
        for metadata_prefix in entry.formats:
            for set_spec in entry.sets or ("",):
                yield from kind.audit(options, Cursor(entry.name, metadata_prefix, set_spec), fetch)


def _counted(findings: Iterator[Finding], counts: Counter[str]) -> Iterator[Finding]:
    for finding in findings:
        counts[finding.what] += 1
        yield finding
