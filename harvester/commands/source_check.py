"""Commands on one source: `source check URL` detects its kind, `source audit` compares, `source load` reads a dump."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urlsplit

import click

from gateway.core.errors import ConfigurationError
from gateway.core.model import Cursor
from gateway.core.program import say, write_json
from gateway.core.xmltext import parse_utc_datetime, utc_datetime
from harvester.commands.options import date_option
from harvester.commands.output import is_json, with_json, write_rows
from harvester.commands.run import facts_of_run
from harvester.harvest.access import fetcher, kind_of, kinds, with_address, with_address_of
from harvester.harvest.detect import Detection, recognised
from harvester.harvest.instance import Instance, opened
from harvester.harvest.named_records import StoredHoldings
from harvester.harvest.repository_identity import former
from harvester.harvest.run import run
from harvester.harvest.run_lifecycle import RunOptions, lists_of, source_options, summary
from harvester.harvest.session import SourceSession
from harvester.harvest.sources_toml import SourceEntry, checked_name, checked_url, entry_from, shown, table_of
from harvester.runtime.exit_status import Status, status_of_end
from harvester.runtime.interrupts import Stop, listening
from harvester.runtime.progress import progress
from harvester.sources import Finding
from harvester.sources.files import as_of, is_reading
from harvester.sources.oai_pmh.list_state import ListState, Position, text_of


def is_address(text: str) -> bool:
    """Return whether a text is an address, not the name of a source."""
    return "/" in text


def check_address(instance: Instance, url: str, name: str, every: str, *, is_sure: bool) -> Status:
    """Write the kind of source at an address. With a name, add its entry, else show it.

    `every` is the period of `tend`, or empty. `is_sure`: a former name may be used again.
    """
    place = checked_url(url)
    asked = with_address(SourceEntry(checked_name(name) if name else name_for(place), place))
    with fetcher(instance.settings, asked, Stop()) as fetch:
        recognised_ = recognised(asked.url, kinds().values(), fetch)
    for problem in recognised_.problems:
        say(problem)
    if not recognised_.recognised:
        click.echo(f"{url} is nothing that can be harvested, as far as can be seen.", err=True)
        return Status.FAILED
    kind, best = recognised_.recognised[0]
    entry = entry_from(asked.name, {"kind": kind, **best.table, **({"every": every} if every else {})})
    entry = with_address_of(entry, asked)
    _write(url, entry, recognised_)
    if name:
        add_entry(instance, entry, is_sure=is_sure)
        say(f"Added. `harvester run {entry.name}` harvests it.")
    else:
        say("With --add NAME this is written into sources.toml.")
    return Status.SUCCEEDED


def name_for(url: str) -> str:
    """Return a legal name for the source at an address, from its host."""
    host = urlsplit(url).netloc or "source"
    return re.sub(r"[^a-z0-9]+", "-", host.lower())[:32].strip("-")


def _write(url: str, entry: SourceEntry, findings: Detection) -> None:
    seen = [{"kind": kind, "is": recognised_kind.sentence} for kind, recognised_kind in findings.recognised]
    if is_json():
        write_json({"url": url, "recognised": seen, "name": entry.name, "entry": table_of(entry)})
        return
    for kind in seen:
        say(kind["is"])
    click.echo(shown(entry), nl=False)


def confirm_name(instance: Instance, entry: SourceEntry, *, is_sure: bool) -> None:
    """Write which records return under a name that was used before. For another address, ask for confirmation.

    Raise ConfigurationError when the answer is no, or there is no terminal.
    """
    former_url = former(instance, entry.name, entry.url)
    if former_url is None:
        return
    say(former_url.sentence)
    if not former_url.is_other or is_sure:
        return
    if not is_confirmed(f"Use the name {entry.name} again?"):
        raise ConfigurationError(f"Nothing was added. Choose another name than {entry.name}, or confirm it with --yes.")


def is_confirmed(question: str) -> bool:
    """Ask on stderr; return whether the answer is yes."""
    try:
        return click.confirm(question, err=True)
    except click.Abort:  # nobody is there to answer
        return False


def add_entry(instance: Instance, entry: SourceEntry, *, is_sure: bool = False) -> None:
    """Add a new source. Raise ConfigurationError when its name is taken, or was used before without confirmation."""
    with instance.lock(entry.name):
        if entry.name in instance.sources.entries():
            raise ConfigurationError(f"There is a source {entry.name!r} already.")
        confirm_name(instance, entry, is_sure=is_sure)
        instance.sources.add(entry)
        instance.store.add_source(entry.source)


# --- `harvester source audit`: compare the stored resources of a source with its lists --------------------------------


@click.command()
@click.argument("name")
@with_json
def audit(ctx: click.Context, name: str) -> None:
    """Compare the stored resources of a source with its lists: missing, changed, extra and corrupt ones.

    Only the lists are requested, and nothing is changed. `run --full` fetches missing and changed resources, `source
    sweep` deletes extra ones. The exit status is 3 if anything differs.
    """
    counts: Counter[str] = Counter()
    with opened(ctx.obj) as instance, instance.lock(name):
        findings = _counted(_findings(instance.at_prompt(), instance.sources.entry(name)), counts)
        write_rows((finding._asdict() for finding in findings), "what identifier why")
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


# --- `harvester source load`: read the first harvest of a source from a delivered dump; OAI-PMH follows ---------------


@click.command(name="load")
@click.argument("name")
@click.argument("path", type=click.Path(exists=True, resolve_path=True))
@date_option("--as-of", "stated", "The date at which the files were made.")
@with_json
def load(ctx: click.Context, name: str, path: str, stated: str) -> None:
    """Load the first harvest of an OAI-PMH source from files. PATH is a file, a folder or an archive.

    The next harvest asks for changes since --as-of; without it, since the first responseDate in the files; without
    that, since their newest datestamp. The overlap is subtracted.
    """
    with opened(ctx.obj) as instance, listening(Stop()) as stop, progress() as telling:
        entry = instance.sources.entry(name)
        if entry.kind != "oai_pmh":
            raise ConfigurationError(f"{entry.name} is {entry.kind}; files can be loaded for a source of OAI-PMH only.")
        for cursor in instance.inbox.cursors(entry.name):
            if cursor.state and not is_reading(cursor.state):
                raise ConfigurationError(f"{entry.name} has been harvested already; files are for the first harvest.")
        if former_url := former(instance, entry.name, entry.url):
            say(former_url.sentence)
        files = replace(entry, url=checked_url(path), kind="files", slice="", own={"base_url": entry.url})
        try:
            with fetcher(instance.settings, files, stop) as fetch:
                ran = run(SourceSession(instance, files, kind_of("files"), fetch, progress=telling, stop=stop))
        finally:
            instance.store.add_source(entry.source)
        if ran.run.is_complete:
            _go_on(instance, entry, stated)
        if is_json():
            write_json(facts_of_run(ran.run))
    ctx.exit(int(ran.status))


def _go_on(instance: Instance, entry: SourceEntry, stated: str) -> None:
    """Let each list go on from when its files were made."""
    for metadata_prefix, set_spec in lists_of(entry, RunOptions()):
        cursor = instance.inbox.cursor(entry.name, metadata_prefix, set_spec)
        moment = parse_utc_datetime(stated)[0] if stated else as_of(cursor.state)
        instance.inbox.put_cursor(
            replace(cursor, state=text_of(ListState(Position(complete=moment))) if moment else "")
        )
        since = f"asks for what has changed since {utc_datetime(moment)}" if moment else "asks for everything"
        say(f"{entry.name} {metadata_prefix} {set_spec}".rstrip() + f": the next harvest {since}.")
