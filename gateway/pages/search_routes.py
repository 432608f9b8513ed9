"""The addresses of the search: `/search`, and its results as JSON, CSV and Atom at `/search.json` and so on."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TypeAlias
from urllib.parse import unquote_to_bytes

from flask import Blueprint, Response, request

from gateway.core import normal_forms
from gateway.core.errors import QueryRefused, SearchUnavailable, StoreError
from gateway.core.model import Description
from gateway.core.names import set_label, source_of
from gateway.core.normal_forms import CSV_TYPE
from gateway.core.states import of_search
from gateway.core.xmltext import clean, escape, escape_attribute, utc_datetime
from gateway.pages.answers import answer, no_page, unavailable
from gateway.pages.item_routes import FindTried
from gateway.pages.list_pages import shown_years
from gateway.pages.search import PAGE, Hit, address, choices, chosen_filters, hit_of, query_of, sets_named
from gateway.pages.shown import moment
from gateway.pages.site import Site
from gateway.pages.templating import NARROW, Bar, Pages, bars
from gateway.search.base import MOST_LETTERS, Query, Reader, Results, YearCount
from gateway.store.base import Store, View

Describe: TypeAlias = Callable[[bytes], Description]
# Returns the path of the page of an item.
PathOf: TypeAlias = Callable[[View, str], str]

_FEED_PAGE = 100
_MOST_QUERY = 8_000
# The forms of the results, and how many results a page of each has.
_PAGES = {"html": PAGE, "json": _FEED_PAGE, "csv": 1000, "atom": _FEED_PAGE}
_LONGEST_CHART = 60  # years


def blueprint(
    store: Store, reader: Reader, describe: Describe, tried: FindTried, path_of: PathOf, site: Site
) -> Blueprint:
    """Return the Flask blueprint of the search.

    `describe` reads a published record, `tried` returns the last search for the full text of an item, `path_of` places
    an item.
    """
    blueprint = Blueprint("search", __name__)
    search = _Search(store, reader, describe, tried, path_of, site)
    for form in _PAGES:
        place = "/search" if form == "html" else f"/search.{form}"
        blueprint.add_url_rule(place, f"search_{form}", search.answer, defaults={"form": form})
    blueprint.register_error_handler(StoreError, lambda error: unavailable(search.pages, error))
    return blueprint


def _is_utf8(query: bytes) -> bool:
    try:
        unquote_to_bytes(query).decode()
    except UnicodeDecodeError:
        return False
    return True


class _Search:
    """Answers for one site."""

    def __init__(
        self, store: Store, reader: Reader, describe: Describe, tried: FindTried, path_of: PathOf, site: Site
    ) -> None:
        self._store = store
        self._reader = reader
        self._describe = describe
        self._tried = tried
        self._path_of = path_of
        self._site = site
        self.pages = Pages(site)

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
            hits = [self._hit(view, entry, form) for entry in described]
            specs = {spec: view.set_named(spec) for spec in sets_named(results, query)}
            names = {spec: set_label(spec, known.name if known else "") for spec, known in specs.items()}
        if form == "html":
            return self._page(query, results, hits, names)
        return self._feed(form, query, results, hits, {entry.identifier: entry.datestamp for entry in described})

    def _feed(self, form: str, query: Query, results: Results, hits: list[Hit], dates: dict[str, str]) -> Response:
        ours = f"{self._site.url}/search.{form}?{address(query)}"
        root = self._site.url.removesuffix(self._site.root)
        if form == "json":
            following = f"{ours}&after={results.next}" if results.next else ""
            return answer(as_json(hits, results, root, following), "application/json")
        if form == "csv":
            return answer(as_csv(hits, root), CSV_TYPE)
        title = self.pages.texts.search.title.format(query=query.text)
        return answer(as_atom(hits, results, title=title, own=ours, url=root, dates=dates), ATOM_TYPE)

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
        return bars([Bar(str(count.year), count.items) for count in shown], name, NARROW)

    def _described(self, view: View, identifiers: Iterable[str]) -> Iterable[Description]:
        """Yield the records of these items; one that was deleted a moment ago is left out."""
        for identifier in identifiers:
            record = view.record(identifier, "oai_didl")
            if record is not None and not record.is_deleted:
                yield self._describe(record.content)

    def _hit(self, view: View, entry: Description, form: str) -> Hit:
        tried = self._tried(entry.identifier) if form == "html" and not entry.work.files else None
        path = self._path_of(view, entry.identifier)
        return hit_of(entry, path, source_of(entry.identifier), of_search(tried))


def _page_of(base: str, key: str | None) -> str:
    """Return the address of another page; an empty key is the first page, None is no page."""
    return "" if key is None else f"{base}&after={key}" if key else base


# --- Results of a search for programs: JSON, CSV, and an Atom feed (RFC 4287). Pure ----------------------------------

ATOM_TYPE = "application/atom+xml; charset=UTF-8"
_COLUMNS = ("identifier", "url", "title", "authors", "year", "type", "source", "doi", "files", "licenses")
_MOST_AUTHORS = 100


def as_json(hits: Sequence[Hit], results: Results, url: str, following: str) -> str:
    """Return a page of results as JSON; `following` is the address of the next page, or empty."""
    document = {
        "total": results.total,
        "isExact": results.is_exact,
        "reached": utc_datetime(results.reached),
        "next": following or None,
        "facets": {
            name: [{"value": value, "records": count} for value, count in values]
            for name, values in results.facets.items()
        },
        "results": [_facts(hit, url) for hit in hits],
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def as_csv(hits: Sequence[Hit], url: str) -> str:
    """Return a page of results as CSV (RFC 4180); no cell is a formula."""
    return normal_forms.as_csv(_COLUMNS, (_facts(hit, url) for hit in hits))


def as_atom(hits: Sequence[Hit], results: Results, *, title: str, own: str, url: str, dates: Mapping[str, str]) -> str:
    """Return a page of results as an Atom feed; `own` is its address, `dates` are our datestamps by identifier."""
    entries = "".join(_entry(hit, url, dates[hit.identifier]) for hit in hits)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
        f"<title>{_text(title)}</title><id>{_text(own)}</id>"
        f'<link rel="self" href="{escape_attribute(own)}"/>'
        f"<updated>{max(dates.values(), default=utc_datetime(results.reached))}</updated>\n{entries}</feed>\n"
    )


def _entry(hit: Hit, url: str, date: str) -> str:
    authors = (
        "".join(
            f"<author><name>{_text(author.name)}</name></author>" for author in hit.reference.authors[:_MOST_AUTHORS]
        )
        or f"<author><name>{_text(hit.source)}</name></author>"
    )
    address = url + hit.path
    return (
        f"<entry><title>{_text(hit.title)}</title><id>{_text(address)}</id><updated>{date}</updated>"
        f'<link href="{escape_attribute(address)}"/>{authors}</entry>\n'
    )


def _facts(hit: Hit, url: str) -> dict[str, object]:
    reference = hit.reference
    return {
        "identifier": hit.identifier,
        "url": url + hit.path,
        "title": hit.title,
        "authors": [author.name for author in reference.authors[:_MOST_AUTHORS]],
        "year": reference.year or None,
        "type": reference.kind.name,
        "source": hit.source,
        "doi": reference.doi or None,
        "files": [file.copy_url or file.url for file in hit.files[:_MOST_AUTHORS]],
        "licenses": sorted({file.license.url or file.license.name for file in hit.files if file.license}),
    }


def _text(text: str) -> str:
    return escape(clean(text))
