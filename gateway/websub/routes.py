"""`/websub/TOKEN`: the addresses that hubs call. What they say is only marked; the harvester does what is due.

Each subscription has an address that nobody can guess. What is not signed with its secret is ignored, and answered
like anything else, so that nobody learns from the answer whether a signature was right.
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

_MOST_BYTES = 50_000_000  # what a document of the Sitemap protocol may have
_STEP = 1 << 16
_RETRY_AFTER_SECONDS = 60


def blueprint(subscriptions: Subscriptions, lease_seconds: int, clock: Callable[[], float] = time.time) -> Blueprint:
    """Return the face `/websub`: `lease_seconds` is what hubs are asked for."""
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
            log.warning("What the hub %s brings for %s is not signed by it.", subscription.hub, subscription.source)
        return _answer(HTTPStatus.ACCEPTED)

    face.register_error_handler(StoreError, _unavailable)
    return face


def _marked(subscriptions: Subscriptions, token: str, meant: Meant, now: int) -> Response:
    """Write down what a hub's question came to, and answer it."""
    if isinstance(meant, Denied):
        subscriptions.deny(token, meant.reason or "The hub gives no reason.")
        return _answer(HTTPStatus.OK)
    if isinstance(meant, Confirmed):
        subscriptions.confirm(token, meant.lease_seconds, now + meant.lease_seconds)
    else:
        subscriptions.ended(token)
    return _answer(HTTPStatus.OK, meant.challenge)


def _is_signed(subscription: Subscription, asked: Request) -> bool | None:
    """Tell whether a body is signed, reading it part by part; None: it is too long."""
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
    log.error("A hub was answered 503 because its subscription cannot be read or written: %s", error, exc_info=error)
    answer = _answer(HTTPStatus.SERVICE_UNAVAILABLE)
    answer.headers["Retry-After"] = str(_RETRY_AFTER_SECONDS)
    return answer
