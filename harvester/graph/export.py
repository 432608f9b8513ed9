"""The export of the graph: into a folder that appears when it is whole. Memory does not grow with the store.

`graph.json` in the folder says what it is: the format, the horizon, and how many nodes and relationships it has.
Everything that was published up to the horizon is in it, unless it changed later. It is read batch by batch,
each in a snapshot of its own, so that nothing waits. Items and files that are taken down are left out.
"""

import fcntl
import json
import os
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple, Protocol, Self

from gateway.core.addresses import address
from gateway.core.errors import ConfigurationError, GatewayError, StoreBusy
from gateway.core.model import Content, FileLink, Resource, Selection, Work
from gateway.core.names import source_of, upstream_identifier
from gateway.core.takedowns import Takedowns
from gateway.core.xmltext import escape, escape_attribute, utc_datetime
from gateway.fulltext.decisions import words
from gateway.fulltext.stored_search import parsed_search
from gateway.search.indexing import describe_all
from gateway.store.base import Discovery, Store, View
from harvester.graph.facts import Item, facts_of
from harvester.graph.ledger import Ledger
from harvester.graph.model import EDGES, NODES, Edge, Node, properties_of
from harvester.graph.tables import FILES as TABLES
from harvester.graph.tables import Tables
from harvester.runtime.durable_files import reporting_unwritable, sync, write_durably
from harvester.runtime.interrupts import Stop, StopAsked
from harvester.runtime.progress import Progress

MANIFEST = "graph.json"
GRAPHML = "graph.graphml"
FORMATS = ("neo4j", "graphml", "csv")
_LEDGER = "ledger.sqlite"
_TASK = "graph"
_OFTEN = 10_000  # candidates between two checks whether to stop
# What an export may leave when it is killed.
_OURS = frozenset((MANIFEST, _LEDGER, f"{_LEDGER}-journal", GRAPHML, *TABLES))

_BATCH = 500
_FORMAT = Selection("oai_dc")


class Batch(NamedTuple):
    """Some items, and the number of the last one of the batch."""

    last: int
    items: tuple[Item, ...]


class Reader:
    """The items of a store, with what the searches know of them; `discovery` is None if there were no searches."""

    def __init__(self, store: Store, discovery: Discovery | None) -> None:
        self._store, self._discovery = store, discovery

    def batches(self, until: int) -> Iterator[Batch]:
        """Yield all living items up to the number `until`, in the order of their numbers. Raise StoreError."""
        after = 0
        while after < until:
            with self._store.view() as view:
                resources = view.resources(_FORMAT, after, until, _BATCH)
                last = resources[-1].item if len(resources) == _BATCH else until
                yield Batch(last, tuple(self._items(view, resources, after, last)))
            after = last

    def _items(self, view: View, resources: tuple[Resource, ...], after: int, until: int) -> Iterator[Item]:
        contents: defaultdict[int, list[Content]] = defaultdict(list)
        for number, content in view.contents(after, until):
            contents[number].append(content)
        takedowns = self._store.takedowns()
        for resource in resources:
            record = view.record(resource.identifier, _FORMAT.metadata_prefix)
            if record is None or record.is_deleted:
                continue
            item = self._item(resource, _work(record.content), contents.get(resource.item, []))
            if takedowns.is_empty or not _is_down(item, takedowns):
                yield item if takedowns.is_empty else _without(item, takedowns)

    def _item(self, resource: Resource, work: Work, contents: list[Content]) -> Item:
        identifier = resource.identifier
        state = self._discovery.search(identifier) if self._discovery else None
        item = Item(identifier, resource.datestamp, work, state, contents=contents)
        if state is not None and self._discovery is not None:
            search = parsed_search(state)
            verdicts = words(self._discovery.decisions(identifier)) if search.get("candidates") else {}
            item = item._replace(
                search=search, verdicts={address(url): decision.verdict for url, decision in verdicts.items()}
            )
        checked = {address(candidate["url"]) for candidate in item.search.get("candidates", ())}
        is_unchecked = any(content.url not in checked for content in contents)
        return item._replace(held=self._held(identifier)) if is_unchecked else item

    def _held(self, identifier: str) -> tuple[FileLink, ...]:
        upstream = upstream_identifier(identifier)
        state = self._store.states(source_of(identifier), (upstream,)).get(upstream)
        return state.files if state else ()


def _work(record: bytes) -> Work:
    """Return the work of a record; one without statements if it cannot be read, as of one that is too large."""
    try:
        return describe_all(record)
    except GatewayError:
        return Work()


def _is_down(item: Item, takedowns: Takedowns) -> bool:
    upstream = upstream_identifier(item.identifier)
    return takedowns.names_item(item.identifier, source_of(item.identifier), upstream) or takedowns.names_work(
        upstream, item.work
    )


def _addresses(candidate: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the addresses of a stored candidate; an earlier release did not store all of them."""
    return (candidate["url"], candidate.get("final_url", ""), *candidate.get("hops", ()))


def _without(item: Item, takedowns: Takedowns) -> Item:
    """Return an item without the files that are taken down."""
    candidates = [
        candidate
        for candidate in item.search.get("candidates", ())
        if not takedowns.names_digest(candidate.get("sha256", ""))
        and not any(map(takedowns.names_address, _addresses(candidate)))
    ]
    contents = [
        content
        for content in item.contents
        if not takedowns.names_digest(content.sha256) and not takedowns.names_address(content.url)
    ]
    return item._replace(search={**item.search, "candidates": candidates}, contents=contents)


class Writer(Protocol):
    """Writes the files of one format. It is used in a `with` block."""

    @property
    def file_names(self) -> tuple[str, ...]:
        """The names of the files."""

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, /, *_: object) -> None: ...

    def node(self, label: str, node: Node) -> None:
        """Write a node."""

    def edge(self, type_: str, edge: Edge) -> None:
        """Write a relationship."""


class Exported(NamedTuple):
    """A finished export: its folder, format and horizon, and how many nodes and relationships of each kind it has."""

    folder: Path
    format: str
    horizon: str
    nodes: dict[str, int]
    relationships: dict[str, int]

    def facts(self) -> dict[str, object]:
        """Return the object of `harvester graph export --json`."""
        return {**self._asdict(), "folder": str(self.folder)}


def digest_of(takedowns: Takedowns) -> str:
    """Return a digest of the takedowns in force: another one means that a graph may have what is taken down since."""
    return sha256("\n".join(sorted(entry.key for entry in takedowns.entries)).encode("utf-8", "replace")).hexdigest()


def _writer(format_: str, folder: Path) -> Writer:
    return GraphMl(folder) if format_ == "graphml" else Tables(folder, for_people=format_ == "csv")


class Export:
    """One export. `discovery` is None if nothing was searched for yet."""

    def __init__(self, store: Store, discovery: Discovery | None, reporter: Progress, stop: Stop) -> None:
        self._store, self._discovery, self._reporter, self._stop = store, discovery, reporter, stop
        self._counts: Counter[str] = Counter()

    def write(self, folder: Path, format_: str) -> Exported:
        """Write the graph into a new folder.

        After an error, there is no folder. Raise ConfigurationError if the folder exists or cannot be made, and
        StoreUnwritable if the disk is full. Raise StopAsked if it is stopped, StoreBusy if something was taken down
        meanwhile, and another StoreError.
        """
        with self._store.view() as view:
            horizon, last = utc_datetime(view.horizon), view.last_item()
        digest = digest_of(self._store.takedowns())
        with _appearing(folder) as part, reporting_unwritable(part):
            with _writer(format_, part) as writer, Ledger(part / _LEDGER) as ledger:
                self._write_items(writer, ledger, last)
                self._write_shared(writer, ledger)
                names = writer.file_names
            (part / _LEDGER).unlink()
            if digest_of(self._store.takedowns()) != digest:
                raise StoreBusy("Something was taken down or restored during the export. Export again.")
            nodes, relationships = ({name: self._counts[name] for name in kinds} for kinds in (NODES, EDGES))
            exported = Exported(folder, format_, horizon, nodes, relationships)
            about = {**exported.facts(), "takedowns": digest, "files": names}
            about.pop("folder")
            for name in names:
                sync(part / name)
            write_durably(part / MANIFEST, (json.dumps(about, indent=1) + "\n").encode())
        return exported

    def _check(self) -> None:
        if self._stop.is_asked:
            raise StopAsked("The export was stopped; there is no folder.")

    def _write_items(self, writer: Writer, ledger: Ledger, last: int) -> None:
        for batch in Reader(self._store, self._discovery).batches(last):
            self._check()
            facts = [facts_of(item) for item in batch.items]
            ledger.add(one.shared for one in facts)
            for one in facts:
                for label, node in one.nodes:
                    writer.node(label, node)
                    self._counts[label] += 1
                for type_, edge in one.edges:
                    writer.edge(type_, edge)
                    self._counts[type_] += 1
            self._reporter.show(_TASK, batch.last, last)

    def _write_shared(self, writer: Writer, ledger: Ledger) -> None:
        for label, node in ledger.nodes():
            writer.node(label, node)
            self._counts[label] += 1
            self._check_often(label)
        for candidate in ledger.candidates():
            writer.edge("SAME_NAME", candidate)
            self._counts["SAME_NAME"] += 1
            self._check_often("SAME_NAME")

    def _check_often(self, kind: str) -> None:
        if self._counts[kind] % _OFTEN == 0:
            self._check()


@contextmanager
def _appearing(folder: Path) -> Iterator[Path]:
    """Make a folder beside `folder` that gets its name at the end of the block; after an exception it is removed.

    Raise ConfigurationError if `folder` exists or cannot be made, StoreBusy if another process exports there. Files of
    others are never deleted.
    """
    _refuse(folder)
    part = folder.with_name(f"{folder.name}.part")
    try:
        part.mkdir(parents=True, exist_ok=True)
        lock = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        raise ConfigurationError(f"{part} cannot be made: {error.strerror}.") from error
    try:
        with reporting_unwritable(part):
            _alone(lock, part)
            _clear(part)
        try:
            yield part
            _refuse(folder)
            with reporting_unwritable(folder):
                sync(part)
                part.rename(folder)
                sync(folder.parent)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise
    finally:
        os.close(lock)


def _refuse(folder: Path) -> None:
    """Raise ConfigurationError if something has this name, also a link that leads nowhere."""
    if os.path.lexists(folder):
        raise ConfigurationError(f"{folder} exists. Choose another folder; an export never replaces one.")


def _clear(part: Path) -> None:
    """Remove what an export left that was killed. Raise ConfigurationError if there is anything else."""
    left = list(part.iterdir())
    for file in left:
        if file.name not in _OURS or not file.is_file():
            raise ConfigurationError(
                f"{part} has files that no export wrote, such as {file.name}. Choose another folder, or move them."
            )
    for file in left:
        file.unlink()


def _alone(lock: int, part: Path) -> None:
    """Lock the folder. Raise StoreBusy if another export has it, or has just finished with it."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(lock), part.stat()):
            return
    except (BlockingIOError, FileNotFoundError):
        pass
    raise StoreBusy(f"Another export is being written to {part}.")


# --- Writes a graph as GraphML 1.0, one file: all nodes, then all relationships --------------------------------------

_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns" '
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns '
    'http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">\n'
)
_CHUNK = 1 << 20


class GraphMl:
    """The file of a graph in a folder. Use it in a `with` block."""

    file_names = (GRAPHML,)

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: IO[str]
        self._edges: IO[str]  # they follow all nodes
        self._keys: dict[str, list[str]] = {}

    def __enter__(self) -> Self:
        self._file = (self._folder / GRAPHML).open("w", encoding="utf-8", newline="")
        self._edges = TemporaryFile("w+", encoding="utf-8", newline="", dir=self._folder)
        self._file.write(_HEAD)
        self._write_keys()
        self._file.write('<graph id="graph" edgedefault="directed">\n')
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._file, self._edges:
            if kind is None:
                self._edges.seek(0)
                shutil.copyfileobj(self._edges, self._file, _CHUNK)
                self._file.write("</graph>\n</graphml>\n")

    def _write_keys(self) -> None:
        """Declare the properties: one key for all nodes that have it, and one for all relationships."""
        declared: dict[str, str] = {}
        kinds = [("node", "n", name, properties_of(fields), 0) for name, fields in NODES.items()]
        kinds += [("edge", "e", name, properties_of(row[0]), 2) for name, row in EDGES.items()]
        for element, letter in (("node", "n"), ("edge", "e")):
            name = "label" if element == "node" else "type"
            declared[f"{letter}.{name}"] = f'<key id="{letter}.{name}" for="{element}" attr.name="{name}" '
            declared[f"{letter}.{name}"] += 'attr.type="string"/>\n'
        for element, letter, kind, properties, first in kinds:
            self._keys[kind] = [f"{letter}.{field}" for field in properties][first:]
            for field, type_ in list(properties.items())[first:]:
                line = f'<key id="{letter}.{field}" for="{element}" attr.name="{field}" attr.type="{type_.graphml}"/>\n'
                declared.setdefault(f"{letter}.{field}", line)
        self._file.writelines(declared.values())

    def node(self, label: str, node: Node) -> None:
        """Write a node."""
        self._file.write(f'<node id="{_name(label, node.id)}"><data key="n.label">{label}</data>')
        self._file.write(self._data(label, node))
        self._file.write("</node>\n")

    def edge(self, type_: str, edge: Edge) -> None:
        """Write a relationship."""
        _, start, end = EDGES[type_]
        source, target = _name(start, edge[0]), _name(end, edge[1])
        self._edges.write(f'<edge source="{source}" target="{target}"><data key="e.type">{type_}</data>')
        self._edges.write(self._data(type_, edge[2:]))
        self._edges.write("</edge>\n")

    def _data(self, kind: str, values: tuple[object, ...]) -> str:
        pairs = zip(self._keys[kind], values, strict=True)
        return "".join(
            f'<data key="{key}">{_text(value)}</data>' for key, value in pairs if value is not None and value != ""
        )


def _name(label: str, identifier: str) -> str:
    return escape_attribute(f"{label}:{identifier}")


def _text(value: object) -> str:
    if isinstance(value, str):
        return escape(value).replace("\r", "&#13;")
    return str(value).lower() if isinstance(value, bool) else str(value)
