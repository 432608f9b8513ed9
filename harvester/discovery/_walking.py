"""Where the pages of a work are, for the steps that look at them."""

from __future__ import annotations

from harvester.discovery import Known
from harvester.wire.copies import Copy

MOST_OPEN = 2  # pages that services call open
MOST_PAGES = 4  # where a search begins
# Evidence of pages that DOIs resolve to, as those say where they were registered: nobody need ask the resolver.
_REGISTERED = frozenset(("crossref:resource", "datacite:url"))
_FOR_MINING = "crossref:link["


def pages_of(known: Known) -> tuple[str, ...]:
    """Return where to look: pages that services call open, that of the record, where the DOI or handle leads, others.

    Pages for text mining are looked at only where no other is known.
    """
    pages = [copy for copy in known.pages if "//doi.org/" not in copy.url]
    places = [copy.url for copy in pages if copy.is_open][:MOST_OPEN]
    places += [copy.url for copy in pages if copy.evidence == "record"] + _resolved(known, pages)
    others = [copy.url for copy in pages if not copy.evidence.startswith(_FOR_MINING)]
    return tuple(dict.fromkeys([*places, *others] or [copy.url for copy in pages]))[:MOST_PAGES]


def _resolved(known: Known, pages: list[Copy]) -> list[str]:
    """Return where the DOI leads to, or else the handle."""
    if known.doi:
        registered = [copy.url for copy in pages if copy.evidence in _REGISTERED]
        return registered[:1] or [f"https://doi.org/{known.doi}"]
    handle = known.identifiers.value("handle")
    return [f"https://hdl.handle.net/{handle}"] if handle else []
