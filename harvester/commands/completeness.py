"""`harvester audit`: what Crossref says was published, beside what we hold."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import click

from gateway.program import say
from gateway.settings import Settings, instance_folder, load
from harvester.commands.options import Given, date
from harvester.commands.output import write_json, write_rows
from harvester.completeness.comparing import Held
from harvester.completeness.holding import found, of_mirror, of_store
from harvester.completeness.ledger import Ledger
from harvester.completeness.listing import Listing
from harvester.completeness.report import (
    COUNTED,
    Entry,
    Journals,
    Tally,
    csv_lines,
    entries,
    json_lines,
    text_lines,
)
from harvester.completeness.scope import Scope, scope_of
from harvester.instance import opened
from harvester.locks import lock
from harvester.mirror.place import check as check_mirror
from harvester.mirror.place import opened as opened_mirror
from harvester.outcomes import Status
from harvester.progress import Progress, progress
from harvester.search.discovering import step_settings
from harvester.search.manners import Manners
from harvester.search.services import SERVICES, Budget
from harvester.stopping import Stop, StopAsked, listening
from harvester.web import Web
from harvester.web.logged import logged

_FRESH_SECONDS = 86_400  # what Crossref said longer ago is asked again
_DOI_PAUSE = 0.5
_LINES = {"csv": csv_lines, "json": json_lines, "text": text_lines}


@click.command()
@click.option("--crossref", is_flag=True, required=True, help="Compare with Crossref; there is no other yet.")
@click.option("--issn", "issns", multiple=True, metavar="ISSN", help="A journal; may be repeated.")
@click.option("--member", "members", multiple=True, metavar="NUMBER", help="A member of Crossref; may be repeated.")
@click.option("--prefix", "prefixes", multiple=True, metavar="PREFIX", help="A prefix of DOIs; may be repeated.")
@click.option("--from", "since", default="", callback=date, metavar="DATE", help="Only what was indexed since then.")
@click.option("--source", "sources", multiple=True, metavar="NAME", help="Only what is held of it; may be repeated.")
@click.option(
    "--mirror", "folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="What a mirror holds."
)
@click.option("--format", "form", type=click.Choice(["text", "csv", "json"]), default="text", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json: one object per line.")
@click.option("--allow", multiple=True, metavar="HOST[:PORT]", help="A host, address or network it may lead to.")
@click.pass_context
def audit(ctx: click.Context, /, form: str, as_json: bool, since: str, folder: Path | None, **given: Given) -> None:
    """Compare what is held with what Crossref says was published.

    Per journal and year: held with file, held as metadata only, missing, and held but unknown to Crossref; then each of
    these, and metadata that disagrees. The exit status is 0 only when all is held with its file and agrees, else 3.
    Interrupted, the same command goes on where it stopped, within a day.
    """
    scope = scope_of(given["issns"], given["members"], given["prefixes"], since)
    with (
        _kept(ctx.obj, folder, given["sources"]) as (settings, place, held),
        lock(place, "audit.crossref"),  # no source has a dot in its name
        listening(Stop()) as stop,
        progress() as shown,
    ):
        file = place / "audits" / f"{scope.name}.sqlite"
        with _ledger(file) as ledger:
            with _listing(settings, stop, given["allow"], ledger, scope, shown) as listing:
                doubts = _learned(listing, held, stop, shown)
            tally = _told(ledger, "json" if as_json else form)
            if not (tally.totals["published"] or scope.since):
                doubts.append("Crossref lists no works of it at all.")
        file.unlink()
    say(_sentence(tally, scope, doubts))
    ctx.exit(int(Status.WITH_ERRORS if tally.totals["not_good"] or doubts else Status.SUCCEEDED))


@contextmanager
def _kept(
    option: str | None, folder: Path | None, sources: tuple[str, ...]
) -> Iterator[tuple[Settings, Path, Callable[[], Iterator[Held]]]]:
    """Return the settings, where the audit's file may lie, and what gives everything that is held."""
    if folder is not None:
        check_mirror(folder)
        mirror = opened_mirror(folder, settles=False)  # it may be at work
        yield load(instance_folder(option)), folder, lambda: of_mirror(mirror)
        return
    with opened(option) as instance:
        for name in sources:
            instance.sources.entry(name)
        yield instance.settings, instance.folder, lambda: of_store(instance.store, sources)


@contextmanager
def _ledger(file: Path) -> Iterator[Ledger]:
    """Return what an interrupted audit has learned, or an empty one when that is too long ago."""
    with Ledger(file) as ledger:
        is_fresh = time.time() - float(ledger.fact("asked_at") or 0) < _FRESH_SECONDS
    if not is_fresh:
        file.unlink()
    with Ledger(file) as ledger:
        yield ledger


@contextmanager
def _listing(
    settings: Settings, stop: Stop, allow: tuple[str, ...], ledger: Ledger, scope: Scope, shown: Progress
) -> Iterator[Listing]:
    crossref, doi = settings.text("audit_crossref_url"), settings.text("audit_doi_url")
    budgets = {_host(doi): Budget(_DOI_PAUSE), _host(crossref): SERVICES["api.crossref.org"]}
    with Web(settings, sleep=stop.pause, allow=allow) as web, stop.breaking(web.break_off):
        fetch = Manners(logged(web), settings.seconds("discover_delay_seconds"), services=budgets, sleep=stop.pause)
        mailto = step_settings(settings)["email"]
        yield Listing(fetch, ledger, scope, crossref, doi, mailto, lambda n: shown.show("listed", n, None))


def _host(url: str) -> str:
    return (urlsplit(url).hostname or "").lower()


def _learned(listing: Listing, held: Callable[[], Iterator[Held]], stop: Stop, shown: Progress) -> list[str]:
    """Learn all that the report needs, as far as it is not known yet; return what is in doubt."""

    def check() -> None:
        if stop.is_asked:
            raise StopAsked("Stopped; the same command goes on.")

    scope, ledger = listing.known(), listing.ledger
    if not ledger.fact("asked_at"):
        listing.begin(int(time.time()))
    listing.walk(check)
    ledger.hold(found(_shown(held(), check, shown), ledger, scope))
    doubts = listing.ask_agencies(check)
    return [*ledger.short(), *doubts]


def _shown(held: Iterator[Held], check: Callable[[], None], shown: Progress) -> Iterator[Held]:
    for count, each in enumerate(held, 1):
        check()
        shown.show("compared", count, None)
        yield each


def _told(ledger: Ledger, form: str) -> Tally:
    """Write the report; return what was counted."""
    journals, tally = Journals(ledger.journals()), Tally()
    for _ in tally.counted(entries(ledger.rows(), journals)):
        pass
    if form == "text":
        write_rows(tally.rows(), ("journal", "year", *COUNTED), as_json=False)
    elif form == "json":
        for row in tally.rows():
            write_json(row)
    again: Iterator[Entry] = entries(ledger.rows(), journals)
    for line in _LINES[form](again):
        click.echo(line)
    return tally


def _sentence(tally: Tally, scope: Scope, doubts: list[str]) -> str:
    counts = ", ".join(f"{tally.totals[name]} {name.replace('_', ' ')}" for name in COUNTED)
    part = f" Only what was indexed since {scope.since} was asked for." if scope.since else ""
    in_doubt = f" In doubt: {' '.join(doubts)}" if doubts else ""
    return f"{scope.kind} {', '.join(scope.values)}: {counts}.{part}{in_doubt}"
