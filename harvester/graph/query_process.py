"""The process that runs one query: it can compute and read the file of the graph, and nothing else.

It gets the query on stdin, and the path of the graph and the limits as arguments. It writes one JSON object per line:
`about`, `columns`, and each `row`. The last one is `more` if there are more rows than it may write, or `error` if the
query failed.
"""

import json
import math
import os
import resource
import signal
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from gateway.core import sandbox

_POOL = 1 << 30  # bytes, for pages of the database and for what is joined and sorted
_LEAST_SPACE = 1 << 30  # bytes of address space for the file
_BESIDE = 3 << 29  # bytes of address space for everything else: what a query computes
_TO_INTERRUPT = 1.0  # seconds, until the kernel ends a query that the engine should have interrupted
_MOST_OUTPUT = 1 << 26  # bytes
_PLACES = ("_ID", "_SRC", "_DST")  # places in the file, which mean nothing outside


def main() -> int:
    """Run the query, and end without returning: the engine's own cleaning cannot be relied on."""
    place, most_rows, seconds = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    query = sys.stdin.buffer.read().decode()
    written = 0
    for answer in _answers(place, query, most_rows, seconds):
        line = json.dumps(answer, ensure_ascii=True)
        written += len(line) + 1
        if written > _MOST_OUTPUT:
            line = json.dumps({"more": True})
        sys.stdout.write(f"{line}\n")
        if written > _MOST_OUTPUT:
            break
    sys.stdout.flush()
    os._exit(0)


def _answers(place: Path, query: str, most_rows: int, seconds: float) -> Iterator[dict[str, Any]]:
    import ladybug as engine  # noqa: PLC0415 - an extra

    ladybug: Any = engine
    ladybug.get_pybind_module()  # before the sandbox, which cannot read it
    space = max(_LEAST_SPACE, 1 << (2 * place.stat().st_size).bit_length())
    _limit(space + _BESIDE, math.ceil(seconds) + 1)
    signal.setitimer(signal.ITIMER_REAL, seconds + _TO_INTERRUPT)  # the engine cannot interrupt all that it does
    sandbox.enter([sandbox.standard_library(), place], with_threads=True)
    try:
        database = ladybug.Database(
            str(place), read_only=True, buffer_pool_size=_POOL, max_num_threads=1, max_db_size=space, backend="pybind"
        )
        connection = ladybug.Connection(database)
        yield {"about": connection.execute("MATCH (a:About) RETURN a.horizon, a.takedowns").get_next()}
        connection.set_query_timeout(int(seconds * 1000))
        result = connection.execute(query)
        yield {"columns": result.get_column_names()}
        for _ in range(most_rows):
            if not result.has_next():
                return
            yield {"row": [_plain(value) for value in result.get_next()]}
        if result.has_next():
            yield {"more": True}
    except (RuntimeError, MemoryError, AttributeError, ValueError) as error:
        yield {"error": str(error)[:500] or type(error).__name__}


def _limit(space: int, seconds: int) -> None:
    for kind, most in (
        (resource.RLIMIT_AS, space),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))


def _plain(value: object) -> object:
    """Return a value as JSON has it."""
    if isinstance(value, dict):
        is_node = "_LABEL" in value  # which has the properties of all labels in the query
        shown = ((name, inner) for name, inner in value.items() if name not in _PLACES)
        return {str(name): _plain(inner) for name, inner in shown if not (is_node and inner is None)}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if isinstance(value, Decimal):  # a sum of whole numbers too
        return int(value) if value.is_finite() and value == value.to_integral_value() else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)
