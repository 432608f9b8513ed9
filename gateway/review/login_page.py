"""The pages `/review/login` and `/review/logout`.

An unknown name costs the same work as a known one, and gets the same answer.
"""

from http import HTTPStatus
from typing import Final

from flask import Response, request

from gateway.core.errors import StoreBusy
from gateway.core.model import Account, Deed
from gateway.core.xmltext import clean
from gateway.pages.templating import counted
from gateway.review.frame import ReviewPages, own_address, page, see_other
from gateway.review.passwords import NOBODY, is_password
from gateway.review.sessions import PATH, Sessions
from gateway.review.throttle import Throttle
from gateway.store.base import Users

_SHOWN: Final = 100  # characters of a wrong name
_MINUTE: Final = 60


class LoginPage:
    """The page to sign in."""

    def __init__(self, users: Users, sessions: Sessions, throttle: Throttle, pages: ReviewPages) -> None:
        self._users, self._sessions, self._throttle, self._pages = users, sessions, throttle, pages
        self._root = pages.site.root

    def form(self) -> Response:
        """Answer with the form; say so if a session is over."""
        return self._form(HTTPStatus.OK, self._pages.texts.review.over if self._sessions.is_over else "")

    def sign_in(self) -> Response:
        """Check name and password; begin a session and lead to the page that was asked for, or say what is wrong."""
        name = request.form.get("name", "")
        account = self._users.find(name)
        attempt = self._throttle.attempt(name, account, self._sessions.network, self._sessions.now)
        if attempt.wait:
            return self._wait(attempt.wait)
        try:
            is_right = is_password(request.form.get("password", ""), account.password if account else NOBODY)
        except StoreBusy:
            self._throttle.forgive(attempt)
            raise
        if account is None or not is_right or not self._sessions.begin(account):
            self._refuse(account, is_slowed=attempt.is_slowed)
            return self._form(HTTPStatus.FORBIDDEN, self._pages.texts.review.wrong)
        self._throttle.succeeded(attempt)
        return see_other(own_address(self._root, request.form.get("next", "")))

    def sign_out(self) -> Response:
        """End the session."""
        self._sessions.end()
        return see_other(f"{self._root}{PATH}/login")

    def _refuse(self, account: Account | None, *, is_slowed: bool) -> None:
        """Write a failure into the log. A name that no user has may be a password, so it is not written."""
        about = account.user.name if account else ""
        for deed in (Deed.REFUSED, *((Deed.SLOWED,) if is_slowed else ())):
            self._users.write_refusal(self._sessions.line(deed, about))

    def _wait(self, seconds: int) -> Response:
        minutes = -(-seconds // _MINUTE)
        response = self._form(HTTPStatus.TOO_MANY_REQUESTS, counted(minutes, self._pages.texts.review.wait))
        response.headers["Retry-After"] = str(seconds)
        return response

    def _form(self, status: int, sentence: str) -> Response:
        following = own_address(self._root, request.values.get("next", ""))
        name = clean(request.form.get("name", "")[:_SHOWN])
        return page(self._pages.render("login.html", sentence=sentence, name=name, next=following), status)
