"""`/websub/TOKEN`: the addresses that hubs call. A call is only noted in the database; the harvester then harvests.

Each subscription has an address that nobody can guess. A call without a valid signature is ignored, but gets the same
answer, so that nobody can test signatures (WebSub, 2018, §7.1).
"""

from __future__ import annotations

import hmac
import logging
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import NamedTuple, TypeAlias

from flask import Blueprint, Request, Response, request

from gateway.core.errors import StoreError
from gateway.core.model import Subscription, SubscriptionState
from gateway.store.base import Subscriptions

log = logging.getLogger("gateway.websub")

_MOST_BYTES = 50_000_000  # the limit of the Sitemap protocol for one document
_STEP = 1 << 16
_RETRY_AFTER_SECONDS = 60


def blueprint(subscriptions: Subscriptions, lease_seconds: int, clock: Callable[[], float] = time.time) -> Blueprint:
    """Return the Flask blueprint of `/websub`; `lease_seconds` is the requested lease, `clock` seconds since 1970."""
    blueprint = Blueprint("websub", __name__)

    @blueprint.get("/websub/<token>")
    def verify(token: str) -> Response:
        subscription = subscriptions.find(token)
        meant = intent(subscription, request.args, lease_seconds) if subscription else None
        return _answer(HTTPStatus.NOT_FOUND) if meant is None else _marked(subscriptions, token, meant, int(clock()))

    @blueprint.post("/websub/<token>")
    def notified(token: str) -> Response:
        subscription = subscriptions.find(token)
        if subscription is None:
            return _answer(HTTPStatus.NOT_FOUND)
        if subscription.state is not SubscriptionState.ACTIVE:
            return _answer(HTTPStatus.GONE)
        is_signed = _is_signed(subscription, request)
        if is_signed is None:
            return _answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        if is_signed:
            subscriptions.notify(token, int(clock()))
        else:
            log.warning(
                "A call for the source %s was ignored: it is not signed by the hub %s.",
                subscription.source,
                subscription.hub,
            )
        return _answer(HTTPStatus.ACCEPTED)

    blueprint.register_error_handler(StoreError, _unavailable)
    return blueprint


def _marked(subscriptions: Subscriptions, token: str, meant: Meant, now: int) -> Response:
    """Write the result of a hub's call, and answer it."""
    if isinstance(meant, Denied):
        subscriptions.deny(token, meant.reason or "The hub gives no reason.")
        return _answer(HTTPStatus.OK)
    if isinstance(meant, Confirmed):
        subscriptions.confirm(token, meant.lease_seconds, now + meant.lease_seconds)
    else:
        subscriptions.ended(token)
    return _answer(HTTPStatus.OK, meant.challenge)


def _is_signed(subscription: Subscription, asked: Request) -> bool | None:
    """Return whether a body is signed, reading it part by part; None if it is too long."""
    signature = Signature(asked.headers.get("X-Hub-Signature", ""), subscription.secret)
    room = _MOST_BYTES
    while part := asked.stream.read(_STEP):
        room -= len(part)
        if room < 0:
            return None
        signature.update(part)
    return signature.is_valid


def _answer(status: HTTPStatus, text: str = "") -> Response:
    headers = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}
    return Response(text, int(status), headers, content_type="text/plain; charset=UTF-8")


def _unavailable(error: StoreError) -> Response:
    log.error("/websub answered 503 because a subscription cannot be read or written: %s", error, exc_info=error)
    answer = _answer(HTTPStatus.SERVICE_UNAVAILABLE)
    answer.headers["Retry-After"] = str(_RETRY_AFTER_SECONDS)
    return answer


# --- Checks the signature of a hub's call (WebSub, W3C Recommendation 2018, §7.1). Pure ------------------------------

_METHODS = ("sha1", "sha256", "sha384", "sha512")


class Signature:
    """The signature in `X-Hub-Signature`, `method=hexadecimal`, compared with a body that is read part by part."""

    def __init__(self, header: str, secret: str) -> None:
        method, _, given = header.strip().partition("=")
        self._given = given.strip().lower()
        name = method.strip().lower()
        self._sum = hmac.new(secret.encode(), digestmod=name) if name in _METHODS else None

    def update(self, part: bytes) -> None:
        """Add the next bytes of the body."""
        if self._sum is not None:
            self._sum.update(part)

    @property
    def is_valid(self) -> bool:
        """Return whether the body is signed with the secret; the comparison takes constant time."""
        if self._sum is None:
            return False
        return hmac.compare_digest(self._sum.hexdigest().encode(), self._given.encode("utf-8", "replace"))


# --- Verification of intent ------------------------------------------------------------------------------------------

_LONGEST_CHALLENGE = 2000  # characters of a text that we send back
_LONGEST_REASON = 500
_LONGEST_LEASE = 10 * 366 * 86_400

_SUBSCRIBED = (SubscriptionState.ASKED, SubscriptionState.ACTIVE)
_OVER = (SubscriptionState.ENDING, SubscriptionState.ENDED)


class Confirmed(NamedTuple):
    """The subscription is ours: answer with `challenge`; the hub announces changes for `lease_seconds`."""

    challenge: str
    lease_seconds: int


class Ended(NamedTuple):
    """The end of the subscription is intended: answer with `challenge`."""

    challenge: str


class Denied(NamedTuple):
    """The hub denies the subscription (WebSub §5.2)."""

    reason: str


Meant: TypeAlias = Confirmed | Ended | Denied


def intent(subscription: Subscription, arguments: Mapping[str, str], lease_seconds: int) -> Meant | None:
    """Return the meaning of a hub's call by its arguments; None if it does not fit the subscription.

    `lease_seconds` is the requested lease; it is used if the hub names none or an impossible one.
    """
    mode, challenge = arguments.get("hub.mode", ""), arguments.get("hub.challenge", "")
    if arguments.get("hub.topic", "") != subscription.topic:
        return None
    if mode == "denied":
        return Denied(arguments.get("hub.reason", "")[:_LONGEST_REASON])
    if not 0 < len(challenge) <= _LONGEST_CHALLENGE:
        return None
    if mode == "subscribe" and subscription.state in _SUBSCRIBED:
        return Confirmed(challenge, _lease(arguments.get("hub.lease_seconds", "")) or lease_seconds)
    if mode == "unsubscribe" and subscription.state in _OVER:
        return Ended(challenge)
    return None


def _lease(text: str) -> int:
    """Return the seconds of a lease; 0 if the text is no number."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 12 else 0  # noqa: PLR2004 - a millennium
    return min(number, _LONGEST_LEASE)
