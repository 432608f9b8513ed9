"""One repository in one XML file: the records of its lists as received. Each is a complete element of its own.

    <harvest baseURL="…">
    <list metadataPrefix="oai_dc">
    <record xmlns="http://www.openarchives.org/OAI/2.0/">…</record>
    …
    </list>
    </harvest>

The dump is written to `FILE.part` and renamed when it is complete. After every page `FILE.state` records how many bytes
of the part are valid, and the cursor of the list. So an interrupted dump continues at its token.
"""

import json
import os
import re
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import BinaryIO, TypeAlias

from gateway.core.errors import ConfigurationError
from gateway.core.model import Cursor, RawPage, SetDescription, Slice
from gateway.core.states import names_compared
from gateway.core.xmltext import OAI_PMH, clean, escape, escape_attribute
from harvester.harvest.admission import doubts_of_empty_set
from harvester.http.messages import Fetch
from harvester.runtime.durable_files import replace_durably, reporting_unwritable
from harvester.runtime.interrupts import Stop, StopAsked
from harvester.runtime.progress import Progress
from harvester.sources import Compared, Options, SourceKind, Step
from harvester.xml.namespaces import own_prefixes
from harvester.xml.parsing import tag_end

_NAME = re.compile(rb"<[^\s/>!?]+")
_NAMELESS = "A record without identifier"
_NO_DEFAULT = b' xmlns=""'
_MOST_DOUBTS = 1000  # they are stored with every page; more add nothing
_VERSION = 1  # of the file with the state


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


# --- the dump -------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Dump:
    """One dump in progress."""

    order: Order
    kind: SourceKind
    fetch: Fetch
    sink: Sink
    progress: Progress
    stop: Stop
    place: Place = field(default_factory=Place)
    sets: tuple[SetDescription, ...] = ()  # that the source lists
    repetitions: int = 0  # of lists, in a stream

    @property
    def problems(self) -> list[str]:
        """The reasons why records are missing or wrong in the dump, or may be."""
        return [*self.place.doubts, *["A list started again; its first records are there twice."] * self.repetitions]

    def whole(self) -> bool:
        """Harvest the lists of the order, from the last stop on; return whether the dump is complete.

        Raise the FetchError or AnswerError of the source, and the errors of the sink. The next call continues after the
        last page in the file.
        """
        options = Options(source="", url=self.order.url, from_=self.order.from_, until=self.order.until)
        with closing(self.sink), suppress(StopAsked):
            description = self.kind.describe(options, self.fetch)
            self.sets = description.with_sets(self.kind, options, self.fetch).sets
            return self._written(options.after(description))
        return False

    def _written(self, options: Options) -> bool:
        self.place = self.sink.begin(self.order)
        if not self.place.bytes:
            opening = _opening(self.order.url)
            self.place = self.sink.write(opening, replace(self.place, list_start=len(opening)))
        lists = self.order.lists()
        while self.place.list < len(lists):
            self._list(options, *lists[self.place.list])
            if self.stop.is_asked:
                return False
        self.sink.write(b"</harvest>\n", self.place)
        self.sink.finish()
        return True

    def _list(self, options: Options, metadata_prefix: str, set_spec: str) -> None:
        """Write one list, or the rest of one."""
        cursor = Cursor("", metadata_prefix, set_spec, self.place.state)
        for step in self.kind.changes(options, cursor, self.fetch):
            self._step(step, metadata_prefix, set_spec)
            self.progress.show(_label(metadata_prefix, set_spec), step.received, step.announced[1])
            if step.is_last or self.stop.is_asked:
                return

    def _step(self, step: Step, metadata_prefix: str, set_spec: str) -> None:
        """Write the records of one answer, and the place after them."""
        if self.place.list_records and step.received == len(step.slices):
            self._take_back()
        place = self.place
        records = [record(step.page, slice_) for slice_ in step.slices if not slice_.problem]
        content = b"".join(records)
        if place.bytes == place.list_start:
            content = _list_opening(metadata_prefix, set_spec) + content
        place = replace(place, state=step.cursor.state, list_records=place.list_records + len(records))
        doubts = [*step.doubts, *step.losses]
        doubts += (f"{bad.identifier or _NAMELESS}: {bad.problem}" for bad in step.slices if bad.problem)
        if step.is_last:
            doubts += () if place.list_records else doubts_of_empty_set(set_spec, self.sets)
            content += b"</list>\n"
            place = replace(
                place,
                list=place.list + 1,
                state="",
                list_start=place.bytes + len(content),
                records_before=place.records,
                list_records=0,
            )
        label = _label(metadata_prefix, set_spec)
        if step.is_last and step.compared is Compared.NOTHING:
            self.progress.say(f"{label}: the records could not be compared with ListIdentifiers.")
        if step.is_last and step.compared is Compared.PART:
            self.progress.say(f"{label}: no gap was found; {names_compared(step.names, step.received)}.")
        sentences = dict.fromkeys((*place.doubts, *(f"{label}: {doubt}" for doubt in doubts)))
        self.place = self.sink.write(content, replace(place, doubts=tuple(islice(sentences, _MOST_DOUBTS))))

    def _take_back(self) -> None:
        """Go back to the start of the list: it starts again, because its token was refused."""
        if self.sink.can_rewind:
            self.place = replace(self.place, bytes=self.place.list_start, list_records=0)
        else:
            self.repetitions += 1


def record(page: RawPage, slice_: Slice) -> bytes:
    """Return one record as received, as a complete element in UTF-8 (OAI-PMH 2.0 §2.5)."""
    text = page.repaired or page.body
    status = ' status="deleted"' if slice_.is_deleted else ""
    sets = "".join(f"<setSpec>{_text(spec)}</setSpec>" for spec in slice_.sets)
    header = (
        f'<record xmlns="{OAI_PMH}"><header{status}><identifier>{_text(slice_.identifier)}</identifier>'
        f"<datestamp>{_text(slice_.datestamp)}</datestamp>{sets}</header>"
    )
    parts = [header.encode()]
    if slice_.start != slice_.stop:
        parts += (b"<metadata>", fragment(text[slice_.start : slice_.stop], slice_.declarations), b"</metadata>")
    for start, stop in slice_.abouts:
        parts += (b"<about>", fragment(text[start:stop], slice_.declarations), b"</about>")
    parts.append(b"</record>\n")
    return b"".join(parts)


def fragment(payload: bytes, declarations: tuple[tuple[str, str], ...], *, is_enclosed: bool = True) -> bytes:
    """Return a complete payload: with `declarations` on its root, and no namespace inherited from an outer element."""
    match = _NAME.match(payload)
    if match is None:
        return payload
    own = own_prefixes(payload[: tag_end(payload, 0)])
    added = {**({"": ""} if is_enclosed else {}), **dict(declarations)}
    spliced = "".join(
        f' xmlns{":" * bool(name)}{name}="{escape_attribute(uri)}"' for name, uri in added.items() if name not in own
    )
    return b"".join((match[0], spliced.encode(), payload[match.end() :]))


def as_received(payload: bytes) -> bytes:
    """Return a payload from a dump without the `xmlns=""` that `fragment` added to it."""
    match = _NAME.match(payload)
    if match is None or not payload.startswith(_NO_DEFAULT, match.end()):
        return payload
    return match[0] + payload[match.end() + len(_NO_DEFAULT) :]


def _label(metadata_prefix: str, set_spec: str) -> str:
    return f"{metadata_prefix} {set_spec}".rstrip()


def _text(text: str) -> str:
    return escape(clean(text))


def _opening(url: str) -> bytes:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<harvest baseURL="{escape_attribute(url)}">\n'.encode()


def _list_opening(metadata_prefix: str, set_spec: str) -> bytes:
    in_set = f' set="{escape_attribute(set_spec)}"' if set_spec else ""
    return f'<list metadataPrefix="{escape_attribute(metadata_prefix)}"{in_set}>\n'.encode()
