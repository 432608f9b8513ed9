"""The entry point of the conformance check of any OAI-PMH 2.0 provider: `harvester validate BASEURL`.

It runs all checks of this package. All requests go through the given `fetch`.
"""

import time
from itertools import chain

from gateway.core.errors import ConfigurationError
from harvester.http.messages import Fetch
from harvester.validate import dates, errors, identify, payloads, records, sets, tokens
from harvester.validate import envelope as answers
from harvester.validate.check import Check, Evidence, Report, Result, Verdict
from harvester.validate.client import Clock, Conversation, Limits
from harvester.validate.repository import Repository

__all__ = ["CHECKS", "Evidence", "Limits", "Report", "Result", "Verdict", "validate"]

# Checks of all received answers come last.
CHECKS: tuple[Check[Repository], ...] = tuple(
    chain(
        identify.CHECKS,
        records.ASKING,
        sets.CHECKS,
        dates.CHECKS,
        tokens.CHECKS,
        errors.CHECKS,
        payloads.CHECKS,
        records.SEEN,
        answers.CHECKS,
    )
)


def validate(base_url: str, fetch: Fetch, *, limits: Limits | None = None, clock: Clock = time.monotonic) -> Report:
    """Return a report on the provider at `base_url`, with every check in the order of `CHECKS`.

    `fetch` sends all requests and is responsible for politeness. `limits` bounds requests, seconds and the pages of a
    list; checks that cannot be decided then are skipped with that reason. Raise ConfigurationError for a text that
    cannot be a base URL, and the FetchError when even Identify gets no answer.
    """
    if not base_url.startswith(("http://", "https://")) or "?" in base_url or "#" in base_url:
        raise ConfigurationError(f"{base_url!r} is not a base URL. Write http:// or https://, and no ? or #.")
    conversation = Conversation(base_url, fetch, limits or Limits(), clock)
    repository = Repository(conversation)
    refusal = repository.ask("Identify").refusal
    if refusal is not None:
        raise refusal
    results = tuple(check.run(repository, conversation.consulted) for check in CHECKS)
    return Report(base_url, results, conversation.sent, conversation.seconds)
