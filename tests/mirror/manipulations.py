"""What somebody may do to a mirror behind its back: a table, by name. `audit --offline` finds each of them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha512
from pathlib import Path

from harvester.mirror.catalogue import NAME as CATALOGUE
from harvester.mirror.ocfl import StorageRoot

CHANGED, OTHER, GONE = "oai:p:0", "oai:p:1", "oai:p:2"  # with two versions, with one, and deleted


@dataclass
class Scene:
    """A mirror that is manipulated: `outside` is a folder beside it, `earlier` what it was, `other` another mirror."""

    folder: Path
    outside: Path
    earlier: Path
    other: Path

    @property
    def root(self) -> Path:
        return self.folder / "ocfl"

    def object(self, name: str = CHANGED) -> Path:
        return StorageRoot(self.root, self.folder / "aside").place(name)

    @property
    def receipts(self) -> list[Path]:
        return sorted((self.folder / "receipts").iterdir(), key=lambda file: file.stat().st_mtime_ns)

    @property
    def catalogue(self) -> Path:
        return self.folder / CATALOGUE

    def add_object(self, name: str, source: str = OTHER) -> Path:
        """Put a whole object with a name of its own where it belongs."""
        place = self.object(name)
        place.parent.mkdir(parents=True)
        shutil.copytree(self.object(source), place)
        for path in place.rglob("inventory.json"):
            sealed(path.parent, lambda document: document.update(id=name))
        return place


def sealed(folder: Path, change: Callable[[dict], object] = lambda _: None) -> None:
    """Change an inventory, and let its sidecar fit."""
    document = json.loads((folder / "inventory.json").read_bytes())
    change(document)
    content = json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True).encode() + b"\n"
    (folder / "inventory.json").write_bytes(content)
    (folder / "inventory.json.sha512").write_bytes(f"{sha512(content).hexdigest()} inventory.json\n".encode())


def forge(folder: Path, *, version: int, everywhere: bool) -> None:
    """Replace a file, and all digests of it that the inventories have."""
    file = folder / f"v{version}/content/files/a.txt"
    before = sha512(file.read_bytes()).hexdigest()
    file.write_bytes(b"forged")
    after = sha512(b"forged").hexdigest()

    def change(document: dict) -> None:
        text = json.dumps(document).replace(before, after)
        document.clear()
        document.update(json.loads(text))

    holders = [folder, *sorted(path for path in folder.glob("v*") if (path / "inventory.json").exists())]
    for holder in holders if everywhere else holders[:1]:
        sealed(holder, change)


def _rolled_back(scene: Scene, name: str = CHANGED) -> None:
    folder = scene.object(name)
    shutil.rmtree(folder / "v2")
    for path in (folder / "v1").glob("inventory.json*"):
        shutil.copy(path, folder / path.name)


def _added_version(scene: Scene) -> None:
    folder = scene.object(OTHER)

    def change(document: dict) -> None:
        document["head"] = "v2"
        document["versions"]["v2"] = document["versions"]["v1"]

    sealed(folder, change)
    (folder / "v2").mkdir()
    for name in ("inventory.json", "inventory.json.sha512"):
        shutil.copy(folder / name, folder / "v2" / name)


def _moved(place: Path, other: Path) -> None:
    other.parent.mkdir(parents=True, exist_ok=True)
    place.rename(other)


def _linked(scene: Scene, place: Path) -> None:
    """Move something out of the mirror, and leave a symbolic link."""
    _moved(place, scene.outside / place.name)
    place.symlink_to(scene.outside / place.name)


def _lines(file: Path, change: Callable[[list[bytes]], list[bytes]]) -> None:
    file.write_bytes(b"".join(change(file.read_bytes().splitlines(keepends=True))))


def _forged_with_line(scene: Scene) -> None:
    """Alter an object consistently, and its line in the catalogue too."""
    inventory = scene.object(OTHER) / "inventory.json"
    before = sha512(inventory.read_bytes()).hexdigest().encode()
    forge(scene.object(OTHER), version=1, everywhere=True)
    after = sha512(inventory.read_bytes()).hexdigest().encode()
    scene.catalogue.write_bytes(scene.catalogue.read_bytes().replace(before, after))


def _mirror(scene: Scene, **values: object) -> None:
    file = scene.folder / "mirror.json"
    file.write_text(json.dumps({**json.loads(file.read_bytes()), **values}))


def _swapped(scene: Scene) -> None:
    one, other, aside = scene.object(), scene.object(OTHER), scene.outside / "x"
    _moved(one, aside)
    _moved(other, one)
    _moved(aside, other)


def _removed_with_line(scene: Scene) -> None:
    """Remove an object, and say in the catalogue, behind the last receipt, that it never came to be."""
    path = scene.object(OTHER).relative_to(scene.root).as_posix()
    shutil.rmtree(scene.object(OTHER).parent.parent.parent)
    line = json.dumps({"identifier": OTHER, "path": path, "head": 0, "sha512": ""}).encode() + b"\n"
    scene.catalogue.write_bytes(scene.catalogue.read_bytes() + line)


_A = "v1/content/files/a.txt"

MANIPULATIONS: dict[str, tuple[Callable[[Scene], object], str, str]] = {
    # -- objects: (what is done, the kind of one finding, of what or where)
    "an object is removed": (lambda s: shutil.rmtree(s.object()), "lost", CHANGED),
    "a deleted object is removed with its folders": (
        lambda s: shutil.rmtree(s.object(GONE).parent.parent.parent),
        "damaged",
        GONE,
    ),
    "all objects are removed": (
        lambda s: [shutil.rmtree(path) for path in s.root.iterdir() if path.is_dir() and path.name != "extensions"],
        "lost",
        OTHER,
    ),
    "an object is removed, and the catalogue says that it never was": (_removed_with_line, "lost", OTHER),
    "an object is moved": (lambda s: _moved(s.object(), s.root / "abc/abc/abc" / s.object().name), "lost", CHANGED),
    "an object is copied": (lambda s: shutil.copytree(s.object(), s.object().with_name("copy")), "strange", "copy"),
    "two objects change places": (_swapped, "strange", "p%3a1"),
    "an object is added": (lambda s: s.add_object("oai:p:9"), "strange", "oai:p:9"),
    "the identifier of an object is changed in place": (
        lambda s: sealed(s.object(OTHER), lambda document: document.update(id="oai:p:9")),
        "strange",
        "p%3a1",
    ),
    # -- consistent alterations
    "a file and the inventories that name it are altered": (
        lambda s: forge(s.object(OTHER), version=1, everywhere=True),
        "altered",
        OTHER,
    ),
    "a file and the newest inventory are altered": (
        lambda s: forge(s.object(OTHER), version=1, everywhere=False),
        "altered",
        OTHER,
    ),
    "a message is altered": (
        lambda s: sealed(s.object(OTHER), lambda document: document["versions"]["v1"].update(message="other")),
        "altered",
        OTHER,
    ),
    "the newest version is removed": (_rolled_back, "altered", CHANGED),
    "a version is added": (_added_version, "altered", OTHER),
    "a deletion is taken back": (lambda s: _rolled_back(s, GONE), "altered", GONE),
    # -- files of objects
    "a file is altered": (lambda s: (s.object() / _A).write_bytes(b"aX"), "corrupt", CHANGED),
    "a file is removed": (lambda s: (s.object() / _A).unlink(), "lost", CHANGED),
    "a file is renamed": (lambda s: _moved(s.object() / _A, (s.object() / _A).with_name("c.txt")), "strange", CHANGED),
    "a file is added": (lambda s: (s.object() / "v1/content/new").touch(), "strange", CHANGED),
    "a hidden file is added": (lambda s: (s.object() / ".DS_Store").touch(), "strange", CHANGED),
    "an empty folder is added": (lambda s: (s.object() / "v1/content/new").mkdir(), "strange", CHANGED),
    "a version folder is removed": (lambda s: shutil.rmtree(s.object() / "v1"), "damaged", CHANGED),
    "an empty version folder is added": (lambda s: (s.object() / "v3").mkdir(), "strange", CHANGED),
    "received.json is altered": (
        lambda s: (s.object(OTHER) / "v1/content/received.json").write_bytes(b"{}"),
        "corrupt",
        OTHER,
    ),
    "an inventory is removed": (lambda s: (s.object() / "inventory.json").unlink(), "damaged", "p%3a0"),
    "an inventory is no JSON": (lambda s: (s.object() / "inventory.json").write_bytes(b"x"), "damaged", "p%3a0"),
    "a sidecar is removed": (lambda s: (s.object() / "inventory.json.sha512").unlink(), "damaged", "p%3a0"),
    "an earlier inventory is no JSON": (
        lambda s: (s.object() / "v1/inventory.json").write_bytes(b"x"),
        "damaged",
        CHANGED,
    ),
    "an earlier sidecar is removed": (lambda s: (s.object() / "v1/inventory.json.sha512").unlink(), "damaged", CHANGED),
    "a file is added beside an object": (lambda s: (s.object().parent / "stray").touch(), "damaged", ""),
    "an inventory of an earlier version is altered": (
        lambda s: sealed(s.object() / "v1", lambda document: document["versions"]["v1"].update(message="other")),
        "altered",
        CHANGED,
    ),
    # -- declarations
    "the Namaste file of an object is removed": (
        lambda s: (s.object() / "0=ocfl_object_1.1").unlink(),
        "damaged",
        "p%3a0",
    ),
    "the Namaste file of an object is altered": (
        lambda s: (s.object() / "0=ocfl_object_1.1").write_bytes(b"ocfl_object_1.0\n"),
        "damaged",
        "p%3a0",
    ),
    "an object has a second Namaste file": (lambda s: (s.object() / "0=ocfl_object_1.0").touch(), "strange", CHANGED),
    "the Namaste file of the root is removed": (lambda s: (s.root / "0=ocfl_1.1").unlink(), "damaged", "0=ocfl_1.1"),
    "the Namaste file of the root is altered": (
        lambda s: (s.root / "0=ocfl_1.1").write_bytes(b"x"),
        "damaged",
        "0=ocfl_1.1",
    ),
    "the layout is removed": (lambda s: (s.root / "ocfl_layout.json").unlink(), "damaged", "ocfl_layout.json"),
    "the layout is altered": (
        lambda s: (s.root / "ocfl_layout.json").write_text('{"extension": "0002-flat-direct-storage-layout"}'),
        "damaged",
        "ocfl_layout.json",
    ),
    "the description of the layout is altered": (
        lambda s: (s.root / "ocfl_layout.json").write_text(
            (s.root / "ocfl_layout.json").read_text().replace("Tuples", "Triples")
        ),
        "altered",
        "ocfl_layout.json",
    ),
    "the parameters of the layout are altered": (
        lambda s: [
            path.write_text(path.read_text().replace("3", "2")) for path in s.root.glob("extensions/*/config.json")
        ],
        "damaged",
        "config.json",
    ),
    "the extensions are removed": (lambda s: shutil.rmtree(s.root / "extensions"), "damaged", "config.json"),
    "the README is altered": (lambda s: (s.root / "README.txt").write_text("Nothing here."), "altered", "README.txt"),
    # -- links and what is no file
    "a file is a link that leads out": (lambda s: _linked(s, s.object() / _A), "strange", CHANGED),
    "a version is a link that leads out": (lambda s: _linked(s, s.object() / "v1"), "strange", CHANGED),
    "an object is a link that leads out": (lambda s: _linked(s, s.object()), "strange", "p%3a0"),
    "a folder of objects is a link that leads out": (lambda s: _linked(s, s.object().parent), "strange", ""),
    "the root is a link that leads out": (lambda s: _linked(s, s.root), "strange", "ocfl"),
    "an inventory is a link that leads out": (lambda s: _linked(s, s.object() / "inventory.json"), "damaged", "p%3a0"),
    "the extensions are a link that leads out": (lambda s: _linked(s, s.root / "extensions"), "strange", "extensions"),
    "a file has another name outside": (lambda s: os.link(s.object() / _A, s.outside / "x"), "strange", "a.txt"),
    "a link to nothing is added": (lambda s: (s.root / "link").symlink_to("nowhere"), "strange", "link"),
    "a file is a pipe": (lambda s: ((s.object() / _A).unlink(), os.mkfifo(s.object() / _A)), "lost", CHANGED),
    # -- around the objects
    "a file is added to the root": (lambda s: (s.root / "notes.txt").touch(), "strange", "notes.txt"),
    "a folder of objects is empty": (lambda s: shutil.rmtree(s.object()), "damaged", ""),
    # -- the catalogue, the receipts and mirror.json
    "the catalogue is removed": (lambda s: s.catalogue.unlink(), "altered", CATALOGUE),
    "the catalogue is emptied": (lambda s: s.catalogue.write_bytes(b""), "altered", CATALOGUE),
    "the catalogue is cut": (lambda s: _lines(s.catalogue, lambda lines: lines[:-3]), "altered", CATALOGUE),
    "the catalogue is cut within a line": (
        lambda s: s.catalogue.write_bytes(s.catalogue.read_bytes()[:-200]),
        "altered",
        CATALOGUE,
    ),
    "a line of the catalogue is removed with its object": (
        lambda s: (
            _lines(s.catalogue, lambda lines: [line for line in lines if OTHER.encode() not in line]),
            shutil.rmtree(s.object(OTHER).parent.parent.parent),
        ),
        "altered",
        CATALOGUE,
    ),
    "a line of the catalogue is altered with its object": (_forged_with_line, "altered", CATALOGUE),
    "a line of the catalogue is no JSON": (
        lambda s: _lines(s.catalogue, lambda lines: [lines[0], b"x\n", *lines[1:]]),
        "altered",
        CATALOGUE,
    ),
    "the catalogue is a link that leads out": (lambda s: _linked(s, s.catalogue), "altered", CATALOGUE),
    "a receipt is altered": (
        lambda s: s.receipts[0].write_bytes(s.receipts[0].read_bytes().replace(b"created", b"updated")),
        "altered",
        "receipts/",
    ),
    "a receipt is removed": (lambda s: s.receipts[0].unlink(), "altered", "receipts/"),
    "a receipt is added": (
        lambda s: shutil.copy(s.receipts[0], s.folder / "receipts/2020-01-01T000000Z-mirror.json"),
        "strange",
        "receipts/",
    ),
    "the base URL is altered": (lambda s: _mirror(s, base_url="http://example.org/oai"), "altered", "mirror.json"),
    "the lists are said to have come further": (lambda s: _mirror(s, states={"": "{}"}), "altered", "mirror.json"),
    "the catalogue is removed, and all that tells of it in mirror.json": (
        lambda s: (s.catalogue.unlink(), _mirror(s, catalogue=None, version=1)),
        "altered",
        CATALOGUE,
    ),
}
