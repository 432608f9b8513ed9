"""`harvester audit`: compare the holdings with the works that Crossref lists."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import click

from gateway.core.program import say, write_json
from gateway.core.settings import Settings, instance_folder, load
from harvester.audit.compare import HeldWork
from harvester.audit.crossref_list import Listing, Scope, scope_of
from harvester.audit.holdings import matched_works, of_mirror, of_store
from harvester.audit.ledger import Ledger
from harvester.audit.report import COUNTED, Entry, Journals, Tally, csv_lines, entries, json_lines, text_lines
from harvester.commands.options import DIRECTORY, Given, allow_option, date_option, flag, many, option
from harvester.commands.output import write_rows
from harvester.fulltext.politeness import SERVICES, Budget, PoliteFetch
from harvester.fulltext.run import step_settings
from harvester.harvest.instance import opened
from harvester.http.fetching import Web, logged
from harvester.mirror.open_folder import check as check_mirror
from harvester.mirror.open_folder import opened as opened_mirror
from harvester.runtime.exit_status import status_of_end
from harvester.runtime.interrupts import Stop, StopAsked, listening
from harvester.runtime.locks import lock
from harvester.runtime.progress import Progress, progress

_FRESH_SECONDS = 86_400  # older answers of Crossref are requested again
_DOI_PAUSE = 0.5
_LINES = {"csv": csv_lines, "json": json_lines, "text": text_lines}


@click.command()
@flag("--crossref", "Compare with Crossref, the only choice so far.", required=True)
@many("--issn ISSN", "issns", "An ISSN of a journal; may be repeated.")
@many("--member NUMBER", "members", "A member of Crossref; may be repeated.")
@many("--prefix PREFIX", "prefixes", "A prefix of DOIs; may be repeated.")
@date_option("--from", "since", "Only works that were indexed since this date.")
@many("--source NAME", "sources", "Only records of this source; may be repeated.")
@option("--mirror DIR", "folder", "Compare the objects of this mirror.", type=DIRECTORY)
@click.option("--format", "form", type=click.Choice(["text", "csv", "json"]), default="text", show_default=True)
@flag("--json", "as_json", "The same as --format json: one object per line.")
@allow_option
@click.pass_context
def audit(ctx: click.Context, /, form: str, as_json: bool, since: str, folder: Path | None, **given: Given) -> None:
    """Compare the stored records with those that Crossref knows.

    The report counts per journal and year: stored with file, stored as metadata only, missing, and unknown to Crossref.
    Then it lists each of these records, and metadata that differs. The exit status is 0 only if every record is stored
    with its file and agrees; else it is 3. After an interruption, the same command continues within a day.
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
            tally = _write_report(ledger, "json" if as_json else form)
            if not (tally.totals["published"] or scope.since):
                doubts.append("Crossref lists no works of it at all.")
        file.unlink()
    say(_sentence(tally, scope, doubts))
    ctx.exit(int(status_of_end(has_findings=bool(tally.totals["not_good"] or doubts))))


@contextmanager
def _kept(
    option: str | None, folder: Path | None, sources: tuple[str, ...]
) -> Iterator[tuple[Settings, Path, Callable[[], Iterator[HeldWork]]]]:
    """Return the settings, the folder for the file of the audit, and a function that returns the holdings."""
    if folder is not None:
        check_mirror(folder)
        mirror = opened_mirror(folder, settles=False)  # another command may write to it
        yield load(instance_folder(option)), folder, lambda: of_mirror(mirror)
        return
    with opened(option) as instance:
        for name in sources:
            instance.sources.entry(name)
        yield instance.settings, instance.folder, lambda: of_store(instance.store, sources)


@contextmanager
def _ledger(file: Path) -> Iterator[Ledger]:
    """Return the ledger of an interrupted audit, or an empty one when that is too old."""
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
        fetch = PoliteFetch(logged(web), settings.seconds("discover_delay_seconds"), services=budgets, sleep=stop.pause)
        mailto = step_settings(settings)["email"]
        yield Listing(fetch, ledger, scope, crossref, doi, mailto, lambda n: shown.show("listed", n, None))


def _host(url: str) -> str:
    return (urlsplit(url).hostname or "").lower()


def _learned(listing: Listing, held: Callable[[], Iterator[HeldWork]], stop: Stop, shown: Progress) -> list[str]:
    """Request all data for the report that are not in the ledger yet; return the doubts."""

    def check() -> None:
        if stop.is_asked:
            raise StopAsked("Stopped; the same command goes on.")

    scope, ledger = listing.known(), listing.ledger
    if not ledger.fact("asked_at"):
        listing.begin(int(time.time()))
    listing.walk(check)
    ledger.hold(matched_works(_shown(held(), check, shown), ledger, scope))
    doubts = listing.ask_agencies(check)
    return [*ledger.short(), *doubts]


def _shown(held: Iterator[HeldWork], check: Callable[[], None], shown: Progress) -> Iterator[HeldWork]:
    for count, item in enumerate(held, 1):
        check()
        shown.show("compared", count, None)
        yield item


def _write_report(ledger: Ledger, form: str) -> Tally:
    """Write the report; return the counts."""
    journals, tally = Journals(ledger.journals()), Tally()
    for _ in tally.counted(entries(ledger.rows(), journals)):
        pass
    if form == "text":
        write_rows(tally.rows(), " ".join(("journal", "year", *COUNTED)))
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
