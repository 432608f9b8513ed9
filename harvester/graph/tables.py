"""Writes a graph: as tables, exactly for neo4j-admin and LadybugDB or with harmless cells for people; or as GraphML.

There is one table for each kind of node and of relationship. The first line is a header with types, as neo4j-admin
reads it. A text is in quotation marks, and a quotation mark in it is doubled; a value that is not known is empty
without any. Line breaks in a text stay, so readers must expect them.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Self

from gateway.core.normal_forms import harmless
from gateway.core.xmltext import escape, escape_attribute
from harvester.graph.model import EDGES, NODES, Edge, Node, properties_of

_MARK = '"'
GRAPHML = "graph.graphml"


class Tables:
    """The files of a graph in a folder. Use it in a `with` block; `file_names` are those it writes, nodes first."""

    file_names = tuple(f"{name}.csv" for name in (*NODES, *EDGES))

    def __init__(self, folder: Path, *, for_people: bool = False) -> None:
        self._folder = folder
        self._cell: Callable[[object], str] = _harmless if for_people else _exact
        self._for_people = for_people
        self._files: dict[str, IO[str]] = {}
        self._open = ExitStack()

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


# --- GraphML 1.0, one file: all nodes, then all relationships ---------------------------------------------------------

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
