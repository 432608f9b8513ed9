"""Which elements of payloads no reader uses, found in a sample of a source's records. Nothing is stored.

A payload is read again without the elements at a path, and with other texts in them. If its Work is the same both
times, nobody uses them. So no reader has to say what it reads.
"""

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from typing import NamedTuple

from lxml import etree

from gateway.core import xmlio
from gateway.core.errors import UnusableRecord
from gateway.core.model import Work
from gateway.core.xmlio import Element, children, name_of
from gateway.publish.batch import Payloads
from gateway.publish.payloads import Given, read, standing_alone
from gateway.publish.source_facts import facts_held
from gateway.store.base import Inbox, Store

_ITEMS, _RECORDS = 500, 25  # so many records in each format, spread over the first items of a source
_MOST_BYTES = 60_000  # of a payload: it is read once or twice for each path
_MOST_TRIES = 150  # of one payload; a long one costs more for each
_MOST_READ = 1_000_000  # bytes for all tries of one payload
_ENOUGH = 5  # records in which a path was not used: in others it is only counted
_MOST_NAMED = 12
# Elements that are told apart by these attributes: of MARC, dim, xoai, Solr and JSON.
_GENERIC = frozenset((
    "controlfield", "datafield", "subfield", "fixfield", "varfield", "field", "element", "str", "arr", "date", "string",
    "array", "map", "number",
))  # fmt: skip
_ATTRIBUTES = ("tag", "id", "mdschema", "element", "qualifier", "name", "key", "code", "label")
_CODES = {2: "fr", 3: "fre"}  # for a code of a language, another one: a wrong one may be as good as none


class UnusedElement(NamedTuple):
    """A path of elements in a format that no reader used, in how many of the records looked at, and one of these."""

    metadata_prefix: str
    path: str
    records: int
    of: int
    example: str


def unused_elements(store: Store, inbox: Inbox, source: str) -> Iterator[UnusedElement]:
    """Yield the elements that no reader used in a sample of a source's records, by format, the most frequent first.

    Elements inside an unused one are not named. Raise StoreError.
    """
    facts = facts_held(store, source)
    if facts is None:
        return
    payloads, samples = Payloads(store, inbox, facts), dict[str, _Sample]()
    rows = store.items(source, 0, _ITEMS)
    for _, state in rows[:: max(1, len(rows) // _RECORDS)]:
        for payload in () if state.is_deleted or state.is_withheld else state.payloads:
            if payload.is_deleted or payloads.is_lost(payload):
                continue
            given = payloads.read(payload)
            if len(given.content) <= _MOST_BYTES:
                samples.setdefault(given.metadata_prefix, _Sample()).add(state.identifier, given, facts.fields)
    for prefix, sample in samples.items():
        yield from sample.unused(prefix)


def unused_in_words(elements: Iterable[UnusedElement]) -> Iterator[str]:
    """Yield a sentence for each format of a source."""
    by_format: dict[str, list[UnusedElement]] = {}
    for element in elements:
        by_format.setdefault(element.metadata_prefix, []).append(element)
    for prefix, several in by_format.items():
        named = ", ".join(f"{element.path} ({element.records})" for element in several[:_MOST_NAMED])
        others = len(several) - _MOST_NAMED
        yield (
            f"Elements that no reader uses, harvested as {prefix}, by records of {several[0].of} that were looked at: "
            f"{named}{f', and {others} more' if others > 0 else ''}, such as in {several[0].example}."
        )


class _Sample:
    """The records of one format that were looked at."""

    def __init__(self) -> None:
        self._records = 0
        self._used: set[tuple[str, ...]] = set()
        self._unused: dict[tuple[str, ...], tuple[int, str]] = {}

    def add(self, identifier: str, given: Given, fields: Mapping[str, str]) -> None:
        """Look at one payload. One that is carried whole as oai_dc uses everything."""
        work = _read(given, fields)
        if work is None or work.oai_dc:
            return
        self._records += 1
        root = xmlio.parse(standing_alone(given.content, given.declarations))
        paths: list[tuple[str, ...]] = [()]
        most, tries = min(_MOST_TRIES, _MOST_READ // len(given.content)), 0
        for path in paths:  # it grows
            names = dict.fromkeys(_label(child) for holder in _at(root, path) for child in children(holder))
            for inner in [(*path, name) for name in names]:
                number, example = self._unused.get(inner, (0, identifier))
                is_open = inner not in self._used and number < _ENOUGH
                tries += is_open
                if tries > most:
                    return
                if inner in self._used or (is_open and self._is_used(root, inner, given, fields, work)):
                    paths.append(inner)
                else:
                    self._unused[inner] = number + 1, example

    def _is_used(
        self, root: Element, path: tuple[str, ...], given: Given, fields: Mapping[str, str], work: Work
    ) -> bool:
        for change in (_remove, _alter):
            copy = deepcopy(root)
            for element in _at(copy, path):
                change(element)
            if _read(given._replace(content=etree.tostring(copy), declarations=()), fields) != work:
                self._used.add(path)
                return True
        return False

    def unused(self, prefix: str) -> Iterator[UnusedElement]:
        """Yield what no record used."""
        for path, (number, example) in sorted(self._unused.items(), key=lambda pair: (-pair[1][0], pair[0])):
            if path not in self._used:
                yield UnusedElement(prefix, "/".join(path), number, self._records, example)


def _read(given: Given, fields: Mapping[str, str]) -> Work | None:
    try:
        return read(given, False, fields).work
    except UnusableRecord:
        return None


def _label(element: Element) -> str:
    """Return the local name of an element, with its prefix if its parent has another one, and what tells it apart."""
    local, holder = name_of(element)[1], element.getparent()
    is_foreign = element.prefix and holder is not None and holder.prefix != element.prefix
    name = f"{element.prefix}:{local}" if is_foreign else local
    kinds = [element.get(key, "") for key in _ATTRIBUTES] if local in _GENERIC else []
    return " ".join(filter(None, (name, ".".join(filter(None, kinds)))))


def _at(root: Element, path: tuple[str, ...]) -> list[Element]:
    found = [root]
    for name in path:
        found = [child for holder in found for child in children(holder) if _label(child) == name]
    return found


def _remove(element: Element) -> None:
    holder = element.getparent()
    assert holder is not None
    holder.remove(element)


def _alter(element: Element) -> None:
    for inner in element.iter(etree.Element):
        if text := (inner.text or "").strip():
            inner.text = _CODES.get(len(text), f"{text} q")
