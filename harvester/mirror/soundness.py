"""Whether a mirror is what its runs wrote: every byte of its objects, what lies around them, and the catalogue."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from hashlib import sha512
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_ISREG

from gateway.errors import StoreDamaged
from harvester.mirror import catalogue
from harvester.mirror.catalogue import Contents
from harvester.mirror.cataloguing import digest_of, receipts, state_of
from harvester.mirror.findings import Finding, Found
from harvester.mirror.holding import RECEIVED, Holding
from harvester.mirror.holding import read as read_holding
from harvester.mirror.inventory import NAME, SIDECAR, Inventory
from harvester.mirror.inventory import read as read_inventory
from harvester.mirror.ocfl import DECLARATION, OBJECT_DECLARED, README, ROOT_FILES, StorageRoot, digests_of
from harvester.mirror.place import Place
from harvester.stopping import Stop, StopAsked


def held(place: Place, stop: Stop, expected: str = "") -> Iterator[Holding | Found]:
    """Read and hash everything that is held; return what is known of each object, and what is wrong.

    `expected` is a digest that the catalogue once had. Raise StopAsked after the object at which somebody asked to
    stop.
    """
    root, links = place.root, _Links()
    yield from _led_out(place, links)
    contents = yield from _catalogue(place, expected)
    yield from _around(root, contents)
    for folder in root.folders():
        name = folder.relative_to(root.folder).as_posix()
        if folder.is_symlink():
            yield Found(Finding.STRANGE, name, "It is a symbolic link.")
            continue
        try:
            yield from _object(root, folder, contents, links)
        except (StoreDamaged, OSError, KeyError) as error:
            yield Found(Finding.DAMAGED, name, str(error))
        if stop.is_asked:
            raise StopAsked("The audit was stopped.")
    yield from links.leading_out(root)
    if contents is not None:
        yield from _gone(place, contents)


# --- the catalogue, and what it names beside objects ---------------------------------------------------------------


def _catalogue(place: Place, expected: str) -> Generator[Found, None, Contents | None]:
    file = place.catalogue.file
    try:
        if not place.has_catalogue():
            if expected:
                yield Found(Finding.ALTERED, file.name, "It is not there.")
            return None
        _check_regular(file)
        contents = catalogue.read(file)
    except (StoreDamaged, OSError) as error:
        yield Found(Finding.ALTERED, file.name, str(error))
        return None
    if place.proven and contents.digests.get(place.proven.bytes) != place.proven.sha256:
        yield Found(Finding.ALTERED, file.name, "It is not the one that mirror.json tells of.")
    if expected and expected.lower() not in contents.digests.values():
        reason = f"It never had the digest {expected}: it is another, or an earlier state has come back."
        yield Found(Finding.ALTERED, file.name, reason)
    remembered = place.witness and place.witness.remembered(place.folder)
    if place.witness and remembered and contents.digests.get(remembered.bytes) != remembered.sha256:
        reason = f"It never was the one that {place.witness.file} remembers: it is another, or an older copy came back."
        yield Found(Finding.ALTERED, file.name, reason)
    if contents.foreign:
        reason = f"{contents.foreign_lines} of its lines were written by no run, the first of them: {contents.foreign}."
        yield Found(Finding.ALTERED, file.name, reason)
    if contents.mirrors and digest_of(place.folder / "mirror.json") not in contents.mirrors:
        yield Found(Finding.ALTERED, "mirror.json", "It is not what the last run wrote.")
    yield from _receipts(place, contents)
    yield from _unconfirmed(place, contents)
    yield from (Found(Finding.DAMAGED, f"waiting/{name}", str(error)) for name, error in place.waiting.damaged())
    return contents


def _receipts(place: Place, contents: Contents) -> Iterator[Found]:
    """Check that receipts are those that were written, and that the catalogue is the one that they tell of."""
    there = {each.name: each for each in receipts(place.folder)}
    for name, digest in contents.receipts.items():
        if not digest:
            continue
        if name not in there:
            if contents.is_proven(name, place.proven):
                yield Found(Finding.ALTERED, f"receipts/{name}", "It is not there.")
        elif digest_of(there[name]) != digest:
            yield Found(Finding.ALTERED, f"receipts/{name}", "It is not the one that was written.")
        elif (
            name not in contents.adopted
            and (mark := _mark_in(there[name]))
            and (mark[0] != contents.named_at[name] or contents.digests.get(mark[0]) != mark[1])
        ):
            reason = f"Up to byte {mark and mark[0]} it is not the one that receipts/{name} tells of."
            yield Found(Finding.ALTERED, catalogue.NAME, reason)
    for each in sorted((place.folder / "receipts").glob("*")):
        if each.name not in contents.receipts and not each.name.endswith(".new"):
            yield Found(Finding.STRANGE, f"receipts/{each.name}", "No run wrote it.")


def _unconfirmed(place: Place, contents: Contents) -> Iterator[Found]:
    """Return what no receipt confirms: a run was broken off, or somebody wrote it who knows how."""
    again = f"{place.command()} completes it."
    last = contents.last_receipt
    if contents.running:
        command, at, versions = contents.running
        reason = f"The run that began at {at} ({command}) was broken off before its receipt, which alone confirms what "
        reason += f"it wrote: {versions} versions of objects. {again}"
        yield Found(Finding.UNCONFIRMED, catalogue.NAME, reason)
    elif contents.has_runs and place.proven and place.proven.bytes <= contents.named_at.get(last, 0):
        reason = f"mirror.json does not tell of receipts/{last}: its run was broken off at its very end. {again}"
        yield Found(Finding.UNCONFIRMED, catalogue.NAME, reason)
    elif last not in contents.adopted:
        yield from _beside(place, last)


def _beside(place: Place, last: str) -> Iterator[Found]:
    """Return what is not as the last receipt tells of what lies beside the objects."""
    try:
        state = json.loads((place.folder / "receipts" / last).read_bytes()).get("state", {})
        mirror = state_of((place.folder / "mirror.json").read_bytes())
    except (OSError, ValueError, AttributeError):
        return  # it is reported, or from before this was written
    if state.get("mirror", mirror) != mirror:
        yield Found(Finding.ALTERED, "mirror.json", f"It is not what receipts/{last} tells of.")
    waiting = place.waiting.sha512
    if state.get("waiting", waiting) != waiting:
        yield Found(Finding.ALTERED, "waiting", f"Other deletions wait than receipts/{last} tells of.")


def _mark_in(receipt: Path) -> tuple[int, str] | None:
    try:
        mark = json.loads(receipt.read_bytes())["catalogue"]
        return int(mark["bytes"]), str(mark["sha256"])
    except (ValueError, KeyError, TypeError):
        return None  # a receipt from before there was a catalogue


def _is_proven(mark: tuple[int, str] | None, contents: Contents) -> bool:
    return mark is not None and contents.digests.get(mark[0]) == mark[1]


def _gone(place: Place, contents: Contents) -> Iterator[Found]:
    """Return the objects that the catalogue names, and that are not there."""
    last = {each.identifier: each for each in catalogue.entries(place.catalogue.file) if contents.has(each.identifier)}
    for identifier, entry in last.items():
        if "" in contents.states(identifier) or os.path.lexists(place.root.place(identifier)):
            continue
        if entry.is_deleted:
            yield Found(Finding.DAMAGED, identifier, f"{entry.path} is not there; its record was deleted.")
        else:
            yield Found(Finding.LOST, identifier, f"{entry.path} is not there.")


def _led_out(place: Place, links: _Links) -> Iterator[Found]:
    """Return the links among what lies beside the storage root."""
    names = ("mirror.json", catalogue.NAME, "receipts", "failed", "waiting")
    inside = sorted(each.relative_to(place.folder).as_posix() for each in (place.folder / "receipts").glob("*"))
    for name in (*names, *inside):
        try:
            status = (place.folder / name).lstat()
        except FileNotFoundError:
            continue
        if S_ISLNK(status.st_mode):
            yield Found(Finding.STRANGE, name, "It is a symbolic link.")
        else:
            links.note(name, status)


# --- around the objects --------------------------------------------------------------------------------------------


def _around(root: StorageRoot, contents: Contents | None) -> Iterator[Found]:
    """Return what is wrong outside of the objects."""
    if root.folder.is_symlink():
        yield Found(Finding.STRANGE, root.folder.name, "It is a symbolic link.")
    for name in ROOT_FILES:
        if not _is_regular(root.folder / name):
            yield Found(Finding.DAMAGED, name, "It is not there.")
    yield from (Found(Finding.DAMAGED, name, "It does not say what it should.") for name in root.misdeclared())
    yield from _files_of_root(root, contents)
    for each in root.strays():
        name = each.relative_to(root.folder).as_posix()
        if each.is_symlink():
            yield Found(Finding.STRANGE, name, "It is a symbolic link.")
        elif each.is_dir() and not any(each.iterdir()):
            yield Found(Finding.DAMAGED, name, "The folder is empty: the object that was in it is gone.")
        elif name != README or (contents and README not in contents.files):
            yield Found(Finding.STRANGE, name, "It is part of no object.")


def _files_of_root(root: StorageRoot, contents: Contents | None) -> Iterator[Found]:
    """Return what is not as it was written of the files of the root."""
    for name, digests in (contents.files if contents else {}).items():
        if not _is_regular(root.folder / name):
            if "" not in digests and name not in ROOT_FILES:
                yield Found(Finding.ALTERED, name, "It is not there.")
        elif digest_of(root.folder / name) not in digests:
            yield Found(Finding.ALTERED, name, "It is not what was written.")


def _is_regular(file: Path) -> bool:
    try:
        return S_ISREG(file.lstat().st_mode)
    except OSError:
        return False


def _check_regular(file: Path) -> None:
    """Raise StoreDamaged for what is no file of this folder: a link, or what may never end when it is read."""
    if not S_ISREG(file.lstat().st_mode):
        raise StoreDamaged(f"{file} is no file.")


@dataclass(slots=True)
class _Links:
    """Files with several names: all of them must be in the mirror, else who changes the other changes this one."""

    names: Counter[tuple[int, int]] = field(default_factory=Counter)
    files: dict[tuple[int, int], tuple[str, int]] = field(default_factory=dict)
    shared: list[tuple[str, str]] = field(default_factory=list)  # two names in the mirror

    def note(self, name: str, status: os.stat_result) -> None:
        """Note a name of a file; an empty one is beside what must stay as it is."""
        if status.st_nlink > 1 and S_ISREG(status.st_mode):
            key = (status.st_dev, status.st_ino)
            if name and self.names[key]:
                self.shared.append((name, self.files[key][0]))
            self.names[key] += 1
            self.files.setdefault(key, (name, status.st_nlink))

    def leading_out(self, root: StorageRoot) -> Iterator[Found]:
        """Return the files that have a name elsewhere; what waits aside or is doubtful may be one of ours."""
        beside = (root.aside, root.folder.parent / "doubtful") if self.files else ()
        for folder in beside:
            for _, status in _walked(folder) if folder.is_dir() else ():
                self.note("", status)
        for name, other in self.shared:
            yield Found(Finding.STRANGE, name, f"It is a hard link: {other} is the same file, and is harmed with it.")
        for key, (name, count) in self.files.items():
            if self.names[key] < count and name:
                reason = "It is a hard link: it has another name outside of the mirror, and may be changed there."
                yield Found(Finding.STRANGE, name, reason)


def _walked(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Return everything below a folder but folders that hold something; links are not followed."""
    with os.scandir(folder) as inside:
        entries = sorted(inside, key=lambda each: each.name)
    for each in entries:
        path, status = Path(each.path), each.stat(follow_symlinks=False)
        if not S_ISDIR(status.st_mode):
            yield path, status
        elif below := list(_walked(path)):
            yield from below
        else:
            yield path, status


# --- one object ----------------------------------------------------------------------------------------------------


def _object(root: StorageRoot, folder: Path, contents: Contents | None, links: _Links) -> Iterator[Holding | Found]:
    content = _declared(folder)
    inventory = read_inventory(content)
    identifier = inventory.identifier
    if folder != root.place(identifier):
        name = folder.relative_to(root.folder).as_posix()
        yield Found(Finding.STRANGE, name, f"It holds {identifier}, which does not belong there.")
        return
    for finding, reason in (*_wrong(folder, inventory, links), *_unlike(folder, inventory, content, contents)):
        yield Found(finding, identifier, reason)
    if contents is not None:
        contents.forget(identifier)
    yield read_holding((folder / inventory.place(RECEIVED)).read_bytes())


def _declared(folder: Path) -> bytes:
    """Return the inventory of an object. Raise StoreDamaged when it is not the one that was written."""
    if not _is_regular(folder / DECLARATION):
        raise StoreDamaged(f"{folder / DECLARATION} is not there.")
    if (folder / DECLARATION).read_bytes() != OBJECT_DECLARED:
        raise StoreDamaged(f"{folder / DECLARATION} does not say what it should.")
    return _written(folder)


def _written(folder: Path) -> bytes:
    """Return the inventory in a folder. Raise StoreDamaged when it is not the one that was written."""
    for name in (NAME, SIDECAR):
        _check_regular(folder / name)
    content = (folder / NAME).read_bytes()
    if (folder / SIDECAR).read_bytes() != f"{sha512(content).hexdigest()} {NAME}\n".encode():
        raise StoreDamaged(f"{folder / NAME} is not the one that was written: its digest is another.")
    return content


def _known(inventory: Inventory) -> set[str]:
    """Return the places of all files that an object has."""
    folders = ("", *(f"v{number}/" for number in range(1, inventory.head + 1)))
    inventories = {f"{folder}{name}" for folder in folders for name in (NAME, SIDECAR)}
    return {DECLARATION, *inventories, *inventory.manifest.values()}


def _wrong(folder: Path, inventory: Inventory, links: _Links) -> Iterator[tuple[Finding, str]]:
    """Return what is wrong with the files of an object by its own inventory."""
    for digest, place in inventory.manifest.items():
        if not _is_regular(folder / place):
            yield Finding.LOST, f"{place} is not there."
        elif digests_of(folder / place).sha512 != digest:
            yield Finding.CORRUPT, f"{place} is not what arrived."
    known = _known(inventory)
    for file, status in _walked(folder):
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
    """Return in what the inventories of an object are not those that were written, by each other and the catalogue."""
    identifier = inventory.identifier
    if contents is not None:
        if not contents.has(identifier):
            yield Finding.STRANGE, "No run has received this object: the catalogue does not name it."
        elif sha512(content).hexdigest() not in contents.states(identifier):
            head = contents.of(identifier)[-1].head
            yield Finding.ALTERED, f"Its inventory is not that of version {head}, which the catalogue names."
    told = contents.versions(identifier) if contents else {}
    for number in range(1, inventory.head + 1):
        place = f"v{number}/{NAME}"
        try:
            copy = _written(folder / f"v{number}")
        except (StoreDamaged, OSError) as error:
            yield Finding.DAMAGED, str(error)
            continue
        if number in told and sha512(copy).hexdigest() != told[number]:
            yield Finding.ALTERED, f"{place} is not the one that the catalogue names."
        elif number == inventory.head and copy != content:
            yield Finding.ALTERED, f"{place} is not the inventory of the object, of which it should be a copy."
        elif not _continues(read_inventory(copy), inventory):
            yield Finding.ALTERED, f"{NAME} says of version {number} what {place} does not."


def _continues(earlier: Inventory, later: Inventory) -> bool:
    """Tell whether an inventory says of the versions up to an earlier one what that said."""
    states = [each.state for each in later.versions[: earlier.head]]
    has_all = earlier.manifest.items() <= later.manifest.items()
    return has_all and states == [each.state for each in earlier.versions]
