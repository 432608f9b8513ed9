"""One object of a mirror: what a record means for it, and its next version when everything has been tried."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from gateway.errors import AnswerError, UnusableRecord
from gateway.xmltext import utc_datetime
from harvester.mirror.collecting import Collected, extracted
from harvester.mirror.components import components, files
from harvester.mirror.holding import DOCUMENT, RECEIVED, Holding, written
from harvester.mirror.inventory import Inventory
from harvester.mirror.ocfl import Incoming, StorageRoot, digests_of, telling
from harvester.mirror.planning import Want, wants
from harvester.mirror.receipt import Change
from harvester.mirror.verifying import Fate


@dataclass(frozen=True, slots=True)
class Received:
    """A record as it came: its header, the document standing alone, and its about containers."""

    identifier: str
    datestamp: str
    sets: tuple[str, ...] = ()
    is_deleted: bool = False
    document: bytes = b""
    abouts: tuple[bytes, ...] = ()


@dataclass(slots=True)
class Keeping:
    """An object between a record and its next version. `wants` are its files; `results` what became of them so far."""

    root: StorageRoot
    inventory: Inventory
    before: Holding | None
    now: Holding
    received: Received
    wants: tuple[Want, ...] = ()
    results: dict[str, Collected] = field(default_factory=dict)

    def aside(self, want: Want) -> Path:
        """Return where the bytes of a file wait; the same in every run, so that a part is found again."""
        return self._aside(want.path)

    def _aside(self, path: str) -> Path:
        return self.root.workspace(self.now.identifier) / "files" / sha256(path.encode()).hexdigest()[:32]

    def pending(self, at: int) -> list[Want]:
        """Return the files that must be asked for; what is held, or comes with the document, is settled."""
        left = []
        for want in self.wants:
            if want.is_same:
                self.note(Collected(want, want.kept._replace(fate=Fate.KEPT, reason="", is_stale=False)))
            elif want.component.content is not None:
                self.note(extracted(want, self.aside(want), at))
            else:
                left.append(want)
        return left

    def note(self, collected: Collected) -> None:
        """Take what became of one file."""
        self.results[collected.want.path] = collected

    @property
    def is_settled(self) -> bool:
        """Tell whether every file has been tried."""
        return len(self.results) == len(self.wants)

    @property
    def holding(self) -> Holding:
        """What is known of the object once everything has been tried."""
        return replace(self.now, files=tuple(self.results[want.path].file for want in self.wants))

    def commit(self, at: int, message: str) -> tuple[Change, Holding]:
        """Write the next version with what could be had; tell what changed."""
        moment = utc_datetime(at)
        holding = replace(self.holding, received_at=moment)
        state: dict[str, Incoming | str] = {}
        for want in self.wants:
            result = self.results[want.path]
            if result.incoming is not None:
                state[want.path] = result.incoming
            elif result.file.path:
                state[want.path] = result.file.sha512
        if not holding.is_deleted:
            state[DOCUMENT] = self._laid(DOCUMENT, self.received.document)
        for number, about in enumerate(self.received.abouts, 1):
            state[f"about-{number}.xml"] = self._laid(f"about-{number}.xml", about)
        state[RECEIVED] = self._laid(RECEIVED, written(holding))
        self.root.commit(self.inventory, state, moment, message)
        if holding.is_deleted:
            return Change.DELETED, holding
        return Change.CREATED if self.before is None else Change.UPDATED, holding

    def _laid(self, path: str, content: bytes) -> Incoming:
        file = self._aside(path)
        with telling(file):
            file.write_bytes(content)
        return Incoming(file, digests_of(file))


def begun(root: StorageRoot, inventory: Inventory, before: Holding | None, now: Holding, received: Received) -> Keeping:
    """Return what a record means for an object, its files planned."""
    digest = sha256(received.document).hexdigest()
    now = replace(now, document_sha256=digest)
    if received.is_deleted:
        return Keeping(root, inventory, before, replace(now, is_deleted=True, document_sha256=""), received)
    is_untouched = before is not None and (before.datestamp, before.document_sha256) == (now.datestamp, digest)
    try:
        named = files(components(received.document))
    except (AnswerError, UnusableRecord) as error:
        return Keeping(root, inventory, before, replace(now, problem=str(error)), received)
    planned = wants(named, before.files if before else (), inventory.by_sha256, is_untouched=is_untouched)
    return Keeping(root, inventory, before, now, received, planned)


def is_done(keeping: Keeping) -> bool:
    """Tell whether the object already is what the record says, with nothing missing."""
    before, now = keeping.before, keeping.now
    if before is None:
        return False
    if now.is_deleted or before.is_deleted:
        return now.is_deleted and before.is_deleted and now.datestamp == before.datestamp
    same = (before.datestamp, before.document_sha256) == (now.datestamp, now.document_sha256)
    return same and before.is_whole
