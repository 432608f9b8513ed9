"""`/review/takedowns/new`: managers and administrators withdraw an item or a file when they have seen the effect.

The same entry as that of `harvester takedown add`, and the same code carries it out. A reviewer sees none of this.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from hashlib import sha256
from http import HTTPStatus
from typing import Final, NamedTuple

from flask import Response, request

from gateway.model import Deed, Role
from gateway.names import source_of
from gateway.review.frame import ReviewPages, page, refused, see_other
from gateway.review.item_links import item_address
from gateway.review.record_facts import Describe, work_of
from gateway.review.sessions import PATH, Sessions, signed_in
from gateway.review.withdrawals import Plan, Withdrawals
from gateway.store.base import Store
from gateway.takedowns import Kind, Takedown
from gateway.xmltext import clean, utc_datetime

MOST_COMMENT: Final = 2_000  # characters
_MOST_IDENTIFIER: Final = 2_000
_SHOWN: Final = 50  # items with their titles
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_OTHER: Final = "other"  # the reason that needs a comment


class Item(NamedTuple):
    """An item of a preview."""

    identifier: str
    title: str
    address: str


class TakedownPages:
    """The page of a new takedown."""

    def __init__(
        self,
        store: Store,
        withdrawals: Withdrawals,
        describe: Describe,
        sessions: Sessions,
        pages: ReviewPages,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Take the store, the list of takedowns, the function that reads a record, the sessions, and the templates."""
        self._store, self._withdrawals, self._describe = store, withdrawals, describe
        self._sessions, self._pages, self._clock = sessions, pages, clock
        self._root = pages.site.root

    def new(self) -> Response:
        """Answer with what a takedown would touch, and the form that agrees to it."""
        entry = self._entry(request.args.get("item", ""), request.args.get("file", ""))
        if isinstance(entry, Response):
            return entry
        plan = self._withdrawals.plan(entry)
        return self._refusal(plan) or self._preview(plan)

    def add(self) -> Response:
        """Withdraw what the person has seen; if it would touch something else by now, show that first."""
        form = request.form
        entry = self._entry(form.get("item", ""), form.get("file", ""))
        if isinstance(entry, Response):
            return entry
        plan = self._withdrawals.plan(entry)
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

    def _entry(self, item: str, file: str) -> Takedown | Response:
        """Return the entry of an item or of a file; or the answer that there is no such thing."""
        if signed_in().role is Role.REVIEWER:
            return self._forbidden()
        if _DIGEST.fullmatch(file) and not item:
            return Takedown(Kind.SHA256, file)
        if not item or file or len(item) > _MOST_IDENTIFIER or not self._is_known(item):
            return refused(self._pages, HTTPStatus.NOT_FOUND, self._pages.texts.review_takedown.unknown)
        return Takedown(Kind.IDENTIFIER, item)

    def _is_known(self, identifier: str) -> bool:
        with self._store.view() as view:
            return view.has_item(identifier)

    def _refusal(self, plan: Plan) -> Response | None:
        """Return the answer for a person who may not take down all that a plan touches; None if the person may."""
        user, texts = signed_in(), self._pages.texts.review_takedown
        identifiers = (plan.entry.value,) if plan.entry.kind is Kind.IDENTIFIER else plan.items
        if user.role is Role.ADMINISTRATOR:
            return None
        if not identifiers or plan.has_more or not all(user.may_take_down(source_of(name)) for name in identifiers):
            return refused(self._pages, HTTPStatus.FORBIDDEN, texts.not_yours, texts.not_yours_hint)
        return None

    def _forbidden(self) -> Response:
        texts = self._pages.texts.review_takedown
        return refused(self._pages, HTTPStatus.FORBIDDEN, texts.forbidden, texts.forbidden_hint)

    # -- the preview ---------------------------------------------------------------------------------------------

    def _preview(self, plan: Plan, problem: str = "") -> Response:
        entry, form = plan.entry, request.form
        is_file = entry.kind is Kind.SHA256
        body = self._pages.render(
            "takedown.html",
            tab="takedowns",
            plan=plan,
            is_file=is_file,
            items=[self._item(identifier) for identifier in plan.items[:_SHOWN]],
            more=max(0, len(plan.items) - _SHOWN),
            problem=problem,
            seen=_seal(plan),
            reason=form.get("reason", ""),
            comment=clean(form.get("comment", ""))[:MOST_COMMENT],
            most_comment=MOST_COMMENT,
            back=f"{self._root}{PATH}" if is_file else item_address(self._root, entry.value),
        )
        return page(body, HTTPStatus.BAD_REQUEST if problem else HTTPStatus.OK)

    def _item(self, identifier: str) -> Item:
        work = work_of(self._store, self._describe, identifier)
        titles = work.texts("title") if work else ()
        return Item(identifier, titles[0] if titles else "", item_address(self._root, identifier))


def _seal(plan: Plan) -> str:
    """Return a digest of what a plan touches, to notice that it touches something else by now."""
    parts = (plan.entry.key, *plan.items, "", *plan.files, str(plan.has_more), str(plan.before is not None))
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
