"""The addresses below `/review`. Without a user there are none: they are answered as any unknown address."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import Final, NamedTuple

from flask import Blueprint, Response, abort, g, request
from flask_wtf.csrf import validate_csrf
from werkzeug.exceptions import MethodNotAllowed, RequestEntityTooLarge

from gateway.core.errors import QueryRefused, StoreBusy, StoreError
from gateway.core.model import Account, Decision, Deed
from gateway.core.settings import Settings, place_of_copy
from gateway.core.xmltext import clean
from gateway.fulltext.deciding import Decide, Decided, Note
from gateway.fulltext.log_completion import line_of, write_lines
from gateway.pages.item_places import in_path, in_query
from gateway.pages.site import Site
from gateway.pages.templating import counted
from gateway.review.copies_page import CopiesPage
from gateway.review.decide_page import DecidePage
from gateway.review.decisions_page import DecisionsPage
from gateway.review.frame import (
    ReviewPages,
    failed,
    json_answer,
    own_address,
    page,
    private,
    refused,
    see_other,
    wants_data,
)
from gateway.review.item_page import ItemPage
from gateway.review.item_view import Describe
from gateway.review.listing import Listing
from gateway.review.sample_page import SamplePage
from gateway.review.sessions import PATH, Sessions
from gateway.review.takedown_pages import TakedownPages
from gateway.review.throttle import Throttle
from gateway.review.users import NOBODY, is_password
from gateway.store.base import Discovery, Inbox, Store, Users
from gateway.takedowns.plans import Withdrawals

MOST_BYTES: Final = 300_000  # of a form: some thousand rows of a list
# The endpoints for those who have not signed in, or whose browser does not say so.
_OPEN: Final = ("review.login", "review.sign_in", "review.list_as_json", "review.list_as_csv")
_METHODS: Final = frozenset(("GET", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"))
_SAFE: Final = ("GET", "HEAD", "OPTIONS")


class Parts(NamedTuple):
    """What the review is made of. It is handed everything, and opens nothing itself.

    `inbox` is None if it cannot be read. `open_discovery` returns the searches. `decide` writes decisions and publishes
    them; pages get one that also writes into the log (`noted`). `describe` reads a published record.
    """

    site: Site
    settings: Settings
    store: Store
    inbox: Inbox | None
    open_discovery: Callable[[], Discovery]
    decide: Decide
    users: Users
    sessions: Sessions
    describe: Describe
    throttle: Throttle
    withdrawals: Withdrawals


def blueprint(parts: Parts) -> Blueprint:
    """Return the Flask blueprint of the review."""
    blueprint = Blueprint("review", __name__)
    pages = ReviewPages(parts.site)
    addresses = _addresses(parts, pages)
    for address, endpoint, answers, method in addresses:
        blueprint.add_url_rule(address, endpoint, answers, methods=[method], provide_automatic_options=False)

    def unknown(**_: str) -> Response:
        return refused(pages, HTTPStatus.NOT_FOUND, pages.texts.errors.no_page)

    # Everything else is the same unknown address, whatever the method.
    for address in {PATH, f"{PATH}/", f"{PATH}/<path:rest>", *(address for address, *_ in addresses)}:
        others = _METHODS - {method for path, _, _, method in addresses if path == address}
        blueprint.add_url_rule(address, "unknown", unknown, methods=others, provide_automatic_options=False)
    blueprint.before_request(lambda: _admit(parts, pages))
    blueprint.before_app_request(lambda: _hide(parts.users))
    blueprint.after_request(lambda response: private(response) if is_private() else response)
    blueprint.register_error_handler(StoreError, lambda error: failed(pages, error))
    blueprint.register_error_handler(QueryRefused, lambda error: _bad_query(pages, error))
    blueprint.register_error_handler(RequestEntityTooLarge, lambda _error: _too_large(pages))
    return blueprint


def _addresses(parts: Parts, pages: ReviewPages) -> tuple[tuple[str, str, Callable[..., Response], str], ...]:
    """Return the table of addresses: the path, the name of the endpoint, what answers, and the method."""
    login = LoginPage(parts.users, parts.sessions, parts.throttle, pages)
    decide, open_discovery, store = noted(parts), parts.open_discovery, parts.store
    instance = parts.settings.instance
    listing = Listing(store, open_discovery)

    def has_copy(digest: str) -> bool:
        return place_of_copy(instance, digest).is_file()

    copies = CopiesPage(listing, open_discovery, store, pages, instance)
    deciding = DecidePage(listing, open_discovery, decide, pages)
    decisions = DecisionsPage(open_discovery, store, pages)
    items = ItemPage(store, parts.inbox, open_discovery, parts.describe, has_copy, pages)
    score = parts.settings.share("review_accept_score")
    sample = SamplePage(store, open_discovery, decide, parts.describe, has_copy, pages, score)
    takedowns = TakedownPages(store, parts.withdrawals, parts.describe, parts.sessions, pages)
    return (
        ("/review/login", "login", login.form, "GET"),
        ("/review/login", "sign_in", login.sign_in, "POST"),
        ("/review/logout", "sign_out", login.sign_out, "POST"),
        ("/review", "copies", copies.html, "GET"),
        ("/review.json", "list_as_json", copies.to_data, "GET"),
        ("/review.csv", "list_as_csv", copies.to_data, "GET"),
        ("/review/copies.json", "copies_as_json", copies.data, "GET"),
        ("/review/copies.csv", "copies_as_csv", copies.data, "GET"),
        ("/review/copies/<digest>", "copy", copies.copy, "GET"),
        ("/review/items/", "item_by_query", items.item, "GET"),
        ("/review/items/<path:tail>", "item", items.item, "GET"),
        ("/review/sample", "sample", sample.form, "GET"),
        ("/review/sample", "judge", sample.judge, "POST"),
        ("/review/precision", "precision", sample.precision, "GET"),
        ("/review/precision.json", "precision_as_json", sample.precision_data, "GET"),
        ("/review/precision.csv", "precision_as_csv", sample.precision_data, "GET"),
        ("/review/decide", "decide", deciding.answer, "POST"),
        ("/review/takedowns", "takedowns", takedowns.html, "GET"),
        ("/review/takedowns.json", "takedowns_as_json", takedowns.data, "GET"),
        ("/review/takedowns.csv", "takedowns_as_csv", takedowns.data, "GET"),
        ("/review/takedowns", "take_down", takedowns.add, "POST"),
        ("/review/takedowns/new", "new_takedown", takedowns.new, "GET"),
        ("/review/batch", "batch", deciding.preview, "GET"),
        ("/review/batch", "decide_batch", deciding.decide, "POST"),
        ("/review/decisions", "decisions", decisions.html, "GET"),
        ("/review/decisions.json", "decisions_as_json", decisions.data, "GET"),
        ("/review/decisions.csv", "decisions_as_csv", decisions.data, "GET"),
    )


def noted(parts: Parts) -> Decide:
    """Return the function that decides, and writes into the log what the user of the request has decided."""

    def write(written: Sequence[Decision]) -> None:
        write_lines(parts.users, [line_of(decision, parts.sessions.network) for decision in written])

    def decide(*decisions: Decision, note: Note = write) -> Decided:
        return parts.decide(*decisions, note=note)

    return decide


def is_private() -> bool:
    """Return whether this request is one of the review, so that no other site may read the answer."""
    return bool(g.get("is_private", False))


def _hide(users: Users) -> None:
    """Answer as at any unknown address if there is no user, also for methods that no address has."""
    is_ours = request.path == PATH or request.path.startswith(f"{PATH}/")
    if is_ours and isinstance(request.routing_exception, MethodNotAllowed):
        with suppress(StoreError):  # there is a file of users, and no method to ask more
            if not users.any():
                abort(HTTPStatus.NOT_FOUND)


def _admit(parts: Parts, pages: ReviewPages) -> Response | None:
    """Return None if the request may be answered, else the answer that refuses it."""
    if not parts.users.any():
        abort(HTTPStatus.NOT_FOUND)
    g.is_private = True
    request.max_content_length = MOST_BYTES
    if parts.sessions.find() is None and request.endpoint not in _OPEN:
        return _to_login(pages, is_over=parts.sessions.is_over)
    if request.method not in _SAFE:
        return _check_form(pages)
    return None


def _to_login(pages: ReviewPages, *, is_over: bool) -> Response:
    if wants_data() and "text/html" not in request.accept_mimetypes.values():  # a browser leads to the form
        sentence = pages.texts.review.over if is_over else pages.texts.review.sign_in_first
        response = json_answer({"error": sentence}, status=HTTPStatus.UNAUTHORIZED)
        response.headers["WWW-Authenticate"] = "Cookie"
        return response
    root = pages.site.root
    if request.method not in _SAFE:
        return see_other(f"{root}{PATH}/login")
    query = request.query_string.decode("latin-1")
    asked = root + in_path(request.path) + (f"?{query}" if query else "")
    return see_other(f"{root}{PATH}/login?next={in_query(asked)}")


def _check_form(pages: ReviewPages) -> Response | None:
    """Return None if a form is one of our pages, sent from one of our pages."""
    try:
        validate_csrf(request.form.get("csrf_token", ""))
    except ValueError:  # that of wtforms
        is_ours = False
    else:
        is_ours = request.headers.get("Sec-Fetch-Site", "same-origin") in ("same-origin", "none")
    texts = pages.texts.review
    if is_ours:
        return None
    back = own_address(pages.site.root, request.form.get("next", ""))
    return refused(pages, HTTPStatus.BAD_REQUEST, texts.foreign_form, texts.foreign_form_hint, back)


def _bad_query(pages: ReviewPages, error: QueryRefused) -> Response:
    if wants_data():
        return json_answer({"error": str(error)}, status=HTTPStatus.BAD_REQUEST)
    is_batch = request.path == f"{PATH}/batch"
    back = own_address(pages.site.root, request.args.get("next", "") if is_batch else pages.site.root + request.path)
    return refused(pages, HTTPStatus.BAD_REQUEST, pages.texts.review_list.bad_filter, str(error), back)


def _too_large(pages: ReviewPages) -> Response:
    texts = pages.texts.review
    return refused(pages, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, texts.too_large, texts.too_large_hint)


# --- Signing in: an unknown name costs the same work as a known one, and gets the same answer --------

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
