"""The folder of a mirror: its order, its cursors, its objects, its failures and its receipts.

DIR/mirror.json      the provider, the format, the sets, and the cursor of each list
DIR/catalogue.jsonl  the expected content, line by line
DIR/ocfl/            the objects, an OCFL 1.1 storage root
DIR/failed/          a small file for each object with missing files, and for each record that cannot be read
                     (`files_beside.py`)
DIR/waiting/         a small file for each deletion that waits for a confirmation
DIR/receipts/        a JSON document for each run
DIR/aside/           unfinished files
DIR/rechecks.sqlite  the last request for each file, and the answers; may be removed
DIR/doubtful/        files that may not be the files that were requested (`doubtful_files.py`)
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from functools import partial
from hashlib import sha256, sha512
from itertools import chain
from pathlib import Path
from time import time

from gateway.core.errors import StoreDamaged
from gateway.core.xmltext import utc_datetime
from harvester.mirror import object_state
from harvester.mirror.catalogue import Catalogue, Line, Mark, UnfinishedRun, audit_of
from harvester.mirror.catalogue import read as read_catalogue
from harvester.mirror.doubtful_files import DoubtfulFiles
from harvester.mirror.files_beside import (
    ACCEPTED,
    DOUBTFUL,
    WAITING,
    FailedObjects,
    FilesBeside,
    altered_beside,
    content_of,
    digest_at,
    is_ours,
    lines_beside,
)
from harvester.mirror.instance_memory import InstanceMemory
from harvester.mirror.inventory import Inventory
from harvester.mirror.new_catalogue import (
    entries_on_disk,
    entry_of,
    explain,
    has_mark,
    lines,
    on_disk,
    origin,
    readme,
    receipts,
    state_of,
)
from harvester.mirror.object_state import RECEIVED, Holding
from harvester.mirror.object_versions import ReceivedRecord
from harvester.mirror.ocfl import StorageRoot
from harvester.mirror.receipt import Receipt
from harvester.runtime.durable_files import replace_durably, reporting_unwritable

_PREFIX = "oai_didl"
_VERSION = 2  # 1: there was no catalogue


@dataclass(frozen=True, slots=True)
class Order:
    """The provider, the format and the sets that are mirrored. The order of a folder never changes."""

    base_url: str
    metadata_prefix: str = _PREFIX
    sets: tuple[str, ...] = ()


@dataclass(slots=True)
class MirrorFolder:
    """The folder of a mirror. `states` are the cursors of its lists, by set.

    `obeys_robots` is False when the provider has agreed that robots.txt (RFC 9309) does not apply. `address` is the
    class of address that the provider had at the first request. Methods that write raise StoreUnwritable.
    """

    folder: Path
    order: Order
    states: dict[str, str] = field(default_factory=dict)
    obeys_robots: bool = True
    address: str = ""
    identity: dict[str, str] = field(default_factory=dict)  # the accepted identity of the provider
    accepted_size: int | None = None  # the fewest records that a complete list may have, as a person confirmed
    recheck_every: str = ""  # the period of rechecks; empty: only on request
    proven: Mark | None = None  # of the catalogue, when the last receipt was written
    version: int = _VERSION  # of mirror.json as it was read
    clock: Callable[[], float] = time
    notes: list[str] = field(default_factory=list)  # messages for people
    identity_changes: list[str] = field(default_factory=list, init=False)  # seen by this run, in sentences
    catalogue: Catalogue = field(init=False)
    beside: FilesBeside = field(init=False)
    failed: FailedObjects = field(init=False)
    doubtful: DoubtfulFiles = field(init=False)
    evidence: InstanceMemory | None = field(default=None, init=False)
    broken_off: UnfinishedRun | None = field(default=None, init=False)  # the previous run, when it has no receipt
    _is_ready: bool = field(default=False, init=False)
    _is_made: bool = field(default=False, init=False)  # this process made the catalogue
    # the catalogue is accepted, although the instance may remember another
    _is_accepted: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.catalogue = Catalogue(self.folder)
        self.beside = FilesBeside(self.folder, self.catalogue, self.ready)
        self.failed = FailedObjects(self.folder, self.beside)
        self.doubtful = DoubtfulFiles(self.folder / DOUBTFUL, self.beside)

    @property
    def root(self) -> StorageRoot:
        """The objects."""
        return StorageRoot(self.folder / "ocfl", self.folder / "aside", self._announced)

    def _announced(self, inventory: Inventory, content: bytes) -> AbstractContextManager[None]:
        self.ready()
        return self.catalogue.announced(entry_of(self.root, inventory, content))

    def save(self) -> None:
        """Write mirror.json when it has changed. Raise StoreUnwritable, and the errors of `ready`."""
        self.ready()
        content = self.as_json()
        if (self.folder / "mirror.json").read_bytes() != content:
            self.catalogue.append({"mirror": sha512(content).hexdigest()})
            replace_durably(self.folder / "mirror.json", content)

    def as_json(self) -> bytes:
        """Return the content of mirror.json."""
        names = ("states", "obeys_robots", "address", "identity", "accepted_size", "recheck_every")
        document = {"version": _VERSION, **asdict(self.order), **{name: getattr(self, name) for name in names}}
        document["catalogue"] = self.proven and self.proven._asdict()
        return json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n"

    # -- the catalogue --

    def ready(self, command: str = "change") -> None:
        """Prepare the catalogue for writing, and note the run that writes.

        A missing catalogue is made, unless there was one before. Raise StoreDamaged when the catalogue is gone, or is
        not the one that the last run wrote, and the errors of `InstanceMemory.remembered`.
        """
        if self._is_ready:
            return
        if not self.has_catalogue():
            self.take_what_is_here()
        self.catalogue.check(self.proven)
        self._check_remembered()
        if command:
            self._begin(command)
        behind = self.catalogue.behind(self.proven)
        if any("identifier" in line or "beside" in line for line in behind):
            self.catalogue.recover(partial(on_disk, self.root))
            contents = read_catalogue(self.catalogue.file)
            self.beside.recover(contents)
            self.doubtful.recover(self.folder / name for name in contents.unsettled)
        last = next((str(line["receipt"]) for line in reversed(behind) if "receipt" in line), "")
        if last and not (self.folder / "receipts" / last).exists():  # a process was killed before it wrote it
            self.catalogue.append({"receipt": last, "sha512": ""})
        order = self.order
        explain(self.root, self.catalogue, readme(order.base_url, order.metadata_prefix, order.sets))
        self._is_ready = True
        if self.version < _VERSION:
            self.save()

    @property
    def is_as_remembered(self) -> bool:
        """Return whether the catalogue begins with the part that the instance remembers, if any.

        Raise the errors of `InstanceMemory.remembered`.
        """
        remembered = self.evidence and self.evidence.remembered(self.folder)
        return not remembered or self.catalogue.begins_with(remembered)

    def _check_remembered(self) -> None:
        """Raise StoreDamaged when the catalogue does not begin with what the instance remembers of it."""
        if not self.evidence or self.is_as_remembered:
            return
        if self._is_made or self._is_accepted or not self.proven:
            state = "accepted" if self._is_accepted else "new"
            self.notes.append(
                f"{self.evidence.file} has the digest of another catalogue of {self.folder}; this one is {state}."
            )
            return
        raise StoreDamaged(
            f"{self.folder} is an older copy, or another mirror than the one that {self.evidence.file} remembers. "
            f"Bring the newer one back; or take what is here with {audit_of(self.folder, '--accept')}."
        )

    def _begin(self, command: str) -> None:
        """Note the begin of a run, and whether the previous run was broken off."""
        contents = read_catalogue(self.catalogue.file)
        if contents.foreign:
            raise StoreDamaged(
                f"{self.catalogue.file} has {contents.foreign_lines} lines that no run wrote, the first of them: "
                f"{contents.foreign}. {audit_of(self.folder)} shows what is wrong; restore the folder from a "
                "copy, or accept its present content with --accept."
            )
        if problem := altered_beside(self.folder, ACCEPTED, contents):
            raise StoreDamaged(f"{self.folder / ACCEPTED}: {problem} Bring it back from a copy.")
        self.broken_off = contents.running
        self.catalogue.append({"run": command, "at": utc_datetime(int(self.clock()))})
        if contents.names_beside:
            self.beside.expect(contents)
        else:
            self.catalogue.append(*lines_beside(self.folder))

    def has_catalogue(self) -> bool:
        """Return whether there is a catalogue. Raise StoreDamaged when there was one, and it is gone."""
        if self.catalogue.file.exists():
            return True
        kept = receipts(self.folder)
        has_content = bool(kept or self.states or next(self.root.objects(), None))
        if self.proven or (has_content and self.version >= _VERSION) or any(map(has_mark, kept)):
            raise StoreDamaged(
                f"{self.catalogue.file} is not there any more: bring it back from a copy. "
                f"{audit_of(self.folder, '--accept')} makes it anew from what is here."
            )
        return False

    def take_catalogue(self) -> None:
        """Accept the present catalogue, even if the instance remembers another."""
        self._is_accepted = True

    def take_what_is_here(self) -> None:
        """Make the catalogue again from the content of the folder. An earlier catalogue is ignored."""
        count = 0

        def lines_of_objects() -> Iterator[Line]:
            nonlocal count
            for entry in entries_on_disk(self.root):
                count += entry.head == 1
                yield entry.line

        moment = utc_datetime(int(self.clock()))
        self.catalogue.make(moment, chain(lines_of_objects(), lines(self.root, self.folder)), lambda: count)
        self.proven, self._is_made = self.catalogue.mark, True
        self.notes.extend(origin(self.catalogue.file))

    def holding(self, inventory: Inventory) -> Holding | None:
        """Return the state of an object; None when there is no object. Raise StoreDamaged when it cannot be read."""
        if not inventory.head:
            return None
        try:
            received = object_state.read(
                (self.root.place(inventory.identifier) / inventory.place(RECEIVED)).read_bytes()
            )
        except (OSError, KeyError) as error:
            raise StoreDamaged(f"The {RECEIVED} of {inventory.identifier} cannot be read: {error!r}.") from error
        if any(file.path and file.sha512 and file.sha512 not in inventory.manifest for file in received.files):
            raise StoreDamaged(f"{inventory.identifier} does not hold what its {RECEIVED} names: it has been altered.")
        return received

    def command(self, *options: str) -> str:
        """Return the shell command that runs this mirror."""
        order = self.order
        prefix = () if order.metadata_prefix == _PREFIX else ("--format", order.metadata_prefix)
        sets = chain.from_iterable(("--set", spec) for spec in order.sets)
        return f"`{shlex.join(('harvester', 'mirror', order.base_url, str(self.folder), *prefix, *sets, *options))}`"

    @property
    def waiting(self) -> WaitingDeletions:
        """The deletions that wait for a confirmation."""
        return WaitingDeletions(self.folder / WAITING, self.beside)

    def known(self, identifier: str) -> tuple[Inventory, Holding]:
        """Return the inventory and the state of an object. Raise StoreDamaged when it is unreadable or missing."""
        inventory = self.root.inventory(identifier)
        holding = self.holding(inventory)
        if holding is None:
            raise StoreDamaged(f"{identifier} is not there any more; `harvester mirror --full` brings it.")
        return inventory, holding

    # -- receipts --

    def keep(self, receipt: Receipt) -> Path:
        """Write a receipt and return its file. The catalogue has the digest of the receipt.

        The receipt has the digest of the catalogue before that line. Raise StoreUnwritable, and the errors of
        `ready` and of `InstanceMemory.remember`.
        """
        self.ready()
        self.catalogue.settle(partial(on_disk, self.root))
        self.beside.settle()
        receipt.catalogue = self.catalogue.mark._asdict()
        receipt.state = {"mirror": state_of(self.as_json()), "waiting": self.waiting.sha512}
        receipt.broken_off = self.broken_off._asdict() if self.broken_off else {}
        folder = self.folder / "receipts"
        with reporting_unwritable(folder):
            folder.mkdir(exist_ok=True)
        name = f"{receipt.started_at.replace(':', '')}-{receipt.command.replace(' --', '-')}"
        names = (name, *(f"{name}-{number}" for number in range(2, 1000)))
        file = next(path for path in (folder / f"{name}.json" for name in names) if not path.exists())
        self.catalogue.append({"receipt": file.name, "sha512": sha512(receipt.as_json()).hexdigest()})
        replace_durably(file, receipt.as_json())
        self.proven = self.catalogue.mark
        self.save()
        if self.evidence:
            self.evidence.remember(self.folder, receipt.catalogue, receipt.ended_at)
        return file


# --- Deletions of a mirror that wait for a confirmation, because there were too many at once: a small file each ------


class WaitingDeletions:
    """The waiting deletions in DIR/waiting, by identifier."""

    def __init__(self, folder: Path, beside: FilesBeside) -> None:
        self.folder, self._beside = folder, beside

    def __len__(self) -> int:
        return len(self._files())

    def __iter__(self) -> Iterator[ReceivedRecord]:
        """Return the deletions. Raise StoreDamaged for a file that cannot be read."""
        for file in self._files():
            yield _read(file)

    def damaged(self) -> Iterator[tuple[str, StoreDamaged]]:
        """Return the names of the files that cannot be read, and why not."""
        for file in self._files():
            try:
                _read(file)
            except StoreDamaged as error:
                yield file.name, error

    def __contains__(self, identifier: object) -> bool:
        return isinstance(identifier, str) and self._file(identifier).exists()

    def add(self, received: ReceivedRecord) -> None:
        """Store a deletion. Raise StoreUnwritable."""
        file = self._file(received.identifier)
        abouts = [about.decode("utf-8", "replace") for about in received.abouts]
        document = {"identifier": received.identifier, "datestamp": received.datestamp, "sets": received.sets}
        content = json.dumps({**document, "abouts": abouts}, ensure_ascii=False).encode() + b"\n"
        self._beside.write(file, content)

    def discard(self, identifier: str) -> None:
        """Remove a deletion, if it is there. Raise StoreUnwritable."""
        self._beside.remove(self._file(identifier))

    @property
    def sha512(self) -> str:
        """The SHA-512 of all waiting deletions. Only the name of an unreadable file counts."""
        listing = "".join(f"{path.name} {digest_at(path)}\n" for path in self._files())
        return sha512(listing.encode()).hexdigest()

    def _files(self) -> list[Path]:
        return sorted(file for file in self.folder.glob("*.json") if is_ours(f"{WAITING}/{file.name}"))

    def _file(self, identifier: str) -> Path:
        return self.folder / f"{sha256(identifier.encode()).hexdigest()}.json"


def _read(file: Path) -> ReceivedRecord:
    try:
        document = json.loads(content_of(file) or b"")
        abouts = tuple(about.encode() for about in document["abouts"])
        return ReceivedRecord(
            document["identifier"], document["datestamp"], tuple(document["sets"]), is_deleted=True, abouts=abouts
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise StoreDamaged(
            f"{file} cannot be read: {error}. Bring it back from a copy; or remove it, and `harvester mirror --full` "
            "brings the deletion again."
        ) from error
