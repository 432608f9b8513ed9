"""`/review/login` and `/review/logout`."""

from __future__ import annotations

from http import HTTPStatus

from flask import Response, request

from gateway.passwords import NOBODY, is_password
from gateway.review.frame import ReviewPages, page, see_other
from gateway.review.own_address import own_address
from gateway.review.sessions import PATH, Sessions
from gateway.store.base import Users
from gateway.xmltext import clean


class LoginPage:
    """The page to sign in."""

    def __init__(self, users: Users, sessions: Sessions, pages: ReviewPages) -> None:
        """Take the users, their sessions and the templates."""
        self._users, self._sessions, self._pages = users, sessions, pages
        self._root = pages.site.root

    def form(self) -> Response:
        """Answer with the form."""
        return self._form(HTTPStatus.OK, "")

    def sign_in(self) -> Response:
        """Check name and password; begin a session and lead to the page that was asked for, or say what is wrong."""
        account = self._users.find(request.form.get("name", ""))
        is_right = is_password(request.form.get("password", ""), account.password if account else NOBODY)
        if account is None or not is_right or not self._sessions.begin(account):
            return self._form(HTTPStatus.FORBIDDEN, self._pages.texts.review.wrong)
        return see_other(own_address(self._root, request.form.get("next", "")))

    def sign_out(self) -> Response:
        """End the session."""
        self._sessions.end()
        return see_other(f"{self._root}{PATH}/login")

    def _form(self, status: int, sentence: str) -> Response:
        following = own_address(self._root, request.values.get("next", ""))
        name = clean(request.form.get("name", "")[:100])
        return page(self._pages.render("login.html", sentence=sentence, name=name, next=following), status)
