"""One harvest of a site through the live path, and the judgement of it: what is there, and what the run said."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from lxml import etree

from gateway.core.model import Run, RunOutcome, Selection
from gateway.core.settings import load
from harvester.harvest import run as pipeline
from harvester.harvest import sweep as sweeping
from harvester.harvest.access import kind_of
from harvester.harvest.instance import Instance
from harvester.harvest.run_lifecycle import RunOptions, RunResult
from harvester.harvest.session import SourceSession
from harvester.harvest.sources_toml import SourceEntry, entry_from
from harvester.http.credentials import Access
from harvester.http.fetching import Web
from harvester.http.messages import Fetched, Request
from tests.faults.site import Asked, Site
from tests.faults.source import Record
from tests.faults.table import Promise, Quirk
from tests.opening import open_store

# What may differ: when a record was published and harvested.
_TIMES = re.compile(rb"(?<=<datestamp>)[^<]*(?=</datestamp>)|(?<=harvestDate=\")[^\"]*")
_NONE = RunOptions()
_DAY = 86_400
_PLAIN = re.compile(r"[a-z:]+").fullmatch

MakeSite = Callable[[], tuple[str, Site]]


class Held(NamedTuple):
    """What we hold of a record and expose: its title, sets and whether it is deleted."""

    title: str
    sets: frozenset[str]
    is_deleted: bool


@dataclass(frozen=True)
class Harvested:
    """What a run said, and what is held after it, by the upstream's identifier."""

    run: Run
    held: Mapping[str, Held]
    arrived: Mapping[str, bool]  # everything that ever came, the last version: whether it is deleted

    @property
    def says_whole(self) -> bool:
        """Whether the run says that nothing is missing."""
        return self.run.is_complete or self.run.outcome is RunOutcome.SUCCEEDED


def harvested(
    house: Instance,
    site: Site,
    name: str,
    quirks: Iterable[Quirk],
    run_options: RunOptions = _NONE,
    *,
    is_direct: bool = False,
) -> Harvested:
    """Run one harvest of a site, with what the quirks' administrators would have set; no pause takes time.

    `is_direct`: the site is asked without the network between, where nothing is to be shown of that.
    """
    quirks, settings = tuple(quirks), {}
    for quirk in quirks:
        settings |= quirk.settings
    described = _described(name, site, quirks)
    house = replace(house, settings=load(house.folder, options=settings))
    access = {name: Access(described.url, None, described.delay_seconds)}
    kind, clock = kind_of("oai_pmh"), site.clock
    if is_direct:
        ran = pipeline.run(SourceSession(house, described, kind, partial(_answered, site), run_options))
    else:
        clocks = {"clock": clock, "monotonic": clock, "sleep": clock.sleep}
        with Web(house.settings, access, chance=lambda: 0.0, **clocks) as web:  # type: ignore[arg-type]
            ran = pipeline.run(SourceSession(house, described, kind, web.fetcher(name), run_options))
    return _result_of(house, name, ran)


def swept(house: Instance, site: Site, name: str, quirks: Iterable[Quirk] = ()) -> Harvested:
    """Sweep a site, which is asked without the network between."""
    described = _described(name, site, quirks)
    ran = sweeping.sweep(SourceSession(house, described, kind_of("oai_pmh"), partial(_answered, site)))
    return _result_of(house, name, ran)


def _described(name: str, site: Site, quirks: Iterable[Quirk]) -> SourceEntry:
    entry, query = {}, ""
    for quirk in quirks:
        entry |= {key: list(value) if isinstance(value, tuple) else value for key, value in quirk.entry.items()}
        query = _joined(query, quirk.query)
    return entry_from(name, {"url": site.url + query, **entry})


def _answered(site: Site, request: Request) -> Fetched:
    answer = site.answer(Asked(urlsplit(request.url).query))
    return Fetched(request.url, answer.status, answer.headers, answer.body, int(site.clock()))


def _result_of(house: Instance, name: str, ran: RunResult) -> Harvested:
    return Harvested(ran.run, _held(house, name), _arrived(house, name))


def _joined(query: str, more: str) -> str:
    return f"{query}&{more[1:]}" if query and more else query or more


def _held(house: Instance, name: str) -> dict[str, Held]:
    with house.store.view() as view:
        records = view.page(Selection("oai_dc", f"source:{name}"), None, 1_000_000).records
    return dict(_read(etree.fromstring(record, _parser()), name) for record in records)


def _parser() -> etree.XMLParser:
    return etree.XMLParser(huge_tree=True)


def _read(record: etree._Element, name: str) -> tuple[str, Held]:
    upstream = unquote(record.findtext("header/identifier", "").partition("/")[2])
    sets = (element.text or "" for element in record.iterfind("header/setSpec"))
    prefix = f"source:{name}:"
    return upstream, Held(
        record.findtext(".//{http://purl.org/dc/elements/1.1/}title", ""),
        frozenset(set_.removeprefix(prefix) for set_ in sets if set_.startswith(prefix)),
        record.find("header").get("status") == "deleted",
    )


def _arrived(house: Instance, name: str) -> dict[str, bool]:
    pages = house.inbox.pages(name, 0)
    return {slice_.identifier: slice_.is_deleted for page in pages for slice_ in page.slices if not slice_.problem}


def wanted(site: Site, quirks: Iterable[Quirk]) -> dict[str, Record]:
    """Return the records that the harvest was to bring: everything, or what the source's entry names."""
    entry = {key: value for quirk in quirks for key, value in quirk.entry.items()}
    given = {key: entry[key] for key in ("from", "until") if key in entry}
    given |= {"set": entry["sets"][0]} if "sets" in entry else {}  # type: ignore[dict-item]
    return {record.identifier: record for record in site.source.selected(given)}  # type: ignore[arg-type]


def exposed(folder: Path) -> dict[tuple[str, str], bytes]:
    """Return every record we expose, by prefix and identifier, as a digest of its bytes without the times."""
    digests = {}
    with closing(open_store(folder)) as store, store.view() as view:
        for prefix in ("oai_dc", "oai_didl"):
            for content in view.page(Selection(prefix), None, 1_000_000).records:
                identifier = content.partition(b"<identifier>")[2].partition(b"</identifier>")[0].decode()
                digests[prefix, identifier] = blake2b(_TIMES.sub(b"", content)).digest()
        assert store.check() == ()
    return digests


def changed(site: Site) -> None:
    """Change what a source holds: days later a record is new, one is changed, one deleted, one alive again."""
    site.clock.sleep(3 * _DAY)
    source = site.source
    first, second, third, *_, last = source.held.values()
    source.put(first._replace(title="Changed"))
    source.put(second._replace(is_deleted=True))
    source.put(third._replace(is_deleted=not third.is_deleted))
    source.put(last._replace(identifier=f"{last.identifier}new", title="New", is_deleted=False))
    site.clock.sleep(60)


def opened(make: MakeSite, quirks: Sequence[Quirk]) -> tuple[Site, str]:
    """Open one more site with these quirks before it, and return it with the name of its source."""
    name, site = make()
    for quirk in quirks:
        quirk.prepare(site.source)
    site.distort([quirk.distort for quirk in quirks])
    return site, name


# --- judgements, each a sentence or nothing -----------------------------------------------------------------------


def missing(harvest: Harvested, records: Mapping[str, Record]) -> list[str]:
    """Return the records that are not there as they should be: living ones exposed, deleted ones arrived and gone."""
    return [name for name, record in records.items() if not _is_there(harvest, record)]


def _is_there(harvest: Harvested, record: Record) -> bool:
    held = harvest.held.get(record.identifier)
    if record.is_deleted:
        return harvest.arrived.get(record.identifier) is True and (held is None or held.is_deleted)
    if held is None or held.is_deleted or held.title != record.title:
        return False
    # Specs that are not legal are mapped onto others; here it is enough that they are as many.
    return held.sets == set(record.sets) if all(map(_PLAIN, record.sets)) else len(held.sets) == len(record.sets)


def faults_of(harvest: Harvested, site: Site, quirks: Iterable[Quirk]) -> list[str]:
    """Return what may be wrong with no harvest at all: what is promised of every fault and every pair of them."""
    quirks = tuple(quirks)
    records, run = wanted(site, quirks), harvest.run
    counts = run.counts
    faults = []
    if site.is_run_away_from:
        faults.append(f"it would have gone on for ever: {len(site.asked)} requests")
    lost = missing(harvest, records)
    if harvest.says_whole and len(lost) > counts.get("quarantined", 0):
        faults.append(f"it says that nothing is missing, and lost {len(lost)}: {lost[:3]}")
    if run.outcome is RunOutcome.SUCCEEDED and not (run.is_complete and not counts.get("quarantined", 0)):
        faults.append("it succeeded, and is not complete")
    if run.outcome is not RunOutcome.SUCCEEDED and not run.reasons:
        faults.append("it gives no reason")
    if strangers := harvest.held.keys() - site.source.held.keys():
        faults.append(f"it invented records: {sorted(strangers)[:3]}")
    if any("fault of this program" in reason for reason in run.reasons):
        faults.append("it broke")
    if counts.get("received", 0) != sum(counts.get(key, 0) for key in _BECAME):
        faults.append(f"its counts do not add up: {counts}")
    return faults


_BECAME = ("published", "unchanged", "quarantined", "ignored", "older_versions", "held_back")


def broken_promises(harvest: Harvested, site: Site, quirk: Quirk) -> list[str]:
    """Return which of its own promises a harvest of one quirk did not keep."""
    run, lost, broken = harvest.run, missing(harvest, wanted(site, [quirk])), []
    if quirk.promise is Promise.HONEST:
        if run.outcome is not RunOutcome.SUCCEEDED:
            if run.outcome is not quirk.outcome:
                broken.append(f"it ended {run.outcome.value}, not {quirk.outcome}")
            if not any(quirk.says in reason for reason in run.reasons):
                broken.append(f"no reason says {quirk.says!r}")
        if quirk.lost and len(lost) != quirk.lost:
            broken.append(f"it lost {len(lost)} records, not {quirk.lost}")
        return broken
    if lost:
        broken.append(f"it lost {len(lost)} records: {lost[:3]}")
    if quirk.promise is Promise.WHOLE and not (run.is_complete and run.outcome is RunOutcome.SUCCEEDED):
        broken.append(f"it ended {run.outcome.value}, complete: {run.is_complete}")
    if quirk.promise is Promise.STORED and run.outcome not in _DONE:
        broken.append(f"it ended {run.outcome.value}")
    return broken


_DONE = (RunOutcome.SUCCEEDED, RunOutcome.SUCCEEDED_WITH_ERRORS)
