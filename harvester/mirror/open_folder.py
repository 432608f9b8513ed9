"""Open the folder of a mirror, or make one: for a run, and for an audit of a folder that nobody may write to."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from gateway.core.errors import ConfigurationError, StoreDamaged
from gateway.core.model import Identity
from harvester.mirror.catalogue import Mark
from harvester.mirror.folder import MirrorFolder, Order
from harvester.mirror.new_catalogue import origin
from harvester.runtime.durable_files import replace_durably, reporting_unwritable

_BEGUN = ("locks", "mirror.json.new")  # files of a process that was killed before it had made a mirror


def check(folder: Path) -> None:
    """Raise ConfigurationError when a folder is not a mirror. Nothing is written."""
    if not (folder / "mirror.json").exists():
        raise ConfigurationError(f"{folder} is no mirror: it has no mirror.json.")
    if not (folder / "mirror.json").is_file():
        raise ConfigurationError(f"{folder / 'mirror.json'} is no file. Bring it back from a copy.")


def opened(folder: Path, order: Order | None = None, *, settles: bool = True) -> MirrorFolder:
    """Return the mirror in a folder. A folder that is missing or empty becomes the mirror of `order`.

    With `settles`, the work of a killed process is completed or removed; the caller must hold the lock of the mirror.
    Raise ConfigurationError when it is not a mirror, or has another order; StoreDamaged when its objects are gone,
    StoreUnwritable when its work cannot be completed.
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
        sentence = f"{place.order.metadata_prefix} of {place.order.base_url}"
        raise ConfigurationError(f"{folder} is the mirror of {sentence}, sets {', '.join(place.order.sets) or 'all'}.")
    if place.states and not place.root.folder.exists():
        raise StoreDamaged(
            f"{place.root.folder} is not there, and {file} lists objects in it. Bring it back from a copy, "
            "or mirror into another folder."
        )
    if settles:
        place.root.prepare()
    return place


def audited(folder: Path, *, is_writable: bool) -> MirrorFolder:
    """Return a mirror for an audit. A missing catalogue is made if possible; the audit reports damage to it.

    Raise ConfigurationError when the folder is not a mirror, and the other errors of `opened`.
    """
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


def _begun(folder: Path, order: Order) -> MirrorFolder:
    with reporting_unwritable(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if any(path.name not in _BEGUN for path in folder.iterdir()):
            raise ConfigurationError(f"{folder} is not empty and no mirror.")
    place = MirrorFolder(folder, replace(order, sets=tuple(sorted(set(order.sets)))))
    replace_durably(folder / "mirror.json", place.as_json())
    return place


def _read(folder: Path, document: Mapping[str, object]) -> MirrorFolder:
    sets, states = document["sets"], document["states"]
    assert isinstance(sets, list)
    assert isinstance(states, dict)
    order = Order(str(document["base_url"]), str(document["metadata_prefix"]), tuple(sets))
    mark = document.get("catalogue")
    assert isinstance(mark, dict | None)
    return MirrorFolder(
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


def _identity(document: object) -> dict[str, str]:
    known = document if isinstance(document, dict) else {}
    return {name: str(known[name]) for name in Identity._fields if name in known}
