"""The parts that all runs of a mirror share: objects get their next versions, and a receipt is written.

The records come from the provider (`harvest_objects.py`), from a package (`package.py`), or from the mirror
itself when an object is tried again.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from gateway.core.errors import StoreDamaged
from gateway.core.model import RawPage, RunOutcome, Slice
from gateway.core.xmltext import utc_datetime
from harvester.dump.dump import fragment
from harvester.mirror.catalogue import audit_of
from harvester.mirror.folder import MirrorFolder
from harvester.mirror.inventory import PROGRAM, User
from harvester.mirror.object_state import DOCUMENT, RECEIVED, Holding
from harvester.mirror.object_versions import PendingVersion, ReceivedRecord, begun, is_done
from harvester.mirror.receipt import Change, Receipt
from harvester.mirror.verify import Fate
from harvester.runtime.exit_status import RunLifecycle
from harvester.runtime.progress import Progress


@dataclass(slots=True)
class Run(RunLifecycle):
    """A run of a mirror. The caller must hold the lock of the folder.

    `receipt` is written into the folder, also when the run fails. `clock` returns seconds since 1970 (UTC).

    Methods that write raise StoreUnwritable.
    """

    place: MirrorFolder
    receipt: Receipt
    progress: Progress
    clock: Callable[[], float]
    user: User = field(default=PROGRAM, kw_only=True)  # the author of the versions that it makes
    tried: set[str] = field(default_factory=set, kw_only=True)  # objects whose doubtful files were tried
    # an object could not be read; its record must be harvested again
    has_damage: bool = field(default=False, kw_only=True)

    @contextmanager
    def recorded(self) -> Iterator[None]:
        """Settle what a killed process left, run the block, and write the receipt, also when the block raises.

        Raise StoreDamaged when the catalogue is not the one that the last run wrote.
        """
        self.place.ready(self.receipt.command)
        self.receipt.doubts.extend(self._altered())
        with RunLifecycle.recorded(self):
            try:
                yield
            finally:
                self.receipt.waiting = len(self.place.waiting)
            self._report_earlier()
            if not self.receipt.is_whole:
                self.outcomes.append(RunOutcome.SUCCEEDED_WITH_ERRORS)

    def _altered(self) -> Iterator[str]:
        """Return a sentence if files in `failed` or `doubtful` are not what the last run wrote."""
        if altered := self.place.beside.altered:
            name, problem = next(iter(altered.items()))
            yield (
                f"{len(altered)} files in failed, doubtful or waiting are not what the last run wrote, so what is "
                f"missing may not be known. The first is {name}: {problem} {audit_of(self.place.folder)} names them "
                "all, and notes what is missing."
            )

    def note_failure(self, reason: str) -> None:
        """Add a reason to the doubts of the receipt."""
        self.receipt.doubts.append(reason)

    def end(self) -> None:
        """Write the receipt. Remove unfinished files when nothing is missing.

        Raise the errors of `MirrorFolder.keep`.
        """
        try:
            if self.outcome is RunOutcome.SUCCEEDED:
                self.place.root.clear()
        finally:
            self.receipt.outcome = self.outcome
            self.receipt.ended_at = utc_datetime(self.now())
            self.place.keep(self.receipt)

    def _report_earlier(self) -> None:
        """Report what was missing before this run and was not tried in it: it is still missing."""
        reported = {missing["identifier"] for missing in self.receipt.missing}
        for identifier in self.place.failed.marked():
            if identifier in reported:
                continue
            try:
                inventory, held = self.place.known(identifier)
            except StoreDamaged as error:
                self.receipt.miss(identifier, Fate.UNREADABLE, str(error))
                continue
            self.receipt.miss_of(held, tried="in an earlier run")
            for path in sorted(self.place.root.harmed(inventory)):
                self.receipt.miss(identifier, Fate.HARMED, f"{path} is not on this disk any more as it arrived.")
        for identifier, reason in self.place.failed.unread():
            if identifier not in reported:
                self.receipt.miss(identifier, Fate.UNREADABLE, reason, tried="in an earlier run")

    def unusable(self, slice_: Slice) -> None:
        """Count a record that cannot be read. Each run reports it until a readable record is received."""
        self.receipt.count(Change.UNUSABLE)
        self.receipt.miss(slice_.identifier, Fate.UNREADABLE, slice_.problem)
        self.place.failed.note_unread(slice_.identifier, slice_.problem)

    def sound(self, identifier: str, made: Callable[[], PendingVersion | None]) -> PendingVersion | None:
        """Return the object that `made` returns; None when it is damaged, which is reported. The run continues."""
        try:
            return made()
        except (StoreDamaged, OSError) as error:
            self.has_damage = True
            self.receipt.count(Change.UNUSABLE)
            self.receipt.miss(identifier, Fate.UNREADABLE, str(error))
            return None

    def object(self, received: ReceivedRecord) -> PendingVersion:
        """Return the object of a record, compared with the record. Raise StoreDamaged when it cannot be read."""
        self.place.failed.forget_unread(received.identifier)
        root, order = self.place.root, self.place.order
        inventory = root.inventory(received.identifier)
        now = Holding(received.identifier, order.base_url, order.metadata_prefix, received.datestamp, received.sets)
        return self.with_harm(begun(root, inventory, self.place.holding(inventory), now, received), is_record_new=True)

    def held_again(self, identifier: str) -> PendingVersion | None:
        """Return an object as if its record was received again; None for a deleted object.

        Raise StoreDamaged when the object or its document is not what was received.
        """
        root = self.place.root
        inventory, before = self.place.known(identifier)
        if before.is_deleted:  # the damage is in an earlier version
            self.place.failed.mark(identifier, is_whole=True)
            return None
        if missing := {DOCUMENT, *inventory.state.values()} - {*inventory.state, *inventory.manifest}:
            raise StoreDamaged(
                f"The inventory of {identifier} does not name {min(missing)}: it has been altered. "
                "Bring it back from a copy."
            )
        contents = {name: (root.place(identifier) / inventory.place(name)).read_bytes for name in inventory.state}
        abouts = tuple(contents[name]() for name in sorted(contents) if name.startswith("about-"))
        received = ReceivedRecord(
            identifier, before.datestamp, before.sets, document=contents[DOCUMENT](), abouts=abouts
        )
        pending = begun(root, inventory, before, replace(before, files=(), problem=""), received)
        if pending.now.document_sha256 != before.document_sha256:
            self.place.failed.mark(identifier, is_whole=False)  # it is written again with its record
            raise StoreDamaged(f"{identifier}: {DOCUMENT} is not what arrived; `harvester mirror --full` brings it.")
        return self.with_harm(pending, is_record_new=False)

    def with_harm(self, pending: PendingVersion, *, is_record_new: bool) -> PendingVersion:
        """Return an object whose damaged files, as found by an audit, are planned to be fetched again.

        Documents are restored only from a record that was just received. Raise StoreDamaged for any other damage.
        """
        identifier = pending.now.identifier
        pending = pending.with_doubts(self.place.doubtful)
        if pending.now.is_deleted or not self.place.failed.is_marked(identifier):
            return pending
        harmed = pending.root.harmed(pending.inventory)
        if RECEIVED in harmed:
            raise StoreDamaged(f"{identifier}: {RECEIVED} is not what was written; it must come from a copy.")
        beyond = sorted(path for path in harmed if not path.startswith("files/"))
        if beyond and not is_record_new:
            raise StoreDamaged(f"{identifier}: {beyond[0]} is not what arrived; `harvester mirror --full` brings it.")
        return pending.as_harmed(harmed)

    def is_settled(self, pending: PendingVersion) -> bool:
        """Return whether an object needs no new version. Such an object is counted."""
        if pending.before is None and pending.now.is_deleted:
            self.receipt.count(Change.NEVER_HELD)
            return True
        if is_done(pending):
            self.receipt.count(Change.UNCHANGED)
            return True
        return False

    def commit(self, pending: PendingVersion) -> None:
        """Write the next version of an object, and count it."""
        self.counted(*self.made(pending))

    def made(self, pending: PendingVersion) -> tuple[Change, Holding]:
        """Write the next version of an object, unless nothing new was received. Any thread may call it.

        Return what changed, and the state of the object.
        """
        pending.with_accepted()
        if pending.lay_aside(self.now()):
            self.tried.add(pending.now.identifier)
        is_mended = pending.mended()
        if _is_no_better(pending):
            change, holding = Change.MENDED if is_mended else Change.UNCHANGED, pending.holding
        else:
            change, holding = pending.commit(self.now(), self.user)
        pending.tidy_aside()
        return change, holding

    def counted(self, change: Change, holding: Holding) -> None:
        """Count an object, and note whether any of its files is missing."""
        self.place.failed.mark(holding.identifier, is_whole=holding.is_whole)
        self.receipt.count(change, holding)

    def now(self) -> int:
        """Return the current second since 1970 (UTC)."""
        return int(self.clock())


def _is_no_better(pending: PendingVersion) -> bool:
    """Return whether a retry received nothing new: the same record, and the same files are missing."""
    before, now = pending.before, pending.now
    if before is None or now.is_deleted or before.is_deleted:
        return False
    if (before.datestamp, before.document_sha256) != (now.datestamp, now.document_sha256):
        return False
    if _doubts(before) != _doubts(pending.holding):
        return False
    had = {(file.path, file.sha512) for file in before.files if file.is_good}
    return had >= {(file.path, file.sha512) for file in pending.holding.files if file.is_good}


def _doubts(holding: Holding) -> set[tuple[str, ...]]:
    return {(*file.locations, file.rule) for file in holding.files if file.fate is Fate.DOUBTFUL}


def received_from(page: RawPage, slice_: Slice) -> ReceivedRecord:
    """Return a record that was cut from a page. Its document and its about containers are separate XML documents."""
    text = page.repaired or page.body
    parts = ((slice_.start, slice_.stop), *slice_.abouts)
    document, *abouts = (fragment(text[start:stop], slice_.declarations, is_enclosed=False) for start, stop in parts)
    return ReceivedRecord(slice_.identifier, slice_.datestamp, slice_.sets, slice_.is_deleted, document, tuple(abouts))
