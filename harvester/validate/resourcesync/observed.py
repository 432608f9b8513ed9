"""What is kept of the resources of one set while its lists are read: a sample, links, addresses, changes."""

from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from harvester.validate.resourcesync.memory import Inventory, key_of
from harvester.validate.resourcesync.model import Document, Observer
from harvester.validate.resourcesync.reading import Attributes
from harvester.validate.resourcesync.values import is_other_state, latest, moment, relation_of, state_of

_MOST_LINKS = 10_000  # describes and describedby of one set
_MOST_STALE = 20_000  # changes that the Resource List does not have
_MOST_CREATED = 50_000  # creations that are compared with those of other Change Lists
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


class Observed(Observer):
    """What is kept of one set of resources. `before` is the Resource List of an earlier run."""

    def __init__(self, sample: int, *, is_compared: bool) -> None:
        self.resources = _Sample(sample)
        self.changes = _Sample(sample)
        self.links = Links()
        self.is_compared = is_compared
        self.inventory = Inventory(has_states=is_compared)
        self.before: Inventory | None = None
        self.changed_names: list[str] = []
        self.changed_keys: dict[int, float | None] = {}  # of Change Lists: the last time of a change
        self.deleted_keys: set[int] = set()
        self.stale: dict[int, tuple[str, str]] = {}  # of the last change before the list: its rule, and a sentence
        self.recreated: list[tuple[Document, str]] = []  # sentences on resources that two Change Lists create
        self._created: dict[int, tuple[str, str]] = {}  # the document and the time of creations
        self.is_stale_whole = True  # there were not too many of them to store
        self._begin, self._end = float("inf"), float("-inf")  # of the Resource List
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
            self._dated(document.md)
        if not self.is_compared:
            self.inventory.add(loc, len(self._parts) - 1, state_of(md))
            return
        state = key_of(" ".join((lastmod, md.get("hash", ""), md.get("length", ""))))
        self.inventory.add(loc, state, state_of(md))
        if self.before is None or len(self.changed_names) >= _MOST_NAMES:
            return
        if self.before.value(key_of(loc)) != state:
            self.changed_names.append(loc)

    def _dated(self, md: Attributes) -> None:
        """Note the times of a part of the Resource List; without any `at`, no change is before it."""
        begin, end = moment(md.get("at", "")), latest(md.get("completed", ""))
        self._begin = min(self._begin, float("-inf") if begin is None else begin)
        self._end = max(self._end, float("inf") if end is None else end)

    def _compare(self, loc: str, md: Attributes) -> None:
        """Compare a change that is before the Resource List with what that lists."""
        first, last = moment(md.get("datetime", "")), latest(md.get("datetime", ""))
        if not self.inventory.count or first is None or last is None or first > self._end:
            return
        key = key_of(loc)
        self.stale.pop(key, None)  # by an earlier change
        state = self.inventory.state(key)
        if state is None or last >= self._begin:
            return
        if md.get("change") == "deleted":
            fault = ("changes.deletion", f"{loc[:200]} was deleted at {md['datetime']}, and the Resource List has it.")
        elif is_other_state(state, state_of(md)):
            sentence = f"{loc[:200]} changed at {md['datetime']}, and has another hash or length in the Resource List."
            fault = ("changes.state", sentence)
        else:
            return
        if len(self.stale) < _MOST_STALE:
            self.stale[key] = fault
        else:
            self.is_stale_whole = False

    def _create(self, document: Document, loc: str, md: Attributes) -> None:
        """Note a creation, and that an earlier Change List has one too without a deletion in between."""
        change = md.get("change")
        if change == "deleted" and self._created:
            self._created.pop(key_of(loc), None)
        elif change == "created":
            key, when = key_of(loc), md.get("datetime", "")
            url, before = self._created.get(key, (document.url, when))
            if url != document.url and before != when and len(self.recreated) < _MOST_NAMES:
                sentence = f"{loc[:200]} is created, as in {url}, and is not deleted in between."
                self.recreated.append((document, sentence))
            if key in self._created or len(self._created) < _MOST_CREATED:
                self._created[key] = (document.url, when)

    def _changed(self, document: Document, loc: str, lastmod: str, md: Attributes) -> None:
        self.has_changes = True
        self._compare(loc, md)
        self._create(document, loc, md)
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
