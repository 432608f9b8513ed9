"""`harvester check`: checks an instance, with everything that `gateway check` looks at.

It adds the entries of sources, their runs, schedules and alarms.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

import click

from gateway.core.errors import ConfigurationError
from gateway.core.finding import ONLY_HARVESTS, Finding, guarded, write_findings
from gateway.core.settings import instance_folder
from gateway.core.states import ATTENTION, DIED, of_run, of_source
from harvester.commands.output import is_json, with_json
from harvester.harvest.access import FILES, kind_of
from harvester.harvest.facts import Facts, problems, without_schedules
from harvester.harvest.instance import Instance, opened, sources_file
from harvester.harvest.sources_toml import SourceEntry
from harvester.mirror.instance_memory import InstanceMemory
from harvester.schedule.notifications.notices import MOST_STOPPED, STAGES, TELLING


@click.command()
@click.option("--whole", "is_whole", is_flag=True, help="Read every record, page and copy of a document, not a sample.")
@click.option(ONLY_HARVESTS, "has_only_harvests", is_flag=True, hidden=True)
@with_json
def check(ctx: click.Context, is_whole: bool, has_only_harvests: bool) -> None:
    """Check the whole instance; exit status 1 if there is a problem.

    It checks everything that serving, harvesting, schedules and backups need, and names what needs attention. `gateway
    check` does the same.
    """
    from gateway.ops import health  # noqa: PLC0415

    folder = instance_folder(ctx.obj)
    of_gateway = () if has_only_harvests else health.findings(folder, is_whole=is_whole)
    ctx.exit(int(write_findings(chain(of_gateway, guarded(findings(folder))), as_json=is_json())))


def findings(folder: Path) -> Iterator[Finding]:
    """Yield what keeps the harvester from working, and what needs attention. Raise GatewayError."""
    entries = sources_file(folder).entries()
    yield Finding("fine", f"The entries of sources can be read: {len(entries)}.")
    yield from chain.from_iterable(_usable(folder, entry) for entry in entries.values())
    InstanceMemory(folder).read()
    with opened(str(folder), only_reads=True) as instance:
        sentences = (
            *without_schedules(Facts(instance), entries.values()),
            *problems(instance, entries),
            *_states(instance, entries),
        )
    yield from (Finding("warning", sentence) for sentence in sentences)


def _usable(folder: Path, entry: SourceEntry) -> Iterator[Finding]:
    """Name an unknown kind of source, and files of secrets and certificates that are missing."""
    try:
        kind_of(entry.kind)
    except ConfigurationError as error:
        yield Finding("problem", f"{entry.name}: {error}")
    for file in (entry.ca_bundle, *(value for name, value in entry.auth.items() if name in FILES)):
        if file and not (folder / file).is_file():
            yield Finding("problem", f"{entry.name}: {folder / file} is missing, or is not a file.")


def _states(instance: Instance, entries: Mapping[str, SourceEntry]) -> Iterator[str]:
    """Yield the state of each source that was never harvested, and of each stage whose last run needs attention."""
    for name, entry in entries.items():
        for stage, words in STAGES.items():
            runs = instance.inbox.runs(name, 1 + MOST_STOPPED, stage)
            states = ((run, of_run(run, has_died=instance.inbox.has_died(run))) for run in runs)
            last = next((state for run, state in states if run.outcome in TELLING or state.name == DIED), None)
            if stage == "harvest" and not runs:
                yield f"{name}: {of_source(entry.source, None).words}"
            elif last is not None and last.shape in ATTENTION:
                yield f"{name}, {words}: {last.words}"
