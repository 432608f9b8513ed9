"""What other services tell of a work: the work as they know it, and the copies of it that they have seen. Values."""

from __future__ import annotations

from typing import NamedTuple


class Copy(NamedTuple):
    """One place where a copy may be had. Empty strings mean: not told.

    `is_page` says that the address is a page about the work, and the file still to be found on it. `version` is one of
    submitted, accepted, published; `license` a name of `licenses`; `evidence` says in words of the answer where it
    stood there; `open_from` is a date before which it may not be had.
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


class Related(NamedTuple):
    """Another work that a service names: how it is related, in the word of the service, and its identifier."""

    relation: str  # has-preprint, is-version-of …
    scheme: str  # doi, arxiv …
    value: str


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
