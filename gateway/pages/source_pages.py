"""The pages of the sources: a table of all, and what each is and has sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from flask import Response

from gateway.core.secret_arguments import secret_argument
from gateway.core.states import of_lacks
from gateway.pages import charts
from gateway.pages.answers import answer
from gateway.pages.browse_answers import as_json, as_object, missing, plain, table
from gateway.pages.harvests import trend
from gateway.pages.shown import day_of
from gateway.pages.tables import Searched, children_of, harvests_of, set_rows, sources_of
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
        """Take what the pages show."""
        self._store = store
        self._inbox = inbox
        self._pages = pages
        self._read_identify = read_identify
        self._searched = searched

    def sources(self, *, is_json: bool) -> Response:
        """Answer with the table of all sources, in pages."""
        with self._store.view() as view:
            rows = sources_of(view, self._inbox, self._searched())
        if is_json:
            return as_json({"sources": plain(rows)})
        return table(self._pages, "sources", rows, lambda row: row.name)

    def source(self, name: str, *, is_json: bool) -> Response:
        """Answer with one source: what it is, its harvests, its sets."""
        with self._store.view() as view:
            rows = sources_of(view, self._inbox, self._searched(), name)
            if not rows:
                return missing(self._pages, self._pages.texts.source.missing, name)
            (row,) = rows
            sets, _ = children_of(view, f"source:{name}", None, _SHOWN_HARVESTS)
        harvests = harvests_of(self._inbox, name, _SHOWN_HARVESTS)
        identity = self._inbox.identity(name) if self._inbox else None
        if is_json:
            return as_json({**as_object(row), "harvests": plain(harvests)})
        row_of_numbers = [harvest.changed for harvest in reversed(harvests)]
        body = self._pages.render(
            "source.html",
            place="sources",
            source=row,
            lacks=of_lacks(self._store.lack_counts(name)),
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
