"""A work as services describe it, and the copies that they know: values."""

from typing import NamedTuple

from gateway.core.words import table
from harvester.http.urls import host_of, split

_TABLE = table(__file__, "copies")
_MAY_BE_PDF, _XML, _HTML, _WITH_A_KEY = (
    frozenset(_TABLE[name]) for name in ("may_be_pdf", "xml", "html", "with_a_key")
)
_OTHER_NAMES = tuple(_TABLE["other_names"])
# The evidence of a visited page that is the article itself.
IS_ARTICLE = "page:is the article"
OF_THE_WORK = "page:of the work"  # the evidence of a page of the work that states a retraction
FOR_MINING = "crossref:link[text-mining]"  # the evidence of a link for programs


class Copy(NamedTuple):
    """One location of a copy. Empty strings mean: not stated.

    `is_page`: the address is a page about the work, which may link to the file. `version` is one of submitted,
    accepted, published; `license` a name of `licenses`. `evidence` names the place in the answer; `open_from` is the
    day on which it becomes available. `is_open`: the service says that everybody may read it, under any licence.
    `is_shut`: the record or its registry says that access is restricted, without an end. `doubt`, `restriction`,
    `retracted`, `is_supplement` and `beside` are as in `Candidate`.
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
    doubt: str = ""
    restriction: str = ""
    retracted: str = ""
    is_supplement: bool = False
    beside: tuple[str, ...] = ()

    @property
    def is_other_type(self) -> bool:
        """Return whether the service, or else the address, says that it is not a PDF but XML, plain text or data."""
        stated = self._stated
        return stated not in _MAY_BE_PDF or (not stated and split(self.url).path.lower().endswith(_OTHER_NAMES))

    @property
    def says_xml(self) -> bool:
        """Return whether the service, or else the file name of PMC, says that it is the text as XML."""
        return self._stated in _XML or (not self._stated and split(self.url).path.lower().endswith(".nxml"))

    @property
    def says_html(self) -> bool:
        """Return whether the service says that it is the text as HTML."""
        return self._stated in _HTML and not self.is_page

    @property
    def _stated(self) -> str:
        return self.mime_type.partition(";")[0].strip().lower()

    @property
    def says_pdf(self) -> bool:
        """Return whether the service, or the address itself, says that it is a PDF."""
        return "pdf" in self.mime_type.lower() or "pdf" in self.url.lower()

    @property
    def is_for_mining(self) -> bool:
        """Return whether Crossref lists the address for text mining; publishers refuse many of these."""
        return self.evidence == FOR_MINING

    @property
    def needs_key(self) -> bool:
        """Return whether the address belongs to an API that needs a key."""
        return host_of(self.url) in _WITH_A_KEY


class Related(NamedTuple):
    """Another work that a service names: its relation, in the term of the service, and its identifier."""

    relation: str  # has-preprint, is-version-of …
    scheme: str  # doi, arxiv …
    value: str


# Relations to another version of the same work, in the terms of Crossref.
VERSIONS = frozenset(("has-preprint", "is-preprint-of", "is-version-of", "has-version", "is-same-as"))


class Description(NamedTuple):
    """A work as a service describes it. `is_open` is None where the service does not say.

    `other_titles` are translated and original ones; `kind` is the service's term for the type of the work. `retracted`
    is a sentence about the notice of retraction, or empty.
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
    registry: str = ""  # DATACITE, if the DOI is registered there
    given_names: tuple[str, ...] = ()  # parallel to the family names, empty where not stated
    subjects: tuple[str, ...] = ()  # as Crossref states them


DATACITE = "datacite"


def version_of(text: str) -> str:
    """Return the version that a service's term means: submitted, accepted, published; empty: not stated."""
    return str(_TABLE["versions"].get(text.rpartition("/")[2].strip().lower().replace("_", ""), ""))


def without_repetitions(copies: list[Copy]) -> tuple[Copy, ...]:
    """Return the first copy of each address, without those that are not http or https."""
    by_url: dict[str, Copy] = {}
    for copy in copies:
        if copy.url[:4].lower() == "http":
            by_url.setdefault(copy.url, copy)
    return tuple(by_url.values())
