"""Open Policy Finder, formerly SHERPA/RoMEO: what the publisher permits with which version.

Without a file, or with an open licence for it, a policy decides nothing, so it is not asked.
"""

from __future__ import annotations

from urllib.parse import urlencode

from gateway.fulltext.policies import VERSIONS, Colour, Policy
from gateway.model import Outcome
from harvester.fulltext.services import open_policy_finder
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import readable
from harvester.http.messages import Fetch, Request

ADDRESS = "https://api.openpolicyfinder.jisc.ac.uk/retrieve"
_MOST_ISSNS = 2  # of print and online


def _find(known: Known, fetch: Fetch) -> StepResult:
    issns = known.identifiers.all("issn")[:_MOST_ISSNS]
    address = known.settings.get("policy_url") or ADDRESS
    for issn in issns:
        policy = _asked(address, issn, known.settings["policy_key"], fetch)
        if policy is not None:
            return StepResult(Outcome.SUCCESS, policy=policy, note=_sentence(policy))
    return StepResult(Outcome.NOT_FOUND, note=f"No policy is known for ISSN {' or '.join(issns)}: {Colour.GRAY}.")


def _asked(address: str, issn: str, key: str, fetch: Fetch) -> Policy | None:
    asked = {"item-type": "publication", "format": "Json", "filter": f'[["issn","equals","{issn}"]]'}
    headers = (("x-api-key", key), ("Accept", "application/json"))
    suits = readable(open_policy_finder.read)
    return open_policy_finder.read(fetch(Request(f"{address}?{urlencode(asked)}", headers=headers, suits=suits)))


def _sentence(policy: Policy) -> str:
    """Return colour, versions, embargoes and conditions as a sentence for reviewers."""
    versions = "; ".join(_of_version(policy, version) for version in VERSIONS)
    return f"{policy.title or 'The publisher'} is {policy.colour}. Into a repository: {versions}."


def _of_version(policy: Policy, version: str) -> str:
    permission = next(iter(policy.for_version(version)), None)
    if permission is None:
        return f"{version} not"
    months = permission.embargo_months
    when = "after an embargo" if months is None else f"after {months} months" if months else "at once"
    asked = [
        prerequisite.replace("_", " ").rstrip(".")
        for prerequisite in (*permission.prerequisites, *permission.conditions)
    ]
    return f"{version} {when}" + (f" ({', '.join(asked)})" if asked else "")


STEP = Step(
    "sherpa",  # the name in traces and outcomes of earlier releases
    200,  # last, because it depends on the files found
    "Asks Open Policy Finder what the publisher of the ISSN permits, for a file without an open licence.",
    lambda known: known.needs_policy and bool(known.identifiers.all("issn")),
    _find,
    needs="policy_key",
    is_for_files=False,
)
