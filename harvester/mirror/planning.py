"""What is to be done about each file of an object: kept as it is, asked whether it has changed, or fetched. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from harvester.mirror.components import Component
from harvester.mirror.holding import HeldFile, by_location, stated_again

_MOST_CHARACTERS = 100
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_EXTENSIONS = {"application/pdf": ".pdf", "text/xml": ".xml", "application/xml": ".xml", "text/plain": ".txt"}


class Want(NamedTuple):
    """One file of an object: what the document says now, where it is to lie, and what was held of it before.

    `is_same`: by what the document says, the file that is held is the present one; it need not be asked for.
    """

    component: Component
    path: str
    before: HeldFile | None
    is_same: bool

    @property
    def kept(self) -> HeldFile:
        """The file that is held, with what the document says of it now."""
        assert self.before is not None
        return stated_again(self.before, self.component)


def wants(
    components: Iterable[Component],
    before: Iterable[HeldFile],
    earlier_bytes: Mapping[str, str] = MappingProxyType({}),
    *,
    is_untouched: bool = False,
) -> tuple[Want, ...]:
    """Return what each Component means for the files that are held.

    `earlier_bytes` are those of all versions, SHA-512 by SHA-256. `is_untouched`: the document and its datestamp are
    those of before, so whatever is held is present.
    """
    held = by_location(before)
    taken = {each.path for each in held.values() if each.path}
    found: list[Want] = []
    for component in components:
        names = component.locations or (f"id {component.identifier}",)
        earlier = next((held[name] for name in names if name in held), None)
        path = earlier.path if earlier and earlier.path else _path(component, taken)
        if path in {each.path for each in found}:  # two Components share a location
            path, earlier = _path(component, taken), None
        taken.add(path)
        is_same = earlier is not None and earlier.is_good and (is_untouched or _is_same(component, earlier))
        if not is_same and (returned := _returned(component, path, earlier_bytes)):
            earlier, is_same = returned, True
        found.append(Want(component, path, earlier, is_same and component.content is None))
    return tuple(found)


def _returned(component: Component, path: str, earlier_bytes: Mapping[str, str]) -> HeldFile | None:
    """Return a file whose bytes some version holds, by the digest that the document states; None when none does."""
    short = dict(component.digests).get("sha256", "")
    if short not in earlier_bytes:
        return None
    return HeldFile(path=path, size=component.size, sha512=earlier_bytes[short], sha256=short, verified=("sha256",))


def _is_same(component: Component, held: HeldFile) -> bool:
    """Tell whether the document means the bytes that are held: by their digest, or by all that it said of them then."""
    ours = {"sha256": held.sha256, "sha512": held.sha512}
    stated = dict(component.digests)
    if shared := ours.keys() & stated.keys():
        return all(ours[name] == stated[name] for name in shared)
    now = (component.size, component.digests, component.modified)
    then = (held.stated_size, held.stated_digests, held.stated_modified)
    return now == then and now != (None, (), "")


def _path(component: Component, taken: set[str]) -> str:
    """Return a path of its own for a file: its name as the address has it, of harmless characters only."""
    source = next(iter(component.addresses or component.locations), "") or component.identifier
    last = unquote(urlsplit(source).path if "://" in source else source).rstrip("/").rpartition("/")[2]
    name = _UNSAFE.sub("_", last).strip("._")[-_MOST_CHARACTERS:].lstrip("._") or "file"
    stem, dot, extension = name.rpartition(".")
    if not dot:
        stem, extension = name, ""
        dot = _EXTENSIONS.get(component.mime_type.partition(";")[0].strip().lower(), "")
    numbers = ("", *(f"-{number}" for number in range(2, len(taken) + 3)))
    return next(path for each in numbers if (path := f"files/{stem}{each}{dot}{extension}") not in taken)
