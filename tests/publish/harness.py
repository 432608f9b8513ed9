"""A harness: a real store and inbox, and the short ways of a test to send pages and to read what is published."""

from pathlib import Path
from typing import Any

from lxml import etree

from gateway.core.clock import HostClock
from gateway.core.model import Cursor, ItemState, RawPage, Selection, Slice, Source, StoredRecord
from gateway.core.xmltext import DC, OAI_DC, XSI
from gateway.publish.mapping import SourceFacts
from gateway.publish.publish import Counts, publish_pending
from tests.opening import open_inbox, open_store

OAI = "{http://www.openarchives.org/OAI/2.0/}"
PROVENANCE = "{http://www.openarchives.org/OAI/2.0/provenance}"
ADDRESS = "http://laro.example.org/oai"
MODS = "http://www.loc.gov/mods/v3"
START = 1_700_000_000


_DC = (
    f'<o:dc xmlns:o="{OAI_DC}" xmlns:dc="{DC}" xmlns:xsi="{XSI}" '
    f'xsi:schemaLocation="{OAI_DC} http://www.openarchives.org/OAI/2.0/oai_dc.xsd">'
)


def dc(title: str = "A title", *more: str) -> bytes:
    return f"{_DC}<dc:title>{title}</dc:title>{''.join(more)}</o:dc>".encode()


def mods(title: str = "A richer title") -> bytes:
    return f'<mods xmlns="{MODS}"><titleInfo><title>{title}</title></titleInfo></mods>'.encode()


def pdf(name: str = "1") -> str:
    return f"<dc:identifier>http://laro.example.org/{name}.pdf</dc:identifier>"


class Sent:
    """One record of a page, as its source sent it."""

    def __init__(self, identifier: str, payload: bytes | None = b"", **header: Any) -> None:
        self.identifier = identifier
        self.payload = dc() if payload == b"" else payload or b""
        self.is_deleted = payload is None
        self.datestamp = str(header.pop("datestamp", "2020-01-01"))
        self.sets = tuple(header.pop("sets", ()))
        self.about = bytes(header.pop("about", b""))
        self.more = header


def make_databases(folder: Path) -> None:
    """Make a store that knows the source laro, and an inbox."""
    store = open_store(folder, create=True, clock=HostClock(lambda: START, lambda: START, lambda: "b"))
    store.add_source(Source("laro", ADDRESS))
    store.close()
    open_inbox(folder, create=True).close()


class Harness:
    """One instance without its folder: what is sent to it is published when asked."""

    def __init__(self, folder: Path) -> None:
        """Take a folder with the databases."""
        self.folder = folder
        self.now = float(START)
        self.store = open_store(folder, clock=HostClock(lambda: self.now, lambda: self.now, lambda: "b"))
        self.inbox = open_inbox(folder)
        self.received_at = START

    def add(self, name: str) -> None:
        self.store.add_source(Source(name, ADDRESS))

    def facts(self, name: str = "laro", **more: Any) -> SourceFacts:
        return SourceFacts(name, ADDRESS, "gateway.example.org", **more)

    def send(
        self,
        *records: Sent,
        prefix: str = "oai_dc",
        source: str = "laro",
        repairs: tuple[str, ...] = (),
        begun: int | None = None,
        verb: str = "ListRecords",
    ) -> int:
        body, slices = b"", []
        for record in records:
            start, stop = len(body), len(body) + len(record.payload)
            abouts = ((stop, stop + len(record.about)),) if record.about else ()
            body += record.payload + record.about
            slices.append(
                Slice(
                    record.identifier,
                    record.datestamp,
                    record.sets,
                    record.is_deleted,
                    start,
                    stop,
                    abouts,
                    **record.more,
                )
            )
        page = RawPage(source, verb, ADDRESS, self.received_at, 200, (), body, prefix, "", b"", repairs, begun)
        return self.inbox.receive(page, slices, Cursor(source, prefix))

    def publish(self, name: str = "laro", **more: Any) -> Counts:
        facts = more.pop("facts", None) or self.facts(name)
        self.now += 1
        return publish_pending(self.store, self.inbox, name, facts, limit_pages=100, **more)

    def sent(self, *records: Sent, **more: Any) -> Counts:
        facts = more.pop("facts", None)
        self.send(*records, **more)
        return self.publish(str(more.get("source", "laro")), facts=facts)

    def state(self, upstream: str = "1", source: str = "laro") -> ItemState | None:
        return self.store.states(source, (upstream,)).get(upstream)

    def record(self, upstream: str = "1", prefix: str = "oai_dc", source: str = "laro") -> StoredRecord | None:
        with self.store.view() as view:
            return view.record(f"oai:gateway.example.org:{source}/{upstream}", prefix)

    def tree(self, upstream: str = "1", prefix: str = "oai_dc", source: str = "laro") -> etree._Element:
        """Return a record as a harvester sees it: inside our envelope."""
        content = self.record(upstream, prefix, source).content
        return etree.fromstring(b'<x xmlns="http://www.openarchives.org/OAI/2.0/">%b</x>' % content)[0]

    def sets(self, upstream: str = "1", prefix: str = "oai_dc") -> list[str]:
        return [element.text for element in self.tree(upstream, prefix).iter(f"{OAI}setSpec")]

    def listed(self, set_spec: str, prefix: str = "oai_dc") -> int:
        with self.store.view() as view:
            return len(view.page(Selection(prefix, set_spec), None, 100).records)

    def formats(self, upstream: str | None = None) -> list[str]:
        with self.store.view() as view:
            name = None if upstream is None else f"oai:gateway.example.org:laro/{upstream}"
            return [format_.metadata_prefix for format_ in view.formats(name)]

    def altered(self, prefix: str, upstream: str = "1") -> str:
        return next(self.tree(upstream, prefix).iter(f"{PROVENANCE}originDescription")).get("altered")
