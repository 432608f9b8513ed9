"""The bar that commands draw on a terminal moves."""

from __future__ import annotations

import sys
from io import StringIO

from gateway.cli import progress


class Terminal(StringIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        return True


def test_the_bar_of_a_terminal_moves(monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setenv("TERM", "xterm")
    with progress("Blocks") as show:
        for done in range(5):
            show("Blocks", done, 4)
        show("Pages", 1, 2)
    for part in ("25%", "75%", "100%", "Pages", "50%"):
        assert part in terminal.getvalue()
