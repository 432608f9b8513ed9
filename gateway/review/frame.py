"""The frame of the pages of the review, and their answers: never cached, readable by no other site."""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path
from typing import Final

from flask import Response, request
from flask_wtf.csrf import generate_csrf

from gateway.pages.answers import HTML, see_other, unavailable
from gateway.pages.site import Site
from gateway.pages.templating import Pages
from gateway.review.data_answers import DATA, json_answer
from gateway.review.script import review_script
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
        """Take the site."""
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
