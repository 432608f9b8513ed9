"""The frame of the pages of the review, and their answers: never cached, readable by no other site."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from flask import Response, request
from flask_wtf.csrf import generate_csrf

from gateway.core.model import ListedCopy
from gateway.core.normal_forms import CSV_TYPE, as_csv
from gateway.pages.answers import HTML, see_other, unavailable
from gateway.pages.item_places import in_path, in_query, is_plain, merged
from gateway.pages.site import Asset, Site, named
from gateway.pages.templating import Pages
from gateway.review.list_arguments import Asked, query_of
from gateway.review.sessions import user_or_none

__all__ = ["ReviewPages", "failed", "page", "private", "refused", "see_other", "wants_data"]

_OF_ITEMS: Final = "/review/items/"

# As the policy of all pages; our script may also send the forms.
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


class ReviewPages(Pages):
    """The templates of the review. In each of them are `user`, and `csrf_token` for the hidden field of forms."""

    def __init__(self, site: Site) -> None:
        super().__init__(site, Path(__file__).parent / "templates")
        self._script = review_script().name

    def render(self, template: str, **values: object) -> str:
        """Return the HTML of a page. Raise an error of Jinja if a value is missing."""
        shared = {"user": user_or_none(), "csrf_token": generate_csrf, "tab": "", "script": self._script}
        return super().render(template, **shared | values)


def page(body: str, status: int = HTTPStatus.OK) -> Response:
    """Return the answer with a page. What all answers of the review have in common is added later (`private`)."""
    return Response(body.encode("utf-8", "replace"), status, content_type=HTML)


def wants_data() -> bool:
    """Return whether a request is for data, so that its refusal is data too.

    An identifier may end like the name of a file with data; browsers say that they want a page.
    """
    if request.args.get("format") in ("json", "csv"):
        return True
    is_page = request.path.startswith(_OF_ITEMS) and "text/html" in request.accept_mimetypes.values()
    return request.path.endswith(DATA) and not is_page


def refused(pages: Pages, status: int, sentence: str, hint: str = "", back: str = "") -> Response:
    """Return the page that says what is wrong with a request, and what to do; or the same as data.

    The page leads to the address `back`; without one, to the list.
    """
    if wants_data():
        error = " ".join(f"{text.rstrip('.')}." for text in (sentence, hint) if text)
        return json_answer({"error": error}, status=status)
    return page(pages.render("refused.html", sentence=sentence, hint=hint, back=back), status)


def failed(pages: Pages, error: Exception) -> Response:
    """Return the page that says that a database fails (503), or the same as data, and log why."""
    response = unavailable(pages, error)
    if wants_data():
        texts = pages.texts.errors
        response.set_data(json_answer({"error": f"{texts.busy}. {texts.busy_hint}"}).get_data())
        response.content_type = "application/json"
    return response


def private(response: Response) -> Response:
    """Add the headers of the review to an answer."""
    response.headers["Cache-Control"] = "no-store"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers.setdefault("Content-Security-Policy", POLICY)
    return response


# --- Answers of the review for programs: JSON, and CSV in which no cell is a formula. A Link header leads on ---------

DATA: Final = (".json", ".csv")  # the endings of the addresses of data


def json_answer(document: object, following: str = "", *, status: int = HTTPStatus.OK) -> Response:
    """Return the answer with a document; `following` is the address of its next page."""
    body = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    return _linked(Response(body.encode("utf-8", "replace"), status, content_type="application/json"), following)


def list_answer(
    name: str, columns: Sequence[str], rows: Iterable[Mapping[str, object]], following: str, **facts: object
) -> Response:
    """Return a page of a list in the form that the address ends in; `facts` stand before the list in JSON.

    `following` is the address of the next page; empty: there is none.
    """
    if form_asked() == "csv":
        return csv_answer(name, columns, rows, following)
    return json_answer({"next": following or None, **facts, name: list(rows)}, following)


def form_asked() -> str:
    """Return the form of the data that the address of this request ends in: `json` or `csv`."""
    return request.path.rpartition(".")[2]


def csv_answer(
    name: str, columns: Sequence[str], rows: Iterable[Mapping[str, object]], following: str = ""
) -> Response:
    """Return the answer with a table, which a browser saves as a file with this name."""
    response = Response(as_csv(columns, rows).encode("utf-8", "replace"), content_type=CSV_TYPE)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return _linked(response, following)


def _linked(response: Response, following: str) -> Response:
    if following:
        response.headers["Link"] = f'<{following}>; rel="next"'
    return response


# --- The one script of ours: the keys of the review ------------------------------------------------------------------


def review_script() -> Asset:
    """Return the script; its name changes with its contents."""
    content = Path(__file__).with_name("review.js").read_bytes()
    return named("review", "js", content, "text/javascript; charset=UTF-8")


# --- Numbers of decisions, as forms and addresses have them. Pure ----------------------------------------------------

_MOST_DIGITS = 15


def number_in(text: str) -> int:
    """Return the number of a decision in a text; 0 if it is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else 0


def numbers_in(texts: Iterable[str], most: int) -> tuple[int, ...]:
    """Return the numbers in texts, without repetitions, in their order; at most `most`."""
    numbers = (number_in(word) for text in texts for word in text.split())
    return tuple(dict.fromkeys(filter(None, numbers)))[:most]


# --- The address of the page of an item in the review. Pure ----------------------------------------------------------


def item_address(root: str, identifier: str, query: str = "") -> str:
    """Return the path of the page of an item, with the arguments of the list that it is opened from.

    An identifier that a browser or a proxy would change on the way stands in the query, and so does one with controls.
    """
    folder = f"{root}/review/items/"
    if identifier.isprintable() and is_plain(identifier) and merged(identifier) == identifier:
        return folder + in_path(identifier) + (f"?{query}" if query else "")
    return f"{folder}?identifier={in_query(identifier)}" + (f"&{query}" if query else "")


def address_in_list(root: str, asked: Asked, listed: ListedCopy) -> str:
    """Return the path of the page of the item of a copy in a list; the page knows its neighbours in this list."""
    query = query_of(asked._replace(after=listed, before=None))
    return item_address(root, listed.copy.identifier, query)


# --- Addresses of the review that a form or an address names: only our own are followed. Pure ------------------------

PATH: Final = "/review"
_OWN: Final = re.compile(r"/review(?:[/?][!-\[\]-~]{0,8000})?")  # visible ASCII without a backslash


def own_address(root: str, address: str) -> str:
    """Return an address of the review as it is; that of the first page for any other."""
    path = address.removeprefix(root) if address.startswith(f"{root}{PATH}") else ""
    is_own = _OWN.fullmatch(path) and is_plain(unquote(path.partition("?")[0])) and not path.startswith(f"{PATH}/login")
    return address if is_own else f"{root}{PATH}"
