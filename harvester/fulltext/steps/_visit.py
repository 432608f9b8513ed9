"""Follows one address hop by hop. Each hop is checked before it is requested; the end has an outcome.

The given `fetch` is responsible for robots.txt, pauses and addresses that are refused.
"""

from functools import partial
from typing import NamedTuple
from urllib.parse import urljoin

from gateway.core.errors import (
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
from gateway.core.model import Outcome
from harvester.fulltext.pages import landing_page
from harvester.fulltext.pages.landing_page import Page, obstacle
from harvester.fulltext.pdf.file_type import HTML, PDF, mime_type
from harvester.http.messages import Fetch, Fetched, Request
from harvester.http.urls import host_of, site_of, split

MOST_HOPS = 8
_LONGEST = 4096  # characters of an address
_MOST_SAME = 2
_MOST_HTML_BYTES = 5_000_000
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_ACCEPT = "application/pdf, text/html;q=0.9, application/xhtml+xml;q=0.9, */*;q=0.5"
# For a redirect back to an earlier address: with the new cookies the answer differs.
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
# From the most specific class to the widest; the first match counts.
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

# Sites that do not allow others to take copies, or that refuse programs: they get no request.
SKIPPED = frozenset(("researchgate.net", "academia.edu", "sci-hub.se", "scribd.com", "ssrn.com"))


class Visit(NamedTuple):
    """The result of an address. `outcome` is SUCCESS when there are bytes."""

    outcome: Outcome
    url: str
    hops: tuple[str, ...] = ()
    fetched: Fetched | None = None
    mime_type: str = ""
    page: Page | None = None


def outcome_of(error: GatewayError) -> Outcome:
    """Return the outcome for an error."""
    return next(outcome for kind, outcome in _ERRORS if isinstance(error, kind))


def visit(url: str, fetch: Fetch, accept: str = _ACCEPT, *, may_be_refused: bool = False) -> Visit:
    """Return the final answer for an address, after at most eight hops; a page that refreshes itself is a hop.

    A site that sets a cookie and still redirects in a circle is BLOCKED_COOKIE. With `may_be_refused`, refusals do not
    count against the host. No error of a server is raised: it is an outcome.
    """
    hops: list[str] = []
    has_cookie = False
    while True:
        refused = _refused(url, hops)
        if refused is not None:
            is_wall = has_cookie and refused is Outcome.REDIRECT_LOOP
            return Visit(Outcome.BLOCKED_COOKIE if is_wall else refused, url, tuple(hops))
        try:
            headers = (("Accept", accept), *_ANEW * (url in hops))
            shown = partial(_is_shown, url)
            fetched = fetch(Request(url, headers=headers, follows=False, suits=shown, may_be_refused=may_be_refused))
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
    """Return why an address is not requested, or None."""
    if not host_of(url) or split(url).scheme not in ("http", "https") or len(url) > _LONGEST:
        return Outcome.BAD_SCHEME
    if site_of(url) in SKIPPED:
        return Outcome.SKIP_HOST
    if hops.count(url) >= _MOST_SAME:
        return Outcome.REDIRECT_LOOP
    return Outcome.TOO_MANY_REDIRECTS if len(hops) >= MOST_HOPS else obstacle(url, "")


def _arrived(fetched: Fetched, url: str, hops: tuple[str, ...]) -> Visit:
    kind = mime_type(fetched.body)
    visit = Visit(Outcome.SUCCESS, url, hops, fetched, kind)
    if fetched.status in _REDIRECTS and fetched.location:
        return visit
    page = _page(fetched, url, kind)
    if page is not None and page.outcome is not None:
        return visit._replace(outcome=page.outcome)
    if fetched.status != 200:  # noqa: PLR2004 - OK
        return visit._replace(outcome=_STATUSES.get(fetched.status, Outcome.BAD_STATUS))
    if not fetched.body:
        return visit._replace(outcome=Outcome.EMPTY_BODY)
    if kind == HTML and page is None:
        return visit._replace(outcome=Outcome.BODY_TOO_LARGE)
    return visit._replace(page=page)


def _page(fetched: Fetched, url: str, kind: str) -> Page | None:
    is_page = kind == HTML and len(fetched.body) <= _MOST_HTML_BYTES
    return landing_page.read(fetched.body, url, fetched.header("Content-Type")) if is_page else None


def _is_shown(url: str, fetched: Fetched) -> bool:
    """Return whether an answer is the real content of an address, not a captcha or a login."""
    if fetched.location:
        return True
    page = _page(fetched, url, mime_type(fetched.body))
    return page is None or page.outcome is None


def _following(arrived: Visit) -> str:
    fetched = arrived.fetched
    assert fetched is not None
    if fetched.status in _REDIRECTS and fetched.location:
        try:
            return urljoin(arrived.url, fetched.location)
        except ValueError:
            return "about:blank"  # an invalid address is refused like one of another scheme
    if arrived.page is not None and arrived.page.refresh not in ("", arrived.url) and not arrived.page.copies:
        return arrived.page.refresh
    return ""


def is_pdf(visited: Visit) -> bool:
    """Return whether the bytes are a PDF, whatever type the server states."""
    return visited.mime_type == PDF
