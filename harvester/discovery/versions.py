"""Other versions of the work that Crossref and DataCite name: its preprint, its article, an earlier or later version.

An address that follows from the identifier is taken first; else one service is asked for one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gateway.model import Outcome
from harvester.discovery import Found, Known, Step
from harvester.discovery.openrxiv import STEP as OPENRXIV
from harvester.discovery.osf import STEP as OSF
from harvester.discovery.recipes import STEP as RECIPES
from harvester.discovery.unpaywall import STEP as UNPAYWALL
from harvester.wire.copies import Copy, Related
from harvester.wire.http import Fetch
from harvester.wire.identifiers import Found as Identifier
from harvester.wire.identifiers import Identifiers

_SERVICES = (OPENRXIV, OSF, UNPAYWALL)  # who knows most of a version first
_MOST = 3  # versions that are looked up
_VERSIONS = {"has-preprint": "submitted"}  # by the relation, where nobody says which version a copy is


def _related(known: Known) -> tuple[Related, ...]:
    """Return the other versions of the work by identifiers that it does not have itself."""
    return tuple(each for each in known.versions if each.value not in known.identifiers.all(each.scheme))[:_MOST]


def _as_work(known: Known, related: Related) -> Known:
    """Return what is known when the other version is the work that is asked for."""
    identifier = Identifier(related.scheme, related.value, related.relation)
    return replace(known, identifiers=Identifiers((identifier,)), described=(), pages=(), matches=())


def _told(related: Related, copies: tuple[Copy, ...]) -> Iterator[Copy]:
    for copy in copies:
        version = copy.version or _VERSIONS.get(related.relation, "")
        evidence = f"{related.relation} {related.scheme}:{related.value}, {copy.evidence}"
        yield copy._replace(version=version, evidence=evidence)


def _find(known: Known, fetch: Fetch) -> Found:
    others = [(related, _as_work(known, related)) for related in _related(known)]
    following = [
        copy
        for related, other in others
        if RECIPES.wants(other)
        for copy in _told(related, RECIPES.find(other, fetch).copies)
    ]
    if following:
        return Found(Outcome.SUCCESS, tuple(following))
    for related, other in others:
        for service in _SERVICES:
            if service.wants(other) and (not service.needs or known.settings.get(service.needs)):
                found = service.find(other, fetch)
                return Found(found.outcome, tuple(_told(related, found.copies)), note=found.note)
    return Found(Outcome.NOT_FOUND)


STEP = Step(
    "versions",
    54,
    "Looks for copies of the versions of the work that Crossref and DataCite name.",
    lambda known: bool(_related(known)),
    _find,
)
