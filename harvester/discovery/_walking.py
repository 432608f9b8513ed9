"""Where the pages of a work are, for the steps that look at them."""

from __future__ import annotations

from harvester.discovery import Known

MOST_PAGES = 3  # where a search begins


def pages_of(known: Known) -> tuple[str, ...]:
    """Return where to look: what the record and services name, and where the DOI or handle resolves to."""
    handle = known.identifiers.value("handle")
    resolved = [f"https://doi.org/{known.doi}"] if known.doi else [f"https://hdl.handle.net/{handle}"] if handle else []
    named = [copy.url for copy in known.pages if "//doi.org/" not in copy.url]
    return tuple(dict.fromkeys([*named[:1], *resolved, *named[1:]]))[:MOST_PAGES]
