"""The frame of the pages of the review, and their answers: never cached, readable by no other site."""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path

from flask import Response
from flask_wtf.csrf import generate_csrf

from gateway.pages.answers import HTML, see_other
from gateway.pages.site import Site
from gateway.pages.templating import Pages
from gateway.review.script import review_script
from gateway.review.sessions import user_or_none

__all__ = ["ReviewPages", "page", "refused", "see_other"]

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


def refused(pages: Pages, status: int, sentence: str, hint: str = "") -> Response:
    """Return the page that says what is wrong with a request, and what to do."""
    return page(pages.render("refused.html", sentence=sentence, hint=hint), status)


def private(response: Response) -> Response:
    """Add the headers of the review to an answer."""
    response.headers["Cache-Control"] = "no-store"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers.setdefault("Content-Security-Policy", POLICY)
    return response
