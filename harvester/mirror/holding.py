"""What is known of one mirrored object: the values behind `received.json`, which every version of it holds. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import NamedTuple, Protocol, TypeVar

from gateway.errors import StoreDamaged
from harvester.mirror.components import Component
from harvester.mirror.verifying import HELD, Fate

DOCUMENT, RECEIVED = "document.xml", "received.json"
_VERSION = 1


class HeldFile(NamedTuple):
    """One file of an object: what the document says of it, what arrived, and what became of it.

    `path` is where it lies in the object, empty when nothing is held. A file `is_stale` when what is held is an
    earlier state of it, since the present one could not be had; `fate` and `reason` then say why.
    """

    locations: tuple[str, ...] = ()
    identifier: str = ""
    type: str = ""
    mime_type: str = ""
    stated_size: int | None = None
    stated_digests: tuple[tuple[str, str], ...] = ()
    stated_modified: str = ""
    stated_unread: tuple[str, ...] = ()  # digests that the document states and that cannot be read
    path: str = ""
    size: int | None = None
    sha512: str = ""
    sha256: str = ""
    url: str = ""  # where it was asked for
    came_from: str = ""  # where that led
    received_at: str = ""
    content_type: str = ""
    entity_tag: str = ""
    last_modified: str = ""
    verified: tuple[str, ...] = ()
    fate: Fate = Fate.FETCHED
    reason: str = ""
    is_stale: bool = False
    rule: str = ""  # by which what came is doubtful
    accepted_at: str = ""  # when a person took it for good although a rule doubts it

    @property
    def is_good(self) -> bool:
        """Tell whether the present state of the file is held."""
        return self.fate in HELD


def entry(component: Component) -> HeldFile:
    """Return what a document says of a file of which nothing has arrived."""
    return HeldFile(
        component.locations,
        component.identifier,
        component.type,
        component.mime_type,
        component.size,
        component.digests,
        component.modified,
        component.unread,
    )


def stated_again(file: HeldFile, component: Component) -> HeldFile:
    """Return a file that is held, with what the document says of it now."""
    said = entry(component)
    return file._replace(
        locations=said.locations,
        identifier=said.identifier,
        type=said.type,
        mime_type=said.mime_type,
        stated_size=said.stated_size,
        stated_digests=said.stated_digests,
        stated_modified=said.stated_modified,
        stated_unread=said.stated_unread,
    )


@dataclass(frozen=True, slots=True)
class Holding:
    """One object as it was received. Dates are UTCdatetimes. A deleted one has no files; earlier versions have."""

    identifier: str
    base_url: str
    metadata_prefix: str
    datestamp: str
    sets: tuple[str, ...] = ()
    is_deleted: bool = False
    received_at: str = ""
    document_sha256: str = ""
    problem: str = ""  # why the document names no files that can be had
    files: tuple[HeldFile, ...] = ()

    @property
    def missing(self) -> tuple[HeldFile, ...]:
        """The files whose present state is not held."""
        return tuple(each for each in self.files if not each.is_good)

    @property
    def is_whole(self) -> bool:
        """Tell whether everything that the document names is held."""
        return not self.problem and not self.missing


def written(holding: Holding) -> bytes:
    """Return what is known of an object as JSON; what is not known is left out."""
    document = {"version": _VERSION, **asdict(holding), "files": [file_data(each) for each in holding.files]}
    return json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n"


def file_data(file: HeldFile) -> dict[str, object]:
    """Return what is known of a file as data for JSON."""
    return {name: value for name, value in file._asdict().items() if value not in _PLAIN}


_PLAIN: tuple[object, ...] = ("", (), None, False)


def read(content: bytes) -> Holding:
    """Read what `written` wrote. Raise StoreDamaged."""
    try:
        document = json.loads(content)
        document.pop("version")
        files = tuple(file_of(each) for each in document.pop("files"))
        names = {each.name for each in fields(Holding)}
        known = {name: value for name, value in document.items() if name in names}
        return Holding(**{**known, "sets": tuple(document["sets"]), "files": files})
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StoreDamaged(f"A {RECEIVED} cannot be read: {error!r}.") from error


def file_of(values: Mapping[str, object]) -> HeldFile:
    """Return a file from what `file_data` returned."""
    known = {name: _frozen(value) for name, value in values.items() if name in HeldFile._fields}
    return HeldFile(**{**known, "fate": Fate(str(values.get("fate", Fate.FETCHED)))})  # type: ignore[arg-type]


def _frozen(value: object) -> object:
    return tuple(_frozen(each) for each in value) if isinstance(value, list) else value


class Nameable(Protocol):
    """What a document names: a Component of it, or the file that is held of one."""

    @property
    def locations(self) -> tuple[str, ...]:
        """Where it is."""
        ...

    @property
    def identifier(self) -> str:
        """What it is called."""
        ...


_Named = TypeVar("_Named", bound=Nameable)


def with_names(files: Iterable[_Named]) -> Iterator[tuple[_Named, tuple[str, ...]]]:
    """Return files with their names: their locations; else their identifier, and which of those with it they are."""
    counts: Counter[str] = Counter()
    for each in files:
        if not each.locations:
            counts[each.identifier] += 1
        yield each, each.locations or (f"id {each.identifier} {counts[each.identifier]}",)


def by_location(files: Iterable[HeldFile]) -> dict[str, HeldFile]:
    """Return files by each of their names."""
    return {name: each for each, names in with_names(files) for name in names}
