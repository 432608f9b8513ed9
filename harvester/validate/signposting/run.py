"""The entry point of the check of anybody's typed links: `harvester lint-signposting URL`.

It starts at a landing page and follows its links to metadata, content, link sets and the persistent identifier. It runs
all checks of this package. All requests go through the given `fetch`.
"""

import time
from itertools import chain

from gateway.core.errors import AnswerTooLarge, ConfigurationError
from harvester.http.messages import Fetch
from harvester.validate.check import Check, Report, Verdict
from harvester.validate.client import Clock
from harvester.validate.signposting import landing, linksets, resources, syntax
from harvester.validate.signposting.declared import is_http
from harvester.validate.signposting.site import HTML, Site, page_of
from harvester.validate.signposting.visits import Limits, Visits

__all__ = ["CHECKS", "Limits", "levels", "lint"]

# What the groups of checks are about; all other groups are about level 1 of the FAIR Signposting Profile.
_LEVELS = {"linkset": "level 2", "resource": "level 2", "catalog": "FAIRiCat"}
_GROUPS = ("level 1", "level 2", "FAIRiCat")

CHECKS: tuple[Check[Site], ...] = tuple(chain(landing.CHECKS, resources.CHECKS, linksets.CHECKS, syntax.CHECKS))


def lint(url: str, fetch: Fetch, *, limits: Limits | None = None, clock: Clock = time.monotonic) -> Report:
    """Return a report on the typed links of the landing page at `url`, with every check in the order of `CHECKS`.

    If there is content or metadata at `url`, the landing page that it names is checked. `fetch` sends all requests and
    is responsible for politeness. `limits` bounds requests, seconds, bytes and the links that are followed. Checks that
    cannot be decided then are skipped with that reason. Raise ConfigurationError for a text that is no http or https
    address, and the FetchError when the page gets no answer.
    """
    if not is_http(url):
        raise ConfigurationError(f"{url!r} is not the address of a page. Write http:// or https://.")
    conversation = Visits(fetch, limits or Limits(), clock)
    start = conversation.ask(url, accept=HTML)
    if isinstance(start.refusal, AnswerTooLarge):  # a file
        start = conversation.ask(url, method="HEAD", accept=HTML)
    page = page_of(start)
    site = Site(page or url, conversation, start if page else None)
    refusal = start.refusal or site.asked.refusal
    if refusal is not None:
        raise refusal
    results = tuple(check.run(site, conversation.consulted) for check in CHECKS)
    return Report(site.url, results, conversation.sent, conversation.seconds)


def levels(report: Report) -> dict[str, str]:
    """Return whether the page conforms, for both levels of the FAIR Signposting Profile and for FAIRiCat.

    A warning is no failure. A level is skipped when all its checks were.
    """
    verdicts: dict[str, set[Verdict]] = {group: set() for group in _GROUPS}
    for result in report.results:
        verdicts[_LEVELS.get(result.check.partition(".")[0], _GROUPS[0])].add(result.verdict)
    return {group: _level(of_group).value for group, of_group in verdicts.items()}


def _level(verdicts: set[Verdict]) -> Verdict:
    if Verdict.FAIL in verdicts:
        return Verdict.FAIL
    return Verdict.SKIPPED if verdicts <= {Verdict.SKIPPED} else Verdict.PASS
