"""`harvester source`: manage the sources, and check whether they can be harvested."""

import shlex
from dataclasses import replace
from time import time
from typing import Any

import click

from gateway.core.errors import ConfigurationError, FetchError, GatewayError, NotOaiPmh, NotXml
from gateway.core.program import say
from gateway.core.special_addresses import PUBLIC
from gateway.core.states import of_source, of_unused
from gateway.publish.rebuild import remove_source
from gateway.publish.unused import unused_elements
from harvester.commands.options import (
    FiniteRange,
    Given,
    access_options,
    allow_option,
    auth_of,
    date_option,
    every_option,
    flag,
    hours,
    many,
    option,
    own_fields,
    schedule_options,
    slice_option,
    text,
)
from harvester.commands.output import is_json, with_json, write_facts, write_rows
from harvester.commands.run import facts_of_run, write_done
from harvester.commands.source_check import audit, check_address, confirm_name, is_address, is_confirmed, load
from harvester.commands.source_friends import friends
from harvester.commands.subscribe import facts_of, subscribe_, unsubscribe_
from harvester.harvest.access import fetcher, kind_of, with_address, words_of_address
from harvester.harvest.admission import keep_description
from harvester.harvest.facts import close_alarms, entry_of, unlisted, without_schedule
from harvester.harvest.instance import Instance, opened
from harvester.harvest.repository_identity import accept, changed, differences, known_identity
from harvester.harvest.run_lifecycle import RunOptions, source_options
from harvester.harvest.source_fields import MOST_CONNECTIONS
from harvester.harvest.sources_toml import SourceEntry, checked_name, entry_from, table_of
from harvester.http import downloads
from harvester.http.retrying import Pace
from harvester.runtime.exit_status import status_of_end, status_of_error
from harvester.runtime.interrupts import Stop, listening
from harvester.runtime.locks import await_publishers
from harvester.runtime.progress import progress
from harvester.schedule.source_work import SourceWork
from harvester.schedule.subscriptions import forget
from harvester.sources import Description

_YES = "Use a name again under which records of another address are stored."
_OAI_PMH = "oai_pmh"
yes_option = flag("--yes", "is_sure", _YES)


@click.group()
def source() -> None:
    """Add, list, show, check, audit, sweep and remove sources."""


@click.command(name="accept-identity")
@click.argument("name")
@with_json
def accept_identity(ctx: click.Context, name: str) -> None:
    """Accept the present repositoryIdentifier, repositoryName, baseURL and records of a source.

    The identity that was accepted before is shown next to it. After that, runs continue. Records that the repository
    does not have any more stay until `harvester source sweep` deletes them.
    """
    with opened(ctx.obj) as instance, instance.lock(name):
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
    write_facts(facts)
    if strange or changes:
        say(f"Accepted. `harvester run {name}` continues where it stopped; with --full it harvests everything.")
    else:
        say(f"The identity of {name} is accepted already.")


source.add_command(friends)
source.add_command(load)


@source.command()
@click.argument("name")
@click.argument("url")
@option("--kind", "The kind of source.", default=_OAI_PMH)
@many("--format PREFIX", "formats", "Harvest this metadataPrefix; may be repeated.")
@many("--set SPEC", "sets", "A setSpec to harvest; may be repeated.")
@date_option("--from", "from_", "Never ask for older records.")
@date_option("--until", "Never ask for newer records.")
@option(
    "--overlap", "overlap_seconds", "Seconds by which a harvest overlaps the one before.", type=click.IntRange(min=0)
)
@option("--delay", "delay_seconds", "Wait so many seconds between requests.", type=FiniteRange(min=0))
@schedule_options
@text("--hours HH:MM-HH:MM", "The hours (UTC) in which it may be asked.", callback=hours)
@slice_option
@option("--connections", "How many windows are harvested in parallel.", type=click.IntRange(1, MOST_CONNECTIONS))
@text("--rights URL", "A rights statement that applies to every record.")
@many("--prefer PREFIX", "A preferred metadataPrefix; may be repeated.")
@option(
    "--apart", "Serve its records in a format of formats_made as PREFIX.NAME, next to ours.", is_flag=True, default=None
)
@option(
    "--friend/--no-friend",
    "Name it among the friends in our Identify. Default: if it needs no credentials.",
    default=None,
)
@many(
    "--option FIELD=VALUE",
    "own",
    "A field of this kind of source, as in sources.toml; may be repeated.",
    callback=own_fields,
)
@access_options
@allow_option
@flag("--no-check", "Do not ask the source.")
@yes_option
@with_json
def add(
    ctx: click.Context, /, name: str, url: str, no_check: bool, is_sure: bool, own: dict[str, object], **given: Given
) -> None:
    """Add a source as NAME: 1 to 32 of a-z, 0-9 and the hyphen.

    The source is asked for its identity and its formats. Nothing is harvested yet.
    """
    auth = auth_of(given)
    entry = with_address(_entry(checked_name(name), {**given, **own, "url": url, "auth": auth}))
    with opened(ctx.obj) as instance, instance.lock(name):
        if name in instance.sources.entries():
            raise ConfigurationError(f"There is a source {name!r} already.")
        confirm_name(instance, entry, is_sure=is_sure)
        description = None if no_check else _asked(instance.at_prompt(), entry)
        if description is not None:
            offered = tuple(format_.metadata_prefix for format_ in description.formats)
            if entry.kind == "files" and offered and not given.get("formats"):
                entry = replace(entry, formats=offered)  # what the answers in the files were asked for
            _check_offer(entry, description)
            if description.proposed and not any(given.get(field) for field in description.proposed):
                entry = entry_from(name, {**table_of(entry), **description.proposed})
                say(f"{description.reason} For another format, add the source with --format.")
        instance.sources.add(entry)
        instance.store.add_source(entry.source)
        if description is not None:
            if description.identity is not None:
                accept(instance.inbox, name, description.identity)
            keep_description(instance, name, description)
    write_facts({"name": name, **table_of(entry), **(_offer(description) if description else {})})
    if entry.address not in ("", PUBLIC):
        say(words_of_address(entry))
    say(f"Added. `harvester run {name}` harvests it.")
    if not entry.every:
        say(without_schedule(name))


def _entry(name: str, given: dict[str, Any]) -> SourceEntry:
    """Return the entry of these options, checked like one in the file."""
    fields_ = kind_of(given["kind"]).fields_of(given["url"])
    table = {key.rstrip("_"): list(value) if isinstance(value, tuple) else value for key, value in given.items()}
    return entry_from(
        name, {**fields_, **{key: value for key, value in table.items() if value not in (None, "", [], {})}}
    )


def _asked(instance: Instance, entry: SourceEntry) -> Description:
    overlap = instance.settings.number("harvest_overlap_seconds")
    options = source_options(entry, instance.settings, overlap, RunOptions())
    # The identity may be requested at any hour.
    with fetcher(instance.settings, replace(entry, hours=""), Stop()) as fetch:
        try:
            kind = kind_of(entry.kind)
            return kind.describe(options, fetch).with_sets(kind, options, fetch)
        except (NotOaiPmh, NotXml) as error:
            if entry.kind != _OAI_PMH:
                raise
            raise type(error)(f"{error} {_other_kind(entry, str(error))}") from error


def _other_kind(entry: SourceEntry, error: str) -> str:
    """Return what to do about an address that is no OAI-PMH repository."""
    hint = "Add it with --kind static_repository, or see what" if "a static repository" in error else "See what"
    return f"{hint} can be harvested there with `harvester source check {shlex.quote(entry.url)}`."


def _check_offer(entry: SourceEntry, description: Description) -> None:
    offered = [format_.metadata_prefix for format_ in description.formats]
    for wanted in entry.formats:
        if offered and wanted not in offered:
            raise ConfigurationError(f"{entry.name} does not offer {wanted}; it offers {', '.join(offered)}.")
    for problem in _unmet(entry, description):
        say(f"{problem} It is requested all the same.")


def _offer(description: Description) -> dict[str, object]:
    """Return the description of a source as data."""
    return {
        "repository_name": description.repository_name,
        "base_url_of_its_own": description.base_url,
        "granularity": description.granularity,
        "earliest_datestamp": description.earliest_datestamp,
        "deleted_record": description.deleted_record,
        "formats_offered": [format_.metadata_prefix for format_ in description.formats],
        "sets_offered": len(description.sets),
        "notes": list(description.notes),
    }


@source.command(name="list")
@with_json
def list_(ctx: click.Context) -> None:
    """List the sources."""
    with opened(ctx.obj, only_reads=True) as instance:
        entries = instance.sources.entries().values()
        write_rows(({"name": entry.name, **table_of(entry)} for entry in entries), "name url formats")


@source.command()
@click.argument("name")
@with_json
def show(ctx: click.Context, name: str) -> None:
    """Show a source: its entry, its records, its profile and its lists."""
    with opened(ctx.obj, only_reads=True) as instance:
        entry = entry_of(instance, name)
        cursors = instance.inbox.cursors(name)
        lists = [
            {"format": cursor.metadata_prefix, "set": cursor.set_spec, "state": cursor.state} for cursor in cursors
        ]
        profile = kind_of(entry.kind).profile(entry.own, (*cursors, *instance.inbox.windows(name)))
        held = instance.store.counts(name)
        subscriptions = [facts_of(subscription) for subscription in instance.subscriptions.of_source(name)]
        facts = {"name": name, **table_of(entry), "held": held, "profile": profile, "lists": lists}
        facts["subscriptions"] = [
            {key: fact[key] for key in fact if fact[key] and key != "source"} for fact in subscriptions
        ]
    write_facts(facts)


@source.command()
@click.argument("name", metavar="NAME|URL")
@text("--add NAME", "new_name", "For a URL: add the source as NAME.")
@every_option
@yes_option
@with_json
def check(ctx: click.Context, name: str, new_name: str, every: str, is_sure: bool) -> None:
    """Check whether a source can be harvested: ask for its identity, formats and sets.

    Exit status 0: it can be harvested. 3: it can, but something is unusual. 4: it refuses. 5: it is not available now.
    Of a sample of the stored records, elements that no reader uses are named. For a URL, every kind of source is tried,
    and the entry for sources.toml is shown.
    """
    with opened(ctx.obj) as instance:
        if is_address(name):
            ctx.exit(int(check_address(instance.at_prompt(), name, new_name, every, is_sure=is_sure)))
        if every:
            raise ConfigurationError("--every is for an address that is added; edit `every` in sources.toml.")
        entry = entry_of(instance, name)
        runs = instance.inbox.runs(name, 1)
        facts: dict[str, object] = {"name": name, "url": entry.url, "formats": list(entry.formats)}
        try:
            description = _asked(instance.at_prompt(), entry)
        except GatewayError as error:
            if not isinstance(error, FetchError):
                raise
            facts |= {"reached": False, "problems": [str(error)]}
            status = status_of_error(error)
        else:
            problems = [
                *description.notes,
                *_unmet(entry, description),
                *changed(instance.inbox, name, description.identity),
            ]
            facts |= {"reached": True, **_offer(description), "problems": problems}
            status = status_of_end(has_findings=bool(problems))
        last = runs[0] if runs else None
        has_died = last is not None and instance.inbox.has_died(last)
        words = of_source(entry.source, last, has_died=has_died).words
        facts["last_run"] = words if not is_json() else last and facts_of_run(last, has_died=has_died)
        unused = list(unused_elements(instance.store, instance.inbox, name))
        rows = [
            {"metadata_prefix": found.metadata_prefix, **element._asdict(), "of": found.of}
            for found in unused
            for element in found.elements
        ]
        facts["unused_elements"] = rows if is_json() else [*of_unused(unused)]
        write_facts(facts)
    ctx.exit(int(status))


def _unmet(entry: SourceEntry, description: Description) -> list[str]:
    """Return a sentence for each format or set of the entry that the source does not offer."""
    formats, sets = {spec.metadata_prefix for spec in description.formats}, {spec.spec for spec in description.sets}
    return [
        *(f"It does not offer the format {wanted}." for wanted in entry.formats if formats and wanted not in formats),
        *(f"It does not list the set {wanted}." for wanted in entry.sets if sets and wanted not in sets),
    ]


@source.command()
@click.argument("name")
@flag("--yes", "is_sure", "Do not ask for confirmation.")
@with_json
def remove(ctx: click.Context, name: str, is_sure: bool) -> None:
    """Remove a source. Each of its records becomes a tombstone, so that harvesters learn of the deletion.

    A source whose entry was deleted from sources.toml can be removed as well. The inbox keeps its answers.
    Do not give its name to another source; `source add` asks for confirmation before it does.
    """
    with opened(ctx.obj) as instance, instance.lock(name):
        instance.check_clock()
        is_listed = all(entry.name != name for entry in unlisted(instance))
        if is_listed:
            instance.sources.entry(name)
        held = instance.store.counts(name)
        living = held["items"] - held["deleted"]
        if living and not is_sure:
            click.confirm(f"Delete the {living} items of {name} for every harvester of ours?", abort=True, err=True)
        for cursor in instance.inbox.cursors(name):
            # added again, it is to be harvested from the beginning
            instance.inbox.put_cursor(replace(cursor, state=""))
        for window in instance.inbox.windows(name):
            instance.inbox.forget_windows(window)
        instance.inbox.keep_harvest(name, "")
        with progress() as reporter:
            await_publishers(instance.folder, name)
            deleted = remove_source(
                instance.store,
                instance.inbox,
                name,
                int(time()),
                lambda done: reporter.show(f"{name} deleted", done, living),
            )
        forget(instance, name, int(time()))
        downloads.forget(instance.folder, name)
        instance.inbox.forget_identity(name)
        close_alarms(instance, name, int(time()))
        if is_listed:
            instance.sources.remove(name)
    write_facts({"name": name, "deleted_items": deleted})


@source.command(name="sweep")
@click.argument("name")
@flag("--yes", "is_sure", "Delete without confirmation.")
@with_json
def sweep_(ctx: click.Context, name: str, is_sure: bool) -> None:
    """Delete records that a source does not list any more; fetch listed records that are not stored.

    A sweep is for sources that do not announce deletions, or that leave out records. It lists all identifiers. If the
    list is not proven complete, nothing is deleted. If more than the share `sweep_most_share` would be deleted, the
    command asks for confirmation. Records that are listed and not stored are fetched one by one. If one cannot be
    fetched, it is reported missing, and the exit status is 3.
    """

    def confirm(vanished: int, held: int) -> bool:
        return is_sure or is_confirmed(f"Delete {vanished} of the {held} stored records of {name}?")

    with opened(ctx.obj) as instance, listening(Stop()) as stop, progress() as reporter:
        source_work = SourceWork(instance.at_prompt(), reporter, stop, Pace())
        done = source_work.swept(entry_of(instance, name), confirm)
        source_work.notified(name)
        if is_json():
            write_done(name, done)
    ctx.exit(int(done.status))


source.add_command(accept_identity)
source.add_command(audit)
source.add_command(subscribe_)
source.add_command(unsubscribe_)
