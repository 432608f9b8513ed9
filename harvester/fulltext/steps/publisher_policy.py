"""Open Policy Finder, formerly SHERPA/RoMEO: what the publisher permits with which version.

For a work without a file, a policy says what may be deposited. With an open licence for the file, it decides nothing,
so it is not asked.
"""

from urllib.parse import urlencode

from gateway.core.model import Outcome
from gateway.fulltext.licenses import license_of
from gateway.fulltext.policies import VERSIONS, Colour, Permission, Policy, colour_of
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import readable
from harvester.http.json_answers import Node, answered, parts, text, texts, values
from harvester.http.messages import Fetch, Fetched, Request

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
    suits = readable(read)
    return read(fetch(Request(f"{address}?{urlencode(asked)}", headers=headers, suits=suits)))


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
    "Asks Open Policy Finder what the publisher of the ISSN permits, unless a file with an open licence is found.",
    lambda known: known.needs_policy and bool(known.identifiers.all("issn")),
    _find,
    needs="policy_key",
    is_for_files=False,
)

# --- Answers of Jisc's Open Policy Finder, formerly SHERPA/RoMEO, version 2 (JSON). Pure -----------------------------

_MONTHS = {"days": 1 / 30, "weeks": 7 / 30, "months": 1.0, "years": 12.0}

_LONGEST = 9999


def read(fetched: Fetched) -> Policy | None:
    """Return the policy of the journal or publisher of an answer, None when it is unknown there.

    Errors are those of `answered`.
    """
    items = parts(answered(fetched, "Open Policy Finder") or {}, "items")
    return policy_of(items[0]) if items else None


def policy_of(item: Node) -> Policy:
    """Return the policy of a journal, or of a publisher, whose policies have a name of their own."""
    policies = parts(item, "publisher_policy") or parts(item, "policies")
    permissions = tuple(_permission(part) for policy in policies for part in parts(policy, "permitted_oa"))
    is_prohibited = bool(policies) and all(text(policy, "open_access_prohibited") == "yes" for policy in policies)
    return Policy(
        colour=Colour.WHITE if is_prohibited else colour_of(permissions) if policies else Colour.GRAY,
        title=text(item, "title", "title") or text(item, "name", "name"),
        publishers=tuple(dict.fromkeys(texts(item, "publishers", "publisher", "name", "name"))),
        issns=tuple(dict.fromkeys(texts(item, "issns", "issn"))),
        permissions=() if is_prohibited else permissions,
        address=text(item, "system_metadata", "uri"),
    )


def _permission(node: Node) -> Permission:
    return Permission(
        versions=tuple(texts(node, "article_version")),
        locations=tuple(texts(node, "location", "location")),
        embargo_months=_embargo(node),
        has_fee=text(node, "additional_oa_fee") == "yes",  # the key may be missing
        prerequisites=tuple(texts(node, "prerequisites", "prerequisites")),
        conditions=tuple(texts(node, "conditions")),
        licenses=tuple(filter(None, map(license_of, texts(node, "license", "license")))),
    )


def _embargo(node: Node) -> int | None:
    """Return the embargo in whole months, rounded up; None where its unit or amount is not known."""
    amounts = values(node, "embargo", "amount")
    if not amounts:
        return 0 if not parts(node, "embargo") else None
    amount = amounts[0]
    if not isinstance(amount, int) or not 0 <= amount <= _LONGEST:
        return None
    if amount == 0:
        return 0
    unit = _MONTHS.get(text(node, "embargo", "units"))
    return None if unit is None else int(-(-amount * unit // 1))
