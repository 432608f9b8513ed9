"""The forms of the verbs: the legal arguments of each, and links to the next part of a list. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

# The arguments of each verb that a person fills in (OAI-PMH 2.0 §4); the token is behind the link "next".
FORMS: Mapping[str, tuple[str, ...]] = {
    "Identify": (),
    "ListMetadataFormats": ("identifier",),
    "ListSets": (),
    "ListIdentifiers": ("metadataPrefix", "set", "from", "until"),
    "ListRecords": ("metadataPrefix", "set", "from", "until"),
    "GetRecord": ("identifier", "metadataPrefix"),
}


def without_token(given: Mapping[str, str]) -> dict[str, str]:
    """Return the arguments of a request that its form shows again."""
    return {name: value for name, value in given.items() if name != "resumptionToken"}


def next_query(verb: str, token: str) -> str:
    """Return the query of the next part of a list."""
    return urlencode({"verb": verb, "resumptionToken": token})
