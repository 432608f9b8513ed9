"""`/review`: the list of copies, for people and, as JSON and CSV, for programs; and each copy, for users only.

A copy is a foreign document. A browser saves it and shows nothing of it in our origin: `sandbox`, `nosniff`,
attachment.
"""

import re
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Final

from flask import Response, abort, request, send_file

from gateway.core.model import (
    ANY_VERDICT,
    VERDICTS,
    CopyFilter,
    CopyOrder,
    Decision,
    DocumentKind,
    ListedCopy,
    Outcome,
    User,
)
from gateway.core.settings import place_of_copy
from gateway.fulltext.deciding import Withdrawn
from gateway.fulltext.decisions import RULE
from gateway.fulltext.policies import VERSIONS, Colour
from gateway.fulltext.review import UNKNOWN
from gateway.pages.shown import number
from gateway.pages.templating import counted
from gateway.review.copy_rows import COLUMNS, Row, facts_of
from gateway.review.frame import (
    ReviewPages,
    address_in_list,
    form_asked,
    item_address,
    list_answer,
    page,
    refused,
    see_other,
)
from gateway.review.list_arguments import Asked, asked_of, filter_query, key_of, query_of
from gateway.review.listing import Listing, Shown, can_undo, sources_of, status_of
from gateway.review.sessions import signed_in
from gateway.store.base import Discovery, Store

PAGE: Final = 50
_DATA_PAGE: Final = 1_000
_LOW: Final = 0.9  # hardly one in a hundred of the files that rules accept has a lower score
_MOST_COUNTED: Final = 10_000
# The outcomes of copies that are listed with a verdict.
_OUTCOMES: Final = (
    Outcome.SUCCESS, Outcome.LOW_SCORE, Outcome.WRONG_DOCUMENT, Outcome.NO_TEXT, Outcome.SUPPLEMENT,
    Outcome.ENCRYPTED_PDF, Outcome.BROKEN_PDF, Outcome.FORBIDDEN, Outcome.NOT_FOUND, Outcome.GONE,
)  # fmt: skip

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_MOST_OWNERS: Final = 1_000
_PDF: Final = b"%PDF-"
_BEGINNING: Final = 1024  # bytes in which a PDF names itself


class CopiesPage:
    """Answers with pages of the list, and with our copies, which are in an instance folder."""

    def __init__(
        self, listing: Listing, discovery: Callable[[], Discovery], store: Store, pages: ReviewPages, instance: Path
    ) -> None:
        self._listing, self._discovery, self._store, self._pages = listing, discovery, store, pages
        self._root, self._instance = pages.site.root, instance

    def html(self) -> Response:
        """Answer with the page for people. Raise QueryRefused for a filter that is none."""
        asked, user = asked_of(request.args), signed_in()
        shown = self._listing.page(asked, user, PAGE)
        if shown.last is None and (asked.after or asked.before):  # all files of the page were decided on meanwhile
            asked = asked._replace(after=None, before=None)
            shown = self._listing.page(asked, user, PAGE)
        discovery = self._discovery()
        base = f"{self._root}/review?"
        address = (base + query_of(asked)).rstrip("?")
        body = self._pages.render(
            "copies.html",
            tab="copies",
            asked=asked,
            shown=shown,
            rows=[row._replace(can_undo=_can_undo(row, discovery)) for row in shown.rows],
            views=self._views(user),
            choices=self._choices(user),
            filters=filter_query(asked),
            list_url=(base + filter_query(asked)).rstrip("?"),
            address=address,
            item_address=lambda listed: self._item_address(asked, listed),
            status=status_of(self._discovery, self._listing, user, request.args.get("done", "")),
            status_next=address,
            heading=self._heading(asked, user, shown),
            lacks=self._discovery().copies_lack_after() is not None,
            previous_url=base + filter_query(asked, before=key_of(shown.first, asked.order))
            if shown.has_previous
            else "",
            next_url=_next(base, asked, shown),
            forms=[
                (name.upper(), f"{self._root}/review/copies.{name}?{filter_query(asked)}") for name in ("json", "csv")
            ],
        )
        return page(body)

    def data(self) -> Response:
        """Answer with a page of the list as data, and the address of the next one."""
        asked = asked_of(request.args)
        shown = self._listing.page(asked, signed_in(), _DATA_PAGE)
        following = _next(f"{self._root}/review/copies.{form_asked()}?", asked, shown)
        return list_answer("copies", COLUMNS, map(facts_of, shown.rows), following)

    def to_data(self) -> Response:
        """Lead from `/review.json` and `/review.csv` to the data of the list.

        A browser does not send the cookie to these two: they are not below the path of the pages.
        """
        query = request.query_string.decode("latin-1")
        return see_other(f"{self._root}/review/copies.{form_asked()}" + (f"?{query}" if query else ""))

    def copy(self, digest: str) -> Response:
        """Answer with a copy that a search got for an item of the user's sources; 451 if it is taken down."""
        if not _DIGEST.fullmatch(digest):
            abort(HTTPStatus.NOT_FOUND)
        texts = self._pages.texts.review_list
        sources = sources_of(signed_in())
        own = () if sources == ("",) else sources
        owners = self._discovery().copies_with(digest, _MOST_OWNERS, own) if sources else ()
        place = place_of_copy(self._instance, digest)
        is_withdrawn = Withdrawn(self._store, self._discovery()).has
        if owners and all(is_withdrawn(Decision(copy.identifier, copy.url, digest, "", "", "", 0)) for copy in owners):
            return refused(self._pages, HTTPStatus.UNAVAILABLE_FOR_LEGAL_REASONS, texts.taken_down)
        if not owners or not place.is_file():
            return refused(self._pages, HTTPStatus.NOT_FOUND, texts.no_copy, texts.no_copy_hint)
        with place.open("rb") as file:
            is_pdf = _PDF in file.read(_BEGINNING)
        response = send_file(
            place,
            mimetype="application/pdf" if is_pdf else "application/octet-stream",
            etag=digest,
            conditional=True,
            as_attachment=True,
            download_name=digest + (".pdf" if is_pdf else ".bin"),
        )
        response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response

    def _item_address(self, asked: Asked, listed: ListedCopy) -> str:
        """Return the address of the page of an item, which knows its neighbours in the list.

        In the order of identifiers, the place of a file in the list is that of its item.
        """
        if asked.order is CopyOrder.IDENTIFIER:
            return item_address(self._root, listed.copy.identifier, filter_query(asked))
        return address_in_list(self._root, asked, listed)

    def _heading(self, asked: Asked, user: User, shown: Shown) -> str:
        """Return what the list is, with the number of its copies. Those of a single page need not be counted."""
        forms = getattr(self._pages.texts.review_headings, asked.verdict)
        is_whole = not (shown.has_previous or shown.has_next)
        count = len(shown.rows) if is_whole else self._listing.count(asked, user, _MOST_COUNTED)
        return str(forms[2]).format(n=number(_MOST_COUNTED)) if count > _MOST_COUNTED else counted(count, forms[:2])

    def _views(self, user: User) -> list[tuple[str, str]]:
        """Return the names and addresses of lists that are often needed."""
        texts = self._pages.texts.review_views
        by_rules = CopyFilter(decided_by=RULE)
        views = (
            (texts.waiting, Asked()),
            (texts.best, Asked(order=CopyOrder.SCORE)),
            (texts.by_rules, Asked("accept", by_rules, CopyOrder.DECIDED_AT)),
            (texts.low, Asked("accept", CopyFilter(most_score=_LOW), CopyOrder.SCORE)),
            (texts.rejected, Asked("reject", by_rules, CopyOrder.DECIDED_AT)),
            (texts.mine, Asked(ANY_VERDICT, CopyFilter(decided_by=user.name), CopyOrder.DECIDED_AT)),
        )
        return [(name, f"{self._root}/review?{query_of(asked)}".rstrip("?")) for name, asked in views]

    def _choices(self, user: User) -> dict[str, list[tuple[str, str]]]:
        """Return the values and names of the filters that are lists."""
        texts = self._pages.texts
        with self._store.view() as view:
            sources = [source.name for source in view.sources() if user.may_decide(source.name)]
        verdicts = [(verdict, getattr(texts.review_verdicts, verdict)) for verdict in (*VERDICTS, ANY_VERDICT)]
        return {
            "verdict": verdicts,
            "source": [(name, name) for name in sources],
            "colour": [
                *((colour.value, getattr(texts.review_colours, colour.value)) for colour in Colour),
                (UNKNOWN, texts.review_colours.none),
            ],
            "version": [
                *((name, getattr(texts.item.versions, name)) for name in VERSIONS),
                (UNKNOWN, texts.site.not_stated),
            ],
            "kind": [(kind.value, kind.value.replace("-", " ")) for kind in DocumentKind],
            "step": sorted(
                ((step, self._pages.step_name(step)) for step in self._discovery().steps_of_copies()),
                key=lambda step: step[1],
            ),
            "outcome": [(outcome.value, outcome.value.replace("-", " ")) for outcome in _OUTCOMES],
            "order": [(order.value, getattr(texts.review_orders, order.name.lower())) for order in CopyOrder],
        }


def _can_undo(row: Row, discovery: Discovery) -> bool:
    """Return whether a decision of a person can be taken back. After an undo, the decisions before it say so."""
    last = row.listed.decision
    if row.is_by_rule or not last.is_undoing:
        return not row.is_by_rule
    return can_undo(discovery.history(last.identifier, last.url))


def _next(base: str, asked: Asked, shown: Shown) -> str:
    if not shown.has_next:
        return ""
    return base + filter_query(asked, after=key_of(shown.last, asked.order))
