"""Who has signed in: a signed cookie has a random token, and the database says whose it is, and whether it is valid.

The database is asked at each request. So a session ends at once when the user signs out, is removed, or gets another
password, and a copied cookie is worth nothing then.
"""

import secrets
import time
from collections.abc import Callable
from hashlib import sha256
from typing import Final

from flask import Flask, Request, current_app, g, request, session
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface

from gateway.core.addresses import is_loopback
from gateway.core.model import Account, Deed, LogLine, User
from gateway.fulltext.log_completion import write_lines
from gateway.pages.site import Site
from gateway.review.throttle import network_of
from gateway.store.base import Users

PATH: Final = "/review"
_LONGEST_SECONDS: Final = 7 * 86_400  # as the database has it
_TOKEN: Final = "token"  # noqa: S105 - the name of the value in the cookie


def signed_in() -> User:
    """Return the user of this request. Only pages of the review may call it: others have no user."""
    user: User = g.review_user
    return user


def user_or_none() -> User | None:
    """Return the user of this request; None if nobody has signed in, as on the page to sign in."""
    user: User | None = g.get("review_user")
    return user


def configure(app: Flask, site: Site, key: bytes) -> None:
    """Let an application sign the cookie of the review with a key. Other addresses neither read nor set it."""
    is_secure = not is_loopback(site.url)
    app.secret_key = key
    app.session_interface = _Cookies()
    app.config.update(
        SESSION_COOKIE_NAME="__Secure-review" if is_secure else "review",
        SESSION_COOKIE_PATH=site.root + PATH,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=is_secure,
        PERMANENT_SESSION_LIFETIME=_LONGEST_SECONDS,
        WTF_CSRF_TIME_LIMIT=None,  # a form is valid as long as the session
    )


class _Cookies(SecureCookieSessionInterface):
    """The cookie of the review, which no other address reads."""

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        """Return the session of a request below `/review`; None for others."""
        is_ours = request.path == PATH or request.path.startswith(f"{PATH}/")
        return super().open_session(app, request) if is_ours else None


class Sessions:
    """The sessions of the review."""

    def __init__(self, users: Users, clock: Callable[[], float] = time.time) -> None:
        self._users = users
        self._clock = clock

    def find(self) -> User | None:
        """Find the user of this request, for `signed_in`; None if nobody has signed in, or the session is over."""
        token = session.get(_TOKEN)
        user = self._users.of_session(_digest(token), self.now) if isinstance(token, str) else None
        g.review_user = user
        return user

    @property
    def is_over(self) -> bool:
        """Whether the browser sent the cookie of a session that is not valid: ended, too old, or forged."""
        if user_or_none() is not None:
            return False
        return _TOKEN in session or (not session and current_app.config["SESSION_COOKIE_NAME"] in request.cookies)

    def begin(self, account: Account) -> bool:
        """Begin a session with a new token; False: the user was removed, or has another password now."""
        token = secrets.token_urlsafe(32)
        session.clear()  # nothing from before stays valid, not even a token of a form
        if not self._users.begin_session(_digest(token), account, self.line(Deed.SIGNED_IN, by=account.user.name)):
            return False
        session[_TOKEN] = token
        return True

    def end(self) -> None:
        """End the session of this request."""
        token = session.get(_TOKEN)
        session.clear()  # first: the browser forgets it even if the database cannot
        if isinstance(token, str):
            self._users.end_session(_digest(token), self.line(Deed.SIGNED_OUT, by=signed_in().name))

    def note(self, deed: Deed, about: str, at: int) -> None:
        """Write into the log what the user of this request has done in a second."""
        write_lines(self._users, [self.line(deed, about, by=signed_in().name)._replace(at=at)])

    def line(self, deed: Deed, about: str = "", *, by: str = "") -> LogLine:
        """Return a line of the log with the time and the network of this request."""
        return LogLine(self.now, by, deed, about, self.network)

    @property
    def network(self) -> str:
        """The network of this request; behind a trusted proxy that of the client (`serve_trusted_proxies`)."""
        return network_of(request.remote_addr or "")

    @property
    def now(self) -> int:
        """The second of the clock."""
        return int(self._clock())


def _digest(token: str) -> str:
    return sha256(token.encode("utf-8", "replace")).hexdigest()
