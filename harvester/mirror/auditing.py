"""Whether a mirror still holds what it received, byte by byte, and whether that is what its provider has now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from hashlib import sha512
from pathlib import Path
from typing import NamedTuple

from gateway.errors import StoreDamaged
from gateway.model import Cursor
from harvester.mirror.holding import RECEIVED, Holding, read
from harvester.mirror.inventory import NAME, SIDECAR, Inventory
from harvester.mirror.inventory import read as read_inventory
from harvester.mirror.ocfl import DECLARATION, ROOT_FILES, StorageRoot, digests_of
from harvester.mirror.place import Place
from harvester.sources import Options, SourceKind
from harvester.stopping import Stop, StopAsked
from harvester.wire.http import Fetch


class Finding(StrEnum):
    """What an audit finds: a closed list."""

    CORRUPT = "corrupt"  # bytes are not those that arrived
    LOST = "lost"  # a file is not where the inventory says
    STRANGE = "strange"  # a file that no inventory knows
    DAMAGED = "damaged"  # an inventory cannot be read, or is not the one that was written
    INCOMPLETE = "incomplete"  # a file could not be had when the object was received
    MISSING = "missing"  # the provider has it, the mirror has not
    EXTRA = "extra"  # the mirror has it, the provider has not
    STALE = "stale"  # the provider has another state of it


MENDABLE = (Finding.CORRUPT, Finding.LOST)  # the bytes may be fetched again


class Found(NamedTuple):
    """One thing that is not as it should be."""

    finding: Finding
    identifier: str
    reason: str


class Now(NamedTuple):
    """What a provider lists of one object."""

    datestamp: str
    is_deleted: bool


def held(place: Place, stop: Stop) -> Iterator[Holding | Found]:
    """Read and hash everything that is held; return what is known of each object, and what is wrong.

    Raise StopAsked after the object at which somebody asked to stop.
    """
    yield from _around(place.root)
    for folder in place.root.folders():
        try:
            inventory = _inventory(folder)
            yield from (Found(each, inventory.identifier, reason) for each, reason in _wrong(folder, inventory))
            yield read((folder / inventory.place(RECEIVED)).read_bytes())
        except (StoreDamaged, OSError, KeyError) as error:
            yield Found(Finding.DAMAGED, str(folder.relative_to(place.root.folder)), str(error))
        if stop.is_asked:
            raise StopAsked("The audit was stopped.")


def _around(root: StorageRoot) -> Iterator[Found]:
    """Return what is wrong outside of the objects."""
    for name in ROOT_FILES:
        if not (root.folder / name).is_file():
            yield Found(Finding.DAMAGED, name, "It is not there.")
    for each in root.strays():
        name = str(each.relative_to(root.folder))
        if each.is_dir() and not any(each.iterdir()):
            yield Found(Finding.DAMAGED, name, "The folder is empty: the object that was in it is gone.")
        else:
            yield Found(Finding.STRANGE, name, "It is part of no object.")


def _inventory(folder: Path) -> Inventory:
    if not (folder / DECLARATION).is_file():
        raise StoreDamaged(f"{folder / DECLARATION} is not there.")
    return read_inventory(_written(folder))


def _written(folder: Path) -> bytes:
    """Return the inventory in a folder. Raise StoreDamaged when it is not the one that was written."""
    content = (folder / NAME).read_bytes()
    stated = (folder / SIDECAR).read_text("ascii", "replace").split()
    if stated[:1] != [sha512(content).hexdigest()]:
        raise StoreDamaged(f"{folder / NAME} is not the one that was written: its digest is another.")
    return content


def _known(inventory: Inventory) -> set[str]:
    """Return the places of all files that an object has."""
    folders = ("", *(f"v{number}/" for number in range(1, inventory.head + 1)))
    inventories = {f"{folder}{name}" for folder in folders for name in (NAME, SIDECAR)}
    return {DECLARATION, *inventories, *inventory.manifest.values()}


def _wrong(folder: Path, inventory: Inventory) -> Iterator[tuple[Finding, str]]:
    expected = {place: digest for digest, place in inventory.manifest.items()}
    for place, digest in expected.items():
        file = folder / place
        if not file.is_file():
            yield Finding.LOST, f"{place} is not there."
        elif digests_of(file).sha512 != digest:
            yield Finding.CORRUPT, f"{place} is not what arrived."
    for number in range(1, inventory.head + 1):
        try:
            _written(folder / f"v{number}")
        except (StoreDamaged, OSError) as error:
            yield Finding.DAMAGED, str(error)
    known = _known(inventory)
    for file in sorted(folder.rglob("*")):
        if not file.is_dir() and file.relative_to(folder).as_posix() not in known:
            yield Finding.STRANGE, f"{file.relative_to(folder)} is in no version."


def listed(place: Place, kind: SourceKind, options: Options, fetch: Fetch) -> tuple[dict[str, Now], list[str]]:
    """Return what the provider has now, by identifier, and the reasons why that may not be all."""
    assert kind.listed is not None
    found: dict[str, Now] = {}
    doubts: list[str] = []
    for set_spec in place.order.sets or ("",):
        cursor = Cursor("", place.order.metadata_prefix, set_spec, place.states.get(set_spec, ""))
        for page in kind.listed(options, cursor, fetch):
            found |= {each.identifier: Now(each.datestamp, each.is_deleted) for each in page.slices if not each.problem}
            doubts += page.doubts
    return found, doubts


def compared(holdings: Iterable[Holding], now: Mapping[str, Now], *, is_whole: bool = True) -> Iterator[Found]:
    """Hold what is held against what the provider has; of a list that is not whole, nothing is concluded to be gone."""
    ours = {each.identifier: each for each in holdings}
    for identifier, theirs in now.items():
        holding = ours.get(identifier)
        if holding is None:
            if not theirs.is_deleted:
                yield Found(Finding.MISSING, identifier, f"The provider has it since {theirs.datestamp}.")
        elif theirs.is_deleted != holding.is_deleted:
            yield _other_side(identifier, theirs)
        elif theirs.datestamp != holding.datestamp:
            reason = f"The provider's is of {theirs.datestamp}, this one of {holding.datestamp}."
            yield Found(Finding.STALE, identifier, reason)
    for identifier, holding in ours.items():
        if identifier not in now and not holding.is_deleted and is_whole:
            yield Found(Finding.EXTRA, identifier, "The provider does not list it.")


def _other_side(identifier: str, theirs: Now) -> Found:
    if theirs.is_deleted:
        return Found(Finding.EXTRA, identifier, f"The provider deleted it ({theirs.datestamp}).")
    return Found(Finding.MISSING, identifier, f"The provider has it again since {theirs.datestamp}.")


def incomplete(holding: Holding) -> Iterator[Found]:
    """Return what could not be had when an object was received."""
    if holding.problem:
        yield Found(Finding.INCOMPLETE, holding.identifier, holding.problem)
    for file in holding.missing:
        yield Found(Finding.INCOMPLETE, holding.identifier, f"{next(iter(file.locations), file.path)}: {file.reason}")
