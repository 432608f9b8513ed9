"""The next links of the work's pages, if all files that they name are refused: IEEE's stamp page, a viewer."""

from gateway.core.model import Outcome
from harvester.fulltext.steps import Known, Step
from harvester.fulltext.steps._pages import next_pages_of
from harvester.fulltext.steps.landing_page import LAST_LEVEL, walk
from harvester.http.urls import site_of

_MOST = 2  # pages
_OF_PAGES = frozenset(("landing_page", "open_pages"))
_REFUSED = frozenset(
    (Outcome.FORBIDDEN, Outcome.BLOCKED_CAPTCHA, Outcome.BLOCKED_COOKIE, Outcome.BLOCKED_WALL, Outcome.ROBOTS_DENIED)
)


def _next(known: Known) -> tuple[str, ...]:
    """Return the next pages of sites that refused a file; none where a page named a file that was not refused."""
    if any(candidate.found_by in _OF_PAGES and candidate.outcome not in _REFUSED for candidate in known.candidates):
        return ()
    sites = {site_of(candidate.url) for candidate in known.candidates if candidate.outcome in _REFUSED}
    return tuple(url for url in next_pages_of(known) if site_of(url) in sites)[:_MOST]


STEP = Step(
    "further_pages",
    85,
    "Follows the next links of the work's pages where the files that they name are refused.",
    lambda known: bool(_next(known)),
    lambda known, fetch: walk(_next(known), fetch, LAST_LEVEL),
)
