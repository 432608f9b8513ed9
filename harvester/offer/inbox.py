"""The inbox of a source (W3C Linked Data Notifications, 2017): sends announcements to it, or looks for its address.

Redirects are not followed.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Final, NamedTuple
from urllib.parse import urljoin

from coarnotify.client import COARNotifyClient
from coarnotify.core.notify import NotifyPattern
from coarnotify.exceptions import NotifyException

from gateway.core.errors import AddressRefused, ConfigurationError, GatewayError, TlsFailed
from gateway.core.model import OfferOutcome
from gateway.core.secret_arguments import without_secrets
from harvester.http.messages import Body, Fetch, Fetched, Request
from harvester.http.urls import clean
from harvester.runtime.interrupts import StopAsked, TimeIsOver

INBOX_RELATION: Final = "http://www.w3.org/ns/ldp#inbox"
_DEADLINE_SECONDS: Final = 30.0
_LONGEST_LOCATION: Final = 2_000
_LONGEST_PROBLEM: Final = 300
_LOCATION: Final = re.compile(r"https?://[!-~]+")
# Statuses of a client's error that another try may not get.
_PASSING: Final = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS)
_DONE: Final = {HTTPStatus.CREATED: OfferOutcome.CREATED, HTTPStatus.ACCEPTED: OfferOutcome.ACCEPTED}


class Answer(NamedTuple):
    """How an inbox answered. `location` is the address of the notification there, if the inbox gave a usable one."""

    outcome: OfferOutcome
    status: int = 0
    location: str = ""
    problem: str = ""


class _Head(Body):
    """Takes the body of an answer up to a limit, and keeps its status and headers even if the rest never comes."""

    head: Fetched | None = None

    def begin(self, answer: Fetched) -> bool:
        """Return whether the body is taken."""
        self.head = answer
        return super().begin(answer)


@dataclass(frozen=True, slots=True)
class _Response:
    """An answer as the library reads it."""

    fetched: Fetched

    @property
    def status_code(self) -> int:
        """The HTTP status."""
        return self.fetched.status

    def header(self, name: str) -> str | None:
        """Return a header, or None."""
        return self.fetched.header(name) or None


class _HttpLayer:
    """The HTTP layer of the library, over our own `fetch`: with address guard, pauses, limits and credentials."""

    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch
        self.answer: Fetched | None = None

    def post(self, url: str, data: str, headers: Mapping[str, str]) -> _Response:
        """Send a notification once, and return the answer, however its body ends. Raise the errors of `fetch`."""
        head = _Head()
        request = _bounded(Request(url, "", tuple(headers.items()), "POST", data.encode(), sink=head))
        self.answer = _answered(self._fetch, request, head)
        return _Response(self.answer)


def _answered(fetch: Fetch, request: Request, head: _Head) -> Fetched:
    """Return the answer; its status and headers are enough. Raise the errors of `fetch` if there are none."""
    try:
        return fetch(request)
    except (StopAsked, TimeIsOver):
        raise
    except GatewayError:
        if head.head is None:
            raise
        return head.head


def _bounded(request: Request) -> Request:
    """Return a request that is sent once, but for a connection that the inbox has closed meanwhile."""
    return replace(
        request, follows=False, patience=1, waits_seconds=0.0, deadline_seconds=_DEADLINE_SECONDS, may_be_refused=True
    )


def announce(fetch: Fetch, inbox: str, notification: NotifyPattern) -> Answer:
    """Send a notification to an inbox (LDN §3.2), and return how it answered; no answer is an outcome too.

    Raise AddressRefused, TlsFailed or ConfigurationError if no notification can be sent there.
    """
    layer = _HttpLayer(fetch)
    try:
        COARNotifyClient(inbox, layer).send(notification)
    except (NotifyException, ValueError) as error:
        if layer.answer is None:  # the library refuses it before it is sent
            return Answer(OfferOutcome.REFUSED, problem=f"The announcement is not valid: {_plain(str(error))}")
    except (AddressRefused, TlsFailed, ConfigurationError, StopAsked, TimeIsOver):
        raise
    except GatewayError as error:
        return Answer(OfferOutcome.RETRYING, problem=_plain(str(error)))
    assert layer.answer is not None
    return _outcome_of(layer.answer, inbox)


def _outcome_of(answer: Fetched, inbox: str) -> Answer:
    status = answer.status
    if status in _DONE:
        return Answer(_DONE[HTTPStatus(status)], status, _location(answer, inbox))
    is_passing = status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in _PASSING
    problem = f"The inbox answers with HTTP status {status}."
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        problem += " Redirects are not followed: write the address of the inbox into notify_inbox."
    return Answer(OfferOutcome.RETRYING if is_passing else OfferOutcome.REFUSED, status, problem=problem)


def _location(answer: Fetched, inbox: str) -> str:
    """Return the address in the Location header if it is a web address, without secrets; else an empty string."""
    try:
        location = urljoin(inbox, answer.location)
    except ValueError:
        return ""
    is_usable = answer.location and len(location) <= _LONGEST_LOCATION and _LOCATION.fullmatch(location)
    return without_secrets(_web_address(location)) if is_usable else ""


def _web_address(text: str) -> str:
    """Return a web address, legally quoted and without user and password; empty if it is none."""
    try:
        return clean(text)
    except AddressRefused:
        return ""


def _plain(text: str) -> str:
    return " ".join(without_secrets(text).split())[:_LONGEST_PROBLEM]


def find_inbox(fetch: Fetch, url: str) -> str:
    """Return the inbox that an address names in its Link header (LDN §3.1), or an empty string.

    A link of another anchor names the inbox of something else (RFC 8288 §3.2), and one that leads to no web address
    names none. Raise the errors of `fetch`.
    """
    head = _Head()
    answer = _answered(fetch, replace(Request(url, sink=head), deadline_seconds=_DEADLINE_SECONDS), head)
    own = (link for link in answer.links if link.rel == INBOX_RELATION and link.anchor in (url, answer.url))
    return next(filter(None, (_web_address(link.href) for link in own)), "")
