"""What every run of a mirror does, whatever brings its records: objects get their versions, and a receipt is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from gateway.errors import StoreDamaged
from gateway.model import RawPage, RunOutcome, Slice
from gateway.xmltext import utc_datetime
from harvester.dump import fragment
from harvester.mirror.holding import DOCUMENT, RECEIVED, Holding
from harvester.mirror.inventory import PROGRAM, Inventory, User
from harvester.mirror.keeping import Keeping, Received, begun, is_done
from harvester.mirror.place import Place
from harvester.mirror.receipt import Change, Receipt
from harvester.mirror.verifying import Fate
from harvester.outcomes import noting
from harvester.progress import Progress
from harvester.stopping import Stop


@dataclass(slots=True)
class Run:
    """A run of a mirror, whatever brings the records. `receipt` is kept in the folder however the run ends."""

    place: Place
    receipt: Receipt
    progress: Progress
    stop: Stop
    clock: Callable[[], float]
    user: User = field(default=PROGRAM, kw_only=True)  # who is named in the versions that it makes
    tried: set[str] = field(default_factory=set, kw_only=True)  # objects of which something doubtful was tried
    has_damage: bool = field(default=False, kw_only=True)  # an object could not be read; its record must come again

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Let whatever ends the block stand in the receipt, and keep it."""
        self.place.ready(self.receipt.command)
        try:
            with noting(self._ended):
                yield
            self.receipt.waiting = len(self.place.waiting)
            if self.receipt.outcome is RunOutcome.RUNNING:
                self._tell_earlier()
                good = RunOutcome.SUCCEEDED if self.receipt.is_whole else RunOutcome.SUCCEEDED_WITH_ERRORS
                self.receipt.outcome = RunOutcome.STOPPED if self.stop.is_asked else good
            if self.receipt.outcome is RunOutcome.SUCCEEDED:
                self.place.root.clear()
        finally:
            self.receipt.ended_at = utc_datetime(self.now())
            self.place.keep(self.receipt)

    def _tell_earlier(self) -> None:
        """Tell what was missing before, and was not tried in this run: it is missing still."""
        told = {each["identifier"] for each in self.receipt.missing}
        for identifier in self.place.failed():
            if identifier in told:
                continue
            try:
                inventory, held = self.place.known(identifier)
            except StoreDamaged as error:
                self.receipt.miss(identifier, Fate.UNREADABLE, str(error))
                continue
            self.receipt.miss_of(held, tried="in an earlier run")
            for path in sorted(self.place.root.harmed(inventory)):
                self.receipt.miss(identifier, Fate.HARMED, f"{path} is not on this disk any more as it arrived.")
        for identifier, reason in self.place.unread():
            if identifier not in told:
                self.receipt.miss(identifier, Fate.UNREADABLE, reason, tried="in an earlier run")

    def _ended(self, outcome: RunOutcome, reason: str) -> None:
        self.receipt.outcome = outcome
        self.receipt.doubts.append(reason)

    def unusable(self, found: Slice) -> None:
        """Count a record that cannot be read; every run tells it until it has come again and can be."""
        self.receipt.count(Change.UNUSABLE)
        self.receipt.miss(found.identifier, Fate.UNREADABLE, found.problem)
        self.place.note_unread(found.identifier, found.problem)

    def sound(self, identifier: str, made: Callable[[], Keeping | None]) -> Keeping | None:
        """Return an object; None when it is damaged, which is told and keeps no other from being mirrored."""
        try:
            return made()
        except (StoreDamaged, OSError) as error:
            self.has_damage = True
            self.receipt.count(Change.UNUSABLE)
            self.receipt.miss(identifier, Fate.UNREADABLE, str(error))
            return None

    def object(self, received: Received) -> Keeping:
        """Return what a record means for the object of its name."""
        self.place.forget_unread(received.identifier)
        root, order = self.place.root, self.place.order
        inventory = root.inventory(received.identifier)
        now = Holding(received.identifier, order.base_url, order.metadata_prefix, received.datestamp, received.sets)
        return self.with_harm(begun(root, inventory, self.place.holding(inventory), now, received), is_record_new=True)

    def held_again(self, identifier: str) -> Keeping | None:
        """Return an object as if its record had come once more; None when nothing is to be had of it any more."""
        root = self.place.root
        inventory, before = self.place.known(identifier)
        if before.is_deleted:  # what was harmed is an earlier version
            self.place.mark(identifier, is_whole=True)
            return None
        if missing := {DOCUMENT, *inventory.state.values()} - {*inventory.state, *inventory.manifest}:
            raise StoreDamaged(
                f"The inventory of {identifier} does not name {min(missing)}: it has been altered. "
                "Bring it back from a copy."
            )
        contents = {name: _content(root.place(identifier), inventory, name) for name in inventory.state}
        abouts = tuple(contents[name]() for name in sorted(contents) if name.startswith("about-"))
        received = Received(identifier, before.datestamp, before.sets, document=contents[DOCUMENT](), abouts=abouts)
        keeping = begun(root, inventory, before, replace(before, files=(), problem=""), received)
        if keeping.now.document_sha256 != before.document_sha256:
            self.place.mark(identifier, is_whole=False)  # so that it is put there again when its record comes
            raise StoreDamaged(f"{identifier}: {DOCUMENT} is not what arrived; `harvester mirror --full` brings it.")
        return self.with_harm(keeping, is_record_new=False)

    def with_harm(self, keeping: Keeping, *, is_record_new: bool) -> Keeping:
        """Return an object with what an audit found harmed of it to be put there again.

        Files are fetched; documents are there when their record has come anew. Raise StoreDamaged for anything else.
        """
        identifier = keeping.now.identifier
        keeping = keeping.with_doubts(self.place.doubtful)
        if keeping.now.is_deleted or not self.place.is_marked(identifier):
            return keeping
        harmed = keeping.root.harmed(keeping.inventory)
        if RECEIVED in harmed:
            raise StoreDamaged(f"{identifier}: {RECEIVED} is not what was written; it must come from a copy.")
        beyond = sorted(each for each in harmed if not each.startswith("files/"))
        if beyond and not is_record_new:
            raise StoreDamaged(f"{identifier}: {beyond[0]} is not what arrived; `harvester mirror --full` brings it.")
        return keeping.as_harmed(harmed)

    def is_settled(self, keeping: Keeping) -> bool:
        """Tell whether nothing is to be done about an object, and count it then."""
        if keeping.before is None and keeping.now.is_deleted:
            self.receipt.count(Change.NEVER_HELD)
            return True
        if is_done(keeping):
            self.receipt.count(Change.UNCHANGED)
            return True
        return False

    def commit(self, keeping: Keeping) -> None:
        """Give an object its next version, and count it."""
        self.counted(*self.made(keeping))

    def made(self, keeping: Keeping) -> tuple[Change, Holding]:
        """Give an object its next version, unless trying again has brought nothing. For any thread."""
        keeping.with_accepted()
        if keeping.lay_aside(self.now()):
            self.tried.add(keeping.now.identifier)
        is_mended = keeping.mended()
        if _is_no_better(keeping):
            return Change.MENDED if is_mended else Change.UNCHANGED, keeping.holding
        return keeping.commit(self.now(), self.user)

    def counted(self, change: Change, holding: Holding) -> None:
        """Count an object, and remember whether something is missing of it."""
        self.place.mark(holding.identifier, is_whole=holding.is_whole)
        self.receipt.count(change, holding)

    def now(self) -> int:
        """Return the second it is."""
        return int(self.clock())


def _content(folder: Path, inventory: Inventory, name: str) -> Callable[[], bytes]:
    return (folder / inventory.place(name)).read_bytes


def _is_no_better(keeping: Keeping) -> bool:
    """Tell whether trying again brought nothing: the same record, and the same files missing."""
    before, now = keeping.before, keeping.now
    if before is None or now.is_deleted or before.is_deleted:
        return False
    if (before.datestamp, before.document_sha256) != (now.datestamp, now.document_sha256):
        return False
    if _doubts(before) != _doubts(keeping.holding):
        return False
    had = {(each.path, each.sha512) for each in before.files if each.is_good}
    return had >= {(each.path, each.sha512) for each in keeping.holding.files if each.is_good}


def _doubts(holding: Holding) -> set[tuple[str, ...]]:
    return {(*each.locations, each.rule) for each in holding.files if each.fate is Fate.DOUBTFUL}


def received_from(page: RawPage, found: Slice) -> Received:
    """Return a record that was cut from a page, its document and about containers standing alone."""
    text = page.repaired or page.body
    parts = ((found.start, found.stop), *found.abouts)
    document, *abouts = (fragment(text[start:stop], found.declarations, is_enclosed=False) for start, stop in parts)
    return Received(found.identifier, found.datestamp, found.sets, found.is_deleted, document, tuple(abouts))
