"""What crawlers ask first: `/robots.txt`, and the sitemaps that it names."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from flask import Blueprint, Response, abort

from gateway.core.model import Selection
from gateway.core.xmltext import SITEMAP, escape, utc_datetime
from gateway.pages.answers import answer
from gateway.pages.item_places import Places
from gateway.pages.site import Site
from gateway.store.base import Store, View

_PREFIX = "oai_didl"
_XML = "application/xml; charset=UTF-8"
_HOUR_SECONDS = 3600
_DAY_SECONDS = 86_400

# Pages that only combine others: forms with several arguments. Everything else may be read, slowly or fast.
_ROBOTS = """\
# Records and files of this repository are free to harvest. Please use OAI-PMH for all of them:
# {base_url}
User-agent: *
Disallow: {root}/search?*&
Disallow: {root}/browse?*&
Allow: /

Sitemap: {url}/sitemap.xml
"""
_RESOURCE_LISTS = "\n# The Resource Lists of ResourceSync, which have elements that search engines do not read:\n"


def blueprint(store: Store, site: Site, resource_lists: Sequence[str] = ()) -> Blueprint:
    """Return the Flask blueprint of `/robots.txt`, `/sitemap.xml`, and `/sitemaps/<part>.xml`.

    `resource_lists` are the addresses of Resource Lists, which `/robots.txt` names (ResourceSync 1.1 §15.3).
    """
    blueprint = Blueprint("crawlers", __name__)
    places = Places(site)

    @blueprint.route("/robots.txt")
    def robots() -> Response:
        text = _ROBOTS.format(base_url=site.base_url, root=site.root, url=site.url)
        if resource_lists:
            text += _RESOURCE_LISTS + "".join(f"Sitemap: {address}\n" for address in resource_lists)
        return answer(text, "text/plain; charset=UTF-8", fresh_seconds=_DAY_SECONDS)

    @blueprint.route("/sitemap.xml")
    def sitemap_index() -> Response:
        with store.view() as view:
            names = [part.name for part in parts(lambda *span: _tallies(view, site, *span), view.horizon)]
        content = index(f"{site.url}/sitemaps/{name}.xml" for name in names)
        return answer(content, _XML, fresh_seconds=_HOUR_SECONDS)

    @blueprint.route("/sitemaps/<name>.xml")
    def sitemap_part(name: str) -> Response:
        part = part_named(name)
        if part is None:
            abort(404)
        with store.view() as view:
            within = Selection(_PREFIX, None, part.first, part.last)
            entries = view.entries(within, MOST_ENTRIES, part.number * MOST_ENTRIES, only_held=not site.is_indexed)
            content = sitemap((places.url(view, identifier), changed) for identifier, changed in entries)
        return answer(content, _XML, fresh_seconds=_HOUR_SECONDS)

    return blueprint


def _tallies(view: View, site: Site, span: int, first: int, last: int) -> tuple[tuple[int, int], ...]:
    """Return the tallies of the records that may be in a sitemap; only items with files have found or held ones."""
    return view.tallies(Selection(_PREFIX, None if site.is_indexed else "fulltext", first, last), span)


# --- Plain sitemaps (sitemaps.org 0.9) for search engines: which parts there are, and their XML. Pure ----------------

MOST_ENTRIES = 10_000
DAY, HOUR, SECOND = 86_400, 3_600, 1
_OPENING = f'<?xml version="1.0" encoding="UTF-8"?>\n<{{}} xmlns="{SITEMAP}">\n'
_NAME = re.compile(r"(\d{4})-(\d\d)(?:-(\d\d)(?:T(\d\d)(?:(\d\d)(\d\d))?)?)?(?:\.([1-9]\d{0,5}))?")

# Returns (first second, how many records) of the spans of a length that begin in `first` to `last`.
Tallies = Callable[[int, int, int], Iterable[tuple[int, int]]]


class Part(NamedTuple):
    """One sitemap: the seconds of its records, both included, and which ten thousand of them, from 0."""

    name: str
    first: int
    last: int
    number: int = 0


def parts(tallies: Tallies, until: int) -> Iterator[Part]:
    """Yield the parts of the sitemap of everything up to a second, in their order."""
    months: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for first, records in tallies(DAY, 0, until):
        day = datetime.fromtimestamp(first, UTC)
        months.setdefault((day.year, day.month), []).append((first, records))
    for (year, month), days in months.items():
        if sum(records for _, records in days) <= MOST_ENTRIES:
            yield _part(f"{year:04}-{month:02}")
            continue
        for first, records in days:
            yield from _within(first, records, DAY, tallies)


def _within(first: int, records: int, span: int, tallies: Tallies) -> Iterator[Part]:
    moment = datetime.fromtimestamp(first, UTC)
    form = {DAY: "%Y-%m-%d", HOUR: "%Y-%m-%dT%H", SECOND: "%Y-%m-%dT%H%M%S"}[span]
    name = moment.strftime(form)
    if records <= MOST_ENTRIES:
        yield _part(name)
    elif span == SECOND:
        for number in range(-(-records // MOST_ENTRIES)):
            yield _part(f"{name}.{number + 1}")
    else:
        finer = HOUR if span == DAY else SECOND
        for start, fewer in tallies(finer, first, first + span - finer):
            yield from _within(start, fewer, finer, tallies)


def _part(name: str) -> Part:
    part = part_named(name)
    assert part is not None, name
    return part


def part_named(name: str) -> Part | None:
    """Return the part with a name such as `2026-11` or `2026-11-24T151304.2`, or None if it is no name of a part."""
    match = _NAME.fullmatch(name)
    if not match:
        return None
    year, month, day, hour, minute, second, number = (int(text) if text else None for text in match.groups())
    try:
        start = datetime(year or 0, month or 0, day or 1, hour or 0, minute or 0, second or 0, tzinfo=UTC)
        if day is None:
            end = datetime(start.year + start.month // 12, start.month % 12 + 1, 1, tzinfo=UTC)
        else:
            end = start + timedelta(seconds=SECOND if second is not None else HOUR if hour is not None else DAY)
    except (ValueError, OverflowError):
        return None
    return Part(name, int(start.timestamp()), int(end.timestamp()) - 1, (number or 1) - 1)


def index(addresses: Iterable[str]) -> bytes:
    """Return the sitemap index with these addresses of sitemaps."""
    lines = "".join(f"<sitemap><loc>{escape(address)}</loc></sitemap>\n" for address in addresses)
    return f"{_OPENING.format('sitemapindex')}{lines}</sitemapindex>\n".encode()


def sitemap(entries: Iterable[tuple[str, int]]) -> bytes:
    """Return a sitemap of pages, given as (address, second of the last change)."""
    lines = "".join(
        f"<url><loc>{escape(address)}</loc><lastmod>{utc_datetime(changed)}</lastmod></url>\n"
        for address, changed in entries
    )
    return f"{_OPENING.format('urlset')}{lines}</urlset>\n".encode()
