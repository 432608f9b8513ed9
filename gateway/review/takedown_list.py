"""`/review/takedowns`: all takedowns, for people and, as JSON and CSV, for programs. Reviewers do not see them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from http import HTTPStatus
from itertools import accumulate
from typing import Final
from urllib.parse import urlencode

from flask import Response, request

from gateway.core.model import Role
from gateway.review.frame import ReviewPages, csv_answer, json_answer, page, refused
from gateway.review.sessions import PATH, signed_in
from gateway.takedowns.plans import Listed, Withdrawals

PAGE: Final = 50
_DATA_PAGE: Final = 1_000
_MOST_NAMES: Final = 50_000  # items and files of a page of data; one takedown may have more
_PLACE: Final = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)\.(\d{1,9})")
_DONE: Final = ("done", "waits")
_WITH_REMOVED: Final = "with"  # the value of the argument `removed`
COLUMNS: Final = (
    "kind", "value", "source", "reason", "at", "by", "is_done", "removed_at", "removed_by", "items", "files",
)  # fmt: skip


class TakedownList:
    """Answers with pages of the list, the newest takedown first; `removed=with` adds the removed ones."""

    def __init__(self, withdrawals: Withdrawals, pages: ReviewPages) -> None:
        self._withdrawals, self._pages = withdrawals, pages
        self._address = f"{pages.site.root}{PATH}/takedowns"

    def html(self) -> Response:
        """Answer with the page for people."""
        if refusal := self._refusal():
            return refusal
        rows, start = self._rows()
        start = start if start < len(rows) else 0  # the rest was removed meanwhile
        shown, done = rows[start : start + PAGE], request.args.get("done", "")
        before = max(0, start - PAGE)
        body = self._pages.render(
            "takedowns.html",
            tab="takedowns",
            rows=shown,
            count=sum(not row.entry.removed_at for row in rows),
            with_removed=_is_with_removed(),
            other_url=self._address if _is_with_removed() else f"{self._address}?removed={_WITH_REMOVED}",
            status=done if done in _DONE else "",
            damaged=self._withdrawals.damaged(),
            is_erasure_open=self._withdrawals.has_open_erasure(),
            previous_url=self._page_after("", rows[:before]) if start else "",
            next_url=self._page_after("", rows[: start + PAGE]) if start + PAGE < len(rows) else "",
            forms=[(name.upper(), self._page_after(f".{name}", ())) for name in ("json", "csv")],
        )
        return page(body)

    def json(self) -> Response:
        """Answer with a page of the list as JSON, and the address of the next one."""
        if refusal := self._refusal():
            return refusal
        rows, following = self._data("json")
        document = {
            "next": following or None,
            "damaged_blocks": self._withdrawals.damaged(),
            "is_erasure_open": self._withdrawals.has_open_erasure(),
            "takedowns": list(map(_facts, rows)),
        }
        return json_answer(document, following)

    def csv(self) -> Response:
        """Answer with a page of the list as CSV; a Link header leads to the next one. No cell is a formula."""
        if refusal := self._refusal():
            return refusal
        rows, following = self._data("csv")
        return csv_answer("takedowns", COLUMNS, map(_facts, rows), following)

    def _refusal(self) -> Response | None:
        if signed_in().role is not Role.REVIEWER:
            return None
        texts = self._pages.texts.review_takedown
        return refused(self._pages, HTTPStatus.FORBIDDEN, texts.forbidden, texts.forbidden_hint)

    def _rows(self) -> tuple[tuple[Listed, ...], int]:
        """Return all rows, and the number of those before the page that is asked for."""
        rows = self._withdrawals.listed(with_removed=_is_with_removed())
        match = _PLACE.fullmatch(request.args.get("after", ""))
        place = (match[1], int(match[2])) if match else None
        return rows, sum(row.place >= place for row in rows) if place else 0

    def _data(self, form: str) -> tuple[tuple[Listed, ...], str]:
        """Return the rows of a page of data, and the address of the next page; empty: there is none."""
        rows, start = self._rows()
        sizes = accumulate(len(row.entry.items) + len(row.entry.files) for row in rows[start : start + _DATA_PAGE])
        stop = start + max(1, sum(size <= _MOST_NAMES for size in sizes))
        return rows[start:stop], self._page_after(f".{form}", rows[:stop]) if stop < len(rows) else ""

    def _page_after(self, form: str, before: Sequence[Listed]) -> str:
        """Return the address of the page that follows these rows."""
        arguments = {"removed": _WITH_REMOVED} if _is_with_removed() else {}
        if before:
            at, number = before[-1].place
            arguments["after"] = f"{at}.{number}"
        return f"{self._address}{form}" + (f"?{urlencode(arguments)}" if arguments else "")


def _is_with_removed() -> bool:
    return request.args.get("removed") == _WITH_REMOVED


def _facts(row: Listed) -> dict[str, object]:
    entry = row.entry
    return {
        **entry.facts(),
        "is_done": row.is_done,
        "state": row.state.facts(),
        "removed_at": entry.removed_at,
        "removed_by": entry.removed_by,
        "items": list(entry.items),
        "files": list(entry.files),
    }
