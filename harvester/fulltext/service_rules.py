"""The rate limits of services with an API: a table of documented ones, and those in headers. Pure."""

import re
from typing import NamedTuple

from harvester.http.messages import Fetched


class Budget(NamedTuple):
    """A rate limit: the least seconds between the starts of two requests, and the most parallel requests."""

    pause: float
    at_once: int = 1


SERVICES = {
    # Until its headers state more: since 2025-12-01 the polite pool has 10 a second, and 3 at once.
    "api.crossref.org": Budget(0.34),
    "api.unpaywall.org": Budget(0.1, 2),  # 100,000 a day
    "api.openalex.org": Budget(0.02, 4),  # 100 a second
    "api.datacite.org": Budget(0.3, 2),  # 1,000 in five minutes for those who say who they are
    "api.openpolicyfinder.jisc.ac.uk": Budget(0.5),
    "api.semanticscholar.org": Budget(1.0),
    "export.arxiv.org": Budget(3.0),
    "www.ebi.ac.uk": Budget(0.2),  # Europe PMC; nothing is documented
    "api.biorxiv.org": Budget(1.0),  # nothing is documented
    "api.archives-ouvertes.fr": Budget(0.4),  # HAL; nothing is documented
    "api.core.ac.uk": Budget(2.4),  # 25 a minute with a personal key
    "doaj.org": Budget(0.5),  # 2 a second
    "api.base-search.net": Budget(1.0),
    "api.fatcat.wiki": Budget(0.4),  # nothing is documented
    "zenodo.org": Budget(1.8),  # 2,000 an hour for guests, and 60 a minute
    "api.osf.io": Budget(36.0),  # 100 an hour without a token
    # Resolvers document nothing; every search begins there, and their answers are short.
    "doi.org": Budget(0.1, 2),
    "dx.doi.org": Budget(0.1, 2),
    "hdl.handle.net": Budget(0.1, 2),
}
_NUMBER = re.compile(r"\d{1,6}")
_INTERVAL = re.compile(r"(\d{1,4})s")
_MOST_AT_ONCE = 16


def stated_budget(fetched: Fetched) -> Budget | None:
    """Return the rate limit in the headers of an answer, in both spellings of Crossref, or None."""
    limit, interval = (
        fetched.header(f"x-rate-limit-{name}") or fetched.header(f"x-ratelimit-{name}")
        for name in ("limit", "interval")
    )
    match = _INTERVAL.fullmatch(interval.strip())
    if not match or not _NUMBER.fullmatch(limit) or not int(limit):
        return None
    at_once = fetched.header("x-concurrency-limit").strip()
    most = max(1, min(int(at_once), _MOST_AT_ONCE)) if _NUMBER.fullmatch(at_once) else 1
    return Budget(int(match[1]) / int(limit), most)
