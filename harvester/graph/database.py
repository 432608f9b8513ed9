"""The graph in LadybugDB: a file in the instance folder, made of an export as neo4j, and replaced as a whole.

LadybugDB is the extra `graph`. It is imported only here and in the process that runs a query.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from gateway.errors import ConfigurationError, StoreDamaged, StoreUnwritable
from harvester.graph.export import MANIFEST
from harvester.graph.model import EDGES, NODES, properties_of
from harvester.runtime.durable_files import sync
from harvester.runtime.interrupts import Stop, StopAsked
from harvester.runtime.progress import Progress

FOLDER = "graph"  # in the instance folder
_NAME = "graph.lbug"
ABOUT = "About"  # the node that says what the graph is
_MISSING = "LadybugDB is not installed. Install it: pip install 'oai-gateway[graph]'"
_MEMORY = 1 << 29  # bytes, for pages of the database
_GLANCE_SECONDS = 0.1
_LARGEST_MANIFEST = 1 << 20


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
        content = file.read_bytes() if file.stat().st_size <= _LARGEST_MANIFEST else b""
        about = json.loads(content)
        format_ = about["format"]
        values = Manifest(
            file.absolute().parent,
            str(about["horizon"]),
            str(about["takedowns"]),
            {name: int(about["nodes"][name]) for name in NODES},
            {name: int(about["relationships"][name]) for name in EDGES},
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise ConfigurationError(f"{place} is no export of a graph. Make one with `harvester graph export`.") from error
    if format_ != "neo4j":
        raise ConfigurationError(f"{place} is an export as {format_}. Only one as neo4j can be loaded.")
    return values


def load(instance: Path, manifest: Manifest, reporter: Progress, stop: Stop) -> Loaded:
    """Make the graph of an instance from an export; it replaces the former one when it is whole.

    Raise StoreDamaged if the export cannot be read, or has not what it says; StoreUnwritable; StopAsked.
    """
    place = place_of(instance)
    new = place.with_name(f"{_NAME}.new")
    try:
        place.parent.mkdir(exist_ok=True)
        _remove(new)
        with _opened(new) as connection:
            _fill(connection, manifest, reporter, stop)
        sync(new)
        new.replace(place)
        sync(place.parent)
    except OSError as error:
        raise StoreUnwritable(f"{error.filename or place} cannot be written: {error.strerror}.") from error
    finally:
        _remove(new)
    return Loaded(manifest.horizon, manifest.nodes, manifest.relationships)


def _remove(new: Path) -> None:
    """Remove a database and what its engine writes beside it."""
    for file in new.parent.glob(f"{new.name}*"):
        file.unlink(missing_ok=True)


@contextmanager
def _opened(place: Path) -> Iterator[Any]:
    ladybug = library()
    with ladybug.Database(str(place), buffer_pool_size=_MEMORY) as database, ladybug.Connection(database) as connection:
        yield connection


def _fill(connection: Any, manifest: Manifest, reporter: Progress, stop: Stop) -> None:  # noqa: ANN401
    rows = {**manifest.nodes, **manifest.relationships}
    done = 0
    with ThreadPoolExecutor(1) as pool:
        for name in (*NODES, *EDGES):
            for statement in (_table(name), _copy(name, manifest.folder)):
                running = pool.submit(connection.execute, statement)
                while not wait_for((running,), _GLANCE_SECONDS).done:
                    if stop.is_asked:
                        connection.interrupt()
                if stop.is_asked:
                    raise StopAsked("Loading was stopped; the former graph is unchanged.")
                if error := running.exception():
                    raise StoreDamaged(f"{name}.csv cannot be loaded: {str(error)[:300]}") from error
            _compare(connection, name, rows[name])
            done += rows[name]
            reporter.show("graph", done, sum(rows.values()))
    connection.execute(f"CREATE NODE TABLE {ABOUT}(id STRING, horizon STRING, takedowns STRING, PRIMARY KEY(id))")
    connection.execute(
        f"CREATE (:{ABOUT} {{id: 'graph', horizon: $horizon, takedowns: $takedowns}})",
        {"horizon": manifest.horizon, "takedowns": manifest.takedowns},
    )


def _table(name: str) -> str:
    if name in NODES:
        columns = [f"`{field}` {kind.ladybug}" for field, kind in properties_of(NODES[name]).items()]
        return f"CREATE NODE TABLE {name}({', '.join(columns)}, PRIMARY KEY(`id`))"
    fields, start, end = EDGES[name]
    columns = [f"`{field}` {kind.ladybug}" for field, kind in list(properties_of(fields).items())[2:]]
    return f"CREATE REL TABLE {name}({', '.join((f'FROM {start} TO {end}', *columns))})"


def _copy(name: str, folder: Path) -> str:
    path = str(folder / f"{name}.csv").replace("\\", "\\\\").replace("'", "\\'")
    return f"COPY {name} FROM '{path}' (HEADER=true, PARALLEL=false, QUOTE='\"', ESCAPE='\"')"


def _compare(connection: Any, name: str, announced: int) -> None:  # noqa: ANN401
    """Raise StoreDamaged if the table does not have as many rows as the export says."""
    pattern = f"MATCH (n:{name}) RETURN count(n)" if name in NODES else f"MATCH ()-[r:{name}]->() RETURN count(r)"
    count = connection.execute(pattern).get_next()[0]
    if count != announced:
        raise StoreDamaged(f"{name}.csv has {count} rows and not {announced}, as {MANIFEST} says. Export again.")
