"""Which elements of payloads no reader uses, found in a sample of a source's records.

A payload is read again without the elements at a path, and with other texts in them. If its Work is the same both
times, nobody uses them. So no reader has to say what it reads. Elements that are not about the work are left out
(`administrative.toml`).
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from copy import deepcopy
from fnmatch import fnmatchcase
from functools import lru_cache

from lxml import etree

from gateway.core import xmlio
from gateway.core.errors import UnusableRecord
from gateway.core.model import StoredPage, Unused, UnusedElement, Work
from gateway.core.words import table
from gateway.core.xmlio import Element, children, name_of
from gateway.formats import written
from gateway.publish.batch import Payloads
from gateway.publish.payloads import Given, read, standing_alone
from gateway.publish.source_facts import facts_held
from gateway.store.base import Inbox, Store

_PAGES, _RECORDS = 8, 24  # of a source, spread over its pages
_MOST_BYTES = 60_000  # of a payload: it is read once or twice for each path
_MOST_TRIES = 150  # of one payload; a long one costs more for each
_MOST_READ = 1_000_000  # bytes for all tries of one payload
_ENOUGH = 5  # records in which a path was not used: in others it is only counted
_NEW = 10  # one page of so many must be new before a source is looked at again
_MOST_KEPT = 200  # characters of a path
# Elements that are told apart by these attributes: of MARC, dim, xoai, Solr and JSON.
_GENERIC = frozenset((
    "controlfield", "datafield", "subfield", "fixfield", "varfield", "field", "element", "str", "arr", "date", "string",
    "array", "map", "number",
))  # fmt: skip
_ATTRIBUTES = ("tag", "id", "mdschema", "element", "qualifier", "name", "key", "code", "label")
_CODES = {2: "fr", 3: "fre"}  # for a code of a language, another one: a wrong one may be as good as none


def unused_elements(store: Store, inbox: Inbox, source: str) -> Iterator[Unused]:
    """Yield the elements that no reader used in a sample of a source's records, by format, the most frequent first.

    Elements inside an unused one are not named, and nothing is stored. Raise StoreError.
    """
    facts = facts_held(store, source)
    if facts is None:
        return
    pages = _spread(inbox, source)
    payloads, samples = Payloads(store, inbox, facts, pages), dict[str, _Sample]()
    upstreams = [
        slice_.identifier
        for page in pages
        for slice_ in page.slices[:: max(1, len(page.slices) * len(pages) // _RECORDS)][: _RECORDS // len(pages)]
    ]
    for state in store.states(source, upstreams).values():
        for payload in () if state.is_deleted or state.is_withheld else state.payloads:
            if payload.is_deleted or payloads.is_lost(payload):
                continue
            given = payloads.read(payload)
            if len(given.content) <= _MOST_BYTES:
                samples.setdefault(given.metadata_prefix, _Sample()).add(state.identifier, given, facts.fields)
    yield from (found for prefix, sample in samples.items() if (found := sample.unused(prefix)).of)


def keep_unused(store: Store, inbox: Inbox, source: str) -> None:
    """Store what `unused_elements` finds, if our formats have changed since, or if a tenth of the pages is new.

    Raise StoreError.
    """
    last, versions = _last_page(inbox, source), {prefix: known.version for prefix, known in written().items()}
    before = json.loads(store.fact(f"unused {source}") or "{}")
    if before.get("versions") == versions:
        new = inbox.pages_behind(source, before["page"])
        if new * _NEW <= inbox.pages_behind(source, 0):
            return
    formats = [
        (*format_[:3], [(element.path[:_MOST_KEPT], *element[1:]) for element in format_.elements])
        for format_ in unused_elements(store, inbox, source)
    ]
    store.remember(f"unused {source}", json.dumps({"versions": versions, "page": last, "formats": formats}))


def _last_page(inbox: Inbox, source: str) -> int:
    return inbox.last_pages(source).get(source, 0)


def _spread(inbox: Inbox, source: str) -> list[StoredPage]:
    """Return some pages of a source, spread over all of them."""
    last, first = _last_page(inbox, source), next((number for number, _ in inbox.extents(source, 0, 1)), 0)
    steps = (first - 1 + (last + 1 - first) * step // _PAGES for step in range(_PAGES))
    numbers = dict.fromkeys(number for step in steps for number, _ in inbox.extents(source, step, 1))
    return [inbox.page(number) for number in numbers]


class _Sample:
    """The records of one format that were looked at."""

    def __init__(self) -> None:
        self._used: set[tuple[str, ...]] = set()
        self._unused: Counter[tuple[str, ...]] = Counter()
        self._found: list[tuple[str, set[tuple[str, ...]]]] = []  # in each record

    def add(self, identifier: str, given: Given, fields: Mapping[str, str]) -> None:
        """Look at one payload. One that is carried whole as oai_dc uses everything."""
        work = _read(given, fields)
        if work is None or work.oai_dc:
            return
        root = xmlio.parse(standing_alone(given.content, given.declarations))
        found = set[tuple[str, ...]]()
        self._found.append((identifier, found))
        paths: list[tuple[str, ...]] = [()]
        most, tries = min(_MOST_TRIES, _MOST_READ // len(given.content)), 0
        for path in paths:  # it grows
            inside = (child for holder in _at(root, path) for child in children(holder))
            names = dict.fromkeys(_label(child) for child in inside if not _is_administrative(child))
            for inner in [(*path, name) for name in names]:
                is_open = inner not in self._used and self._unused[inner] < _ENOUGH
                tries += is_open
                if tries > most:
                    return
                if inner in self._used or (is_open and self._is_used(root, inner, given, fields, work)):
                    paths.append(inner)
                else:
                    self._unused[inner] += 1
                    found.add(inner)

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

    def unused(self, prefix: str) -> Unused:
        """Return what no record used."""
        found = [(identifier, paths - self._used) for identifier, paths in self._found]
        counts = Counter(path for _, paths in found for path in paths)
        elements = tuple(
            UnusedElement("/".join(path), number, next(identifier for identifier, paths in found if path in paths))
            for path, number in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        )
        return Unused(prefix, sum(bool(paths) for _, paths in found), len(found), elements)


def _read(given: Given, fields: Mapping[str, str]) -> Work | None:
    try:
        return read(given, False, fields).work
    except UnusableRecord:
        return None


def _is_administrative(element: Element) -> bool:
    """Return whether an element is about the record, its files or its cataloguing, not about the work."""
    name, holder = _name(element), element.getparent()
    names = (name, f"{'' if holder is None else _name(holder)}/{name}")
    return any(fnmatchcase(name, pattern) for name in names for pattern in _patterns(name_of(element)[0]))


@lru_cache(maxsize=64)  # payloads may have any namespaces
def _patterns(namespace: str) -> tuple[str, ...]:
    parts = table(__file__, "administrative")["elements"]
    return tuple(pattern for part in parts if namespace in part["namespaces"] for pattern in part["patterns"])


def _name(element: Element) -> str:
    """Return the local name of an element, and what tells it apart."""
    local = name_of(element)[1]
    kinds = [element.get(key, "") for key in _ATTRIBUTES] if local in _GENERIC else []
    return " ".join(filter(None, (local, ".".join(filter(None, kinds)))))


def _label(element: Element) -> str:
    """Return the name of an element, with its prefix if its parent has another one."""
    holder = element.getparent()
    is_foreign = element.prefix and holder is not None and holder.prefix != element.prefix
    return f"{element.prefix}:{_name(element)}" if is_foreign else _name(element)


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
