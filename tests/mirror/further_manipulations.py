"""More of what somebody may do to a mirror, who knows how it is made, or who only copies and restores it carelessly."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from hashlib import sha256, sha512
from pathlib import Path
from unicodedata import normalize

from harvester.mirror.catalogue import NAME as CATALOGUE
from tests.mirror.manipulations import CHANGED, GONE, OTHER, Scene, forge, sealed

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


def _altered_with_line(scene: Scene) -> None:
    forge(scene.object(OTHER), version=1, everywhere=True)
    _add_lines(scene, _line_of(scene, OTHER))


def _last_receipt_again(scene: Scene) -> dict:
    return next(
        entry
        for entry in reversed(list(map(json.loads, scene.catalogue.read_bytes().splitlines())))
        if "receipt" in entry
    )


def _added_with_receipt(scene: Scene) -> None:
    """Add an object, its line, and a receipt that names the catalogue so."""
    _added_with_line(scene)
    content = scene.catalogue.read_bytes()
    receipt = json.loads(scene.receipts[-1].read_bytes())
    receipt["catalogue"] = {"bytes": len(content), "sha256": sha256(content).hexdigest()}
    file = scene.folder / "receipts/2031-01-01T000000Z-mirror.json"
    file.write_text(json.dumps(receipt))
    _add_lines(scene, {"receipt": file.name, "sha512": sha512(file.read_bytes()).hexdigest()})


def _mirror_with_line(scene: Scene) -> None:
    """Alter mirror.json, and its line in the catalogue, which is the last one."""
    file = scene.folder / "mirror.json"
    file.write_text(json.dumps({**json.loads(file.read_bytes()), "accepted_size": 0}))
    lines = scene.catalogue.read_bytes().splitlines(keepends=True)
    assert b'"mirror"' in lines[-1]
    scene.catalogue.write_bytes(b"".join(lines[:-1]))
    _add_lines(scene, {"mirror": sha512(file.read_bytes()).hexdigest()})


def _restored(scene: Scene, *names: str) -> None:
    """Bring back a part of the mirror as it was after its first run."""
    for name in names:
        place, earlier = scene.folder / name, scene.earlier / name
        if earlier.is_dir():
            shutil.rmtree(place)
            shutil.copytree(earlier, place)
        else:
            shutil.copy(earlier, place)


def _exchanged(one: Path, other: Path) -> None:
    mine, theirs = one.read_bytes(), other.read_bytes()
    one.write_bytes(theirs)
    other.write_bytes(mine)


def _shared(scene: Scene) -> None:
    """Let two objects share a file, as a tool does that saves room."""
    one, other = (scene.object(name) / "v1/content/files/same.txt" for name in (CHANGED, OTHER))
    assert one.read_bytes() == other.read_bytes()
    other.unlink()
    os.link(one, other)


def _sparse(file: Path) -> None:
    size = file.stat().st_size
    file.write_bytes(b"")
    os.truncate(file, size)


def _altered_as_if_not(file: Path) -> None:
    """Alter a byte of a file; its size and dates are as before."""
    before = file.stat()
    file.write_bytes(b"X" + file.read_bytes()[1:])
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def _linked_inside(scene: Scene) -> None:
    file = scene.object() / _A
    file.rename(file.with_name("moved.txt"))
    file.symlink_to("moved.txt")


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


def _waiting(scene: Scene) -> None:
    """Say that a deletion waits, which the next run with --yes would let pass."""
    (scene.folder / "waiting").mkdir(exist_ok=True)
    file = scene.folder / "waiting" / f"{sha256(OTHER.encode()).hexdigest()}.json"
    file.write_text(json.dumps({"identifier": OTHER, "datestamp": "2031-01-01", "sets": [], "abouts": []}))


def _outside(scene: Scene, name: str) -> None:
    (scene.folder / name).rename(scene.outside / name)
    (scene.folder / name).symlink_to(scene.outside / name)


FURTHER: dict[str, tuple[Callable[[Scene], object], str, str]] = {
    # -- by somebody who knows how a mirror is made: (what is done, the kind of one finding, of what or where)
    "an object is added with its line": (_added_with_line, "altered", CATALOGUE),
    "an object is altered with a further line": (_altered_with_line, "altered", CATALOGUE),
    "an object is added with its line, and the last receipt is named again": (
        lambda s: (_added_with_line(s), _add_lines(s, _last_receipt_again(s))),
        "altered",
        CATALOGUE,
    ),
    "an object is added with its line and a receipt": (_added_with_receipt, "unconfirmed", CATALOGUE),
    "an object is added with its line behind the begin of a run": (
        lambda s: (_add_lines(s, {"run": "mirror", "at": "2031-01-01T00:00:00Z"}), _added_with_line(s)),
        "unconfirmed",
        CATALOGUE,
    ),
    "an object is added with its line, and the catalogue begins again behind it": (
        lambda s: (_added_with_line(s), _add_lines(s, {"catalogue": 1, "begun_at": "2031-01-01T00:00:00Z"})),
        "altered",
        CATALOGUE,
    ),
    "a receipt is removed, and said never to have been written": (
        lambda s: (_add_lines(s, {"receipt": s.receipts[-1].name, "sha512": ""}), s.receipts[-1].unlink()),
        "altered",
        CATALOGUE,
    ),
    "mirror.json is altered with its line": (_mirror_with_line, "altered", "mirror.json"),
    "a deletion is said to wait": (_waiting, "altered", "waiting"),
    "the digests of a file are altered in all inventories": (
        lambda s: [
            sealed(directory, lambda document: document.update(fixity={"sha256": {"0" * 64: [_A]}}))
            for directory in (s.object(OTHER), s.object(OTHER) / "v1")
        ],
        "altered",
        OTHER,
    ),
    "an inventory names its head twice": (lambda s: _twice(s.object()), "altered", CHANGED),
    "a file is altered, its size and dates are as before": (
        lambda s: _altered_as_if_not(s.object() / _A),
        "corrupt",
        CHANGED,
    ),
    # -- by somebody who copies and restores
    "the objects come back from a copy": (lambda s: _restored(s, "ocfl"), "altered", CHANGED),
    "all but the objects comes back from a copy": (
        lambda s: _restored(s, CATALOGUE, "receipts", "mirror.json"),
        "altered",
        CHANGED,
    ),
    "the receipts are removed": (lambda s: shutil.rmtree(s.folder / "receipts"), "altered", "receipts/"),
    "two receipts change places": (lambda s: _exchanged(*s.receipts[:2]), "altered", "receipts/"),
    "the catalogue is there twice": (
        lambda s: s.catalogue.write_bytes(s.catalogue.read_bytes() * 2),
        "altered",
        CATALOGUE,
    ),
    "the catalogue has the line ends of Windows": (
        lambda s: s.catalogue.write_bytes(s.catalogue.read_bytes().replace(b"\n", b"\r\n")),
        "altered",
        CATALOGUE,
    ),
    "another mirror is merged into this one": (_merged, "altered", CATALOGUE),
    "names are in another form of Unicode": (
        lambda s: (s.object(OTHER) / _ACCENT).rename((s.object(OTHER) / _ACCENT).with_name(normalize("NFD", "é.txt"))),
        "lost",
        OTHER,
    ),
    "a file has become sparse": (lambda s: _sparse(s.object() / _A), "corrupt", CHANGED),
    # -- links, pipes and names
    "two objects share a file": (_shared, "strange", "same.txt"),
    "a file is a link inside its object": (_linked_inside, "lost", CHANGED),
    "the receipts are a link that leads out": (lambda s: _outside(s, "receipts"), "strange", "receipts"),
    "mirror.json is a link that leads out": (lambda s: _outside(s, "mirror.json"), "strange", "mirror.json"),
    "the catalogue has another name outside": (lambda s: os.link(s.catalogue, s.outside / "x"), "strange", CATALOGUE),
    "the logs of an object are added": (lambda s: (s.object() / "logs").mkdir(), "strange", CHANGED),
    "a name has a line end and control characters": (
        lambda s: (s.object() / "v1/content/files/a\n3 objects: everything\x1b[2K.txt").touch(),
        "strange",
        CHANGED,
    ),
    "a deleted object lives again by its first version": (
        lambda s: shutil.copy(s.object(GONE) / "v1/inventory.json", s.object(GONE) / "inventory.json"),
        "damaged",
        "p%3a2",
    ),
}
