"""The requests of a hub to its subscribers (WebSub, 2018, §5.3 and §7). Pure."""

import hmac
from hashlib import sha256
from typing import Final, NamedTuple
from urllib.parse import urlencode, urlsplit, urlunsplit

from gateway.core.model import HubDenial, HubMode, HubRequest, Subscriber
from harvester.http.messages import Body, Request

DEADLINE_SECONDS: Final = 15.0
_FIRST_WAIT_SECONDS: Final = 60
_LONGEST_WAIT_SECONDS: Final = 6 * 3_600
_MOST_DOUBLINGS: Final = 16


class Content(NamedTuple):
    """What is delivered of a topic: an empty body says that the subscriber must request the topic itself."""

    body: bytes
    content_type: str


def host_of(callback: str) -> str:
    """Return the host of a callback, for messages: the rest of it may be a secret."""
    return urlsplit(callback).hostname or "nowhere"


def verification(asked: HubRequest, challenge: str, body: Body) -> Request:
    """Return the request that verifies the intent of a subscriber (§5.3). The query of the callback is kept."""
    fields = {"hub.mode": asked.mode.value, "hub.topic": asked.topic, "hub.challenge": challenge}
    if asked.mode is HubMode.SUBSCRIBE:
        fields["hub.lease_seconds"] = str(asked.lease_seconds)
    return _with_fields(asked.callback, fields, body)


def _with_fields(callback: str, fields: dict[str, str], body: Body) -> Request:
    parts = urlsplit(callback)
    query = "&".join(filter(None, (parts.query, urlencode(fields))))
    return _bounded(Request(urlunsplit(parts._replace(query=query)), sink=body))


def denial(denied: HubDenial, body: Body) -> Request:
    """Return the request that informs a subscriber of the end of its subscription (§5.2)."""
    return _with_fields(
        denied.callback, {"hub.mode": "denied", "hub.topic": denied.topic, "hub.reason": denied.reason}, body
    )


def delivery(subscriber: Subscriber, content: Content, links: str, body: Body) -> Request:
    """Return the request that delivers a topic (§7), signed if the subscriber has a secret (§7.1)."""
    headers = [("Content-Type", content.content_type), ("Link", links)]
    if subscriber.secret:
        digest = hmac.new(subscriber.secret.encode(), content.body, sha256).hexdigest()
        headers.append(("X-Hub-Signature", f"sha256={digest}"))
    return _bounded(Request(subscriber.callback, "", tuple(headers), "POST", content.body, sink=body))


def is_success(status: int) -> bool:
    """Return whether a status means that the subscriber has accepted; a redirect does not (§7)."""
    return 200 <= status < 300  # noqa: PLR2004


def wait_after(failures: int) -> int:
    """Return the seconds to wait after so many failures in a row: a minute, doubled each time, at most six hours."""
    return min(_FIRST_WAIT_SECONDS << min(max(failures - 1, 0), _MOST_DOUBLINGS), _LONGEST_WAIT_SECONDS)


def _bounded(request: Request) -> Request:
    """Return a request that is sent once, but for a connection that the subscriber has closed meanwhile."""
    return Request(
        request.url,
        request.source,
        request.headers,
        request.method,
        request.body,
        sink=request.sink,
        follows=False,
        patience=1,
        waits_seconds=0.0,
        deadline_seconds=DEADLINE_SECONDS,
        may_be_refused=True,
    )
