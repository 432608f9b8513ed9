"""The announcement of a discovered file to its source: COAR Notify 1.0.1, Announce Service Result; and how it is sent.

The `context` is the work, the `object` the file. The same file of an item has always the same notification, with the
same `id`, so an inbox (W3C Linked Data Notifications, 2017) can recognize a repetition. Redirects are not followed.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Final, NamedTuple
from urllib.parse import urlencode, urljoin

from coarnotify import validate
from coarnotify.client import COARNotifyClient
from coarnotify.core.notify import NotifyActor, NotifyObject, NotifyPattern, NotifyService
from coarnotify.exceptions import NotifyException
from coarnotify.patterns import AnnounceServiceResult

from gateway.core.addresses import address, is_address
from gateway.core.errors import AddressRefused, ConfigurationError, GatewayError, TlsFailed
from gateway.core.model import FileLink, OfferOutcome, Work
from gateway.core.secret_arguments import without_secrets
from harvester.http.messages import Body, Fetch, Fetched, Request
from harvester.http.urls import clean
from harvester.offer.files import notification_id
from harvester.runtime.interrupts import StopAsked, TimeIsOver

# The vocabulary of versions of COAR, https://vocabularies.coar-repositories.org/version_types/.
_VERSIONS: Final = {
    "submitted": "http://purl.org/coar/version/c_71e4c1898caa6e32",
    "accepted": "http://purl.org/coar/version/c_ab4af688f83e57aa",
    "published": "http://purl.org/coar/version/c_970fb48d4fbd8a85",
}


class Sender(NamedTuple):
    """The repository that announces: its baseURL, its site, its name, and its own inbox (empty: it has none)."""

    base_url: str
    site_url: str
    name: str
    inbox: str = ""


class Receiver(NamedTuple):
    """The source: its address, and its inbox."""

    url: str
    inbox: str


def announcement(
    identifier: str, link: FileLink, work: Work, sender: Sender, receiver: Receiver
) -> AnnounceServiceResult:
    """Return the notification about a file of an item. Raise ConfigurationError if the sender has no baseURL.

    `work` is what the record says. `ietf:` and `sorg:` are prefixes of COAR Notify's own context.
    """
    if not sender.base_url:
        raise ConfigurationError("Announcements name this repository. Set base_url, which ends in /oai.")
    notification = AnnounceServiceResult()
    notification.id = notification_id(identifier, link.sha256)
    notification.actor = NotifyActor(
        {"id": sender.site_url, "type": "Service", "name": sender.name}, validate_stream_on_construct=False
    )
    notification.origin = _service(sender.base_url, sender.inbox)
    notification.target = _service(receiver.url, receiver.inbox)
    notification.context = _part(_context(identifier, work, sender))
    notification.object = _part(_object(identifier, link, sender))
    return notification


def _service(url: str, inbox: str) -> NotifyService:
    """Return a service. The library knows no host without a dot, such as those of a local network."""
    stream = {"id": url, "type": "Service", **({"inbox": inbox} if inbox else {})}
    return NotifyService(stream, validate_stream_on_construct=False, validate_properties=False)


def _part(stream: dict[str, object]) -> NotifyObject:
    return NotifyObject(stream, validate_stream_on_construct=False, validate_properties=False)


def _context(identifier: str, work: Work, sender: Sender) -> dict[str, object]:
    """Return the work: its page at the source, else the address of its DOI, else our record of it."""
    pages = (work.landing_page, *work.identifiers, work.upstream)
    page = next(filter(_is_valid, map(address, pages)), _record(identifier, sender, "oai_dc"))
    cited = next((uri for uri in work.identifiers if is_address(uri)), "")
    return {
        "id": page,
        "type": ["Page", "sorg:AboutPage"],
        **({"ietf:cite-as": cited} if cited else {}),
        "sorg:identifier": work.upstream,
    }


def _is_valid(url: str) -> bool:
    """Return whether the library takes a URL for the id of a context."""
    try:
        return bool(validate.url(None, url))
    except ValueError:
        return False


def _object(identifier: str, link: FileLink, sender: Sender) -> dict[str, object]:
    facts = {
        "sorg:sha256": link.sha256,
        "sorg:contentSize": "" if link.size is None else f"{link.size} B",
        "sorg:contentUrl": link.copy_url,
        "sorg:license": link.license,
        "sorg:creativeWorkStatus": _VERSIONS.get(link.version, link.version),
        "ietf:describedby": _record(identifier, sender, "oai_didl"),
        "summary": link.retracted,
    }
    known: dict[str, object] = {name: fact for name, fact in facts.items() if fact}
    return {"id": link.url, "type": ["Document", "sorg:MediaObject"], "mediaType": link.mime_type, **known}


def _record(identifier: str, sender: Sender, prefix: str) -> str:
    """Return the address of our record of an item (OAI-PMH 2.0 §4.1)."""
    arguments = {"verb": "GetRecord", "metadataPrefix": prefix, "identifier": identifier}
    return f"{sender.base_url}?{urlencode(arguments)}"


# --- the inbox ----------------------------------------------------------------------------------------------------

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
