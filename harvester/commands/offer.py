"""`harvester offer`: offer discovered files to the sources of their items."""

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from time import time

import click

from gateway.core.errors import ConfigurationError, GatewayError
from gateway.core.model import Offer, OfferOutcome, OfferWay
from gateway.core.program import say
from harvester.commands.file_output import facts_of_offer
from harvester.commands.options import DIRECTORY, flag, option
from harvester.commands.output import is_json, show, with_json
from harvester.harvest.access import inbox_fetcher
from harvester.harvest.instance import Instance, opened
from harvester.harvest.sources_toml import SourceEntry
from harvester.http.retrying import Pace
from harvester.offer.announcement import find_inbox
from harvester.offer.files import offered_files, offers_now, stored_offers
from harvester.offer.run import OfferOrder, announce_files, check_inbox, pack_files
from harvester.runtime.exit_status import Status, status_of_end, status_of_error, worst
from harvester.runtime.interrupts import Stop, listening
from harvester.runtime.progress import Progress, progress
from harvester.schedule.source_work import SourceWork


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="SOURCE...")
@option("--folder DIR", "Write a package of each file into DIR, for deposit by hand; announce nothing.", type=DIRECTORY)
@flag("--again", "is_again", "Offer again what was refused, packed, or waits for its next try.")
@option("--limit N", "Offer at most N files of each source.", type=click.IntRange(1))
@flag("--list", "is_listed", "List all offers as they are now; offer nothing.")
@flag("--find-inbox", "is_search", "Look for the inbox that the source names; offer nothing.")
@flag("--dry-run", "is_dry", "List the files that would be offered; offer nothing.")
@with_json
def offer(
    ctx: click.Context,
    names: tuple[str, ...],
    folder: Path | None,
    is_again: bool,
    limit: int | None,
    is_listed: bool,
    is_search: bool,
    is_dry: bool,
) -> None:
    """Offer discovered files to the sources of their items, each file once.

    A file is offered if a search found it, a rule or a person accepted it, and it is published. It is announced to the
    `notify_inbox` of the source (COAR Notify), which `harvester tend` does too; or it is packed with --folder.
    """
    _refuse_what_would_be_ignored(
        ("--list", is_listed, {"--limit": limit, "--again": is_again, "--dry-run": is_dry, "--find-inbox": is_search}),
        ("--find-inbox", is_search, {"--folder": folder, "--limit": limit, "--again": is_again, "--dry-run": is_dry}),
    )
    shown = _show
    with opened(ctx.obj) as instance, listening(Stop()) as stop, progress() as reporter:
        entries = instance.sources.chosen(dict.fromkeys(names))
        if is_search:
            ctx.exit(int(worst([_show_inbox(instance, entry, stop) for entry in entries])))
        if folder is None and not is_listed:
            for entry in entries:
                check_inbox(entry)
        order, pace = OfferOrder(limit, is_again, shown), Pace()
        if is_listed or is_dry:
            for entry in entries if instance.has_searched else ():
                for one in _listed(instance, entry, folder) if is_listed else _planned(instance, entry, folder, order):
                    shown(one)
            ctx.exit(int(Status.SUCCEEDED))
        SourceWork(instance, reporter, stop, pace).complete_takedowns()
        statuses = [_offered(instance, entry, folder, order, reporter, stop, pace) for entry in entries]
    ctx.exit(int(worst(statuses)))


def _refuse_what_would_be_ignored(*choices: tuple[str, bool, Mapping[str, object]]) -> None:
    """Raise UsageError for an option beside one with which it means nothing."""
    for chosen, is_given, others in choices:
        if ignored := [name for name, value in others.items() if value] if is_given else []:
            raise click.UsageError(f"{chosen} offers nothing, so {' and '.join(ignored)} has no meaning beside it.")


def _offered(
    instance: Instance,
    entry: SourceEntry,
    folder: Path | None,
    order: OfferOrder,
    reporter: Progress,
    stop: Stop,
    pace: Pace,
) -> Status:
    if stop.is_asked:
        return Status.STOPPED
    try:
        if folder is None:
            return announce_files(instance, entry, reporter, stop, order, pace=pace).status
        return pack_files(instance, entry, folder.absolute(), reporter, stop, order).status
    except GatewayError as error:
        reporter.fail(f"{entry.name}: {error}")
        return status_of_error(error)


def _listed(instance: Instance, entry: SourceEntry, folder: Path | None) -> Iterator[Offer]:
    """Return all offers to a source as they are now; with a folder, only the packages."""
    offers = offers_now(instance, entry.name, has_inbox=bool(entry.notify_inbox))
    return (one for one in offers if folder is None or one.way is OfferWay.FOLDER)


def _planned(instance: Instance, entry: SourceEntry, folder: Path | None, order: OfferOrder) -> Iterator[Offer]:
    """Return the files that would be offered now, with their last offers."""
    way, now = OfferWay.INBOX if folder is None else OfferWay.FOLDER, time()
    last = {(one.identifier, one.sha256): one for one in stored_offers(instance, entry.name) if one.way is way}
    files = (file.key for file in offered_files(instance, entry.name) if not file.is_taken)
    due = (key for key in files if order.is_due(last.get(key), now))
    return (last.get(key) or Offer(*key, way, entry.name, OfferOutcome.WAITING) for key in islice(due, order.limit))


def _show_inbox(instance: Instance, entry: SourceEntry, stop: Stop) -> Status:
    """Show the inbox that a source names."""
    if entry.url.startswith("file:"):
        raise ConfigurationError(f"{entry.name} is a file on this machine, which names no inbox.")
    with inbox_fetcher(instance.settings, entry, stop) as fetch:
        inbox = find_inbox(fetch, entry.url)
    show({"source": entry.name, "inbox": inbox}, *[f'notify_inbox = "{inbox}"'] * bool(inbox))
    if not (inbox or is_json()):
        say(f"{entry.url} names no inbox in its Link header. Ask the administrators of {entry.name} for one.")
    return status_of_end(has_findings=not inbox)


def _show(one: Offer) -> None:
    line = f"{one.identifier}  {one.outcome}  {one.problem or one.location or one.place}"
    show(facts_of_offer(one), line.rstrip())
