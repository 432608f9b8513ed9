"""The pages of sources, of sets and of metadata formats, the start page, and the page for those who need help."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Final, TypeAlias
from urllib.parse import urlencode

from flask import Response, request

from gateway.core.errors import SearchUnavailable
from gateway.core.model import Selection
from gateway.core.secret_arguments import secret_argument
from gateway.core.states import facts_of_lacks
from gateway.pages.answers import (
    SHOWN_ROWS,
    Part,
    answer,
    as_json,
    as_object,
    may_be_key,
    missing,
    no_such_page,
    plain,
    table,
    table_page,
)
from gateway.pages.shown import day_of
from gateway.pages.tables import (
    MOST_SOURCES,
    Searched,
    children_of,
    format_rows,
    harvest_of,
    harvests_of,
    set_path,
    set_rows,
    source_rows,
    sources_after,
    trend,
)
from gateway.pages.templating import Bar, Pages, bars
from gateway.search.base import YearCount
from gateway.store.base import Inbox, Store

# Reads the elements of an answer to Identify.
ReadIdentify: TypeAlias = Callable[[bytes], Sequence[tuple[str, str]]]
Years: TypeAlias = Callable[[], Sequence[YearCount]]

_MOST_SETS = 500  # in one answer as JSON
_EXAMPLE_LETTERS = 4_000
_READ_BYTES = 5 * _EXAMPLE_LETTERS
_NOT_SHOWN = ("adminEmail", "repositoryName")
_SHOWN_HARVESTS = 30
_SHOWN_SOURCES = 10


class ListPages:
    """`/`, `/help`, `/sets`, `/formats`, `/formats/<prefix>`, `/sources` and `/sources/<name>`.

    `inbox` is None if it cannot be read. `read_identify` reads the answer of a source to Identify. `years` counts the
    works of each year, and may raise SearchUnavailable. `searched` counts the items of each source that were searched
    for. `link` is the Link header of the start page.
    """

    def __init__(
        self,
        store: Store,
        inbox: Inbox | None,
        pages: Pages,
        read_identify: ReadIdentify,
        years: Years,
        searched: Searched,
        link: str,
    ) -> None:
        self._store, self._inbox, self._pages = store, inbox, pages
        self._read_identify, self._years, self._searched, self._link = read_identify, years, searched, link

    def home(self, *, is_json: bool) -> Response:
        """Answer with the start page: what is here, where it comes from, how to harvest it."""
        with self._store.view() as view:
            sources, records, fulltext = view.source_totals()
            removed = view.removed_sources()
            listed = view.listed_sources("", MOST_SOURCES + 1) if is_json else view.biggest_sources(_SHOWN_SOURCES)
        searched = self._searched()
        totals = {
            "records": records,
            "fulltext": fulltext,
            "searched": sum(searched.values()) - sum(searched.get(name, 0) for name in removed),
            "sources": sources,
        }
        years = self._shown_years()
        if is_json:
            facts = {"name": self._pages.site.name, "baseURL": self._pages.site.base_url, **totals}
            living = [pair for pair in listed[:MOST_SOURCES] if not pair[0].is_removed]
            following = listed[MOST_SOURCES - 1][0].name if len(listed) > MOST_SOURCES else None
            rows = source_rows(living, self._inbox, searched)
            more = {"sources": plain(rows), "next": sources_after(self._pages.site.url, following)}
            return as_json({**facts, **more, "years": plain(years)})
        biggest = source_rows(listed, self._inbox, searched)
        complete, last = self._inbox.last_harvests(removed) if self._inbox else (0, None)
        body = self._pages.render(
            "home.html",
            is_home=True,
            totals=totals,
            sources=biggest,
            last=harvest_of(last, self._inbox) if self._inbox and last else None,
            complete=complete,
            years=years,
            best=max(years, key=lambda count: (count.items, count.year), default=None),
            not_shown=not_shown(totals["records"], years),
            years_chart=bars(
                [Bar(str(count.year), count.items, count.with_file) for count in years],
                self._pages.texts.home.years_name.format(first=years[0].year, last=years[-1].year),
            )
            if len(years) > 1
            else "",
            chart=bars([Bar(row.name, row.records, row.fulltext) for row in biggest], self._pages.texts.home.chart_name)
            if sources > 1
            else "",
        )
        return answer(body, headers={"Link": self._link})

    def _shown_years(self) -> list[YearCount]:
        """Return the years of the chart; none if the search is off or its index is missing."""
        try:
            return shown_years(self._years(), datetime.now(UTC).year + 1)
        except SearchUnavailable:
            return []

    def help(self, *, is_json: bool) -> Response:
        """Answer with what people ask first, and with what robots should know."""
        texts = self._pages.texts.help
        parts = [(part, getattr(texts, part)) for part in texts.order]
        if is_json:
            return as_json({name: {"title": part.title, "sentences": part.sentences} for name, part in parts})
        return answer(self._pages.render("help.html", place="help", parts=parts))

    def sets(self, *, is_json: bool) -> Response:
        """Answer with the tree of sets, as many levels as fit; of a level that is too long, in pages."""
        spec, after = request.args.get("set", ""), request.args.get("after")
        with self._store.view() as view:
            known = view.set_named(spec) if spec else None
            if spec and known is None:
                return missing(self._pages, self._pages.texts.sets.missing, spec)
            is_known = after is None or may_be_key(after) or view.set_named(after) is not None
            if after is not None and not (is_known and after.startswith(f"{spec}:" if spec else "")):
                return no_such_page(self._pages, after)
            below, more = children_of(view, spec, after, _MOST_SETS if is_json else SHOWN_ROWS)
            rows = set_rows(below, {entry.spec: view.count(Selection("oai_dc", entry.spec)) for entry in below})
            own = set_rows([known], {spec: view.count(Selection("oai_dc", spec))})[0] if known else None
        following = {**({"set": spec} if spec else {}), "after": below[-1].spec} if more else {}
        if is_json:
            url = f"{self._pages.site.url}/sets.json?{urlencode(following)}" if more else None
            return as_json({"sets": plain(rows), "next": url})
        body = self._pages.render(
            "sets.html",
            place="sets",
            own=own,
            path=set_path(spec),
            sets=rows,
            previous_url="",
            next_url=f"{self._pages.site.root}/sets?{urlencode(following)}" if more else "",
        )
        return answer(body)

    def formats(self, *, is_json: bool) -> Response:
        """Answer with the table of metadata formats."""
        with self._store.view() as view:
            counts = {known.metadata_prefix: view.count(Selection(known.metadata_prefix)) for known in view.formats()}
            rows = format_rows(view.formats(), counts)
        if is_json:
            return as_json({"formats": plain(rows)})
        return table(self._pages, "formats", rows, lambda row: row.metadata_prefix)

    def format(self, prefix: str) -> Response:
        """Answer with one metadata format: its schema, how many records have it, and an example."""
        with self._store.view() as view:
            formats = {known.metadata_prefix: known for known in view.formats()}
            is_json = prefix not in formats and prefix.endswith(".json")
            prefix = prefix.removesuffix(".json") if is_json else prefix
            known = formats.get(prefix)
            if known is None:
                return missing(self._pages, self._pages.texts.formats.missing, prefix)
            (row,) = format_rows((known,), {prefix: view.count(Selection(prefix))})
            page = view.page(Selection(prefix), None, 1)
        if is_json:
            return as_json(row._asdict())
        record = page.records[0][:_READ_BYTES].decode("utf-8", "ignore") if page.records else ""
        example, is_cut = xml_lines(record, _EXAMPLE_LETTERS)
        body = self._pages.render("format.html", place="formats", format=row, example=example, is_cut=is_cut)
        return answer(body)

    def sources(self, *, is_json: bool) -> Response:
        """Answer with the table of all sources, in pages."""
        after, most = request.args.get("after", ""), MOST_SOURCES if is_json else SHOWN_ROWS
        with self._store.view() as view:
            if after and not may_be_key(after) and view.source(after) is None:
                return no_such_page(self._pages, after)
            listed = view.listed_sources(after, most + 1)
            before = view.sources_before(after, most + 1) if after else ()
        rows = source_rows(listed[:most], self._inbox, self._searched())
        following = rows[-1].name if len(listed) > most else None
        if is_json:
            return as_json({"sources": plain(rows), "next": sources_after(self._pages.site.url, following)})
        previous = None if not before else before[most] if len(before) > most else ""
        return table_page(self._pages, "sources", Part(rows, previous, following))

    def source(self, name: str, *, is_json: bool) -> Response:
        """Answer with one source: what it is, its harvests, its sets."""
        with self._store.view() as view:
            source, counts = view.source(name), view.source_counts(name)
            if source is None:
                return missing(self._pages, self._pages.texts.source.missing, name)
            sets, _ = children_of(view, f"source:{name}", None, _SHOWN_HARVESTS)
        (row,) = source_rows([(source, counts)], self._inbox, self._searched())
        harvests = harvests_of(self._inbox, name, _SHOWN_HARVESTS)
        identity = self._inbox.identity(name) if self._inbox else None
        lacks, unused = self._store.lack_counts((name,)), self._store.unused((name,))
        known = facts_of_lacks(lacks.get(name, ()), unused.get(name, ()))
        if is_json:
            return as_json({**as_object(row), **known, "harvests": plain(harvests)})
        row_of_numbers = [harvest.changed for harvest in reversed(harvests)]
        body = self._pages.render(
            "source.html",
            place="sources",
            source=row,
            lacks=[lack["sentence"] for lacks in known.values() for lack in lacks if lack["sentence"]],
            identity=identity.latest if identity else None,
            facts=self._facts(name),
            harvests=harvests,
            sets=set_rows(sets),
            chart=bars(
                [Bar(day_of(harvest.started_at), harvest.changed) for harvest in reversed(harvests)],
                self._pages.texts.source.chart_name.format(
                    trend=getattr(self._pages.texts.trends, trend(row_of_numbers))
                ),
            )
            if len(row_of_numbers) > 1 and any(row_of_numbers)
            else "",
        )
        return answer(body)

    def _facts(self, source: str) -> list[tuple[str, str]]:
        """Return what a source says about itself in its last answer to Identify, without addresses of people."""
        page = self._inbox.last_answer(source, "Identify") if self._inbox else None
        facts = self._read_identify(page.repaired or page.body) if page else ()
        return [(name, text) for name, text in facts if name not in _NOT_SHOWN and not secret_argument(text)]


# --- XML as people read it -------------------------------------------------------------------------------------------

_PIECE = re.compile(r"<[^<>]*>|[^<>]+|[<>]")
_DEEPEST = 20
_NOT_ELEMENTS = ("<?", "<!")


def xml_lines(text: str, most: int) -> tuple[str, bool]:
    """Return the first lines of well-formed XML, at most `most` characters, and whether there are more."""
    lines: list[str] = []
    length = 0
    for line in _lines(text):
        length += len(line) + 1
        if length > most and lines:
            return "\n".join(lines), True
        lines.append(line[:most])
    return "\n".join(lines), False


def _lines(text: str) -> Iterator[str]:
    """Yield the lines: an element that has only text is one line."""
    depth, line, is_open = 0, "", False
    for piece in _PIECE.findall(text):
        if not piece.strip():
            continue
        if piece.startswith("</"):
            depth -= 1
            if is_open:
                line += piece
            else:
                yield from _indented(line, depth + 1)
                line = piece
            yield from _indented(line, depth)
            line, is_open = "", False
        elif piece.startswith("<") and len(piece) > 1:
            yield from _indented(line, depth - is_open)
            line, is_open = piece, not piece.endswith("/>") and not piece.startswith(_NOT_ELEMENTS)
            depth += is_open
        else:
            line += " ".join(piece.split())
    yield from _indented(line, depth - is_open)


def _indented(line: str, depth: int) -> Iterator[str]:
    if line:
        yield "  " * min(max(depth, 0), _DEEPEST) + line


# --- The works of the last years, for the chart of the start page. Pure ----------------------------------------------

MOST_YEARS: Final = 40


def shown_years(counts: Iterable[YearCount], latest: int, most: int = MOST_YEARS) -> list[YearCount]:
    """Return the last years up to the last one with works, the earliest first, those without works included.

    A year after `latest` is an error of a record, and is left out.
    """
    known = {count.year: count for count in counts if count.year <= latest}
    if not known:
        return []
    last = max(known)
    first = max(min(known), last - most + 1)
    return [known.get(year) or YearCount(year, 0, 0) for year in range(first, last + 1)]


def not_shown(records: int, counts: Iterable[YearCount]) -> int:
    """Return how many of all records are in none of these years: their year is unknown, or too early or late.

    The search index may be behind the store: never below zero.
    """
    return max(0, records - sum(count.items for count in counts))
