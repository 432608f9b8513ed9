"""One object of a mirror: what a record means for it, and its next version when everything has been tried."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path

from gateway.digests import Digests, is_strong
from gateway.errors import AnswerError, StoreDamaged, UnusableRecord
from gateway.xmltext import utc_datetime
from harvester.mirror.changes import described
from harvester.mirror.collected import Collected
from harvester.mirror.collecting import extracted
from harvester.mirror.components import Component, components, files
from harvester.mirror.doubtful import Doubtful, incoming_of
from harvester.mirror.holding import DOCUMENT, RECEIVED, HeldFile, Holding, read, stated_again, written
from harvester.mirror.inventory import Inventory, User
from harvester.mirror.ocfl import ALWAYS, Incoming, StorageRoot, digests_of, hashed, telling
from harvester.mirror.planning import Want, has_digests, wants
from harvester.mirror.receipt import Change
from harvester.mirror.verifying import Bytes, Fate, verdict


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
    harmed: frozenset[str] = frozenset()  # files whose bytes are not on this disk any more as they arrived
    doubtful: Doubtful = field(default_factory=Doubtful)

    def with_doubts(self, doubtful: Doubtful) -> Keeping:
        """Return the object with what is kept aside of its files because it is doubtful."""
        found = doubtful.of(self.now.identifier)
        planned = tuple(want._replace(doubted=found.get(want.path)) for want in self.wants)
        return replace(self, wants=planned, doubtful=doubtful)

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
            elif want.component.is_by_value:
                self.note(extracted(want, self.aside(want), at))
            elif (found := self._proven(want)) is not None:
                self.note(found)
            else:
                left.append(want)
        return left

    def _proven(self, want: Want) -> Collected | None:
        """Return a file of which doubtful bytes are kept aside, when the document states their digest now."""
        if want.doubted is None or not want.doubted.is_kept or not is_strong(want.component.digests):
            return None
        kept = self.doubtful.bytes_of(want.doubted)
        digests = hashed(kept, {*ALWAYS, *(algorithm for algorithm, _ in want.component.digests)})
        judged = verdict(want.component, Bytes(kept.stat().st_size, digests, b"", b""))
        return self.taken(want, judged.verified) if judged.is_proven else None

    def taken(self, want: Want, verified: tuple[str, ...] = (), accepted_at: str = "") -> Collected:
        """Return a file as good whose doubtful bytes are kept aside."""
        assert want.doubted is not None
        incoming = incoming_of(want.doubted, self.doubtful.bytes_of(want.doubted), self.aside(want))
        held = want.doubted.file._replace(path=want.path, verified=verified, accepted_at=accepted_at)
        return Collected(want, stated_again(held, want.component), incoming)

    def with_accepted(self) -> None:
        """Take for good what a person has accepted and what came once more."""
        for path, each in self.results.items():
            suspect = each.suspect
            if suspect is not None and (at := self.doubtful.acceptance(suspect.file, suspect.rule)):
                good = suspect.file._replace(accepted_at=at)
                self.results[path] = replace(each, file=good, incoming=suspect.incoming, suspect=None)

    def lay_aside(self, at: int) -> bool:
        """Keep what is doubtful of the object aside, and forget what is doubtful no more; tell whether anything is."""
        doubtful = {path: each.suspect for path, each in self.results.items() if each.file.fate is Fate.DOUBTFUL}
        resting = {path for path in doubtful if self.results[path].is_unasked}
        self.doubtful.keep(self.now.identifier, doubtful, at, resting)
        return bool(doubtful)

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

    def as_harmed(self, harmed: frozenset[str]) -> Keeping:
        """Return the object with these files to be fetched again, whatever is known of them."""
        bad = {self.inventory.state[path] for path in harmed}
        planned = (want.again if want.before and want.before.sha512 in bad else want for want in self.wants)
        return replace(self, wants=tuple(planned), harmed=harmed)

    def mended(self) -> bool:
        """Put what has come again where it was harmed; tell whether there was anything."""
        arrived = [each.incoming for each in self.results.values()]
        arrived += [self._laid(path, content) for path, content in self._record.items() if path in self.harmed]
        found = [each for each in arrived if each is not None and self.root.lacks(self.inventory, each.arrived.sha512)]
        for each in found:
            self.root.mend(self.inventory, each)
        return bool(found)

    @property
    def _record(self) -> dict[str, bytes]:
        """What came with the record itself, by where it is kept."""
        abouts = {f"about-{number}.xml": about for number, about in enumerate(self.received.abouts, 1)}
        return abouts if self.now.is_deleted else {DOCUMENT: self.received.document, **abouts}

    def commit(self, at: int, user: User) -> tuple[Change, Holding]:
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
        for path, content in self._record.items():
            state[path] = self._laid(path, content)
        state[RECEIVED] = self._laid(RECEIVED, written(holding))
        digests = {path: each.arrived.sha512 if isinstance(each, Incoming) else each for path, each in state.items()}
        message = f"{described(self.inventory.state, digests, is_deleted=holding.is_deleted)} ({holding.base_url})"
        self.root.commit(self.inventory, state, moment, message, user)
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
    earlier = partial(_earlier, root, inventory)
    again = partial(_hashed_again, root, inventory)
    planned = wants(named, before.files if before else (), earlier, again, is_untouched=is_untouched)
    return Keeping(root, inventory, before, now, received, planned)


def _hashed_again(root: StorageRoot, inventory: Inventory, file: HeldFile, algorithms: Collection[str]) -> Digests:
    """Return digests of bytes that are held; none of what is not there as it arrived."""
    place = inventory.manifest.get(file.sha512)
    if place is None:
        return ()
    try:
        found = hashed(root.place(inventory.identifier) / place, {*algorithms, "sha512"})
    except OSError:
        return ()
    return tuple((each, found[each]) for each in algorithms) if found["sha512"] == file.sha512 else ()


def _earlier(root: StorageRoot, inventory: Inventory, component: Component) -> HeldFile | None:
    """Return what some version holds of a file, by the digest that its document states; None when none does."""
    stated = dict(component.digests)
    digest = stated.get("sha512", "") or inventory.by_sha256.get(stated.get("sha256", ""), "")
    if digest not in inventory.manifest or root.lacks(inventory, digest):
        return None
    place = inventory.manifest[digest]
    size = (root.place(inventory.identifier) / place).stat().st_size
    found = _as_it_came(root, inventory, digest)._replace(sha256=inventory.sha256.get(place, ""), size=size)
    verified = tuple(name for name in ALWAYS if name in stated)
    found = found._replace(verified=(*verified, "size") if component.size is not None else verified)
    return found if has_digests(component, found) else None


def _as_it_came(root: StorageRoot, inventory: Inventory, sha512: str) -> HeldFile:
    """Return bytes that an earlier version holds, with what is known of their arrival."""
    folder = root.place(inventory.identifier)
    for version in reversed(inventory.versions):
        if sha512 not in version.state.values():
            continue
        try:
            known = read((folder / inventory.manifest[version.state[RECEIVED]]).read_bytes()).files
        except (StoreDamaged, OSError, KeyError):
            continue
        for each in known:
            if each.sha512 == sha512:
                return HeldFile(
                    sha512=sha512,
                    url=each.url,
                    came_from=each.came_from,
                    received_at=each.received_at,
                    content_type=each.content_type,
                    entity_tag=each.entity_tag,
                    last_modified=each.last_modified,
                )
    return HeldFile(sha512=sha512)


def is_done(keeping: Keeping) -> bool:
    """Tell whether the object already is what the record says, with nothing missing."""
    before, now = keeping.before, keeping.now
    if before is None or keeping.harmed:
        return False
    if now.is_deleted or before.is_deleted:
        return now.is_deleted and before.is_deleted and now.datestamp == before.datestamp
    same = (before.datestamp, before.document_sha256) == (now.datestamp, now.document_sha256)
    return same and before.is_whole
