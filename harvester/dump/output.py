"""The output of a dump: a file with a stored position, or a stream that cannot go back."""

import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import BinaryIO, TypeAlias

from gateway.core.errors import ConfigurationError
from harvester.runtime.durable_files import replace_durably, reporting_unwritable

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Order:
    """The lists and dates to dump. Two dumps with the same order may continue each other."""

    url: str
    formats: tuple[str, ...] = ("oai_dc",)
    sets: tuple[str, ...] = ()
    from_: str = ""
    until: str = ""

    def lists(self) -> tuple[tuple[str, str], ...]:
        """Return the lists to walk, as (metadataPrefix, set)."""
        return tuple((prefix, set_spec) for prefix in self.formats for set_spec in self.sets or ("",))


@dataclass(frozen=True, slots=True)
class Place:
    """The position of a dump: the list, its cursor, and how many bytes of the file are valid.

    `list_start` is the offset of the list in the file: the list starts again there when its token has expired.
    """

    list: int = 0
    state: str = ""
    bytes: int = 0
    list_start: int = 0
    records_before: int = 0  # of earlier lists
    list_records: int = 0
    doubts: tuple[str, ...] = ()

    @property
    def records(self) -> int:
        """The number of records in the file."""
        return self.records_before + self.list_records


class Stream:
    """A dump to a stream, which is not closed. It can never continue."""

    can_rewind = False  # written bytes cannot be removed again

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def begin(self, order: Order) -> Place:  # noqa: ARG002 - no order continues here
        """Return the place of an empty dump."""
        return Place()

    def write(self, content: bytes, place: Place) -> Place:
        """Write to the end of the stream, at any place. Raise OSError."""
        self._stream.write(content)
        self._stream.flush()
        return replace(place, bytes=place.bytes + len(content))

    def finish(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing: the stream stays open for its owner."""


class File:
    """A dump to a file: written to `.part`, its place stored after every page, renamed when complete.

    With `restart`, an interrupted dump of it is discarded. Methods raise StoreUnwritable when a file cannot be written.
    """

    can_rewind = True

    def __init__(self, file: Path, *, restart: bool = False) -> None:
        self._file = file
        self._part = file.with_name(f"{file.name}.part")
        self._state = file.with_name(f"{file.name}.state")
        self._order = Order("")
        self._stream: BinaryIO | None = None
        self._restart = restart

    def begin(self, order: Order) -> Place:
        """Return the place where an interrupted dump of the same order stopped, else that of an empty one.

        Raise ConfigurationError when an interrupted dump of another order has records, or its state is unreadable.
        """
        self._order = order
        place = Place() if self._restart else self._remembered()
        with reporting_unwritable(self._part):
            self._stream = self._part.open("r+b" if place.bytes else "wb")
            self._stream.truncate(place.bytes)
        return place

    def write(self, content: bytes, place: Place) -> Place:
        """Write after `place.bytes`, flush to disk, store the place, and return it with the new bytes added."""
        stream = self._stream
        assert stream is not None
        with reporting_unwritable(self._part):
            stream.seek(place.bytes)
            stream.write(content)
            stream.truncate()
            stream.flush()
            os.fsync(stream.fileno())
        place = replace(place, bytes=place.bytes + len(content))
        self._remember(place)
        return place

    def finish(self) -> None:
        """Rename the part and remove the state."""
        with reporting_unwritable(self._file):
            self.close()
            self._part.replace(self._file)
            self._state.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the part, and leave it on disk."""
        if self._stream is not None:
            self._stream.close()

    def _remembered(self) -> Place:
        if not (self._state.exists() and self._part.exists()):
            return Place()
        try:
            state = json.loads(self._state.read_text("utf-8"))
            is_same = state["version"] == _VERSION and state["order"] == json.loads(json.dumps(asdict(self._order)))
            place = Place(**{**state["place"], "doubts": tuple(state["place"]["doubts"])})
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ConfigurationError(f"{self._state} cannot be read. Use --restart to start again.") from error
        if is_same:
            return place
        if place.records:
            raise ConfigurationError(f"{self._part} belongs to another dump. Use --restart to start again.")
        return Place()  # an empty one, for example of a missing format, is overwritten

    def _remember(self, place: Place) -> None:
        state = {"version": _VERSION, "order": asdict(self._order), "place": asdict(place)}
        replace_durably(self._state, json.dumps(state).encode())


Sink: TypeAlias = Stream | File
