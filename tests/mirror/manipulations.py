"""What somebody may do to a mirror behind its back: a table, by name. `audit --offline` finds each of them."""

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha512
from pathlib import Path
from unicodedata import normalize

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


def _moved(place: Path, other: Path) -> None:
    other.parent.mkdir(parents=True, exist_ok=True)
    place.rename(other)


def _linked(scene: Scene, place: Path) -> None:
    """Move something out of the mirror, and leave a symbolic link."""
    _moved(place, scene.outside / place.name)
    place.symlink_to(scene.outside / place.name)


def _lines(file: Path, change: Callable[[list[bytes]], list[bytes]]) -> None:
    file.write_bytes(b"".join(change(file.read_bytes().splitlines(keepends=True))))


def _mirror(scene: Scene, **values: object) -> None:
    file = scene.folder / "mirror.json"
    file.write_text(json.dumps({**json.loads(file.read_bytes()), **values}))


_A = "v1/content/files/a.txt"
_ACCENT = "v1/content/files/é.txt"


def _add_lines(scene: Scene, *lines: dict) -> None:
    raw = b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines)
    scene.catalogue.write_bytes(scene.catalogue.read_bytes() + raw)


def _line_of(scene: Scene, name: str) -> dict:
    """Return the line that a run would have written of an object as it lies there."""
    place = scene.object(name)
    content = (place / "inventory.json").read_bytes()
    head = int(json.loads(content)["head"][1:])
    path = place.relative_to(scene.root).as_posix()
    return {"identifier": name, "path": path, "head": head, "sha512": sha512(content).hexdigest()}


def _added_with_line(scene: Scene) -> None:
    scene.add_object("oai:p:9")
    _add_lines(scene, _line_of(scene, "oai:p:9"))


def _restored(scene: Scene, *names: str) -> None:
    """Bring back a part of the mirror as it was after its first run."""
    for name in names:
        place, earlier = scene.folder / name, scene.earlier / name
        if earlier.is_dir():
            shutil.rmtree(place)
            shutil.copytree(earlier, place)
        else:
            shutil.copy(earlier, place)


def _merged(scene: Scene) -> None:
    """Merge another mirror into this one: its objects, and what its catalogue says of them."""
    other = scene.other
    for path in (other / "ocfl").glob("*/*/*/*/0=*"):
        place = path.parent.relative_to(other / "ocfl")
        (scene.root / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(path.parent, scene.root / place)
    lines = [json.loads(line) for line in (other / CATALOGUE).read_bytes().splitlines()]
    _add_lines(scene, *(line for line in lines if "identifier" in line))


def _twice(folder: Path) -> None:
    """Name the head of an inventory twice: readers differ in which one counts."""
    content = (folder / "inventory.json").read_bytes().replace(b'"head": "v2"', b'"head": "v1", "head": "v2"')
    (folder / "inventory.json").write_bytes(content)
    (folder / "inventory.json.sha512").write_text(f"{sha512(content).hexdigest()} inventory.json\n")


MANIPULATIONS: dict[str, tuple[Callable[[Scene], object], str, str]] = {
    # -- objects: (what is done, the kind of one finding, of what or where)
    "an object is removed": (lambda s: shutil.rmtree(s.object()), "lost", CHANGED),
    "all objects are removed": (
        lambda s: [shutil.rmtree(path) for path in s.root.iterdir() if path.is_dir() and path.name != "extensions"],
        "lost",
        OTHER,
    ),
    "an object is added": (lambda s: s.add_object("oai:p:9"), "strange", "oai:p:9"),
    # -- consistent alterations
    "a file and the inventories that name it are altered": (
        lambda s: forge(s.object(OTHER), version=1, everywhere=True),
        "altered",
        OTHER,
    ),
    "the newest version is removed": (_rolled_back, "altered", CHANGED),
    # -- files of objects
    "a file is altered": (lambda s: (s.object() / _A).write_bytes(b"aX"), "corrupt", CHANGED),
    "a file is removed": (lambda s: (s.object() / _A).unlink(), "lost", CHANGED),
    "a file is renamed": (lambda s: _moved(s.object() / _A, (s.object() / _A).with_name("c.txt")), "strange", CHANGED),
    "an empty folder is added": (lambda s: (s.object() / "v1/content/new").mkdir(), "strange", CHANGED),
    "a version folder is removed": (lambda s: shutil.rmtree(s.object() / "v1"), "damaged", CHANGED),
    "an inventory is removed": (lambda s: (s.object() / "inventory.json").unlink(), "damaged", "p%3a0"),
    "a sidecar is removed": (lambda s: (s.object() / "inventory.json.sha512").unlink(), "damaged", "p%3a0"),
    "a file is added beside an object": (lambda s: (s.object().parent / "stray").touch(), "damaged", ""),
    # -- declarations
    "the Namaste file of an object is removed": (
        lambda s: (s.object() / "0=ocfl_object_1.1").unlink(),
        "damaged",
        "p%3a0",
    ),
    "the layout is altered": (
        lambda s: (s.root / "ocfl_layout.json").write_text('{"extension": "0002-flat-direct-storage-layout"}'),
        "damaged",
        "ocfl_layout.json",
    ),
    "the extensions are removed": (lambda s: shutil.rmtree(s.root / "extensions"), "damaged", "config.json"),
    # -- links and what is no file
    "a file is a link that leads out": (lambda s: _linked(s, s.object() / _A), "strange", CHANGED),
    "an object is a link that leads out": (lambda s: _linked(s, s.object()), "strange", "p%3a0"),
    "the root is a link that leads out": (lambda s: _linked(s, s.root), "strange", "ocfl"),
    "a file has another name outside": (lambda s: os.link(s.object() / _A, s.outside / "x"), "strange", "a.txt"),
    "a file is a pipe": (lambda s: ((s.object() / _A).unlink(), os.mkfifo(s.object() / _A)), "lost", CHANGED),
    # -- around the objects
    # -- the catalogue, the receipts and mirror.json
    "the catalogue is removed": (lambda s: s.catalogue.unlink(), "altered", CATALOGUE),
    "the catalogue is cut": (lambda s: _lines(s.catalogue, lambda lines: lines[:-3]), "altered", CATALOGUE),
    "the catalogue is cut within a line": (
        lambda s: s.catalogue.write_bytes(s.catalogue.read_bytes()[:-200]),
        "altered",
        CATALOGUE,
    ),
    "a receipt is altered": (
        lambda s: s.receipts[0].write_bytes(s.receipts[0].read_bytes().replace(b"created", b"updated")),
        "altered",
        "receipts/",
    ),
    "a receipt is removed": (lambda s: s.receipts[0].unlink(), "altered", "receipts/"),
    "the base URL is altered": (lambda s: _mirror(s, base_url="http://example.org/oai"), "altered", "mirror.json"),
    "the catalogue is removed, and all that tells of it in mirror.json": (
        lambda s: (s.catalogue.unlink(), _mirror(s, catalogue=None, version=1)),
        "altered",
        CATALOGUE,
    ),
    # -- by somebody who knows how a mirror is made: (what is done, the kind of one finding, of what or where)
    "an object is added with its line": (_added_with_line, "altered", CATALOGUE),
    "an inventory names its head twice": (lambda s: _twice(s.object()), "altered", CHANGED),
    # -- by somebody who copies and restores
    "the objects come back from a copy": (lambda s: _restored(s, "ocfl"), "altered", CHANGED),
    "the receipts are removed": (lambda s: shutil.rmtree(s.folder / "receipts"), "altered", "receipts/"),
    "another mirror is merged into this one": (_merged, "altered", CATALOGUE),
    "names are in another form of Unicode": (
        lambda s: (s.object(OTHER) / _ACCENT).rename((s.object(OTHER) / _ACCENT).with_name(normalize("NFD", "é.txt"))),
        "lost",
        OTHER,
    ),
    # -- links, pipes and names
    "a name has a line end and control characters": (
        lambda s: (s.object() / "v1/content/files/a\n3 objects: everything\x1b[2K.txt").touch(),
        "strange",
        CHANGED,
    ),
}
