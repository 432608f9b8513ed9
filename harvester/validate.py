"""The door to the conformance check of any OAI-PMH 2.0 provider: `harvester validate BASEURL`.

It asks the provider through the handed `fetch` and nothing else, and runs the checks of `harvester.conformance`.
"""

from __future__ import annotations

import time
from itertools import chain

from gateway.errors import ConfigurationError
from harvester.conformance import answers, dates, errors, formats, identify, payloads, records, sets, tokens, transport
from harvester.conformance.check import Check
from harvester.conformance.conversation import Clock, Conversation, Limits
from harvester.conformance.report import Evidence, Report, Result, Verdict
from harvester.conformance.repository import Repository
from harvester.wire.http import Fetch

__all__ = ["CHECKS", "Evidence", "Limits", "Report", "Result", "Verdict", "validate"]

# Those that look at all that came stand last, when there is something to see.
CHECKS: tuple[Check, ...] = tuple(
    chain(
        identify.CHECKS,
        formats.CHECKS,
        records.ASKING,
        sets.CHECKS,
        dates.CHECKS,
        tokens.CHECKS,
        errors.CHECKS,
        transport.CHECKS,
        payloads.CHECKS,
        records.SEEN,
        answers.CHECKS,
    )
)


def validate(base_url: str, fetch: Fetch, *, limits: Limits | None = None, clock: Clock = time.monotonic) -> Report:
    """Check the provider at `base_url` and report every check, in the order of `CHECKS`.

    `fetch` is the only way out; its politeness is the provider's protection. `limits` bounds requests, seconds and
    the pages followed of a list: what then cannot be decided is skipped with that reason. Raise ConfigurationError
    for an address that cannot be a base URL, and the FetchError when not even Identify brings an answer.
    """
    _refuse_what_is_no_base_url(base_url)
    conversation = Conversation(base_url, fetch, limits or Limits(), clock)
    repository = Repository(conversation)
    refusal = repository.ask("Identify").refusal
    if refusal is not None:
        raise refusal
    results = tuple(check.run(repository) for check in CHECKS)
    return Report(base_url, results, len(conversation.exchanges), conversation.seconds)


def _refuse_what_is_no_base_url(base_url: str) -> None:
    if not base_url.startswith(("http://", "https://")) or "?" in base_url or "#" in base_url:
        raise ConfigurationError(f"{base_url!r} is no base URL: it begins with http:// or https:// and has no ? or #.")
