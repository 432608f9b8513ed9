"""One object of a mirror: the plan that follows from a record, and the next version when all files were tried."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from itertools import islice
from pathlib import Path

from gateway.core.digests import Digests, is_strong
from gateway.core.errors import AnswerError, StoreDamaged, UnusableRecord
from gateway.core.xmltext import utc_datetime
from harvester.mirror.component import Component
from harvester.mirror.doubtful_files import DoubtfulFiles, altered, incoming_of
from harvester.mirror.fetch_file import extracted
from harvester.mirror.file_plan import PlannedFile, has_digests, plan_files
from harvester.mirror.inventory import Inventory, User, Version
from harvester.mirror.judge_file import Collected, bytes_in
from harvester.mirror.object_state import DOCUMENT, RECEIVED, HeldFile, Holding, read, stated_again, written
from harvester.mirror.ocfl import Incoming, StorageRoot, digests_of
from harvester.mirror.read_components import components, files
from harvester.mirror.receipt import Change
from harvester.mirror.verify import Fate, verdict
from harvester.runtime.durable_files import DIGESTS, digests_by_algorithm, reporting_unwritable


@dataclass(frozen=True, slots=True)
class ReceivedRecord:
    """A record as it was received: its header, its metadata as a separate XML document, and its about containers."""

    identifier: str
    datestamp: str
    sets: tuple[str, ...] = ()
    is_deleted: bool = False
    document: bytes = b""
    abouts: tuple[bytes, ...] = ()


@dataclass(slots=True)
class PendingVersion:
    """The next version of an object, before it is written. `results` has the files that were tried, by path.

    `before` is the state of the present version, `now` the state that the record describes. Methods that write files
    raise StoreUnwritable.
    """

    root: StorageRoot
    inventory: Inventory
    before: Holding | None
    now: Holding
    received: ReceivedRecord
    planned_files: tuple[PlannedFile, ...] = ()
    results: dict[str, Collected] = field(default_factory=dict)
    harmed: frozenset[str] = frozenset()  # files whose bytes are lost or altered
    doubtful: DoubtfulFiles = field(default_factory=DoubtfulFiles)

    def with_doubts(self, doubtful: DoubtfulFiles) -> PendingVersion:
        """Return the object with its doubtful files attached to the plan.

        Bytes that were altered or lost on this disk are requested without a condition.
        """
        suspects = {path: doubtful.checked(doubt) for path, doubt in doubtful.of(self.now.identifier).items()}
        planned_files = tuple(planned._replace(doubted=suspects.get(planned.path)) for planned in self.planned_files)
        return replace(self, planned_files=planned_files, doubtful=doubtful)

    def aside(self, planned: PlannedFile) -> Path:
        """Return the temporary file for the bytes of a file. It is the same in each run, so that a part is reused."""
        return self._aside(planned.path)

    def _aside(self, path: str) -> Path:
        return self.root.workspace(self.now.identifier) / "files" / sha256(path.encode()).hexdigest()[:32]

    def to_fetch(self, at: int) -> list[PlannedFile]:
        """Return the files that must be requested. Stored files and files By-Value (DIDL) are settled at once.

        `at` is the present second since 1970.
        """
        left = []
        for planned in self.planned_files:
            if planned.is_same:
                self.note(Collected(planned, planned.kept._replace(fate=Fate.KEPT, reason="", is_stale=False)))
            elif planned.component.is_by_value:
                self.note(extracted(planned, self.aside(planned), at))
            elif (proven := self._proven(planned)) is not None:
                self.note(proven)
            else:
                left.append(planned)
        return left

    def _proven(self, planned: PlannedFile) -> Collected | None:
        """Return a file whose doubtful bytes are stored as they arrived, when the document now states their digest."""
        if planned.doubted is None or not planned.doubted.is_kept or not is_strong(planned.component.digests):
            return None
        kept = self.doubtful.bytes_of(planned.doubted)
        if altered(planned.doubted, kept):
            return None
        judged = verdict(planned.component, bytes_in(kept, planned.component))
        return self.taken(planned, judged.verified) if judged.is_proven else None

    def taken(self, planned: PlannedFile, verified: tuple[str, ...] = (), accepted_at: str = "") -> Collected:
        """Return a file as good, with its doubtful bytes that were kept."""
        assert planned.doubted is not None
        incoming = incoming_of(planned.doubted, self.doubtful.bytes_of(planned.doubted), self.aside(planned))
        held = planned.doubted.file._replace(path=planned.path, verified=verified, accepted_at=accepted_at)
        return Collected(planned, stated_again(held, planned.component), incoming)

    def with_accepted(self) -> None:
        """Mark files as good that a person has accepted."""
        for path, result in self.results.items():
            suspect = result.suspect
            if suspect is not None and (at := self.doubtful.acceptance(suspect.file, suspect.rule)):
                good = suspect.file._replace(accepted_at=at)
                self.results[path] = replace(result, file=good, incoming=suspect.incoming, suspect=None)

    def lay_aside(self, at: int) -> bool:
        """Store the doubtful files of the object aside. Return whether any is doubtful."""
        doubtful = {path: self.results[path].suspect for path in self._doubtful_paths}
        resting = {path for path in doubtful if self.results[path].is_unasked}
        self.doubtful.keep(self.now.identifier, doubtful, at, resting)
        return bool(doubtful)

    def tidy_aside(self) -> None:
        """Remove files from those aside that are not doubtful any more, after their version was written."""
        self.doubtful.tidy(self.now.identifier, self._doubtful_paths)

    @property
    def _doubtful_paths(self) -> set[str]:
        return {path for path, result in self.results.items() if result.file.fate is Fate.DOUBTFUL}

    def note(self, collected: Collected) -> None:
        """Note the outcome of one file."""
        self.results[collected.planned.path] = collected

    @property
    def is_settled(self) -> bool:
        """Return whether all files were tried."""
        return len(self.results) == len(self.planned_files)

    @property
    def holding(self) -> Holding:
        """The state of the object after all files were tried."""
        return replace(self.now, files=tuple(self.results[planned.path].file for planned in self.planned_files))

    def as_harmed(self, harmed: frozenset[str]) -> PendingVersion:
        """Return the object with these files planned to be fetched again."""
        bad = {self.inventory.state[path] for path in harmed}
        planned_files = (
            planned.again if planned.before and planned.before.sha512 in bad else planned
            for planned in self.planned_files
        )
        return replace(self, planned_files=tuple(planned_files), harmed=harmed)

    def mended(self) -> bool:
        """Replace damaged files with the bytes that were received again. Return whether there were any."""
        arrived = [result.incoming for result in self.results.values()]
        arrived += [self._laid(path, content) for path, content in self._record.items() if path in self.harmed]
        incoming = [
            result
            for result in arrived
            if result is not None and self.root.lacks(self.inventory, result.arrived.sha512)
        ]
        for suspect in incoming:
            self.root.mend(self.inventory, suspect)
        return bool(incoming)

    @property
    def _record(self) -> dict[str, bytes]:
        """The parts of the record itself, by logical path."""
        abouts = {f"about-{number}.xml": about for number, about in enumerate(self.received.abouts, 1)}
        return abouts if self.now.is_deleted else {DOCUMENT: self.received.document, **abouts}

    def commit(self, at: int, user: User) -> tuple[Change, Holding]:
        """Write the next version with the files that could be fetched. Return what changed, and the new state.

        `at` is the second since 1970 that the version is dated with. Raise StoreUnwritable.
        """
        moment = utc_datetime(at)
        holding = replace(self.holding, received_at=moment)
        state: dict[str, Incoming | str] = {}
        for planned in self.planned_files:
            result = self.results[planned.path]
            if result.incoming is not None:
                state[planned.path] = result.incoming
            elif result.file.path:
                state[planned.path] = result.file.sha512
        for path, content in self._record.items():
            state[path] = self._laid(path, content)
        state[RECEIVED] = self._laid(RECEIVED, written(holding))
        digests = {
            path: value.arrived.sha512 if isinstance(value, Incoming) else value for path, value in state.items()
        }
        message = f"{described(self.inventory.state, digests, is_deleted=holding.is_deleted)} ({holding.base_url})"
        self.root.commit(self.inventory, state, moment, message, user)
        if holding.is_deleted:
            return Change.DELETED, holding
        return Change.CREATED if self.before is None else Change.UPDATED, holding

    def _laid(self, path: str, content: bytes) -> Incoming:
        file = self._aside(path)
        with reporting_unwritable(file):
            file.write_bytes(content)
        return Incoming(file, digests_of(file))


def begun(
    root: StorageRoot, inventory: Inventory, before: Holding | None, now: Holding, received: ReceivedRecord
) -> PendingVersion:
    """Return the next version of an object as a record describes it, with a plan for each file."""
    digest = sha256(received.document).hexdigest()
    now = replace(now, document_sha256=digest)
    if received.is_deleted:
        return PendingVersion(root, inventory, before, replace(now, is_deleted=True, document_sha256=""), received)
    is_untouched = before is not None and (before.datestamp, before.document_sha256) == (now.datestamp, digest)
    try:
        named = files(components(received.document))
    except (AnswerError, UnusableRecord) as error:
        return PendingVersion(root, inventory, before, replace(now, problem=str(error)), received)
    earlier = partial(_earlier, root, inventory)
    again = partial(_hashed_again, root, inventory)
    planned_files = plan_files(named, before.files if before else (), earlier, again, is_untouched=is_untouched)
    return PendingVersion(root, inventory, before, now, received, planned_files)


def _hashed_again(root: StorageRoot, inventory: Inventory, file: HeldFile, algorithms: Collection[str]) -> Digests:
    """Return digests of stored bytes; none when the bytes are lost or altered."""
    place = inventory.manifest.get(file.sha512)
    if place is None:
        return ()
    try:
        digests_ = digests_by_algorithm(root.place(inventory.identifier) / place, {*algorithms, "sha512"})
    except OSError:
        return ()
    return (
        tuple((algorithm, digests_[algorithm]) for algorithm in algorithms) if digests_["sha512"] == file.sha512 else ()
    )


def _earlier(root: StorageRoot, inventory: Inventory, component: Component) -> HeldFile | None:
    """Return a file that any version holds, by the digest that the document states; None when none does."""
    stated = dict(component.digests)
    digest = stated.get("sha512", "") or inventory.by_sha256.get(stated.get("sha256", ""), "")
    if digest not in inventory.manifest or root.lacks(inventory, digest):
        return None
    place = inventory.manifest[digest]
    size = (root.place(inventory.identifier) / place).stat().st_size
    received = _as_it_came(root, inventory, digest)._replace(sha256=inventory.sha256.get(place, ""), size=size)
    verified = tuple(name for name in DIGESTS if name in stated)
    received = received._replace(verified=(*verified, "size") if component.size is not None else verified)
    return received if has_digests(component, received) else None


def _as_it_came(root: StorageRoot, inventory: Inventory, sha512: str) -> HeldFile:
    """Return a file of an earlier version, with its address and the headers of its answer."""
    for holding in states(root, inventory, (one for one in inventory.versions if sha512 in one.state.values())):
        for row in holding.files:
            if row.sha512 == sha512:
                return HeldFile(
                    sha512=sha512,
                    url=row.url,
                    came_from=row.came_from,
                    received_at=row.received_at,
                    content_type=row.content_type,
                    entity_tag=row.entity_tag,
                    last_modified=row.last_modified,
                )
    return HeldFile(sha512=sha512)


def states(root: StorageRoot, inventory: Inventory, versions: Iterable[Version]) -> Iterator[Holding]:
    """Return the states of an object in some of its versions, the newest first. Unreadable ones are left out."""
    for version in reversed(tuple(versions)):
        with suppress(StoreDamaged, OSError, KeyError):
            place = inventory.manifest[version.state[RECEIVED]]
            yield read((root.place(inventory.identifier) / place).read_bytes())


def is_done(pending: PendingVersion) -> bool:
    """Return whether the object already agrees with the record, with no file missing."""
    before, now = pending.before, pending.now
    if before is None or pending.harmed:
        return False
    if now.is_deleted or before.is_deleted:
        return now.is_deleted and before.is_deleted and now.datestamp == before.datestamp
    same = (before.datestamp, before.document_sha256) == (now.datestamp, now.document_sha256)
    return same and before.is_whole


# --- The message of a new version in the inventory of an object (OCFL 1.1 §3.5.3.1). Pure ----------------------------

_MOST_NAMES = 5


def described(before: Mapping[str, str], after: Mapping[str, str], *, is_deleted: bool) -> str:
    """Return which files of an object changed; both states are SHA-512 by logical path.

    `received.json` changes in each version. It is named only when nothing else has changed.
    """
    if is_deleted:
        return f"deleted{_named(before.keys() - {RECEIVED})}"
    if DOCUMENT not in before:
        return f"created{_named(after.keys() - {RECEIVED})}"
    parts = [f"{word}{_named(names)}" for word, names in _changed(before, after) if names]
    return "; ".join(parts) or f"replaced: {RECEIVED}"


def _changed(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[tuple[str, set[str]]]:
    yield "created", after.keys() - before.keys()
    yield "replaced", {name for name in after.keys() & before.keys() - {RECEIVED} if after[name] != before[name]}
    yield "withdrawn", before.keys() - after.keys()


def _named(names: set[str]) -> str:
    first = ", ".join(islice(sorted(names), _MOST_NAMES))
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f": {first}{more}" if names else ""
