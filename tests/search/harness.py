"""A store and its search index, with the short ways of a test to publish records and to search."""

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from xml.sax.saxutils import escape

from gateway.core.model import Format, ItemChange, Publication, Record, Source
from gateway.core.xmltext import DC, OAI_DC, XSI
from gateway.search.base import Query, Results
from gateway.search.following import IndexKeeper
from gateway.search.indexing import describe
from gateway.search.sqlite_reader import open_search
from gateway.store.base import Store
from tests.clocks import Clocks
from tests.opening import open_store

_OPENING = (
    f'<oai_dc:dc xmlns:oai_dc="{OAI_DC}" xmlns:dc="{DC}" xmlns:xsi="{XSI}" '
    f'xsi:schemaLocation="{OAI_DC} http://www.openarchives.org/OAI/2.0/oai_dc.xsd">'
)


def record_of(identifier: str, specs: Iterable[str], statements: Iterable[tuple[str, str]]) -> bytes:
    """Return a published record in oai_dc with these statements."""
    sets = "".join(f"<setSpec>{spec}</setSpec>" for spec in specs)
    body = "".join(f"<dc:{element}>{escape(text)}</dc:{element}>" for element, text in statements)
    header = f"<header><identifier>{escape(identifier)}</identifier><datestamp>x</datestamp>{sets}</header>"
    return f"<record>{header}<metadata>{_OPENING}{body}</oai_dc:dc></metadata></record>".encode("utf-8", "replace")


def change_of(
    name: str,
    *,
    source: str = "laro",
    specs: tuple[str, ...] = ("source:laro",),
    is_deleted: bool = False,
    is_withheld: bool = False,
    **statements: str | tuple[str, ...],
) -> ItemChange:
    """Return a change of an item; the other arguments are its Dublin Core statements."""
    identifier = f"oai:gateway.example.org:{source}/{name}"
    pairs = [
        (element, text)
        for element, texts in statements.items()
        for text in ((texts,) if isinstance(texts, str) else texts)
    ]
    content = b"<record><header></header></record>" if is_deleted else record_of(identifier, specs, pairs)
    digest = blake2b(content, digest_size=16).digest()
    records = tuple(Record(prefix, digest, is_deleted, content) for prefix in ("oai_dc", "oai_didl"))
    return ItemChange(name, identifier, is_deleted, specs, (), records, is_withheld)


def make_store(folder: Path, clocks: Clocks) -> None:
    """Make a store with two sources and our formats."""
    with closing(open_store(folder, create=True, clock=clocks.host())) as store:
        for name in ("laro", "other"):
            store.add_source(Source(name, f"https://{name}.example.org/oai"))
        for prefix in ("oai_dc", "oai_didl"):
            store.add_format(Format(prefix, f"{prefix}.xsd", f"urn:{prefix}"))


@dataclass
class Harness:
    """An instance folder with a store, and an index that follows it when a test says so."""

    folder: Path
    clocks: Clocks
    store: Store
    keeper: IndexKeeper = field(init=False)

    def __post_init__(self) -> None:
        self.keeper = IndexKeeper(self.folder, describe)

    def publish(self, *changes: ItemChange, source: str = "laro") -> None:
        """Publish, a second later, without the index."""
        self.clocks.pass_seconds(1)
        self.store.publish(self.store.intend(), Publication(source, changes))

    def follow(self, keeper: IndexKeeper | None = None) -> None:
        """Complete the index."""
        while not (keeper or self.keeper).advance(self.store):
            pass

    def add(self, *changes: ItemChange, source: str = "laro") -> None:
        """Publish, and complete the index."""
        self.publish(*changes, source=source)
        self.follow()

    def search(self, text: str = "", **more: object) -> Results:
        """Return the results of a query."""
        return open_search(self.folder).search(Query(text, **more))  # type: ignore[arg-type]

    def names(self, text: str = "", **more: object) -> list[str]:
        """Return the upstream identifiers of the results."""
        return [identifier.partition("/")[2] for identifier in self.search(text, **more).identifiers]


Make = Callable[..., ItemChange]
