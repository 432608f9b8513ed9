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
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from gateway.core.addresses import address
from gateway.core.errors import ConfigurationError, GatewayError, StoreBusy
from gateway.core.model import Content, FileLink, Resource, Selection, Work
from gateway.core.names import source_of, upstream_identifier
from gateway.core.takedowns import Takedowns
from gateway.core.working_file import WorkingFile, load_file
from gateway.core.xmltext import utc_datetime
from gateway.fulltext.decisions import words
from gateway.fulltext.stored_search import parsed_search
from gateway.search.indexing import describe_all
from gateway.store.base import Discovery, Store, View
from harvester.graph.facts import Item, Shared, facts_of
from harvester.graph.model import EDGES, NODES, Author, Node, Publisher, SameName, Subject
from harvester.graph.tables import GRAPHML, GraphMl, Tables
from harvester.runtime.durable_files import reporting_unwritable, sync, write_durably
from harvester.runtime.interrupts import Stop, StopAsked
from harvester.runtime.progress import Progress

MANIFEST = "graph.json"
FORMATS = ("neo4j", "graphml", "csv")
_LEDGER = "ledger.sqlite"
_TASK = "graph"
_OFTEN = 10_000  # nodes or relationships between two checks whether to stop
# What an export may leave when it is killed.
_OURS = frozenset((MANIFEST, _LEDGER, f"{_LEDGER}-journal", GRAPHML, *Tables.file_names))

_Value = TypeVar("_Value")
_BATCH = 500
_FORMAT = Selection("oai_dc")


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


_SQL = load_file(Path(__file__).with_name("ledger.sql"))


class Ledger(WorkingFile):
    """What is the same node in many publications: in a temporary file and not in memory.

    Use it in a `with` block. Its methods raise StoreError when the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(Path(__file__).with_name("ledger_schema.sql").read_text("utf-8"), path)

    def add(self, shared: Iterable[Shared]) -> None:
        """Note what some publications share."""
        rows = tuple(shared)
        publishers = [(one.publisher, one.searched_at) for one in rows if one.publisher]
        with self._writing() as database:
            database.executemany(_SQL["person_add"], (person[:2] for one in rows for person in one.persons))
            database.executemany(_SQL["subject_add"], (subject for one in rows for subject in one.subjects))
            database.executemany(_SQL["namesake_add"], (pair for one in rows for pair in one.namesakes))
            database.executemany(
                _SQL["publisher_add"], ((publisher.id, at, json.dumps(publisher)) for publisher, at in publishers)
            )

    def nodes(self) -> Iterator[tuple[str, Node]]:
        """Yield (label, node) of every shared node, once."""
        for orcid, name in self._walked(_SQL["persons"]):
            yield "Author", Author(orcid, name, orcid)
        for (fields,) in self._walked(_SQL["publishers"]):
            yield "Publisher", Publisher(*json.loads(fields))
        for row in self._walked(_SQL["subjects"]):
            yield "Subject", Subject(*row)

    def candidates(self) -> Iterator[SameName]:
        """Yield the relationships between authors of the same name, as chains."""
        for (key, author), (other_key, other) in pairwise(self._walked(_SQL["namesakes"])):
            if key == other_key:
                yield SameName(author, other, key)


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
            kind = GraphMl(part) if format_ == "graphml" else Tables(part, for_people=format_ == "csv")
            with kind as writer, Ledger(part / _LEDGER) as ledger:
                self._write_items(writer, ledger, last)
                self._put(writer.node, ledger.nodes())
                self._put(writer.edge, (("SAME_NAME", candidate) for candidate in ledger.candidates()))
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

    def _write_items(self, writer: Tables | GraphMl, ledger: Ledger, last: int) -> None:
        for number, items in self._batches(last):
            self._check()
            facts = [facts_of(item) for item in items]
            ledger.add(one.shared for one in facts)
            for one in facts:
                self._put(writer.node, one.nodes)
                self._put(writer.edge, one.edges)
            self._reporter.show(_TASK, number, last)

    def _put(self, write: Callable[[str, _Value], None], values: Iterable[tuple[str, _Value]]) -> None:
        """Write nodes or relationships, and count them."""
        for kind, value in values:
            write(kind, value)
            self._counts[kind] += 1
            if self._counts[kind] % _OFTEN == 0:
                self._check()

    # -- the items of the store --

    def _batches(self, until: int) -> Iterator[tuple[int, tuple[Item, ...]]]:
        """Yield all living items up to the number `until`, in batches with their last number. Raise StoreError."""
        after = 0
        while after < until:
            with self._store.view() as view:
                resources = view.resources(_FORMAT, after, until, _BATCH)
                last = resources[-1].item if len(resources) == _BATCH else until
                yield last, tuple(self._items(view, resources, after, last))
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
