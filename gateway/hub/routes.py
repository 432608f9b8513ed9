"""`/hub`: requests of subscribers (WebSub, 2018, §5.1). They are stored, and `harvester tend` verifies them.

The gateway itself never calls a callback. The answers at topics name the hub in their Link header (§4).
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Collection
from http import HTTPStatus
from typing import Final, NamedTuple
from urllib.parse import parse_qsl

from flask import Blueprint, Response, request

from gateway.core.address_rules import Allowed
from gateway.core.errors import StoreError
from gateway.core.model import HubMode, HubRequest
from gateway.hub.topics import Topic, Topics, network_of, refusal
from gateway.resourcesync.periods import OPEN
from gateway.store.base import Store, Subscribers, View

log = logging.getLogger("gateway.hub")

_FORM: Final = "application/x-www-form-urlencoded"
_RETRY_AFTER_SECONDS: Final = 60
_FULL_SECONDS: Final = 3_600


class Bounds(NamedTuple):
    """What the hub accepts: the usual lease in seconds, how many subscriptions, and of one network.

    `own` are addresses of this site, `allow` the private hosts that callbacks may have.
    """

    lease_seconds: int
    most: int
    most_of_network: int
    own: Collection[str]
    allow: Allowed = Allowed()


def blueprint(
    store: Store, subscribers: Subscribers, topics: Topics, bounds: Bounds, clock: Callable[[], float] = time.time
) -> Blueprint:
    """Return the Flask blueprint of `/hub`; `clock` returns seconds since 1970."""
    blueprint = Blueprint("hub", __name__)
    blueprint.add_url_rule("/hub", "hub", _Hub(store, subscribers, topics, bounds, clock).asked, methods=["POST"])

    @blueprint.after_app_request
    def announced(response: Response) -> Response:
        """Add the links to the hub to the answer at a topic."""
        topic = _topic_of_request(topics) if response.status_code in (HTTPStatus.OK, HTTPStatus.NOT_MODIFIED) else None
        if topic is not None and _has(store, topic):
            response.headers["Link"] = topics.links(topic)
        return response

    blueprint.register_error_handler(StoreError, _unavailable)
    return blueprint


class _Hub:
    """Answers to subscribers."""

    def __init__(
        self, store: Store, subscribers: Subscribers, topics: Topics, bounds: Bounds, clock: Callable[[], float]
    ) -> None:
        self._store, self._subscribers, self._topics = store, subscribers, topics
        self._bounds, self._clock = bounds, clock

    def asked(self) -> Response:
        """Answer a request to subscribe or unsubscribe: 202 if it is stored, else what is wrong with it."""
        if request.mimetype not in ("", _FORM):
            return _answer(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"The Content-Type must be {_FORM}.")
        body = request.stream.read(MOST_BYTES + 1)
        if len(body) > MOST_BYTES:
            return _answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The form is longer than {MOST_BYTES} bytes.")
        form = read(body, self._bounds.lease_seconds)
        sentence = form if isinstance(form, str) else refusal(form.callback, self._bounds.own, self._bounds.allow)
        if isinstance(form, str) or sentence:
            return _answer(HTTPStatus.BAD_REQUEST, sentence)
        return self._read(form)

    def _read(self, form: Form) -> Response:
        topic = self._topics.named(form.topic)
        with self._store.view() as view:
            horizon = view.horizon
            if topic is None or not exists(view, topic):
                return _answer(HTTPStatus.NOT_FOUND, "hub.topic is no topic of this hub.")
        network = network_of(request.remote_addr or "")
        asked = HubRequest(*form, network, int(self._clock()), horizon)
        if self._subscribers.store_request(asked, self._bounds.most, self._bounds.most_of_network):
            return _answer(HTTPStatus.ACCEPTED)
        answer = _answer(HTTPStatus.TOO_MANY_REQUESTS, "There are too many subscriptions. Try again later.")
        answer.headers["Retry-After"] = str(_FULL_SECONDS)
        return answer


def exists(view: View, topic: Topic) -> bool:
    """Return whether the format and the set of a topic exist."""
    has_format = any(known.metadata_prefix == topic.metadata_prefix for known in view.formats())
    return has_format and (topic.set_spec is None or view.has_set(topic.set_spec))


def _has(store: Store, topic: Topic) -> bool:
    try:
        with store.view() as view:
            return exists(view, topic)
    except StoreError:  # the answer itself is made already
        return False


def _topic_of_request(topics: Topics) -> Topic | None:
    values = request.view_args or {}
    if request.endpoint == "resourcesync.change_list" and values.get("period") == OPEN:
        return topics.of_change_list(values["prefix"], values["spec"])
    if request.endpoint == "oaipmh.oai" and request.method in ("GET", "HEAD"):
        return topics.of_list_records(request.query_string)
    return None


def _answer(status: HTTPStatus, sentence: str = "") -> Response:
    headers = {"Cache-Control": "no-store"}
    return Response(f"{sentence}\n" if sentence else "", int(status), headers, content_type="text/plain; charset=UTF-8")


def _unavailable(error: StoreError) -> Response:
    log.error("/hub answered 503 because a subscription cannot be stored: %s", error, exc_info=error)
    answer = _answer(HTTPStatus.SERVICE_UNAVAILABLE, "The hub cannot answer now. Try again later.")
    answer.headers["Retry-After"] = str(_RETRY_AFTER_SECONDS)
    return answer


# --- Reads the form of a subscriber (WebSub, 2018, §5.1). Pure -------------------------------------------------------

MOST_BYTES: Final = 16_384  # of a form
LEAST_LEASE: Final = 300
MOST_LEASE: Final = 30 * 86_400
_MOST_FIELDS: Final = 100
_MOST_SECRET: Final = 200  # bytes; a secret must be shorter
_MOST_DIGITS: Final = 12
_OURS: Final = ("hub.callback", "hub.mode", "hub.topic", "hub.lease_seconds", "hub.secret")


class Form(NamedTuple):
    """What a subscriber asks for. `lease_seconds` is within our bounds; an empty secret: no signatures."""

    callback: str
    topic: str
    mode: HubMode
    secret: str
    lease_seconds: int


def read(body: bytes, lease_seconds: int) -> Form | str:
    """Return the form in a body, or a sentence that says what is wrong.

    `lease_seconds` is the lease if the subscriber names none. Fields that WebSub does not know are ignored.
    """
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict")
    except ValueError:
        return f"The body is no form in UTF-8, percent-encoded, of at most {_MOST_FIELDS} fields."
    counts = Counter(name for name, _ in pairs)
    if repeated := [name for name in _OURS if counts[name] > 1]:
        return f"{repeated[0]} is repeated."
    given = dict(pairs)
    secret = given.get("hub.secret", "")
    if given.get("hub.mode") not in tuple(HubMode):
        return "hub.mode must be subscribe or unsubscribe."
    if len(secret.encode()) >= _MOST_SECRET:
        return f"hub.secret must have less than {_MOST_SECRET} bytes."
    lease = _lease(given.get("hub.lease_seconds", ""), lease_seconds)
    if lease is None:
        return "hub.lease_seconds must be a positive number."
    return Form(given.get("hub.callback", ""), given.get("hub.topic", ""), HubMode(given["hub.mode"]), secret, lease)


def _lease(text: str, usual: int) -> int | None:
    """Return the lease within our bounds; None if the text is no positive number."""
    if not text:
        return usual
    if not (text.isascii() and text.isdigit()) or len(text) > _MOST_DIGITS or not int(text):
        return None
    return min(max(int(text), LEAST_LEASE), MOST_LEASE)
