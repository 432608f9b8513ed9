"""Keeps the files of our ResourceSync source: packages of dumps, and archived lists. `tend` calls it.

It needs `base_url`, since the files have the addresses of the site. One process at a time does it.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from traceback import format_exception
from typing import Final

from gateway.core.errors import GatewayError
from gateway.core.settings import Settings
from gateway.pages.item_places import Places
from gateway.pages.site import site_of
from gateway.publish.descriptions import metadata_of
from gateway.resourcesync.addresses import Addresses, ResourceSet, resource_sets
from gateway.resourcesync.keeping import Keep, Keeper, kept_files, remove_other_sets
from gateway.resourcesync.site_resources import SiteResources
from gateway.store.step import EPOCH_FACT
from harvester.harvest.instance import Instance
from harvester.runtime.exit_status import SourceLocked, Status, status_of_error, worst
from harvester.runtime.interrupts import Stop
from harvester.runtime.locks import lock
from harvester.runtime.progress import Progress
from harvester.schedule.due import repeated

_LOCK: Final = "resourcesync.kept"  # no name of a source has a dot
_PAUSE_SECONDS: Final = 60.0
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


class KeptFilesRounds:
    """The rounds of one instance, each of which brings the kept files of all sets of resources up to date."""

    def __init__(self, instance: Instance, progress: Progress, stop: Stop) -> None:
        self._instance, self._progress, self._stop = instance, progress, stop
        self._sets = resource_sets(instance.settings.text("resourcesync_lists"))
        self._base_url = instance.settings.text("base_url")
        self._site: SiteResources | None = None
        self._complaints: frozenset[str] = frozenset()
        self.status = Status.SUCCEEDED  # of the last round

    def run(self, *, only_cleans: bool = False) -> Counter[str]:
        """Run one round; return how many files of which kind were made. An error is reported; other sets go on.

        `only_cleans`: what was taken down or is old leaves the files, and nothing else is made. Nothing is done while
        another process runs a round. `status` says how the round ended.
        """
        counts: Counter[str] = Counter()
        complaints: list[str] = []
        self.status = Status.SUCCEEDED
        try:
            if self._base_url:
                with lock(self._instance.folder, _LOCK):
                    for part in self._parts(only_cleans=only_cleans):
                        counts += self._attempted(part, complaints)
        except SourceLocked:
            self.status = Status.LOCKED
        for complaint in dict.fromkeys(complaints):
            if complaint not in self._complaints:
                self._progress.fail(f"resourcesync: {complaint}")
        self._complaints = frozenset(complaints)
        if counts:
            made = ", ".join(f"{_WORDS[kind]} {number}" for kind, number in sorted(counts.items()))
            self._progress.say(f"resourcesync: {made}.")
        return counts

    def repeated(self) -> AbstractContextManager[None]:
        """Run rounds in a thread, as long as the block lasts."""

        def run() -> bool:
            self.run()
            return False

        return repeated(run, self._stop, "resourcesync", _PAUSE_SECONDS)

    def _attempted(self, part: Callable[[], Counter[str]], complaints: list[str]) -> Counter[str]:
        """Do a part of a round; an error is added to the complaints, and ends no other part."""
        try:
            return part()
        except OSError as error:
            where = error.filename or self._instance.folder
            complaints.append(f"{where} cannot be written: {error.strerror or error}.")
            status = Status.FAILED
        except GatewayError as error:
            complaints.append(str(error))
            status = status_of_error(error)
        except Exception as error:  # noqa: BLE001 - a fault here never stops harvests
            complaints.append(f"a fault of this program.\n{''.join(format_exception(error)).rstrip()}")
            status = Status.FAILED
        self.status = worst([self.status, status])
        return Counter()

    def _parts(self, *, only_cleans: bool) -> Iterator[Callable[[], Counter[str]]]:
        """Yield the parts of a round: one for sets that the site no longer has, and one for each set of resources."""
        yield self._without_other_sets
        for resources in self._sets:
            yield partial(self._kept, resources, only_cleans=only_cleans)

    def _without_other_sets(self) -> Counter[str]:
        remove_other_sets(self._instance.folder, self._sets)
        return Counter()

    def _kept(self, resources: ResourceSet, *, only_cleans: bool) -> Counter[str]:
        store, settings = self._instance.store, self._instance.settings
        if self._site is None:  # it remembers the periods
            site = site_of(settings, self._base_url)
            places, addresses = Places(site), Addresses(site.url)
            self._site = SiteResources(addresses, places.metadata_urls, metadata_of, page_url=places.page_urls)
        kept_of = kept_files(self._instance.folder, self._site, store, store.fact(EPOCH_FACT))
        kept, keep = kept_of(resources), keep_of(settings)
        keeper = Keeper(store, self._site, keep, resources, kept, lambda: self._stop.is_asked)
        return keeper.clean() if only_cleans else keeper.keep()
