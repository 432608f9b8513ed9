"""Show a file that waits for a decision: in a few lines, and with its record."""

import shutil
import textwrap
from collections.abc import Iterator
from itertools import zip_longest
from unicodedata import east_asian_width

import click

from gateway.core.errors import GatewayError
from gateway.core.logs import plain
from gateway.fulltext.review import Reviewed
from harvester.commands.discover import facts_of_decision
from harvester.fulltext.pdf.extraction import extract

_MOST_AUTHORS = 3
_MOST_LINES = 20  # of a file, that are not empty
_LONGEST_LINE = 200  # characters that are shown of one line
_LONGEST_STATEMENT = 300  # characters
_LEAST_FOR_COLUMNS = 100  # columns of a terminal in which record and file stand side by side
_RECORD = ("title", "creator", "contributor", "date", "source", "publisher", "type", "identifier", "description")


def facts_of_file(file: Reviewed) -> dict[str, object]:
    """Return a file as data: the decision in force, the work, and what is known of the file."""
    candidate = file.candidate
    return {
        **facts_of_decision(file.decision),
        "source": file.source,
        "title": " ".join(file.statements("title")[:1]),
        "authors": list(file.statements("creator")),
        "year": file.year,
        "score": file.score,
        "version": file.version,
        "kind": candidate.kind if candidate else "",
        "license": candidate.license if candidate else "",
        "host": file.host,
        "found_by": candidate.found_by if candidate else "",
        "copy": str(file.copy) if file.copy else "",
    }


def show_file(file: Reviewed, *, is_data: bool = True) -> None:
    """Write a file in a few lines, to standard output if it `is_data`, else to standard error."""
    for line in _described(file):
        click.echo(plain(line) if line[:1] != " " else f"  {plain(line.strip())}", err=not is_data)


def _described(file: Reviewed) -> Iterator[str]:
    yield file.decision.identifier
    authors = file.statements("creator")
    names = "; ".join(authors[:_MOST_AUTHORS]) + (" …" if len(authors) > _MOST_AUTHORS else "")
    year = f"({file.year})" if file.year else ""
    title = next(iter(file.statements("title")), "The record has no title." if file.work else "The record is deleted.")
    yield f"  {title[:_LONGEST_STATEMENT]}"
    if names or year:
        yield f"  {' '.join(filter(None, (names, year)))[:_LONGEST_STATEMENT]}"
    yield f"  {file.decision.url}"
    yield f"  {', '.join(f'{name} {value}' for name, value in _facts(file))}"
    yield f"  {file.decision.verdict} by {file.decision.decided_by}: {file.decision.reason}"


def _facts(file: Reviewed) -> Iterator[tuple[str, str]]:
    candidate = file.candidate
    yield "score", "unknown" if file.score is None else f"{file.score:.2f}"
    yield "version", file.version or "unknown"
    yield "kind", (candidate.kind if candidate else "") or "unknown"
    yield "licence", (candidate.license if candidate else "") or "unknown"
    yield "host", file.host


def facts_of_text(file: Reviewed) -> dict[str, object]:
    """Return a file as data with the first lines of the kept copy; `unread` says why there are none."""
    lines, unread = _first_lines(file)
    return {**facts_of_file(file), "lines": list(lines), "unread": unread}


def show_text(file: Reviewed) -> None:
    """Write the record, the first lines of the stored copy, and the path of the copy."""
    click.echo("")
    show_file(file)
    lines, unread = _first_lines(file)
    click.echo(plain(f"  The copy: {file.copy}") if file.copy else "  No copy is kept.")
    record = [
        f"{element}: {text[:_LONGEST_STATEMENT]}" for element in _RECORD for text in file.statements(element)
    ] or ["The record is deleted."]
    width = shutil.get_terminal_size().columns
    left, right = ["The record says:", *record], ["The file begins:", *(lines or [unread])]
    if width < _LEAST_FOR_COLUMNS:
        for line in (*left, *right):
            click.echo(f"  {plain(line)}")
        return
    half = (width - 5) // 2
    pairs = zip_longest(_wrapped(left, half), _wrapped(right, half), fillvalue="")
    for first, second in pairs:
        click.echo(f"  {first}{' ' * (half - len(first) - _wide(first))}   {second}".rstrip())


def _first_lines(file: Reviewed) -> tuple[tuple[str, ...], str]:
    """Return the first lines of the stored copy, else why there are none. The sandbox reads it, as in a search."""
    if file.copy is None:
        return (), "No copy is kept: the setting files_keep is off, or the copy was deleted."
    try:
        text = extract(file.copy.read_bytes()).first
    except (GatewayError, OSError) as error:
        return (), str(error)
    lines = (" ".join(line.split()) for line in text.splitlines())
    first = tuple(line[:_LONGEST_LINE] for line in lines if line)[:_MOST_LINES]
    return first, "" if first else "The file has no text."


def _wrapped(lines: list[str], width: int) -> list[str]:
    return [part for line in lines for part in textwrap.wrap(plain(line), width // 2 if _wide(line) else width)]


def _wide(text: str) -> int:
    """Return how many characters of a text take two columns."""
    return sum(east_asian_width(character) in "WF" for character in text)
