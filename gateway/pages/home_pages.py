"""The start page, and the page for those who need help."""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Final, TypeAlias

from flask import Response

from gateway.core.errors import SearchUnavailable
from gateway.pages.answers import answer, as_json, plain
from gateway.pages.tables import MOST_SOURCES, Searched, harvest_of, source_rows, sources_after
from gateway.pages.templating import Bar, Pages, bars
from gateway.search.base import YearCount
from gateway.store.base import Inbox, Store

Years: TypeAlias = Callable[[], Sequence[YearCount]]

_SHOWN_SOURCES = 10


class HomePages:
    """`/` and `/help`. `years` may raise SearchUnavailable; `link` is the Link header of the start page."""

    def __init__(
        self, store: Store, inbox: Inbox | None, pages: Pages, years: Years, searched: Searched, link: str
    ) -> None:
        self._store = store
        self._inbox = inbox
        self._pages = pages
        self._years = years
        self._searched = searched
        self._link = link

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
