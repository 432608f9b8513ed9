"""The addresses of the pages about the repository: `/`, `/browse`, `/sets`, `/formats`, `/sources`.

Each page has its data as JSON at the same address with `.json`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any, TypeAlias, TypeVar
from urllib.parse import urlencode

from flask import Blueprint, Response, request

from gateway.browse.harvests import Harvest, harvest_of, trend
from gateway.browse.parts import part_of
from gateway.browse.tables import SourceRow, children_of, format_rows, set_path, set_rows, source_rows
from gateway.browse.verbs import FORMS, next_query, without_token
from gateway.browse.years import best_year, shown_years
from gateway.errors import SearchUnavailable, StoreError
from gateway.model import OaiAnswer, Selection
from gateway.pages import charts
from gateway.pages.answers import answer, no_page, unavailable
from gateway.pages.shown import day_of
from gateway.pages.site import Site
from gateway.pages.templating import Pages
from gateway.pages.xml_lines import xml_lines
from gateway.search.query import YearCount
from gateway.secret_arguments import secret_argument
from gateway.store.base import Inbox, Store, View

T = TypeVar("T")
Explore: TypeAlias = Callable[[bytes], OaiAnswer]
# Reads the elements of an answer to Identify.
ReadIdentify: TypeAlias = Callable[[bytes], Sequence[tuple[str, str]]]
Years: TypeAlias = Callable[[], Sequence[YearCount]]

_SHOWN_SOURCES = 10
_NOT_SHOWN = ("adminEmail", "repositoryName")
_SHOWN_HARVESTS = 30
_SHOWN_ROWS = 50  # of a table of sources, formats or sets
_MOST_SETS = 500
_MOST_QUERY = 8_000
_JSON = "application/json"
_EXAMPLE_LETTERS = 4_000
_READ_BYTES = 5 * _EXAMPLE_LETTERS


def blueprint(
    store: Store,
    inbox: Inbox | None,
    site: Site,
    *,
    explore: Explore,
    read_identify: ReadIdentify,
    years: Years,
    home_link: str = "",
) -> Blueprint:
    """Return the Flask blueprint of these pages.

    `inbox` has the harvests, None: it cannot be read. `explore` answers a query string of OAI-PMH, `read_identify`
    reads the answer of a source to Identify. `years` counts the works of each year, and may raise SearchUnavailable.
    `home_link` is the Link header of the start page.
    """
    face = Blueprint("browse", __name__)
    browse = _Browse(store, inbox, site, explore, read_identify, years, home_link)
    pages: Mapping[str, Callable[..., Response]] = {
        "/": browse.home,
        "/help": browse.help,
        "/browse": browse.verb,
        "/sets": browse.sets,
        "/formats": browse.formats,
        "/sources": browse.sources,
        "/sources/<name>": browse.source,
    }
    for address, page in pages.items():
        face.add_url_rule(address, page.__name__, page, defaults={"is_json": False})
        twin = "/index.json" if address == "/" else f"{address}.json"
        face.add_url_rule(twin, f"{page.__name__}_json", page, defaults={"is_json": True})
    # A prefix may end in `.json`, if a source has that name; an ending counts only if it has not.
    face.add_url_rule("/formats/<prefix>", browse.format.__name__, browse.format)
    face.register_error_handler(StoreError, lambda error: unavailable(browse.pages, error))
    return face


class _Browse:
    """Answers for one site."""

    def __init__(
        self,
        store: Store,
        inbox: Inbox | None,
        site: Site,
        explore: Explore,
        read_identify: ReadIdentify,
        years: Years,
        home_link: str,
    ) -> None:
        self._home_link = home_link
        self._read_identify = read_identify
        self._years = years
        self._store = store
        self._inbox = inbox
        self._explore = explore
        self._site = site
        self.pages = Pages(site, Path(__file__).parent / "templates")
        self._texts = self.pages.texts

    # -- pages ---------------------------------------------------------------------------------------------------

    def home(self, *, is_json: bool) -> Response:
        """Answer with the start page: what is here, where it comes from, how to harvest it."""
        with self._store.view() as view:
            rows = self._sources(view)
        living = [row for row in rows if not row.is_removed]
        totals = {
            "records": sum(row.records for row in living),
            "fulltext": sum(row.fulltext for row in living),
            "sources": len(living),
        }
        years = self._shown_years()
        if is_json:
            facts = {"name": self._site.name, "baseURL": self._site.base_url, **totals}
            return _json({**facts, "sources": _plain(living), "years": _plain(years)})
        last = max((row.last for row in living if row.last), key=lambda run: run.started_at, default=None)
        biggest = sorted(living, key=lambda row: -row.records)
        body = self.pages.render(
            "home.html",
            is_home=True,
            totals=totals,
            sources=biggest[:_SHOWN_SOURCES],
            last=last,
            is_whole=all(row.last and row.last.state == "complete" for row in living),
            years=years,
            best=best_year(years) if years else None,
            years_chart=charts.bars(
                [charts.Bar(str(count.year), count.items, count.with_file) for count in years],
                self._texts.home.years_name.format(first=years[0].year, last=years[-1].year),
            )
            if len(years) > 1
            else "",
            chart=charts.bars(
                [charts.Bar(row.name, row.records, row.fulltext) for row in biggest[:_SHOWN_SOURCES]],
                self._texts.home.chart_name,
            )
            if len(living) > 1
            else "",
        )
        return answer(body, headers={"Link": self._home_link})

    def _facts(self, source: str) -> list[tuple[str, str]]:
        """Return what a source says about itself in its last answer to Identify, without addresses of people."""
        page = self._inbox.last_answer(source, "Identify") if self._inbox else None
        facts = self._read_identify(page.repaired or page.body) if page else ()
        return [(name, text) for name, text in facts if name not in _NOT_SHOWN and not secret_argument(text)]

    def _shown_years(self) -> list[YearCount]:
        """Return the years of the chart; none if the search is off or its index is missing."""
        try:
            return shown_years(self._years(), datetime.now(UTC).year + 1)
        except SearchUnavailable:
            return []

    def help(self, *, is_json: bool) -> Response:
        """Answer with what people ask first, and with what robots should know."""
        texts = self._texts.help
        parts = [(part, getattr(texts, part)) for part in texts.order]
        if is_json:
            return _json({name: {"title": part.title, "sentences": part.sentences} for name, part in parts})
        return answer(self.pages.render("help.html", place="help", parts=parts))

    def sources(self, *, is_json: bool) -> Response:
        """Answer with the table of all sources, in pages."""
        with self._store.view() as view:
            rows = self._sources(view)
        if is_json:
            return _json({"sources": _plain(rows)})
        return self._table("sources", rows, lambda row: row.name)

    def _table(self, place: str, rows: Sequence[T], key: Callable[[T], str]) -> Response:
        """Answer with the page of a table that the argument `after` asks for."""
        part = part_of(sorted(rows, key=key), key, request.args.get("after", ""), _SHOWN_ROWS)
        base = f"{self._site.root}/{place}"
        body = self.pages.render(
            f"{place}.html",
            place=place,
            rows=part.entries,
            previous_url="" if part.previous is None else _page_after(base, part.previous),
            next_url="" if part.following is None else _page_after(base, part.following),
        )
        return answer(body)

    def source(self, name: str, *, is_json: bool) -> Response:
        """Answer with one source: what it is, its harvests, its sets."""
        with self._store.view() as view:
            rows = self._sources(view, name)
            if not rows:
                return self._missing(self._texts.source.missing, name)
            (row,) = rows
            sets, _ = children_of(view, f"source:{name}", None, _SHOWN_HARVESTS)
        harvests = self._harvests(name)
        identity = self._inbox.identity(name) if self._inbox else None
        if is_json:
            return _json({**row._asdict(), "harvests": _plain(harvests)})
        row_of_numbers = [harvest.changed for harvest in reversed(harvests)]
        body = self.pages.render(
            "source.html",
            place="sources",
            source=row,
            identity=identity.latest if identity else None,
            facts=self._facts(name),
            harvests=harvests,
            sets=set_rows(sets),
            chart=charts.bars(
                [charts.Bar(day_of(harvest.started_at), harvest.changed) for harvest in reversed(harvests)],
                self._texts.source.chart_name.format(trend=getattr(self._texts.trends, trend(row_of_numbers))),
            )
            if len(row_of_numbers) > 1 and any(row_of_numbers)
            else "",
        )
        return answer(body)

    def sets(self, *, is_json: bool) -> Response:
        """Answer with the tree of sets, as many levels as fit; of a level that is too long, in pages."""
        spec, after = request.args.get("set", ""), request.args.get("after")
        with self._store.view() as view:
            known = view.set_named(spec) if spec else None
            if spec and known is None:
                return self._missing(self._texts.sets.missing, spec)
            below, more = children_of(view, spec, after, _MOST_SETS if is_json else _SHOWN_ROWS)
            rows = set_rows(below, {entry.spec: view.count(Selection("oai_dc", entry.spec)) for entry in below})
            own = set_rows([known], {spec: view.count(Selection("oai_dc", spec))})[0] if known else None
        following = {**({"set": spec} if spec else {}), "after": below[-1].spec} if more else {}
        if is_json:
            url = f"{self._site.url}/sets.json?{urlencode(following)}" if more else None
            return _json({"sets": _plain(rows), "next": url})
        body = self.pages.render(
            "sets.html",
            place="sets",
            own=own,
            path=set_path(spec),
            sets=rows,
            previous_url="",
            next_url=f"{self._site.root}/sets?{urlencode(following)}" if more else "",
        )
        return answer(body)

    def formats(self, *, is_json: bool) -> Response:
        """Answer with the table of metadata formats."""
        with self._store.view() as view:
            counts = {known.metadata_prefix: view.count(Selection(known.metadata_prefix)) for known in view.formats()}
            rows = format_rows(view.formats(), counts)
        if is_json:
            return _json({"formats": _plain(rows)})
        return self._table("formats", rows, lambda row: row.metadata_prefix)

    def format(self, prefix: str) -> Response:
        """Answer with one metadata format: its schema, how many records have it, and an example."""
        with self._store.view() as view:
            formats = {known.metadata_prefix: known for known in view.formats()}
            is_json = prefix not in formats and prefix.endswith(".json")
            prefix = prefix.removesuffix(".json") if is_json else prefix
            known = formats.get(prefix)
            if known is None:
                return self._missing(self._texts.formats.missing, prefix)
            (row,) = format_rows((known,), {prefix: view.count(Selection(prefix))})
            page = view.page(Selection(prefix), None, 1)
        if is_json:
            return _json(row._asdict())
        record = page.records[0][:_READ_BYTES].decode("utf-8", "ignore") if page.records else ""
        example, is_cut = xml_lines(record, _EXAMPLE_LETTERS)
        body = self.pages.render("format.html", place="formats", format=row, example=example, is_cut=is_cut)
        return answer(body)

    def verb(self, *, is_json: bool) -> Response:
        """Answer with a verb of OAI-PMH as a page: its form, and its answer if there are arguments."""
        query = request.query_string
        if len(query) > _MOST_QUERY:
            return no_page(self.pages, HTTPStatus.REQUEST_URI_TOO_LONG, self._texts.errors.bad)
        if not query:
            if is_json:
                return _json({"verbs": {name: list(fields) for name, fields in FORMS.items()}})
            body = self.pages.render("verbs.html", place="browse", forms=FORMS, formats=self._prefixes())
            return answer(body)
        explored = self._explore(_filled(query))
        if is_json:
            return _json(_answered(explored))
        given = request.args.to_dict()
        following = next_query(given.get("verb", ""), explored.token)
        body = self.pages.render(
            "verb.html",
            place="browse",
            forms=FORMS,
            formats=self._prefixes(),
            verb=given.get("verb", ""),
            given=without_token(given),
            answer=explored,
            asked=_filled(query).decode("ascii", "replace"),
            previous_url="",
            next_url=f"{self._site.root}/browse?{following}" if explored.token else "",
        )
        return answer(body)

    # -- what they are made of -----------------------------------------------------------------------------------

    def _sources(self, view: View, name: str = "") -> list[SourceRow]:
        """Return the rows of all sources, or of the one with this name."""
        sources = [source for source in view.sources() if name in ("", source.name)]
        last = {source.name: self._harvests(source.name, 1) for source in sources}
        return source_rows(sources, view.source_counts(), last)

    def _harvests(self, name: str, limit: int = _SHOWN_HARVESTS) -> list[Harvest]:
        return [harvest_of(run) for run in self._inbox.runs(name, limit, "harvest")] if self._inbox else []

    def _prefixes(self) -> list[str]:
        with self._store.view() as view:
            return [known.metadata_prefix for known in view.formats()]

    # -- what is not there ---------------------------------------------------------------------------------------

    def _missing(self, sentence: str, asked: str) -> Response:
        return no_page(self.pages, HTTPStatus.NOT_FOUND, sentence, asked=asked)


def _page_after(base: str, key: str) -> str:
    """Return the address of the page of a list after a key; an empty one is the first page."""
    return f"{base}?{urlencode({'after': key})}" if key else base


def _filled(query: bytes) -> bytes:
    """Return a query without its empty arguments: a form sends every field."""
    return b"&".join(part for part in query.split(b"&") if part.partition(b"=")[1:] != (b"=", b""))


def _answered(explored: OaiAnswer) -> dict[str, Any]:
    return {
        "verb": explored.verb,
        "responseDate": explored.response_date,
        "errors": [{"code": code, "text": text} for code, text in explored.errors],
        "facts": [{"name": name, "text": text} for name, text in explored.facts],
        "formats": _plain(explored.formats),
        "sets": [{"setSpec": entry.spec, "setName": entry.name} for entry in explored.sets],
        "records": [
            {
                "identifier": record.identifier,
                "datestamp": record.datestamp,
                "deleted": record.is_deleted,
                "sets": record.sets,
                "titles": record.work.texts("title"),
            }
            for record in explored.records
        ],
        "resumptionToken": explored.token or None,
        "completeListSize": explored.total,
    }


def _plain(rows: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - any sequence of named tuples
    return [row._asdict() for row in rows]


def _json(data: Mapping[str, Any]) -> Response:
    return answer(json.dumps(data, ensure_ascii=False, indent=1) + "\n", _JSON)
