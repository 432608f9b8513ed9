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

import re
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from itertools import islice

from gateway.core.model import Cursor, RawPage, SetDescription, Slice
from gateway.core.xmltext import OAI_PMH, clean, escape, escape_attribute
from harvester.dump.output import Order, Place, Sink
from harvester.harvest.admission import doubts_of_empty_set
from harvester.http.messages import Fetch
from harvester.runtime.interrupts import Stop, StopAsked
from harvester.runtime.progress import Progress
from harvester.sources import Compared, Options, SourceKind, Step
from harvester.xml.namespaces import own_prefixes
from harvester.xml.parsing import tag_end

_NAME = re.compile(rb"<[^\s/>!?]+")
_NO_DEFAULT = b' xmlns=""'
_MOST_DOUBTS = 1000  # they are stored with every page; more add nothing


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
        doubts = [*step.doubts, *step.losses, *_unusable(step)]
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
            self.progress.say(f"{label}: no gap was found; {step.names} of {step.received} names were compared.")
        sentences = dict.fromkeys((*place.doubts, *(f"{label}: {doubt}" for doubt in doubts)))
        self.place = self.sink.write(content, replace(place, doubts=tuple(islice(sentences, _MOST_DOUBTS))))

    def _take_back(self) -> None:
        """Go back to the start of the list: it starts again, because its token was refused."""
        if self.sink.can_rewind:
            self.place = replace(self.place, bytes=self.place.list_start, list_records=0)
        else:
            self.repetitions += 1


def _unusable(step: Step) -> Iterator[str]:
    """Return a sentence about each record that is left out."""
    for slice_ in step.slices:
        if slice_.problem:
            yield f"{slice_.identifier or 'A record without identifier'}: {slice_.problem}"


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
