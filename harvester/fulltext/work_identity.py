"""Comparison of the work that a record describes now with the work that its files were found for. Pure."""

from __future__ import annotations

from gateway.fulltext.search_result import Identity
from gateway.model import Work
from harvester.fulltext.identifiers import identifiers_of
from harvester.fulltext.pdf.trusted_descriptions import agree


def is_another(before: Identity | None, now: Identity) -> bool:
    """Return whether both have DOIs but none in common, or no titles are similar. `before` None: not known."""
    if before is None:
        return False
    if before.dois and now.dois and not set(before.dois) & set(now.dois):
        return True
    return bool(before.titles and now.titles) and not any(agree(before.titles, title) for title in now.titles)


def identity_of(work: Work) -> Identity:
    """Return the own DOIs and the titles of a work."""
    return Identity(identifiers_of(work).certain("doi"), work.texts("title"))
