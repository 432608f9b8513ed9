"""What is kept of the resources of one set while its lists are read: a sample, links, addresses, changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from harvester.validate.resourcesync.inventory import Inventory, key_of
from harvester.validate.resourcesync.model import Document
from harvester.validate.resourcesync.reading import Attributes
from harvester.validate.resourcesync.values import moment, relation_of

_MOST_LINKS = 10_000  # describes and describedby of one set
_MOST_NAMES = 1_000  # addresses of resources that changed


class Resource(NamedTuple):
    """A resource in a sample, and the document that lists it."""

    loc: str
    lastmod: str
    md: Attributes
    document: Document


class _Sample:
    """A random sample of a stream of unknown length, the same for the same stream."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.by_loc: dict[str, Resource] = {}
        self._count = 0
        self._random = Random(7)  # noqa: S311 - a sample

    def offer(self, resource: Resource) -> None:
        if resource.loc in self.by_loc:
            self.by_loc[resource.loc] = resource  # the later state
            return
        self._count += 1
        if len(self.by_loc) < self.size:
            self.by_loc[resource.loc] = resource
        elif self.size and self._random.random() * self._count < self.size:
            self.by_loc.pop(self._random.choice(list(self.by_loc)))
            self.by_loc[resource.loc] = resource


@dataclass(slots=True)
class Links:
    """The describes and describedby links between resources. `is_whole`: there were not too many to store."""

    pairs: set[tuple[str, str, str]] = field(default_factory=set)  # from, relation, to
    is_whole: bool = True


class Observed:
    """What is kept of one set of resources. `before` is the Resource List of an earlier run."""

    def __init__(self, sample: int, *, is_compared: bool) -> None:
        """Take how many resources of a list are requested, and whether runs are compared."""
        self.resources = _Sample(sample)
        self.changes = _Sample(sample)
        self.links = Links()
        self.is_compared = is_compared
        self.inventory = Inventory(has_states=is_compared)
        self.before: Inventory | None = None
        self.changed_names: list[str] = []
        self.changed_keys: dict[int, float | None] = {}  # of Change Lists: the last time of a change
        self.deleted_keys: set[int] = set()
        self._parts: list[str] = []
        self.has_changes = False

    def resource(self, document: Document, loc: str, lastmod: str, md: Attributes, links: list[Attributes]) -> None:
        """Take an entry of a Resource List or a Change List."""
        if not loc or document.kind is None or document.kind.is_manifest:
            return
        if document.capability == "resourcelist":
            self._listed(document, loc, lastmod, md)
            self.resources.offer(Resource(loc, lastmod, md, document))
        elif document.capability == "changelist":
            self._changed(document, loc, lastmod, md)
        else:
            return
        for link in links:
            self._link(loc, relation_of(link), link.get("href", ""))

    def part(self, number: int) -> str:
        """Return the address of a part of the Resource List."""
        return self._parts[number]

    def _listed(self, document: Document, loc: str, lastmod: str, md: Attributes) -> None:
        if not self._parts or self._parts[-1] != document.url:
            self._parts.append(document.url)
        if not self.is_compared:
            self.inventory.add(loc, len(self._parts) - 1)
            return
        state = key_of(" ".join((lastmod, md.get("hash", ""), md.get("length", ""))))
        self.inventory.add(loc, state)
        if self.before is None or len(self.changed_names) >= _MOST_NAMES:
            return
        if self.before.value(key_of(loc)) != state:
            self.changed_names.append(loc)

    def _changed(self, document: Document, loc: str, lastmod: str, md: Attributes) -> None:
        self.has_changes = True
        resource = Resource(loc, lastmod, md, document)
        listed = self.resources.by_loc.get(loc)
        if listed is not None:
            if _is_later(resource, listed):
                self.changes.by_loc[loc] = resource
                del self.resources.by_loc[loc]
        else:
            self.changes.offer(resource)
        if self.is_compared:
            key = key_of(loc)
            self.changed_keys[key] = moment(md.get("datetime", ""))
            if md.get("change") == "deleted":
                self.deleted_keys.add(key)

    def _link(self, loc: str, rel: str, href: str) -> None:
        if rel not in ("describes", "describedby"):
            return
        if len(self.links.pairs) < _MOST_LINKS:
            self.links.pairs.add((loc, rel, href))
        else:
            self.links.is_whole = False


def _is_later(change: Resource, listed: Resource) -> bool:
    """Return whether a change may be later than the state that a Resource List shows."""
    changed = moment(change.md.get("datetime", "") or change.lastmod)
    at = moment(listed.document.md.get("at", ""))
    return changed is None or at is None or changed >= at


class Unobserved:
    """Takes the resources of a document that no set of resources has: a package, or an archive."""

    def resource(self, document: Document, loc: str, lastmod: str, md: Attributes, links: list[Attributes]) -> None:
        """Keep nothing."""
