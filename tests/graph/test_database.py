"""Loading an export: wherever it lies, whatever is wrong with it, and whoever loads at the same time."""

import io
import json
from pathlib import Path

import pytest

from gateway.core.errors import StoreBusy, StoreDamaged, StoreUnwritable
from harvester.graph import database
from harvester.graph.model import EDGES, NODES, Author
from harvester.graph.tables import Tables
from harvester.runtime.interrupts import Stop
from harvester.runtime.progress import Errors
from tests.rows import each_row

pytestmark = pytest.mark.slow  # it starts LadybugDB


def _exported(folder: Path) -> Path:
    """Write an export with one author."""
    folder.mkdir(parents=True)
    with Tables(folder) as writer:
        writer.node("Author", Author("1", "Doe, Jane"))
    about = {"format": "neo4j", "horizon": "2026-11-26T00:00:00Z", "takedowns": ""}
    kinds = {"nodes": dict.fromkeys(NODES, 0) | {"Author": 1}, "relationships": dict.fromkeys(EDGES, 0)}
    (folder / "graph.json").write_text(json.dumps({**about, **kinds}))
    return folder


def _load(instance: Path, export: Path) -> database.Loaded:
    instance.mkdir(exist_ok=True)
    return database.load(instance, database.manifest_of(export), Errors(io.StringIO()), Stop())


def test_export_with_other_columns_is_not_loaded(tmp_path) -> None:
    """Columns are read by their order, so those of another release would be mixed up."""
    export = _exported(tmp_path / "export")
    (export / "Author.csv").write_text('id:ID(Author),orcid:string,name:string\n"1","x","y"\n')
    with pytest.raises(StoreDamaged, match=r"Author.csv has other columns than .* Export again"):
        _load(tmp_path / "instance", export)


def test_second_load_does_not_touch_the_first(tmp_path) -> None:
    export = _exported(tmp_path / "export")
    _load(tmp_path / "instance", export)
    place = database.place_of(tmp_path / "instance")
    new = place.with_name("graph.lbug.new")
    with database._alone(place.parent):
        new.write_text("the first one writes this")
        with pytest.raises(StoreBusy, match="Another graph is being loaded"):
            _load(tmp_path / "instance", export)
        assert new.read_text() == "the first one writes this"
    _load(tmp_path / "instance", export)
    assert not new.exists()


@each_row("statement", ["CREATE NODE", "COPY", "CREATE (:About"])
def test_disk_that_is_full_is_not_blamed_on_the_export(tmp_path, monkeypatch, statement: str) -> None:
    """The engine writes at every statement, and names the file that it cannot write."""

    class Full:
        def execute(self, text: str, *_: object) -> None:
            if text.startswith(statement):
                raise RuntimeError(f"Committed. {'x' * 300} IO exception: Cannot write. path: /i/graph.lbug.new")

        def interrupt(self) -> None: ...

    monkeypatch.setattr(database, "_compare", lambda *_: None)
    manifest = database.manifest_of(_exported(tmp_path / "export"))
    new = tmp_path / "graph.lbug.new"
    with pytest.raises(StoreUnwritable, match=r"graph.lbug.new cannot be written.* full"), database._translated(new):
        database._fill(Full(), manifest, Errors(io.StringIO()), Stop())
