"""The addresses of the search: `/search`, and its results as JSON, CSV and Atom at `/search.json` and so on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote_to_bytes

from flask import Blueprint, Response, request

from gateway.browse import feeds
from gateway.browse.search import PAGE, Hit, address, choices, chosen_filters, hit_of, query_of, sets_named
from gateway.browse.years import shown_years
from gateway.errors import QueryRefused, SearchUnavailable, StoreError
from gateway.model import Description
from gateway.names import set_label, source_of
from gateway.pages import charts
from gateway.pages.answers import answer, no_page, unavailable
from gateway.pages.shown import moment
from gateway.pages.site import Site
from gateway.pages.templating import Pages
from gateway.search.base import Reader
from gateway.search.query import MOST_LETTERS, Query, Results, YearCount
from gateway.spreadsheets import CSV_TYPE
from gateway.store.base import Store, View
from gateway.xmltext import utc_datetime

Describe: TypeAlias = Callable[[bytes], Description]
# Returns the path of the page of an item.
PathOf: TypeAlias = Callable[[View, str], str]

_FEED_PAGE = 100
_MOST_QUERY = 8_000
# The forms of the results, and how many results a page of each has.
_PAGES = {"html": PAGE, "json": _FEED_PAGE, "csv": 1000, "atom": _FEED_PAGE}
_LONGEST_CHART = 60  # years


def blueprint(store: Store, reader: Reader, describe: Describe, path_of: PathOf, site: Site) -> Blueprint:
    """Return the Flask blueprint of the search. `describe` reads a published record, `path_of` places an item."""
    face = Blueprint("search", __name__)
    search = _Search(store, reader, describe, path_of, site)
    for form in _PAGES:
        place = "/search" if form == "html" else f"/search.{form}"
        face.add_url_rule(place, f"search_{form}", search.answer, defaults={"form": form})
    face.register_error_handler(StoreError, lambda error: unavailable(search.pages, error))
    return face


def _is_utf8(query: bytes) -> bool:
    try:
        unquote_to_bytes(query).decode()
    except UnicodeDecodeError:
        return False
    return True


class _Search:
    """Answers for one site."""

    def __init__(self, store: Store, reader: Reader, describe: Describe, path_of: PathOf, site: Site) -> None:
        self._store = store
        self._reader = reader
        self._describe = describe
        self._path_of = path_of
        self._site = site
        self.pages = Pages(site, Path(__file__).parent / "templates")

    def answer(self, form: str) -> Response:
        """Answer a query in one form."""
        texts = self.pages.texts.search
        if len(request.query_string) > _MOST_QUERY:
            return no_page(self.pages, HTTPStatus.REQUEST_URI_TOO_LONG, self.pages.texts.errors.bad)
        if not _is_utf8(request.query_string):
            return no_page(self.pages, HTTPStatus.BAD_REQUEST, self.pages.texts.errors.bad)
        try:
            query = query_of(request.args, _PAGES[form])
            results = self._reader.search(query)
        except QueryRefused as error:
            return no_page(self.pages, HTTPStatus.BAD_REQUEST, texts.refused, hint=str(error))
        except SearchUnavailable:
            return no_page(self.pages, HTTPStatus.SERVICE_UNAVAILABLE, texts.unavailable, hint=texts.unavailable_hint)
        with self._store.view() as view:
            described = list(self._described(view, results.identifiers))
            hits = [
                hit_of(entry, self._path_of(view, entry.identifier), source_of(entry.identifier)) for entry in described
            ]
            names = {spec: self._name(view, spec) for spec in sets_named(results, query)}
        if form == "html":
            return self._page(query, results, hits, names)
        return self._feed(form, query, results, hits, {entry.identifier: entry.datestamp for entry in described})

    def _feed(self, form: str, query: Query, results: Results, hits: list[Hit], dates: dict[str, str]) -> Response:
        ours = f"{self._site.url}/search.{form}?{address(query)}"
        root = self._site.url.removesuffix(self._site.root)
        if form == "json":
            following = f"{ours}&after={results.next}" if results.next else ""
            return answer(feeds.as_json(hits, results, root, following), "application/json")
        if form == "csv":
            return answer(feeds.as_csv(hits, root), CSV_TYPE)
        title = self.pages.texts.search.title.format(query=query.text)
        return answer(feeds.as_atom(hits, results, title=title, own=ours, url=root, dates=dates), feeds.ATOM_TYPE)

    def _page(self, query: Query, results: Results, hits: list[Hit], names: dict[str, str]) -> Response:
        base = f"{self._site.root}/search?{address(query)}"
        body = self.pages.render(
            "search.html",
            query=query.text,
            asked=query,
            results=results,
            hits=hits,
            filters=choices(query, results, names),
            chosen=chosen_filters(query, names),
            with_file=dict(results.facets.get("file", ())),
            reached=moment(utc_datetime(results.reached)),
            most_letters=MOST_LETTERS,
            forms=[
                (name, f"{self._site.root}/search.{ending}?{address(query)}")
                for name, ending in (("JSON", "json"), ("CSV", "csv"), ("Atom", "atom"))
            ],
            chart=self._chart(results),
            previous_url=_page_of(base, results.previous),
            next_url=_page_of(base, results.next),
        )
        return answer(body)

    def _chart(self, results: Results) -> str:
        counts = [YearCount(int(year), count, 0) for year, count in results.facets.get("year", ()) if year.isdigit()]
        shown = shown_years(counts, datetime.now(UTC).year + 1, _LONGEST_CHART)
        if len(shown) < 2:  # noqa: PLR2004 - one bar shows nothing
            return ""
        name = self.pages.texts.search.chart_name.format(first=shown[0].year, last=shown[-1].year)
        return charts.bars([charts.Bar(str(count.year), count.items) for count in shown], name, charts.NARROW)

    def _described(self, view: View, identifiers: Iterable[str]) -> Iterable[Description]:
        """Yield the records of these items; one that was deleted a moment ago is left out."""
        for identifier in identifiers:
            record = view.record(identifier, "oai_didl")
            if record is not None and not record.is_deleted:
                yield self._describe(record.content)

    def _name(self, view: View, spec: str) -> str:
        known = view.set_named(spec)
        return set_label(spec, known.name if known else "")


def _page_of(base: str, key: str | None) -> str:
    """Return the address of another page; an empty key is the first page, None is no page."""
    return "" if key is None else f"{base}&after={key}" if key else base
