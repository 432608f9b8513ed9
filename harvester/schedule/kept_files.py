"""Keeps the files of our ResourceSync source: packages of dumps, and archived lists. `tend` calls it.

It needs `base_url`, since the files have the addresses of the site. One process at a time does it.
"""

from collections import Counter
from collections.abc import Iterable
from functools import partial
from typing import Final

from gateway.core.settings import Settings
from gateway.pages.item_places import Places
from gateway.pages.site import site_of
from gateway.publish.descriptions import metadata_of
from gateway.publish.step import EPOCH_FACT
from gateway.resourcesync.addresses import Addresses, ResourceSet, resource_sets
from gateway.resourcesync.keeping import Keep, Keeper, kept_files, remove_other_sets
from gateway.resourcesync.site_resources import SiteResources
from harvester.harvest.instance import Instance
from harvester.runtime.durable_files import reporting_unwritable
from harvester.runtime.interrupts import Stop
from harvester.runtime.progress import Progress
from harvester.schedule.rounds import Part, Rounds

_WORDS: Final = {
    "changes": "packages of changes",
    "resources": "packages of resources",
    "lists": "archived lists",
    "rewritten": "packages without what was taken down",
}


def keep_of(settings: Settings) -> Keep:
    """Return what the settings say about kept files."""
    return Keep(
        settings.number("resourcesync_change_dump_days"),
        settings.number("resourcesync_dump_bytes"),
        settings.number("resourcesync_snapshot_days"),
        settings.number("resourcesync_snapshots"),
    )


class KeptFilesRounds(Rounds):
    """The rounds of one instance, each of which brings the kept files of all sets of resources up to date.

    `only_cleans`: what was taken down or is old leaves the files, and nothing else is made.
    """

    name = "resourcesync"
    lock_name = "resourcesync.kept"

    def __init__(self, instance: Instance, progress: Progress, stop: Stop, *, only_cleans: bool = False) -> None:
        super().__init__(instance, progress, stop)
        self._only_cleans = only_cleans
        self._sets = resource_sets(instance.settings.text("resourcesync_lists"))
        self._base_url = instance.settings.text("base_url")
        self._site: SiteResources | None = None

    def _parts(self) -> Iterable[Part]:
        """Return a part for sets that the site no longer has, and one for each set of resources."""
        if not self._base_url:
            return ()
        return (self._without_other_sets, *(partial(self._kept, resources) for resources in self._sets))

    def _words(self, counts: Counter[str]) -> str:
        made = ", ".join(f"{_WORDS[kind]} {number}" for kind, number in sorted(counts.items()))
        return f"{made}." if made else ""

    def _without_other_sets(self) -> Counter[str]:
        with reporting_unwritable(self._instance.folder):
            remove_other_sets(self._instance.folder, self._sets)
        return Counter()

    def _kept(self, resources: ResourceSet) -> Counter[str]:
        store, settings, folder = self._instance.store, self._instance.settings, self._instance.folder
        if self._site is None:  # it remembers the periods
            site = site_of(settings, self._base_url)
            places, addresses = Places(site), Addresses(site.url)
            self._site = SiteResources(addresses, places.metadata_urls, metadata_of, page_url=places.page_urls)
        kept_of = kept_files(folder, self._site, store, store.fact(EPOCH_FACT))
        with reporting_unwritable(folder):
            kept, keep = kept_of(resources), keep_of(settings)
            keeper = Keeper(store, self._site, keep, resources, kept, lambda: self._stop.is_asked)
            return keeper.clean() if self._only_cleans else keeper.keep()
