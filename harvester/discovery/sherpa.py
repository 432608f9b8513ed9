"""SHERPA/RoMEO, now Open Policy Finder: what the publisher permits with which version.

Where no file was found, or an open licence was stated for it, there is nothing that a policy could decide.

Copies of the old interface (version 2.9, XML) are asked in their own way; the setting `discover_policy_url` names one.
"""

from __future__ import annotations

from urllib.parse import urlencode

from gateway.model import Outcome
from harvester.discovery import Found, Known, Step
from harvester.wire import open_policy_finder, romeo
from harvester.wire.http import Fetch, Request
from harvester.wire.policies import VERSIONS, Colour, Policy

ADDRESS = "https://api.openpolicyfinder.jisc.ac.uk/retrieve"
_OLD = "api29"
_MOST_ISSNS = 2  # of print and of online


def _find(known: Known, fetch: Fetch) -> Found:
    issns = known.identifiers.all("issn")[:_MOST_ISSNS]
    address = known.settings.get("policy_url") or ADDRESS
    ask = _asked_old if _OLD in address else _asked
    for issn in issns:
        policy = ask(address, issn, known.settings["policy_key"], fetch)
        if policy is not None:
            return Found(Outcome.SUCCESS, policy=policy, note=_sentence(policy))
    return Found(Outcome.NOT_FOUND, note=f"No policy is known for ISSN {' or '.join(issns)}: {Colour.GRAY}.")


def _asked(address: str, issn: str, key: str, fetch: Fetch) -> Policy | None:
    asked = {"item-type": "publication", "format": "Json", "filter": f'[["issn","equals","{issn}"]]'}
    headers = (("x-api-key", key), ("Accept", "application/json"))
    return open_policy_finder.read(fetch(Request(f"{address}?{urlencode(asked)}", headers=headers)))


def _asked_old(address: str, issn: str, key: str, fetch: Fetch) -> Policy | None:
    return romeo.read(fetch(Request(f"{address}?{urlencode({'issn': issn, 'versions': 'all', 'ak': key})}")))


def _sentence(policy: Policy) -> str:
    """Return colour, versions, embargoes and conditions as a reviewer wants to read them."""
    versions = "; ".join(_of_version(policy, version) for version in VERSIONS)
    return f"{policy.title or 'The publisher'} is {policy.colour}. Into a repository: {versions}."


def _of_version(policy: Policy, version: str) -> str:
    permission = next(iter(policy.for_version(version)), None)
    if permission is None:
        return f"{version} not"
    months = permission.embargo_months
    when = "after an embargo" if months is None else f"after {months} months" if months else "at once"
    asked = [each.replace("_", " ").rstrip(".") for each in (*permission.prerequisites, *permission.conditions)]
    return f"{version} {when}" + (f" ({', '.join(asked)})" if asked else "")


STEP = Step(
    "sherpa",
    200,  # last: whether it is asked depends on what was found
    "Asks Open Policy Finder what the publisher of the ISSN permits, for a file without an open licence.",
    lambda known: known.needs_policy and bool(known.identifiers.all("issn")),
    _find,
    needs="policy_key",
    is_for_files=False,
)
