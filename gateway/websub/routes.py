"""`/websub/TOKEN`: the addresses that hubs call. A call is only noted in the database; the harvester then harvests.

Each subscription has an address that nobody can guess. A call without a valid signature is ignored, but gets the same
answer, so that nobody can test signatures (WebSub, 2018, §7.1).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from http import HTTPStatus

from flask import Blueprint, Request, Response, request

from gateway.errors import StoreError
from gateway.model import Subscription, SubscriptionState
from gateway.store.base import Subscriptions
from gateway.websub.intent import Confirmed, Denied, Meant, intent
from gateway.websub.signature import Signature

log = logging.getLogger("gateway.websub")

_MOST_BYTES = 50_000_000  # the limit of the Sitemap protocol for one document
_STEP = 1 << 16
_RETRY_AFTER_SECONDS = 60


def blueprint(subscriptions: Subscriptions, lease_seconds: int, clock: Callable[[], float] = time.time) -> Blueprint:
    """Return the Flask blueprint of `/websub`; `lease_seconds` is the requested lease, `clock` seconds since 1970."""
    face = Blueprint("websub", __name__)

    @face.get("/websub/<token>")
    def verify(token: str) -> Response:
        subscription = subscriptions.find(token)
        meant = intent(subscription, request.args, lease_seconds) if subscription else None
        return _answer(HTTPStatus.NOT_FOUND) if meant is None else _marked(subscriptions, token, meant, int(clock()))

    @face.post("/websub/<token>")
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

    face.register_error_handler(StoreError, _unavailable)
    return face


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
