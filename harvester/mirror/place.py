"""The folder of a mirror: what it mirrors and how far it has come, its objects, what failed, and its receipts.

DIR/mirror.json      whose mirror it is, and where its lists have come to
DIR/catalogue.jsonl  what it should hold, line by line
DIR/ocfl/            the objects, an OCFL 1.1 storage root
DIR/failed/          a small file for each object of which something is missing, and each record that cannot be read
DIR/waiting/         a small file for each deletion that waits for a person
DIR/receipts/        what each run did, a JSON document each
DIR/aside/           what is not finished
DIR/rechecks.sqlite  when each file was asked for last, and what its servers sent; may be removed
DIR/doubtful/        what came and may not be the file that was asked for (`mirror/doubtful.py`)
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from hashlib import sha256, sha512
from itertools import chain
from pathlib import Path
from time import time

from gateway.errors import ConfigurationError, StoreDamaged
from gateway.model import Identity
from gateway.xmltext import utc_datetime
from harvester.mirror import holding
from harvester.mirror.catalogue import Begun, Catalogue, Line, Mark, audit_of
from harvester.mirror.catalogue import read as read_catalogue
from harvester.mirror.cataloguing import (
    entry_of,
    explain,
    found,
    has_mark,
    lines,
    on_disk,
    origin,
    readme,
    receipts,
    state_of,
)
from harvester.mirror.doubtful import Doubtful
from harvester.mirror.holding import RECEIVED, Holding
from harvester.mirror.inventory import Inventory
from harvester.mirror.ocfl import StorageRoot, replaced, telling
from harvester.mirror.receipt import Receipt
from harvester.mirror.waiting import Waiting
from harvester.mirror.witness import Witness

_PREFIX = "oai_didl"
_VERSION = 2  # 1: there was no catalogue
_BEGUN = ("locks", "mirror.json.new")  # what is there when a process died before it had made a mirror


@dataclass(frozen=True, slots=True)
class Order:
    """What is mirrored. A folder is the mirror of one order for ever."""

    base_url: str
    metadata_prefix: str = _PREFIX
    sets: tuple[str, ...] = ()


@dataclass(slots=True)
class Place:
    """A mirror's folder. `states` are the cursors of its lists, by set.

    It `obeys_robots` unless the files are the mirror's to take, by agreement with the provider. `address` is the class
    of address that the provider had when it was asked first.
    """

    folder: Path
    order: Order
    states: dict[str, str] = field(default_factory=dict)
    obeys_robots: bool = True
    address: str = ""
    identity: dict[str, str] = field(default_factory=dict)  # what the provider said that it is, as it was accepted
    accepted_size: int | None = None  # how few records a whole list may have, by a person's word
    recheck_every: str = ""  # how often each file is asked for again; empty: when somebody says so
    proven: Mark | None = None  # of the catalogue, when the last receipt was written
    version: int = _VERSION  # of mirror.json as it was read
    clock: Callable[[], float] = time
    notes: list[str] = field(default_factory=list)  # for people, of what was made here
    identity_changes: list[str] = field(default_factory=list, init=False)  # that a run has seen, in sentences
    catalogue: Catalogue = field(init=False)
    doubtful: Doubtful = field(init=False)
    witness: Witness | None = field(default=None, init=False)
    broken_off: Begun | None = field(default=None, init=False)  # the run before, when it has no receipt
    _is_ready: bool = field(default=False, init=False)
    _is_made: bool = field(default=False, init=False)  # the catalogue, by this process
    _is_accepted: bool = field(default=False, init=False)  # the catalogue, whatever the instance remembers of it

    def __post_init__(self) -> None:
        """Have a catalogue, which is read when it is needed."""
        self.catalogue = Catalogue(self.folder)
        self.doubtful = Doubtful(self.folder / "doubtful")

    @property
    def root(self) -> StorageRoot:
        """The objects."""
        return StorageRoot(self.folder / "ocfl", self.folder / "aside", self._announced)

    def _announced(self, inventory: Inventory, content: bytes) -> AbstractContextManager[None]:
        self.ready()
        return self.catalogue.announced(entry_of(self.root, inventory, content))

    def save(self) -> None:
        """Write down what is mirrored and how far it has come."""
        self.ready()
        content = self.as_json()
        if (self.folder / "mirror.json").read_bytes() != content:
            self.catalogue.append({"mirror": sha512(content).hexdigest()})
            replaced(self.folder / "mirror.json", content)

    def as_json(self) -> bytes:
        """Return mirror.json."""
        document = {"version": _VERSION, **asdict(self.order), "states": self.states}
        document["obeys_robots"] = self.obeys_robots
        document["address"] = self.address
        document["identity"] = self.identity
        document["accepted_size"] = self.accepted_size
        document["recheck_every"] = self.recheck_every
        document["catalogue"] = self.proven and self.proven._asdict()
        return json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n"

    # -- the catalogue --

    def ready(self, command: str = "change") -> None:
        """Bring the catalogue to where something may be written, and write down which run it is that does so.

        It is made where there is none. Raise StoreDamaged when it is not the one that the last run wrote.
        """
        if self._is_ready:
            return
        if not self.has_catalogue():
            self.take_what_is_here()
        self.catalogue.check(self.proven)
        self._ask_witness()
        if command:
            self._begin(command)
        behind = self.catalogue.behind(self.proven)
        if any("identifier" in line for line in behind):
            self.catalogue.recover(partial(on_disk, self.root))
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
        """Tell whether the catalogue begins with what the instance remembers of it, if it remembers any."""
        remembered = self.witness and self.witness.remembered(self.folder)
        return not remembered or self.catalogue.begins_with(remembered)

    def _ask_witness(self) -> None:
        """Raise StoreDamaged when the catalogue does not begin with what the instance remembers of it."""
        if not self.witness or self.is_as_remembered:
            return
        if self._is_made or self._is_accepted or not self.proven:
            told = "accepted" if self._is_accepted else "new"
            self.notes.append(f"{self.witness.file} remembers another catalogue of {self.folder}; this one is {told}.")
            return
        raise StoreDamaged(
            f"{self.folder} is an older copy, or another mirror than the one that {self.witness.file} remembers. Bring "
            f"the newer one back; or take what is here with {audit_of(self.folder, '--accept')}."
        )

    def _begin(self, command: str) -> None:
        """Write down that a run begins, and see what the one before has left."""
        contents = read_catalogue(self.catalogue.file)
        if contents.foreign:
            raise StoreDamaged(
                f"{self.catalogue.file} has {contents.foreign_lines} lines that no run wrote, the first of them: "
                f"{contents.foreign}. {audit_of(self.folder)} tells what is wrong; bring the folder back from a "
                "copy, or take what is here with --accept."
            )
        self.broken_off = contents.running
        self.catalogue.append({"run": command, "at": utc_datetime(int(self.clock()))})

    def has_catalogue(self) -> bool:
        """Tell whether there is a catalogue. Raise StoreDamaged when there was one, and it is gone."""
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
        """Go on with the catalogue that is here, whatever the instance remembers of it."""
        self._is_accepted = True

    def take_what_is_here(self) -> None:
        """Make the catalogue from what lies in the folder, whatever a catalogue said of it before."""
        count = 0

        def lines_of_objects() -> Iterator[Line]:
            nonlocal count
            for entry in found(self.root):
                count += entry.head == 1
                yield entry.line

        moment = utc_datetime(int(self.clock()))
        self.catalogue.make(moment, chain(lines_of_objects(), lines(self.root, self.folder)), lambda: count)
        self.proven, self._is_made = self.catalogue.mark, True
        self.notes.extend(origin(self.catalogue.file))

    def holding(self, inventory: Inventory) -> Holding | None:
        """Return what is known of an object; None when there is none. Raise StoreDamaged."""
        if not inventory.head:
            return None
        try:
            found = holding.read((self.root.place(inventory.identifier) / inventory.place(RECEIVED)).read_bytes())
        except (OSError, KeyError) as error:
            raise StoreDamaged(f"The {RECEIVED} of {inventory.identifier} cannot be read: {error!r}.") from error
        if any(each.path and each.sha512 and each.sha512 not in inventory.manifest for each in found.files):
            raise StoreDamaged(f"{inventory.identifier} does not hold what its {RECEIVED} names: it has been altered.")
        return found

    def command(self, *options: str) -> str:
        """Return the command that runs this mirror, as it may be typed."""
        order = self.order
        prefix = () if order.metadata_prefix == _PREFIX else ("--format", order.metadata_prefix)
        sets = chain.from_iterable(("--set", each) for each in order.sets)
        return f"`{shlex.join(('harvester', 'mirror', order.base_url, str(self.folder), *prefix, *sets, *options))}`"

    @property
    def waiting(self) -> Waiting:
        """The deletions that wait for a person."""
        return Waiting(self.folder / "waiting")

    # -- what failed --

    def mark(self, identifier: str, *, is_whole: bool) -> None:
        """Remember whether something is missing of an object."""
        file = self._mark_of(identifier)
        with telling(file):
            if is_whole:
                file.unlink(missing_ok=True)
            else:
                file.parent.mkdir(exist_ok=True)
                replaced(file, identifier.encode())

    def is_marked(self, identifier: str) -> bool:
        """Tell whether something is missing of an object."""
        return self._mark_of(identifier).exists()

    def _mark_of(self, identifier: str) -> Path:
        return self.folder / "failed" / sha256(identifier.encode()).hexdigest()

    def failed(self) -> Iterator[str]:
        """Return the identifiers of the objects of which something is missing."""
        for file in sorted((self.folder / "failed").glob("[0-9a-f]" * 64)):
            yield file.read_text("utf-8")

    def known(self, identifier: str) -> tuple[Inventory, Holding]:
        """Return an object that was held. Raise StoreDamaged when it cannot be read, or is not there any more."""
        inventory = self.root.inventory(identifier)
        found = self.holding(inventory)
        if found is None:
            raise StoreDamaged(f"{identifier} is not there any more; `harvester mirror --full` brings it.")
        return inventory, found

    # -- records that came and cannot be read --

    def note_unread(self, identifier: str, reason: str) -> None:
        """Remember that the newest record of an object cannot be read, and why."""
        file = self._unread_of(identifier)
        with telling(file):
            file.parent.mkdir(exist_ok=True)
        replaced(file, json.dumps({"identifier": identifier, "reason": reason}).encode())

    def forget_unread(self, identifier: str) -> None:
        """Forget it: the record has come again, and can be read."""
        file = self._unread_of(identifier)
        with telling(file):
            file.unlink(missing_ok=True)

    def unread(self) -> Iterator[tuple[str, str]]:
        """Return the identifiers of records that cannot be read, and why."""
        for file in sorted((self.folder / "failed").glob("*.json")):
            found = json.loads(file.read_bytes())
            yield found["identifier"], found["reason"]

    def _unread_of(self, identifier: str) -> Path:
        return self._mark_of(identifier).with_suffix(".json")

    # -- receipts --

    def keep(self, receipt: Receipt) -> Path:
        """Write a receipt and return its file. The catalogue names it, and it proves the catalogue up to its line."""
        self.ready()
        self.catalogue.settle(partial(on_disk, self.root))
        receipt.catalogue = self.catalogue.mark._asdict()
        receipt.state = {"mirror": state_of(self.as_json()), "waiting": self.waiting.sha512}
        receipt.broken_off = self.broken_off._asdict() if self.broken_off else {}
        folder = self.folder / "receipts"
        with telling(folder):
            folder.mkdir(exist_ok=True)
        name = f"{receipt.started_at.replace(':', '')}-{receipt.command.replace(' --', '-')}"
        names = (name, *(f"{name}-{number}" for number in range(2, 1000)))
        file = next(each for each in (folder / f"{name}.json" for name in names) if not each.exists())
        self.catalogue.append({"receipt": file.name, "sha512": sha512(receipt.as_json()).hexdigest()})
        replaced(file, receipt.as_json())
        self.proven = self.catalogue.mark
        self.save()
        if self.witness:
            self.witness.remember(self.folder, receipt.catalogue, receipt.ended_at)
        return file


def check(folder: Path) -> None:
    """Raise ConfigurationError when a folder is no mirror, before anything is written to it."""
    if not (folder / "mirror.json").exists():
        raise ConfigurationError(f"{folder} is no mirror: it has no mirror.json.")
    if not (folder / "mirror.json").is_file():
        raise ConfigurationError(f"{folder / 'mirror.json'} is no file. Bring it back from a copy.")


def opened(folder: Path, order: Order | None = None, *, settles: bool = True) -> Place:
    """Return the mirror in a folder, which becomes the mirror of `order` when it is none yet.

    `settles`: what a process that died has left is settled, for which the lock of the mirror must be held.
    Raise ConfigurationError when it is no mirror, or of something else; StoreDamaged when its objects are gone.
    """
    file = folder / "mirror.json"
    if file.exists():
        check(folder)
    try:
        place = _read(folder, json.loads(file.read_bytes()))
    except FileNotFoundError:
        if order is None:
            check(folder)
            raise
        place = _begun(folder, order)
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"{file} cannot be read: {error!r}.") from error
    if order is not None and replace(order, sets=tuple(sorted(set(order.sets)))) != place.order:
        told = f"{place.order.metadata_prefix} of {place.order.base_url}"
        raise ConfigurationError(f"{folder} is the mirror of {told}, sets {', '.join(place.order.sets) or 'all'}.")
    if place.states and not place.root.folder.exists():
        raise StoreDamaged(
            f"{place.root.folder} is not there, and {file} tells of objects in it. Bring it back from a copy, "
            "or mirror into another folder."
        )
    if settles:
        place.root.prepare()
    return place


def audited(folder: Path, *, is_writable: bool) -> Place:
    """Return a mirror that is to be audited, with a catalogue when one can be made: damage to it is told later."""
    place = opened(folder, settles=False)
    if is_writable and place.root.is_declared:
        place.root.prepare()
        with suppress(StoreDamaged):
            if not place.has_catalogue():
                place.ready("")
    if not place.catalogue.file.exists():
        place.notes.append("There is no catalogue: objects that were removed, or altered consistently, are not found.")
    elif not place.notes:
        with suppress(StoreDamaged):
            place.notes.extend(origin(place.catalogue.file))
    return place


def _begun(folder: Path, order: Order) -> Place:
    with telling(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if any(each.name not in _BEGUN for each in folder.iterdir()):
            raise ConfigurationError(f"{folder} is not empty and no mirror.")
    place = Place(folder, replace(order, sets=tuple(sorted(set(order.sets)))))
    replaced(folder / "mirror.json", place.as_json())
    return place


def _read(folder: Path, document: Mapping[str, object]) -> Place:
    sets, states = document["sets"], document["states"]
    assert isinstance(sets, list)
    assert isinstance(states, dict)
    order = Order(str(document["base_url"]), str(document["metadata_prefix"]), tuple(sets))
    mark = document.get("catalogue")
    assert isinstance(mark, dict | None)
    return Place(
        folder,
        order,
        dict(states),
        bool(document.get("obeys_robots", True)),
        str(document.get("address", "")),
        _identity(document.get("identity")),
        size if isinstance(size := document.get("accepted_size"), int) else None,
        str(document.get("recheck_every", "")),
        Mark(int(mark["bytes"]), str(mark["sha256"])) if mark else None,
        int(str(document.get("version", 1))),
    )


def _identity(found: object) -> dict[str, str]:
    known = found if isinstance(found, dict) else {}
    return {name: str(known[name]) for name in Identity._fields if name in known}
