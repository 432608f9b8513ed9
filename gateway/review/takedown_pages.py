"""`/review/takedowns/new`: managers and administrators withdraw an item or a file when they have seen the effect.

A file of which nobody knows the bytes is withdrawn by its address, from the page of an item.

The same entry as that of `harvester takedown add`, and the same code carries it out. A reviewer sees none of this.
"""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from http import HTTPStatus
from itertools import accumulate
from typing import Final, NamedTuple
from urllib.parse import urlencode

from flask import Response, request

from gateway.core.errors import ConfigurationError, StoreDamaged
from gateway.core.model import Deed, Role
from gateway.core.names import source_of
from gateway.core.takedowns import Kind, Takedown
from gateway.core.xmltext import clean, utc_datetime
from gateway.pages.shown import revealed, shortened
from gateway.review.frame import ReviewPages, form_asked, item_address, list_answer, page, refused, see_other
from gateway.review.item_view import Describe, work_of
from gateway.review.sessions import PATH, Sessions, signed_in
from gateway.store.base import Store
from gateway.takedowns.plans import Listed, Plan, Withdrawals, recognised

PAGE: Final = 50
_DATA_PAGE: Final = 1_000
_MOST_NAMES: Final = 50_000  # items and files of a page of data; one takedown may have more
_PLACE: Final = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)\.(\d{1,9})")
_DONE: Final = ("done", "waits")
_WITH_REMOVED: Final = "with"  # the value of the argument `removed`
COLUMNS: Final = (
    "kind", "value", "source", "reason", "at", "by", "is_done", "removed_at", "removed_by", "items", "files",
)  # fmt: skip


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


MOST_COMMENT: Final = 2_000  # characters
_MOST_ADDRESS: Final = 4_000
_MOST_SHOWN: Final = 300  # characters of an address that is refused
_SHOWN: Final = 50  # items with their titles
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_OTHER: Final = "other"  # the reason that needs a comment


class Item(NamedTuple):
    """An item of a preview."""

    identifier: str
    title: str
    address: str


class TakedownPages:
    """The list of takedowns, the newest first (`removed=with` adds the removed ones), and the page of a new one."""

    def __init__(
        self,
        store: Store,
        withdrawals: Withdrawals,
        describe: Describe,
        sessions: Sessions,
        pages: ReviewPages,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store, self._withdrawals, self._describe = store, withdrawals, describe
        self._sessions, self._pages, self._clock = sessions, pages, clock
        self._root, self._address = pages.site.root, f"{pages.site.root}{PATH}/takedowns"

    def html(self) -> Response:
        """Answer with the page for people."""
        if signed_in().role is Role.REVIEWER:
            return self._forbidden()
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

    def data(self) -> Response:
        """Answer with a page of the list as data, and the address of the next one."""
        if signed_in().role is Role.REVIEWER:
            return self._forbidden()
        rows, start = self._rows()
        sizes = accumulate(len(row.entry.items) + len(row.entry.files) for row in rows[start : start + _DATA_PAGE])
        stop = start + max(1, sum(size <= _MOST_NAMES for size in sizes))
        return list_answer(
            "takedowns",
            COLUMNS,
            map(_facts, rows[start:stop]),
            self._page_after(f".{form_asked()}", rows[:stop]) if stop < len(rows) else "",
            damaged_blocks=self._withdrawals.damaged(),
            is_erasure_open=self._withdrawals.has_open_erasure(),
        )

    def _rows(self) -> tuple[tuple[Listed, ...], int]:
        """Return all rows, and the number of those before the page that is asked for."""
        rows = self._withdrawals.listed(with_removed=_is_with_removed())
        match = _PLACE.fullmatch(request.args.get("after", ""))
        place = (match[1], int(match[2])) if match else None
        return rows, sum(row.place >= place for row in rows) if place else 0

    def _page_after(self, form: str, before: Sequence[Listed]) -> str:
        """Return the address of the page that follows these rows."""
        arguments = {"removed": _WITH_REMOVED} if _is_with_removed() else {}
        if before:
            at, number = before[-1].place
            arguments["after"] = f"{at}.{number}"
        return f"{self._address}{form}" + (f"?{urlencode(arguments)}" if arguments else "")

    def new(self) -> Response:
        """Answer with what a takedown would touch, and the form that agrees to it."""
        entry = self._entry(request.args)
        if isinstance(entry, Response):
            return entry
        plan = self._plan(entry, request.args)
        return self._refusal(plan) or self._preview(plan)

    def add(self) -> Response:
        """Withdraw what the person has seen; if it would touch something else by now, show that first."""
        form = request.form
        entry = self._entry(form)
        if isinstance(entry, Response):
            return entry
        plan = self._plan(entry, form)
        comment = " ".join(clean(form.get("comment", "")).split())
        sentence = vars(self._pages.texts.review_takedown_reasons).get(form.get("reason", ""), "")
        text = f"{sentence}: {comment}" if comment else sentence
        if plan.before is not None and (plan.before.by, plan.before.reason) == (signed_in().name, text):
            return self._to_list(is_done=plan.is_done)  # the form was sent twice
        if refusal := self._refusal(plan):
            return refusal
        if problem := self._problem(sentence, comment, plan):
            return self._preview(plan, problem)
        at = int(self._clock())
        is_done = self._withdrawals.add(entry._replace(reason=text, at=utc_datetime(at), by=signed_in().name))
        self._sessions.note(Deed.TAKEN_DOWN, entry.key, at)
        return self._to_list(is_done=is_done)

    def _problem(self, sentence: str, comment: str, plan: Plan) -> str:
        """Return what is wrong with a form, or has changed since it was shown; empty: nothing."""
        texts = self._pages.texts.review_takedown
        if not sentence or (request.form["reason"] == _OTHER and not comment):
            return str(texts.reason_missing)
        if len(comment) > MOST_COMMENT:
            return str(texts.comment_long)
        return "" if request.form.get("seen", "") == _seal(plan) else str(texts.changed)

    def _to_list(self, *, is_done: bool) -> Response:
        return see_other(f"{self._root}{PATH}/takedowns?done={'done' if is_done else 'waits'}")

    # -- what is asked for ---------------------------------------------------------------------------------------

    def _plan(self, entry: Takedown, asked: Mapping[str, str]) -> Plan:
        return self._withdrawals.plan(entry, asked.get("item", "") if entry.kind is Kind.URL else "")

    def _entry(self, asked: Mapping[str, str]) -> Takedown | Response:
        """Return the entry of an item, a file or an address; or the answer that there is no such thing."""
        item, file, address = (asked.get(name, "") for name in ("item", "file", "address"))
        if signed_in().role is Role.REVIEWER:
            return self._forbidden()
        if _DIGEST.fullmatch(file) and not (item or address):
            return Takedown(Kind.SHA256, file)
        if not item or file or not self._is_known(item):
            return refused(self._pages, HTTPStatus.NOT_FOUND, self._pages.texts.review_takedown.unknown)
        return self._of_address(item, address) if address else Takedown(Kind.IDENTIFIER, item)

    def _of_address(self, item: str, address: str) -> Takedown | Response:
        """Return the entry of an address, which is that of the command; or the answer that says why there is none."""
        texts = self._pages.texts.review_takedown
        shown = texts.address_shown.format(address=shortened(revealed(address), _MOST_SHOWN))
        try:
            entry = recognised(address[: _MOST_ADDRESS + 1], "")
            if entry.kind is Kind.URL and len(address) <= _MOST_ADDRESS:
                return entry
            problem = texts.no_file_address if entry.kind is not Kind.URL else texts.address_long
        except ConfigurationError:
            problem = texts.no_address
        back = item_address(self._root, item)
        return refused(self._pages, HTTPStatus.BAD_REQUEST, problem, shown, back)

    def _is_known(self, identifier: str) -> bool:
        with self._store.view() as view:
            return view.has_item(identifier)

    def _refusal(self, plan: Plan) -> Response | None:
        """Return the answer for a person who may not take down all that a plan touches; None if the person may."""
        user, texts = signed_in(), self._pages.texts.review_takedown
        identifiers = (plan.entry.value,) if plan.entry.kind is Kind.IDENTIFIER else plan.items
        named = filter(None, (*identifiers, request.values.get("item", "")))
        if user.role is Role.ADMINISTRATOR:
            return None
        if plan.entry.kind is Kind.URL and plan.has_more:
            return refused(self._pages, HTTPStatus.FORBIDDEN, texts.not_yours, texts.not_all_read_hint)
        if not identifiers or plan.has_more or not all(user.may_take_down(source_of(name)) for name in named):
            return refused(self._pages, HTTPStatus.FORBIDDEN, texts.not_yours, texts.not_yours_hint)
        return None

    def _forbidden(self) -> Response:
        texts = self._pages.texts.review_takedown
        return refused(self._pages, HTTPStatus.FORBIDDEN, texts.forbidden, texts.forbidden_hint)

    # -- the preview ---------------------------------------------------------------------------------------------

    def _preview(self, plan: Plan, problem: str = "") -> Response:
        entry, form = plan.entry, request.form
        is_file, item = entry.kind is not Kind.IDENTIFIER, request.values.get("item", "")
        body = self._pages.render(
            "takedown.html",
            tab="takedowns",
            plan=plan,
            is_file=is_file,
            item=item,
            address=request.values.get("address", ""),
            items=[self._item(identifier) for identifier in plan.items[:_SHOWN]],
            more=max(0, len(plan.items) - _SHOWN),
            problem=problem,
            seen=_seal(plan),
            reason=form.get("reason", ""),
            comment=clean(form.get("comment", ""))[:MOST_COMMENT],
            most_comment=MOST_COMMENT,
            back=item_address(self._root, item) if item else f"{self._root}{PATH}",
        )
        return page(body, HTTPStatus.BAD_REQUEST if problem else HTTPStatus.OK)

    def _item(self, identifier: str) -> Item:
        try:
            work = work_of(self._store, self._describe, identifier)
        except StoreDamaged:  # the record is published anew without its block
            work = None
        titles = work.texts("title") if work else ()
        return Item(identifier, titles[0] if titles else "", item_address(self._root, identifier))


def _seal(plan: Plan) -> str:
    """Return a digest of what a plan touches, to notice that it touches something else by now."""
    touched = (*plan.items, "", *plan.hidden, "", *plan.files)
    parts = (plan.entry.key, *touched, str(plan.has_more), str(plan.before is not None))
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
