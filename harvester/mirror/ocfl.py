"""An OCFL 1.1 storage root: one folder per object, its versions never changed once they are written.

A version is made aside, on the same file system, and moved in whole. Killed anywhere, an object is as it was before or
has its new version; where only the copy of its newest inventory is behind, `settle` brings that up.

    ROOT/0=ocfl_1.1  ocfl_layout.json  extensions/0003-hash-and-id-n-tuple-storage-layout/config.json
    ROOT/3c0/ff4/240/oai%3aexample%2eorg%3a1/0=ocfl_object_1.1  inventory.json  v1/content/…
    ASIDE/3c0ff4240…/identifier  files/…  next/…
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from hashlib import sha256, sha512
from pathlib import Path
from typing import NamedTuple, TypeAlias

from gateway.digests import begun
from gateway.errors import ConfigurationError, StoreDamaged, StoreUnwritable
from harvester.mirror.inventory import NAME, PROGRAM, SIDECAR, Arrived, Inventory, User, read, with_version, written

ALWAYS = ("sha512", "sha256")  # OCFL's digest, and ours

_ROOT, _OBJECT = "ocfl_1.1", "ocfl_object_1.1"
DECLARATION = f"0={_OBJECT}"
OBJECT_DECLARED = f"{_OBJECT}\n".encode()
ROOT_FILES = (f"0={_ROOT}", "ocfl_layout.json")
README = "README.txt"
_LAYOUT = "0003-hash-and-id-n-tuple-storage-layout"
CONFIG_FILE = f"extensions/{_LAYOUT}/config.json"
_TUPLE, _TUPLES = 3, 3
_TUPLE_NAME = re.compile(f"[0-9a-f]{{{_TUPLE}}}")
_MOST_CHARACTERS = 100  # of an identifier in the name of its folder; the layout says so
_CONFIG = {"extensionName": _LAYOUT, "digestAlgorithm": "sha256", "tupleSize": _TUPLE, "numberOfTuples": _TUPLES}
_VERSION = re.compile(r"v([1-9]\d*)")
_BEGUN = {"extensions", "ocfl_layout.json"}  # what is there when a process died before it had made a root
_CHUNK = 1 << 20


Announced: TypeAlias = Callable[[Inventory, bytes], AbstractContextManager[None]]


class Incoming(NamedTuple):
    """Bytes that wait aside to become part of an object."""

    file: Path
    arrived: Arrived


class StorageRoot:
    """The objects, by their identifiers. One process at a time may write."""

    def __init__(self, folder: Path, aside: Path, announced: Announced = lambda _inventory, _: nullcontext()) -> None:
        """Take the folder of the root, and one on the same file system for what is not finished.

        A version appears in the context of `announced`, which gets its inventory, also as written.
        """
        self.folder = folder
        self.aside = aside
        self._announced = announced

    def prepare(self) -> None:
        """Make the root if there is none, and settle what a process that died has left.

        Raise ConfigurationError when the folder holds something else, StoreUnwritable when it cannot be written.
        """
        with telling(self.folder):
            if not self.is_declared:
                self._make()
            self.aside.mkdir(parents=True, exist_ok=True)
            for workspace in sorted(each for each in self.aside.iterdir() if each.is_dir()):
                self._settle(workspace)

    @property
    def is_declared(self) -> bool:
        """Tell whether the folder says that it is a storage root."""
        return (self.folder / f"0={_ROOT}").exists()

    def clear(self) -> None:
        """Remove what waits aside, when nothing is wanted of it any more; `prepare` must have settled it."""
        with telling(self.aside):
            for workspace in [each for each in self.aside.iterdir() if each.is_dir()]:
                shutil.rmtree(workspace)

    def discard(self, identifier: str) -> None:
        """Remove what waits aside of one object."""
        workspace = self.aside / sha256(identifier.encode()).hexdigest()
        with telling(workspace):
            if workspace.exists():
                shutil.rmtree(workspace)

    def _make(self) -> None:
        if self.folder.exists() and not {each.name for each in self.folder.iterdir()} <= _BEGUN:
            raise ConfigurationError(f"{self.folder} is not empty and no OCFL storage root of ours.")
        extension = self.folder / "extensions" / _LAYOUT
        extension.mkdir(parents=True, exist_ok=True)
        layout = {"extension": _LAYOUT, "description": "Tuples of the SHA-256 of the identifier, then itself."}
        durable(extension / "config.json", json.dumps(_CONFIG, indent=1).encode())
        durable(self.folder / "ocfl_layout.json", json.dumps(layout, indent=1).encode())
        self.aside.mkdir(parents=True, exist_ok=True)
        durable(self.aside / "root", f"{_ROOT}\n".encode())
        (self.aside / "root").rename(self.folder / f"0={_ROOT}")

    def place(self, identifier: str) -> Path:
        """Return the folder of an object, whether it is there or not."""
        digest = sha256(identifier.encode()).hexdigest()
        tuples = (digest[start : start + _TUPLE] for start in range(0, _TUPLE * _TUPLES, _TUPLE))
        name = "".join(each if _is_plain(each) else _escaped(each) for each in identifier)
        name = name if len(name) <= _MOST_CHARACTERS else f"{name[:_MOST_CHARACTERS]}-{digest}"
        return self.folder.joinpath(*tuples, name)

    def workspace(self, identifier: str) -> Path:
        """Return the folder where the files of an object wait until they are committed, and make it."""
        workspace = self.aside / sha256(identifier.encode()).hexdigest()
        with telling(workspace):
            (workspace / "files").mkdir(parents=True, exist_ok=True)
            if not (workspace / "identifier").exists():
                (workspace / "identifier").write_bytes(identifier.encode())
        return workspace

    def inventory(self, identifier: str) -> Inventory:
        """Return what is held of an object; without a version when there is none. Raise StoreDamaged."""
        folder = self.place(identifier)
        try:
            found = read((folder / NAME).read_bytes())
        except FileNotFoundError:
            if folder.exists() and any(folder.iterdir()):
                raise StoreDamaged(f"{folder / NAME} is not there; its newest version has a copy of it.") from None
            return Inventory(identifier)
        if found.identifier != identifier:
            raise StoreDamaged(f"{folder} holds {found.identifier}, not {identifier}.")
        return found

    def objects(self) -> Iterator[Path]:
        """Return the folders of all objects, in order."""
        return (each for each in self.folders() if (each / DECLARATION).exists())

    def folders(self) -> list[Path]:
        """Return what lies where objects do, in order, whether it declares itself one or not."""
        return sorted(self.folder.glob("/".join([*["[0-9a-f]" * _TUPLE] * _TUPLES, "*"])))

    def strays(self) -> Iterator[Path]:
        """Return what no object may be in: files above the objects, and folders that hold nothing."""
        holders = [self.folder]
        for _ in range(_TUPLES):
            inside = [(each, sorted(each.iterdir())) for each in holders]
            yield from (each for each, contents in inside if not contents and each != self.folder)
            found = [each for _, contents in inside for each in contents]
            holders = [each for each in found if _TUPLE_NAME.fullmatch(each.name) and _is_folder(each)]
            known = {self.folder / name for name in (*ROOT_FILES, "extensions")}.union(holders)
            yield from (each for each in found if each not in known)
        yield from (each for each in holders if not any(each.iterdir()))
        config = self.folder / CONFIG_FILE
        extensions = self.folder / "extensions"
        below = (extensions, *sorted(extensions.rglob("*")))
        yield from (each for each in below if each not in (extensions, config.parent, config) or each.is_symlink())

    def misdeclared(self) -> Iterator[str]:
        """Return the files of the root that are there and do not say what they should."""
        if not _says(self.folder / f"0={_ROOT}", lambda content: content == f"{_ROOT}\n".encode()):
            yield f"0={_ROOT}"
        if not _says(self.folder / "ocfl_layout.json", lambda content: json.loads(content)["extension"] == _LAYOUT):
            yield "ocfl_layout.json"
        if not (self.folder / CONFIG_FILE).is_file() or not _says(
            self.folder / CONFIG_FILE, lambda content: json.loads(content) == _CONFIG
        ):
            yield CONFIG_FILE

    def harmed(self, inventory: Inventory) -> frozenset[str]:
        """Read the newest version of an object; return its files whose bytes are lost or not those that arrived."""
        folder = self.place(inventory.identifier)
        harmed = {
            digest for digest in inventory.state.values() if not _holds(folder / inventory.manifest[digest], digest)
        }
        return frozenset(path for path, digest in inventory.state.items() if digest in harmed)

    def lacks(self, inventory: Inventory, digest: str) -> bool:
        """Read what some version holds under a SHA-512; tell whether it is lost, or not what arrived."""
        place = inventory.manifest.get(digest)
        return place is not None and not _holds(self.place(inventory.identifier) / place, digest)

    def mend(self, inventory: Inventory, incoming: Incoming) -> None:
        """Put bytes that have come again where the object had them."""
        file = self.place(inventory.identifier) / inventory.manifest[incoming.arrived.sha512]
        with telling(file):
            file.parent.mkdir(parents=True, exist_ok=True)
            flush(incoming.file)
            incoming.file.replace(file)
            flush(file.parent)

    def commit(
        self,
        before: Inventory,
        state: Mapping[str, Incoming | str],
        created: str,
        message: str,
        user: User = PROGRAM,
    ) -> Inventory:
        """Give an object a further version with exactly these files, and return its inventory.

        What is held already is named by its SHA-512. The workspace of the object is gone afterwards.
        """
        digests = {path: each.arrived if isinstance(each, Incoming) else each for path, each in state.items()}
        after, new = with_version(before, digests, created, message, user)
        workspace, folder = self.workspace(before.identifier), self.place(before.identifier)
        with telling(folder):
            made = _made(workspace, after, {place: state[logical] for logical, place in new.items()})
            content = written(after)
            with self._announced(after, content):
                _move_in(made, folder, after.head)
                _renew(workspace, folder, content)
            shutil.rmtree(workspace)
        return after

    def _settle(self, workspace: Path) -> None:
        """Bring an object whose commit was interrupted to one of its two good states."""
        shutil.rmtree(workspace / "next", ignore_errors=True)
        try:
            folder = self.place((workspace / "identifier").read_text("utf-8"))
        except FileNotFoundError:
            shutil.rmtree(workspace)
            return
        for file in (workspace / "files").glob("*"):
            if file.stat().st_nlink > 1:  # it is in a version already: what is written to it would be written there
                file.unlink()
        if folder.exists():
            _renew(workspace, folder, (folder / f"v{_newest(folder)}" / NAME).read_bytes())
            return
        for above in list(folder.parents)[:_TUPLES]:
            with suppress(OSError):  # what holds other objects stays
                above.rmdir()


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _says(file: Path, is_so: Callable[[bytes], bool]) -> bool:
    """Tell whether the content of a file is as it should be; what is not there says nothing wrong."""
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


def _newest(folder: Path) -> int:
    numbers = [int(match[1]) for each in folder.iterdir() if (match := _VERSION.fullmatch(each.name))]
    return max(numbers)


def _made(workspace: Path, inventory: Inventory, contents: Mapping[str, Incoming | str]) -> Path:
    """Make the new version aside, in a folder that looks like the object's; return that folder."""
    made = workspace / "next"
    shutil.rmtree(made, ignore_errors=True)
    version = made / f"v{inventory.head}"
    version.mkdir(parents=True)
    for place, content in contents.items():
        assert isinstance(content, Incoming)
        (made / place).parent.mkdir(parents=True, exist_ok=True)
        put(content.file, made / place)
        flush(made / place)
    for holder in (version, made):
        durable(holder / NAME, written(inventory))
        durable(holder / SIDECAR, _sidecar(written(inventory)))
    durable(made / DECLARATION, OBJECT_DECLARED)
    for each in (version, *(each for each in version.rglob("*") if each.is_dir())):
        flush(each)
    return made


def put(file: Path, place: Path, link: Callable[[Path, Path], None] = os.link) -> None:
    """Put bytes into a version; the file stays where it waited, in case all of this is killed before the end.

    A link costs nothing; where the file system has no links, or no more for this file, it is a copy.
    """
    try:
        link(file, place)
    except OSError:
        shutil.copyfile(file, place)


def _move_in(made: Path, folder: Path, head: int) -> None:
    if head == 1:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made.rename(folder)
        flush(folder.parent)
    else:
        (made / f"v{head}").rename(folder / f"v{head}")
        flush(folder)


def _renew(workspace: Path, folder: Path, inventory: bytes) -> None:
    """Let the inventory of the object be that of its newest version; each of its two files is replaced at once."""
    for name, content in ((NAME, inventory), (SIDECAR, _sidecar(inventory))):
        if not (folder / name).exists() or (folder / name).read_bytes() != content:
            durable(workspace / name, content)
            (workspace / name).replace(folder / name)
    flush(folder)


def _sidecar(inventory: bytes) -> bytes:
    return f"{sha512(inventory).hexdigest()} {NAME}\n".encode()


# --- files that stay ------------------------------------------------------------------------------------------------


def durable(file: Path, content: bytes) -> None:
    """Write a file and let the disk have it."""
    with file.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def replaced(file: Path, content: bytes) -> None:
    """Write a file aside and give it its name: whoever reads it finds the old or the new content, whole."""
    aside = file.with_name(f"{file.name}.new")
    with telling(file):
        durable(aside, content)
        aside.replace(file)


def flush(path: Path) -> None:
    """Let the disk have what a file or a folder holds."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def digests_of(file: Path) -> Arrived:
    """Return our two digests of a file."""
    found = hashed(file, ALWAYS)
    return Arrived(found["sha512"], found["sha256"])


def hashed(file: Path, algorithms: Iterable[str]) -> dict[str, str]:
    """Return the digests of a file, read piece by piece, by algorithm."""
    hashes = {name: begun(name) for name in algorithms}
    with file.open("rb") as stream:
        while part := stream.read(_CHUNK):
            for each in hashes.values():
                each.update(part)
    return {name: each.hexdigest() for name, each in hashes.items()}


@contextmanager
def telling(path: Path) -> Iterator[None]:
    """Let what the file system refuses become an error of ours."""
    try:
        yield
    except OSError as error:
        raise StoreUnwritable(f"{error.filename or path} cannot be written: {error.strerror}.") from error
