"""A document after it was read, and what takes its resources. Pure."""

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from harvester.validate.check import Shown
from harvester.validate.resourcesync.kinds import KINDS, Kind
from harvester.validate.resourcesync.reading import Attributes
from harvester.validate.resourcesync.values import relation_of, whole

MOST_ENTRIES = 50_000  # of one document (Sitemaps 0.9)


class Listed(NamedTuple):
    """An entry that is a document or a package: its address, its attributes, its links, and its lastmod."""

    loc: str
    md: Attributes
    links: tuple[Attributes, ...] = ()
    lastmod: str = ""


@dataclass(slots=True)
class Document:
    """A document that was read. `listed` are its entries, if they are documents or packages.

    `capability` is empty when it is none of the standard. `digest` is the SHA-256 of its bytes. `urls` are the address
    that was requested and the one that answered.
    """

    urls: tuple[str, ...]
    shown: Shown
    capability: str = ""
    is_index: bool = False
    is_whole: bool = False
    md: Attributes = field(default_factory=dict)
    links: tuple[Attributes, ...] = ()
    listed: tuple[Listed, ...] = ()
    size: int = 0
    digest: str = ""
    has_datetime: bool = False

    @property
    def url(self) -> str:
        """The address that was requested."""
        return self.urls[0]

    @property
    def kind(self) -> Kind | None:
        """What a document of its capability carries; None when it has no known capability."""
        return KINDS.get(self.capability)

    def linked(self, rel: str) -> list[str]:
        """Return the targets of the links of the document with a relation, made absolute."""
        return [whole(link["href"], self.url) for link in self.links if relation_of(link) == rel and link.get("href")]


class Observer(Protocol):
    """Takes the resources of lists: for samples, comparisons and links."""

    def resource(self, document: Document, loc: str, lastmod: str, md: Attributes, links: list[Attributes]) -> None:
        """Take an entry of a Resource List, a Change List or a manifest."""
