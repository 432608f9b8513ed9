"""Make a catalogue from the files of a mirror, and write the README of its storage root."""

import json
from collections.abc import Iterator
from hashlib import sha512
from pathlib import Path

from gateway.core.errors import StoreDamaged
from gateway.core.words import table
from harvester.mirror.catalogue import Catalogue, Entry, Line
from harvester.mirror.catalogue import read as read_catalogue
from harvester.mirror.files_beside import lines_beside
from harvester.mirror.inventory import NAME, Inventory, read
from harvester.mirror.object_state import DOCUMENT
from harvester.mirror.ocfl import CONFIG_FILE, README, ROOT_FILES, StorageRoot
from harvester.runtime.durable_files import reporting_unwritable, write_durably


def readme(base_url: str, metadata_prefix: str, sets: tuple[str, ...]) -> bytes:
    """Return the README of the storage root, in UTF-8."""
    text = str(table(__file__, "readme")["text"]).format(
        base_url=base_url, metadata_prefix=metadata_prefix, sets=", ".join(sets) or "all"
    )
    return text.encode()


def explain(root: StorageRoot, catalogue: Catalogue, text: bytes) -> None:
    """Write the README into the storage root, unless it is there already. Raise StoreUnwritable."""
    file = root.folder / README
    if file.is_file() and not file.is_symlink() and file.read_bytes() == text:
        return
    catalogue.append({"file": README, "sha512": sha512(text).hexdigest()})
    with reporting_unwritable(file):
        write_durably(root.aside / README, text)
        (root.aside / README).replace(file)


def entry_of(root: StorageRoot, inventory: Inventory, content: bytes) -> Entry:
    """Return the entry of an object; `content` is its inventory as bytes."""
    path = root.place(inventory.identifier).relative_to(root.folder).as_posix()
    digest = sha512(content).hexdigest()
    return Entry(inventory.identifier, path, inventory.head, digest, DOCUMENT not in inventory.state)


def on_disk(root: StorageRoot, identifier: str) -> Entry:
    """Return the entry of an object as it is on the disk; its head is 0 when it cannot be read."""
    folder = root.place(identifier)
    try:
        content = (folder / NAME).read_bytes()
        return entry_of(root, read(content), content)
    except (OSError, StoreDamaged):
        return Entry(identifier, folder.relative_to(root.folder).as_posix(), 0, "")


def entries_on_disk(root: StorageRoot) -> Iterator[Entry]:
    """Return an entry for each version of each object on the disk. Unreadable objects are left out."""
    for folder in root.objects():
        try:
            newest = read((folder / NAME).read_bytes())
            if folder != root.place(newest.identifier):
                continue
            copies = [(folder / f"v{number}" / NAME).read_bytes() for number in range(1, newest.head)]
            for content in (*copies, (folder / NAME).read_bytes()):
                yield entry_of(root, read(content), content)
        except (OSError, StoreDamaged):
            continue


def lines(root: StorageRoot, folder: Path) -> Iterator[Line]:
    """Return the lines of a catalogue for the files of a mirror that are not objects."""
    for name in (*ROOT_FILES, CONFIG_FILE, README):
        if (root.folder / name).is_file():
            yield {"file": name, "sha512": digest_of(root.folder / name)}
    for file in receipts(folder):
        yield {"receipt": file.name, "sha512": digest_of(file)}
    yield from lines_beside(folder)
    yield {"mirror": digest_of(folder / "mirror.json")}


def digest_of(file: Path) -> str:
    """Return the SHA-512 of a small file. Raise OSError."""
    return sha512(file.read_bytes()).hexdigest()


def state_of(mirror: bytes) -> str:
    """Return the SHA-512 of mirror.json without its field `catalogue`. Raise ValueError when it is not JSON."""
    return sha512(json.dumps({**json.loads(mirror), "catalogue": None}).encode()).hexdigest()


def receipts(folder: Path) -> list[Path]:
    """Return the receipts of a mirror."""
    return sorted(path for path in (folder / "receipts").glob("*.json") if path.is_file())


def has_mark(receipt: Path) -> bool:
    """Return whether a receipt has the digest of a catalogue."""
    try:
        return bool(json.loads(receipt.read_bytes()).get("catalogue"))
    except (OSError, ValueError, AttributeError):
        return False


def origin(file: Path) -> Iterator[str]:
    """Return what a catalogue cannot prove, because it was made from existing objects. Raise StoreDamaged."""
    contents = read_catalogue(file)
    if contents.object_count:
        yield (
            f"The catalogue of this mirror was made at {contents.begun_at} from the {contents.object_count} objects "
            "that were here. It cannot prove that they are what was received before, or that none was removed."
        )
