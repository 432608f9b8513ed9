"""Answers of Jisc's Open Policy Finder, formerly SHERPA/RoMEO, version 2 (JSON). Pure."""

from __future__ import annotations

from gateway.fulltext.licenses import license_of
from gateway.fulltext.policies import Colour, Permission, Policy, colour_of
from harvester.http.json_answers import Node, answered, parts, text, texts, values
from harvester.http.messages import Fetched

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
