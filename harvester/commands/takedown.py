"""`harvester takedown`: withdraw items and files for good, at once and in every format, and take that back."""

from collections.abc import Iterable
from time import time

import click

from gateway.core.errors import ConfigurationError
from gateway.core.logs import plain
from gateway.core.program import say
from gateway.core.settings import Settings
from gateway.core.states import ATTENTION
from gateway.core.takedown_file import Entries, TakedownFile
from gateway.core.takedowns import UNERASED, UNSETTLED, Takedown, Takedowns
from gateway.core.xmltext import utc_datetime
from gateway.fulltext.log_completion import note_takedowns, whoever_calls
from gateway.takedowns.apply import Returning, Survey, pending, returning, survey
from gateway.takedowns.plans import Listed, recognised
from gateway.takedowns.withdrawing import Finished, added, found_files, has_file
from harvester.commands.options import flag, text
from harvester.commands.output import is_json, with_json, write_facts, write_rows
from harvester.harvest.instance import Instance, opened
from harvester.harvest.takedowns import Purged, finish, purge
from harvester.runtime.exit_status import Status
from harvester.runtime.interrupts import Stop
from harvester.runtime.progress import progress
from harvester.schedule.kept_files import KeptFilesRounds

_SHOWN = 10  # identifiers in a question
_COLUMNS = "kind value source items files at by state reason"
_SOURCE = text("--source NAME", "The targets are identifiers of this source.")


@click.group()
def takedown() -> None:
    """Withdraw items and files, list the withdrawn ones, and restore them.

    A target is an identifier of this repository, a DOI, a URL, the beginning of URLs (with * at its end), a host or a
    SHA-256. A host such as `*.example.org` includes all hosts below it. With --source, it is an identifier of that
    source.
    """


@takedown.command()
@click.argument("targets", nargs=-1, required=True, metavar="TARGET...")
@_SOURCE
@text("--reason", "The reason: who asked for it, and when. It is stored and never published.")
@flag("--purge", "is_purge", "Also overwrite the stored answers of these items.")
@flag("--dry-run", "is_dry", "Show what would be withdrawn, and change nothing.")
@with_json
def add(ctx: click.Context, targets: tuple[str, ...], source: str, reason: str, is_purge: bool, is_dry: bool) -> None:
    """Withdraw items and files at once, for as long as the entry exists.

    Items become tombstones in every format. Files are removed from every record; their copies are deleted and never
    fetched again.
    """
    with opened(ctx.obj) as instance:
        wanted = _recognised(instance.settings, targets, source, reason)
        file = TakedownFile(instance.folder)
        if is_dry:
            _show_plan(wanted, _planned(instance, wanted))
            return
        file.change(lambda listed: added(listed, wanted))
        note_takedowns(instance.settings)
        finished = finish(instance)
        with progress() as reporter:
            kept_files = KeptFilesRounds(instance, reporter, Stop(), only_cleans=True)
            kept_files.run()
        keys = {takedown.key for takedown in wanted}
        entries = tuple(entry for entry in file.read().entries if entry.key in keys)
        purged = purge(instance, entries) if is_purge else None
        for entry in entries:
            _say_what_is_missing(instance, entry)
        damaged, is_open = instance.store.damaged_with_superseded(), instance.store.has_open_erasure()
    _show_done(entries, finished, purged, {"damaged_blocks": damaged, "is_erasure_open": is_open})
    _say_what_is_left(damaged, is_open=is_open)
    if kept_files.status is not Status.SUCCEEDED:
        say("Kept files of ResourceSync still have what was withdrawn; nobody gets it. `harvester tend` empties them.")
    if damaged or is_open or kept_files.status is not Status.SUCCEEDED:
        ctx.exit(Status.WITH_ERRORS)


def _say_what_is_left(damaged: int, *, is_open: bool) -> None:
    """Say that the files of the store may still have what was taken down, and why."""
    if damaged:
        click.echo(UNERASED % damaged, err=True)
    if is_open:
        click.echo(UNSETTLED, err=True)


def _recognised(settings: Settings, targets: Iterable[str], source: str, reason: str) -> Entries:
    domain, at = settings.text("repository_domain"), utc_datetime(int(time()))
    recognised_targets = (
        recognised(target, domain, source)._replace(reason=plain(reason), at=at, by=whoever_calls())
        for target in targets
    )
    return tuple({takedown.key: takedown for takedown in recognised_targets}.values())


def _say_what_is_missing(instance: Instance, entry: Takedown) -> None:
    """Say of an entry that it hits nothing, or that its source is unknown: it may be a slip."""
    if entry.source and entry.source not in instance.sources.entries():
        say(f"There is no source {entry.source!r} now; the entry counts when there is one.")
    if (state := Listed(entry, 0, is_done=True).state).shape in ATTENTION:
        say(f"{entry.value}: {state.words}")


def _removed(listed: Entries, lifted: Entries) -> Entries:
    """Return the list with these entries out of force, and without the notes of what they had affected.

    An entry that somebody else has removed meanwhile stays as it is.
    """
    keys, at, by = {takedown.key for takedown in lifted}, utc_datetime(int(time())), whoever_calls()
    return tuple(
        takedown._replace(items=(), files=(), addresses=(), removed_at=at, removed_by=by)
        if takedown.key in keys and not takedown.removed_at
        else takedown
        for takedown in listed
    )


def _planned(instance: Instance, wanted: Entries) -> Survey:
    every = Takedowns(added(instance.store.takedowns().listed, wanted))
    plan = survey(instance.store, instance.inbox, wanted, takedowns=every)
    if instance.has_searched:
        noted = tuple(entry._replace(items=tuple(sorted(plan.items[entry.key]))) for entry in wanted)
        discovery = instance.discovery()
        plan.keep(lambda digest: has_file(instance.store, discovery, digest, noted))
        for key, digests in found_files(instance.store, discovery, noted, noted).items():
            plan.files[key] |= digests
    return plan


def _show_plan(wanted: Entries, plan: Survey) -> None:
    takedowns = tuple(
        takedown._replace(items=tuple(sorted(plan.items[takedown.key])), files=tuple(sorted(plan.files[takedown.key])))
        for takedown in wanted
    )
    totals: dict[str, object] = {"deleted_items": plan.deleted, "changed_items": plan.changed}
    _show(takedowns, totals)
    say("Nothing was changed.")


def _show_done(entries: Entries, finished: Finished, purged: Purged | None, left: dict[str, object]) -> None:
    totals: dict[str, object] = {
        "deleted_items": finished.changes.deleted,
        "changed_items": finished.changes.changed,
        "stamped_records": finished.changes.stamped,
        "deleted_copies": finished.copies,
        **left,
    }
    if purged is not None:
        totals |= {"purged_items": purged.items, "purged_versions": purged.versions, "is_log_empty": purged.is_settled}
    _show(entries, totals)
    if purged is not None and not purged.is_settled:
        click.echo(
            "The write-ahead log still holds what was overwritten, because a reader is in the way. Repeat the command "
            "when `gateway serve` has been restarted.",
            err=True,
        )


def _show(entries: Entries, totals: dict[str, object]) -> None:
    """Write what entries hit, and totals: as one object, or as a table for people."""
    if is_json():
        waiting_rows = [{**entry.facts(), "items": list(entry.items), "files": list(entry.files)} for entry in entries]
        write_facts({"takedowns": waiting_rows, **totals})
        return
    rows = ({**entry.facts(), "items": len(entry.items), "files": len(entry.files)} for entry in entries)
    write_rows(rows, "kind value source items files")
    write_facts(totals)


@takedown.command("list")
@flag("--removed", "with_removed", "Include removed entries, with who removed them.")
@with_json
def list_(ctx: click.Context, with_removed: bool) -> None:
    """List the entries: the items that each hides, the files whose bytes it names, since when, and why.

    Records that only lose an address are not counted.
    """
    with opened(ctx.obj) as instance:
        takedowns = instance.store.takedowns()
        entries = takedowns.listed if with_removed else takedowns.entries
        waiting = {takedown.key for takedown in pending(instance.store)[0]}
        damaged = instance.store.damaged_with_superseded() if takedowns.entries else 0
        is_open = instance.store.has_open_erasure()
    rows = []
    for entry in entries:
        listed = Listed(entry, 0, entry.key not in waiting)
        rows.append(
            {
                **entry.facts(),
                "items": list(entry.items) if is_json() else len(entry.items),
                "files": list(entry.files) if is_json() else len(entry.files),
                "is_done": listed.is_done,
                "state": listed.state.facts(),
                "removed_at": entry.removed_at,
                "removed_by": entry.removed_by,
            }
        )
    write_rows(rows, _COLUMNS + " removed_at removed_by" * with_removed)
    _say_what_is_left(damaged, is_open=is_open)


@takedown.command()
@click.argument("targets", nargs=-1, required=True, metavar="TARGET...")
@_SOURCE
@flag("--yes", "is_sure", "Do not ask for confirmation.")
@flag("--dry-run", "is_dry", "Show what would be published again, and change nothing.")
@with_json
def remove(ctx: click.Context, targets: tuple[str, ...], source: str, is_sure: bool, is_dry: bool) -> None:
    """Remove entries from the list, and say what is published again.

    Items are published again with a new datestamp, from the stored answers. Purged items return when their source sends
    them again. Copies of files were deleted, so files that were found are published as links.
    """
    with opened(ctx.obj) as instance:
        lifted = _chosen(instance, targets, source)
        back = returning(instance.store, instance.inbox, lifted)
        click.echo(_returning_items(back, lifted), err=True)
        if not (is_sure or is_dry):
            click.confirm("Remove these entries?", abort=True, err=True)
        finished = None
        if not is_dry:
            TakedownFile(instance.folder).change(lambda listed: _removed(listed, lifted))
            note_takedowns(instance.settings)
            finished = finish(instance)
    totals: dict[str, object] = {
        "returning_items": list(back.items),
        "changed_items": back.changed,
        "purged_items": list(back.purged),
    }
    if finished is not None:
        totals["returned_items"] = finished.changes.returned
    _show(lifted, totals)


def _chosen(instance: Instance, targets: Iterable[str], source: str) -> Entries:
    """Return the entries that targets name, as they were given or as the list shows them."""
    entries = instance.store.takedowns().entries
    chosen: dict[str, Takedown] = {}
    for target in targets:
        matching = [entry for entry in entries if (entry.value, entry.source) == (target, source)]
        if not matching:
            key = recognised(target, instance.settings.text("repository_domain"), source).key
            matching = [entry for entry in entries if entry.key == key]
        if not matching:
            raise ConfigurationError(f"{target!r} is not on the list; `harvester takedown list` shows what is.")
        chosen |= {takedown.key: takedown for takedown in matching}
    return tuple(chosen.values())


def _returning_items(back: Returning, lifted: Entries) -> str:
    """Return in words what comes back."""
    shown = ", ".join(back.items[:_SHOWN]) + (", …" if len(back.items) > _SHOWN else "")
    files = len({digest for takedown in lifted for digest in takedown.files})
    return plain(
        f"Items that come back: {len(back.items)}{f' ({shown})' if shown else ''}. Items that get back a file or an "
        f"address: {back.changed}. Files that may be fetched again: {files}. Items that were "
        f"purged, or deleted by their source: {len(back.purged)}; they come back when their source sends them again "
        "(`harvester run NAME --full` asks for them)."
    )
