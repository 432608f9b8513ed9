"""The export: counts, identifiers, headers, hostile values, and a folder that appears whole or not at all."""

import csv
import io
import json
import os
import signal
import subprocess
import time
from contextlib import closing
from pathlib import Path

import networkx as nx
import pytest
from lxml import etree

from gateway.core.errors import ConfigurationError, StoreBusy, StoreDamaged, StoreUnwritable
from gateway.core.instance_folder import Instance
from gateway.core.model import Selection
from gateway.core.statuses import Status
from harvester.cli import main
from harvester.graph import database
from harvester.graph import export as exporting
from harvester.graph.export import Export
from harvester.graph.facts import facts_of
from harvester.graph.model import EDGES, NODES, Author
from harvester.graph.tables import Tables
from harvester.runtime.interrupts import Stop, StopAsked
from harvester.runtime.progress import Errors
from tests import live
from tests.graph import gathered
from tests.graph.gathered import HOSTILE, WORKS, identifier
from tests.opening import open_discovery, open_store
from tests.rows import each_row

pytestmark = pytest.mark.slow  # it fills an instance

COUNTS = {"Publication": 7, "Author": 6, "Publisher": 5, "Subject": 4, "File": 3}
RELATIONSHIPS = {"WROTE": 7, "SAME_NAME": 2, "PUBLISHED_BY": 7, "HAS_SUBJECT": 6, "HAS_FILE": 3}


def _table(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_counts_of_the_graph_are_those_of_the_store(folder, export) -> None:
    made = export("neo4j")
    about = json.loads((made / "graph.json").read_text())
    assert (about["nodes"], about["relationships"]) == (COUNTS, RELATIONSHIPS)
    assert {name: len(_table(made, name)) for name in (*NODES, *EDGES)} == {**COUNTS, **RELATIONSHIPS}
    with closing(open_store(folder)) as store, store.view() as view:
        assert about["nodes"]["Publication"] == view.count(Selection("oai_dc")) - 1, "one is taken down"
        published = {content.url for _, content in view.contents(0, view.last_item())}
    files = _table(made, "File")
    assert {row["url:string"] for row in files if row["is_published:boolean"] == "true"} == published
    assert about["horizon"].startswith("20")


def test_what_is_taken_down_is_not_in_it(folder, export) -> None:
    everything = "".join(file.read_text("utf-8") for file in export("csv").iterdir())
    assert identifier("gone") not in everything
    assert "Withdrawn" not in everything
    gathered.done(folder, "takedown", "add", "https://files.example/low.pdf")
    gathered.done(folder, "takedown", "add", "ef" * 32)
    gathered.done(folder, "graph", "export", str(folder.parent / "later"), "--as", "neo4j")
    assert [row["url:string"] for row in _table(folder.parent / "later", "File")] == ["https://files.example/high.pdf"]


def test_headers_are_those_that_neo4j_admin_documents(export) -> None:
    """Operations Manual, Import, CSV file header format."""
    made = export("neo4j")
    heads = {name: (made / f"{name}.csv").read_text("utf-8").partition("\n")[0] for name in (*NODES, *EDGES)}
    assert heads["Author"] == "id:ID(Author),name:string,orcid:string"
    assert heads["WROTE"] == ":START_ID(Author),:END_ID(Publication),position:long"
    assert heads["HAS_FILE"] == ":START_ID(Publication),:END_ID(File)"
    for name, head in heads.items():
        first, *others = head.split(",")
        assert first == (f"id:ID({name})" if name in NODES else f":START_ID({EDGES[name][1]})")
        assert all(other.rpartition(":")[2] in ("string", "long", "double", "boolean", "date") or ":END_ID(" in other
                   for other in others)  # fmt: skip


def test_relationships_join_nodes_that_are_there(export) -> None:
    made = export("neo4j")
    ids = {label: {row[f"id:ID({label})"] for row in _table(made, label)} for label in NODES}
    assert {label: len(names) for label, names in ids.items()} == COUNTS, "no node is written twice"
    for type_, (_, start, end) in EDGES.items():
        for row in _table(made, type_):
            source, target, *_ = row.values()
            assert source in ids[start], type_
            assert target in ids[end], type_


def test_hostile_values_are_exact_for_programs_and_harmless_for_people(export) -> None:
    exact = {row["id:ID(Publication)"]: row["title:string"] for row in _table(export("neo4j"), "Publication")}
    assert exact[identifier("hostile")].startswith('=HYPERLINK("http://evil.example/","<b>')
    people = export("csv")
    cells = [cell for name in (*NODES, *EDGES) for row in _table(people, name) for cell in row.values()]
    assert cells
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert any(cell.startswith("'=cmd|") for cell in cells)
    assert any(cell.startswith("'@SUM") for cell in cells)


def test_graphml_is_well_formed_and_loads_with_networkx(export) -> None:
    file = export("graphml") / "graph.graphml"
    etree.parse(file)
    graph = nx.read_graphml(file)
    labels = [label for _, label in graph.nodes(data="label")]
    assert {label: labels.count(label) for label in NODES} == COUNTS
    types = [type_ for _, _, type_ in graph.edges(data="type")]
    assert {type_: types.count(type_) for type_ in EDGES} == RELATIONSHIPS
    reefs = graph.nodes[f"Publication:{identifier('reefs')}"]
    assert (reefs["title"], reefs["year"], reefs["has_file"]) == ("Coral reefs", 2025, False)
    assert graph.nodes[f"Publication:{identifier('hostile')}"]["title"].endswith("]]>")
    assert HOSTILE.endswith("]]>")


def test_folder_that_exists_is_never_replaced(folder, tmp_path) -> None:
    (tmp_path / "there").mkdir()
    result = gathered.called(main, folder, "graph", "export", str(tmp_path / "there"))
    assert result.exit_code == 2
    assert "exists" in result.stderr
    assert list((tmp_path / "there").iterdir()) == []
    (tmp_path / "file").write_text("")
    result = gathered.called(main, folder, "graph", "export", str(tmp_path / "file" / "below"))
    assert result.exit_code == 2


def _export(folder: Path, stop: Stop, target: Path, format_: str = "neo4j"):
    with (
        closing(open_store(folder)) as store,
        closing(open_discovery(folder)) as discovery,
        Path(os.devnull).open("w") as nowhere,
    ):
        return Export(store, discovery, Errors(nowhere), stop).write(target, format_)


@each_row("format_", exporting.FORMATS)
def test_stopped_export_leaves_nothing(folder, tmp_path, format_: str) -> None:
    stop = Stop()
    stop.ask()
    with pytest.raises(StopAsked):
        _export(folder, stop, tmp_path / "new", format_)
    assert not list(tmp_path.glob("new*"))


def test_export_during_which_something_is_taken_down_leaves_nothing(folder, tmp_path, monkeypatch) -> None:
    before = facts_of

    def taking_down(item):
        taken = gathered.called(main, folder, "takedown", "add", identifier("reefs"))
        assert taken.exit_code == Status.WITH_ERRORS, "the export reads an old state of the store"
        monkeypatch.setattr(exporting, "facts_of", before)
        return before(item)

    monkeypatch.setattr(exporting, "facts_of", taking_down)
    with pytest.raises(StoreBusy, match="during the export"):
        _export(folder, Stop(), tmp_path / "new")
    assert not list(tmp_path.glob("new*"))


def test_second_export_to_the_same_place_waits_for_nobody(folder, tmp_path) -> None:
    with exporting._appearing(tmp_path / "new"), pytest.raises(StoreBusy, match="Another export"):
        _export(folder, Stop(), tmp_path / "new")
    assert (tmp_path / "new").is_dir()
    with pytest.raises(ConfigurationError, match="exists"):
        _export(folder, Stop(), tmp_path / "new")


def test_export_deletes_no_files_of_others_beside_it(folder, tmp_path) -> None:
    kept = tmp_path / "new.part" / "Author.csv" / "thesis.txt"
    kept.parent.mkdir(parents=True)
    kept.write_text("ten years of work")
    with pytest.raises(ConfigurationError, match=r"new.part has files that no export wrote, such as .*Choose another"):
        _export(folder, Stop(), tmp_path / "new")
    assert kept.read_text() == "ten years of work"
    assert not (tmp_path / "new").exists()


def test_killed_export_leaves_no_folder_and_the_next_one_is_whole(folder, tmp_path) -> None:
    target = tmp_path / "new"
    line = live.command("harvester", folder, "graph", "export", str(target))
    with subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not (tmp_path / "new.part").exists():
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
    if not target.exists():
        gathered.done(folder, "graph", "export", str(target))
    assert json.loads((target / "graph.json").read_text())["nodes"] == COUNTS
    assert not (tmp_path / "new.part").exists()
    assert {file.name for file in target.iterdir()} == {"graph.json", *(f"{name}.csv" for name in (*NODES, *EDGES))}


def test_instance_that_never_searched_has_publications_without_searches(tmp_path, export, folder) -> None:
    (folder / "discovery.sqlite").unlink()
    Instance(folder).accept_losses()
    made = export("neo4j")
    publications = _table(made, "Publication")
    assert len(publications) == len(WORKS) - 1
    assert {row["searched_at:string"] for row in publications} == {""}
    files = _table(made, "File")
    assert {row["found_by:string"] for row in files} == {"unpaywall"}, "the record has what a search found"


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
