"""Writes a graph as tables: exactly for neo4j-admin and LadybugDB, or with harmless cells for people.

There is one file for each kind of node and of relationship. The first line is a header with types, as neo4j-admin reads
it. A text is in quotation marks, and a quotation mark in it is doubled; a value that is not known is empty without any.
Line breaks in a text stay, so readers must expect them.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Self

from gateway.core.normal_forms import harmless
from harvester.graph.model import EDGES, NODES, Edge, Node, properties_of

_MARK = '"'
FILES = tuple(f"{name}.csv" for name in (*NODES, *EDGES))  # nodes first


class Tables:
    """The files of a graph in a folder. Use it in a `with` block; `file_names` are those it writes."""

    def __init__(self, folder: Path, *, for_people: bool = False) -> None:
        self._folder = folder
        self._cell: Callable[[object], str] = _harmless if for_people else _exact
        self._for_people = for_people
        self._files: dict[str, IO[str]] = {}
        self._open = ExitStack()

    @property
    def file_names(self) -> tuple[str, ...]:
        """The names of the files, nodes first."""
        return FILES

    def __enter__(self) -> Self:
        for name in (*NODES, *EDGES):
            file = (self._folder / f"{name}.csv").open("w", encoding="utf-8", newline="")
            self._files[name] = self._open.enter_context(file)
            file.write(",".join(header(name, for_people=self._for_people)) + "\n")
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def node(self, label: str, node: Node) -> None:
        """Write a node."""
        self._files[label].write(",".join([self._cell(value) for value in node]) + "\n")

    def edge(self, type_: str, edge: Edge) -> None:
        """Write a relationship."""
        self._files[type_].write(",".join([self._cell(value) for value in edge]) + "\n")


def header(name: str, *, for_people: bool = False) -> Iterator[str]:
    """Yield the cells of the header of a kind of node or relationship."""
    if name in NODES:
        for place, (field, kind) in enumerate(properties_of(NODES[name]).items()):
            yield f"{field}:ID({name})" if place == 0 and not for_people else f"{field}:{kind.neo4j}"
        return
    fields, start, end = EDGES[name]
    roles = (f":START_ID({start})", f":END_ID({end})")
    for place, (field, kind) in enumerate(properties_of(fields).items()):
        yield roles[place] if place < len(roles) and not for_people else f"{field}:{kind.neo4j}"


def _exact(value: object) -> str:
    if value == "" or value is None:
        return ""
    if isinstance(value, str):
        return f'"{value.replace(_MARK, _MARK * 2)}"' if _MARK in value else f'"{value}"'
    return str(value).lower() if isinstance(value, bool) else str(value)


def _harmless(value: object) -> str:
    """Return a cell without line breaks, which no program takes for a formula."""
    return _exact(harmless(value) if isinstance(value, str) else value)
