"""What other services tell of a work: the work as they know it, and the copies of it that they have seen. Values."""

from __future__ import annotations

from typing import NamedTuple

from harvester.wire.urls import host_of, split

# What servers call a PDF, and what says nothing.
_MAY_BE_PDF = frozenset(
    (
        "",
        "application/pdf",
        "application/x-pdf",
        "application/octet-stream",
        "application/force-download",
        "application/download",
        "application/x-download",
        "binary/octet-stream",
        "unspecified",
    )
)
_XML = frozenset(("application/xml", "text/xml", "application/jats+xml", "application/tei+xml"))
_HTML = frozenset(("text/html", "application/xhtml+xml"))
_OTHER_NAMES = (".xml", ".nxml", ".txt", ".md", ".csv", ".json", ".zip", ".gz", ".tar", ".epub", ".xlsx")
# Interfaces for text mining that give nothing without a key of one's own.
_WITH_A_KEY = frozenset(("api.elsevier.com", "api.wiley.com"))
# The evidence of a page that was looked at, and is the article itself.
IS_ARTICLE = "page:is the article"


class Copy(NamedTuple):
    """One place where a copy may be had. Empty strings mean: not told.

    `is_page` says that the address is a page about the work, and the file still to be found on it. `version` is one of
    submitted, accepted, published; `license` a name of `licenses`; `evidence` says in words of the answer where it
    stood there; `open_from` is a date before which it may not be had. `is_open`: the service says that everybody may
    read this copy, under whatever licence. `is_shut`: who keeps it says that not everybody may have it, and not until
    when.
    """

    url: str
    is_page: bool = False
    mime_type: str = ""
    version: str = ""
    license: str = ""
    license_url: str = ""
    host_type: str = ""  # publisher, repository
    evidence: str = ""
    open_from: str = ""
    is_open: bool = False
    is_shut: bool = False

    @property
    def is_other_type(self) -> bool:
        """Tell whether the service, or else the address, says that it is no PDF: XML, plain text, data."""
        stated = self._stated
        return stated not in _MAY_BE_PDF or (not stated and split(self.url).path.lower().endswith(_OTHER_NAMES))

    @property
    def says_xml(self) -> bool:
        """Tell whether the service, or else the name of PMC's files, says that it is the text as XML."""
        return self._stated in _XML or (not self._stated and split(self.url).path.lower().endswith(".nxml"))

    @property
    def says_html(self) -> bool:
        """Tell whether the service says that it is the text as a page."""
        return self._stated in _HTML and not self.is_page

    @property
    def _stated(self) -> str:
        return self.mime_type.partition(";")[0].strip().lower()

    @property
    def says_pdf(self) -> bool:
        """Tell whether the service, or the address itself, says that it is a PDF."""
        return "pdf" in self.mime_type.lower() or "pdf" in self.url.lower()

    @property
    def needs_key(self) -> bool:
        """Tell whether the address is that of an interface which gives nothing without a key."""
        return host_of(self.url) in _WITH_A_KEY


class Related(NamedTuple):
    """Another work that a service names: how it is related, in the word of the service, and its identifier."""

    relation: str  # has-preprint, is-version-of …
    scheme: str  # doi, arxiv …
    value: str


# Relations to another version of the same work, in the words of Crossref.
VERSIONS = frozenset(("has-preprint", "is-preprint-of", "is-version-of", "has-version", "is-same-as"))


class Description(NamedTuple):
    """A work as a service describes it. `is_open` is None where the service does not tell.

    `other_titles` are translated and original ones; `kind` is the service's word for the type of the work; `retracted`
    a sentence that tells by which notice the work was retracted, or empty.
    """

    doi: str = ""
    title: str = ""
    authors: tuple[str, ...] = ()  # family names
    container: str = ""
    publisher: str = ""
    year: str = ""
    abstract: str = ""
    issns: tuple[str, ...] = ()
    copies: tuple[Copy, ...] = ()
    is_open: bool | None = None
    pages: int = 0
    also: tuple[str, ...] = ()  # other identifiers of the same work, as the service spells them
    other_titles: tuple[str, ...] = ()
    kind: str = ""
    retracted: str = ""
    related: tuple[Related, ...] = ()


_VERSIONS = {
    "submittedversion": "submitted",
    "acceptedversion": "accepted",
    "publishedversion": "published",
    "vor": "published",
    "am": "accepted",
    "submitted": "submitted",
    "accepted": "accepted",
    "published": "published",
    "preprint": "submitted",
    "postprint": "accepted",
}


def version_of(text: str) -> str:
    """Return which version a service's word for it means: submitted, accepted, published, or not told."""
    return _VERSIONS.get(text.rpartition("/")[2].strip().lower().replace("_", ""), "")


def without_repetitions(copies: list[Copy]) -> tuple[Copy, ...]:
    """Return each address once, with what was told of it first."""
    found: dict[str, Copy] = {}
    for copy in copies:
        if copy.url[:4].lower() == "http":
            found.setdefault(copy.url, copy)
    return tuple(found.values())
