"""`harvester graph`: export what was gathered as a property graph, load it into LadybugDB, and query it."""

import gc
import os
from collections import Counter
from pathlib import Path

import click

from gateway.core.errors import ConfigurationError
from gateway.core.program import say, write_json
from gateway.core.settings import instance_folder, load
from harvester.commands.options import option
from harvester.commands.output import in_words, is_json, with_json, write_facts, write_table
from harvester.graph import database
from harvester.graph.export import FORMATS, Export
from harvester.graph.query import MOST_ROWS, ask
from harvester.harvest.instance import opened
from harvester.runtime.interrupts import Stop, listening
from harvester.runtime.progress import progress

# Between two searches for cycles of objects: an export makes none, and they took a sixth of its time.
_OBJECTS = 100_000
_WIDEST = 200  # characters of a cell in the table for people


@click.group()
def graph() -> None:
    """Export what was gathered as a property graph, load it, and query it.

    Its nodes are authors, publications, publishers, subjects and files. It is derived from the store, and says up to
    which moment. Items and files that are taken down are not in it.
    """


@graph.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@option("--as", "format_", "The format.", type=click.Choice(FORMATS), default="neo4j", show_default=True)
@with_json
def export(ctx: click.Context, folder: Path, format_: str) -> None:
    """Write the graph into a new folder.

    DIR appears when the export is whole. `neo4j` has tables with the headers that neo4j-admin imports, `graphml` one
    file, `csv` tables for people, whose cells are no formulas.
    """
    gc.set_threshold(_OBJECTS)
    with listening(Stop()) as stop, progress() as reporter, opened(ctx.obj, only_reads=True) as instance:
        discovery = instance.discovery() if instance.has_searched else None
        exported = Export(instance.store, discovery, reporter, stop).write(Path(os.path.abspath(folder)), format_)  # noqa: PTH100 - without `..`
    write_facts(exported.facts())


@graph.command("load")
@click.argument("file", type=click.Path(path_type=Path, exists=True), metavar="FILE")
@with_json
def load_graph(ctx: click.Context, file: Path) -> None:
    """Load an export as neo4j into LadybugDB.

    FILE is the graph.json of the export, or its folder. The new graph replaces the former one when it is whole.
    """
    settings = load(instance_folder(ctx.obj))
    manifest = database.manifest_of(file)
    with listening(Stop()) as stop, progress() as reporter:
        loaded = database.load(settings.instance, manifest, reporter, stop)
    write_facts(loaded._asdict())


@graph.command()
@click.argument("text", metavar="QUERY")
@with_json
def query(ctx: click.Context, text: str) -> None:
    """Answer a question in Cypher about the loaded graph, such as "MATCH (p:Publication) RETURN count(p)".

    Only questions are allowed. A query has 10 seconds and 10,000 rows.
    """
    with opened(ctx.obj, only_reads=True) as instance:
        answer = ask(instance.folder, text, instance.store.takedowns())
    if is_json():
        if doubled := [name for name, count in Counter(answer.columns).items() if count > 1]:
            raise ConfigurationError(f"Several columns are called {doubled[0]}. Give each a name of its own with AS.")
        for row in answer.rows:
            write_json({"row": dict(zip(answer.columns, row, strict=True))})
    else:
        write_table([[_cell(value) for value in row] for row in (answer.columns, *answer.rows)])
    if answer.has_more:
        say(
            f"There are more rows; the first {len(answer.rows):,} are shown. "
            f"An answer never has more than {MOST_ROWS:,} rows or 64 MiB."
        )
    say(f"The graph is that of {answer.horizon}.")


def _cell(value: object) -> str:
    text = in_words(value)
    return text if len(text) <= _WIDEST else f"{text[:_WIDEST]} …"
