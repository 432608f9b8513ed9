"""The graph in LadybugDB: a file in the instance folder, made of an export as neo4j, and replaced as a whole.

LadybugDB is the extra `graph`. It is imported only here and in the process that runs a query.
"""

import fcntl
import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from gateway.core.errors import ConfigurationError, StoreBusy, StoreDamaged, StoreUnwritable
from harvester.graph.export import MANIFEST
from harvester.graph.model import EDGES, NODES, properties_of
from harvester.graph.tables import header
from harvester.runtime.durable_files import reporting_unwritable, sync
from harvester.runtime.interrupts import Stop, StopAsked
from harvester.runtime.progress import Progress

FOLDER = "graph"  # in the instance folder
_NAME = "graph.lbug"
ABOUT = "About"  # the node that says what the graph is
_MISSING = "LadybugDB is not installed. Install it: pip install 'oai-gateway[graph]'"
_MEMORY = 1 << 29  # bytes, for pages of the database
_POLL_SECONDS = 0.1
_LARGEST_MANIFEST = 1 << 20
_SHOWN = 300  # characters of a message of the engine


class Loaded(NamedTuple):
    """What was loaded: the horizon of the export, and how many nodes and relationships of each kind there are."""

    horizon: str
    nodes: dict[str, int]
    relationships: dict[str, int]


class Manifest(NamedTuple):
    """The `graph.json` of an export as neo4j."""

    folder: Path
    horizon: str
    takedowns: str
    nodes: dict[str, int]
    relationships: dict[str, int]


def place_of(instance: Path) -> Path:
    """Return the file of the graph in an instance folder."""
    return instance / FOLDER / _NAME


def library() -> Any:  # noqa: ANN401 - the library has no types of its own for this
    """Return the library. Raise ConfigurationError if it is not installed."""
    try:
        import ladybug  # noqa: PLC0415 - an extra, and slow to import
    except ImportError as error:
        raise ConfigurationError(_MISSING) from error
    return ladybug


def manifest_of(place: Path) -> Manifest:
    """Return the manifest of an export: `place` is its folder or its `graph.json`.

    Raise ConfigurationError if it is none, or not one as neo4j.
    """
    file = place / MANIFEST if place.is_dir() else place
    try:
        is_small = file.is_file() and file.stat().st_size <= _LARGEST_MANIFEST
        content = file.read_bytes() if is_small else b""
        about = json.loads(content)
        format_ = about["format"]
        values = Manifest(
            file.absolute().parent,
            str(about["horizon"]),
            str(about["takedowns"]),
            {name: int(about["nodes"][name]) for name in NODES},
            {name: int(about["relationships"][name]) for name in EDGES},
        )
        f"{values.horizon}{values.takedowns}".encode()  # the engine would fail at a lone surrogate
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise ConfigurationError(f"{place} is no export of a graph. Make one with `harvester graph export`.") from error
    if format_ != "neo4j":
        raise ConfigurationError(f"{place} is an export as {format_}. Only one as neo4j can be loaded.")
    return values


def load(instance: Path, manifest: Manifest, reporter: Progress, stop: Stop) -> Loaded:
    """Make the graph of an instance from an export; it replaces the former one when it is whole.

    Raise StoreDamaged if the export cannot be read, or has not what it says; StoreUnwritable; StopAsked; StoreBusy if
    another process loads a graph.
    """
    place = place_of(instance)
    new = place.with_name(f"{_NAME}.new")
    with reporting_unwritable(place):
        place.parent.mkdir(exist_ok=True)
        with _alone(place.parent):
            try:
                _remove(new)
                with _translated(new), _opened(new) as connection:
                    _fill(connection, manifest, reporter, stop)
                sync(new)
                new.replace(place)
                sync(place.parent)
            finally:
                _remove(new)
    return Loaded(manifest.horizon, manifest.nodes, manifest.relationships)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the lock of the folder of the graph. Raise StoreBusy if another process has it."""
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise StoreBusy("Another graph is being loaded. Wait until it is loaded.") from error
    finally:
        os.close(lock)


def _remove(new: Path) -> None:
    """Remove a database and what its engine writes beside it."""
    for file in new.parent.glob(f"{new.name}*"):
        file.unlink(missing_ok=True)


@contextmanager
def _translated(new: Path) -> Iterator[None]:
    """Raise StoreUnwritable when the engine cannot write its files: it names them, or it cannot even begin or end."""
    try:
        yield
    except RuntimeError as error:
        cause = " ".join(str(error).split())[-_SHOWN:].rstrip(".")  # it is at the end of a message of the engine
        raise StoreUnwritable(f"{new} cannot be written: {cause}. Is the disk full?") from error


@contextmanager
def _opened(place: Path) -> Iterator[Any]:
    ladybug = library()
    with ladybug.Database(str(place), buffer_pool_size=_MEMORY) as database, ladybug.Connection(database) as connection:
        yield connection


def _fill(connection: Any, manifest: Manifest, reporter: Progress, stop: Stop) -> None:  # noqa: ANN401
    rows = {**manifest.nodes, **manifest.relationships}
    done = 0
    folder = os.open(manifest.folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with ThreadPoolExecutor(1) as pool:
            for name in (*NODES, *EDGES):
                _check_columns(manifest.folder / f"{name}.csv", name)
                for statement in (_table(name), _copy(name, folder)):
                    running = pool.submit(connection.execute, statement)
                    while not wait_for((running,), _POLL_SECONDS).done:
                        if stop.is_asked:
                            connection.interrupt()
                    if stop.is_asked:
                        raise StopAsked("Loading was stopped; the former graph is unchanged.")
                    _raise(running.exception(), name)
                _compare(connection, name, rows[name])
                done += rows[name]
                reporter.show("graph", done, sum(rows.values()))
    finally:
        os.close(folder)
    connection.execute(f"CREATE NODE TABLE {ABOUT}(id STRING, horizon STRING, takedowns STRING, PRIMARY KEY(id))")
    connection.execute(
        f"CREATE (:{ABOUT} {{id: 'graph', horizon: $horizon, takedowns: $takedowns}})",
        {"horizon": manifest.horizon, "takedowns": manifest.takedowns},
    )


def _raise(error: BaseException | None, name: str) -> None:
    """Raise the error of a statement: as it is if the engine names a file of its own, else StoreDamaged."""
    if error is None:
        return
    if _NAME in str(error):
        raise error
    raise StoreDamaged(f"{name}.csv cannot be loaded: {str(error)[:_SHOWN]}") from error


def _check_columns(file: Path, name: str) -> None:
    """Raise StoreDamaged if a table of an export is no file, or does not begin with our header."""
    if not file.is_file():
        raise StoreDamaged(f"{file} is no file, so the export is not whole. Export again.")
    expected = ",".join(header(name)).encode() + b"\n"
    with file.open("rb") as stream:
        if stream.read(len(expected)) != expected:
            raise StoreDamaged(f"{file.name} has other columns than this release writes. Export again.")


def _table(name: str) -> str:
    if name in NODES:
        columns = [f"`{field}` {kind.ladybug}" for field, kind in properties_of(NODES[name]).items()]
        return f"CREATE NODE TABLE {name}({', '.join(columns)}, PRIMARY KEY(`id`))"
    fields, start, end = EDGES[name]
    columns = [f"`{field}` {kind.ladybug}" for field, kind in list(properties_of(fields).items())[2:]]
    return f"CREATE REL TABLE {name}({', '.join((f'FROM {start} TO {end}', *columns))})"


def _copy(name: str, folder: int) -> str:
    """Return the statement that reads a table of an open folder, whose path may have signs of patterns."""
    path = f"/proc/self/fd/{folder}/{name}.csv"
    return f"COPY {name} FROM '{path}' (HEADER=true, PARALLEL=false, QUOTE='\"', ESCAPE='\"')"


def _compare(connection: Any, name: str, announced: int) -> None:  # noqa: ANN401
    """Raise StoreDamaged if the table does not have as many rows as the export says."""
    pattern = f"MATCH (n:{name}) RETURN count(n)" if name in NODES else f"MATCH ()-[r:{name}]->() RETURN count(r)"
    count = connection.execute(pattern).get_next()[0]
    if count != announced:
        raise StoreDamaged(f"{name}.csv has {count} rows and not {announced}, as {MANIFEST} says. Export again.")
