"""Audit of one object of a mirror: its inventories (OCFL 1.1 §3.5), and all bytes of its files."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha512
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_ISREG
from typing import NamedTuple

from gateway.core.errors import StoreDamaged
from harvester.mirror.catalogue import Contents
from harvester.mirror.inventory import NAME, SIDECAR, Inventory
from harvester.mirror.inventory import read as read_inventory
from harvester.mirror.object_state import RECEIVED, Holding
from harvester.mirror.object_state import read as read_holding
from harvester.mirror.ocfl import DECLARATION, OBJECT_DECLARED, StorageRoot, digests_of


def audited_object(
    root: StorageRoot, folder: Path, contents: Contents | None, links: Links
) -> Iterator[Holding | AuditFinding]:
    """Read and hash the object in a folder; return the findings, and at last the state of the object.

    `contents` is the catalogue, if there is one; the object is removed from it. Raise StoreDamaged, OSError or
    KeyError when the object cannot be read.
    """
    if not is_regular(folder / DECLARATION):
        raise StoreDamaged(f"{folder / DECLARATION} is not there.")
    if (folder / DECLARATION).read_bytes() != OBJECT_DECLARED:
        raise StoreDamaged(f"{folder / DECLARATION} has a wrong content.")
    content = _written(folder)
    inventory = read_inventory(content)
    identifier = inventory.identifier
    if folder != root.place(identifier):
        name = folder.relative_to(root.folder).as_posix()
        yield AuditFinding(Finding.STRANGE, name, f"It holds {identifier}, which belongs in another folder.")
        return
    for finding, reason in (*_wrong(folder, inventory, links), *_unlike(folder, inventory, content, contents)):
        yield AuditFinding(finding, identifier, reason)
    if contents is not None:
        contents.forget(identifier)
    yield read_holding((folder / inventory.place(RECEIVED)).read_bytes())


def _written(folder: Path) -> bytes:
    """Return the inventory in a folder. Raise StoreDamaged when its digest is wrong."""
    for name in (NAME, SIDECAR):
        check_regular(folder / name)
    content = (folder / NAME).read_bytes()
    if (folder / SIDECAR).read_bytes() != f"{sha512(content).hexdigest()} {NAME}\n".encode():
        raise StoreDamaged(f"{folder / NAME} was altered: its digest is wrong.")
    return content


def _known(inventory: Inventory) -> set[str]:
    """Return the paths of all files of an object."""
    folders = ("", *(f"v{number}/" for number in range(1, inventory.head + 1)))
    inventories = {f"{folder}{name}" for folder in folders for name in (NAME, SIDECAR)}
    return {DECLARATION, *inventories, *inventory.manifest.values()}


def _wrong(folder: Path, inventory: Inventory, links: Links) -> Iterator[tuple[Finding, str]]:
    """Return the files of an object that disagree with its inventory."""
    for digest, place in inventory.manifest.items():
        if not is_regular(folder / place):
            yield Finding.LOST, f"{place} is not there."
        elif digests_of(folder / place).sha512 != digest:
            yield Finding.CORRUPT, f"{place} is not what arrived."
    known = _known(inventory)
    for file, status in walked(folder):
        name = file.relative_to(folder).as_posix()
        if S_ISLNK(status.st_mode):
            yield Finding.STRANGE, f"{name} is a symbolic link."
        elif S_ISDIR(status.st_mode):
            yield Finding.STRANGE, f"{name} is an empty folder."
        elif name not in known:
            yield Finding.STRANGE, f"{name} is in no version."
        links.note(f"{folder.name}/{name}", status)


def _unlike(
    folder: Path, inventory: Inventory, content: bytes, contents: Contents | None
) -> Iterator[tuple[Finding, str]]:
    """Return where the inventories of an object disagree with the catalogue or with each other."""
    identifier = inventory.identifier
    if contents is not None:
        if not contents.has(identifier):
            yield Finding.STRANGE, "No run has received this object: the catalogue does not name it."
        elif sha512(content).hexdigest() not in contents.states(identifier):
            head = contents.of(identifier)[-1].head
            yield Finding.ALTERED, f"Its inventory is not that of version {head}, which the catalogue names."
    versions = contents.versions(identifier) if contents else {}
    for number in range(1, inventory.head + 1):
        place = f"v{number}/{NAME}"
        try:
            copy = _written(folder / f"v{number}")
        except (StoreDamaged, OSError) as error:
            yield Finding.DAMAGED, str(error)
            continue
        if number in versions and sha512(copy).hexdigest() != versions[number]:
            yield Finding.ALTERED, f"{place} is not the one that the catalogue names."
        elif number == inventory.head and copy != content:
            yield Finding.ALTERED, f"{place} is not the inventory of the object, but must be a copy of it."
        elif not _continues(read_inventory(copy), inventory):
            yield Finding.ALTERED, f"{NAME} says of version {number} what {place} does not."


def _continues(earlier: Inventory, later: Inventory) -> bool:
    """Return whether a later inventory contains all versions of an earlier one unchanged."""
    states = [version.state for version in later.versions[: earlier.head]]
    has_all = earlier.manifest.items() <= later.manifest.items()
    return has_all and states == [version.state for version in earlier.versions]


# --- files and links ------------------------------------------------------------------------------------------------


def is_regular(file: Path) -> bool:
    """Return whether a path is a regular file, neither a link nor a device."""
    try:
        return S_ISREG(file.lstat().st_mode)
    except OSError:
        return False


def check_regular(file: Path) -> None:
    """Raise StoreDamaged when a path is not a regular file: a link, or a device whose reading may never end."""
    if not S_ISREG(file.lstat().st_mode):
        raise StoreDamaged(f"{file} is no file.")


@dataclass(slots=True)
class Links:
    """Files with several hard links. All of them must be in the mirror, else a change outside changes the mirror."""

    names: Counter[tuple[int, int]] = field(default_factory=Counter)
    files: dict[tuple[int, int], tuple[str, int]] = field(default_factory=dict)
    shared: list[tuple[str, str]] = field(default_factory=list)  # pairs of names in the mirror

    def note(self, name: str, status: os.stat_result) -> None:
        """Note a name of a file; an empty name is one outside of the audited files."""
        if status.st_nlink > 1 and S_ISREG(status.st_mode):
            key = (status.st_dev, status.st_ino)
            if name and self.names[key]:
                self.shared.append((name, self.files[key][0]))
            self.names[key] += 1
            self.files.setdefault(key, (name, status.st_nlink))

    def leading_out(self, root: StorageRoot) -> Iterator[AuditFinding]:
        """Return the files with a hard link outside of the mirror. Links in `aside` and `doubtful` are allowed."""
        beside = (root.aside, root.folder.parent / "doubtful") if self.files else ()
        for folder in beside:
            for _, status in walked(folder) if folder.is_dir() else ():
                self.note("", status)
        for name, other in self.shared:
            yield AuditFinding(
                Finding.STRANGE, name, f"It is a hard link: {other} is the same file, and is harmed with it."
            )
        for key, (name, count) in self.files.items():
            if self.names[key] < count and name:
                reason = "It is a hard link: it has another name outside of the mirror, and may be changed there."
                yield AuditFinding(Finding.STRANGE, name, reason)


def walked(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Return all paths below a folder, except folders with content. Links are not followed."""
    with os.scandir(folder) as inside:
        entries = sorted(inside, key=lambda entry: entry.name)
    for entry in entries:
        path, status = Path(entry.path), entry.stat(follow_symlinks=False)
        if not S_ISDIR(status.st_mode):
            yield path, status
        elif below := list(walked(path)):
            yield from below
        else:
            yield path, status


# --- The kinds of findings of an audit of a mirror: a closed list ----------------------------------------------------


class Finding(StrEnum):
    """The kind of a finding."""

    CORRUPT = "corrupt"  # the bytes were altered
    LOST = "lost"  # a file of the inventory, or an object of the catalogue, is not there
    STRANGE = "strange"  # a file in no inventory, an object that no run received, a link
    DAMAGED = "damaged"  # an inventory is unreadable or was altered
    ALTERED = "altered"  # it is consistent, but the catalogue has another digest
    UNCONFIRMED = "unconfirmed"  # a run was broken off before its receipt
    INCOMPLETE = "incomplete"  # a file could not be fetched
    MISSING = "missing"  # the provider has it, the mirror does not
    EXTRA = "extra"  # the mirror has it, the provider does not
    STALE = "stale"  # the provider has another state of it


MENDABLE = (Finding.CORRUPT, Finding.LOST)  # they are repaired by fetching the bytes again


class AuditFinding(NamedTuple):
    """One finding: its kind, the identifier of the object or the name of the file, and the reason."""

    finding: Finding
    identifier: str
    reason: str
