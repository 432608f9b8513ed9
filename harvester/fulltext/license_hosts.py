"""Hosts whose pages state licences that are not those of the work (`words/license_hosts.toml`). Pure."""

from __future__ import annotations

from harvester.http.urls import host_of
from harvester.words import load

UNTRUSTED = frozenset(load("license_hosts")["hosts"])



def is_trusted(url: str) -> bool:
    """Return whether a licence stated at this address may be that of the work."""
    labels = host_of(url).split(".")
    return not any(".".join(labels[place:]) in UNTRUSTED for place in range(len(labels)))
