"""Makes, verifies and drops the kept files of a set of resources. `harvester tend` calls it; the routes only read them.

    drop what is too old or lost -> leave out what was taken down -> make what is missing -> delete other files

Each step writes its file, and then the index that names it. So a kill loses at most the file that is being written.
An error in one set of resources does not end the work on the others. If files could not be written, `harvester tend`
ends with 1 and `harvester takedown add` with 3.
"""

import gzip
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import IO, Final, NamedTuple

from gateway.core.model import Selection
from gateway.core.takedowns import Takedowns
from gateway.core.xmltext import utc_datetime
from gateway.resourcesync import packages
from gateway.resourcesync.addresses import ResourceSet
from gateway.resourcesync.kept import (
    DAMAGED,
    FOLDER,
    KeptDocuments,
    KeptFiles,
    KeptList,
    KeptPackage,
    KeptPart,
    Versions,
    entries_of,
    folder_of,
    forbidden_in,
    key_of,
    line_of,
    mark_of,
)
from gateway.resourcesync.periods import Period
from gateway.resourcesync.site_resources import SiteResources, bounds, selected
from gateway.store.base import Store, View

_DAY_SECONDS: Final = 86_400


class Keep(NamedTuple):
    """What is kept of each set of resources: settings. 0 days or bytes: nothing of that kind."""

    change_dump_days: int = 0
    dump_bytes: int = 0
    snapshot_days: int = 0
    snapshots: int = 1


class Keeper:
    """Keeps the files of one set of resources. One process at a time may do it.

    `kept` is what the index on the disk has. Nothing is begun when `is_stopped` returns True.
    """

    def __init__(
        self,
        store: Store,
        site: SiteResources,
        keep: Keep,
        resources: ResourceSet,
        kept: KeptFiles,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._store, self._site, self._keep, self._is_stopped = store, site, keep, is_stopped
        self._resources, self._kept = resources, kept
        self._kept_documents = kept.read()
        self._verifies = False  # all files are compared with their names
        self._counts: Counter[str] = Counter()

    def keep(self) -> Counter[str]:
        """Bring the kept files up to date; return how many were made. Raise StoreError and OSError."""
        return self.clean() + self._completed()

    def clean(self) -> Counter[str]:
        """Leave out of the kept files what was taken down, and delete what is old; make nothing else."""
        with self._store.view() as view:
            versions = view.withheld_versions(self._resources.metadata_prefix)
            line = view.last_change()
            self._verifies = not 0 <= view.horizon - self._kept_documents.verified_at < _DAY_SECONDS
            self._write(self._without_old(view.horizon)._replace(parts=tuple(self._valid_parts(view, line))))
        counts = Counter(rewritten=self._verify_packages(versions))
        self._verify_lists(versions)
        self._kept.remove_others(self._kept_documents)
        return +counts

    def _completed(self) -> Counter[str]:
        with self._store.view() as view:
            now = view.horizon
        self._make_packages(now)
        has_all_parts = self._make_parts(now)
        self._make_list(now)
        if has_all_parts and self._verifies:
            self._write(self._kept_documents._replace(verified_at=now))
        self._kept.remove_others(self._kept_documents)
        return self._counts

    def _write(self, kept_documents: KeptDocuments) -> None:
        if kept_documents != self._kept_documents:
            self._kept.write(kept_documents)
            self._kept_documents = kept_documents

    # -- what goes -----------------------------------------------------------------------------------------------

    def _without_old(self, now: int) -> KeptDocuments:
        first = self._first(now)
        lists = self._kept_documents.lists[-self._keep.snapshots :] if self._keep.snapshot_days else ()
        return self._kept_documents._replace(
            packages=tuple(
                package
                for package in self._kept_documents.packages
                if package.until > first and self._is_good(package.file, package.length)
            ),
            lists=tuple(kept for kept in lists if all(self._is_good(file) for _, file in kept.parts)),
        )

    def _is_good(self, file: str, length: int | None = None) -> bool:
        is_there = self._kept.has(file) if length is None else self._kept.is_whole(file, length)
        return is_there and (not self._verifies or self._kept.is_intact(file))

    def _first(self, now: int) -> int:
        """Return the second after which the periods of kept packages end."""
        return now - self._keep.change_dump_days * _DAY_SECONDS if self._keep.change_dump_days else now

    def _valid_parts(self, view: View, line: int) -> Iterator[KeptPart]:
        """Yield the parts of the Resource Dump that have not changed, as they are at this line of the log."""
        known = self._kept_documents.parts if self._keep.dump_bytes else ()
        for part in valid_parts(view, self._site, self._resources, known):
            yield part._replace(line=line)

    def _verify_packages(self, versions: Versions) -> int:
        """Write packages again without what was taken down; return how many."""
        takedowns = self._store.takedowns()
        mark, before = mark_of(versions, takedowns), self._kept_documents.files
        for package in self._kept_documents.packages:
            if package.checked == mark:
                continue
            checked = self._verified(package, versions, takedowns)
            others = ((checked if other == package else other) for other in self._kept_documents.packages)
            self._write(self._kept_documents._replace(packages=tuple(other for other in others if other is not None)))
        return len(self._kept_documents.files - before)

    def _verified(self, package: KeptPackage, versions: Versions, takedowns: Takedowns) -> KeptPackage | None:
        """Return a package without what was taken down; None if it is damaged, so that it is made again."""
        try:
            forbidden = forbidden_in(self._kept, package, versions, takedowns)
            file = self._kept.opened(package.file) if forbidden else None
            if file is not None:
                with file:
                    rest, _ = packages.without(file, forbidden)
                name, length, digest = self._kept.add(f"changes-{package.name}", rest, ".zip")
                package = package._replace(file=name, length=length, sha256=digest)
        except DAMAGED:
            if self._kept.is_intact(package.file):  # the disk is full, for example
                raise
            return None
        return package._replace(checked=mark_of(versions, takedowns))

    def _verify_lists(self, versions: Versions) -> None:
        mark = mark_of(versions)
        for kept in self._kept_documents.lists:
            if kept.checked != mark:
                checked = self._verified_list(kept, versions)
                others = ((checked if other == kept else other) for other in self._kept_documents.lists)
                self._write(self._kept_documents._replace(lists=tuple(other for other in others if other is not None)))

    def _verified_list(self, kept: KeptList, versions: Versions) -> KeptList | None:
        """Return an archived list without what was taken down; None if it is damaged: nobody can make it again."""
        try:
            parts = tuple((part, self._filtered(part, file, versions)) for part, file in kept.parts)
        except DAMAGED:
            if all(self._kept.is_intact(file) for _, file in kept.parts):
                raise
            return None
        return kept._replace(parts=parts, checked=mark_of(versions))

    def _filtered(self, part: int, name: str, versions: Versions) -> str:
        """Return the name of a file of an archived list without what was taken down."""
        with gzip.open(self._kept.folder / name) as stream:
            lines = stream.readlines()
        rest = [line for line in lines if any(entries_of((line,), versions))]
        return name if len(rest) == len(lines) else self._add_lines(part, rest)

    # -- what comes ----------------------------------------------------------------------------------------------

    def _make_packages(self, now: int) -> None:
        """Make the packages of the closed periods that have none."""
        if not self._keep.change_dump_days:
            return
        with self._store.view() as view:
            periods = self._site.periods.of(view, self._resources)
        first = self._first(now)
        order = {period.name: place for place, period in enumerate(periods)}
        known = {package.name for package in self._kept_documents.packages}
        for period in periods:
            if period.until is None or period.until <= first or period.name in known:
                continue
            if self._is_stopped():
                return
            with self._store.view() as view:
                package = self._package(view, period, period.until)
            made = sorted((*self._kept_documents.packages, package), key=lambda kept: order.get(kept.name, -1))
            self._write(self._kept_documents._replace(packages=tuple(made)))
            self._counts["changes"] += 1

    def _package(self, view: View, period: Period, until: int) -> KeptPackage:
        versions = view.withheld_versions(self._resources.metadata_prefix)
        manifest = self._site.change_manifest(self._resources, period.from_, until)
        file, _ = packages.zipped(manifest, self._site.packed_changes(view, self._resources, period))
        added = self._kept.add(f"changes-{period.name}", file, ".zip")
        return KeptPackage(period.name, period.from_, until, *added, mark_of(versions, self._store.takedowns()))

    def _make_parts(self, now: int) -> bool:
        """Make the packages of the Resource Dump that are missing, at most once a day; and those that are lost.

        Return False if the round was stopped meanwhile.
        """
        if not self._keep.dump_bytes:
            return True
        is_due = not 0 <= now - self._kept_documents.dumped_at < _DAY_SECONDS
        with self._store.view() as view:
            within = Selection(*selected(self._resources))
            wanted = [number + 1 for number in view.resource_ranges(within, self._site.most_packed)]
        known = {kept.part: kept for kept in self._kept_documents.parts}
        for part in wanted:
            is_lost = part in known and not self._is_good(known[part].file, known[part].length)
            if not is_lost and (part in known or not is_due):
                continue
            if self._is_stopped():
                return False
            if not self._make_part(part, known.get(part)):
                break
        if is_due:
            self._write(self._kept_documents._replace(dumped_at=now))
        return True

    def _make_part(self, part: int, lost: KeptPart | None) -> bool:
        """Make a package; one that was lost as it was. Return whether there is room for more."""
        others = tuple(kept for kept in self._kept_documents.parts if kept.part != part)
        room = self._keep.dump_bytes - sum(kept.length for kept in others)
        with self._store.view() as view:
            at = lost.at if lost else self._site.at(view, self._resources)
            seen = view.last_change(), self._site.origins_mark(view, self._resources)
            file, length = package_of_part(view, self._site, self._resources, part, at)
        if length > room:
            file.close()
            return False
        name, length, digest = self._kept.add(f"resources-{part}", file, ".zip")
        made = sorted((*others, KeptPart(part, name, length, digest, at, *seen)))
        self._write(self._kept_documents._replace(parts=tuple(made)))
        self._counts["resources"] += 1
        return True

    def _make_list(self, now: int) -> None:
        """Archive the Resource List, if the last one that was archived is old enough, and another one."""
        days, lists = self._keep.snapshot_days, self._kept_documents.lists
        if not days or self._is_stopped() or (lists and now - lists[-1].at < days * _DAY_SECONDS):
            return
        with self._store.view() as view:
            at = self._site.at(view, self._resources)
            name = utc_datetime(at).replace("-", "").replace(":", "")
            if any(kept.name == name for kept in lists) or not view.last_item():
                return
            versions = view.withheld_versions(self._resources.metadata_prefix)
            parts = tuple((part, self._add_lines(part, lines)) for part, lines in self._lines(view))
        made = (*lists, KeptList(name, at, parts, mark_of(versions)))
        self._write(self._kept_documents._replace(lists=made[-self._keep.snapshots :]))
        self._counts["lists"] += 1

    def _lines(self, view: View) -> Iterator[tuple[int, Iterable[bytes]]]:
        """Yield the parts of the Resource List with their lines; part 0: it is one document."""
        within = Selection(*selected(self._resources))
        most = self._site.most_entries
        if view.count(within) <= most:
            yield 0, self._lines_of(view, 0, view.last_item())
            return
        for number in view.resource_ranges(within, most):
            yield number + 1, self._lines_of(view, *bounds(number + 1, most))

    def _lines_of(self, view: View, after: int, until: int) -> Iterator[bytes]:
        for resource, entry in self._site.archived(view, self._resources, after, until):
            yield line_of(resource.item, resource.datestamp, entry)

    def _add_lines(self, part: int, lines: Iterable[bytes]) -> str:
        content = gzip.compress(b"".join(lines), compresslevel=6, mtime=0)
        name, _, _ = self._kept.add(f"list-{part}", BytesIO(content), ".gz")
        return name


def kept_files(instance: Path, site: SiteResources, store: Store, epoch: str) -> Callable[[ResourceSet], KeptFiles]:
    """Return the function that returns the kept files of a set.

    A store that was restored or made again has another `epoch`, and a new one another beginning of its changes.
    """
    with store.view() as view:
        begin = view.changes_from()
    key = key_of(site.addresses.url, epoch, begin, site.most_entries, site.most_packed)
    return lambda resources: KeptFiles(instance, resources, key)


def remove_other_sets(instance: Path, sets: Iterable[ResourceSet]) -> None:
    """Delete the kept files of sets of resources that the site no longer has. Raise OSError."""
    names = {folder_of(resources) for resources in sets}
    place = instance / FOLDER
    for folder in tuple(place.iterdir()) if place.is_dir() else ():
        if folder.name not in names and folder.is_dir():
            shutil.rmtree(folder)


def valid_parts(
    view: View, site: SiteResources, resources: ResourceSet, parts: Iterable[KeptPart]
) -> tuple[KeptPart, ...]:
    """Return the kept packages of the Resource Dump whose resources are still the same."""
    known = tuple(parts)
    changed = {line: view.changed_ranges(line, site.most_packed) for line in {kept.line for kept in known}}
    valid = (view.last_change(), site.origins_mark(view, resources)) if known else (0, "")
    return tuple(
        kept
        for kept in known
        if kept.line <= valid[0] and kept.origins == valid[1] and kept.part - 1 not in changed[kept.line]
    )


def package_of_part(
    view: View, site: SiteResources, resources: ResourceSet, part: int, at: int
) -> tuple[IO[bytes], int]:
    """Return a package of the Resource Dump, and its length; `at` is the second whose state it has."""
    listed = site.in_package(view, resources, part)
    entries = site.entries(view, resources)
    return packages.package(site.resource_manifest(resources, at), entries, site.packed(view, resources, listed))
