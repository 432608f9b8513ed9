"""One address, followed by hand: every hop is judged before it is taken, and how it ended has a name.

Whoever gives `fetch` sees to robots.txt, pauses and addresses that nobody may reach; here is only what answers mean.
"""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urljoin

from gateway.errors import (
    AddressRefused,
    AddressTakenDown,
    AnswerTooLarge,
    AnswerTooSlow,
    FetchError,
    GatewayError,
    NameUnknown,
    RobotsDenied,
    TlsFailed,
    TryLater,
)
from gateway.model import Outcome
from harvester.verification.bytes import HTML, PDF, mime_type
from harvester.wire import landing_page
from harvester.wire.http import Fetch, Fetched, Request
from harvester.wire.landing_page import Page, obstacle
from harvester.wire.urls import host_of, site_of, split

MOST_HOPS = 8
_LONGEST = 4096  # characters of an address
_MOST_SAME = 2
_MOST_HTML_BYTES = 5_000_000
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_ACCEPT = "application/pdf, text/html;q=0.9, application/xhtml+xml;q=0.9, */*;q=0.5"
# Where it led back to: with the cookies that were given on the way the answer is another one.
_ANEW = (("Cache-Control", "no-cache"),)

_STATUSES = {
    401: Outcome.FORBIDDEN,
    402: Outcome.FORBIDDEN,
    403: Outcome.FORBIDDEN,
    404: Outcome.NOT_FOUND,
    410: Outcome.GONE,
    429: Outcome.RATE_LIMITED,
    451: Outcome.FORBIDDEN,
}
# From the closest to the widest: the first that an error is.
_ERRORS: tuple[tuple[type[GatewayError], Outcome], ...] = (
    (AddressTakenDown, Outcome.TAKEN_DOWN),
    (RobotsDenied, Outcome.ROBOTS_DENIED),
    (AddressRefused, Outcome.PRIVATE_ADDRESS),
    (NameUnknown, Outcome.DNS_ERROR),
    (TlsFailed, Outcome.TLS_ERROR),
    (AnswerTooSlow, Outcome.TIMEOUT),
    (AnswerTooLarge, Outcome.BODY_TOO_LARGE),
    (TryLater, Outcome.RATE_LIMITED),
    (FetchError, Outcome.BAD_STATUS),
    (GatewayError, Outcome.BAD_STATUS),
)

# Sites whose copies are not for others to take, or that let no machine in: nothing of them is asked.
SKIPPED = frozenset(("researchgate.net", "academia.edu", "sci-hub.se", "scribd.com", "ssrn.com"))


class Visit(NamedTuple):
    """What came of an address. `outcome` is SUCCESS when there are bytes of something."""

    outcome: Outcome
    url: str
    hops: tuple[str, ...] = ()
    fetched: Fetched | None = None
    mime_type: str = ""
    page: Page | None = None


def outcome_of(error: GatewayError) -> Outcome:
    """Return the outcome that an error means."""
    return next(outcome for kind, outcome in _ERRORS if isinstance(error, kind))


def visit(url: str, fetch: Fetch, accept: str = _ACCEPT) -> Visit:
    """Follow an address to what it leads to, at most eight hops away; a page that refreshes itself is a hop.

    Who gives a cookie and then leads in a circle nevertheless is a wall of cookies.
    """
    hops: list[str] = []
    has_cookie = False
    while True:
        refused = _refused(url, hops)
        if refused is not None:
            is_wall = has_cookie and refused is Outcome.REDIRECT_LOOP
            return Visit(Outcome.BLOCKED_COOKIE if is_wall else refused, url, tuple(hops))
        try:
            fetched = fetch(Request(url, headers=(("Accept", accept), *_ANEW * (url in hops)), follows=False))
        except GatewayError as error:
            return Visit(outcome_of(error), url, tuple(hops))
        has_cookie = has_cookie or bool(fetched.header("Set-Cookie"))
        arrived = _arrived(fetched, url, tuple(hops))
        following = _following(arrived)
        if not following:
            return arrived
        hops.append(url)
        url = following


def _refused(url: str, hops: list[str]) -> Outcome | None:
    """Return why an address is not asked, or None."""
    if not host_of(url) or split(url).scheme not in ("http", "https") or len(url) > _LONGEST:
        return Outcome.BAD_SCHEME
    if site_of(url) in SKIPPED:
        return Outcome.SKIP_HOST
    if hops.count(url) >= _MOST_SAME:
        return Outcome.REDIRECT_LOOP
    return Outcome.TOO_MANY_REDIRECTS if len(hops) >= MOST_HOPS else obstacle(url, "")


def _arrived(fetched: Fetched, url: str, hops: tuple[str, ...]) -> Visit:
    kind = mime_type(fetched.body)
    found = Visit(Outcome.SUCCESS, url, hops, fetched, kind)
    if fetched.status in _REDIRECTS and fetched.location:
        return found
    is_page = kind == HTML and len(fetched.body) <= _MOST_HTML_BYTES
    page = landing_page.read(fetched.body, url, fetched.header("Content-Type")) if is_page else None
    if page is not None and page.outcome is not None:
        return found._replace(outcome=page.outcome)
    if fetched.status != 200:  # noqa: PLR2004 - OK
        return found._replace(outcome=_STATUSES.get(fetched.status, Outcome.BAD_STATUS))
    if not fetched.body:
        return found._replace(outcome=Outcome.EMPTY_BODY)
    if kind == HTML and page is None:
        return found._replace(outcome=Outcome.BODY_TOO_LARGE)
    return found._replace(page=page)


def _following(arrived: Visit) -> str:
    fetched = arrived.fetched
    assert fetched is not None
    if fetched.status in _REDIRECTS and fetched.location:
        try:
            return urljoin(arrived.url, fetched.location)
        except ValueError:
            return "about:blank"  # an address that is none is refused like one of another scheme
    if arrived.page is not None and arrived.page.refresh not in ("", arrived.url) and not arrived.page.copies:
        return arrived.page.refresh
    return ""


def is_pdf(visited: Visit) -> bool:
    """Tell whether the bytes are a PDF, whatever the server says."""
    return visited.mime_type == PDF
