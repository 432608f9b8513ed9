"""The parts of the documentation that are generated from the code: `make docs` writes, `test_docs.py` checks them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable

import click

from gateway.cli import main
from gateway.formats import load
from gateway.settings import SETTINGS
from tests.conftest import ROOT


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def settings() -> str:
    """Return the table of settings."""
    rows = ((f"`{each.name}`", f"`{json.dumps(each.default)}`", each.sentence) for each in SETTINGS)
    return _table(("setting", "default", "what it is"), rows)


def formats() -> str:
    """Return the table of formats in `gateway/formats`, the richest first."""
    rows = (
        (
            f"`{each.metadata_prefix}`" if each.metadata_prefix else "",
            f"`{each.namespace}`" if each.namespace else "any other",
            f"version {each.version}" if each.metadata_prefix else "",
        )
        for each in load()
    )
    return _table(("written as", "read from the namespace", "mapping"), rows)


def commands() -> str:
    """Return the table of commands of `gateway`."""
    rows = ((f"`gateway {name}`", _help(command)) for name, command in sorted(main.commands.items()))
    return _table(("command", "what it does"), rows)


def _help(command: click.Command) -> str:
    return (command.help or "").partition("\n\n")[0].replace("\n", " ")


# For each file, what stands between which markers.
GENERATED: dict[str, dict[str, Callable[[], str]]] = {
    "gateway/README.md": {"settings": settings, "formats": formats, "commands": commands},
}


def renewed(text: str, parts: dict[str, Callable[[], str]]) -> str:
    """Return `text` with every generated part made again. Raise ValueError when a marker is missing."""
    for name, part in parts.items():
        pattern = rf"(?s)(<!-- generated: {name} -->\n).*?(<!-- end -->)"
        content = part()
        text, count = re.subn(pattern, lambda match: f"{match[1]}{content}\n{match[2]}", text)  # noqa: B023 - used at once
        if count != 1:
            raise ValueError(f"There is no place for the list of {name}.")
    return text


if __name__ == "__main__":
    for file, parts in GENERATED.items():
        path = ROOT / file
        path.write_text(renewed(path.read_text(encoding="utf-8"), parts), encoding="utf-8")
