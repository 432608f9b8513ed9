"""The rules of resources: a sample is requested, and compared with what its list states; links are compared too."""

from harvester.http.dates import http_second
from harvester.validate.check import Undecided
from harvester.validate.resourcesync.downloads import Download
from harvester.validate.resourcesync.observed import Observed, Resource
from harvester.validate.resourcesync.packages import fixity_faults
from harvester.validate.resourcesync.values import is_absolute, latest, moment
from harvester.validate.resourcesync.walk import Set, Walk, is_document
from harvester.validate.signposting.visits import essence

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
        download = self._walk.downloads.get(resource.loc)
        try:
            if is_deleted and download.is_success and self._walk.has_other_sets:
                self._judged.skip("resource.deleted", "It may be in a set of resources that was not read.")
            elif is_deleted:
                wrong = [f"It was deleted, and brings {download.ended}."] if download.is_success else []
                self._judged.faults(download, "resource.deleted", wrong)
            else:
                failed = [f"It brings {download.ended}."] if download.is_failure else []
                self._judged.faults(download, "resource.works", failed)
                if download.is_success:
                    self._compared(resource, download)
                    self._not_a_document(resource, download)
        finally:
            download.close()

    def _not_a_document(self, resource: Resource, download: Download) -> None:
        """Judge whether a resource that was requested is a document of a known capability."""
        is_known = self._walk.known(resource.loc) is not None
        if is_known and resource.document.capability == "resourcelist":
            return  # judged with the list
        document = None if is_known or not is_document(download.beginning) else self._walk.peeked(download)
        is_wrong = is_known or (document is not None and bool(document.capability))
        sentence = f"{resource.document.url} lists it, and it is a document."
        self._judged.faults(download, "resource.document", [sentence] if is_wrong else [])

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
                judged.faults(download, f"resource.{name}", [faults[name]] if name in faults else [])
        stated = essence(md.get("type", ""))
        if stated:
            differs = stated != download.media_type
            judged.faults(download, "resource.type", [f"The type is {stated}."] if differs else [])
        changed, changed_last = moment(resource.lastmod), latest(resource.lastmod)
        if modified is not None and changed is not None and changed_last is not None:
            differs = not int(changed) <= modified <= int(changed_last)
            sentence = f"lastmod is {resource.lastmod}, and Last-Modified is {download.header('Last-Modified')}."
            judged.faults(download, "resource.lastmod", [sentence] if differs else [])


def judge_resources(walk: Walk) -> None:
    """Judge the resources of a walk, as far as the limits allow."""
    try:
        ResourceRules(walk).judge()
    except Undecided as reason:
        walk.limit = str(reason)
