"""Where the pages of a work are, for the steps that look at them."""

from __future__ import annotations

from collections.abc import Iterable

from harvester.discovery import Known
from harvester.wire.copies import Copy
from harvester.wire.urls import host_of

MOST_OPEN = 2  # pages that services call open
MOST_PAGES = 4  # where a search begins
# Evidence of pages that DOIs resolve to, as those say where they were registered: nobody need ask the resolver.
_REGISTERED = frozenset(("crossref:resource", "datacite:url"))
_RESOLVERS = frozenset(("doi.org", "dx.doi.org", "www.doi.org"))
_FOR_MINING = "crossref:link["


def pages_of(known: Known) -> tuple[str, ...]:
    """Return where to look: pages that services call open, that of the record, where the DOI or handle leads, others.

    Pages for text mining are looked at only where no other is known.
    """
    pages = _pages(known)
    places = [*open_pages_of(known), *(copy.url for copy in pages if copy.evidence == "record")]
    places += _resolved(known, pages)
    others = [copy.url for copy in pages if not copy.evidence.startswith(_FOR_MINING)]
    return _distinct([*places, *others] or [copy.url for copy in pages], known)[:MOST_PAGES]


def open_pages_of(known: Known) -> tuple[str, ...]:
    """Return the pages that services call open, repositories' before publishers'; a DOI is where it leads to."""
    pages = sorted((copy for copy in known.pages if copy.is_open), key=lambda copy: copy.host_type == "publisher")
    leads_to = _resolved(known, _pages(known))
    urls = (url for copy in pages for url in (leads_to if _is_resolver(copy) else (copy.url,)))
    return _distinct(urls, known)[:MOST_OPEN]


def _distinct(urls: Iterable[str], known: Known) -> tuple[str, ...]:
    """Return addresses in their order, without those withheld; one of those that differ only in being encrypted."""
    found: dict[str, str] = {}
    for url in urls:
        found.setdefault(url.partition("://")[2].rstrip("/"), url)
    return tuple(url for url in found.values() if url not in known.withheld)


def _pages(known: Known) -> list[Copy]:
    return [copy for copy in known.pages if not _is_resolver(copy)]


def _is_resolver(copy: Copy) -> bool:
    return host_of(copy.url) in _RESOLVERS


def _resolved(known: Known, pages: list[Copy]) -> list[str]:
    """Return where the DOI leads to, or else the handle."""
    if known.doi:
        registered = [copy.url for copy in pages if copy.evidence in _REGISTERED]
        return registered[:1] or [f"https://doi.org/{known.doi}"]
    handle = known.identifiers.value("handle")
    return [f"https://hdl.handle.net/{handle}"] if handle else []
