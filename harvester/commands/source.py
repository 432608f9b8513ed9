"""`harvester source`: which sources there are, and whether they can be harvested."""

from __future__ import annotations

from dataclasses import replace
from time import time
from typing import Any

import click

from gateway.errors import ConfigurationError, FetchError, GatewayError
from gateway.program import say
from gateway.rebuild import remove_source
from gateway.unattended import without_schedule
from harvester import downloaded
from harvester.commands.audit import audit
from harvester.commands.friends import friends
from harvester.commands.identity import accept_identity
from harvester.commands.load import load
from harvester.commands.options import (
    Given,
    access_options,
    auth_of,
    date,
    every_option,
    hours,
    own_fields,
    schedule_options,
    slice_option,
)
from harvester.commands.output import json_option, write_facts, write_rows
from harvester.commands.recognise import check_address, confirm_name, is_address, is_confirmed
from harvester.commands.run import facts_of_run, write_done
from harvester.commands.subscribe import facts_of, subscribe_, unsubscribe_
from harvester.descriptions import keep_description
from harvester.identity import accept, changed
from harvester.instance import Instance, opened
from harvester.kinds import fetcher, kind_of, with_address, words_of_address
from harvester.locks import await_publishers, lock
from harvester.outcomes import Status, status_of_error
from harvester.pipeline import Wishes, options_of
from harvester.progress import progress
from harvester.source_fields import MOST_CONNECTIONS
from harvester.sources import Description
from harvester.sources_file import SourceEntry, checked_name, entry_from, table_of
from harvester.special_addresses import PUBLIC
from harvester.stopping import Stop, listening
from harvester.tending.subscribing import forget
from harvester.unattended import entry_of, unlisted, unscheduled
from harvester.web import Pace
from harvester.working import Working

_YES = "Use a name again under which records of another address are held."
yes_option = click.option("--yes", "is_sure", is_flag=True, help=_YES)


@click.group()
def source() -> None:
    """Add, list, show, check, audit, sweep and remove sources."""


source.add_command(friends)
source.add_command(load)


@source.command()
@click.argument("name")
@click.argument("url")
@click.option("--kind", default="oai_pmh", help="What kind of source it is.")
@click.option(
    "--format", "formats", multiple=True, metavar="PREFIX", help="A metadataPrefix to harvest; may be repeated."
)
@click.option("--set", "sets", multiple=True, metavar="SPEC", help="A setSpec to harvest; may be repeated.")
@click.option("--from", "from_", default="", callback=date, metavar="DATE", help="Never ask for anything older.")
@click.option("--until", default="", callback=date, metavar="DATE", help="Never ask for anything newer.")
@click.option(
    "--overlap", "overlap_seconds", type=click.IntRange(min=0), help="Seconds that the next harvest overlaps."
)
@click.option("--delay", "delay_seconds", type=click.FloatRange(min=0), help="Seconds between two requests.")
@schedule_options
@click.option("--hours", default="", callback=hours, metavar="HH:MM-HH:MM", help="From when to when (UTC) it is asked.")
@slice_option
@click.option("--connections", type=click.IntRange(1, MOST_CONNECTIONS), help="How many windows are asked for at once.")
@click.option("--rights", default="", metavar="URL", help="A rights statement that applies to every record.")
@click.option(
    "--prefer", multiple=True, metavar="PREFIX", help="The format that describes the works best; may be repeated."
)
@click.option(
    "--friend/--no-friend", default=None,
    help="Whether our Identify names it among the friends; else it does where no credentials are needed.",
)  # fmt: skip
@click.option(
    "--option", "own", multiple=True, callback=own_fields, metavar="FIELD=VALUE",
    help="A field that only this kind of source has, as in sources.toml; may be repeated.",
)  # fmt: skip
@access_options
@click.option(
    "--allow",
    multiple=True,
    metavar="HOST[:PORT]",
    help="A host, address or network that it may lead to.",
)
@click.option("--no-check", is_flag=True, help="Do not ask the source now.")
@yes_option
@json_option
@click.pass_context
def add(
    ctx: click.Context,
    /,
    name: str,
    url: str,
    no_check: bool,
    is_sure: bool,
    as_json: bool,
    own: dict[str, object],
    **given: Given,
) -> None:
    """Add a source under a NAME of ours: 1 to 32 of a-z, 0-9 and the hyphen.

    The source is asked who it is and what it offers; nothing is harvested yet.
    """
    auth = auth_of(given)
    entry = with_address(_entry(checked_name(name), {**given, **own, "url": url, "auth": auth}))
    with opened(ctx.obj) as instance, lock(instance.folder, name):
        if name in instance.sources.entries():
            raise ConfigurationError(f"There is a source {name!r} already.")
        confirm_name(instance, entry, is_sure=is_sure)
        found = None if no_check else _asked(instance, entry)
        if found is not None:
            _check_offer(entry, found)
        instance.sources.add(entry)
        instance.store.add_source(entry.source)
        if found is not None:
            if found.identity is not None:
                accept(instance.inbox, name, found.identity)
            keep_description(instance, name, found)
    write_facts({"name": name, **table_of(entry), **(_offer(found) if found else {})}, as_json=as_json)
    if entry.address not in ("", PUBLIC):
        say(words_of_address(entry))
    say(f"Added. `harvester run {name}` harvests it.")


def _entry(name: str, given: dict[str, Any]) -> SourceEntry:
    """Return the entry that these options describe, checked like one in the file."""
    told = kind_of(given["kind"]).fields_of(given["url"])
    table = {key.rstrip("_"): list(value) if isinstance(value, tuple) else value for key, value in given.items()}
    return entry_from(name, {**told, **{key: value for key, value in table.items() if value not in (None, "", [], {})}})


def _asked(instance: Instance, entry: SourceEntry) -> Description:
    overlap = instance.settings.number("harvest_overlap_seconds")
    # Who it is may be asked at any hour.
    with fetcher(instance.settings, replace(entry, hours=""), Stop()) as fetch:
        return kind_of(entry.kind).describe(options_of(entry, instance.settings, overlap, Wishes()), fetch)


def _check_offer(entry: SourceEntry, found: Description) -> None:
    offered = [each.metadata_prefix for each in found.formats]
    for wanted in entry.formats:
        if offered and wanted not in offered:
            raise ConfigurationError(f"{entry.name} does not offer {wanted}; it offers {', '.join(offered)}.")
    for problem in _unmet(entry, found):
        say(f"{problem} It is asked for nevertheless.")


def _offer(found: Description) -> dict[str, object]:
    """Return what a source said, as data."""
    return {
        "repository_name": found.repository_name,
        "base_url_of_its_own": found.base_url,
        "granularity": found.granularity,
        "earliest_datestamp": found.earliest_datestamp,
        "deleted_record": found.deleted_record,
        "formats_offered": [each.metadata_prefix for each in found.formats],
        "sets_offered": len(found.sets),
        "notes": list(found.notes),
    }


@source.command(name="list")
@json_option
@click.pass_context
def list_(ctx: click.Context, as_json: bool) -> None:
    """List the sources."""
    with opened(ctx.obj, only_reads=True) as instance:
        entries = instance.sources.entries().values()
        write_rows(
            ({"name": each.name, **table_of(each)} for each in entries), ("name", "url", "formats"), as_json=as_json
        )


@source.command()
@click.argument("name")
@json_option
@click.pass_context
def show(ctx: click.Context, name: str, as_json: bool) -> None:
    """Show what is known of a source: its entry, what is held and was learned of it, its lists."""
    with opened(ctx.obj, only_reads=True) as instance:
        entry = entry_of(instance, name)
        cursors = instance.inbox.cursors(name)
        lists = [{"format": each.metadata_prefix, "set": each.set_spec, "state": each.state} for each in cursors]
        profile = kind_of(entry.kind).profile(entry.own, (*cursors, *instance.inbox.windows(name)))
        held = instance.store.counts(name)
        told = [facts_of(each) for each in instance.subscriptions.of_source(name)]
        facts = {"name": name, **table_of(entry), "held": held, "profile": profile, "lists": lists}
        facts["subscriptions"] = [{key: each[key] for key in each if each[key] and key != "source"} for each in told]
    write_facts(facts, as_json=as_json)


@source.command()
@click.argument("name", metavar="NAME|URL")
@click.option("--add", "new_name", default="", metavar="NAME", help="Of an address: add it under this name.")
@every_option
@yes_option
@json_option
@click.pass_context
def check(ctx: click.Context, name: str, new_name: str, every: str, is_sure: bool, as_json: bool) -> None:
    """Ask a source who it is and what it offers; the exit status tells whether it can be harvested.

    0: it can. 3: it can, but something is odd. 4: it refuses. 5: it cannot be reached now. Of an address, every kind of
    source is asked whether it is one of it, and the entry for sources.toml is shown.
    """
    with opened(ctx.obj) as instance:
        if is_address(name):
            ctx.exit(int(check_address(instance, name, new_name, every, is_sure=is_sure, as_json=as_json)))
        if every:
            raise ConfigurationError("--every is for an address that is added; edit `every` in sources.toml.")
        entry = entry_of(instance, name)
        runs = instance.inbox.runs(name, 1)
        facts: dict[str, object] = {"name": name, "url": entry.url, "formats": list(entry.formats)}
        try:
            found = _asked(instance, entry)
        except GatewayError as error:
            if not isinstance(error, FetchError):
                raise
            facts |= {"reached": False, "problems": [str(error)]}
            status = status_of_error(error)
        else:
            problems = [*found.notes, *_unmet(entry, found), *changed(instance.inbox, name, found.identity)]
            facts |= {"reached": True, **_offer(found), "problems": problems}
            status = Status.WITH_ERRORS if problems else Status.SUCCEEDED
        facts["last_run"] = facts_of_run(runs[0]) if runs else None
        for each in unscheduled(instance, (entry,)):
            say(without_schedule(each))
        write_facts(facts, as_json=as_json)
    ctx.exit(int(status))


def _unmet(entry: SourceEntry, found: Description) -> list[str]:
    """Return what the entry asks for and the source does not offer."""
    formats, sets = {each.metadata_prefix for each in found.formats}, {each.spec for each in found.sets}
    return [
        *(f"It does not offer the format {wanted}." for wanted in entry.formats if formats and wanted not in formats),
        *(f"It does not list the set {wanted}." for wanted in entry.sets if sets and wanted not in sets),
    ]


@source.command()
@click.argument("name")
@click.option("--yes", "is_sure", is_flag=True, help="Do not ask for confirmation.")
@json_option
@click.pass_context
def remove(ctx: click.Context, name: str, is_sure: bool, as_json: bool) -> None:
    """Remove a source: every record of it becomes a tombstone, so that harvesters learn of it.

    A source whose entry was deleted from sources.toml can be removed as well. What arrived from it stays in the inbox.
    Its name should not be given to another source; `source add` asks before it does that.
    """
    with opened(ctx.obj) as instance, lock(instance.folder, name):
        instance.check_clock()
        is_listed = all(each.name != name for each in unlisted(instance))
        if is_listed:
            instance.sources.entry(name)
        held = instance.store.counts(name)
        living = held["items"] - held["deleted"]
        if living and not is_sure:
            click.confirm(f"Delete the {living} items of {name} for every harvester of ours?", abort=True, err=True)
        for cursor in instance.inbox.cursors(name):
            instance.inbox.put_cursor(
                replace(cursor, state="")
            )  # added again, it is to be harvested from the beginning
        for window in instance.inbox.windows(name):
            instance.inbox.forget_windows(window)
        instance.inbox.keep_harvest(name, "")
        with progress() as telling:
            await_publishers(instance.folder, name)
            deleted = remove_source(
                instance.store,
                instance.inbox,
                name,
                int(time()),
                lambda done: telling.show(f"{name} deleted", done, living),
            )
        forget(instance, name, int(time()))
        downloaded.forget(instance.folder, name)
        instance.inbox.forget_identity(name)
        if is_listed:
            instance.sources.remove(name)
    write_facts({"name": name, "deleted_items": deleted}, as_json=as_json)


@source.command(name="sweep")
@click.argument("name")
@click.option("--yes", "is_sure", is_flag=True, help="Delete however many have vanished.")
@json_option
@click.pass_context
def sweep_(ctx: click.Context, name: str, is_sure: bool, as_json: bool) -> None:
    """Delete what a source does not have any more; fetch what has returned or was never held.

    For sources that do not tell of deletions, or leave out records: all their identifiers are listed. A list that is
    not shown to be whole deletes nothing. More than the share that the setting `sweep_most_share` allows is deleted
    after confirmation only. What is named and was never held is fetched record by record; what does not come is
    reported as missing, and the exit status is 3.
    """

    def confirm(vanished: int, held: int) -> bool:
        return is_sure or is_confirmed(f"Delete {vanished} of the {held} records held of {name}?")

    with opened(ctx.obj) as instance, listening(Stop()) as stop, progress() as telling:
        working = Working(instance, telling, stop, Pace())
        done = working.swept(entry_of(instance, name), confirm)
        working.notified(name)
        if as_json:
            write_done(name, done)
    ctx.exit(int(done.status))


source.add_command(accept_identity)
source.add_command(audit)
source.add_command(subscribe_)
source.add_command(unsubscribe_)
