"""An OCFL 1.1 storage root: one folder per object. A written version never changes.

A version is made in a separate folder on the same file system, and moved into the object as a whole. After a kill, an
object has its old or its new version. Only its root inventory may be old; `prepare` then replaces it.

    ROOT/0=ocfl_1.1  ocfl_layout.json  extensions/0003-hash-and-id-n-tuple-storage-layout/config.json
    ROOT/3c0/ff4/240/oai%3aexample%2eorg%3a1/0=ocfl_object_1.1  inventory.json  v1/content/…
    ASIDE/3c0ff4240…/identifier  files/…  next/…
"""

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from hashlib import sha256, sha512
from pathlib import Path
from typing import NamedTuple, TypeAlias

from gateway.core.errors import ConfigurationError, StoreDamaged
from harvester.mirror.inventory import NAME, PROGRAM, SIDECAR, Arrived, Inventory, User, read, with_version, written
from harvester.runtime.durable_files import DIGESTS, digests_by_algorithm, reporting_unwritable, sync, write_durably

_ROOT, _OBJECT = "ocfl_1.1", "ocfl_object_1.1"
DECLARATION = f"0={_OBJECT}"
OBJECT_DECLARED = f"{_OBJECT}\n".encode()
ROOT_FILES = (f"0={_ROOT}", "ocfl_layout.json")
README = "README.txt"
_LAYOUT = "0003-hash-and-id-n-tuple-storage-layout"
CONFIG_FILE = f"extensions/{_LAYOUT}/config.json"
_TUPLE, _TUPLES = 3, 3
_TUPLE_NAME = re.compile(f"[0-9a-f]{{{_TUPLE}}}")
_MOST_CHARACTERS = 100  # of an identifier in the name of its folder, as the layout extension requires
_CONFIG = {"extensionName": _LAYOUT, "digestAlgorithm": "sha256", "tupleSize": _TUPLE, "numberOfTuples": _TUPLES}
_VERSION = re.compile(r"v([1-9]\d*)")
_BEGUN = {"extensions", "ocfl_layout.json"}  # files of a process that was killed before it had made a root


Announced: TypeAlias = Callable[[Inventory, bytes], AbstractContextManager[None]]


class Incoming(NamedTuple):
    """Bytes in a temporary file that become part of an object."""

    file: Path
    arrived: Arrived


class StorageRoot:
    """A storage root (OCFL 1.1 §4). Only one process at a time may write. Methods that write raise StoreUnwritable.

    `aside` is a folder on the same file system for unfinished files. A version is moved in within the context
    `announced(inventory, inventory as bytes)`.
    """

    def __init__(self, folder: Path, aside: Path, announced: Announced = lambda _inventory, _: nullcontext()) -> None:
        self.folder = folder
        self.aside = aside
        self._announced = announced

    def prepare(self) -> None:
        """Make the root if there is none. Complete or remove the unfinished work of a killed process.

        Raise ConfigurationError when the folder holds something else, StoreUnwritable when it cannot be written.
        """
        with reporting_unwritable(self.folder):
            if not self.is_declared:
                self._make()
            self.aside.mkdir(parents=True, exist_ok=True)
            for workspace in sorted(path for path in self.aside.iterdir() if path.is_dir()):
                self._settle(workspace)

    @property
    def is_declared(self) -> bool:
        """Return whether the folder has the declaration of a storage root (OCFL 1.1 §4.2)."""
        return (self.folder / f"0={_ROOT}").exists()

    def clear(self) -> None:
        """Remove all unfinished files. `prepare` must have been called before."""
        with reporting_unwritable(self.aside):
            for workspace in [path for path in self.aside.iterdir() if path.is_dir()]:
                shutil.rmtree(workspace)

    def discard(self, identifier: str) -> None:
        """Remove the unfinished files of one object."""
        workspace = self.aside / sha256(identifier.encode()).hexdigest()
        with reporting_unwritable(workspace):
            if workspace.exists():
                shutil.rmtree(workspace)

    def _make(self) -> None:
        if self.folder.exists() and not {path.name for path in self.folder.iterdir()} <= _BEGUN:
            raise ConfigurationError(f"{self.folder} is not empty and no OCFL storage root of ours.")
        extension = self.folder / "extensions" / _LAYOUT
        extension.mkdir(parents=True, exist_ok=True)
        layout = {"extension": _LAYOUT, "description": "Tuples of the SHA-256 of the identifier, then itself."}
        write_durably(extension / "config.json", json.dumps(_CONFIG, indent=1).encode())
        write_durably(self.folder / "ocfl_layout.json", json.dumps(layout, indent=1).encode())
        self.aside.mkdir(parents=True, exist_ok=True)
        write_durably(self.aside / "root", f"{_ROOT}\n".encode())
        (self.aside / "root").rename(self.folder / f"0={_ROOT}")

    def place(self, identifier: str) -> Path:
        """Return the folder of an object (OCFL extension 0003), even when there is no such object."""
        digest = sha256(identifier.encode()).hexdigest()
        tuples = (digest[start : start + _TUPLE] for start in range(0, _TUPLE * _TUPLES, _TUPLE))
        name = "".join(letter if _is_plain(letter) else _escaped(letter) for letter in identifier)
        name = name if len(name) <= _MOST_CHARACTERS else f"{name[:_MOST_CHARACTERS]}-{digest}"
        return self.folder.joinpath(*tuples, name)

    def workspace(self, identifier: str) -> Path:
        """Return the temporary folder for the files of an object. It is made if needed. Raise StoreUnwritable."""
        workspace = self.aside / sha256(identifier.encode()).hexdigest()
        with reporting_unwritable(workspace):
            (workspace / "files").mkdir(parents=True, exist_ok=True)
            if not (workspace / "identifier").exists():
                (workspace / "identifier").write_bytes(identifier.encode())
        return workspace

    def inventory(self, identifier: str) -> Inventory:
        """Return the inventory of an object; without versions when there is no object. Raise StoreDamaged."""
        folder = self.place(identifier)
        try:
            inventory = read((folder / NAME).read_bytes())
        except FileNotFoundError:
            if folder.exists() and any(folder.iterdir()):
                raise StoreDamaged(f"{folder / NAME} is not there; its newest version has a copy of it.") from None
            return Inventory(identifier)
        if inventory.identifier != identifier:
            raise StoreDamaged(f"{folder} holds {inventory.identifier}, not {identifier}.")
        return inventory

    def objects(self) -> Iterator[Path]:
        """Return the folders of all objects, in order."""
        return (folder for folder in self.folders() if (folder / DECLARATION).exists())

    def folders(self) -> list[Path]:
        """Return all folders at the depth of objects, in order, with or without a declaration."""
        return sorted(self.folder.glob("/".join([*["[0-9a-f]" * _TUPLE] * _TUPLES, "*"])))

    def strays(self) -> Iterator[Path]:
        """Return paths that belong to no object: files above the objects, and empty folders."""
        holders = [self.folder]
        for _ in range(_TUPLES):
            inside = [(holder, sorted(holder.iterdir())) for holder in holders]
            yield from (folder for folder, contents in inside if not contents and folder != self.folder)
            folders = [content for _, contents in inside for content in contents]
            holders = [folder for folder in folders if _TUPLE_NAME.fullmatch(folder.name) and _is_folder(folder)]
            known = {self.folder / name for name in (*ROOT_FILES, "extensions")}.union(holders)
            yield from (path for path in folders if path not in known)
        yield from (holder for holder in holders if not any(holder.iterdir()))
        config = self.folder / CONFIG_FILE
        extensions = self.folder / "extensions"
        below = (extensions, *sorted(extensions.rglob("*")))
        yield from (path for path in below if path not in (extensions, config.parent, config) or path.is_symlink())

    def misdeclared(self) -> Iterator[str]:
        """Return the files of the root whose content is wrong; missing files are left out."""
        if not _says(self.folder / f"0={_ROOT}", lambda content: content == f"{_ROOT}\n".encode()):
            yield f"0={_ROOT}"
        if not _says(self.folder / "ocfl_layout.json", lambda content: json.loads(content)["extension"] == _LAYOUT):
            yield "ocfl_layout.json"
        if not (self.folder / CONFIG_FILE).is_file() or not _says(
            self.folder / CONFIG_FILE, lambda content: json.loads(content) == _CONFIG
        ):
            yield CONFIG_FILE

    def harmed(self, inventory: Inventory) -> frozenset[str]:
        """Return the logical paths of the newest version whose bytes are lost or altered. It reads all of them."""
        folder = self.place(inventory.identifier)
        harmed = {
            digest for digest in inventory.state.values() if not _holds(folder / inventory.manifest[digest], digest)
        }
        return frozenset(path for path, digest in inventory.state.items() if digest in harmed)

    def lacks(self, inventory: Inventory, digest: str) -> bool:
        """Return whether the content with a SHA-512 is lost or altered. It reads the content."""
        place = inventory.manifest.get(digest)
        return place is not None and not _holds(self.place(inventory.identifier) / place, digest)

    def mend(self, inventory: Inventory, incoming: Incoming) -> None:
        """Replace lost or altered content with bytes that were received again. Raise StoreUnwritable."""
        file = self.place(inventory.identifier) / inventory.manifest[incoming.arrived.sha512]
        with reporting_unwritable(file):
            file.parent.mkdir(parents=True, exist_ok=True)
            sync(incoming.file)
            incoming.file.replace(file)
            sync(file.parent)

    def commit(
        self, before: Inventory, state: Mapping[str, Incoming | str], created: str, message: str, user: User = PROGRAM
    ) -> Inventory:
        """Write a further version of an object with exactly these files, and return the new inventory.

        A file that is stored already is given by its SHA-512. The temporary folder of the object is removed afterwards.
        Raise StoreUnwritable, and ValueError for a path that OCFL forbids.
        """
        digests = {path: value.arrived if isinstance(value, Incoming) else value for path, value in state.items()}
        after, new = with_version(before, digests, created, message, user)
        workspace, folder = self.workspace(before.identifier), self.place(before.identifier)
        with reporting_unwritable(folder):
            made = _made(workspace, after, {place: state[logical] for logical, place in new.items()})
            content = written(after)
            with self._announced(after, content):
                _move_in(made, folder, after.head)
                _renew(workspace, folder, content)
            shutil.rmtree(workspace)
        return after

    def _settle(self, workspace: Path) -> None:
        """Complete or undo an interrupted commit of an object."""
        shutil.rmtree(workspace / "next", ignore_errors=True)
        try:
            folder = self.place((workspace / "identifier").read_text("utf-8"))
        except FileNotFoundError:
            shutil.rmtree(workspace)
            return
        for file in (workspace / "files").glob("*"):
            if file.stat().st_nlink > 1:  # a version links to it: writing to it would change the version
                file.unlink()
        if folder.exists():
            newest = max(int(match[1]) for path in folder.iterdir() if (match := _VERSION.fullmatch(path.name)))
            _renew(workspace, folder, (folder / f"v{newest}" / NAME).read_bytes())
            return
        for above in list(folder.parents)[:_TUPLES]:
            with suppress(OSError):  # what holds other objects stays
                above.rmdir()


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _says(file: Path, is_so: Callable[[bytes], bool]) -> bool:
    """Return whether the content of a file is right, or the file is missing."""
    try:
        return not file.is_file() or is_so(file.read_bytes())
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False


def _holds(file: Path, digest: str) -> bool:
    try:
        return digests_of(file).sha512 == digest
    except OSError:
        return False


def _is_plain(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character in "-_")


def _escaped(character: str) -> str:
    return "".join(f"%{byte:02x}" for byte in character.encode())


def _made(workspace: Path, inventory: Inventory, contents: Mapping[str, Incoming | str]) -> Path:
    """Make the new version in a temporary folder with the structure of an object; return that folder."""
    made = workspace / "next"
    shutil.rmtree(made, ignore_errors=True)
    version = made / f"v{inventory.head}"
    version.mkdir(parents=True)
    for place, content in contents.items():
        assert isinstance(content, Incoming)
        (made / place).parent.mkdir(parents=True, exist_ok=True)
        put(content.file, made / place)
        sync(made / place)
    for holder in (version, made):
        write_durably(holder / NAME, written(inventory))
        write_durably(holder / SIDECAR, _sidecar(written(inventory)))
    write_durably(made / DECLARATION, OBJECT_DECLARED)
    for path in (version, *(path for path in version.rglob("*") if path.is_dir())):
        sync(path)
    return made


def put(file: Path, place: Path, link: Callable[[Path, Path], None] = os.link) -> None:
    """Link a temporary file into a version. The temporary file stays, because the process may be killed.

    The file is copied where the file system allows no link.
    """
    try:
        link(file, place)
    except OSError:
        shutil.copyfile(file, place)


def _move_in(made: Path, folder: Path, head: int) -> None:
    if head == 1:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made.rename(folder)
        sync(folder.parent)
    else:
        (made / f"v{head}").rename(folder / f"v{head}")
        sync(folder)


def _renew(workspace: Path, folder: Path, inventory: bytes) -> None:
    """Replace the root inventory with that of the newest version; each of its two files is replaced atomically."""
    for name, content in ((NAME, inventory), (SIDECAR, _sidecar(inventory))):
        if not (folder / name).exists() or (folder / name).read_bytes() != content:
            write_durably(workspace / name, content)
            (workspace / name).replace(folder / name)
    sync(folder)


def _sidecar(inventory: bytes) -> bytes:
    return f"{sha512(inventory).hexdigest()} {NAME}\n".encode()


def digests_of(file: Path) -> Arrived:
    """Return the SHA-512 and the SHA-256 of a file. Raise OSError."""
    digests_ = digests_by_algorithm(file, DIGESTS)
    return Arrived(digests_["sha512"], digests_["sha256"])
