"""The bar that commands draw on a terminal moves."""

from __future__ import annotations

import sys
from io import StringIO

import click
import pytest

from gateway.cli import progress
from gateway.program import Program, program_options
from gateway.store import conversion_progress
from tests.rows import each_row


class Terminal(StringIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        return True


@each_row("is_quiet", [False, True])
def test_a_conversion_has_a_bar_in_every_command(monkeypatch, is_quiet):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setenv("TERM", "xterm")
    logged: list[bool] = []

    @click.group(cls=Program)
    @program_options
    def program() -> None:
        """Open a store."""

    @program.command("open")
    def open_() -> None:
        logged.extend(conversion_progress.show(done, 4) for done in range(5))

    with pytest.raises(SystemExit):
        program.main(["--quiet", "open"] if is_quiet else ["open"])
    assert ("Records moved into blocks" in terminal.getvalue()) is not is_quiet
    assert ("75%" in terminal.getvalue()) is not is_quiet
    assert logged == [is_quiet] * 5


@each_row("damaged, status, wanted", [(0, None, 0), (0, 1, 1), (2, None, 3), (2, 0, 3), (2, 1, 1), (2, 6, 6)])
def test_a_command_whose_conversion_meets_damaged_records_ends_with_three(damaged, status, wanted):
    """A worse end of the command itself stays what it is."""

    @click.group(cls=Program)
    def program() -> None:
        """Open a store."""

    @program.command("open")
    @click.pass_context
    def open_(context: click.Context) -> None:
        if damaged:
            conversion_progress.note_damaged(damaged)
        if status is not None:
            context.exit(status)

    with pytest.raises(SystemExit) as end:
        program.main(["open"])
    assert (end.value.code or 0) == wanted
    conversion_progress.note_damaged(1)  # outside of a command, the log alone says it


def test_the_bar_of_a_terminal_moves(monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setenv("TERM", "xterm")
    with progress("Blocks") as show:
        for done in range(5):
            show("Blocks", done, 4)
        show("Pages", 1, 2)
    for part in ("25%", "75%", "100%", "Pages", "50%"):
        assert part in terminal.getvalue()
