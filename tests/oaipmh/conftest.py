"""A repository in memory with a clock that stands still, so that whole answers can be compared."""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import pytest

from gateway.core.model import Format, Key, Page, Selection, SetDescription, Source, StoredRecord
from gateway.core.xmltext import escape, utc_datetime
from gateway.oaipmh import verbs
from gateway.oaipmh.arguments import parse
from gateway.oaipmh.identity import Repository
from gateway.store.base import PageOfParts

NOW = 1_700_000_000  # 2023-11-14T22:13:20Z
OAI_DC = Format(
    "oai_dc", "http://www.openarchives.org/OAI/2.0/oai_dc.xsd", "http://www.openarchives.org/OAI/2.0/oai_dc/"
)
RAW = Format("raw", "http://example.org/raw.xsd", "http://example.org/raw?a=1&b=2")


class Entry(NamedTuple):
    stamp: int
    item: int
    prefix: str
    sets: tuple[str, ...] = ()
    is_deleted: bool = False

    @property
    def identifier(self) -> str:
        return f"oai:gateway.example.org:laro/{self.item}"

    @property
    def content(self) -> bytes:
        status = ' status="deleted"' if self.is_deleted else ""
        specs = "".join(f"<setSpec>{spec}</setSpec>" for spec in self.sets)
        header = (
            f"<header{status}><identifier>{escape(self.identifier)}</identifier>"
            f"<datestamp>{utc_datetime(self.stamp)}</datestamp>{specs}</header>"
        )
        body = "" if self.is_deleted else f'<metadata><m xmlns="http://example.org/">{self.item}</m></metadata>'
        return f"<record>{header}{body}</record>".encode()


@dataclass
class MemoryView:
    """The promises of a View, kept the simplest way."""

    entries: list[Entry] = field(default_factory=list)
    horizon: int = NOW
    known_formats: tuple[Format, ...] = (OAI_DC, RAW)
    known_sets: list[SetDescription] = field(default_factory=list)
    known_sources: tuple[Source, ...] = ()
    earliest: int = NOW - 1_000_000
    failure: Exception | None = None

    def _matching(self, wanted: Selection) -> list[Entry]:
        low = -(2**62) if wanted.from_ is None else wanted.from_
        high = 2**62 if wanted.until is None else wanted.until
        return sorted(
            entry
            for entry in self.entries
            if entry.prefix == wanted.metadata_prefix
            and low <= entry.stamp <= high
            and (wanted.set_spec is None or _is_in(entry.sets, wanted.set_spec))
        )

    def page(self, selection: Selection, after: Key | None, limit: int) -> Page:
        if self.failure:
            raise self.failure
        entries = self._matching(selection)
        start = bisect_right(entries, tuple(after), key=lambda entry: (entry.stamp, entry.item)) if after else 0
        part = entries[start : start + limit]
        more = len(entries) > start + limit
        return Page(tuple(entry.content for entry in part), Key(part[-1].stamp, part[-1].item) if more else None)

    def parts(
        self, selection: Selection, after: Key | None, limit: int, *, only_headers: bool, is_exact: bool
    ) -> PageOfParts:
        page = self.page(selection, after, limit)  # always exact
        del is_exact
        texts = [content[8 : content.index(b"</header>") + 9] if only_headers else content for content in page.records]
        return PageOfParts(tuple(text + b"\n" for text in texts), len(texts), page.next)

    def count(self, selection: Selection) -> int:
        return len(self._matching(selection))

    def record(self, identifier: str, metadata_prefix: str) -> StoredRecord | None:
        for entry in self.entries:
            if (entry.identifier, entry.prefix) == (identifier, metadata_prefix):
                return StoredRecord(entry.content, entry.stamp, b"", entry.is_deleted)
        return None

    def has_item(self, identifier: str) -> bool:
        return any(entry.identifier == identifier for entry in self.entries)

    def formats(self, identifier: str | None = None) -> tuple[Format, ...]:
        held = {
            entry.prefix for entry in self.entries if identifier in (None, entry.identifier) and not entry.is_deleted
        }
        return tuple(f for f in self.known_formats if identifier is None or f.metadata_prefix in held)

    def has_set(self, spec: str) -> bool:
        return any(known.spec == spec for known in self.known_sets)

    def sets(self, after: str | None, limit: int) -> tuple[SetDescription, ...]:
        known = sorted(self.known_sets, key=lambda description: description.spec)
        return tuple(description for description in known if after is None or description.spec > after)[:limit]

    def earliest_datestamp(self) -> int:
        return self.earliest

    def friends(self, limit: int) -> tuple[str, ...]:
        named = (one for one in self.known_sources if one.kind == "oai_pmh" and one.is_friend and not one.is_removed)
        return tuple(source.base_url for source in named)[:limit]


def _is_in(specs: tuple[str, ...], wanted: str) -> bool:
    return any(spec == wanted or spec.startswith(wanted + ":") for spec in specs)


class MemoryStore:
    """A store with one view, which the test may change."""

    def __init__(self, view: MemoryView) -> None:
        self.current = view

    @contextmanager
    def view(self) -> Iterator[MemoryView]:
        yield self.current


@pytest.fixture
def view() -> MemoryView:
    """Seven items in oai_dc, the odd ones in raw as well; 3 is deleted in both, 5 only in raw."""
    entries = []
    for item in range(1, 8):
        sets = ("source:laro:theses", "fulltext") if item % 2 else ("source:laro",)
        entries.append(Entry(NOW - 1000 + item * 10, item, "oai_dc", sets, item == 3))
        if item % 2:
            entries.append(Entry(NOW - 1000 + item * 10, item, "raw", sets, item in (3, 5)))
    specs = ("fulltext", "source", "source:laro", "source:laro:theses")
    return MemoryView(entries, known_sets=[SetDescription(spec, f"The set {spec}") for spec in specs])


@pytest.fixture
def store(view) -> MemoryStore:
    return MemoryStore(view)


@pytest.fixture
def repository() -> Repository:
    return Repository("A gateway", "http://gw.example.org/oai", "admin@example.org", "gateway.example.org", b"k" * 32)


@pytest.fixture
def ask(view, repository) -> Callable[..., str]:
    """Return a function that answers a query string as text; keywords change the repository."""

    def answer(query: str, **changes: object) -> str:
        arguments = parse(query.encode())
        return verbs.answer(view, replace(repository, **changes), arguments).body().decode()

    return answer
