"""Reader of large pages of ListRecords, record by record. Records are released after they are cut. Pure.

A page can be read like this if it is well-formed UTF-8 with one record after the other. Any other page of this size
would need more memory than one document may take, and is refused.
"""

from __future__ import annotations

from itertools import islice
from typing import cast

from lxml import etree

from gateway.core.errors import AnswerTooLarge, NotXml
from gateway.core.model import Slice
from gateway.core.xmlio import Element, memory_of, pull_parser
from gateway.core.xmltext import OAI_PMH
from harvester.xml.parsing import ELEMENT, MOST_MEMORY
from harvester.xml.slices import Cutter

_STEP = 1 << 16  # bytes read at once
_MOST_BEFORE = 10_000  # elements around the records
_MOST_HELD = 100_000_000  # bytes of memory for one record in progress, and for the text after the last one
_MOST_RECORDS = 150_000  # of one answer; their headers alone take 100 MB
_RECORD, _VERB = f"{{{OAI_PMH}}}record", f"{{{OAI_PMH}}}ListRecords"


def read_large(body: bytes) -> tuple[Element, tuple[Slice, ...]]:
    """Return the root of a page without its records, and a Slice for each record.

    Raise NotXml when it is not well-formed, AnswerTooLarge when it cannot be read record by record.
    """
    reading = _Reading(body)
    try:
        for start in range(0, len(body), _STEP):
            reading.feed(body[start : start + _STEP])
        root = reading.parser.close()
        reading.let_go()
    except etree.XMLSyntaxError as error:
        raise NotXml(f"The answer of {len(body)} bytes is not XML, and too large to be repaired: {error}.") from error
    cutter = reading.cutter
    verb = next(root.iterchildren(_VERB), None)
    if cutter is None or verb is None or len(verb) > 1 or not cutter.is_proven():
        raise _refused(body)
    return root, tuple(cutter.slices)


class _Reading:
    """The state of one page in the parser. `held` estimates the bytes in memory that are not yet cut."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.parser = pull_parser(_RECORD)
        self.cutter: Cutter | None = None
        self.held = 0
        self.last: Element | None = None

    def feed(self, part: bytes) -> None:
        """Parse the next bytes. Raise AnswerTooLarge for a page that cannot be read record by record."""
        self.parser.feed(part)
        taken = 0
        for _, record in self.parser.read_events():
            self._take(cast("Element", record))
            taken += 1
        weight = memory_of(part, ELEMENT, least=0)
        self.held = weight if taken else self.held + weight
        if self.held > _MOST_HELD:
            raise _refused(self.body)

    def _take(self, record: Element) -> None:
        verb = record.getparent()
        if verb is None or verb.tag != _VERB:
            raise _refused(self.body)
        if self.cutter is None:
            self.cutter = self._begun(verb)
        # All records except the last were removed: any other element before this one is not a record.
        if record.getprevious() is not self.last or not self.cutter.take(record):
            raise _refused(self.body)
        if len(self.cutter.slices) > _MOST_RECORDS:
            raise AnswerTooLarge(f"The answer has more than {_MOST_RECORDS} records.")
        record.clear(keep_tail=True)  # type: ignore[call-arg]  # the type stubs lack it
        self.let_go()
        self.last = record

    def let_go(self) -> None:
        """Remove the last record. Call it only after another record has ended, else the parser may still use it."""
        if self.last is not None and (verb := self.last.getparent()) is not None:
            verb.remove(self.last)

    def _begun(self, verb: Element) -> Cutter:
        root = verb.getparent()
        if root is None or root.getparent() is not None or root.prefix or verb.prefix:
            raise _refused(self.body)
        if len(list(islice(root.iter(), _MOST_BEFORE))) == _MOST_BEFORE:
            raise _refused(self.body)
        return Cutter(self.body, verb)


def _refused(body: bytes) -> AnswerTooLarge:
    return AnswerTooLarge(
        f"The answer of {len(body)} bytes cannot be read record by record. As a whole it needs "
        f"about {memory_of(body, ELEMENT) >> 20} MiB of memory, more than the {MOST_MEMORY >> 20} MiB of one document."
    )
