"""The state of one mirrored object: the values of `received.json`, which each of its versions has. Pure."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import NamedTuple, TypeVar

from gateway.core.errors import StoreDamaged
from harvester.mirror.component import Component
from harvester.mirror.verify import HELD, Fate

DOCUMENT, RECEIVED = "document.xml", "received.json"
_VERSION = 1


class HeldFile(NamedTuple):
    """One file of an object: the statements of the document, the received bytes, and the outcome (`fate`).

    `path` is its logical path in the object (OCFL 1.1), empty when no bytes are stored. Sizes are bytes, digests
    hexadecimal, dates UTCdatetimes. With `is_stale`, an earlier state is stored, because the present one could not be
    fetched; `fate` and `reason` explain why.
    """

    locations: tuple[str, ...] = ()
    identifier: str = ""
    type: str = ""
    mime_type: str = ""
    stated_size: int | None = None
    stated_digests: tuple[tuple[str, str], ...] = ()
    stated_modified: str = ""
    stated_unread: tuple[str, ...] = ()  # stated digests that cannot be read
    path: str = ""
    size: int | None = None
    sha512: str = ""
    sha256: str = ""
    url: str = ""  # the requested address
    came_from: str = ""  # the address after redirects
    received_at: str = ""
    content_type: str = ""
    entity_tag: str = ""
    last_modified: str = ""
    verified: tuple[str, ...] = ()
    fate: Fate = Fate.FETCHED
    reason: str = ""
    is_stale: bool = False
    rule: str = ""  # the name of the rule by which it is doubtful
    accepted_at: str = ""  # when a person accepted it although a rule doubts it

    @property
    def is_good(self) -> bool:
        """Return whether the present state of the file is stored."""
        return self.fate in HELD


def entry(component: Component) -> HeldFile:
    """Return a file with the statements of a document, and without bytes."""
    return stated_again(HeldFile(), component)


def stated_again(file: HeldFile, component: Component) -> HeldFile:
    """Return a stored file with the present statements of the document."""
    return file._replace(
        locations=component.locations,
        identifier=component.identifier,
        type=component.type,
        mime_type=component.mime_type,
        stated_size=component.size,
        stated_digests=component.digests,
        stated_modified=component.modified,
        stated_unread=component.unread,
    )


@dataclass(frozen=True, slots=True)
class Holding:
    """The state of one object. Dates are UTCdatetimes (OAI-PMH 2.0 §3.3). A deleted object has no files."""

    identifier: str
    base_url: str
    metadata_prefix: str
    datestamp: str
    sets: tuple[str, ...] = ()
    is_deleted: bool = False
    received_at: str = ""
    document_sha256: str = ""
    problem: str = ""  # why no files can be read from the document
    files: tuple[HeldFile, ...] = ()

    @property
    def missing(self) -> tuple[HeldFile, ...]:
        """The files whose present state is not stored."""
        return tuple(file for file in self.files if not file.is_good)

    @property
    def is_whole(self) -> bool:
        """Return whether all files that the document names are stored."""
        return not self.problem and not self.missing


def written(holding: Holding) -> bytes:
    """Return the state of an object as JSON in UTF-8, without empty values."""
    document = {"version": _VERSION, **asdict(holding), "files": [file_data(file) for file in holding.files]}
    return json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n"


def file_data(file: HeldFile) -> dict[str, object]:
    """Return a file as data for JSON, without empty values."""
    return {name: value for name, value in file._asdict().items() if value not in _PLAIN}


_PLAIN: tuple[object, ...] = ("", (), None, False)


def read(content: bytes) -> Holding:
    """Return the state that `written` wrote. Raise StoreDamaged when it cannot be read."""
    try:
        document = json.loads(content)
        document.pop("version")
        files = tuple(file_of(document_) for document_ in document.pop("files"))
        names = {field_.name for field_ in fields(Holding)}
        known = {name: value for name, value in document.items() if name in names}
        return Holding(**{**known, "sets": tuple(document["sets"]), "files": files})
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StoreDamaged(f"A {RECEIVED} cannot be read: {error!r}.") from error


def file_of(values: Mapping[str, object]) -> HeldFile:
    """Return the file that `file_data` made into data."""
    known = {name: _frozen(value) for name, value in values.items() if name in HeldFile._fields}
    return HeldFile(**{**known, "fate": Fate(str(values.get("fate", Fate.FETCHED)))})  # type: ignore[arg-type]


def _frozen(value: object) -> object:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


_Named = TypeVar("_Named", Component, HeldFile)


def with_names(files: Iterable[_Named]) -> Iterator[tuple[_Named, tuple[str, ...]]]:
    """Return each file with its names: its locations; else its identifier and a number."""
    counts: Counter[str] = Counter()
    for file in files:
        if not file.locations:
            counts[file.identifier] += 1
        yield file, file.locations or (f"id {file.identifier} {counts[file.identifier]}",)


def by_location(files: Iterable[HeldFile]) -> dict[str, HeldFile]:
    """Return files by each of their names."""
    return {name: file for file, names in with_names(files) for name in names}
