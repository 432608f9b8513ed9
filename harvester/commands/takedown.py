"""`harvester takedown`: withdraw items and files for good, at once and in every format, and take that back."""

from __future__ import annotations

from collections.abc import Iterable
from time import time

import click

from gateway.errors import ConfigurationError
from gateway.obeying import Returning, Survey, pending, returning, survey
from gateway.program import say
from gateway.settings import Settings
from gateway.store.takedown_file import Entries, TakedownFile
from gateway.takedowns import Kind, Takedown, Takedowns
from gateway.terminal import plain
from gateway.xmltext import utc_datetime
from harvester.commands.output import json_option, write_facts, write_rows
from harvester.instance import Instance, opened
from harvester.takedowns.finishing import Finished, finish
from harvester.takedowns.naming import recognised
from harvester.takedowns.purging import Purged, purge

_OF_ITEMS = (Kind.IDENTIFIER, Kind.UPSTREAM, Kind.DOI)
_SHOWN = 10  # identifiers in a question
_COLUMNS = ("kind", "value", "source", "items", "files", "at", "is_done", "reason")
_SOURCE = click.option("--source", default="", metavar="NAME", help="The targets are identifiers of this source.")


@click.group()
def takedown() -> None:
    """Withdraw items and files, list what is withdrawn, and take it back.

    A target is an identifier of this repository, a DOI, a URL, the beginning of URLs (with * at its end), a host
    (`*.example.org`: with all below it) or a SHA-256; with --source, an identifier of that source.
    """


@takedown.command()
@click.argument("targets", nargs=-1, required=True, metavar="TARGET...")
@_SOURCE
@click.option("--reason", default="", help="Why: who asked for it, and when. It is kept and never published.")
@click.option("--purge", "is_purge", is_flag=True, help="Overwrite what arrived of the items in the inbox, too.")
@click.option("--dry-run", "is_dry", is_flag=True, help="Say what would be withdrawn, and change nothing.")
@json_option
@click.pass_context
def add(
    ctx: click.Context, targets: tuple[str, ...], source: str, reason: str, is_purge: bool, is_dry: bool, as_json: bool
) -> None:
    """Withdraw items and files, at once and for as long as the entry stands.

    Items become tombstones in every format; files leave every record, their copies are deleted and never fetched again.
    """
    with opened(ctx.obj) as instance:
        wanted = _recognised(instance.settings, targets, source, reason)
        file = TakedownFile(instance.folder)
        if is_dry:
            _show_plan(wanted, _planned(instance, wanted), as_json=as_json)
            return
        file.change(lambda listed: _added(listed, wanted))
        finished = finish(instance)
        keys = {each.key for each in wanted}
        entries = tuple(each for each in file.read().entries if each.key in keys)
        purged = purge(instance, entries) if is_purge else None
        for each in entries:
            _say_what_is_missing(instance, each)
    _show_done(entries, finished, purged, as_json=as_json)


def _recognised(settings: Settings, targets: Iterable[str], source: str, reason: str) -> Entries:
    domain, at = settings.text("repository_domain"), utc_datetime(int(time()))
    found = (recognised(each, domain, source)._replace(reason=plain(reason), at=at) for each in targets)
    return tuple({each.key: each for each in found}.values())


def _say_what_is_missing(instance: Instance, entry: Takedown) -> None:
    """Say of an entry that names an item, or a source, that there is none: it may be a slip."""
    if entry.source and entry.source not in instance.sources.entries():
        say(f"There is no source {entry.source!r} now; the entry counts when there is one.")
    if entry.kind in _OF_ITEMS and not entry.items:
        say(f"No published item is {entry.value}. One that arrives later will not be published.")


def _added(listed: Entries, wanted: Entries) -> Entries:
    """Return the list with these entries; of one that is in force already only a reason that is given is new."""
    news = {each.key: each for each in wanted}
    kept = (_still(each, news.pop(each.key)) if each.key in news else each for each in listed)
    return (*kept, *news.values())


def _still(before: Takedown, wanted: Takedown) -> Takedown:
    return wanted if before.removed_at else before._replace(reason=wanted.reason or before.reason)


def _removed(listed: Entries, lifted: Entries) -> Entries:
    """Return the list with these entries out of force; what they had hit is forgotten."""
    keys, at = {each.key for each in lifted}, utc_datetime(int(time()))
    return tuple(each._replace(items=(), files=(), removed_at=at) if each.key in keys else each for each in listed)


def _planned(instance: Instance, wanted: Entries) -> Survey:
    every = Takedowns(_added(instance.store.takedowns().listed, wanted))
    return survey(instance.store, instance.inbox, wanted, takedowns=every)


def _show_plan(wanted: Entries, plan: Survey, *, as_json: bool) -> None:
    found = tuple(
        each._replace(items=tuple(sorted(plan.items[each.key])), files=tuple(sorted(plan.files[each.key])))
        for each in wanted
    )
    totals: dict[str, object] = {"deleted_items": plan.deleted, "changed_items": plan.changed}
    _show(found, totals, as_json=as_json)
    say("Nothing was changed.")


def _show_done(entries: Entries, finished: Finished, purged: Purged | None, *, as_json: bool) -> None:
    totals: dict[str, object] = {
        "deleted_items": finished.obeyed.deleted,
        "changed_items": finished.obeyed.changed,
        "stamped_records": finished.obeyed.stamped,
        "deleted_copies": finished.copies,
    }
    if purged is not None:
        totals |= {"purged_items": purged.items, "purged_versions": purged.versions, "is_log_empty": purged.is_settled}
    _show(entries, totals, as_json=as_json)
    if purged is not None and not purged.is_settled:
        click.echo(
            "The write-ahead log still holds what was overwritten, because a reader is in the way. Repeat the command "
            "when `gateway serve` has been restarted.",
            err=True,
        )


def _show(entries: Entries, totals: dict[str, object], *, as_json: bool) -> None:
    """Write what entries hit, and totals: as one object, or as a table for people."""
    if as_json:
        found = [{**_facts(each), "items": list(each.items), "files": list(each.files)} for each in entries]
        write_facts({"takedowns": found, **totals}, as_json=True)
        return
    rows = ({**_facts(each), "items": len(each.items), "files": len(each.files)} for each in entries)
    write_rows(rows, ("kind", "value", "source", "items", "files"), as_json=False)
    write_facts(totals, as_json=False)


def _facts(entry: Takedown) -> dict[str, object]:
    return {
        "kind": entry.kind.value,
        "value": entry.value,
        "source": entry.source,
        "reason": entry.reason,
        "at": entry.at,
    }


@takedown.command("list")
@click.option("--removed", "with_removed", is_flag=True, help="With the entries that were removed.")
@json_option
@click.pass_context
def list_(ctx: click.Context, with_removed: bool, as_json: bool) -> None:
    """List what is withdrawn: the items that each entry hides and the files whose bytes it names, since when, and why.

    Records that only lose an address are not counted here.
    """
    with opened(ctx.obj) as instance:
        takedowns = instance.store.takedowns()
        entries = takedowns.listed if with_removed else takedowns.entries
        waiting = {each.key for each in pending(instance.store)[0]}
    rows = (
        {
            **_facts(each),
            "items": list(each.items) if as_json else len(each.items),
            "files": list(each.files) if as_json else len(each.files),
            "is_done": each.key not in waiting,
            "removed_at": each.removed_at,
        }
        for each in entries
    )
    columns = (*_COLUMNS, "removed_at") if with_removed else _COLUMNS
    write_rows(rows, columns, as_json=as_json)


@takedown.command()
@click.argument("targets", nargs=-1, required=True, metavar="TARGET...")
@_SOURCE
@click.option("--yes", "is_sure", is_flag=True, help="Do not ask for confirmation.")
@click.option("--dry-run", "is_dry", is_flag=True, help="Say what would come back, and change nothing.")
@json_option
@click.pass_context
def remove(
    ctx: click.Context, targets: tuple[str, ...], source: str, is_sure: bool, is_dry: bool, as_json: bool
) -> None:
    """Remove entries from the list, after saying what comes back.

    Items are published again with a new datestamp, from what arrived; what was purged comes back when its source sends
    it again. Copies of files were deleted: files that were found are published as links.
    """
    with opened(ctx.obj) as instance:
        lifted = _chosen(instance, targets, source)
        back = returning(instance.store, instance.inbox, lifted)
        click.echo(_said(back, lifted), err=True)
        if not (is_sure or is_dry):
            click.confirm("Remove these entries?", abort=True, err=True)
        finished = None
        if not is_dry:
            TakedownFile(instance.folder).change(lambda listed: _removed(listed, lifted))
            finished = finish(instance)
    totals: dict[str, object] = {
        "returning_items": list(back.items),
        "changed_items": back.changed,
        "purged_items": list(back.purged),
    }
    if finished is not None:
        totals["returned_items"] = finished.obeyed.returned
    _show(lifted, totals, as_json=as_json)


def _chosen(instance: Instance, targets: Iterable[str], source: str) -> Entries:
    """Return the entries that targets name, as they were given or as the list shows them."""
    entries = instance.store.takedowns().entries
    chosen: dict[str, Takedown] = {}
    for target in targets:
        found = [each for each in entries if (each.value, each.source) == (target, source)]
        if not found:
            key = recognised(target, instance.settings.text("repository_domain"), source).key
            found = [each for each in entries if each.key == key]
        if not found:
            raise ConfigurationError(f"{target!r} is not on the list; `harvester takedown list` shows what is.")
        chosen |= {each.key: each for each in found}
    return tuple(chosen.values())


def _said(back: Returning, lifted: Entries) -> str:
    """Return in words what comes back."""
    shown = ", ".join(back.items[:_SHOWN]) + (", …" if len(back.items) > _SHOWN else "")
    files = len({digest for each in lifted for digest in each.files})
    return plain(
        f"Items that come back: {len(back.items)}{f' ({shown})' if shown else ''}. Items that get back a file or an "
        f"address: {back.changed}. Files that may be fetched again: {files}. Items that were "
        f"purged, or deleted by their source: {len(back.purged)}; they come back when their source sends them again "
        "(`harvester run NAME --full` asks for them)."
    )
