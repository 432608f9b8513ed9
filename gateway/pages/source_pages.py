"""The pages of the sources: a table of all, and what each is and has sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from flask import Response, request

from gateway.core.secret_arguments import secret_argument
from gateway.core.states import of_lacks
from gateway.pages import charts
from gateway.pages.answers import answer
from gateway.pages.browse_answers import (
    SHOWN_ROWS,
    Part,
    as_json,
    as_object,
    may_be_key,
    missing,
    no_such_page,
    plain,
    table_page,
)
from gateway.pages.harvests import trend
from gateway.pages.shown import day_of
from gateway.pages.tables import MOST_SOURCES, Searched, children_of, harvests_of, set_rows, source_rows, sources_after
from gateway.pages.templating import Pages
from gateway.store.base import Inbox, Store

# Reads the elements of an answer to Identify.
ReadIdentify: TypeAlias = Callable[[bytes], Sequence[tuple[str, str]]]

_NOT_SHOWN = ("adminEmail", "repositoryName")
_SHOWN_HARVESTS = 30


class SourcePages:
    """`/sources` and `/sources/<name>`."""

    def __init__(
        self, store: Store, inbox: Inbox | None, pages: Pages, read_identify: ReadIdentify, searched: Searched
    ) -> None:
        self._store = store
        self._inbox = inbox
        self._pages = pages
        self._read_identify = read_identify
        self._searched = searched

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
        if is_json:
            return as_json({**as_object(row), "harvests": plain(harvests)})
        row_of_numbers = [harvest.changed for harvest in reversed(harvests)]
        body = self._pages.render(
            "source.html",
            place="sources",
            source=row,
            lacks=of_lacks(self._store.lack_counts((name,)).get(name, ())),
            identity=identity.latest if identity else None,
            facts=self._facts(name),
            harvests=harvests,
            sets=set_rows(sets),
            chart=charts.bars(
                [charts.Bar(day_of(harvest.started_at), harvest.changed) for harvest in reversed(harvests)],
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
