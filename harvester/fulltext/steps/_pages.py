"""The addresses of the pages of a work, for the steps that read them."""

from collections.abc import Iterable

from harvester.fulltext.known_copies import OF_THE_WORK, Copy
from harvester.fulltext.pages.page_license import Terms
from harvester.fulltext.steps import Known
from harvester.http.urls import host_of, without_scheme

MOST_OPEN = 2  # pages that services call open
MOST_PAGES = 4  # where a search begins
# Evidence of pages that DOIs resolve to, as registered: the resolver need not be asked.
_REGISTERED = frozenset(("crossref:resource", "datacite:url"))
_RESOLVERS = frozenset(("doi.org", "dx.doi.org", "www.doi.org"))
_FOR_MINING = "crossref:link["
NEXT = "page:next"  # the evidence of pages that are linked from pages with files


def pages_of(known: Known) -> tuple[str, ...]:
    """Return the pages to read: those that services call open, that of the record, that of the DOI or handle, others.

    Pages for text mining are read only where no other is known.
    """
    pages = _pages(known)
    places = [*open_pages_of(known), *(copy.url for copy in pages if copy.evidence == "record")]
    places += _resolved(known, pages)
    others = [copy.url for copy in pages if not copy.evidence.startswith(_FOR_MINING)]
    return _distinct([*places, *others] or [copy.url for copy in pages], known)[:MOST_PAGES]


def open_pages_of(known: Known) -> tuple[str, ...]:
    """Return the pages that services call open, repositories before publishers; for a DOI, its target."""
    stated = (copy for copy in known.pages if copy.is_open and copy.evidence != NEXT)
    pages = sorted(stated, key=lambda copy: copy.host_type == "publisher")
    leads_to = _resolved(known, _pages(known))
    urls = (url for copy in pages for url in (leads_to if _is_resolver(copy) else (copy.url,)))
    return _distinct(urls, known)[:MOST_OPEN]


def next_pages_of(known: Known) -> tuple[str, ...]:
    """Return the pages that were skipped because the page with the link has files."""
    return _distinct((copy.url for copy in known.pages if copy.evidence == NEXT), known)


def own_pages_of(known: Known) -> tuple[str, ...]:
    """Return the pages that are the work's own: that of the record, and that to which its DOI or handle leads."""
    return (known.work.landing_page, *_resolved(known, _pages(known)))


def retracted_page(url: str, terms: Terms) -> Copy:
    """Return a page that states a retraction, by the address that was requested."""
    return Copy(url, is_page=True, evidence=OF_THE_WORK, retracted=terms.retracted)


def resolvers_of(known: Known, *, with_doi: bool) -> tuple[str, ...]:
    """Return the addresses at resolvers of the handle of the work, and of its DOI `with_doi`."""
    handle = known.identifiers.value("handle")
    dois = (f"https://doi.org/{known.doi}",) if known.doi and with_doi else ()
    return (*dois, f"https://hdl.handle.net/{handle}") if handle else dois


def _distinct(urls: Iterable[str], known: Known) -> tuple[str, ...]:
    """Return addresses in their order, without withheld ones, and only one of http and https."""
    names: dict[str, str] = {}
    for url in urls:
        names.setdefault(without_scheme(url), url)
    return tuple(url for name, url in names.items() if name not in known.withheld)


def _pages(known: Known) -> list[Copy]:
    return [copy for copy in known.pages if not _is_resolver(copy) and copy.evidence != NEXT]


def _is_resolver(copy: Copy) -> bool:
    return host_of(copy.url) in _RESOLVERS


def _resolved(known: Known, pages: list[Copy]) -> list[str]:
    """Return the target of the DOI, or else of the handle."""
    if known.doi:
        registered = [copy.url for copy in pages if copy.evidence in _REGISTERED]
        return registered[:1] or [f"https://doi.org/{known.doi}"]
    handle = known.identifiers.value("handle")
    return [f"https://hdl.handle.net/{handle}"] if handle else []
