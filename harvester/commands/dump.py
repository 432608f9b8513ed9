"""`harvester dump`: a repository in one file, without an instance."""

import sys
from pathlib import Path

import click

from gateway.core.program import write_json
from gateway.core.settings import instance_folder, load
from harvester.commands import options
from harvester.commands.output import is_json, with_json
from harvester.dump.dump import Dump, File, Order, Stream
from harvester.harvest.access import fetcher, kind_of, with_address
from harvester.harvest.instance import at_prompt
from harvester.harvest.sources_toml import entry_from
from harvester.runtime.exit_status import status_of_end
from harvester.runtime.interrupts import Stop, listening
from harvester.runtime.progress import progress


@click.command()
@click.argument("url")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@options.list_options
@options.date_options
@options.access_options
@options.option("--delay", "delay_seconds", "Seconds between two requests.", type=options.FiniteRange(min=0))
@options.flag("--restart", "Discard an interrupted dump to this file and begin again.")
@with_json
def dump(ctx: click.Context, /, url: str, file: Path, restart: bool, **given: options.Given) -> None:
    """Harvest a repository into one XML file.

    FILE `-` is stdout. After an interruption, the same command continues: FILE.part has the records so far, FILE.state
    the position. A dump to stdout always begins again. The command needs no instance folder.
    """
    table = options.access_table(url, given)
    if given["delay_seconds"] is not None:
        table["delay_seconds"] = given["delay_seconds"]
    entry = with_address(entry_from("dump", table))
    order = Order(entry.url, given["formats"] or ("oai_dc",), given["sets"], given["from_"], given["until"])
    sink = Stream(sys.stdout.buffer) if str(file) == "-" else File(file, restart=restart)
    settings = at_prompt(load(instance_folder(ctx.obj)))
    with listening(Stop()) as stop, progress() as reporter, fetcher(settings, entry, stop) as fetch:
        work = Dump(order, kind_of(entry.kind), fetch, sink, reporter, stop)
        is_finished = work.whole()
        for problem in work.problems:
            reporter.say(problem)
        verdict = "finished, and not shown to be whole" if work.problems else "the file is whole"
        reporter.say(f"{work.place.records} records; {verdict if is_finished else 'stopped, not whole yet'}.")
    if is_json() and str(file) != "-":
        write_json({"records": work.place.records, "is_finished": is_finished, "problems": work.problems})
    ctx.exit(int(status_of_end(has_findings=bool(work.problems), is_stopped=not is_finished)))
