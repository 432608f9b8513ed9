"""Runs a query on the graph of an instance, in a process with limits: read-only, 10 seconds, 10,000 rows."""

import json
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from gateway.core import children, sandbox
from gateway.core.errors import ConfigurationError, StoreBusy, StoreDamaged
from gateway.core.takedowns import Takedowns
from gateway.core.xmltext import is_legal
from harvester.graph import query_process
from harvester.graph.database import library, place_of
from harvester.graph.export import digest_of

MOST_ROWS = 10_000
SECONDS = 10.0
_TO_START = 5.0  # seconds more, until the process is killed
# Signals of the limits of seconds, of the clock and of the processor. Parsing cannot be interrupted.
_OVER_TIME = (-signal.SIGALRM, -signal.SIGXCPU, -signal.SIGKILL)
_OLD = "Something was taken down or restored since the graph was exported. Export and load it again."
_SLOW = "The query took more than {:g} seconds. Ask for less, or begin with fewer nodes."


class Answer(NamedTuple):
    """The answer to a query. `has_more`: there are more rows than may be shown. `horizon` is that of the graph."""

    horizon: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    has_more: bool


def ask(instance: Path, text: str, takedowns: Takedowns, seconds: float = SECONDS) -> Answer:
    """Return the answer to a query that only reads.

    Raise ConfigurationError if the query is refused or wrong, no graph is loaded, or LadybugDB is missing. Raise
    StoreBusy if it takes too long or too much memory, or if the graph is older than a takedown. Raise StoreDamaged if
    the graph cannot be read.
    """
    query = checked(text)
    library()
    place = place_of(instance).absolute()
    if not place.is_file():
        raise ConfigurationError("No graph is loaded. Use `harvester graph export` and `harvester graph load`.")
    answers = _run(place, query, seconds)
    about = next((line["about"] for line in answers if "about" in line), None)
    error = next((line["error"] for line in answers if "error" in line), "")
    if about is None:
        raise StoreDamaged(f"{place} cannot be read; load the graph again. {error}".strip())
    if about[1] != digest_of(takedowns):
        raise StoreBusy(_OLD)
    if "bad_alloc" in error or "memory" in error:
        raise StoreBusy("The query needs more memory than it may have. Ask for less, or begin with fewer nodes.")
    if "Interrupted" in error:
        raise StoreBusy(_SLOW.format(seconds))
    if error:
        raise ConfigurationError(f"The query cannot be run: {error}")
    columns = next(line["columns"] for line in answers if "columns" in line)
    rows = tuple(tuple(line["row"]) for line in answers if "row" in line)
    return Answer(about[0], tuple(columns), rows, has_more=any("more" in line for line in answers))


def _run(place: Path, query: str, seconds: float) -> list[dict[str, Any]]:
    """Return what the process writes. Raise StoreBusy if it is too slow, ConfigurationError if the engine fails."""
    line = sandbox.command(query_process.__name__, str(place), str(MOST_ROWS), str(seconds), readable=(place,))
    ended = children.ask(line, query.encode(), seconds + _TO_START)
    if ended.is_late or ended.status in _OVER_TIME:
        raise StoreBusy(_SLOW.format(seconds))
    if ended.status < 0:
        number = -ended.status
        raise ConfigurationError(f"The query cannot be run: LadybugDB failed with signal {number}. Ask in another way.")
    return [json.loads(one) for one in ended.output.decode().splitlines()]


# --- Which Cypher may be run: one statement that only reads the graph. Pure ------------------------------------------

LONGEST = 20_000  # characters

_FIRST = frozenset(("match", "optional", "return", "unwind", "with", "call"))
_WRITES = "writes; the graph is only read. Change what it is derived from, and load it again"
_REACHES = "reads or writes files, or other databases; only the graph can be queried"
_LOADS = "loads or manages programs; none can be added"
_SETTLES = "changes how the database works; that cannot be changed"
_TABLE = (
    ("create merge set delete remove drop alter comment foreach", _WRITES),
    ("copy load attach detach use export import", _REACHES),
    ("install uninstall update extension", _LOADS),
    ("begin commit rollback checkpoint profile", _SETTLES),
)
_REFUSED = {word: reason for words, reason in _TABLE for word in words.split()}
_LISTS = re.compile(r"\s*+call\s++(?:show_tables|table_info)\s*+\(", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_CLOSED_BY = {"'": "'", '"': '"', "`": "`"}


def checked(text: str) -> str:
    """Return a query that only reads. Raise ConfigurationError for any other, with a sentence that says why."""
    if len(text) > LONGEST:
        raise ConfigurationError(f"The query has more than {LONGEST:,} characters.")
    if not is_legal(text):
        raise ConfigurationError("The query has control characters.")
    words = list(_words(text))
    if not words:
        raise ConfigurationError("The query is empty. Begin with MATCH.")
    first = words[0]
    if refused := next((word for word in _REFUSED if word in words), ""):
        raise ConfigurationError(f"{refused.upper()} is refused: it {_REFUSED[refused]}.")
    if ";" in words:
        raise ConfigurationError("Only one statement can be run at a time.")
    if first not in _FIRST:
        raise ConfigurationError(f"A query cannot begin with {first[:40]!r}. Begin with MATCH.")
    if "call" in words and not (_LISTS.match(text) and words.count("call") == 1):
        raise ConfigurationError("CALL is refused, except CALL show_tables() and CALL table_info('Publication').")
    return text


def _words(text: str) -> Iterator[str]:
    """Yield the words and semicolons outside of texts, names in backticks, comments, and names of properties."""
    place, text = 0, text.rstrip().removesuffix(";")
    while place < len(text):
        sign = text[place]
        if sign in _CLOSED_BY:
            place = _after_text(text, place)
        elif text.startswith("//", place):
            place = _after(text, "\n", place)
        elif text.startswith("/*", place):
            place = _after(text, "*/", place + 2)
        elif match := _WORD.match(text, place):
            if not text[:place].rstrip().endswith("."):
                yield match[0].lower()
            place = match.end()
        else:
            if sign == ";":
                yield sign
            place += 1


def _after(text: str, end: str, place: int) -> int:
    start = text.find(end, place)
    return len(text) if start < 0 else start + len(end)


def _after_text(text: str, place: int) -> int:
    """Return the place after a text or a name. Raise ConfigurationError if it has no end."""
    sign = text[place]
    place += 1
    while place < len(text) and text[place] != sign:
        place += 2 if text[place] == "\\" and sign != "`" else 1
    if place >= len(text):
        raise ConfigurationError("A text or a name in the query has no closing quotation mark.")
    return place + 1
