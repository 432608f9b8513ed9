"""The rules of documents together, and of a sample of resources.

They are about links up and to the index, indexes and their parts, and windows of changes.
"""

from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise

from harvester.http.dates import http_second
from harvester.validate.check import Undecided
from harvester.validate.client import essence
from harvester.validate.resourcesync.downloads import Download
from harvester.validate.resourcesync.model import Document, Listed
from harvester.validate.resourcesync.observed import Observed, Resource
from harvester.validate.resourcesync.packages import fixity_faults
from harvester.validate.resourcesync.reading import Attributes
from harvester.validate.resourcesync.values import TIMES, is_absolute, latest, moment, other_times
from harvester.validate.resourcesync.walk import Set, Walk, is_document
from harvester.validate.signposting.declared import normal_form


class Together:
    """The rules of the documents of a walk."""

    def __init__(self, walk: Walk) -> None:
        self._walk, self._judged = walk, walk.judged

    def judge(self) -> None:
        """Judge all documents."""
        index_of = {normal_form(url): index for index, parts in self._walk.parts for url in _urls(parts)}
        for document in tuple(self._walk.documents):
            if document.kind is not None and document.kind.up:
                self._up(document, index_of)
            if document.kind is not None and not document.kind.is_manifest:
                self._index(document, index_of)
            if document.kind is not None and document.kind.lists == "packages" and not document.is_index:
                for listed in document.listed:
                    self._covers(document, listed.loc, listed.md)
        for index, parts in self._walk.parts:
            self._parts(index, parts)
        for resource_set in self._walk.sets:
            self._changes(resource_set)
            self._stale(resource_set)

    # -- up and index ---------------------------------------------------------------------------------------------

    def _linked(self, document: Document, rel: str) -> Document | None:
        """Return the document that the first link with a relation leads to; None when none can be read."""
        target = next(iter(document.linked(rel)), "")
        if not target:
            return None
        try:
            return self._walk.document(target)
        except Undecided as reason:
            self._walk.limit = str(reason)
            return None

    def _up(self, document: Document, index_of: dict[tuple[object, ...], Document]) -> None:
        assert document.kind is not None
        above = self._linked(document, "up")
        if above is None or not above.capability:
            return
        is_list = document.kind.up == "capabilitylist"
        rule = "up.capability-list" if is_list else "up.description"
        is_wrong = above.capability != document.kind.up
        sentence = f"up leads to {above.url}, whose capability is {above.capability}."
        self._judged.faults(document.shown, rule, is_wrong and sentence)
        if is_wrong or document.kind.is_manifest or not above.is_whole:
            return
        if document.kind.name.endswith("Notification"):  # the Capability List has the address of the topic
            return
        own = {normal_form(url) for url in document.urls}
        names = {normal_form(url) for url in document.linked("index")}
        index = index_of.get(normal_form(document.url))
        is_part, passed = index is not None, set[str]()
        while index is not None and index.url not in passed:
            passed.add(index.url)
            names |= {normal_form(url) for url in index.urls}
            index = index_of.get(normal_form(index.url))
        listed_names = {normal_form(listed.loc) for listed in above.listed}
        is_named = not own.isdisjoint(listed_names)
        is_listed = not names.isdisjoint(listed_names) or (is_named and not is_part)
        if not is_listed and (above.is_index or self._is_old(document)):
            return
        sentence = f"{above.url} lists neither this document nor its index."
        if is_named:
            sentence = f"{above.url} lists this part, and not its index."
        self._judged.faults(document.shown, "up.listed" if is_list else "up.described", not is_listed and sentence)

    def _is_old(self, document: Document) -> bool:
        """Return whether an archive lists a document: a Capability List has only the archive."""
        names = {normal_form(url) for url in document.urls}
        if document.is_index:
            names |= {normal_form(listed.loc) for listed in document.listed}
        archives = (one for one in self._walk.documents if one.capability.endswith("-archive"))
        return any(normal_form(listed.loc) in names for archive in archives for listed in archive.listed)

    def _index(self, document: Document, index_of: dict[tuple[object, ...], Document]) -> None:
        index = index_of.get(normal_form(document.url))
        if index is not None:
            missing = not document.linked("index") and f"{index.url} lists it, and it has no index link."
            self._judged.faults(document.shown, "index.link", missing)
        if not document.linked("index"):
            return
        linked = self._linked(document, "index")
        if linked is None or not linked.is_whole:
            return
        names = {normal_form(url) for url in document.urls}
        is_listed = any(normal_form(listed.loc) in names for listed in linked.listed)
        if not is_listed and any(document.url in one.observed.inventory for one in self._walk.sets):
            return  # the index is written as a list, which another rule says
        wrong = not is_listed and f"index leads to {linked.url}, which does not list it."
        self._judged.faults(document.shown, "index.lists", wrong)

    # -- indexes --------------------------------------------------------------------------------------------------

    def _parts(self, index: Document, parts: list[tuple[Listed, Document]]) -> None:
        judged = self._judged
        for listed, part in parts:
            judged.faults(index.shown, "index.nested", part.is_index and f"{index.url} lists the index {part.url}.")
            self._covers(index, part.url, part.md)
            self._times(index, listed, part)
        if index.kind is None or index.kind.required != "from":
            return
        order = [(listed.md.get("from") or part.md.get("from", ""), part) for listed, part in parts]
        begins = [(moment(text), text, part) for text, part in order]
        late = [
            f"{other.url} begins at {text}, before {one.url}."
            for (first, _, one), (then, text, other) in pairwise(begins)
            if first is not None and then is not None and then < first
        ]
        judged.faults(index.shown, "index.order", late)
        is_open = [part for _, part in parts if not part.md.get("until")]
        wrong = [f"{part.url} is open, and is not the last one." for part in is_open if part is not parts[-1][1]]
        judged.faults(index.shown, "index.open", wrong)

    def _covers(self, whole: Document, url: str, part: Attributes) -> None:
        """Judge whether a part begins and ends within the whole (Z39.99 Appendix A)."""
        times = TIMES[2:] if "from" in whole.md else TIMES[:2]
        begin, end = (moment(whole.md.get(name, "")) for name in times)
        if begin is not None and end is not None and end < begin:
            return  # another rule says so
        wrong = []
        for name in (name for name in TIMES if name in whole.md and name in part):
            is_begin = name in ("at", "from")
            of_whole, of_part = (moment, latest) if is_begin else (latest, moment)
            one, other = of_whole(whole.md[name]), of_part(part[name])
            if one is None or other is None:
                continue
            if (other < one) if is_begin else (other > one):
                when = "before" if is_begin else "after"
                wrong.append(f"{name} of {url} is {part[name]}, {when} {whole.md[name]} of {whole.url}.")
        self._judged.faults(whole.shown, "index.covers", wrong)

    def _times(self, index: Document, listed: Listed, part: Document) -> None:
        judged = self._judged
        others = other_times(listed.md, part.md)
        sentences = (f"{name} of {part.url} is {one} here, and {other} there." for name, one, other in others)
        judged.faults(index.shown, "index.times", sentences)
        if part.kind is not None and part.kind.required == "from" and not part.is_index:
            is_closed, is_stated = bool(part.md.get("until")), bool(listed.md.get("until"))
            state = "closed, and has no until here" if is_closed else "open, and has an until here"
            judged.faults(index.shown, "index.until", is_closed != is_stated and f"{part.url} is {state}.")

    # -- changes --------------------------------------------------------------------------------------------------

    def _changes(self, resource_set: Set) -> None:
        changes = resource_set.roots.get("changelist")
        if changes is None:
            return
        parts = next((parts for index, parts in self._walk.parts if index is changes), None)
        lists = [changes] if parts is None else [part for _, part in parts]
        self._gaps(lists)
        resources = resource_set.roots.get("resourcelist")
        at = latest(resources.md.get("at", "")) if resources is not None else None
        begins = [begin for one in lists if (begin := moment(one.md.get("from", ""))) is not None]
        if resources is None or at is None or not begins:
            return
        is_late = min(begins) > at
        sentence = f"The first Change List begins after {resources.md['at']}, which is at of the Resource List."
        self._judged.faults(changes.shown, "changes.cover", is_late and sentence)

    def _stale(self, resource_set: Set) -> None:
        """Judge whether the Resource List has the last changes before it, if all of them were read."""
        root, observed = resource_set.roots.get("resourcelist"), resource_set.observed
        for document, sentence in observed.recreated:
            self._judged.faults(document.shown, "change.created", [sentence])
        if root is None or self._walk.limit or not observed.has_changes:
            return
        if not observed.is_stale_whole:
            for rule in ("changes.deletion", "changes.state"):
                self._judged.skip(rule, "There are too many changes.")
            return
        for rule in ("changes.deletion", "changes.state"):
            self._judged.faults(root.shown, rule, (text for name, text in observed.stale.values() if name == rule))

    def _gaps(self, lists: list[Document]) -> None:
        timed = sorted(
            (document for document in lists if moment(document.md.get("from", "")) is not None),
            key=lambda document: moment(document.md["from"]) or 0,
        )
        for one, other in pairwise(timed):
            until, begin = latest(one.md.get("until", "")), moment(other.md["from"])
            if until is not None and begin is not None:
                sentence = f"{one.url} ends at {one.md['until']}, and {other.url} begins at {other.md['from']}."
                self._judged.faults(other.shown, "changes.gap", begin > until and sentence)


def _urls(parts: list[tuple[Listed, Document]]) -> Iterator[str]:
    for listed, part in parts:
        yield listed.loc
        yield from part.urls


# --- resources: a sample is requested, and compared with what its list states; links are compared too -----------------

_BACK = {"describes": "describedby", "describedby": "describes"}


class ResourceRules:
    """The rules of the resources of a walk."""

    def __init__(self, walk: Walk) -> None:
        self._walk, self._judged = walk, walk.judged

    def judge(self) -> None:
        """Judge the resources of all sets. Raise Undecided at a limit."""
        for resource_set in self._walk.sets:
            self._repetitions(resource_set)
            self._links(resource_set)
            self._documents(resource_set)
        for resource_set in self._walk.sets:
            for resource in resource_set.observed.resources.by_loc.values():
                self._requested(resource)
            if self._walk.limit:
                continue  # the last change of a resource may not have been read
            for resource in resource_set.observed.changes.by_loc.values():
                self._requested(resource)

    def _repetitions(self, resource_set: Set) -> None:
        root = resource_set.roots.get("resourcelist")
        if root is None or not root.is_index:
            return
        observed = resource_set.observed
        sentences = []
        for one, other in observed.inventory.repetitions():
            if observed.is_compared:
                sentences.append("An address is listed in two parts, or twice in one.")
            elif one != other:
                sentences.append(f"An address is listed in {observed.part(one)} and in {observed.part(other)}.")
        self._judged.faults(root.shown, "loc.once-in-parts", sentences[:100])

    def _documents(self, resource_set: Set) -> None:
        """Judge whether a Resource List lists documents that were read."""
        root = resource_set.roots.get("resourcelist")
        if root is None:
            return
        inventory = resource_set.observed.inventory
        documents = {url for one in self._walk.documents if one.kind and not one.kind.is_manifest for url in one.urls}
        wrong = (f"{url} is a document, and the Resource List has it." for url in sorted(documents) if url in inventory)
        self._judged.faults(root.shown, "resource.document", wrong)

    def _links(self, resource_set: Set) -> None:
        observed: Observed = resource_set.observed
        root = resource_set.roots.get("resourcelist")
        if root is None or not observed.links.pairs:
            return
        if not observed.links.is_whole:
            self._judged.skip("resource.describes", "There are too many links.")
            return
        sentences = [
            f"{loc} {rel} {href}, which is listed without {_BACK[rel]} to it."
            for loc, rel, href in sorted(observed.links.pairs)
            if (href, _BACK[rel], loc) not in observed.links.pairs and href in observed.inventory
        ]
        self._judged.faults(root.shown, "resource.describes", sentences)

    def _requested(self, resource: Resource) -> None:
        if not is_absolute(resource.loc) or not resource.loc.lower().startswith("http"):
            return
        is_deleted = resource.md.get("change") == "deleted"
        if is_deleted and any(resource.loc in resource_set.observed.inventory for resource_set in self._walk.sets):
            return  # it has left one set of resources, and is in another one
        with closing(self._walk.downloads.get(resource.loc)) as download:
            if is_deleted and download.is_success and self._walk.has_other_sets:
                self._judged.skip("resource.deleted", "It may be in a set of resources that was not read.")
            elif is_deleted:
                wrong = download.is_success and f"It was deleted, and brings {download.ended}."
                self._judged.faults(download, "resource.deleted", wrong)
            else:
                self._judged.faults(download, "resource.works", download.is_failure and f"It brings {download.ended}.")
                if download.is_success:
                    self._compared(resource, download)
                    self._not_a_document(resource, download)

    def _not_a_document(self, resource: Resource, download: Download) -> None:
        """Judge whether a resource that was requested is a document of a known capability."""
        is_known = self._walk.known(resource.loc) is not None
        if is_known and resource.document.capability == "resourcelist":
            return  # judged with the list
        document = None if is_known or not is_document(download.beginning) else self._walk.peeked(download)
        is_wrong = is_known or (document is not None and bool(document.capability))
        sentence = f"{resource.document.url} lists it, and it is a document."
        self._judged.faults(download, "resource.document", is_wrong and sentence)

    def _compared(self, resource: Resource, download: Download) -> None:
        md, judged = resource.md, self._judged
        modified = http_second(download.header("Last-Modified"))
        at = moment(resource.document.md.get("at") or md.get("datetime", ""))
        if modified is not None and at is not None and modified > at:
            return  # it has changed since
        # A list states the bytes as they are sent, and those with a content coding are not kept.
        is_packed = bool(md.get("encoding"))
        faults = {} if is_packed else dict(fixity_faults(md, download.size, download.digest))
        for name in ("length", "hash"):
            if name in md:
                judged.faults(download, f"resource.{name}", name in faults and faults[name])
        stated = essence(md.get("type", ""))
        if stated:
            judged.faults(download, "resource.type", stated != download.media_type and f"The type is {stated}.")
        changed, changed_last = moment(resource.lastmod), latest(resource.lastmod)
        if modified is not None and changed is not None and changed_last is not None:
            differs = not int(changed) <= modified <= int(changed_last)
            sentence = f"lastmod is {resource.lastmod}, and Last-Modified is {download.header('Last-Modified')}."
            judged.faults(download, "resource.lastmod", differs and sentence)


def judge_resources(walk: Walk) -> None:
    """Judge the resources of a walk, as far as the limits allow."""
    try:
        ResourceRules(walk).judge()
    except Undecided as reason:
        walk.limit = str(reason)
