"""What `gateway rebuild` costs: nothing has changed, every mapping has changed, and the whole store is made anew.

The inbox is a harvested one. Minutes are those of a million items, extrapolated from fewer if `--records` says so.
The processor time beside them is that of all processes, user and system: other programs hardly change it.
"""

import json
import os
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from tests import live
from tests.bench.runs import ROOT, Done, Row, called, run, scratch
from tests.bench.source import serving

_MEASURED = 50_000  # records at most: their harvest takes a minute, and a rebuild needs the same time for each item
_MILLION = 1_000_000
_FORMATS = 2  # in which every item has a record
_MINUTES = 3.0
_PROCESSOR_MICROSECONDS = 360.0  # an item: three minutes of two processors
# What Python imports at the start of each process: a newer version of each mapping, which writes a space more. Its
# records are as plain as those of a real mapping; the search index reads a record with a comment at triple the cost.
_NEWER = """
from dataclasses import replace
from gateway import formats
from gateway.publish import batch, mapping, rebuild, source_facts

def spaced(content):
    before, end, name = content.rpartition(b"</")
    return before + b" " + end + name

def newer(format_):
    return replace(format_, version=format_.version + 1, write=lambda work: spaced(format_.write(work)))

known = {prefix: newer(format_) for prefix, format_ in formats.written().items()}
for module in (formats, batch, mapping, rebuild, source_facts):
    module.written = lambda: known
"""


def rows(records: int) -> Iterator[Row]:
    """Measure the three kinds of rebuild of one instance."""
    items = min(records, _MEASURED)
    with scratch() as place:
        with serving(items) as source:
            folder = live.instance(place / "instance", {"corpus": (source, ("oai_dc",))})
            called("harvester", folder, "run", "corpus")
        start = _cost(live.command("gateway", folder, "settings", "--json"), None)
        command = live.command("gateway", folder, "rebuild", "--json")
        unchanged = _cost(command, 0)
        anew = _cost([*command, "--from-inbox", "--anew"], items * _FORMATS)
        (place / "sitecustomize.py").write_text(_NEWER)
        changed = _cost(command, items * _FORMATS, {"PYTHONPATH": os.pathsep.join([str(place), str(ROOT)])})
    yield from _rows("gateway rebuild, when nothing has changed", unchanged, items, start.processors)
    yield from _rows("gateway rebuild, when every record has changed", changed, items, start.processors)
    yield from _rows("gateway rebuild --from-inbox --anew", anew, items, start.processors)


def _rows(what: str, cost: Done, items: int, start: float) -> Iterator[Row]:
    minutes = cost.seconds / items * _MILLION / 60
    microseconds = cost.processors / items * 1e6
    note = f"{items:,} items in {cost.seconds:.1f} s of the clock and {cost.processors:.1f} s of processors"
    busy = f"{os.cpu_count()} processors; load {os.getloadavg()[0]:.1f}"
    yield Row(f"{what}: a million items", minutes, _MINUTES, unit=" min", note=f"extrapolated from {note}; {busy}")
    note = f"of which the start of a program is {start / items * 1e6:.0f} µs"
    yield Row(f"{what}: processors, an item", microseconds, _PROCESSOR_MICROSECONDS, unit=" µs", note=note)


def _cost(line: list[str], changed: int | None, more: Mapping[str, str] = MappingProxyType({})) -> Done:
    """Run a command that changes so many records to its end; return what it cost with all its processes."""
    done = run(line, {**live.unmeasured(live.environment({})), **more})
    assert changed is None or json.loads(done.output)["changed_records"] == changed, done.output
    return done
